#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/rig/test_rig.hpp"

namespace ulna::rig {
namespace {

using Eigen::VectorXd;
using test::allocations_of;

TestRigOptions everything(PlantKind plant) {
  TestRigOptions o{.plant = plant};
  o.sensors = {
      .position = {.noise = 1e-5, .delay = 2}, .torque = {.noise = 0.1}, .accelerations = true};
  Reality& r = o.reality;
  r.rotor_inertia = 0.1, r.friction_by_direction = r.stribeck = r.ripple = 0.01;
  r.drive_lag = r.action_delay = 0.002, r.late_share = 0.5;
  r.pushes = {{{1.0, 2.0, 3.0}, {0.0, 1.0}}}, r.grips = {{2, {0.01, 0.02}}};
  r.wall = Wall{};
  r.link_side_torque = true, r.torque_offset = 0.01, r.torque_gain = 0.9;
  r.torque_faults = {{TorqueFault::Kind::frozen, 1, {0.0, 1.0}}};
  r.silences = {{0.03, 0.04}};
  return o;
}

TEST(TestRig, allocates_nothing_once_it_is_made) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Model model = load_robot("panda").model;
  const VectorXd tau = VectorXd::Constant(7, 0.3);
  const std::function<void(Plant<double>&)> wear = [](Plant<double>& p) { p.damping *= 1.01; };
  for (const PlantKind plant : {PlantKind::ulna, PlantKind::mujoco}) {
    if (plant == PlantKind::mujoco && !has_mujoco()) continue;
    TestRig rig(model, everything(plant));
    rig.start(neutral(model));
    Reading reading(model);
    (void)rig.read(reading);  // sizes the accelerations
    const long count = allocations_of([&] {
      for (int k = 0; k < 100; ++k) {
        rig.change(wear);
        (void)rig.read(reading), (void)rig.write(tau), (void)rig.advance(1e-3);
      }
    });
    EXPECT_EQ(count, 0) << to_string(plant);
  }
}

}  // namespace
}  // namespace ulna::rig
