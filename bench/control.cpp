// Optimal control: quadratic programs of an arm, and the Panda's problem solved from cold and step by
// step in a closed loop.

#include <stdexcept>

#include "bench.hpp"
#include "support/random_qp.hpp"
#include "ulna/control/robot/robot_problem.hpp"
#include "ulna/control/sqp.hpp"
#include "ulna/io/import.hpp"

namespace bench {

using namespace ulna;
using namespace ulna::control;

void measure_control(double seconds_each, Entries& entries) {
  constexpr int horizon = 20;
  const Model robot = load_robot("panda").model;
  const int nv = robot.nv();

  // the programs that the tests solve, one after the other
  std::vector<test::ArmQp> programs;
  for (unsigned seed = 1; seed <= 100; ++seed) programs.push_back(test::arm_qp(horizon, seed));
  std::vector<StageSize> sizes;
  for (const QpStage& stage : programs[0].stages) sizes.push_back(stage.size);
  QpSolver solver(sizes);
  measure({{"panda", nv, "qp", "",
            [&](long runs) {
              for (; runs > 0; --runs)
                for (const test::ArmQp& qp : programs)
                  if (solver.solve(qp.stages, qp.x0).status != QpStatus::solved)
                    throw std::runtime_error("a quadratic program is not solved");
            },
            static_cast<double>(programs.size())}},
          seconds_each, entries);

  // a reach: weights and horizon as in the comparison of acados, FATROP and Ipopt
  MotionWeights weights(robot);
  weights.position.setConstant(10.0), weights.velocity.setConstant(0.1);
  weights.torque.setConstant(1e-4), weights.terminal = 10.0;
  RobotProblem problem(Plant<double>(robot),
                       {.threads = 1, .steps = horizon, .duration = 0.02, .weights = weights});
  Eigen::VectorXd q0(nv), way(nv), v0 = Eigen::VectorXd::Zero(nv);
  q0 << 0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785;
  way << 0.5, 0.3, -0.4, 0.5, 0.3, -0.5, 0.4;
  problem.set_goal(q0 + way);
  Trajectory still = problem.guess(q0, v0);
  for (Eigen::VectorXd& x : still.x) x = problem.state(q0, v0);
  Sqp sqp(problem);
  measure({{"panda", nv, "sqp_cold", "",
            [&](long runs) {
              for (; runs > 0; --runs) {
                sqp.trajectory = still;
                if (sqp.solve(still.x[0]).status != SqpStatus::solved)
                  throw std::runtime_error("the Panda's problem is not solved");
              }
            }}},
          seconds_each, entries);

  constexpr int steps = 200;
  Plant<double> plant(robot);
  Step<double> step(robot, Integrator::rk4);
  Eigen::VectorXd q(nv), v(nv), x(2 * nv);
  measure({{"panda", nv, "rti_steps", "",
            [&](long runs) {
              for (; runs > 0; --runs) {
                sqp.trajectory = still;
                q = q0, v = v0;
                for (int k = 0; k < steps; ++k) {
                  x << q, v;
                  if (!sqp.prepare() || sqp.feedback(x).status != SqpStatus::solved ||
                      !step(plant, q, v, sqp.trajectory.u[0], 0.02))
                    throw std::runtime_error("a step of the loop failed");
                  q = step.q_next, v = step.v_next;
                  sqp.shift();
                }
              }
            },
            steps}},
          seconds_each, entries);
}

}  // namespace bench
