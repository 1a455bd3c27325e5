#include "ulna/view/viewer.hpp"

#include <array>
#include <atomic>
#include <map>

#include "num/message.hpp"
#include "ulna/io/import.hpp"
#include "view/desk.hpp"
#include "view/page/bytes.hpp"

namespace ulna::view {
namespace {

constexpr std::size_t most_drawn = 1024;  // arrows, and points of a trail

/// A place for the newest message of a kind: one thread writes, another takes, and none waits for the other.
class Mailbox {
 public:
  Mailbox(int topic, std::size_t capacity) : topic_(topic) {
    for (std::string& slot : slots_) slot.reserve(capacity);
  }
  template <class Write>
  void put(Write write) noexcept {
    write(slots_[std::size_t(written_)]);
    written_ = between_.exchange(written_ | fresh) & ~fresh;
  }
  /// What was put since the last time, if anything.
  std::optional<Message> take() {
    if (!(between_.load() & fresh)) return {};
    read_ = between_.exchange(read_) & ~fresh;
    return binary(slots_[std::size_t(read_)], topic_);
  }

 private:
  static constexpr int fresh = 4;
  int topic_;
  std::array<std::string, 3> slots_;
  int written_ = 0, read_ = 1;
  std::atomic<int> between_ = 2;
};

/// Robots with what is shown of them.
struct Feed {
  std::shared_ptr<const Cast> cast;
  std::vector<Message> greeting;
  std::vector<std::vector<int>> orders;  ///< of coordinates, by robot
  std::vector<std::unique_ptr<Mailbox>> states, trails;
  std::unique_ptr<Mailbox> values, arrows;
  Eigen::Index value_count = 0;
  Diagnostics found;
  std::map<int, Message> newest;  ///< by topic; of the server's thread, as what is below

  std::vector<Mailbox*> mailboxes() const {
    std::vector<Mailbox*> all{values.get(), arrows.get()};
    for (const auto* boxes : {&states, &trails})
      for (const auto& box : *boxes) all.push_back(box.get());
    return all;
  }
};

}  // namespace

struct Viewer::Parts {
  Parts(std::vector<Actor> robots, const ViewerOptions& o)
      : options(o),
        meshes(o.meshes),
        feed(make_feed(std::move(robots), o.channels)),
        served(feed),
        desk(meshes, feed->cast, {.can = o.can}, o.requests,
             {.send = [this](auto to, Message m) { server->send(to, std::move(m)); },
              .leave = [this](auto client) { server->follow(client, false); }}),
        server(std::make_unique<Server>(program(), o.server)) {
    desk.open();
    server->start();
  }
  ~Parts() { desk.close(); }  // it uses the server

  std::shared_ptr<Feed> make_feed(std::vector<Actor> robots, std::vector<SeriesGroup> channels);
  Server::Program program();
  /// Sends what is new. In the server's thread, as `greet`.
  void deliver();
  void greet(Server::Client client);

  ViewerOptions options;
  Meshes meshes;
  std::shared_ptr<Feed> feed;    ///< that show() writes to
  std::shared_ptr<Feed> served;  ///< that pages see, which follows soon
  Desk desk;
  std::unique_ptr<Server> server;
};

std::vector<Message> opening_messages(const Cast& robots, const ViewerOptions& options,
                                      Meshes& meshes, Diagnostics& found) {
  Hello hello{options.program, options.mode, options.title, options.can, {}};
  if (hello.title.empty())
    for (const Actor& robot : robots)
      if (!robot.ghost) hello.title += (hello.title.empty() ? "" : ", ") + robot.model.name();
  for (const EmbeddedRobot& robot : embedded_robots()) hello.robots.emplace_back(robot.name);
  return {text(hello_message(hello)), text(scene_message(robots, meshes, found, options.fixtures)),
          text(channels_message(options.channels))};
}

std::shared_ptr<Feed> Viewer::Parts::make_feed(std::vector<Actor> robots,
                                               std::vector<SeriesGroup> channels) {
  constexpr int most = 65535;  // numbers of a binary message
  messages::require(!robots.empty() && robots.size() < 256, "a viewer shows 1 to 255 robots, not ",
                    robots.size());
  for (const Actor& robot : robots) {
    messages::require(robot.model.nq() <= most, "robot '", robot.model.name(), "' has ",
                      robot.model.nq(), " coordinates; up to ", most, " can be shown");
    messages::require(robot.q.size() == 0 || robot.q.size() == robot.model.nq(), "robot '",
                      robot.model.name(), "': ", robot.q.size(), " coordinates given, it has ",
                      robot.model.nq());
  }
  auto made = std::make_shared<Feed>();
  for (std::size_t i = 0; i < robots.size(); ++i) {
    const Model& model = robots[i].model;
    made->orders.push_back(page_order(model));
    made->states.push_back(std::make_unique<Mailbox>(1000 + int(i), state_size(model.nq())));
    made->trails.push_back(std::make_unique<Mailbox>(2000 + int(i), trail_size(most_drawn)));
  }
  for (const SeriesGroup& group : channels) made->value_count += std::ssize(group.series);
  messages::require(made->value_count <= most, made->value_count, " numbers to plot; up to ", most,
                    " can be");
  made->values = std::make_unique<Mailbox>(1, values_size(made->value_count));
  made->arrows = std::make_unique<Mailbox>(2, arrows_size(most_drawn));
  options.channels = std::move(channels);
  made->greeting = opening_messages(robots, options, meshes, made->found);
  made->cast = std::make_shared<const Cast>(std::move(robots));
  return made;
}

Server::Program Viewer::Parts::program() {
  Server::Program p;
  p.page = options.page.empty() ? view::page() : options.page;
  p.mesh = [this](int number) { return meshes.bytes(number); };
  p.joined = [this](Server::Client client) { greet(client); };
  p.left = [this](Server::Client client) { desk.forget(client); };
  p.received = [this](Server::Client client, std::string request) {
    desk.take(client, std::move(request));
  };
  p.tick = [this] { deliver(); };
  return p;
}

void Viewer::Parts::deliver() {
  for (Mailbox* box : served->mailboxes())
    if (auto message = box->take()) {
      served->newest[message->topic] = *message;
      server->broadcast(std::move(*message));
    }
}

void Viewer::Parts::greet(Server::Client client) {
  deliver();
  for (const Message& message : served->greeting) server->send(client, message);
  for (const auto& [topic, message] : served->newest) server->send(client, message);
}

Viewer::Viewer(const Model& model, const ViewerOptions& options)
    : Viewer(std::vector<Actor>{{model}}, options) {}
Viewer::Viewer(std::vector<Actor> robots, const ViewerOptions& options)
    : parts_(std::make_unique<Parts>(std::move(robots), options)) {}
Viewer::~Viewer() = default;
Viewer::Viewer(Viewer&&) noexcept = default;
Viewer& Viewer::operator=(Viewer&&) noexcept = default;

std::string Viewer::url() const { return parts_->server->url(); }
int Viewer::clients() const { return parts_->server->clients(); }
const Diagnostics& Viewer::diagnostics() const { return parts_->feed->found; }

bool Viewer::show(int robot, double time, In<double> q) noexcept {
  Feed& feed = *parts_->feed;
  if (robot < 0 || robot >= std::ssize(feed.states)) return false;
  const auto& order = feed.orders[std::size_t(robot)];
  if (q.size() != std::ssize(order) || !q.allFinite() || !std::isfinite(time)) return false;
  feed.states[std::size_t(robot)]->put(
      [&](std::string& to) { write_state(to, robot, order, time, q); });
  return true;
}

bool Viewer::plot(double time, In<double> values) noexcept {
  Feed& feed = *parts_->feed;
  if (values.size() != feed.value_count || !std::isfinite(time)) return false;
  feed.values->put([&](std::string& to) { write_values(to, time, values); });
  return true;
}

bool Viewer::draw(double time, std::span<const Arrow> arrows) noexcept {
  for (const Arrow& a : arrows)
    if (!a.point.allFinite() || !a.force.allFinite()) return false;
  if (arrows.size() > most_drawn || !std::isfinite(time)) return false;
  parts_->feed->arrows->put([&](std::string& to) { write_arrows(to, time, arrows); });
  return true;
}

bool Viewer::draw_trail(int robot, double time, std::span<const Vec3<double>> points) noexcept {
  Feed& feed = *parts_->feed;
  if (robot < 0 || robot >= std::ssize(feed.trails) || points.size() > most_drawn) return false;
  for (const Vec3<double>& point : points)
    if (!point.allFinite()) return false;
  feed.trails[std::size_t(robot)]->put(
      [&](std::string& to) { write_trail(to, robot, time, points); });
  return true;
}

void Viewer::set_robots(std::vector<Actor> robots, std::vector<SeriesGroup> channels) {
  Parts& p = *parts_;
  p.feed = p.make_feed(std::move(robots), std::move(channels));
  p.desk.set_cast(p.feed->cast);
  p.server->post([&p, feed = p.feed] {
    p.served = feed;
    for (const Message& message : feed->greeting) p.server->broadcast(message);
  });
}

void Viewer::keep(Message message) {
  Parts& p = *parts_;
  p.server->post([&p, feed = p.feed, message = std::move(message)] {
    feed->greeting.push_back(message);
    if (p.served == feed) p.server->broadcast(message);
  });
}

void Viewer::send(Message message) { parts_->server->broadcast(std::move(message)); }

}  // namespace ulna::view
