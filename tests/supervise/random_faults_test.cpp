#include "support/allocations.hpp"

#include "supervised.hpp"

/// A million samples in which something is wrong: the planner, the sensors, the clock or the model.
namespace ulna::test {
namespace {

/// A planner that has gone mad: huge, small, alternating, silent or not a number.
class MadPlanner {
 public:
  MadPlanner(const Vector& torque_limit, Random& random)
      : limit_(torque_limit), wanted_(Vector::Zero(torque_limit.size())), random_(random) {}

  const Vector& next() {
    if (chance(0.02)) kind_ = static_cast<int>(random_.real(0.0, 5.0));
    if (chance(0.02) || kind_ == 2)
      for (int i = 0; i < wanted_.size(); ++i) wanted_(i) = draw() * limit_(i);
    if (kind_ == 3) wanted_ = -wanted_;
    return wanted_;
  }
  bool chance(double p) { return random_.real(0.0, 1.0) < p; }

 private:
  double draw() {
    const double x = random_.real();
    if (kind_ == 0) return x > 0.0 ? 1e3 : -1e3;
    if (kind_ == 1 && chance(0.02)) return chance(0.5) ? std::nan("") : infinity;
    return kind_ == 4 ? 0.3 * x : 2.0 * x;
  }
  const Vector limit_;
  Vector wanted_;
  Random& random_;
  int kind_ = 0;
};

/// A mass at the last body that takes up to a tenth of the torque limits, and adds up to a tenth to the inertia of any
/// joint.
double payload_of(const Model& model, const Vec3<double>& at) {
  const Limits limits(model);
  Plant<double> empty(model), loaded(model);
  add_payload(loaded, 1.0, at);
  Kinematics<double> k(model);
  Workspace<double> ws(model);
  Vector g(model.nv()), loaded_g(model.nv());
  Eigen::MatrixXd M(model.nv(), model.nv()), loaded_M(M);
  std::mt19937_64 random(3);
  double share = 0.0;
  for (int n = 0; n < 50; ++n) {
    k.set(random_configuration(model, random));
    gravity_torque<double>(empty, k, ws, g);
    gravity_torque<double>(loaded, k, ws, loaded_g);
    mass_matrix<double>(empty, k, ws, M);
    mass_matrix<double>(loaded, k, ws, loaded_M);
    share = std::max({share, (loaded_g - g).cwiseAbs().cwiseQuotient(limits.torque).maxCoeff(),
                      (loaded_M - M).diagonal().cwiseQuotient(M.diagonal()).maxCoeff()});
  }
  return 0.1 / share;
}

/// What must hold of what is sent, sample by sample.
class Watch {
 public:
  explicit Watch(const Limits& limits, double period) : limits_(limits), period_(period) {}

  /// After a new start, the first torque has nothing to be compared with.
  void begin() { begun_ = false; }
  ::testing::AssertionResult holds(const Vector& tau, bool started) {
    if (!tau.allFinite()) return ::testing::AssertionFailure() << "torque is not finite";
    for (int i = 0; i < tau.size(); ++i) {
      if (std::abs(tau(i)) > limits_.torque(i))
        return ::testing::AssertionFailure() << "torque " << tau(i) << " of joint " << i;
      const double most = period_ * limits_.torque_rate(i) * (1.0 + 1e-9);
      if (begun_ && std::abs(tau(i) - last_(i)) > most)
        return ::testing::AssertionFailure() << "torque rate of joint " << i;
    }
    last_ = tau;
    begun_ = begun_ || started;
    return ::testing::AssertionSuccess();
  }

 private:
  Limits limits_;
  double period_;
  Vector last_;
  bool begun_ = false;
};

bool is_allowed(State from, State to) {
  if (from == to) return true;
  switch (from) {
    case State::run:
      return to == State::stop || to == State::fault;
    case State::stop:
      return to == State::hold || to == State::fault;
    case State::hold:
      return true;
    case State::fault:
      return false;
  }
  return false;
}

Vector middle(const Model& model, const Limits& limits, Random& random) {
  Vector q = random_q(model, random);
  for (int i = 0; i < q.size(); ++i)
    if (std::isfinite(limits.upper(i) - limits.lower(i)))
      q(i) = 0.5 * (limits.upper(i) + limits.lower(i)) +
             random.real(-0.3, 0.3) * (limits.upper(i) - limits.lower(i));
  return q;
}

struct Worst {
  double speed = 0.0, beyond = 0.0, share_of_speed = 0.0;
  long samples = 0, fast = 0;  ///< beyond 105 % of a speed limit
};

/// Robots of one to seven joints that a mad planner drives; how far they get beyond their limits.
Worst drive_madly(bool loaded, long samples) {
  Worst worst;
  const Vec3<double> at(0.02, 0.0, 0.1);
  for (std::uint64_t seed = 1; worst.samples < samples; ++seed) {
    const int n = 1 + static_cast<int>(seed % 7);
    SCOPED_TRACE("random_arm(" + std::to_string(seed) + ", " + std::to_string(n) + ")");
    const Model model = random_arm(seed, n);
    Random random(seed + 1000);
    Supervised s(model, {.reaction = Reaction::report});
    if (loaded) add_payload(s.robot.plant, payload_of(model, at), at);
    s.robot.set_state(middle(model, s.limits(), random), Vector::Zero(n));
    MadPlanner planner(s.limits().torque, random);
    Watch watch(s.limits(), s.period);
    for (int k = 0; k < 2000; ++k, ++worst.samples) {
      const Vector& tau = s.step(planner.next());
      EXPECT_TRUE(watch.holds(tau, true)) << "sample " << k;
      worst.fast += ((s.robot.v().cwiseAbs() - 1.05 * s.limits().speed).array() > 0.0).any();
      for (int i = 0; i < n; ++i) {
        const double speed = std::abs(s.robot.v()(i)) / s.limits().speed(i), q = s.robot.q()(i);
        worst.speed = std::max(worst.speed, speed);
        worst.share_of_speed += speed / n;
        worst.beyond = std::max({worst.beyond, q - s.limits().upper(i), s.limits().lower(i) - q});
      }
      if (::testing::Test::HasFailure()) return worst;
    }
  }
  worst.share_of_speed /= static_cast<double>(worst.samples);
  return worst;
}

TEST(RandomFaults, no_planner_drives_a_known_robot_beyond_its_limits) {
  const Worst worst = drive_madly(false, 350'000);
  EXPECT_LT(worst.speed, 1.01);
  EXPECT_LT(worst.beyond, 1e-3);
  EXPECT_GT(worst.share_of_speed, 0.2) << "the robots hardly moved";
}

TEST(RandomFaults, no_planner_drives_a_robot_with_an_unknown_payload_far_beyond_its_limits) {
  const Worst worst = drive_madly(true, 350'000);
  EXPECT_LT(worst.speed, 1.5);
  EXPECT_LT(static_cast<double>(worst.fast), 0.001 * static_cast<double>(worst.samples));
  EXPECT_LT(worst.beyond, 2e-3);
  EXPECT_GT(worst.share_of_speed, 0.2) << "the robots hardly moved";
}

/// Sensors, clocks and models that fail in every way, each for a while.
class BrokenSensors {
 public:
  BrokenSensors(int n, Random& random)
      : q(Vector::Zero(n)), v(q), tau(q), shift_(q), random_(random) {}

  Vector q, v, tau;
  double time = 0.0, reading_time = 0.0;
  bool broken_plant = false;

  void read(const Supervised& s) {
    if (--left_ <= 0) begin();
    const double now = s.robot.time();
    time = reading_time = now;
    broken_plant = false;
    if (kind_ == 1) return void(reading_time = since_);  // stale
    if (kind_ == 2) return;                              // all frozen
    q = s.robot.q(), v = s.robot.v(), tau = s.robot.tau();
    spoil(now);
  }

 private:
  static constexpr int kinds = 21;

  void begin() {
    kind_ = random_.real(0.0, 1.0) < 0.3 ? 0 : static_cast<int>(random_.real(1.0, kinds));
    left_ = static_cast<int>(std::exp(random_.real(0.0, 6.5)));
    joint_ = static_cast<int>(random_.real(0.0, static_cast<double>(shift_.size())));
    since_ = reading_time;
    held_q_ = q, held_v_ = v, held_tau_ = tau;
    for (double& x : shift_) x = random_.real(-1.0, 1.0);
  }
  void spoil(double now) {
    const double nan = std::nan("");
    switch (kind_) {
      case 3:
        q(joint_) = nan;
        break;
      case 4:
        v(joint_) = infinity;
        break;
      case 5:
        tau(joint_) = nan;
        break;
      case 6:
        q = held_q_;
        break;
      case 7:
        v = held_v_;
        break;
      case 8:
        tau = held_tau_;
        break;
      case 9:
        tau.setZero();
        break;
      case 10:
        tau = -tau;
        break;
      case 11:
        v = -v;
        break;
      case 12:
        q(joint_) += shift_(joint_);
        break;
      case 13:
        reading_time = now - 0.05;
        break;
      case 14:
        reading_time = since_ - 0.01 * (now - since_);
        break;
      case 15:
        time = nan;
        break;
      case 16:
        q.resize(0);
        break;
      case 17:
        for (double& x : v) x += random_.real(-0.3, 0.3);
        break;
      case 18:
        tau *= 1e300;
        break;
      case 19:
        broken_plant = true;
        break;
      case 20:
        q(joint_) = 1e308, v(joint_) = -1e308;
        break;
      default:
        break;
    }
  }
  int kind_ = 0, left_ = 0, joint_ = 0;
  double since_ = 0.0;
  Vector held_q_, held_v_, held_tau_, shift_;
  Random& random_;
};

TEST(RandomFaults, torques_are_within_limits_and_states_in_order_whatever_sensors_read) {
  long samples = 0, reset = 0, refused = 0, visited[4] = {}, allocated = 0;
  for (std::uint64_t seed = 1; samples < 350'000; ++seed) {
    const int n = 1 + static_cast<int>(seed % 7);
    SCOPED_TRACE("random_arm(" + std::to_string(seed) + ", " + std::to_string(n) + ")");
    const Model model = random_arm(seed, n);
    Random random(seed + 2000);
    supervise::Options options;
    options.reaction = static_cast<Reaction>(seed % 4);
    options.torque_side = seed % 3 ? supervise::TorqueSide::motor : supervise::TorqueSide::link;
    Supervised s(model, options);
    Plant<double> broken(model);
    Vector pi(broken.inertial_size());
    broken.get_inertial(pi);
    broken.set_inertial(-pi);
    s.robot.set_state(middle(model, s.limits(), random), Vector::Zero(n));
    MadPlanner planner(s.limits().torque, random);
    BrokenSensors sensors(n, random);
    Watch watch(s.limits(), s.period);
    State state = s.supervisor.state();
    bool ran = false;
    for (int k = 0; k < 2500; ++k, ++samples) {
      sensors.read(s);
      const Vector& wanted = planner.next();
      allocated += allocations_of([&] {
        s.tau_sent =
            s.supervisor.filter(sensors.broken_plant ? broken : s.known, sensors.time,
                                sensors.reading_time, sensors.q, sensors.v, sensors.tau, wanted);
      });
      const Vector& tau = s.tau_sent;
      ran = ran || s.supervisor.known();
      ASSERT_TRUE(watch.holds(tau, ran)) << "sample " << k;
      ASSERT_TRUE(is_allowed(state, s.supervisor.state()))
          << to_string(state) << " to " << to_string(s.supervisor.state()) << " at sample " << k;
      state = s.supervisor.state();
      ++visited[static_cast<int>(state)];
      if (planner.chance(0.01)) {
        const bool stopped = state == State::fault;
        const Cause cause = s.supervisor.reset();
        if (stopped) ++(cause == Cause::none ? reset : refused);
        ASSERT_EQ(s.supervisor.state() == State::fault, stopped && cause != Cause::none);
        state = s.supervisor.state();
      }
      if (planner.chance(0.002)) s.supervisor.request_hold(planner.chance(0.3));
      // a robot without brakes and stops that falls blindly is put back
      if (s.robot.step(tau, s.period) != SimulationStatus::moved ||
          s.robot.v().cwiseAbs().maxCoeff() > 30.0) {
        s.robot.set_state(middle(model, s.limits(), random), Vector::Zero(n), s.robot.time());
        s.supervisor.restart();
        state = s.supervisor.state();
        watch.begin();
        ran = false;
      }
    }
  }
  for (const State each : {State::run, State::hold, State::stop, State::fault})
    EXPECT_GT(visited[static_cast<int>(each)], 10'000) << to_string(each);
  EXPECT_GT(reset, 100);
  EXPECT_GT(refused, 100);
  EXPECT_EQ(allocated, 0);
}

}  // namespace
}  // namespace ulna::test
