#pragma once

#include <functional>

#include "ulna/control/problem.hpp"
#include "ulna/control/sqp.hpp"

namespace ulna::control {

struct IpoptOptions {
  double tolerance = 1e-8;
  int iterations = 1000;
  double seconds = 600.0;     ///< of processor time, at most
  bool exact_hessian = true;  ///< where the problem has it and its states are plain vectors
  /// Asked once an iteration with its number and the cost there; false ends the search.
  std::function<bool(int iteration, double cost)> go_on = {};
};

struct IpoptResult {
  SqpStatus status = SqpStatus::failed;
  int iterations = 0;
  double cost = 0.0;                  ///< with what soft rows pay
  double defect = 0.0, breach = 0.0;  ///< what is left, the largest of each
  Trajectory trajectory;              ///< where it ended; the guess if that was nowhere

  std::string str() const;
};

/// Whether this build has it.
bool has_ipopt();

/// Solves an optimal control problem by Ipopt [Wächter, Biegler 2006]: slower than `Sqp`, and made by others,
/// so that it is a witness; and at home where problems are hard and time does not matter.
///
/// States that are no plain vectors are sought as displacements from the guess, which therefore must not be
/// half a turn away from the solution.
///
/// Throws std::runtime_error if the build is without Ipopt.
IpoptResult solve_with_ipopt(OptimalControlProblem& problem, const Trajectory& guess,
                             const Eigen::Ref<const Eigen::VectorXd>& x0,
                             const IpoptOptions& options = {});

}  // namespace ulna::control
