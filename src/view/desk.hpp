#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <thread>

#include "ulna/view/server.hpp"
#include "view/conversation.hpp"

namespace ulna::view {

/// Answers the requests of all pages, one after the other in a thread of its own, so that none holds up the server.
class Desk {
 public:
  using Client = Server::Client;
  struct Ways {
    std::function<void(Client, Message)> send;
    std::function<void(Client)> leave;  ///< the page shows robots of its own from now on
  };

  Desk(Meshes& meshes, std::shared_ptr<const Cast> cast, ConversationOptions options,
       std::function<void(std::string_view)> others, Ways ways);
  /// Begins and ends its work. It ends what it computes.
  void open();
  void close();

  // from any thread
  void take(Client client, std::string request);
  void forget(Client client);
  void set_cast(std::shared_ptr<const Cast> cast);

 private:
  struct Incoming {
    Client client;
    std::string text;
    bool leaves = false;
  };
  struct Waiting {
    Client client;
    Json request;
    std::string text;
  };

  void work();
  bool fetch();
  void serve(const Waiting& next);
  bool is_outdated(const Waiting& next) const;
  void release(const Waiting& done);

  Meshes& meshes_;
  ConversationOptions options_;
  std::function<void(std::string_view)> others_;
  Ways ways_;

  // of its thread
  std::deque<Waiting> waiting_;
  std::map<Client, Conversation> conversations_;
  std::shared_ptr<const Cast> cast_;

  std::mutex mutex_;  ///< of what follows
  std::condition_variable news_;
  std::deque<Incoming> incoming_;
  std::shared_ptr<const Cast> next_cast_;
  std::map<Client, int> open_;  ///< requests without an answer
  std::size_t bytes_ = 0;       ///< of them all
  std::atomic<bool> closes_ = false;
  std::thread thread_;
};

}  // namespace ulna::view
