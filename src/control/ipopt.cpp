#include "ulna/control/ipopt.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "merit.hpp"

#if ULNA_WITH_IPOPT
#include "ipopt_program.hpp"
#endif

namespace ulna::control {

bool has_ipopt() { return ULNA_WITH_IPOPT; }

std::string IpoptResult::str() const {
  char text[200];
  std::snprintf(text, sizeof text,
                "%s by Ipopt after %d iterations: cost %.9g, defect %.1e, breach %.1e",
                to_string(status), iterations, cost, defect, breach);
  return text;
}

#if ULNA_WITH_IPOPT

namespace {

SqpStatus status_of(Ipopt::ApplicationReturnStatus status) {
  switch (status) {
    case Ipopt::Solve_Succeeded:
    case Ipopt::Solved_To_Acceptable_Level:
      return SqpStatus::solved;
    case Ipopt::Maximum_Iterations_Exceeded:
    case Ipopt::Maximum_CpuTime_Exceeded:
    case Ipopt::User_Requested_Stop:
      return SqpStatus::limited;
    case Ipopt::Infeasible_Problem_Detected:
      return SqpStatus::infeasible;
    case Ipopt::Search_Direction_Becomes_Too_Small:
    case Ipopt::Restoration_Failed:
    case Ipopt::Error_In_Step_Computation:
    case Ipopt::Feasible_Point_Found:
      return SqpStatus::stalled;
    default:
      return SqpStatus::failed;
  }
}

}  // namespace

IpoptResult solve_with_ipopt(OptimalControlProblem& problem, const Trajectory& guess,
                             const Eigen::Ref<const Eigen::VectorXd>& x0,
                             const IpoptOptions& options) {
  detail::require_shape(problem, guess, x0);
  Ipopt::SmartPtr<Ipopt::IpoptApplication> solver = new Ipopt::IpoptApplication(false);
  const auto set = solver->Options();
  set->SetIntegerValue("print_level", 0);
  set->SetStringValue("sb", "yes");
  set->SetIntegerValue("max_iter", options.iterations);
  set->SetNumericValue("max_cpu_time", options.seconds);
  set->SetNumericValue("tol", options.tolerance);
  // no "acceptable" results, and bounds that are kept
  set->SetIntegerValue("acceptable_iter", 0);
  set->SetNumericValue("bound_relax_factor", 1e-10);
  Ipopt::SmartPtr<detail::IpoptProgram> program =
      new detail::IpoptProgram(problem, guess, x0, options);

  IpoptResult result;
  result.trajectory = guess;
  result.trajectory.x[0] = x0;
  if (solver->Initialize("") == Ipopt::Solve_Succeeded) {
    result.status = status_of(solver->OptimizeTNLP(GetRawPtr(program)));
    result.iterations = program->iterations;
    if (program->ended) result.trajectory = program->trajectory();
  }
  auto values = stage_values(problem);
  auto defects = detail::multipliers_of(problem).next;
  detail::Merit m;
  m.cost = std::nan("");
  if (problem.evaluate(result.trajectory, values))
    m = detail::merit(problem, result.trajectory, values, defects);
  if (!m.finite()) result.status = SqpStatus::failed;
  result.cost = m.cost, result.defect = m.defect, result.breach = m.breach;
  return result;
}

#else

IpoptResult solve_with_ipopt(OptimalControlProblem& problem, const Trajectory& guess,
                             const Eigen::Ref<const Eigen::VectorXd>& x0, const IpoptOptions&) {
  detail::require_shape(problem, guess, x0);
  throw std::runtime_error(
      "this build of ulna is without Ipopt; install it (Debian: coinor-libipopt-dev) and configure "
      "with -DULNA_WITH_IPOPT=ON, or solve by Sqp");
}

#endif

}  // namespace ulna::control
