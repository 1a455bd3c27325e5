#include "view/desk.hpp"

#include <algorithm>

namespace ulna::view {
namespace {

constexpr int most_open = 64;                      // requests of a page
constexpr std::size_t most_bytes = 64u << 20;      // of all requests
constexpr std::size_t largest_request = 1u << 20;  // bytes, but of a file that is checked
constexpr int error_topic = 3;

Message refusal(std::string_view why) {
  return text(dump({{"type", "error"}, {"message", why}, {"request", nullptr}}), error_topic);
}

}  // namespace

Desk::Desk(Meshes& meshes, std::shared_ptr<const Cast> cast, ConversationOptions options,
           std::function<void(std::string_view)> others, Ways ways)
    : meshes_(meshes),
      options_(std::move(options)),
      others_(std::move(others)),
      ways_(std::move(ways)),
      cast_(std::move(cast)) {
  options_.go_on = [this] { return !closes_; };
}

void Desk::open() {
  thread_ = std::thread([this] { work(); });
}

void Desk::close() {
  {
    const std::lock_guard lock(mutex_);
    closes_ = true;
  }
  news_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Desk::take(Client client, std::string request) {
  std::unique_lock lock(mutex_);
  if (open_[client] >= most_open || bytes_ + request.size() > most_bytes) {
    lock.unlock();
    return ways_.send(client, refusal("too many requests wait for an answer"));
  }
  ++open_[client];
  bytes_ += request.size();
  incoming_.push_back({client, std::move(request)});
  lock.unlock();
  news_.notify_one();
}

void Desk::forget(Client client) {
  const std::lock_guard lock(mutex_);
  incoming_.push_back({client, "", true});
  news_.notify_one();
}

void Desk::set_cast(std::shared_ptr<const Cast> cast) {
  const std::lock_guard lock(mutex_);
  next_cast_ = std::move(cast);
}

/// Reads what has come; waits for it if there is nothing else to do. False: the work is over.
bool Desk::fetch() {
  std::deque<Incoming> fresh;
  std::shared_ptr<const Cast> cast;
  {
    std::unique_lock lock(mutex_);
    if (waiting_.empty()) news_.wait(lock, [this] { return closes_ || !incoming_.empty(); });
    if (closes_) return false;
    fresh.swap(incoming_), cast.swap(next_cast_);
  }
  if (cast) {
    cast_ = std::move(cast);
    std::erase_if(conversations_, [](const auto& entry) { return !entry.second.has_own_robots(); });
  }
  for (Incoming& next : fresh) {
    if (!next.leaves) {
      waiting_.push_back({next.client, Conversation::parse(next.text), std::move(next.text)});
      continue;
    }
    conversations_.erase(next.client);
    std::erase_if(waiting_, [&](const Waiting& w) {
      if (w.client == next.client) release(w);
      return w.client == next.client;
    });
    const std::lock_guard lock(mutex_);
    open_.erase(next.client);
  }
  return true;
}

bool Desk::is_outdated(const Waiting& next) const {
  return Conversation::is_replaceable(next.request) &&
         std::ranges::any_of(waiting_, [&](const Waiting& later) {
           return later.client == next.client && later.request.is_object() &&
                  later.request.value("type", Json()) == next.request["type"] &&
                  later.request.value("robot", Json()) == next.request.value("robot", Json());
         });
}

void Desk::release(const Waiting& done) {
  const std::lock_guard lock(mutex_);
  bytes_ -= done.text.size();
  const auto open = open_.find(done.client);
  if (open != open_.end()) --open->second;
}

void Desk::serve(const Waiting& next) {
  const auto type = next.request.is_object() ? next.request.find("type") : next.request.end();
  const bool typed = next.request.is_object() && type != next.request.end() && type->is_string();
  if (!typed) return ways_.send(next.client, refusal("a request is a JSON object with a type"));
  if (next.text.size() > largest_request && *type != "check")
    return ways_.send(next.client, refusal("a request is at most 1 MiB long"));
  if (others_ && *type == "live") return others_(next.text);
  Conversation& with =
      conversations_.try_emplace(next.client, cast_, meshes_, options_).first->second;
  const bool own = with.has_own_robots();
  std::vector<Message> answer = with.answer(next.request);
  if (with.has_own_robots() && !own) ways_.leave(next.client);
  for (Message& message : answer) ways_.send(next.client, std::move(message));
}

void Desk::work() {
  while (fetch()) {
    if (waiting_.empty()) continue;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!is_outdated(next)) serve(next);
    release(next);
  }
}

}  // namespace ulna::view
