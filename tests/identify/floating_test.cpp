#include "ulna/identify/floating/floating_base.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <map>
#include <sstream>

#include "excited.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/identify/identify.hpp"
#include "ulna/world/world.hpp"

// Robots whose base floats: its six equations have no drive, and forces from outside that are known.
namespace ulna::test {
namespace {

using namespace identify;
using V3 = Vec3<double>;

/// Measurements by the names of their columns, a row per sample.
struct WalkLog {
  std::vector<std::string> names{"t"};
  std::vector<std::vector<double>> rows;

  std::string csv() const {
    std::ostringstream text;
    text.precision(12);
    for (std::size_t i = 0; i < names.size(); ++i) text << (i ? "," : "") << names[i];
    for (const auto& row : rows) {
      text << "\n";
      for (std::size_t i = 0; i < row.size(); ++i) text << (i ? "," : "") << row[i];
    }
    return text.str() + "\n";
  }
  WalkLog without(const std::string& part) const {
    WalkLog less;
    less.names.clear();
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].find(part) == std::string::npos)
        kept.push_back(i), less.names.push_back(names[i]);
    for (const auto& row : rows) {
      less.rows.emplace_back();
      for (const std::size_t i : kept) less.rows.back().push_back(row[i]);
    }
    return less;
  }
  std::size_t column(const std::string& name) const {
    return std::size_t(std::ranges::find(names, name) - names.begin());
  }
};

Identification identified_from(const Model& robot, const WalkLog& run, Options options = {}) {
  std::istringstream text(run.csv());
  options.filter_hz = options.filter_hz.value_or(10.0);
  return offline(robot, {.fit = {{"run.csv", &text}}}, options);
}

constexpr const char* feet[] = {"FL_foot", "FR_foot", "RL_foot", "RR_foot"};

/// The quadruped as it is, which is other than described: heavier and lighter links, something on its trunk, friction.
Model true_quadruped() {
  Description d = load_robot("quadruped").model.description();
  Random random(1);
  for (LinkDescription& link : d.links) {
    if (!link.inertial) continue;
    const double by = random.real(0.8, 1.25);
    link.inertial->mass *= by, link.inertial->inertia *= by;
    if (link.name == "trunk") link.inertial->com += V3(0.03, 0.01, 0.02);
  }
  for (JointDescription& joint : d.joints) {
    if (joint.type == JointType::floating) continue;
    joint.dynamics.damping = random.real(0.1, 0.4), joint.dynamics.friction = random.real(0.1, 0.3);
  }
  return Builder(std::move(d)).build();
}

/// How it is moved: by feedback about a posture that sways, on the ground or in the air.
struct Gait {
  double height = 0.47;  ///< of the trunk at first
  double seconds = 8.0;
  double sway = 0.12;  ///< rad, of each joint
  double lift = 0.0;   ///< rad, of thighs and knees of two legs at a time
  bool held = false;   ///< the trunk hangs on a rope with a spring
  bool ground = true;
  bool world_axes = false;  ///< forces as in the world's axes, else in the feet's
  std::uint64_t seed = 1;
};

/// What is measured at 1 kHz: joints, torques, the trunk's pose and twist, and forces on the feet.
WalkLog walked(const Model& robot, const Gait& gait) {
  World world({.step = 1e-3});
  if (gait.ground) world.add_fixed("ground", Plane{});
  const int n = robot.nv();
  Eigen::VectorXd q = neutral(robot);
  q(6) = gait.height;
  for (const char* leg : {"FL", "FR", "RL", "RR"}) {
    q(robot.joint(robot.joint_index(std::string(leg) + "_thigh_joint")).q) = 0.8;
    q(robot.joint(robot.joint_index(std::string(leg) + "_knee_joint")).q) = -1.6;
  }
  const int object = world.add_robot(robot, q);
  Random random(gait.seed);
  std::vector<double> hz, phase;
  for (int i = 0; i < n; ++i)
    hz.push_back(random.real(0.4, 1.2)), phase.push_back(random.real(-M_PI, M_PI));
  std::mt19937_64 numbers(gait.seed);
  std::normal_distribution<double> normal;

  WalkLog run;
  for (const std::string& name : robot.configuration_names()) run.names.push_back("q_" + name);
  for (const std::string& name : robot.velocity_names()) run.names.push_back("qd_" + name);
  for (int i = 6; i < n; ++i) run.names.push_back("tau_" + robot.velocity_names()[std::size_t(i)]);
  for (const char* foot : feet)
    for (const char* quantity : {"f_", "m_"})
      for (const char* axis : {"_x", "_y", "_z"})
        run.names.push_back(std::string(quantity) + (gait.world_axes ? "" : "local_") + foot +
                            axis);

  bool feet_alone = true;
  Kinematics<double> at(robot);
  const auto steps = long(gait.seconds / 1e-3);
  for (long k = 0; k < steps; ++k) {
    const Eigen::VectorXd now = world.q(object), v = world.v(object);
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(n);
    const double t = 1e-3 * double(k);
    for (int i = 6; i < n; ++i) {
      // from rest
      const double begun = std::min(1.0, t / 0.5), swell = begun * begun * (3.0 - 2.0 * begun);
      double want =
          q(i + 1) +
          swell * gait.sway * std::sin(2.0 * M_PI * hz[std::size_t(i)] * t + phase[std::size_t(i)]);
      // diagonal legs in turn, bent at thigh and knee
      const int leg = (i - 6) / 3, part = (i - 6) % 3;
      const bool first = leg == 0 || leg == 3;
      const double swing = std::max(0.0, std::sin(2.0 * M_PI * 1.5 * t + (first ? 0.0 : M_PI)));
      want += swell * swing * gait.lift * (part == 1 ? 1.0 : part == 2 ? -2.0 : 0.0);
      tau(i) = 150.0 * (want - now(i + 1)) - 4.0 * v(i);
    }
    if (gait.held) {
      const Transform<double> X = world.pose(object, 1);
      const Twist<double> V = world.velocity(object, 1);
      world.clear_wrenches();
      world.set_wrench(object, 1,
                       300.0 * V3::UnitZ() + 2000.0 * (V3(0, 0, gait.height) - X.translation()) -
                           100.0 * V.linear,
                       -5.0 * V.angular, X.translation() + 0.2 * V3::UnitZ());
    }
    world.set_torque(object, tau);
    EXPECT_EQ(world.step(), WorldStatus::moved);
    // in the middle of the step, where forces are means of it
    Eigen::VectorXd middle = 0.5 * (now + world.q(object));
    middle.head<4>().normalize();
    const Eigen::VectorXd rate = 0.5 * (v + world.v(object));
    at.set(middle);
    std::map<int, Wrench<double>> on;
    for (const WorldContact& c : world.contacts()) {
      if (c.force.isZero(0.0) && c.moment.isZero(0.0)) continue;
      const bool second = c.second == object;
      const int body = second ? c.second_body : c.first_body;
      const double sign = second ? 1.0 : -1.0;
      for (const char* foot : feet) {
        const Frame& frame = robot.frame(foot);
        if (frame.body != body) continue;
        const Transform<double> X = at.pose(frame);
        const V3 force = sign * c.force,
                 moment = sign * c.moment + (c.position - X.translation()).cross(force);
        const Mat3<double> R = gait.world_axes ? Mat3<double>(Mat3<double>::Identity())
                                               : Mat3<double>(X.rotation().matrix().transpose());
        on[body].force += R * force, on[body].moment += R * moment;
      }
      feet_alone &= on.count(body) > 0;
    }
    std::vector<double> row{t + 0.5e-3};
    for (int i = 0; i < robot.nq(); ++i) row.push_back(middle(i) + 1e-5 * normal(numbers));
    for (int i = 0; i < n; ++i) row.push_back(rate(i) + 1e-3 * normal(numbers));
    for (int i = 6; i < n; ++i) row.push_back(world.torque(object)(i) + 0.1 * normal(numbers));
    for (const char* foot : feet) {
      const Wrench<double> w = on[robot.frame(foot).body];
      for (int i = 0; i < 3; ++i) row.push_back(w.force(i) + 0.5 * normal(numbers));
      for (int i = 0; i < 3; ++i) row.push_back(w.moment(i) + 0.01 * normal(numbers));
    }
    run.rows.push_back(std::move(row));
  }
  EXPECT_TRUE(feet_alone) << "something else than a foot touches the ground";
  return run;
}

double whole_mass(const Model& robot) {
  double sum = 0.0;
  for (const Inertia<double>& I : robot.inertias().subspan(1)) sum += I.mass();
  return sum;
}

/// Root mean square error of all torques that random motions need, base and joints alike, in percent.
double fresh_error(const Model& found, const Model& truth, bool limbs_only = false) {
  Random random(77);
  std::mt19937_64 configurations(77);
  const Plant<double> right(truth), own(found);
  Motion<double> motion(truth);
  Workspace<double> ws(truth);
  Eigen::VectorXd a(truth.nv()), b(truth.nv());
  double error = 0.0, size = 0.0;
  const int first = limbs_only ? 6 : 0;
  for (int k = 0; k < 200; ++k) {
    const Eigen::VectorXd q = random_configuration(truth, configurations);
    Eigen::VectorXd v(truth.nv()), acceleration(truth.nv());
    for (int i = 0; i < truth.nv(); ++i)
      v(i) = random.real(-1.0, 1.0), acceleration(i) = random.real(-5.0, 5.0);
    motion.set(q, v, acceleration);
    inverse_dynamics<double>(right, motion, ws, a);
    inverse_dynamics<double>(own, motion, ws, b);
    for (int i = first; i < truth.nv(); ++i)
      error += (a(i) - b(i)) * (a(i) - b(i)), size += a(i) * a(i);
  }
  return 100.0 * std::sqrt(error / size);
}

/// Of the base parameters, the share within so many deviations of the truth.
double within(const Identification& found, const Model& truth, double deviations) {
  const TorqueModel right(truth, found.torques.features());
  const Eigen::VectorXd beta = found.base.of(right.nominal());
  int inside = 0;
  for (int i = 0; i < found.base.size(); ++i)
    inside += std::abs(beta(i) - found.chosen.estimate.base(i)) <
              deviations * found.chosen.estimate.base_deviation(i);
  return double(inside) / found.base.size();
}

TEST(FloatingBase, limbs_are_the_joints_behind_it) {
  const Model robot = load_robot("quadruped").model, limbs = limbs_of(robot);
  EXPECT_TRUE(floats(robot));
  EXPECT_FALSE(floats(limbs));
  EXPECT_EQ(limbs.nv(), robot.nv() - 6);
  const std::vector<std::string> all = robot.velocity_names();
  EXPECT_EQ(limbs.velocity_names(), std::vector<std::string>(all.begin() + 6, all.end()));
  EXPECT_FALSE(floats(load_robot("panda").model));
  EXPECT_FALSE(floats(load_robot("ball_wrist").model));
  EXPECT_TRUE(floats(load_robot("panda", {.floating_base = true}).model));
}

TEST(FloatingBase, a_quadruped_that_sways_on_its_feet_is_identified_with_its_trunk) {
  const Model truth = true_quadruped(), described = load_robot("quadruped").model;
  for (const bool world_axes : {false, true}) {
    SCOPED_TRACE(world_axes);
    const Identification found =
        identified_from(described, walked(truth, {.world_axes = world_axes}));
    EXPECT_TRUE(found.chosen.estimate.consistent);
    EXPECT_FALSE(found.has_findings());
    const Model model = found.model();
    EXPECT_NEAR(whole_mass(model), whole_mass(truth), 0.01 * whole_mass(truth));
    const double before = fresh_error(described, truth), after = fresh_error(model, truth);
    EXPECT_LT(after, 0.25 * before) << before;
  }
}

TEST(FloatingBase, a_trot_and_a_fall_show_the_same_robot) {
  const Model truth = true_quadruped(), described = load_robot("quadruped").model;
  const double before = fresh_error(described, truth);
  for (const Gait& gait : {Gait{.sway = 0.05, .lift = 0.25}, Gait{.height = 0.75, .sway = 0.1}}) {
    SCOPED_TRACE(gait.lift);
    const Identification found = identified_from(described, walked(truth, gait));
    for (const Remark& remark : found.remarks) EXPECT_FALSE(remark.finding) << remark.text;
    EXPECT_NEAR(whole_mass(found.model()), whole_mass(truth), 0.02 * whole_mass(truth));
    EXPECT_LT(fresh_error(found.model(), truth), 0.3 * before) << before;
  }
}

TEST(FloatingBase, in_the_air_no_force_is_needed_and_joints_give_the_scale) {
  const Model truth = true_quadruped(), described = load_robot("quadruped").model;
  // falls for 3 s from high above
  const WalkLog run = walked(truth, {.height = 100.0, .seconds = 4.0, .sway = 0.4, .ground = false})
                          .without("_foot_");
  const Identification found = identified_from(described, run);
  EXPECT_TRUE(found.chosen.estimate.consistent);
  EXPECT_LT(fresh_error(found.model(), truth, true), 0.5 * fresh_error(described, truth, true));
}

TEST(FloatingBase, of_one_that_hangs_only_the_limbs_are_found) {
  const Model truth = true_quadruped(), described = load_robot("quadruped").model;
  const WalkLog run =
      walked(truth, {.height = 1.5, .sway = 0.4, .held = true, .ground = false}).without("_foot_");
  // what holds it is not in the log: the equations of the base do not hold
  const Identification wrong = identified_from(described, run);
  const Identification found = identified_from(described, run, {.base_held = true});
  EXPECT_FALSE(found.has_findings());
  EXPECT_LT(fresh_error(found.model(), truth, true), 0.25 * fresh_error(described, truth, true));
  EXPECT_GT(wrong.chosen.fit.per_joint_percent(5), 50.0);
  const int trunk = described.frame("trunk").body;
  EXPECT_EQ(found.state(10 * (trunk - 1)), "known");
}

TEST(FloatingBase, deviations_hold) {
  const Model truth = true_quadruped(), described = load_robot("quadruped").model;
  double two = 0.0;
  constexpr int seeds = 3;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    two += within(identified_from(described, walked(truth, {.sway = 0.08, .seed = seed})), truth,
                  2.0) /
           seeds;
  EXPECT_GE(two, 0.8);
}

TEST(FloatingBase, logs_that_contradict_themselves_are_refused_with_a_remedy) {
  const Model truth = true_quadruped(), described = load_robot("quadruped").model;
  const WalkLog run = walked(truth, {.seconds = 3.0});
  const auto refused = [&](const WalkLog& what) -> std::string {
    try {
      (void)identified_from(described, what);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "";
  };
  WalkLog other = run;
  other.names[other.column("f_local_FL_foot_x")] = "f_local_FL_fot_x";
  EXPECT_NE(refused(other).find("did you mean 'FL_foot'"), std::string::npos) << refused(other);
  const WalkLog part = run.without("qd_floating_base_vz");
  EXPECT_NE(refused(part).find("qd_floating_base_vz"), std::string::npos) << refused(part);
  const WalkLog pose = run.without("q_floating_base_q");
  EXPECT_NE(refused(pose).find("orientation is missing"), std::string::npos) << refused(pose);
  other = run;
  for (auto& row : other.rows) row[other.column("q_floating_base_qw")] *= 2.0;
  EXPECT_NE(refused(other).find("quaternion"), std::string::npos) << refused(other);
  EXPECT_NE(refused(run.without("floating_base").without("_foot_")).find("whose base stands"),
            std::string::npos);
  // seen from a world that is turned, with velocities in its axes
  other = run;
  const std::size_t q = run.column("q_floating_base_qw"), p = run.column("q_floating_base_x"),
                    w = run.column("qd_floating_base_wx"), v = run.column("qd_floating_base_vx");
  const Eigen::Quaterniond yaw(std::cos(0.75), 0.0, 0.0, std::sin(0.75));
  const auto turn = [](std::vector<double>& row, std::size_t at, const Eigen::Quaterniond& by) {
    const V3 turned = by * V3(row[at], row[at + 1], row[at + 2]);
    for (int i = 0; i < 3; ++i) row[at + std::size_t(i)] = turned(i);
  };
  for (auto& row : other.rows) {
    const Eigen::Quaterniond now =
        yaw * Eigen::Quaterniond(row[q], row[q + 1], row[q + 2], row[q + 3]);
    row[q] = now.w(), row[q + 1] = now.x(), row[q + 2] = now.y(), row[q + 3] = now.z();
    turn(row, p, yaw), turn(row, w, now), turn(row, v, now);
  }
  EXPECT_NE(refused(other).find("the world's axes"), std::string::npos) << refused(other);
  EXPECT_THROW((void)identified_from(described, run, {.method = Method::ols}), std::runtime_error);
  std::istringstream text(run.csv());
  EXPECT_THROW((void)online(described, {.fit = {{"run.csv", &text}}}, {}), std::invalid_argument);
}

/// An arm on a six-axis force plate, as measured: joints with friction, and what the plate carries, with offsets.
struct OnPlate {
  Model described = load_robot("ur5e", {.floating_base = true}).model;
  Model arm = load_robot("ur5e").model;
  TorqueModel model{arm, plain_friction};
  Eigen::VectorXd truth = model.nominal();
  WalkLog run;

  explicit OnPlate(std::uint64_t seed) {
    Random random(seed);
    for (int b = 0; b < arm.joint_count(); ++b) truth.segment<10>(10 * b) *= random.real(0.8, 1.25);
    for (int i = 0; i < arm.nv(); ++i)
      truth(model.at(i, 0)) = random.real(2.0, 8.0), truth(model.at(i, 1)) = random.real(2.0, 8.0);
    const Excited motion(arm, plain_friction, truth, 4000, 200.0, random);
    RegressorWorkspace<double> ws(arm);
    Kinematics<double> at(arm);
    RowMatX<double> W(6, 60);
    for (const char* quantity : {"q_", "qd_", "tau_"})
      for (const std::string& name : arm.velocity_names()) run.names.push_back(quantity + name);
    for (const char* quantity : {"m_base_link", "f_base_link"})
      for (const char* axis : {"_x", "_y", "_z"}) run.names.push_back(std::string(quantity) + axis);
    Eigen::VectorXd offset(6);
    for (double& x : offset) x = random.real(-5.0, 5.0);
    std::mt19937_64 numbers(seed);
    std::normal_distribution<double> normal;
    for (Eigen::Index k = 0; k < motion.data.size(); ++k) {
      std::vector<double> row{double(k) / 200.0};
      for (const double x : motion.data.q.col(k)) row.push_back(x);
      for (const double x : motion.data.v.col(k)) row.push_back(x);
      for (const double x : motion.data.tau.col(k)) row.push_back(x + 3.0 * normal(numbers));
      at.set(motion.data.q.col(k), motion.data.v.col(k), motion.data.a.col(k));
      wrench_regressor<double>(at, 0, ws, W);
      const Eigen::VectorXd wrench = W * truth.head(60) + offset;
      for (const double x : wrench) row.push_back(x + 0.1 * normal(numbers));
      run.rows.push_back(std::move(row));
    }
  }
  double error(const Model& found) const {
    const Model held = limbs_of(found);
    Eigen::VectorXd z = TorqueModel(held, {}).nominal();
    const TorqueModel rigid(arm, {});
    Random random(5);
    const Excited other(arm, {}, truth.head(60), 300, 20.0, random);
    return fit_of(rigid, z, other.data).total_percent;
  }
};

TEST(FloatingBase, an_arm_on_a_force_plate_is_seen_beside_its_friction) {
  for (const std::uint64_t seed : {1, 2}) {
    const OnPlate on(seed);
    const double described = on.error(on.described);
    const Identification both = identified_from(on.described, on.run);
    EXPECT_TRUE(both.chosen.estimate.consistent);
    EXPECT_LT(on.error(both.model()), 0.1 * described);
    // the plate's offsets are unknown, and the base's own weight is one of them
    EXPECT_EQ(both.state(0), "known");
    EXPECT_EQ(both.state(both.torques.at(5, 2)), "estimated");
    // by the plate alone
    const Identification plate = identified_from(on.described, on.run.without("tau_"));
    EXPECT_LT(on.error(plate.model()), 0.1 * described);
    // by noisy torques alone, less well
    const Identification joints =
        identified_from(on.arm, on.run.without("_base_link"), {.choose = false});
    EXPECT_LT(on.error(both.model()), on.error(joints.model()));
  }
}

}  // namespace
}  // namespace ulna::test
