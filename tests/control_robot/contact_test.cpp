#include <Eigen/QR>

#include "solvers.hpp"
#include "ulna/io/import.hpp"

// A frame that is pressed against a wall.
namespace ulna::test {
namespace {

using Eigen::VectorXd;

const VectorXd bent{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};

RobotProblemOptions pressing(const Model& model) {
  RobotProblemOptions options;
  options.transcription = Transcription::inverse_dynamics;
  options.steps = 6, options.duration = 0.02;
  options.contact = {.frame = std::string(model.frames().back().name),
                     .normal = Vec3<double>(-0.6, 0.0, 0.8),
                     .friction = 0.3};
  return options;
}

TEST(ContactInProblems, slopes_are_those_of_values) {
  const Model model = load_robot("panda").model;
  for (const bool timed : {false, true}) {
    RobotProblemOptions options = pressing(model);
    options.steps = 2;
    if (timed) options.final_time = {{0.03, 0.2}};
    RobotProblem problem(smooth_plant(model), options);
    Random random(2);
    const Trajectory t = random_trajectory(problem, random);
    set_random_references(problem, t, random);
    problem.set_contact(10.0);
    expect_true_slopes(problem, t, 1e-6);
  }
}

/// J'f of what the wall does, by another way than the problem's.
VectorXd wall_torque(const Model& model, const ContactTask& wall, const VectorXd& q,
                     const VectorXd& v, double force) {
  Kinematics<double> at(model);
  at.set(q, v);
  Eigen::MatrixXd J(6, model.nv());
  frame_jacobian<double>(at, model.frame(wall.frame), Axes::aligned, J);
  const Vec3<double> u = J.bottomRows<3>() * v, slip = u - wall.normal.dot(u) * wall.normal;
  return J.bottomRows<3>().transpose() *
         (force * (wall.normal - wall.friction * slip.normalized()));
}

TEST(ContactInProblems, plans_press_as_asked_and_do_not_move_along_the_normal) {
  const Model model = load_robot("panda").model;
  const RobotProblemOptions options = pressing(model);
  const ContactTask& wall = *options.contact;
  RobotProblem problem(smooth_plant(model), options);
  // sliding along the wall
  Kinematics<double> at(model);
  at.set(bent);
  Eigen::MatrixXd J(6, 7);
  frame_jacobian<double>(at, model.frame(wall.frame), Axes::aligned, J);
  Eigen::Matrix<double, 6, 1> twist = Eigen::Matrix<double, 6, 1>::Zero();
  twist(4) = 0.2;
  const VectorXd v = J.completeOrthogonalDecomposition().solve(twist);
  for (int k = 0; k <= problem.steps(); ++k) problem.set_reference(k, bent + 0.02 * k * v, v);
  problem.set_contact(10.0);
  Sqp sqp(problem, {.tolerance = 1e-8});
  sqp.trajectory = problem.guess(bent, v);
  const SqpReport& report = sqp.solve(problem.state(bent, v));
  ASSERT_EQ(report.status, SqpStatus::solved) << report.str();
  const auto values = values_at(problem, sqp.trajectory);
  for (std::size_t k = 0; k < std::size_t(problem.steps()); ++k) {
    const VectorXd &u = sqp.trajectory.u[k], &x = sqp.trajectory.x[k];
    EXPECT_NEAR(problem.contact_force(u), 10.0, 0.1) << k;
    at.set(x.head(7), x.tail(7), u.head(7));
    EXPECT_NEAR(wall.normal.dot(
                    frame_acceleration<double>(at, model.frame(wall.frame), Axes::aligned).linear),
                0.0, 5e-3);  // by the reference's Jacobian, which is near
    // torques are those of the motion, less what the wall does
    Workspace<double> ws(model);
    VectorXd needed(7);
    inverse_dynamics<double>(problem.plant(), at, ws, needed);
    const VectorXd reference_v = v, pushed = wall_torque(model, wall, x.head(7), reference_v,
                                                         problem.contact_force(u));
    EXPECT_LT((values[k].g.head(7) - (needed - pushed)).cwiseAbs().maxCoeff(), 0.05) << k;
  }
}

TEST(ContactInProblems, does_not_touch_where_it_is_not_to) {
  const Model model = load_robot("panda").model;
  RobotProblem problem(smooth_plant(model), pressing(model));
  problem.set_goal(bent);
  problem.set_contact(3, 10.0);
  Sqp sqp(problem, {.tolerance = 1e-8});
  sqp.trajectory = problem.guess(bent, VectorXd::Zero(7));
  ASSERT_EQ(sqp.solve(problem.state(bent, VectorXd::Zero(7))).status, SqpStatus::solved);
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(problem.contact_force(sqp.trajectory.u[k]), k == 3 ? 10.0 : 0.0, 0.1) << k;
}

TEST(ContactInProblems, says_what_it_does_not_support) {
  const Model model = load_robot("panda").model;
  const auto refused = [&](auto change, const char* word) {
    RobotProblemOptions options = pressing(model);
    change(options);
    try {
      RobotProblem problem(Plant<double>(model), options);
      ADD_FAILURE() << word;
    } catch (const std::exception& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  refused([](auto& o) { o.transcription = Transcription::forward_dynamics; }, "inverse_dynamics");
  refused([](auto& o) { o.contact->normal *= 2.0; }, "length 1");
  refused([](auto& o) { o.contact->friction = -0.1; }, "friction");
  refused([](auto& o) { o.contact->frame = "nowhere"; }, "nowhere");
  RobotProblem none(Plant<double>(model), {});
  EXPECT_THROW(none.set_contact(5.0), std::logic_error);
  RobotProblem some(Plant<double>(model), pressing(model));
  EXPECT_THROW(some.set_contact(-5.0), std::invalid_argument);
  EXPECT_THROW(some.set_contact(7, 5.0), std::out_of_range);
}

}  // namespace
}  // namespace ulna::test
