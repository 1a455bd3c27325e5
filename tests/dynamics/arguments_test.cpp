#include "ulna/dynamics/arguments.hpp"

#include "support/dynamics.hpp"

// What is wrong is refused by every public entry, and named.
namespace ulna::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A slide, then a ball: q and v differ in size and in names.
Model crane() {
  return Builder("crane")
      .link("base")
      .link("trolley", solid_box(Vec3<double>(0.2, 0.2, 0.2)).with_mass(2.0))
      .link("load", solid_box(Vec3<double>(0.1, 0.2, 0.3)).with_mass(1.0))
      .joint("rail", JointType::prismatic, "base", "trolley", {}, {1.0, 0.0, 0.0})
      .joint("hook", JointType::ball, "trolley", "load")
      .build(true);
}

class Arguments : public ::testing::Test {
 protected:
  const Model model = crane();
  const Plant<double> plant{model};
  Workspace<double> ws{model};
  const Eigen::VectorXd q = neutral(model), v = Eigen::VectorXd::Zero(4);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(4), longer = Eigen::VectorXd::Zero(6),
                  shorter = Eigen::VectorXd::Zero(2);
  Eigen::MatrixXd wrong = Eigen::MatrixXd::Zero(3, 2);
  Configuration<double> at{model};
  State<double> state{model};
  Motion<double> motion{model};
  ForwardDynamics<double> forward{model};
  MassFactor<double> factor{model};

  static Eigen::VectorXd with(Eigen::VectorXd x, int i, double value) {
    x(i) = value;
    return x;
  }
};

TEST_F(Arguments, of_wrong_size_are_refused_with_both_numbers) {
  const std::string q6 = "q has 6 numbers, robot 'crane' needs 5";
  const std::string v6 = "v has 6 numbers, robot 'crane' needs 4";
  const std::string a6 = "a has 6 numbers, robot 'crane' needs 4";
  const std::string tau2 = "tau has 2 numbers, robot 'crane' needs 4";

  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, longer, v, v, ws, out); }), q6);
  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, q, longer, v, ws, out); }), v6);
  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, q, v, longer, ws, out); }), a6);
  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, q, v, v, ws, shorter); }), tau2);
  std::vector<Wrench<double>> few(2);
  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, q, v, v, ws, out, std::span(few)); }),
            "joint_wrenches has 2 numbers, robot 'crane' needs 3");

  EXPECT_EQ(told([&] { bias_torque<double>(plant, longer, v, ws, out); }), q6);
  EXPECT_EQ(told([&] { bias_torque<double>(plant, q, longer, ws, out); }), v6);
  EXPECT_EQ(told([&] { bias_torque<double>(plant, q, v, ws, shorter); }), tau2);
  EXPECT_EQ(told([&] { static_torque<double>(plant, longer, ws, out); }), q6);
  EXPECT_EQ(told([&] { static_torque<double>(plant, q, ws, shorter); }), tau2);
  EXPECT_EQ(told([&] { add_friction<double>(plant, longer, out); }), v6);
  EXPECT_EQ(told([&] { add_friction<double>(plant, v, shorter); }), tau2);

  EXPECT_EQ(told([&] { at.set(longer); }), q6);
  EXPECT_EQ(told([&] { state.set(longer, v); }), q6);
  EXPECT_EQ(told([&] { state.set(q, longer); }), v6);
  EXPECT_EQ(told([&] { motion.set(q, v, longer); }), a6);

  EXPECT_EQ(told([&] { (void)forward(plant, longer, v, v, out); }), q6);
  EXPECT_EQ(told([&] { (void)forward(plant, q, longer, v, out); }), v6);
  EXPECT_EQ(told([&] { (void)forward(plant, q, v, shorter, out); }), tau2);
  EXPECT_EQ(told([&] { (void)forward(plant, q, v, v, longer); }), a6);
  EXPECT_EQ(
      told([&] { (void)mass_matrix_dynamics<double>(plant, at, longer, v, factor, ws, out); }), v6);
  EXPECT_EQ(
      told([&] { (void)mass_matrix_dynamics<double>(plant, at, v, shorter, factor, ws, out); }),
      tau2);
  EXPECT_EQ(told([&] { (void)mass_matrix_dynamics<double>(plant, at, v, v, factor, ws, longer); }),
            a6);

  const Frame hook = body_frame(2);
  const ExternalWrench<double> push{&hook, {}, Axes::world};
  EXPECT_EQ(told([&] { add_wrench_torque<double>(at, push, shorter); }), tau2);
  EXPECT_EQ(told([&] { impulse_response<double>(factor, at, push, shorter); }),
            "change has 2 numbers, robot 'crane' needs 4");
}

TEST_F(Arguments, that_are_matrices_of_wrong_shape_are_refused_with_both) {
  const Frame hook = body_frame(2);
  EXPECT_EQ(told([&] { mass_matrix<double>(plant, at, ws, wrong); }),
            "M is 3 x 2, robot 'crane' needs 4 x 4");
  EXPECT_EQ(told([&] { coriolis_matrix<double>(plant, state, ws, wrong); }),
            "C is 3 x 2, robot 'crane' needs 4 x 4");
  EXPECT_EQ(told([&] { frame_jacobian<double>(at, hook, Axes::local, wrong); }),
            "J is 3 x 2, robot 'crane' needs 6 x 4");
  EXPECT_EQ(told([&] { center_of_mass_jacobian<double>(plant, at, ws, wrong); }),
            "J is 3 x 2, robot 'crane' needs 3 x 4");
  EXPECT_EQ(told([&] { centroidal_momentum_matrix<double>(plant, at, ws, wrong); }),
            "A is 3 x 2, robot 'crane' needs 6 x 4");
}

TEST_F(Arguments, that_are_not_finite_are_refused_with_the_joint) {
  const std::string q3 = "q is not finite at 3 of 5, 'hook_qx'",
                    v3 = "v is not finite at 3 of 4, 'hook_wy'";
  const std::string a1 = "a is not finite at 1 of 4, 'rail'",
                    tau4 = "tau is not finite at 4 of 4, 'hook_wz'";
  const Eigen::VectorXd bad_q = with(q, 2, nan), bad_v = with(v, 2, -infinity),
                        bad_a = with(v, 0, infinity), bad_tau = with(v, 3, nan);
  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, bad_q, v, v, ws, out); }), q3);
  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, q, bad_v, v, ws, out); }), v3);
  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, q, v, bad_a, ws, out); }), a1);
  EXPECT_EQ(told([&] { bias_torque<double>(plant, bad_q, v, ws, out); }), q3);
  EXPECT_EQ(told([&] { bias_torque<double>(plant, q, bad_v, ws, out); }), v3);
  EXPECT_EQ(told([&] { static_torque<double>(plant, bad_q, ws, out); }), q3);
  EXPECT_EQ(told([&] { add_friction<double>(plant, bad_v, out); }), v3);
  EXPECT_EQ(told([&] { motion.set(bad_q, v, v); }), q3);
  EXPECT_EQ(told([&] { motion.set(q, bad_v, v); }), v3);
  EXPECT_EQ(told([&] { motion.set(q, v, bad_a); }), a1);
  EXPECT_EQ(told([&] { (void)forward(plant, bad_q, v, v, out); }), q3);
  EXPECT_EQ(told([&] { (void)forward(plant, q, bad_v, v, out); }), v3);
  EXPECT_EQ(told([&] { (void)forward(plant, q, v, bad_tau, out); }), tau4);
  EXPECT_EQ(told([&] { (void)mass_matrix_dynamics<double>(plant, at, bad_v, v, factor, ws, out); }),
            v3);
}

TEST_F(Arguments, that_are_refused_leave_the_state_as_it_was) {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(4);
  motion.set(q, ones, ones);
  told([&] { motion.set(with(q, 0, nan), v, v); });
  told([&] { motion.set(with(q, 0, 2.0), with(v, 0, nan), v); });
  told([&] { motion.set(with(q, 0, 2.0), v, with(v, 0, nan)); });
  EXPECT_EQ(motion.q(), q);
  EXPECT_EQ(motion.v(), ones);
  EXPECT_EQ(motion.a(), ones);
}

TEST_F(Arguments, that_are_wrenches_are_refused_without_a_frame_of_this_robot_or_with_nan) {
  const Frame hook = body_frame(2), stranger = body_frame(3);
  const auto refused = [&](const ExternalWrench<double>& w, const std::string& why) {
    const ExternalWrenches<double> one(&w, 1);
    EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, q, v, v, ws, out, one); }), why);
    EXPECT_EQ(told([&] { static_torque<double>(plant, q, ws, out, one); }), why);
    EXPECT_EQ(told([&] { (void)forward(plant, q, v, v, out, one); }), why);
    EXPECT_EQ(
        told([&] { (void)mass_matrix_dynamics<double>(plant, at, v, v, factor, ws, out, one); }),
        why);
    EXPECT_EQ(told([&] { add_wrench_torque<double>(at, w, out); }), why);
    EXPECT_EQ(told([&] { impulse_response<double>(factor, at, w, out); }), why);
  };
  refused({nullptr, {}, Axes::world},
          "external wrench: no frame is given; take one from Model::frame");
  refused({&stranger, {}, Axes::world}, "external wrench: the frame belongs to another robot");
  refused({&hook, {{0.0, nan, 0.0}, {}}, Axes::world}, "external wrench: a number is not finite");
  refused({&hook, {{}, {0.0, 0.0, infinity}}, Axes::local},
          "external wrench: a number is not finite");
}

// The largest numbers are finite, and their sum is not: they must pass.
TEST_F(Arguments, that_are_huge_are_not_mistaken_for_infinite_ones) {
  const Eigen::VectorXd huge = Eigen::VectorXd::Constant(4, std::numeric_limits<double>::max());
  EXPECT_EQ(told([&] { motion.set(q, v, huge); }), "nothing was thrown");
}

TEST(ArgumentsOfPacks, that_are_not_finite_in_one_lane_are_refused) {
  const Model model = crane();
  State<Pack<double, 4>> state(model);
  VecX<Pack<double, 4>> q = neutral(model).cast<Pack<double, 4>>(),
                        v = VecX<Pack<double, 4>>::Zero(4);
  v(2).set(3, nan);
  EXPECT_EQ(told([&] { state.set(q, v); }), "v is not finite at 3 of 4, 'hook_wy'");
}

}  // namespace
}  // namespace ulna::test
