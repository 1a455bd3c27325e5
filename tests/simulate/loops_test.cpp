#include "support/closed_loops.hpp"
#include "support/four_bar.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/simulation.hpp"

// Robots whose loops are closed, in motion: an independent reduction to fewer coordinates, gaps, energy, friction, stops.
namespace ulna::test {
namespace {

using Eigen::VectorXd;

constexpr auto loops_moved = SimulationStatus::moved;
constexpr Integrator all_integrators[] = {Integrator::euler, Integrator::semi_implicit_euler,
                                          Integrator::midpoint, Integrator::rk4};

/// The largest gap and rate of a gap.
double openness(const Simulation& s) {
  Loops loops = *s.loops();
  loops.set(s.q(), s.v());
  return std::max(loops.gap().cwiseAbs().maxCoeff(), loops.rate().cwiseAbs().maxCoeff());
}

/// The four-bar, its joints with other dynamics or limits than its file has.
template <class Edit>
Model four_bar(Edit edit) {
  Description d = load_robot("fourbar").model.description();
  for (JointDescription& j : d.joints) edit(j);
  return Builder(d).build();
}
Model four_bar_with_dry_friction() {
  return four_bar([](JointDescription& j) {
    j.dynamics = {.damping = 0.002, .friction = 0.02, .friction_negative = 0.03};
  });
}

TEST(SimulatedFourBar, moves_as_its_reduction_to_one_coordinate) {
  const Model model = load_robot("fourbar").model;
  const Plant<double> plant(model);
  std::vector<SimulationOptions> ways{{Integrator::rk4, 1.25e-4, {}}};
  if (has_adaptive()) ways.push_back({.adaptive = AdaptiveOptions{1e-11, 1e-13, 5}});
  for (SimulationOptions& options : ways) {
    SCOPED_TRACE(options.adaptive ? "adaptive" : "rk4");
    options.torque_limits = false;
    Simulation s(model, options);
    Crank crank(plant);
    double angle = 0.3, rate = 10.0;
    Crank::Position at = Crank::position(angle);
    s.set_state(at.q, at.by_angle * rate);
    double turned = 0.0;
    for (int k = 0; k < 300; ++k) {
      const VectorXd tau{{0.05 * std::cos(0.05 * k), 0.02, -0.05 * std::sin(0.1 * k)}};
      ASSERT_EQ(s.step(tau, 0.01), loops_moved);
      for (int i = 0; i < 4; ++i) crank.go(angle, rate, tau, 0.0025);
      at = Crank::position(angle);
      // the angle of the coupler may have gone round
      VectorXd apart = s.q() - at.q;
      for (double& x : apart) x = std::remainder(x, 2.0 * M_PI);
      ASSERT_LT(apart.cwiseAbs().maxCoeff(), 1e-8) << "after step " << k;
      ASSERT_LT((s.v() - at.by_angle * rate).cwiseAbs().maxCoeff(),
                1e-8 * (1.0 + s.v().cwiseAbs().maxCoeff()));
      ASSERT_LT(openness(s), 1e-11);
      turned = std::max(turned, std::abs(angle));
    }
    EXPECT_GT(turned, 6.3);  // it went round
  }
}

TEST(SimulatedFourBar, stays_closed_for_a_minute) {
  Model model = load_robot("fourbar").model;
  for (const Integrator integrator : all_integrators) {
    SCOPED_TRACE(int(integrator));
    Simulation s(model, {integrator, 1e-3, {}});
    double worst = 0.0;
    const auto status = s.run(
        60.0, 0.01,
        [](Simulation& now, VectorXd& tau) { tau << 0.03 * std::sin(now.time()), 0.0, 0.0; },
        [&](Simulation& now) { worst = std::max(worst, openness(now)); });
    EXPECT_EQ(status, loops_moved);
    EXPECT_LT(worst, 1e-9);
  }
}

TEST(SimulatedFourBar, keeps_its_energy) {
  const Model model = four_bar([](JointDescription& j) { j.dynamics = {}, j.limits = Limits{}; });
  Simulation s(model, {.substep = 5e-4});
  const Crank::Position at = Crank::position(0.3);
  s.set_state(at.q, at.by_angle * 3.0);
  const double before = s.energy();
  double kinetic = 0.0;
  const VectorXd none = VectorXd::Zero(3);
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(s.step(none, 0.01), loops_moved);
    kinetic = std::max(kinetic, s.kinetic_energy());
  }
  EXPECT_GT(kinetic, 0.05);
  EXPECT_NEAR(s.energy(), before, 1e-8 * kinetic);
}

// Forces through loops do no work, whatever else acts.
TEST(SimulationOfLoops, energy_is_balanced_to_the_order_of_the_method_on_random_robots) {
  int held = 0;
  RandomModelOptions smooth;
  smooth.joints = 7, smooth.limits = false;
  const auto imbalance = [](const Model& model, const VectorXd& q, const VectorXd& v,
                            const VectorXd& tau, Integrator integrator, double h) {
    Simulation s(model, {integrator, h, {}});
    s.set_state(q, v);
    const double before = s.energy();
    EXPECT_EQ(s.step(tau, 0.02), loops_moved);
    EXPECT_LT(openness(s), 1e-9);
    return std::abs(s.energy() - before - s.work().balance());
  };
  for_each_robot(
      [&](const Model& given, Random& random) {
        Description d = given.description();
        for (JointDescription& j : d.joints) j.dynamics.friction = j.dynamics.friction_negative = 0;
        d.loops = {loop_closed_at(given, neutral(given), JointType::ball, 0, given.body_count() - 1,
                                  random)};
        const Model model = Builder(d).build();
        std::optional<Simulation> closed;
        try {
          closed.emplace(model);
        } catch (const std::invalid_argument& e) {
          EXPECT_NE(std::string(e.what()).find("cannot move"), std::string::npos) << e.what();
          return;
        }
        VectorXd q = closed->q(), v = random_v(model, random);
        const VectorXd tau = random_v(model, random, 5.0);
        closed->set_state(q, v);
        v = closed->v();
        ++held;
        for (const auto& [integrator, order] : {std::pair{Integrator::semi_implicit_euler, 1},
                                                {Integrator::midpoint, 2},
                                                {Integrator::rk4, 4}}) {
          const double h = order == 4 ? 0.02 / 16 : 0.02 / 64;
          const double coarse = imbalance(model, q, v, tau, integrator, h),
                       fine = imbalance(model, q, v, tau, integrator, 0.5 * h);
          if (coarse < 1e-11) continue;  // rounding
          EXPECT_GT(std::log2(coarse / fine), order - 0.5)
              << "method " << static_cast<int>(integrator) << ": " << coarse << " -> " << fine;
        }
      },
      4, smooth);
  EXPECT_GE(held, 5);
}

// With dry friction that grips and lets go, and joints that hit their stops.
TEST(SimulationOfLoops, random_robots_stay_closed_through_friction_and_stops) {
  int held = 0;
  long events = 0, hits = 0;
  RandomModelOptions trees;
  trees.joints = 8;
  for_each_robot(
      [&](const Model& given, Random& random) {
        Description d = given.description();
        d.loops = {loop_closed_at(given, neutral(given), JointType::revolute, 0,
                                  given.body_count() - 1, random)};
        const Model model = Builder(d).build();
        std::optional<Simulation> s;
        try {
          s.emplace(model, SimulationOptions{.substep = 5e-4});
        } catch (const std::invalid_argument& e) {
          EXPECT_NE(std::string(e.what()).find("cannot move"), std::string::npos) << e.what();
          return;
        }
        ++held;
        s->set_state(s->q(), random_v(model, random, 2.0));
        const VectorXd tau = random_v(model, random, 20.0);
        const double before = s->energy();
        double size = std::max(1.0, std::abs(before));
        for (int k = 0; k < 100; ++k) {
          ASSERT_EQ(s->step(tau, 0.002), loops_moved);
          ASSERT_LT(openness(*s), 1e-9 * (1.0 + s->v().cwiseAbs().maxCoeff()));
          size = std::max(size, std::abs(s->energy()));
        }
        const SimulationWork& w = s->work();
        size = std::max({size, std::abs(w.torques), w.friction, w.stops});
        EXPECT_NEAR((s->energy() - before) / size, w.balance() / size, 1e-5);
        EXPECT_GE(w.friction, 0.0);
        EXPECT_GE(w.stops, 0.0);
        events += s->counts().events, hits += s->counts().hits;
      },
      8, trees);
  EXPECT_GE(held, 10);
  EXPECT_GT(events, 20);
  EXPECT_GT(hits, 2);
}

TEST(SimulatedFourBar, energy_is_balanced_through_friction_and_stops) {
  Description d = four_bar_with_dry_friction().description();
  for (JointDescription& j : d.joints)
    if (j.name == "rocker_joint") j.limits.lower = -0.25, j.limits.upper = 0.2;
  const Model model = Builder(d).build();
  std::vector<SimulationOptions> ways{{Integrator::rk4, 2e-4, {}}};
  if (has_adaptive()) ways.push_back({.adaptive = AdaptiveOptions{1e-9, 1e-11, 5}});
  for (const SimulationOptions& options : ways) {
    SCOPED_TRACE(options.adaptive ? "adaptive" : "rk4");
    Simulation s(model, options);
    const double before = s.energy();
    double most = 0.0;
    for (int k = 0; k < 400; ++k) {
      const VectorXd tau{{k < 300 ? 0.5 * std::sin(0.07 * k) : 0.0, 0.0, 0.0}};
      ASSERT_EQ(s.step(tau, 0.01), loops_moved);
      EXPECT_LT(openness(s), 1e-9);
      EXPECT_LE(s.q()(2), 0.2);
      EXPECT_GE(s.q()(2), -0.25);
      most = std::max(most, s.kinetic_energy());
    }
    const SimulationWork& w = s.work();
    EXPECT_GT(s.counts().hits, 3);
    EXPECT_GT(w.stops, 0.0);
    EXPECT_GT(w.friction, 0.0);
    const double size = std::max({most, std::abs(w.torques), w.friction, w.stops});
    EXPECT_NEAR((s.energy() - before) / size, w.balance() / size, 1e-6);
    EXPECT_EQ(s.counts().crowds, 0);
  }
}

// Virtual work: with one degree of freedom, dry friction holds while |Σ N_i f_i| <= Σ |N_i| F_i, F_i being its level
// against the way that f pushes: the joints share the load through the loop.
TEST(SimulatedFourBar, rests_exactly_as_long_as_friction_of_all_joints_together_holds) {
  Description d = four_bar_with_dry_friction().description();
  d.gravity = Vec3<double>::Zero();
  const Model model = Builder(d).build();
  const Plant<double> plant(model);
  for (const double angle : {-2.0, 0.3, 1.4}) {
    const Crank::Position at = Crank::position(angle);
    const VectorXd& N = at.by_angle;
    for (const double way : {-1.0, 1.0}) {
      double level = 0.0;  // at the crank
      for (int i = 0; i < 3; ++i)
        level +=
            std::abs(N(i)) * (way * N(i) > 0.0 ? plant.friction(i) : plant.friction_negative(i));
      for (const double share : {0.999, 1.001}) {
        // at the crank alone, and by torques that also load the loop
        for (const VectorXd& direction :
             {VectorXd{{1.0, 0.0, 0.0}}, VectorXd{{0.0, 1.0 / N(1), 0.0}}}) {
          Simulation s(model);
          s.set_state(at.q, VectorXd::Zero(3));
          const VectorXd tau = share * way * level * direction;
          if (tau.cwiseAbs().maxCoeff() > 4.9) continue;  // beyond the drives
          ASSERT_EQ(s.step(tau, 0.05), loops_moved);
          if (share < 1.0) {
            EXPECT_EQ(s.q(), at.q);
            EXPECT_EQ(s.v(), VectorXd::Zero(3));
          } else {
            EXPECT_GT(way * s.v()(0), 0.0);
            EXPECT_GT(way * (s.q()(0) - at.q(0)), 0.0);
          }
        }
      }
    }
  }
}

TEST(SimulatedFourBar, comes_to_rest_by_dry_friction_and_stays) {
  const Model model = four_bar_with_dry_friction();
  std::vector<SimulationOptions> ways{{}};
  if (has_adaptive()) ways.push_back({.adaptive = AdaptiveOptions{}});
  for (const SimulationOptions& options : ways) {
    Simulation s(model, options);
    const Crank::Position at = Crank::position(0.3);
    s.set_state(at.q, at.by_angle * 25.0);
    const VectorXd none = VectorXd::Zero(3);
    for (int k = 0; k < 500; ++k) ASSERT_EQ(s.step(none, 0.01), loops_moved);
    // its rocker turned back on the way, and that was not the end
    EXPECT_GT(std::abs(s.q()(0)), 3.0);
    EXPECT_EQ(s.v(), VectorXd::Zero(3));
    const VectorXd q = s.q();
    ASSERT_EQ(s.step(none, 1.0), loops_moved);
    EXPECT_EQ(s.q(), q);
    EXPECT_LT(openness(s), 1e-9);
    EXPECT_LT(s.counts().events, 200);
  }
}

TEST(SimulatedFourBar, is_the_tree_if_loops_are_left_open) {
  const Model model = load_robot("fourbar").model;
  Simulation open(model, {.loops = false});
  EXPECT_EQ(open.loops(), nullptr);
  Description d = model.description();
  d.loops.clear();
  Simulation tree(Builder(d).build());
  const VectorXd tau{{0.1, 0.2, 0.3}};
  ASSERT_EQ(open.step(tau, 0.5), loops_moved);
  ASSERT_EQ(tree.step(tau, 0.5), loops_moved);
  EXPECT_EQ(open.q(), tree.q());
}

TEST(SimulatedFourBar, begins_where_its_loop_is_closed) {
  const Model model = load_robot("fourbar").model;
  Simulation s(model);
  const VectorXd none = VectorXd::Zero(3);
  EXPECT_THROW(s.set_state(VectorXd{{0.1, 0.0, 0.0}}, none), std::invalid_argument);
  // what is nearly closed is closed, and velocities are made such that it stays so
  const VectorXd nearly{{1e-4, 0.0, 0.0}};
  s.set_state(nearly, VectorXd{{1.0, 0.0, 0.0}});
  EXPECT_LT(openness(s), 1e-10);
  EXPECT_GT(s.v()(0), 0.1);
  // and a state of a simulation is taken to the last bit
  ASSERT_EQ(s.step(none, 0.01), loops_moved);
  const VectorXd q = s.q(), v = s.v();
  s.set_state(q, v);
  EXPECT_EQ(s.q(), q);
  EXPECT_EQ(s.v(), v);
}

TEST(SimulatedFourBar, has_the_same_bits_in_every_run) {
  const Model model = four_bar_with_dry_friction();
  VectorXd q[2];
  for (VectorXd& end : q) {
    Simulation s(model);
    for (int k = 0; k < 100; ++k)
      ASSERT_EQ(s.step(VectorXd{{0.3 * std::sin(0.3 * k), 0.0, 0.0}}, 0.01), loops_moved);
    end = s.q();
  }
  EXPECT_EQ(q[0], q[1]);
}

TEST(SimulationOfLoops, goes_through_a_dead_centre) {
  const Model model = flat_parallelogram().with_gravity(Vec3<double>::Zero());
  Simulation s(model);
  s.set_state(VectorXd{{-0.5, 0.5, -0.5}}, VectorXd{{1.0, -1.0, 1.0}});
  const double before = s.energy();
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(s.step(VectorXd::Zero(3), 0.01), loops_moved);
    ASSERT_LT(openness(s), 1e-8);
  }
  EXPECT_NEAR(s.energy(), before, 1e-6 * before);
  EXPECT_GT(s.q()(0), 0.3);
}

}  // namespace
}  // namespace ulna::test
