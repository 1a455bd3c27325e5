#pragma once

#include "support/dynamics.hpp"
#include "ulna/classic/arm.hpp"
#include "ulna/io/import.hpp"
#include "ulna/num/dual.hpp"

/// Arms for the classical formulations, and `dynamics` as the witness.
namespace ulna::test {

/// Chains of 1 to 10 revolute and prismatic joints; trees of as many, if they are wanted.
inline Model random_arm(std::uint64_t seed, bool tree = false) {
  Random random(seed);
  RandomModelOptions options;
  options.joints = static_cast<int>(seed - 1) % 10 + 1;
  options.kinds = {JointType::revolute, JointType::prismatic, JointType::continuous};
  options.branching = tree ? 0.5 : 0.0;
  options.mimic = 0.0;
  return Builder(random_description(random, options)).build(true);
}

/// Whether the formulations take it: revolute and prismatic joints of their own, no loops.
inline bool is_arm(const Model& model) {
  try {
    classic::detail::require_arm(model);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

/// Runs a law on every embedded arm and on random ones, chains and trees; a failure tells which.
/// Friction and rotor inertia are taken off: the formulations are of rigid bodies.
template <class Law>
void for_each_arm(Law law, std::uint64_t count = 30) {
  const auto run = [&](const std::string& name, const Model& model) {
    SCOPED_TRACE(name);
    Random random(4321);
    law(model, random);
  };
  for (const EmbeddedRobot& robot : embedded_robots()) {
    const Model model = import_robot(robot.text, std::string(robot.file_name)).model;
    if (is_arm(model)) run(std::string(robot.name), model);
  }
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    run("random_arm(" + std::to_string(seed) + ")", random_arm(seed));
    if (seed % 3 == 0)
      run("random_arm(" + std::to_string(seed) + ", tree)", random_arm(seed, true));
  }
}

/// The same on chains only, with the chain as Fu 1987 frames it.
template <class Law>
void for_each_chain(Law law, std::uint64_t count = 30) {
  for_each_arm(
      [&](const Model& model, Random& random) {
        const classic::Arm<double> arm{Plant<double>(model)};
        if (arm.is_chain()) law(model, arm, random);
      },
      count);
}

/// Numbers that move: each has its rate as its derivative.
inline VecX<Dual<double, 1>> moving(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  VecX<Dual<double, 1>> moved(q.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    moved(i).value = q(i);
    moved(i).gradient[0] = v(i);
  }
  return moved;
}
template <class M>
Eigen::MatrixXd rates(const M& m) {
  return m.unaryExpr([](const Dual<double, 1>& x) { return x.gradient[0]; });
}

/// Fails unless A + A' = 0, to within rounding of numbers of this size.
inline void expect_skew(const Eigen::MatrixXd& A, double size, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE()) {
  expect_close(Eigen::MatrixXd((A + A.transpose()) / size),
               Eigen::MatrixXd(Eigen::MatrixXd::Zero(A.rows(), A.cols())), 1e-12, file, line);
}

/// Fails unless a = b to within `tolerance` of the largest number in either.
template <class A, class B>
void expect_same(const A& a, const B& b, double tolerance = 1e-10,
                 const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const double size = std::max({largest(a), largest(b), 1e-300});
  expect_close(typename A::PlainObject(a / typename A::Scalar(size)),
               typename B::PlainObject(b / typename B::Scalar(size)), tolerance, file, line);
}

}  // namespace ulna::test
