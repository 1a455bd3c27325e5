#include "ulna/dynamics/inverse_kinematics.hpp"

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {
namespace {

Transform<double> pose_at(const Model& model, const Frame& frame, const Eigen::VectorXd& q) {
  Kinematics<double> at(model);
  at.set(q);
  return at.pose(frame);
}

/// Fails unless a result keeps what it promises: its errors are those of its q, which respects the
/// limits, and it is found only if they are small.
void expect_honest(const IkResult& result, const Model& model, const Frame& frame,
                   const Transform<double>& target, const IkOptions& options = {}) {
  ASSERT_EQ(result.q.size(), model.nq());
  const Transform<double> X = pose_at(model, frame, result.q);
  EXPECT_NEAR(result.position_error, (X.translation() - target.translation()).norm(), 1e-12);
  const double turned = (X.rotation().inverse() * target.rotation()).log().norm();
  if (!options.position_only) {
    EXPECT_NEAR(result.orientation_error, turned, 1e-9);
  }
  EXPECT_EQ(result.found, result.position_error <= options.position_tolerance &&
                              result.orientation_error <= options.orientation_tolerance);
  for (int i = 0; i < model.nq(); ++i) {
    EXPECT_GE(result.q(i), model.lower_limit()(i));
    EXPECT_LE(result.q(i), model.upper_limit()(i));
  }
  EXPECT_GE(result.starts, 1);
  EXPECT_LE(result.starts, options.restarts + 1);
}

/// How many of `count` random reachable targets are found.
int found_of(const Model& model, const Frame& frame, int count, const IkOptions& options = {}) {
  int found = 0;
  for (int seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    const Transform<double> target = pose_at(model, frame, random_q(model, random));
    const IkResult result =
        inverse_kinematics(model, frame, target, random_q(model, random), options);
    expect_honest(result, model, frame, target, options);
    found += result.found;
  }
  return found;
}

TEST(InverseKinematics, finds_where_the_panda_can_reach) {
  const Model model = load_robot("panda").model;
  EXPECT_GE(found_of(model, model.frame("flange"), 100), 99);
}

TEST(InverseKinematics, finds_where_other_arms_can_reach) {
  for (const char* robot : {"puma560", "ur5e", "iiwa14", "scara", "ball_wrist", "stanford"}) {
    SCOPED_TRACE(robot);
    const Model model = load_robot(robot).model;
    const Frame& tip = model.frames().back();
    EXPECT_GE(found_of(model, tip, 20), 19);
  }
}

TEST(InverseKinematics, finds_positions_alone) {
  const Model model = load_robot("panda").model;
  const IkOptions options{.position_only = true};
  EXPECT_EQ(found_of(model, model.frame("flange"), 50, options), 50);
  Random random(1);
  const Transform<double> target = pose_at(model, model.frame("flange"), random_q(model, random));
  const IkResult result =
      inverse_kinematics(model, model.frame("flange"), target, neutral(model), options);
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.orientation_error, 0.0);
}

TEST(InverseKinematics, serves_robots_of_all_kinds_of_joints) {
  int found = 0, tried = 0;
  for_each_robot(
      [&](const Model& model, Random& random) {
        const Frame tip = body_frame(model.body_count() - 1);
        const Transform<double> target = pose_at(model, tip, random_q(model, random));
        const IkResult result = inverse_kinematics(model, tip, target, random_q(model, random));
        expect_honest(result, model, tip, target);
        // and quaternions stay of unit length
        Eigen::VectorXd unit = result.q;
        normalize(model, unit);
        expect_close(unit, result.q, 1e-14);
        found += result.found, ++tried;
      },
      10);
  EXPECT_EQ(found, tried);
}

TEST(InverseKinematics, stays_where_it_is_if_it_is_there) {
  const Model model = load_robot("panda").model;
  Random random(1);
  const Eigen::VectorXd q = random_q(model, random);
  const Frame& flange = model.frame("flange");
  const IkResult result = inverse_kinematics(model, flange, pose_at(model, flange, q), q);
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.q, q);
  EXPECT_EQ(result.starts, 1);
  EXPECT_EQ(result.report(), "found in 1 iteration (1 start): 0.0e+00 m, 0.0e+00 rad");
}

TEST(InverseKinematics, says_so_where_the_robot_cannot_reach) {
  const Model model = load_robot("panda").model;
  const Frame& flange = model.frame("flange");
  const Transform<double> target = Transform<double>::from_translation({3.0, 0.0, 0.0});
  const IkResult result = inverse_kinematics(model, flange, target, neutral(model));
  expect_honest(result, model, flange, target);
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.starts, 21);
  EXPECT_GT(result.position_error, 1.5) << "the arm is about 1 m long";
  EXPECT_EQ(result.report().find("not found in "), 0u) << result.report();
  EXPECT_NE(result.report().find("(21 starts)"), std::string::npos) << result.report();
}

TEST(InverseKinematics, is_the_same_for_the_same_seed) {
  const Model model = load_robot("panda").model;
  const Frame& flange = model.frame("flange");
  Random random(7);
  const Transform<double> target = pose_at(model, flange, random_q(model, random));
  const auto once = [&](std::uint64_t seed) {
    return inverse_kinematics(model, flange, target, neutral(model),
                              {.iterations = 3, .seed = seed})
        .q;
  };
  EXPECT_EQ(once(1), once(1));
  EXPECT_NE(once(1), once(2));
}

TEST(InverseKinematics, meets_a_constraint_everywhere) {
  // joint 3 turns half as far as joint 1
  const Model model = load_robot("panda").model;
  const Frame& flange = model.frame("flange");
  const IkConstraint half{[](const Eigen::VectorXd&) {
                            Eigen::MatrixXd J = Eigen::MatrixXd::Zero(1, 7);
                            J(0, 0) = -0.5, J(0, 2) = 1.0;
                            return J;
                          },
                          [](const Eigen::VectorXd&, Eigen::VectorXd& to) {
                            to(2) = 0.5 * to(0);
                            return true;
                          }};
  int found = 0;
  for (int seed = 1; seed <= 50; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto some = [&] {
      Eigen::VectorXd q = random_q(model, random);
      q(2) = 0.5 * q(0);
      return q;
    };
    const Transform<double> target = pose_at(model, flange, some());
    const IkResult result = inverse_kinematics(model, flange, target, some(), {}, half);
    expect_honest(result, model, flange, target);
    EXPECT_EQ(result.q(2), 0.5 * result.q(0));
    found += result.found;
  }
  EXPECT_GE(found, 45);
}

TEST(InverseKinematics, refuses_what_it_cannot_understand) {
  const Model model = load_robot("panda").model;
  const Frame& flange = model.frame("flange");
  const Transform<double> target;
  const auto try_from = [&](const Eigen::VectorXd& start, const Transform<double>& to) {
    return told([&] { (void)inverse_kinematics(model, flange, to, start); });
  };
  EXPECT_EQ(try_from(Eigen::VectorXd::Zero(6), target),
            "start has 6 numbers, robot 'panda' needs 7");
  Eigen::VectorXd start = neutral(model);
  start(3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(try_from(start, target), "start is not finite at 4 of 7, 'panda_joint4'");
  const auto nowhere = Transform<double>::from_translation({infinity, 0.0, 0.0});
  EXPECT_EQ(try_from(neutral(model), nowhere), "inverse kinematics: the target is not finite");
}

}  // namespace
}  // namespace ulna::test
