#include "ulna/dynamics/arguments.hpp"

#include <functional>

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

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
  Motion<double> motion{model};
  Kinematics<double> at{model};
  MassFactor<double> factor{model};

  /// Motions are checked where they are set, so that algorithms need not.
  template <class Check>
  void for_both(Check check) {
    {
      SCOPED_TRACE("Motion");
      check(motion);
    }
    SCOPED_TRACE("Kinematics");
    check(at);
  }

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

  for_both([&](auto& x) {
    EXPECT_EQ(told([&] { x.set(longer); }), q6);
    EXPECT_EQ(told([&] { x.set(longer, v); }), q6);
    EXPECT_EQ(told([&] { x.set(q, longer); }), v6);
    EXPECT_EQ(told([&] { x.set(longer, v, v); }), q6);
    EXPECT_EQ(told([&] { x.set(q, longer, v); }), v6);
    EXPECT_EQ(told([&] { x.set(q, v, longer); }), a6);
  });

  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, motion, ws, shorter); }), tau2);
  std::vector<Wrench<double>> few(2);
  EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, motion, ws, out, std::span(few)); }),
            "joint_wrenches has 2 numbers, robot 'crane' needs 3");
  EXPECT_EQ(told([&] { bias_torque<double>(plant, motion, ws, shorter); }), tau2);
  EXPECT_EQ(told([&] { gravity_torque<double>(plant, motion, ws, shorter); }), tau2);
  EXPECT_EQ(told([&] { add_friction<double>(plant, longer, out); }), v6);
  EXPECT_EQ(told([&] { add_friction<double>(plant, v, shorter); }), tau2);

  EXPECT_EQ(told([&] { (void)forward_dynamics<double>(plant, at, shorter, ws, out); }), tau2);
  EXPECT_EQ(told([&] { (void)forward_dynamics<double>(plant, at, v, ws, longer); }), a6);
  EXPECT_EQ(told([&] { (void)mass_matrix_dynamics<double>(plant, at, shorter, factor, ws, out); }),
            tau2);
  EXPECT_EQ(told([&] { (void)mass_matrix_dynamics<double>(plant, at, v, factor, ws, longer); }),
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
  EXPECT_EQ(told([&] { coriolis_matrix<double>(plant, at, ws, wrong); }),
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
  for_both([&](auto& x) {
    EXPECT_EQ(told([&] { x.set(bad_q); }), q3);
    EXPECT_EQ(told([&] { x.set(bad_q, v); }), q3);
    EXPECT_EQ(told([&] { x.set(q, bad_v); }), v3);
    EXPECT_EQ(told([&] { x.set(bad_q, v, v); }), q3);
    EXPECT_EQ(told([&] { x.set(q, bad_v, v); }), v3);
    EXPECT_EQ(told([&] { x.set(q, v, bad_a); }), a1);
  });
  EXPECT_EQ(told([&] { add_friction<double>(plant, bad_v, out); }), v3);
  EXPECT_EQ(told([&] { (void)forward_dynamics<double>(plant, at, bad_tau, ws, out); }), tau4);
  EXPECT_EQ(told([&] { (void)mass_matrix_dynamics<double>(plant, at, bad_tau, factor, ws, out); }),
            tau4);
}

// Nothing is left of what was there before, nor of what came before the number that is wrong: not even
// in the sines, poses and velocities that follow from q and v.
TEST_F(Arguments, that_are_refused_leave_the_robot_neutral_and_at_rest) {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(4), bad = with(ones, 2, nan);
  Eigen::VectorXd turned(5);
  turned << 2.0, std::cos(0.3), std::sin(0.3), 0.0, 0.0;
  const Frame hook = body_frame(2);
  const auto expect_new = [&](const auto& x) {
    const std::remove_cvref_t<decltype(x)> fresh(model);
    EXPECT_EQ(x.q(), q);
    EXPECT_EQ(x.v(), v);
    EXPECT_EQ(x.a(), v);
    Eigen::VectorXd tau(4), expected(4);
    inverse_dynamics<double>(plant, x, ws, tau);
    inverse_dynamics<double>(plant, fresh, ws, expected);
    EXPECT_EQ(tau, expected);
    if constexpr (requires { x.pose(hook); }) {
      expect_close(x.pose(hook), fresh.pose(hook), 0.0);
      expect_close(frame_velocity(x, hook, Axes::aligned), Twist<double>(), 0.0);
      expect_close(frame_acceleration(x, hook, Axes::aligned), Twist<double>(), 0.0);
    }
  };
  for_both([&](auto& x) {
    const std::function<void()> before[] = {[&] { x.set(turned); }, [&] { x.set(turned, ones); },
                                            [&] { x.set(turned, ones, ones); }};
    const std::function<void()> refused[] = {
        [&] { x.set(with(turned, 2, nan)); },
        [&] { x.set(turned, bad); },
        [&] { x.set(with(turned, 2, nan), ones, ones); },
        [&] { x.set(turned, bad, ones); },
        [&] { x.set(turned, ones, bad); },
        [&] { x.set(longer); },
        [&] { x.set(turned, longer); },
        [&] { x.set(turned, longer, ones); },
        [&] { x.set(turned, ones, longer); },
    };
    for (int i = 0; const auto& set : before) {
      for (int k = 0; const auto& set_wrong : refused) {
        SCOPED_TRACE("set " + std::to_string(i) + ", then wrong " + std::to_string(k++));
        set();
        EXPECT_NE(told(set_wrong), "nothing was thrown");
        expect_new(x);
        x.set(q);
        expect_new(x);
      }
      ++i;
    }
  });
}

// Numbers of another robot say nothing about this one.
TEST_F(Arguments, that_are_motions_of_another_robot_are_refused_with_both_names) {
  const auto slides = [](const std::string& name, int count) {
    Builder b(name);
    b.link("base");
    std::string parent = "base";
    for (int i = 1; i <= count; ++i) {
      const std::string link = "slide" + std::to_string(i);
      b.link(link, solid_box(Vec3<double>(0.1, 0.1, 0.1)).with_mass(1.0));
      b.joint("rail" + std::to_string(i), JointType::prismatic, parent, link);
      parent = link;
    }
    return b.build(true);
  };
  // as many bodies, as many degrees of freedom, and both, but then fewer numbers in q
  const Model puck = Builder("puck")
                         .link("base")
                         .link("disc", solid_box(Vec3<double>(0.2, 0.2, 0.1)).with_mass(2.0))
                         .link("pin", solid_box(Vec3<double>(0.1, 0.1, 0.3)).with_mass(1.0))
                         .joint("ice", JointType::planar, "base", "disc")
                         .joint("lift", JointType::prismatic, "disc", "pin")
                         .build(true);
  for (const Model& other : {slides("two slides", 2), slides("four slides", 4), puck}) {
    const Motion<double> moving(other);
    const Kinematics<double> there(other);
    const std::string why =
        "the motion is of robot '" + std::string(other.name()) + "', the plant of robot 'crane'";
    EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, moving, ws, out); }), why);
    EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, there, ws, out); }), why);
    EXPECT_EQ(told([&] { bias_torque<double>(plant, moving, ws, out); }), why);
    EXPECT_EQ(told([&] { gravity_torque<double>(plant, moving, ws, out); }), why);
    EXPECT_EQ(told([&] { (void)forward_dynamics<double>(plant, there, v, ws, out); }), why);
    EXPECT_EQ(told([&] { (void)articulated_body_dynamics<double>(plant, there, v, ws, out); }),
              why);
    EXPECT_EQ(told([&] { (void)mass_matrix_dynamics<double>(plant, there, v, factor, ws, out); }),
              why);
    EXPECT_EQ(told([&] { (void)factor.factor(plant, there, ws); }), why);
    Eigen::MatrixXd M(4, 4);
    EXPECT_EQ(told([&] { mass_matrix<double>(plant, there, ws, M); }), why);
  }
}

TEST_F(Arguments, that_are_wrenches_are_refused_without_a_frame_of_this_robot_or_with_nan) {
  const Frame hook = body_frame(2), stranger = body_frame(3);
  const auto refused = [&](const ExternalWrench<double>& w, const std::string& why) {
    const ExternalWrenches<double> one(&w, 1);
    EXPECT_EQ(told([&] { inverse_dynamics<double>(plant, motion, ws, out, one); }), why);
    EXPECT_EQ(told([&] { gravity_torque<double>(plant, motion, ws, out, one); }), why);
    EXPECT_EQ(told([&] { (void)forward_dynamics<double>(plant, at, v, ws, out, one); }), why);
    EXPECT_EQ(told([&] { (void)mass_matrix_dynamics<double>(plant, at, v, factor, ws, out, one); }),
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
  for_both([&](auto& x) { EXPECT_EQ(told([&] { x.set(q, v, huge); }), "nothing was thrown"); });
}

TEST(ArgumentsOfPacks, that_are_not_finite_in_one_lane_are_refused) {
  const Model model = crane();
  Motion<Pack<double, 4>> motion(model);
  Kinematics<Pack<double, 4>> at(model);
  VecX<Pack<double, 4>> q = neutral(model).cast<Pack<double, 4>>(),
                        v = VecX<Pack<double, 4>>::Zero(4);
  v(2).set(3, nan);
  EXPECT_EQ(told([&] { motion.set(q, v); }), "v is not finite at 3 of 4, 'hook_wy'");
  EXPECT_EQ(told([&] { at.set(q, v); }), "v is not finite at 3 of 4, 'hook_wy'");
}

// The scalar comes from the plant or the motion, and results may be any part of a matrix.
TEST(ArgumentTypes, need_no_scalar_to_be_named) {
  Random random(2);
  Rig<double> rig(load_robot("panda").model, random);
  const Kinematics<double> at = rig.motion();
  const std::vector<ExternalWrench<double>> wrenches = random_wrenches<double>(rig.model(), random);
  Eigen::MatrixXd all(7, 40);
  inverse_dynamics(rig.plant, at, rig.ws, all.col(0), wrenches);
  mass_matrix(rig.plant, at, rig.ws, all.middleCols(1, 7));
  coriolis_matrix(rig.plant, at, rig.ws, all.middleCols(8, 7));
  ASSERT_TRUE(forward_dynamics(rig.plant, at, all.col(0), rig.ws, all.col(15), wrenches));
  frame_jacobian(at, rig.model().frames().back(), Axes::local, all.block(0, 16, 6, 7));
  expect_close(Eigen::VectorXd(all.col(0)), rig.torque(wrenches), 0.0);
  expect_close(Eigen::MatrixXd(all.middleCols(1, 7)), rig.mass(), 0.0);
  expect_close(Eigen::VectorXd(all.col(15)), rig.a, 1e-11);
}

}  // namespace
}  // namespace ulna::test
