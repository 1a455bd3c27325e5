#include "ulna/codegen/robot/robot_functions.hpp"

#include <fstream>

#include "support/derivatives.hpp"
#include "support/drives.hpp"
#include "support/traced.hpp"
#include "ulna/codegen/compiled.hpp"
#include "ulna/codegen/print_c.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/io/import.hpp"

// What is traced computes what the algorithms do.
namespace ulna::test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

/// Each function by the library, the reference, and how a way to evaluate traced ones compares.
class Comparison {
 public:
  Comparison(const Model& model, Random& random)
      : rig_(model, random),
        M_(rig_.mass()),
        tau_(rig_.torque()),
        q_(list(rig_.q)),
        v_(list(rig_.v)) {}

  template <class Evaluate>
  void expect_equal(Evaluate evaluate) {
    const Model& model = rig_.model();
    const Eigen::Index n = rig_.nv();
    const MatrixXd one = MatrixXd::Identity(n, n);
    const auto run = [&](RobotFunction f, const Vectors& in) {
      SCOPED_TRACE(to_string(f));
      return evaluate(trace(model, f), in);
    };
    expect_close(matrix(run(RobotFunction::id, {q_, v_, list(rig_.a)})[0], n), tau_, 1e-12);
    expect_close(matrix(run(RobotFunction::M, {q_})[0], n), M_, 1e-12);
    expect_solved(matrix(run(RobotFunction::Minv, {q_})[0], n), one);
    // compared as M a: a light joint may magnify rounding
    expect_solved(matrix(run(RobotFunction::fd, {q_, v_, list(tau_)})[0], n), M_ * rig_.a);

    const InverseDynamicsDerivatives<double> inverse = inverse_derivatives(rig_);
    const Vectors did = run(RobotFunction::did, {q_, v_, list(rig_.a)});
    expect_close(matrix(did[0], n), inverse.tau, 1e-12);
    expect_close(matrix(did[1], n), inverse.dq, 1e-12);
    expect_close(matrix(did[2], n), inverse.dv, 1e-12);
    expect_close(matrix(did[3], n), inverse.da, 1e-12);

    ForwardDynamicsDerivatives<double> forward(model);
    ASSERT_TRUE(forward_derivatives(rig_, tau_, forward));
    const Vectors dfd = run(RobotFunction::dfd, {q_, v_, list(tau_)});
    expect_solved(matrix(dfd[0], n), M_ * forward.a);
    expect_solved(matrix(dfd[1], n), M_ * forward.dq);
    expect_solved(matrix(dfd[2], n), M_ * forward.dv);
    expect_solved(matrix(dfd[3], n), one);

    RowMatX<double> Y(n, rig_.plant.inertial_size());
    RegressorWorkspace<double> ws(model);
    torque_regressor<double>(rig_.motion(), ws, Y);
    expect_close(matrix(run(RobotFunction::Y, {q_, v_, list(rig_.a)})[0], n), MatrixXd(Y), 1e-12);
  }

 private:
  void expect_solved(const MatrixXd& x, const MatrixXd& Mx) {
    for (Eigen::Index c = 0; c < x.cols(); ++c)
      test::expect_solved<double>(M_, x.col(c), Mx.col(c), 1e-12);
  }

  Rig<double> rig_;
  MatrixXd M_;
  VectorXd tau_;
  std::vector<double> q_, v_;
};

TEST(RobotFunctions, are_those_of_the_library_on_every_embedded_robot) {
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(robot.name);
    Random random(1);
    Comparison(load_robot(robot.name).model, random).expect_equal(interpret);
  }
}

TEST(RobotFunctions, are_those_of_the_library_on_trees_of_all_joints) {
  for_each_robot(
      [](const Model& model, Random& random) { Comparison(model, random).expect_equal(interpret); },
      4, {.joints = 7});
}

TEST(RobotFunctions, are_the_same_compiled) {
  const TemporaryFolder cache;
  const auto compiled = [&](const Traced& traced, const Vectors& in) {
    CompiledFunction f(traced, {.cache = cache.path(), .flags = {"-O0"}});
    return call(f, traced, in);
  };
  for (const char* name : {"panda", "quadruped"}) {
    SCOPED_TRACE(name);
    Random random(2);
    Comparison(load_robot(name).model, random).expect_equal(compiled);
  }
  SCOPED_TRACE("random_model(3)");
  Random random(3);
  Comparison(random_model(3, {.joints = 5}), random).expect_equal(compiled);
}

TEST(RobotFunctions, take_inertias_as_an_argument) {
  for_each_robot(
      [](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        // those of another robot: each body has some of the next one's mass
        VectorXd pi(rig.plant.inertial_size());
        rig.plant.get_inertial(pi);
        pi.head(pi.size() - 10) += 0.5 * pi.tail(pi.size() - 10).eval();
        rig.plant.set_inertial(pi);
        const auto run = [&](RobotFunction f, Vectors in) {
          in.push_back(list(pi));
          return matrix(interpret(trace(model, f, {.symbolic_inertias = true}), in)[0], rig.nv());
        };
        expect_close(run(RobotFunction::id, {list(rig.q), list(rig.v), list(rig.a)}), rig.torque(),
                     1e-12);
        expect_close(run(RobotFunction::did, {list(rig.q), list(rig.v), list(rig.a)}), rig.torque(),
                     1e-12);
        expect_close(run(RobotFunction::M, {list(rig.q)}), rig.mass(), 1e-12);
      },
      3, {.joints = 6});
}

TEST(RobotFunctions, of_motors_are_those_of_the_library_for_elastic_coupled_and_mixed_drives) {
  for_each_robot(
      [](const Model& rigid, Random& random) {
        const Model model = with_random_drives(rigid, random, {.damped = 0.3});
        DrivenRig<double> rig(model, random);
        const DriveTorques<double> out = rig.inverse();
        const Vectors inverse =
            interpret(trace(model, RobotFunction::drive_id),
                      {list(rig.q), list(rig.v), list(rig.a), list(rig.jerk), list(rig.snap)});
        expect_close(column(inverse[0]), out.motor, 1e-11);
        expect_close(column(inverse[1]), out.theta, 1e-11);
        expect_close(column(inverse[2]), out.omega, 1e-11);

        VectorXd a(model.nv()), alpha(model.nv());
        ASSERT_TRUE(drive_forward_dynamics<double>(rig.plant, rig.state(), rig.drive_state(),
                                                   out.motor, rig.drive_ws, a, alpha));
        const Vectors forward = interpret(
            trace(model, RobotFunction::drive_fd),
            {list(rig.q), list(rig.v), list(out.theta), list(out.omega), list(out.motor)});
        expect_close(column(forward[0]), a, 1e-9);
        expect_close(column(forward[1]), alpha, 1e-9);
      },
      6, {.joints = 6});
}

TEST(RobotFunctions, of_the_panda_take_few_operations) {
  const Model panda = load_robot("panda").model;
  const auto count = [&](RobotFunction f) { return trace(panda, f).operation_count(); };
  EXPECT_LE(count(RobotFunction::id), 620);
  EXPECT_LE(count(RobotFunction::M), 390);
  EXPECT_LE(count(RobotFunction::Minv), 730);
  EXPECT_LE(count(RobotFunction::fd), 1200);
  EXPECT_LE(count(RobotFunction::did), 2950);
  EXPECT_LE(count(RobotFunction::dfd), 4950);
  EXPECT_LE(count(RobotFunction::Y), 1600);
}

TEST(RobotFunctions, compile_as_c99_without_a_warning) {
  const TemporaryFolder folder;
  for (const CNumber number : {CNumber::double_precision, CNumber::single_precision})
    for (const RobotFunction f : robot_functions) {
      const Traced traced = trace(load_robot("panda").model, f);
      const CFiles files = print_c(traced, {.number = number});
      std::ofstream(folder / (traced.name() + ".h")) << files.header;
      std::ofstream(folder / (traced.name() + ".c")) << files.source;
      const std::string command =
          "cc -std=c99 -pedantic -Wall -Wextra -Wdouble-promotion -Werror -fsyntax-only " +
          (folder / (traced.name() + ".c")).string();
      EXPECT_EQ(std::system(command.c_str()), 0);
    }
}

TEST(RobotFunctions, have_names_that_lead_back) {
  for (const RobotFunction f : robot_functions)
    EXPECT_EQ(robot_function_from_string(to_string(f)), f);
  for (const RobotFunction f : drive_functions)
    EXPECT_EQ(robot_function_from_string(to_string(f)), f);
  EXPECT_EQ(robot_function_from_string("nonsense"), std::nullopt);
}

TEST(RobotFunctions, refuse_robots_that_would_fill_the_disk) {
  const Model many = random_model(1, {.joints = 70, .kinds = single_kinds, .mimic = 0.0});
  EXPECT_NE(told([&] { trace(many, RobotFunction::id); }).find("degrees of freedom"),
            std::string::npos);
}

}  // namespace
}  // namespace ulna::test
