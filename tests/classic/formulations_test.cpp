#include <Eigen/Cholesky>

#include "support/classic.hpp"
#include "ulna/classic/formulation.hpp"

namespace ulna::test {
namespace {

using classic::formulations;

TEST(Formulations, agree_with_dynamics) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    rig.without_resistance();
    const Eigen::MatrixXd M = rig.mass();
    const Eigen::VectorXd bias = rig.bias(), tau = rig.torque();
    for (const auto& formulation : formulations<double>(rig.plant)) {
      SCOPED_TRACE(std::string(formulation.name));
      expect_same(formulation.mass_matrix(rig.q), M);
      expect_same(formulation.bias(rig.q, rig.v), bias);
      expect_same(formulation.inverse_dynamics(rig.q, rig.v, rig.a), tau);
    }
  });
}

TEST(Formulations, agree_with_each_other) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const auto all = formulations<double>(rig.plant);
    for (const auto& one : all)
      for (const auto& other : all) {
        SCOPED_TRACE(std::string(one.name) + " and " + std::string(other.name));
        expect_same(one.mass_matrix(rig.q), other.mass_matrix(rig.q));
        expect_same(one.bias(rig.q, rig.v), other.bias(rig.q, rig.v));
      }
  });
}

TEST(Formulations, have_mass_matrices_that_are_symmetric_and_positive_definite) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    if (model.name() == "stanford") return;  // its link 5 belongs to no body
    for (const auto& formulation : formulations<double>(rig.plant)) {
      SCOPED_TRACE(std::string(formulation.name));
      const Eigen::MatrixXd M = formulation.mass_matrix(rig.q);
      expect_same(Eigen::MatrixXd(M.transpose()), M, 1e-13);
      EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(M).info(), Eigen::Success);
    }
  });
}

TEST(Formulations, follow_parameters_that_are_replaced) {
  for_each_arm([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    rig.without_resistance();
    Eigen::VectorXd pi(rig.plant.inertial_size());
    rig.plant.get_inertial(pi);
    for (double& x : pi) x *= random.real(0.5, 2.0);
    rig.plant.set_inertial(pi);
    for (const auto& formulation : formulations<double>(rig.plant)) {
      SCOPED_TRACE(std::string(formulation.name));
      expect_same(formulation.inverse_dynamics(rig.q, rig.v, rig.a), rig.torque());
    }
  });
}

TEST(Formulations, differentiate) {
  using D = Dual<double, 1>;
  for_each_arm(
      [](const Model& model, Random& random) {
        Rig<D> rig(model, random);
        rig.without_resistance();
        for (const auto& formulation : formulations<D>(rig.plant)) {
          SCOPED_TRACE(std::string(formulation.name));
          expect_same(formulation.inverse_dynamics(rig.q, rig.v, rig.a), rig.torque());
        }
      },
      12);
}

TEST(Formulations, count_as_they_compute) {
  for_each_arm(
      [](const Model& model, Random& random) {
        Rig<Counted> rig(model, random);
        rig.without_resistance();
        for (const auto& formulation : formulations<Counted>(rig.plant)) {
          SCOPED_TRACE(std::string(formulation.name));
          expect_same(formulation.inverse_dynamics(rig.q, rig.v, rig.a), rig.torque());
        }
      },
      12);
}

TEST(Formulations, of_a_tree_are_those_by_screws_and_jacobians) {
  std::vector<std::string> names;
  const Model tree = random_arm(9, true);
  ASSERT_FALSE(classic::Arm<double>(Plant<double>(tree)).is_chain());
  for (const auto& formulation : formulations<double>(Plant<double>(tree)))
    names.emplace_back(formulation.name);
  EXPECT_EQ(names, (std::vector<std::string>{"screw-recursive", "screw-stacked", "lagrangian",
                                             "sum-form", "probing"}));
}

TEST(Formulations, are_tried_on_many_embedded_arms_of_both_kinds_of_joints) {
  int arms = 0, chains = 0, sliding = 0;
  for (const EmbeddedRobot& robot : embedded_robots()) {
    const Model model = import_robot(robot.text, std::string(robot.file_name)).model;
    if (!is_arm(model)) continue;
    const classic::Arm<double> arm{Plant<double>(model)};
    ++arms, chains += arm.is_chain();
    bool slides = false;
    for (int i = 1; i <= arm.joint_count(); ++i) slides |= arm.link(i).slides;
    sliding += slides;
  }
  EXPECT_GE(arms, 14);
  EXPECT_GE(chains, 12);
  EXPECT_GE(sliding, 3);
}

TEST(Formulations, refuse_what_is_no_arm) {
  const auto refused = [](const char* name) {
    return told([&] { (void)formulations<double>(Plant<double>(load_robot(name).model)); });
  };
  EXPECT_EQ(refused("ball_wrist").substr(0, 42), "robot 'ball_wrist': joint 'wrist' is ball;");
  EXPECT_NE(refused("lead_screw").find(" is helical; "), std::string::npos);
  EXPECT_NE(refused("fourbar").find("closes a loop"), std::string::npos);
}

TEST(Formulations, refuse_wrong_sizes_with_both_numbers) {
  const Plant<double> plant(load_robot("double_pendulum").model);
  const Eigen::VectorXd two = Eigen::VectorXd::Zero(2), three = Eigen::VectorXd::Zero(3);
  for (const auto& f : formulations<double>(plant)) {
    SCOPED_TRACE(std::string(f.name));
    EXPECT_EQ(told([&] { (void)f.mass_matrix(three); }), "q has 3 numbers, the arm has 2 joints");
    EXPECT_EQ(told([&] { (void)f.bias(two, three); }), "v has 3 numbers, the arm has 2 joints");
    EXPECT_EQ(told([&] { (void)f.inverse_dynamics(two, two, three); }),
              "a has 3 numbers, the arm has 2 joints");
  }
}

}  // namespace
}  // namespace ulna::test
