#include "ulna/robot/robot.hpp"

#include "support/dynamics.hpp"

namespace ulna::test {
namespace {

class RobotDoor : public ::testing::Test {
 protected:
  Robot::Wrenches wrenches() const {
    return {{"flange", {{1.0, -2.0, 3.0}, {-4.0, 5.0, 6.0}}},
            {"panda_link4", {{0.5, 0.0, 1.0}, {2.0, -1.0, 0.0}}, Axes::local},
            {"panda_link2", {{0.5, 0.0, 1.0}, {2.0, -1.0, 0.0}}, Axes::world}};
  }
  std::vector<ExternalWrench<double>> resolved() const {
    std::vector<ExternalWrench<double>> list;
    for (const Robot::FrameWrench& w : wrenches())
      list.push_back({&model.frame(w.frame), w.wrench, w.axes});
    return list;
  }

  Robot robot{"panda"};
  const Model model = load_robot("panda").model;
  Random random{1};
  Rig<double> rig{model, random};
};

TEST_F(RobotDoor, answers_what_the_functions_beneath_answer) {
  const auto& [plant, q, v, a, ws] = rig;
  const auto list = resolved();
  EXPECT_EQ(robot.nq(), 7);
  EXPECT_EQ(robot.nv(), 7);
  EXPECT_EQ(robot.model().name(), "panda");
  EXPECT_EQ(robot.inverse_dynamics(q, v, a), rig.torque());
  EXPECT_EQ(robot.inverse_dynamics(q, v, a, wrenches()), rig.torque(list));
  Eigen::VectorXd forward(7);
  ASSERT_TRUE(rig.accelerate(a, forward, list));
  EXPECT_EQ(robot.forward_dynamics(q, v, a, wrenches()), forward);
  ASSERT_TRUE(rig.accelerate(a, forward));
  EXPECT_EQ(robot.forward_dynamics(q, v, a), forward);
  EXPECT_EQ(robot.gravity_torque(q), rig.gravity());
  EXPECT_EQ(gravity_torque(model, q), rig.gravity());
  EXPECT_EQ(robot.bias_torque(q, v), rig.bias());
  EXPECT_EQ(robot.mass_matrix(q), rig.mass());
  expect_close(Eigen::MatrixXd(robot.inverse_mass_matrix(q) * rig.mass()),
               Eigen::MatrixXd(Eigen::MatrixXd::Identity(7, 7)), 1e-11);
  EXPECT_EQ(robot.coriolis_matrix(q, v), rig.coriolis());
  EXPECT_EQ(robot.kinetic_energy(q, v), kinetic_energy<double>(plant, rig.state(), rig.ws));
  EXPECT_EQ(robot.potential_energy(q), potential_energy<double>(plant, rig.at(), rig.ws));
  EXPECT_EQ(robot.center_of_mass(q), center_of_mass<double>(plant, rig.at(), rig.ws));
  Eigen::MatrixXd A(6, 7);
  centroidal_momentum_matrix<double>(plant, rig.at(), rig.ws, A);
  EXPECT_EQ(robot.centroidal_momentum_matrix(q), A);
}

TEST_F(RobotDoor, tells_about_frames_what_the_functions_beneath_tell) {
  const Frame& flange = model.frame("flange");
  expect_close(robot.pose(rig.q, "flange"), rig.at().pose(flange), 0.0);
  for (const Axes axes : all_axes) {
    expect_close(robot.velocity(rig.q, rig.v, "flange", axes),
                 frame_velocity(rig.state(), flange, axes), 0.0);
    expect_close(robot.acceleration(rig.q, rig.v, rig.a, "flange", axes),
                 frame_acceleration(rig.motion(), flange, axes), 0.0);
    EXPECT_EQ(robot.jacobian(rig.q, "flange", axes), rig.jacobian(flange, axes));
  }
  EXPECT_EQ(robot.jacobian(rig.q, "flange"), rig.jacobian(flange, Axes::aligned));
}

TEST_F(RobotDoor, finds_configurations) {
  const Transform<double> target = robot.pose(rig.q, "flange");
  const IkResult result = robot.inverse_kinematics("flange", target, neutral(model));
  EXPECT_TRUE(result.found) << result.report();
  const IkResult beneath = inverse_kinematics(model, model.frame("flange"), target, neutral(model));
  EXPECT_EQ(result.q, beneath.q);
}

// Answers do not depend on what was asked before.
TEST_F(RobotDoor, remembers_nothing_between_questions) {
  const Eigen::VectorXd tau = robot.inverse_dynamics(rig.q, rig.v, rig.a);
  const Eigen::MatrixXd C = robot.coriolis_matrix(rig.q, rig.v);
  Rig<double> other(model, random);
  robot.acceleration(other.q, other.v, other.a, "flange");
  robot.coriolis_matrix(other.q, other.v);
  robot.forward_dynamics(other.q, other.v, other.a);
  EXPECT_EQ(robot.inverse_dynamics(rig.q, rig.v, rig.a), tau);
  EXPECT_EQ(robot.coriolis_matrix(rig.q, rig.v), C);
}

TEST_F(RobotDoor, copies_are_independent) {
  Robot copy = robot;
  copy.plant().damping.setConstant(3.0);
  EXPECT_EQ(robot.inverse_dynamics(rig.q, rig.v, rig.a), rig.torque());
  expect_close(Eigen::VectorXd(copy.inverse_dynamics(rig.q, rig.v, rig.a) - rig.torque()),
               Eigen::VectorXd(3.0 * rig.v), 1e-13);
  Robot assigned("twolink_overview");
  assigned = copy;
  copy.plant().remove_friction();
  EXPECT_EQ(assigned.nv(), 7);
  expect_close(Eigen::VectorXd(assigned.inverse_dynamics(rig.q, rig.v, rig.a) - rig.torque()),
               Eigen::VectorXd(3.0 * rig.v), 1e-13);
  const Robot& itself = assigned;
  assigned = itself;
  EXPECT_EQ(assigned.nv(), 7);
}

TEST_F(RobotDoor, outlives_what_it_was_copied_from) {
  auto first = std::make_unique<Robot>(random_model(2));
  Robot copy = *first;
  first.reset();
  Random other(1);
  Rig<double> beneath(copy.model(), other);
  EXPECT_EQ(copy.inverse_dynamics(beneath.q, beneath.v, beneath.a), beneath.torque());
}

TEST(Robot, of_any_kind_undoes_its_own_dynamics) {
  for_each_robot(
      [](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        Robot robot(model);
        const Eigen::VectorXd tau = robot.inverse_dynamics(rig.q, rig.v, rig.a);
        expect_close(robot.forward_dynamics(rig.q, rig.v, tau), rig.a, 1e-10);
      },
      5);
}

TEST(Robot, tells_what_the_importer_had_to_say) {
  EXPECT_EQ(Robot("twolink_fakhari").diagnostics().list().size(),
            load_robot("twolink_fakhari").diagnostics.list().size());
  EXPECT_THROW(Robot("no such robot"), ModelError);
  const Robot floating("panda", {.floating_base = true});
  EXPECT_EQ(floating.nv(), 13);
  EXPECT_EQ(floating.nq(), 14);
}

TEST_F(RobotDoor, refuses_what_is_wrong_and_names_it) {
  const Eigen::VectorXd six = Eigen::VectorXd::Zero(6);
  EXPECT_EQ(told([&] { robot.inverse_dynamics(six, rig.v, rig.a); }),
            "q has 6 numbers, robot 'panda' needs 7");
  EXPECT_EQ(told([&] { robot.mass_matrix(six); }), "q has 6 numbers, robot 'panda' needs 7");
  EXPECT_EQ(told([&] { robot.coriolis_matrix(rig.q, six); }),
            "v has 6 numbers, robot 'panda' needs 7");
  Eigen::VectorXd bad = rig.v;
  bad(6) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(told([&] { robot.bias_torque(rig.q, bad); }),
            "v is not finite at 7 of 7, 'panda_joint7'");
  EXPECT_THROW(robot.pose(rig.q, "flagne"), std::out_of_range);
  EXPECT_THROW(robot.inverse_dynamics(rig.q, rig.v, rig.a, {{"flagne", {}}}), std::out_of_range);
}

TEST(Robot, says_why_it_cannot_accelerate) {
  Robot robot(Builder("stick")
                  .link("base")
                  .link("nothing")
                  .joint("hinge", JointType::continuous, "base", "nothing")
                  .build());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  const auto told_domain = [](auto f) -> std::string {
    try {
      f();
    } catch (const std::domain_error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  const std::string why = told_domain([&] { robot.forward_dynamics(zero, zero, zero); });
  EXPECT_NE(why.find("robot 'stick': the mass matrix is not positive definite"), std::string::npos)
      << why;
  const std::string inverse = told_domain([&] { robot.inverse_mass_matrix(zero); });
  EXPECT_NE(inverse.find("robot 'stick': the mass matrix is not positive definite"),
            std::string::npos)
      << inverse;
}

}  // namespace
}  // namespace ulna::test
