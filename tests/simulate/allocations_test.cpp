#include "support/allocations.hpp"

#include "simulate/growing.hpp"
#include "simulate/light_finger.hpp"
#include "support/drives.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/changes.hpp"
#include "ulna/simulate/sensors.hpp"

// What is made once allocates no more.
namespace ulna::test {
namespace {

TEST(Step, allocates_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  for_each_robot([](const Model& model, Random& random) {
    const Rig<double> rig(model, random);
    Step<double> step(model, Integrator::rk4);
    StepDerivatives slope(model, Integrator::rk4);
    Growing drive(rig, 0.01);
    StepSensitivities sensitivities(model, Integrator::rk4, drive.size());
    bool possible = true;
    EXPECT_EQ(allocations_of([&] {
                possible &= sensitivities(rig.plant, rig.q, rig.v, drive, 0.01);
                possible &= step(rig.plant, rig.q, rig.v, rig.a, 0.01);
                possible &= slope(rig.plant, rig.q, rig.v, rig.a, 0.01);
              }),
              0);
    EXPECT_TRUE(possible);
  });
}

TEST(Simulation, crowds_of_events_allocate_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Model model = light_finger();
  Simulation s(model);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.nv());
  SimulationStatus status = SimulationStatus::gave_up;
  EXPECT_EQ(allocations_of([&] { status = s.step(none, 1.0); }), 0);
  EXPECT_EQ(status, SimulationStatus::moved);
  EXPECT_GT(s.counts().events, 100);
}

TEST(Simulation, steps_with_springs_and_coupled_motors_allocate_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  for_each_robot([](const Model& rigid, Random& random) {
    const Model model = with_random_drives(rigid, random, {.damped = 0.5});
    Simulation s(model);
    s.set_state(random_q(model, random), random_v(model, random));
    Sensors sensors(model, {.velocity_by_difference = true});
    const Eigen::VectorXd tau = random_v(model, random, 20.0);
    bool moved = true;
    EXPECT_EQ(allocations_of([&] {
                for (int k = 0; k < 20; ++k) {
                  moved &= s.step(tau, 0.001) == SimulationStatus::moved;
                  sensors.read(s);
                }
              }),
              0);
    EXPECT_TRUE(moved);
  });
}

TEST(Simulation, its_steps_allocate_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  long events = 0, hits = 0;
  for_each_robot([&](const Model& model, Random& random) {
    Simulation s(model);
    s.set_state(random_q(model, random), random_v(model, random, 3.0));
    const Eigen::VectorXd tau = random_v(model, random, 20.0);
    const auto wrenches = random_wrenches<double>(model, random);
    bool moved = true;
    double sum = 0.0;
    EXPECT_EQ(allocations_of([&] {
                s.set_wrenches(wrenches);
                for (int k = 0; k < 100; ++k) {
                  moved &= s.step(tau, 0.002) == SimulationStatus::moved;
                  s.plant.damping *= 1.001;
                  sum += s.acceleration().norm() + s.energy() + s.momentum().vector().norm();
                }
                const auto controller = [&](Simulation&, Eigen::VectorXd& asked) { asked = tau; };
                moved &= s.run(0.01, 0.001, controller) == SimulationStatus::moved;
              }),
              0);
    EXPECT_TRUE(moved);
    EXPECT_TRUE(std::isfinite(sum));
    events += s.counts().events, hits += s.counts().hits;
  });
  EXPECT_GT(events, 100);
  EXPECT_GT(hits, 20);
}

TEST(Simulation, closing_loops_allocates_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  Description d = load_robot("fourbar").model.description();
  for (JointDescription& j : d.joints) j.dynamics.friction = j.dynamics.friction_negative = 0.02;
  for (JointDescription& j : d.joints)
    if (j.name == "rocker_joint") j.limits.lower = -0.25, j.limits.upper = 0.2;
  Simulation s(Builder(d).build());
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(3);
  bool moved = true;
  EXPECT_EQ(allocations_of([&] {
              for (int k = 0; k < 300; ++k) {
                tau(0) = 0.5 * std::sin(0.07 * k);
                moved &= s.step(tau, 0.01) == SimulationStatus::moved;
              }
            }),
            0);
  EXPECT_TRUE(moved);
  EXPECT_GT(s.counts().events, 10);
  EXPECT_GT(s.counts().hits, 1);
}

TEST(Sensors, reading_allocates_nothing) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  for_each_robot([&](const Model& model, Random& random) {
    Simulation s(model);
    s.set_state(random_q(model, random), random_v(model, random));
    const SensorOptions all{1e-3, 1e-3, 1e-4, 3, 0.1, 0.1};
    Sensors sensors(model, {all, all, all, all, true, true, 1});
    Schedule schedule;
    const Frame& frame = model.frames().back();
    const Inertia<double> ball = solid_sphere(0.1).with_mass(1.0);
    for (int k = 0; k < 10; ++k)
      schedule.at(0.0, [&](Plant<double>& plant) { add_payload(plant, frame, ball); });
    EXPECT_EQ(allocations_of([&] {
                for (int k = 0; k < 50; ++k) sensors.read(s);
                schedule.apply(s);
              }),
              0);
  });
}

}  // namespace
}  // namespace ulna::test
