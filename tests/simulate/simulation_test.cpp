#include "ulna/simulate/simulation.hpp"

#include <cmath>

#include "simulate/complementarity.hpp"
#include "simulate/light_finger.hpp"
#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

// A robot in motion: energy, momentum, friction that holds, stops, limits, and what it refuses.
namespace ulna::test {
namespace {

constexpr auto moved = SimulationStatus::moved;

/// A bob on a rod of 1 m, which swings about y.
Model pendulum(JointDynamics dynamics = {}, Limits limits = {}) {
  Description d =
      Builder("pendulum")
          .link("ground")
          .link("bob", Inertial(Transform<double>::from_translation({0.0, 0.0, -1.0}) *
                                solid_sphere(0.1).with_mass(2.0)))
          .joint("hinge", JointType::revolute, "ground", "bob", {}, Vec3<double>::UnitY())
          .build()
          .description();
  d.joints[0].dynamics = dynamics;
  d.joints[0].limits = limits;
  return Builder(d).build();
}
constexpr double bob_inertia = 2.0 * (1.0 + 0.4 * 0.01), bob_weight = 2.0 * 9.81;

Eigen::VectorXd one(double x) { return Eigen::VectorXd::Constant(1, x); }

/// Random robots in random motion, with what acts on them.
struct Scene {
  Scene(const Model& model, Random& random, SimulationOptions options = {})
      : simulation(model, options), tau(random_v(model, random, 20.0)) {
    simulation.set_state(random_q(model, random), random_v(model, random, 3.0));
    wrenches = random_wrenches<double>(model, random);
    simulation.set_wrenches(wrenches);
  }
  Simulation simulation;
  Eigen::VectorXd tau;
  std::vector<ExternalWrench<double>> wrenches;
};

double largest_of(const SimulationWork& w) {
  return std::max({1.0, std::abs(w.torques), std::abs(w.wrenches), w.damping, w.friction, w.stops});
}

/// |energy - what came in and went out| after some time of steps.
double imbalance(const Model& model, std::uint64_t seed, SimulationOptions options, double time) {
  Random random(seed);
  Scene scene(model, random, options);
  const double before = scene.simulation.energy();
  EXPECT_EQ(scene.simulation.step(scene.tau, time), moved);
  return std::abs(scene.simulation.energy() - before - scene.simulation.work().balance());
}

TEST(Simulation, energy_is_balanced_to_the_order_of_the_method) {
  RandomModelOptions smooth;
  smooth.joints = 7, smooth.limits = false;
  std::uint64_t seed = 0;
  for_each_robot(
      [&](const Model& given, Random&) {
        Description d = given.description();
        for (JointDescription& j : d.joints) j.dynamics.friction = j.dynamics.friction_negative = 0;
        const Model model = Builder(d).build();
        ++seed;
        for (const auto& [integrator, order] : {std::pair{Integrator::euler, 1},
                                                {Integrator::semi_implicit_euler, 1},
                                                {Integrator::midpoint, 2},
                                                {Integrator::rk4, 4}}) {
          const double h = order == 4 ? 0.02 / 16 : 0.02 / 64;
          const double coarse = imbalance(model, seed, {integrator, h, {}}, 0.02),
                       fine = imbalance(model, seed, {integrator, 0.5 * h, {}}, 0.02);
          EXPECT_GT(std::log2(coarse / fine), order - 0.4)
              << "method " << static_cast<int>(integrator) << ": " << coarse << " -> " << fine;
        }
      },
      4, smooth);
}

// With dry friction that grips and lets go, and joints that hit their stops.
TEST(Simulation, energy_is_balanced_through_friction_and_stops) {
  long events = 0, hits = 0;
  for_each_robot([&](const Model& model, Random& random) {
    Scene scene(model, random, {Integrator::rk4, 2e-4, {}});
    Simulation& s = scene.simulation;
    const double before = s.energy();
    double size = std::abs(before);
    for (int k = 0; k < 100; ++k) {
      ASSERT_EQ(s.step(scene.tau, 0.002), moved);
      size = std::max(size, std::abs(s.energy()));
    }
    events += s.counts().events, hits += s.counts().hits;
    size = std::max(size, largest_of(s.work()));
    EXPECT_NEAR((s.energy() - before) / size, s.work().balance() / size, 1e-6);
    EXPECT_GE(s.work().friction, 0.0);
    EXPECT_GE(s.work().stops, 0.0);
  });
  EXPECT_GT(events, 20);
  EXPECT_GT(hits, 10);
}

TEST(Simulation, a_floating_robot_without_weight_keeps_its_momentum_whatever_its_joints_do) {
  for_each_model([](const Model& given, Random& random) {
    const Model model = with_floating_base(given).with_gravity(Vec3<double>::Zero());
    Simulation s(model, {Integrator::rk4, 5e-4, {}});
    s.plant.damping.head<6>().setZero(), s.plant.friction.head<6>().setZero();
    s.plant.friction_negative.head<6>().setZero(), s.plant.armature.head<6>().setZero();
    s.plant.armature.setZero();
    s.set_state(random_q(model, random), random_v(model, random));
    Eigen::VectorXd tau = random_v(model, random, 20.0);
    tau.head<6>().setZero();
    const Vec6<double> before = s.momentum().vector();
    ASSERT_EQ(s.step(tau, 0.1), moved);
    expect_close(s.momentum().vector(), before, 1e-6);
  });
}

TEST(Simulation, a_pendulum_swings_with_the_period_of_the_elliptic_integral) {
  for (const double amplitude : {0.1, 1.0, 2.5}) {
    const double period =
        4.0 * std::sqrt(bob_inertia / bob_weight) * std::comp_ellint_1(std::sin(0.5 * amplitude));
    Simulation s(pendulum(), {Integrator::rk4, 1e-3, {}});
    s.set_state(one(amplitude), one(0.0));
    ASSERT_EQ(s.step(period), moved);
    EXPECT_NEAR(s.q()(0), amplitude, 1e-9);
    EXPECT_NEAR(s.v()(0), 0.0, 1e-8);
    ASSERT_EQ(s.step(0.25 * period), moved);
    EXPECT_NEAR(s.q()(0), 0.0, 1e-9);
  }
}

// --- dry friction ---

TEST(Simulation, a_wheel_that_is_braked_by_friction_alone_stops_when_and_where_it_should) {
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    const Model model =
        pendulum({.friction = 0.7, .friction_negative = 0.5}).with_gravity(Vec3<double>::Zero());
    for (const double v0 : {1.0, -1.0}) {
      const double friction = v0 > 0.0 ? 0.7 : 0.5, time = bob_inertia / friction;
      Simulation s(model, {integrator, 1e-3, {}});
      s.set_state(one(0.3), one(v0));
      ASSERT_EQ(s.step(time - 0.01), moved);
      EXPECT_NEAR(s.v()(0), v0 * 0.01 / time, 1e-9);
      ASSERT_EQ(s.step(5.0), moved);
      EXPECT_EQ(s.v()(0), 0.0);
      EXPECT_NEAR(s.q()(0), 0.3 + 0.5 * v0 * time, integrator == Integrator::rk4 ? 1e-9 : 1e-3);
      EXPECT_NEAR(s.work().friction, 0.5 * bob_inertia,
                  integrator == Integrator::rk4 ? 1e-9 : 1e-3);
      EXPECT_EQ(s.counts().events, 1);
    }
  }
}

TEST(Simulation, friction_holds_a_joint_exactly_where_it_is_until_torque_overcomes_it) {
  const Model model = pendulum({.friction = 3.0, .friction_negative = 3.0});
  Simulation s(model);
  const double angle = std::asin(2.9 / bob_weight);
  s.set_state(one(angle), one(0.0));
  ASSERT_EQ(s.step(10.0), moved);
  EXPECT_EQ(s.q()(0), angle);
  EXPECT_EQ(s.v()(0), 0.0);
  EXPECT_EQ(s.acceleration()(0), 0.0);
  EXPECT_TRUE(s.held(0));
  EXPECT_EQ(s.counts().events, 0);
  // gravity pulls with 2.9 and is helped by 0.05, then by 0.15
  ASSERT_EQ(s.step(one(-0.05), 1.0), moved);
  EXPECT_EQ(s.q()(0), angle);
  ASSERT_EQ(s.hold(one(-0.15)), moved);
  EXPECT_NEAR(s.acceleration()(0), -0.05 / bob_inertia, 1e-12);
  EXPECT_FALSE(s.held(0));
  ASSERT_EQ(s.step(0.1), moved);
  EXPECT_LT(s.q()(0), angle);
}

TEST(Simulation, an_arm_with_much_friction_comes_to_rest_and_stays) {
  const Model model = load_robot("panda").model;
  Simulation s(model);
  s.plant.friction.setConstant(60.0), s.plant.friction_negative.setConstant(60.0);
  s.set_state(neutral(model), Eigen::VectorXd::Constant(model.nv(), 1.0));
  ASSERT_EQ(s.step(1.0), moved);
  EXPECT_EQ(s.v(), Eigen::VectorXd::Zero(model.nv()));
  const Eigen::VectorXd there = s.q();
  const long events = s.counts().events;
  EXPECT_LT(events, 50);
  ASSERT_EQ(s.step(1.0), moved);
  EXPECT_EQ(s.q(), there);
  EXPECT_EQ(s.counts().events, events);
}

// Held joints and sliding ones together obey the dynamics: with the friction that acts, inverse
// dynamics asks for the torques that are there.
TEST(Simulation, friction_that_holds_is_within_its_bounds) {
  int holding = 0;
  for_each_robot([&](const Model& model, Random& random) {
    Simulation s(model, {.stops = false});
    s.plant.friction *= 20.0, s.plant.friction_negative *= 20.0;
    Eigen::VectorXd v = random_v(model, random);
    for (Eigen::Index i = 0; i < v.size(); i += 2) v(i) = 0.0;
    s.set_state(random_q(model, random), v);
    const Eigen::VectorXd tau = random_v(model, random, 30.0);
    ASSERT_EQ(s.hold(tau), moved);
    Plant<double> bare = s.plant;
    bare.friction.setZero(), bare.friction_negative.setZero();
    Workspace<double> ws(model);
    Eigen::VectorXd needed(model.nv());
    const Eigen::VectorXd a = s.acceleration();
    Motion<double> motion(model);
    motion.set(s.q(), s.v(), a);
    inverse_dynamics<double>(bare, motion, ws, needed);
    const Eigen::VectorXd braking = s.tau() - needed;
    const double size = 1.0 + needed.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < v.size(); ++i) {
      EXPECT_LE(braking(i), s.plant.friction(i) + 1e-9 * size);
      EXPECT_GE(braking(i), -s.plant.friction_negative(i) - 1e-9 * size);
      const double way = v(i) != 0.0 ? v(i) : a(i);
      if (s.held(static_cast<int>(i))) {
        ++holding;
        EXPECT_EQ(a(i), 0.0);
      } else {
        EXPECT_NEAR(braking(i), way > 0 ? s.plant.friction(i) : -s.plant.friction_negative(i),
                    1e-9 * size);
      }
    }
  });
  EXPECT_GT(holding, 20);
}

TEST(BoxComplementarity, its_answer_obeys_its_conditions) {
  for_each_seed(
      [](Random& random) {
        const int n = 1 + static_cast<int>(random.real(0.0, 20.0));
        detail::BoxComplementarity problem(n);
        Eigen::MatrixXd A(n, n);
        for (double& x : A.reshaped()) x = random.real();
        problem.M = A * A.transpose() + 1e-3 * Eigen::MatrixXd::Identity(n, n);
        std::vector<int> chosen;
        for (int i = 0; i < n; ++i) {
          problem.f(i) = random.real();
          if (random.real() > 0.5) continue;
          problem.lower(chosen.size()) = random.real() > 0.5 ? -infinity : -random.real(0.0, 1.0);
          problem.upper(chosen.size()) = random.real() > 0.5 ? infinity : random.real(0.0, 1.0);
          chosen.push_back(i);
        }
        ASSERT_TRUE(problem.solve(chosen));
        Eigen::VectorXd rest = problem.M * problem.a - problem.f;
        const double tolerance = 1e-9 * (1.0 + problem.a.cwiseAbs().maxCoeff());
        for (std::size_t k = 0; k < chosen.size(); ++k) {
          const double x = problem.x(k), w = problem.a(chosen[k]);
          rest(chosen[k]) -= x;
          EXPECT_GE(x, problem.lower(k));
          EXPECT_LE(x, problem.upper(k));
          EXPECT_TRUE(x == problem.lower(k) || w <= 0.0) << w;
          EXPECT_TRUE(x == problem.upper(k) || w >= 0.0) << w;
        }
        EXPECT_LT(rest.cwiseAbs().maxCoeff(), tolerance);
      },
      200);
}

// --- stops ---

TEST(Simulation, a_joint_stands_at_its_stop_and_leaves_it_when_driven_away) {
  const Model model = pendulum({}, {-0.5, 1.0, infinity, infinity});
  Simulation s(model);
  s.set_state(one(0.9), one(2.0));
  const double before = s.energy();
  ASSERT_EQ(s.step(one(100.0), 1.0), moved);
  EXPECT_EQ(s.q()(0), 1.0);
  EXPECT_EQ(s.v()(0), 0.0);
  EXPECT_EQ(s.counts().hits, 1);
  EXPECT_NEAR(s.energy() - before, s.work().balance(), 1e-9);
  EXPECT_GT(s.work().stops, 0.5 * bob_inertia * 4.0);
  ASSERT_EQ(s.step(one(0.0), 0.1), moved);
  EXPECT_LT(s.q()(0), 1.0);
  EXPECT_LT(s.v()(0), 0.0);
  EXPECT_EQ(s.counts().hits, 1);
}

TEST(Simulation, a_stop_bears_what_nothing_else_does) {
  const double lower = 0.5, friction = 3.0, drive = 2.0, force = 7.0;
  const Model model = pendulum({0.0, friction, friction, 0.0}, {lower, 1.0, infinity, infinity});
  Simulation s(model);
  s.set_state(one(lower), one(0.0));
  // weight pulls it down, friction and the drive hold a part of it
  const double weight = bob_weight * std::sin(lower);
  ASSERT_EQ(s.hold(one(drive)), moved);
  EXPECT_NEAR(s.stop_load(0), weight - drive - friction, 1e-12);
  // and what the surroundings exert: a force along x on the joint's far end
  const Frame end{"end", 1, Transform<double>::from_translation({0.0, 0.0, -1.0})};
  const std::vector<ExternalWrench<double>> wrenches{
      {&end, {Vec3<double>::Zero(), {force, 0.0, 0.0}}, Axes::aligned}};
  s.set_wrenches(wrenches);
  ASSERT_EQ(s.hold(one(drive)), moved);
  EXPECT_NEAR(s.stop_load(0), weight + force * std::cos(lower) - drive - friction, 1e-12);
  // a stop does not pull, and away from it there is none
  s.set_wrenches({});
  ASSERT_EQ(s.hold(one(weight + 1.0)), moved);
  EXPECT_EQ(s.stop_load(0), 0.0);
  s.set_state(one(0.7), one(0.0));
  EXPECT_EQ(s.stop_load(0), 0.0);
}

TEST(Simulation, links_that_weigh_next_to_nothing_get_no_energy_from_their_stops) {
  const Model model = light_finger();
  for (const Integrator integrator :
       {Integrator::semi_implicit_euler, Integrator::midpoint, Integrator::rk4})
    for (const double step : {1e-3, 2e-4}) {
      Simulation s(model, {.integrator = integrator, .substep = step});
      const double before = s.energy();
      ASSERT_EQ(s.step(Eigen::VectorXd::Zero(model.nv()), 1.0), moved) << int(integrator);
      EXPECT_GE(s.work().stops, 0.0);
      EXPECT_NEAR(s.energy() - before, s.work().balance(), 0.3) << int(integrator) << " " << step;
      // an impact is counted once, not in every step that a joint stays at its stop
      EXPECT_LT(s.counts().hits, 500) << int(integrator) << " " << step;
    }
}

TEST(Simulation, hits_are_events_whatever_the_steps_are) {
  const Model model =
      pendulum({}, {-0.5, 0.5, infinity, infinity}).with_gravity(Vec3<double>::Zero());
  const auto hits = [&](const SimulationOptions& options) {
    Simulation s(model, options);
    // from stop to stop
    for (int k = 0; k < 10; ++k)
      EXPECT_EQ(s.step(one((k % 2 ? -10.0 : 10.0) * bob_inertia), 0.5), moved);
    return s.counts().hits;
  };
  for (const double step : {1e-3, 5e-4, 2e-4, 1e-4})
    for (const Integrator integrator : {Integrator::euler, Integrator::semi_implicit_euler,
                                        Integrator::midpoint, Integrator::rk4})
      EXPECT_EQ(hits({.integrator = integrator, .substep = step}), 10) << int(integrator) << step;
  if (!has_adaptive()) GTEST_SKIP() << "built without SUNDIALS";
  EXPECT_EQ(hits({.adaptive = AdaptiveOptions{1e-8, 1e-10, 5}}), 10);
}

// Pushed away for t and back with the same torque, a joint is at its stop again after (2 + sqrt(2)) t.
TEST(Simulation, flights_that_steps_of_a_millisecond_do_not_resolve_are_no_hits_for_any_step) {
  const Model model =
      pendulum({}, {-0.5, 0.5, infinity, infinity}).with_gravity(Vec3<double>::Zero());
  const double torque = 100.0 * bob_inertia;
  for (const double step : {1e-3, 5e-4, 2e-4, 1e-4})
    for (const auto& [away, hits] : {std::pair{1e-3, 0}, {2e-3, 1}}) {
      Simulation s(model, {.integrator = Integrator::rk4, .substep = step});
      s.set_state(one(0.5), one(0.0));
      ASSERT_EQ(s.step(one(torque), 0.01), moved);
      ASSERT_EQ(s.step(one(-torque), away), moved);
      ASSERT_EQ(s.step(one(torque), 0.02), moved);
      EXPECT_EQ(s.q()(0), 0.5);
      EXPECT_EQ(s.counts().hits, hits) << step << " " << away;
    }
}

TEST(Simulation, joints_never_pass_their_stops) {
  long hits = 0;
  for_each_robot([&](const Model& model, Random& random) {
    for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
      Scene scene(model, random, {integrator, 1e-3, {}});
      Simulation& s = scene.simulation;
      for (int k = 0; k < 100; ++k) {
        ASSERT_EQ(s.step(scene.tau, 0.005), moved) << k;
        for (const Joint& j : model.joints()) {
          if (j.mimics || velocity_size(j.type) != 1) continue;
          ASSERT_GE(s.q()(j.q), model.lower_limit()(j.q));
          ASSERT_LE(s.q()(j.q), model.upper_limit()(j.q));
        }
      }
      hits += s.counts().hits;
    }
  });
  EXPECT_GT(hits, 100);
}

TEST(Simulation, a_joint_beyond_its_stop_can_only_return) {
  const Model model =
      pendulum({}, {-1.0, 1.0, infinity, infinity}).with_gravity(Vec3<double>::Zero());
  Simulation s(model);
  s.set_state(one(1.5), one(1.0));
  ASSERT_EQ(s.step(one(1.0), 0.1), moved);
  EXPECT_EQ(s.q()(0), 1.5);
  ASSERT_EQ(s.step(one(-1.0), 0.1), moved);
  EXPECT_LT(s.q()(0), 1.5);
  ASSERT_EQ(s.step(one(-5.0), 1.0), moved);
  EXPECT_LT(s.q()(0), 1.0);
  ASSERT_EQ(s.step(one(50.0), 2.0), moved);
  EXPECT_EQ(s.q()(0), 1.0);
}

TEST(Simulation, without_stops_joints_go_where_they_will) {
  Simulation s(pendulum({}, {-0.5, 1.0, infinity, infinity}), {.stops = false});
  s.set_state(one(0.9), one(5.0));
  ASSERT_EQ(s.step(0.1), moved);
  EXPECT_GT(s.q()(0), 1.0);
}

// --- torques, controllers, failures ---

TEST(Simulation, torques_are_cut_off_at_their_limits_and_counted) {
  const Model model = pendulum({}, {-9.0, 9.0, infinity, 4.0});
  Simulation s(model), unlimited(model, {.torque_limits = false});
  ASSERT_EQ(s.step(one(-10.0), 0.01), moved);
  EXPECT_EQ(s.tau()(0), -4.0);
  EXPECT_EQ(s.counts().clamped, 1);
  ASSERT_EQ(s.step(one(3.0), 0.01), moved);
  EXPECT_EQ(s.counts().clamped, 1);
  ASSERT_EQ(unlimited.step(one(-10.0), 0.01), moved);
  EXPECT_EQ(unlimited.tau()(0), -10.0);
}

TEST(Simulation, a_controller_is_asked_every_period_and_holds_the_arm) {
  const Model model = load_robot("panda").model;
  Simulation s(model);
  Workspace<double> ws(model);
  Motion<double> at(model);
  const Eigen::VectorXd start = s.q();
  int asked = 0, seen = 0;
  const auto hold = [&](Simulation& now, Eigen::VectorXd& tau) {
    ++asked;
    at.set(now.q());
    gravity_torque<double>(now.plant, at, ws, tau);
  };
  ASSERT_EQ(s.run(0.1005, 0.001, hold, [&](Simulation& now) { seen += now.tau().norm() > 0.0; }),
            moved);
  EXPECT_EQ(asked, 101);
  EXPECT_EQ(seen, 101);
  EXPECT_DOUBLE_EQ(s.time(), 0.1005);
  expect_close(s.q(), start, 1e-9);
  ASSERT_EQ(s.run(0.1, 0.001, hold), moved);
  EXPECT_EQ(asked, 201);
  EXPECT_EQ(s.run(-1.0, 0.001, hold), SimulationStatus::bad_argument);
  EXPECT_EQ(s.run(1.0, 0.0, hold), SimulationStatus::bad_argument);
  const auto bad = [](Simulation&, Eigen::VectorXd& tau) { tau.setConstant(NAN); };
  EXPECT_EQ(s.run(1.0, 0.1, bad), SimulationStatus::torque_not_finite);
}

TEST(Simulation, what_cannot_be_done_is_told_and_leaves_all_as_it_was) {
  const Model model = load_robot("panda").model;
  Random random(7);
  Simulation s(model);
  s.set_state(random_q(model, random), random_v(model, random));
  ASSERT_EQ(s.step(random_v(model, random), 0.01), moved);
  const Eigen::VectorXd q = s.q(), v = s.v(), tau = s.tau();
  const auto expect_unchanged = [&] {
    EXPECT_EQ(s.q(), q);
    EXPECT_EQ(s.v(), v);
    EXPECT_EQ(s.time(), 0.01);
    EXPECT_EQ(s.counts().steps, 1);
  };
  Eigen::VectorXd bad = tau;
  for (const double x : {std::nan(""), infinity}) {
    bad(3) = x;
    EXPECT_EQ(s.step(bad, 0.01), SimulationStatus::torque_not_finite);
    EXPECT_EQ(s.tau(), tau);
    expect_unchanged();
  }
  EXPECT_EQ(s.step(Eigen::VectorXd::Zero(3), 0.01), SimulationStatus::bad_argument);
  for (const double h : {0.0, -1.0, infinity, std::nan(""), 1e9})
    EXPECT_EQ(s.step(tau, h), SimulationStatus::bad_argument) << h;
  expect_unchanged();

  const Plant<double> good = s.plant;
  s.plant.set_inertial(Eigen::VectorXd::Zero(s.plant.inertial_size()));
  EXPECT_EQ(s.step(tau, 0.01), SimulationStatus::plant_not_physical);
  EXPECT_EQ(s.acceleration(), Eigen::VectorXd::Zero(model.nv()));
  s.plant = good;
  s.plant.friction(2) = NAN;
  EXPECT_EQ(s.step(tau, 0.01), SimulationStatus::plant_not_physical);
  s.plant = good;
  s.plant.friction(2) = -1.0;
  EXPECT_EQ(s.step(tau, 0.01), SimulationStatus::plant_not_physical);
  s.plant = good;
  s.plant.damping.setConstant(-1e9);
  EXPECT_EQ(s.step(tau, 1.0), SimulationStatus::diverged);
  s.plant = good;
  expect_unchanged();
  EXPECT_EQ(s.step(tau, 0.01), moved);

  EXPECT_THROW(s.set_state(q.head(3), v), std::invalid_argument);
  EXPECT_THROW(s.set_state(q, NAN * v), std::invalid_argument);
  EXPECT_THROW(s.set_wrenches(std::vector<ExternalWrench<double>>(1)), std::invalid_argument);
  EXPECT_THROW(Simulation(model, {.substep = 0.0}), std::invalid_argument);
  EXPECT_THROW(Simulation(model, {.substep = NAN}), std::invalid_argument);
}

TEST(Simulation, the_same_motion_has_the_same_bits) {
  for_each_robot([](const Model& model, Random& random) {
    Scene one(model, random);
    Simulation other(model);
    other.set_state(one.simulation.q(), one.simulation.v());
    other.set_wrenches(one.wrenches);
    for (int k = 0; k < 30; ++k) {
      ASSERT_EQ(one.simulation.step(one.tau, 0.004), moved);
      ASSERT_EQ(other.step(one.tau, 0.004), moved);
      if (k % 3 == 0) (void)other.acceleration();  // being looked at changes nothing
    }
    EXPECT_EQ(one.simulation.q(), other.q());
    EXPECT_EQ(one.simulation.v(), other.v());
    EXPECT_EQ(one.simulation.work().friction, other.work().friction);
  });
}

// --- adaptive steps ---

TEST(Simulation, adaptive_steps_need_SUNDIALS) {
  const Model model = pendulum();
  if (has_adaptive()) {
    EXPECT_THROW(Simulation(model, {.adaptive = AdaptiveOptions{.relative = 0.0}}),
                 std::invalid_argument);
    EXPECT_THROW(Simulation(model, {.adaptive = AdaptiveOptions{.order = 9}}),
                 std::invalid_argument);
  } else {
    EXPECT_THROW(Simulation(model, {.adaptive = AdaptiveOptions{}}), std::runtime_error);
  }
}

// A pendulum on a wheel that friction holds until the pendulum pulls at it too much.
TEST(Simulation, adaptive_steps_are_cut_where_friction_can_hold_no_longer) {
  if (!has_adaptive()) GTEST_SKIP() << "built without SUNDIALS";
  const Model model = load_robot("double_pendulum").model;
  Eigen::VectorXd q(2), v(2);
  q << 0.0, 0.2, v << 0.0, 6.0;
  const auto prepared = [&](SimulationOptions options) {
    Simulation s(model, options);
    s.plant.remove_friction();
    s.plant.friction(0) = s.plant.friction_negative(0) = 0.6;
    s.set_state(q, v);
    return s;
  };
  Simulation s = prepared({.adaptive = AdaptiveOptions{1e-10, 1e-12, 5}}),
             fine = prepared({.substep = 1e-5});
  ASSERT_EQ(s.acceleration()(0), 0.0);
  ASSERT_EQ(s.step(0.5), moved);
  ASSERT_EQ(fine.step(0.5), moved);
  EXPECT_GT(s.work().friction, 1e-3) << "the wheel has to slide";
  expect_close(s.q(), fine.q(), 1e-6);
  expect_close(s.v(), fine.v(), 1e-5);
}

TEST(Simulation, adaptive_steps_get_through_crowds_of_events) {
  if (!has_adaptive()) GTEST_SKIP() << "built without SUNDIALS";
  // light links at their stops
  for (const double damping : {0.0}) {
    const auto run = [&](const SimulationOptions& options) {
      Simulation s(light_finger(), options);
      s.plant.damping.tail(s.plant.damping.size() - 1).setConstant(damping);
      const double before = s.energy();
      for (int k = 0; k < 500; ++k) EXPECT_EQ(s.step(1e-3), moved) << k;
      EXPECT_LT(std::abs(s.energy() - before - s.work().balance()), 0.01 * largest_of(s.work()));
      return s;
    };
    Simulation adaptive = run({.adaptive = AdaptiveOptions{}}), fixed = run({});
    EXPECT_NEAR(adaptive.q()(0), fixed.q()(0), 1e-3);
    EXPECT_NEAR(adaptive.energy(), fixed.energy(), 1e-2 * largest_of(fixed.work()));
    for (Eigen::Index i = 1; i < adaptive.q().size(); ++i) {
      EXPECT_GE(adaptive.q()(i), 0.0);
      EXPECT_LE(adaptive.q()(i), 0.8);
    }
  }
}

TEST(Simulation, adaptive_steps_agree_with_many_small_ones) {
  if (!has_adaptive()) GTEST_SKIP() << "built without SUNDIALS";
  RandomModelOptions options;
  options.joints = 7;
  for (const bool smooth : {true, false}) {
    options.limits = options.dynamics = !smooth;
    long events = 0;
    for_each_robot(
        [&](const Model& model, Random& random) {
          Scene scene(model, random, {.adaptive = AdaptiveOptions{1e-10, 1e-12, 5}});
          Simulation& s = scene.simulation;
          Simulation fine(model, {Integrator::rk4, 2e-5, {}});
          fine.set_state(s.q(), s.v());
          fine.set_wrenches(scene.wrenches);
          const double before = s.energy();
          for (int k = 0; k < 4; ++k) {
            ASSERT_EQ(s.step(scene.tau, 0.025), moved);
            ASSERT_EQ(fine.step(scene.tau, 0.025), moved);
          }
          const double size = std::max(1.0, s.v().cwiseAbs().maxCoeff());
          EXPECT_LT(difference(model, s.q(), fine.q()).cwiseAbs().maxCoeff(), 1e-8 * size);
          EXPECT_LT((s.v() - fine.v()).cwiseAbs().maxCoeff(), 1e-7 * size);
          EXPECT_EQ(s.counts().hits, fine.counts().hits);
          const double joules = std::max(largest_of(s.work()), s.kinetic_energy());
          EXPECT_NEAR((s.energy() - before - s.work().balance()) / joules, 0.0, 1e-8);
          events += s.counts().events;
        },
        4, options);
    EXPECT_EQ(events > 10, !smooth) << events;
  }
}

}  // namespace
}  // namespace ulna::test
