#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "ulna/view/page/message.hpp"

/// Robots in motion, in a browser: docs/viewer.md, docs/stream.md.
namespace ulna::view {

struct ServerOptions {
  int port = 0;  ///< 0: one that is free
  int most_connections = 64;
  std::size_t largest_message = 4u << 20;  ///< bytes, from a page
  double messages_per_second = 200.0;      ///< from one page; what comes faster waits
  double request_patience = 10.0;          ///< s for a request of HTTP to arrive, or to be read
  double patience = 30.0;   ///< s without a sign of life, even of its system, until a page is gone
  int most_waiting = 4096;  ///< messages that a page has not read: then it is gone
};

/// Serves one page, its meshes and its stream to this machine: HTTP and WebSocket on 127.0.0.1, in a thread of its own.
/// Requests must name 127.0.0.1 or localhost as their host, and come from no other page than this one.
class Server {
 public:
  /// A page that is connected; numbers are not used twice.
  using Client = std::uint64_t;

  /// What the program does, all in the server's thread: it must be quick, and must not throw.
  struct Program {
    std::string_view page;  ///< HTML, must outlive the server
    std::function<std::shared_ptr<const std::string>(int number)> mesh;  ///< null: there is none
    std::function<void(Client)> joined, left;
    std::function<void(Client, std::string text)> received;
    std::function<void()> tick;  ///< every 8 ms while a page is connected
  };

  /// Takes the port; throws std::runtime_error if it is not free.
  explicit Server(Program program, const ServerOptions& options = {});
  /// Begins to serve.
  void start();
  /// Closes all connections.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  std::string url() const;  ///< "http://127.0.0.1:40123/"
  int clients() const;      ///< pages that are connected

  // from any thread; they do not wait

  void send(Client to, Message message);
  /// To all but those that do not follow.
  void broadcast(Message message);
  /// Whether a page gets what is broadcast; at first it does.
  void follow(Client client, bool on);
  /// Runs something in the server's thread.
  void post(std::function<void()> action);

 private:
  friend class PageSocket;
  friend class Visit;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::view
