#include "ulna/view/live/playground.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include "num/message.hpp"
#include "view/conversation.hpp"
#include "view/live/played_robot.hpp"

namespace ulna::view {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;
using messages::require;

Clock::duration seconds(double s) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

constexpr int live_topic = 4;
constexpr std::size_t most_actions = 1000, most_durations = 1'000'000;

double number(const Json& action, const char* name) {
  const auto found = action.find(name);
  require(found != action.end() && found->is_number(), "field '", name, "' is not a number");
  return found->get<double>();
}
int whole(const Json& action, const char* name) {
  const double x = number(action, name);
  require(std::abs(x) < 1e6 && x == std::floor(x), "field '", name, "' is not a whole number");
  return int(x);
}
bool flag(const Json& action, const char* name) {
  const auto found = action.find(name);
  require(found != action.end() && found->is_boolean(), "field '", name, "' is not true or false");
  return found->get<bool>();
}
Eigen::VectorXd vector(const Json& action, const char* name) {
  const auto found = action.find(name);
  require(found != action.end() && found->is_array() && found->size() < 10000, "field '", name,
          "' is not a list");
  Eigen::VectorXd x(Eigen::Index(found->size()));
  for (std::size_t i = 0; i < found->size(); ++i) {
    require((*found)[i].is_number(), "field '", name, "' is not a list of numbers");
    x(Eigen::Index(i)) = (*found)[i].get<double>();
  }
  return x;
}
Vec3<double> point(const Json& action, const char* name) {
  const Eigen::VectorXd x = vector(action, name);
  require(x.size() == 3, "field '", name, "' is not three numbers");
  return x;
}

}  // namespace

struct Playground::Parts {
  explicit Parts(const PlaygroundOptions& o)
      : player(o.player),
        name(o.first),
        robot(std::make_unique<PlayedRobot>(player(name))),
        viewer(robot->cast(), viewer_options(o)) {
    durations.reserve(most_durations);
    thread = std::thread([this] { play(); });
  }
  ~Parts() {
    stops = true;
    thread.join();
  }

  ViewerOptions viewer_options(const PlaygroundOptions& o) {
    ViewerOptions v = o.viewer;
    v.mode = "live";
    v.can = {"pose", "ik", "playground"};
    v.channels = robot->channels();
    v.requests = [this](std::string_view request) { take(request); };
    return v;
  }

  /// In the viewer's thread.
  void take(std::string_view request) {
    Json action = Conversation::parse(request);
    const std::lock_guard lock(mutex);
    if (actions.size() < most_actions) actions.push_back(std::move(action));
  }

  void play();
  void act_all();
  void act(const Json& action);
  void restart();
  void show(Clock::time_point now);

  std::function<Player(const std::string&)> player;
  std::string name;
  std::unique_ptr<PlayedRobot> robot;
  bool runs = true;
  double speed = 1.0;
  std::string finding;  ///< why it does not run
  Clock::time_point shown = {}, reported = {}, next = Clock::now();
  double reported_time = 0.0;  ///< of the robot

  std::mutex mutex;  ///< of what follows
  std::deque<Json> actions;
  std::vector<float> durations;

  std::atomic<bool> stops = false;
  Viewer viewer;
  std::thread thread;
};

/// The robot's own thread: periods at their time.
void Playground::Parts::play() {
  while (!stops) {
    act_all();
    const Clock::time_point now = Clock::now();
    if (runs && !robot->step()) {
      runs = false;
      finding = "the simulation cannot go on: reset";
    }
    if (runs) {
      const std::lock_guard lock(mutex);
      if (durations.size() < most_durations) durations.push_back(float(robot->step_us()));
    }
    show(now);
    next += runs ? seconds(robot->period() / speed) : Clock::duration(10ms);
    // a computer that is too slow makes time slow, not the robot jump
    if (next < now - 50ms) next = now;
    std::this_thread::sleep_until(next);
  }
}

void Playground::Parts::act_all() {
  std::deque<Json> fresh;
  {
    const std::lock_guard lock(mutex);
    fresh.swap(actions);
  }
  for (const Json& action : fresh) {
    try {
      act(action);
    } catch (const std::exception& e) {
      viewer.send(text(dump({{"type", "error"},
                             {"message", std::string("live: ") + e.what()},
                             {"request", nullptr}})));
    }
  }
}

void Playground::Parts::act(const Json& action) {
  const auto found = action.find("do");
  require(found != action.end() && found->is_string(), "field 'do' is missing");
  const auto& what = found->get_ref<const std::string&>();
  if (what == "payload") return robot->carry(number(action, "mass"));
  if (what == "pull")
    return robot->pull(whole(action, "link"), point(action, "point"), point(action, "to"));
  if (what == "release") return robot->release();
  if (what == "friction") return robot->set_friction(number(action, "factor"));
  if (what == "blind") return robot->blind(whole(action, "joint"), flag(action, "on"));
  if (what == "identify") return robot->identify(flag(action, "on"));
  if (what == "goal") {
    const auto goal = action.find("q");
    return goal == action.end() || goal->is_null() ? robot->go_to({})
                                                   : robot->go_to(vector(action, "q"));
  }
  if (what == "pause") {
    runs = !flag(action, "on");
    finding.clear();
  } else if (what == "speed") {
    const double factor = number(action, "factor");
    require(factor >= 0.01 && factor <= 10.0, "factor: ", factor, " is not from 0.01 to 10");
    speed = factor;
  } else if (what == "reset") {
    restart();
  } else if (what == "robot") {
    const auto asked = action.find("name");
    require(asked != action.end() && asked->is_string(), "field 'name' is not a text");
    const std::string before = std::exchange(name, asked->get<std::string>());
    try {
      restart();
    } catch (...) {
      name = before;
      throw;
    }
  } else {
    require(false, "'", what, "' is not known");
  }
}

void Playground::Parts::restart() {
  robot = std::make_unique<PlayedRobot>(player(name));
  viewer.set_robots(robot->cast(), robot->channels());
  runs = true, finding.clear();
  reported_time = 0.0;
  next = Clock::now();
}

void Playground::Parts::show(Clock::time_point now) {
  constexpr auto picture = 8ms, news = 100ms;
  if (now - shown < picture) return;
  shown = now;
  const double time = robot->time();
  viewer.show(0, time, robot->q());
  viewer.show(1, time, robot->reference());
  viewer.plot(time, robot->values());
  const std::optional<Arrow> force = robot->pull_force();
  viewer.draw(time, force ? std::span(&*force, 1) : std::span<const Arrow>());
  if (now - reported < news || viewer.clients() == 0) return;
  viewer.draw_trail(0, time, robot->trail());
  Json message{{"type", "live"}, {"running", runs}, {"robot", name}, {"speed", speed}};
  message.update(robot->report());
  const double passed = std::chrono::duration<double>(now - reported).count();
  message["realtime"] = std::clamp((time - reported_time) / passed, 0.0, 100.0);
  if (!finding.empty()) message["findings"].push_back(finding);
  reported = now, reported_time = time;
  viewer.send(text(dump(message), live_topic));
}

Playground::Playground(const PlaygroundOptions& options)
    : parts_(std::make_unique<Parts>(options)) {}
Playground::~Playground() = default;

std::string Playground::url() const { return parts_->viewer.url(); }
int Playground::clients() const { return parts_->viewer.clients(); }

Playground::StepTimes Playground::step_times() {
  std::vector<float> times;
  times.reserve(most_durations);
  {
    const std::lock_guard lock(parts_->mutex);
    times.swap(parts_->durations);
  }
  std::ranges::sort(times);
  if (times.empty()) return {};
  const auto at = [&](double share) {
    return double(times[std::size_t(share * double(times.size() - 1))]);
  };
  return {long(times.size()), at(0.5), at(0.99), at(1.0)};
}

}  // namespace ulna::view
