#include <cmath>

#include "simulate/light_finger.hpp"
#include "support/dynamics.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/simulation.hpp"

// However long the steps are that somebody chooses, energy does not come from nothing.
namespace ulna::test {
namespace {

constexpr Integrator integrators[] = {Integrator::euler, Integrator::semi_implicit_euler,
                                      Integrator::midpoint, Integrator::rk4};
constexpr double steps[] = {1e-4, 1e-3, 5e-3, 2e-2, 0.1};
/// Of the energy exchanged, of which the largest kinetic energy within a step is not seen here: 1 % otherwise.
constexpr double allowed = 0.015;

/// The energy that came from nothing, as a share of the energy exchanged or of what lifts the robot by 0.1 m: the most
/// in a motion without torques from a random state.
struct Growth {
  double share = 0.0;
  SimulationStatus status = SimulationStatus::moved;
};

Growth growth(Simulation& s, double duration, double period) {
  const double before = s.energy(),
               lift = 0.1 * total_mass<double>(s.plant) * s.plant.gravity.norm();
  double kinetic = s.kinetic_energy();
  Growth most;
  for (double t = 0.0; t < duration; t += period) {
    most.status = s.step(period);
    if (most.status != SimulationStatus::moved) return most;
    const SimulationWork& w = s.work();
    kinetic = std::max(kinetic, s.kinetic_energy());
    const double exchanged = std::max({lift, kinetic, w.damping + w.friction + w.stops, 1e-9});
    most.share = std::max(most.share, (s.energy() - before - w.balance()) / exchanged);
  }
  return most;
}

/// Shorter where steps are, so that all cost about the same.
double duration_of(double step) { return step < 5e-4 ? 0.02 : step < 5e-3 ? 0.2 : 1.0; }

TEST(EnergyGrowth, is_bounded_for_all_embedded_robots_integrators_and_steps) {
  int runs = 0;
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(std::string(robot.name));
    const Model model = load_robot(std::string(robot.name)).model;
    if (!model.drives().diagonal || !model.drives().mounts.empty()) continue;
    for (const Integrator integrator : integrators)
      for (const double step : steps) {
        Random random(11);
        Simulation s(model, {.integrator = integrator, .substep = step});
        const Eigen::VectorXd v = random_v(model, random, 2.0);
        s.set_state(s.loops() ? s.q() : random_q(model, random), v);
        const Growth g = growth(s, duration_of(step), std::max(step, 1e-3));
        ++runs;
        EXPECT_EQ(g.status, SimulationStatus::moved) << int(integrator) << ", " << step << " s";
        EXPECT_LE(g.share, allowed) << "integrator " << int(integrator) << ", " << step << " s";
      }
  }
  EXPECT_GT(runs, 300);
}

// Links that are too light for their damping: explicit steps need to be shorter than 2 M / d.
TEST(EnergyGrowth, is_bounded_where_links_are_too_light_for_their_damping) {
  for (const double damping : {0.0, 1e-4, 1e-2})
    for (const Integrator integrator : integrators)
      for (const double step : {1e-3, 5e-3, 0.1}) {
        Simulation s(light_finger(), {.integrator = integrator, .substep = step});
        s.plant.damping.tail(s.plant.damping.size() - 1).setConstant(damping);
        const Growth g = growth(s, duration_of(step), std::max(step, 1e-3));
        EXPECT_EQ(g.status, SimulationStatus::moved);
        EXPECT_LE(g.share, allowed)
            << damping << ", integrator " << int(integrator) << ", " << step;
      }
}

// What is divided is as good as shorter steps.
TEST(EnergyGrowth, steps_that_are_divided_follow_the_motion) {
  const Model model = load_robot("ur5e").model;
  const auto run = [&](double step) {
    Simulation s(model, {.substep = step});
    for (int k = 0; k < 10; ++k) EXPECT_EQ(s.step(0.1), SimulationStatus::moved);
    return s;
  };
  const Simulation coarse = run(0.1), fine = run(1e-3);
  EXPECT_GT(coarse.counts().divided, 0);
  EXPECT_EQ(fine.counts().divided, 0);
  EXPECT_EQ(fine.counts().slowed, 0);
  EXPECT_LT((coarse.q() - fine.q()).norm(), 0.3);
}

// A wheel that rotates freely, and one that a torque accelerates from rest: Euler's first step is all error, and is accepted.
TEST(EnergyGrowth, does_not_keep_a_robot_from_moving) {
  for (const Integrator integrator : integrators) {
    const Model model = load_robot("double_pendulum").model;
    Simulation s(model, {.integrator = integrator, .substep = 1e-3}),
        fine(model, {.substep = 1e-5});
    s.plant.remove_friction(), fine.plant.remove_friction();
    Eigen::VectorXd q(2);
    q << 1.0, 0.5;
    s.set_state(q, 0.0 * q), fine.set_state(q, 0.0 * q);
    ASSERT_EQ(s.step(0.3), SimulationStatus::moved);
    ASSERT_EQ(fine.step(0.3), SimulationStatus::moved);
    EXPECT_LT((s.q() - fine.q()).norm(), 0.02) << int(integrator);
    EXPECT_EQ(s.counts().divided, 0) << int(integrator);
  }
}

TEST(EnergyGrowth, of_euler_is_taken_from_the_velocities_and_accounted_for) {
  Simulation s(load_robot("double_pendulum").model, {.integrator = Integrator::euler});
  s.plant.remove_friction();
  Eigen::VectorXd q(2);
  q << 2.0, 0.5;
  s.set_state(q, 0.0 * q);
  const double before = s.energy();
  double kinetic = 0.0;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_EQ(s.step(5e-3), SimulationStatus::moved);
    kinetic = std::max(kinetic, s.kinetic_energy());
  }
  EXPECT_GT(s.counts().slowed, 0);
  EXPECT_GT(s.work().corrections, 0.0);
  EXPECT_LE(s.energy() - before, allowed * kinetic);
  EXPECT_GE(s.energy() - before, -0.1 * kinetic);
}

TEST(EnergyGrowth, bits_are_the_same_in_every_run) {
  const auto run = [] {
    Simulation s(load_robot("ur5e").model, {.substep = 0.1});
    EXPECT_EQ(s.step(1.0), SimulationStatus::moved);
    EXPECT_GT(s.counts().divided, 0);
    return s.q();
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace ulna::test
