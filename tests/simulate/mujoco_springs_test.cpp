// An elastic arm in MuJoCo, where that is found: rotors are bodies of their own, springs are tendons between joints.
#ifdef ULNA_WITH_MUJOCO
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cstdio>

#include "support/paths.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/simulate/simulation.hpp"

namespace ulna::test {
namespace {

constexpr double length = 0.5, mass[] = {3.0, 2.0}, inertia[] = {0.06, 0.04},
                 stiffness[] = {2000.0, 900.0}, damping[] = {1.5, 0.4}, rotor[] = {0.4, 0.15};

/// Two links of half a metre that turn about y, with their masses in the middle.
Model elastic_arm() {
  Builder builder("elastic arm");
  builder.link("base");
  const char* const names[] = {"upper", "lower"};
  const char* const joints[] = {"shoulder", "elbow"};
  for (int i = 0; i < 2; ++i) {
    builder.link(names[i], Inertial(mass[i], {0.5 * length, 0.0, 0.0},
                                    inertia[i] * Mat3<double>::Identity()));
    builder.joint(joints[i], JointType::continuous, i == 0 ? "base" : names[0], names[i],
                  Pose({i * length, 0.0, 0.0}), {0.0, 1.0, 0.0});
    builder.last_joint().spring = Spring{stiffness[i], 0.0, damping[i]};
    builder.last_joint().dynamics.armature = rotor[i];
  }
  return builder.build();
}

std::string in_mujoco() {
  char text[4000];
  std::snprintf(
      text, sizeof text,
      "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0'/>"
      "<option gravity='0 0 -9.81' timestep='1e-4' integrator='RK4'/><worldbody>"
      "<body><joint name='q1' type='hinge' axis='0 1 0'/><inertial pos='%g 0 0' mass='%g' "
      "diaginertia='%g %g %g'/>"
      "<body pos='%g 0 0'><joint name='q2' type='hinge' axis='0 1 0'/><inertial pos='%g 0 0' "
      "mass='%g' diaginertia='%g %g %g'/></body></body>"
      "<body><joint name='m1' type='hinge' axis='0 1 0'/><inertial pos='0 0 0' mass='1' "
      "diaginertia='%g %g %g'/></body>"
      "<body><joint name='m2' type='hinge' axis='0 1 0'/><inertial pos='0 0 0' mass='1' "
      "diaginertia='%g %g %g'/></body></worldbody><tendon>"
      "<fixed stiffness='%g' damping='%g' springlength='0'><joint joint='m1' coef='1'/><joint "
      "joint='q1' coef='-1'/></fixed>"
      "<fixed stiffness='%g' damping='%g' springlength='0'><joint joint='m2' coef='1'/><joint "
      "joint='q2' coef='-1'/></fixed></tendon></mujoco>",
      0.5 * length, mass[0], inertia[0], inertia[0], inertia[0], length, 0.5 * length, mass[1],
      inertia[1], inertia[1], inertia[1], rotor[0], rotor[0], rotor[0], rotor[1], rotor[1],
      rotor[1], stiffness[0], damping[0], stiffness[1], damping[1]);
  return text;
}

TEST(ElasticJoints, move_as_in_mujoco_with_springs_between_rotors_and_links) {
  const std::string file = testing::TempDir() + "ulna_elastic_arm.xml";
  std::FILE* out = std::fopen(file.c_str(), "w");
  ASSERT_NE(out, nullptr);
  std::fputs(in_mujoco().c_str(), out);
  std::fclose(out);
  char error[500] = "";
  mjModel* m = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
  std::remove(file.c_str());
  ASSERT_NE(m, nullptr) << error;
  mjData* d = mj_makeData(m);

  const Model model = elastic_arm();
  std::vector<SimulationOptions> ways(1);
  ways[0].substep = 1e-4;
  if (has_adaptive()) ways.emplace_back().adaptive.emplace();
  for (const SimulationOptions& options : ways) {
    Simulation robot(model, options);
    const Eigen::VectorXd q{{0.3, -0.8}}, v{{1.0, -2.0}}, theta{{0.31, -0.79}}, omega{{0.0, 1.0}};
    robot.set_state(q, v);
    robot.set_motors(theta, omega);
    mj_resetData(m, d);
    Eigen::Map<Eigen::VectorXd>(d->qpos, 4) << q, theta;
    Eigen::Map<Eigen::VectorXd>(d->qvel, 4) << v, omega;
    double largest = 0.0;
    for (int k = 0; k < 1000; ++k) {
      const double t = 1e-3 * k;
      const Eigen::VectorXd tau{{25.0 * std::sin(9.0 * t) - 20.0, 5.0 * std::cos(14.0 * t)}};
      ASSERT_EQ(robot.step(tau, 1e-3), SimulationStatus::moved);
      d->qfrc_applied[2] = tau(0), d->qfrc_applied[3] = tau(1);
      for (int i = 0; i < 10; ++i) mj_step(m, d);
      for (int i = 0; i < 2; ++i)
        largest = std::max({largest, std::abs(robot.q()(i) - d->qpos[i]),
                            std::abs(robot.theta()(i) - d->qpos[2 + i])});
    }
    // fixed steps of 0.1 ms are of second order
    EXPECT_LT(largest, options.adaptive ? 1e-7 : 1e-4);
    EXPECT_GT(robot.theta().cwiseAbs().maxCoeff(), 0.5) << "it moved";
  }
  mj_deleteData(d), mj_deleteModel(m);
}

}  // namespace
}  // namespace ulna::test
#endif
