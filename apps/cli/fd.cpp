#include "closed_robot.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::cli {

Action fd(Parser& app, Console& console) {
  auto states = std::make_shared<States>();
  states->add_to(app, "q qd tau");
  states->add_friction_to(app);
  states->argument().add_loops_to(app);
  return [states, &console]() -> int {
    Robot robot = states->load(console);
    const Model& model = robot.model();
    std::optional<ClosedRobot> closed;
    if (states->argument().closes_loops(console, model)) closed.emplace(robot.plant());
    if (states->is_table() && closed) {
      states->stream(console, model, trajectory_names(model, "qdd"),
                     [&](const TableBlock& in, Eigen::MatrixXd& out) {
                       for_each_row(in, out, [&](Eigen::Index s) {
                         return closed->accelerations(in.q.col(s), in.qd.col(s), in.tau.col(s));
                       });
                     });
    } else if (states->is_table()) {
      Batch batch(model);
      states->stream(console, model, trajectory_names(model, "qdd"),
                     [&](const TableBlock& in, Eigen::MatrixXd& out) {
                       if (batch.forward_dynamics(robot.plant(), in.q, in.qd, in.tau, out)) return;
                       Eigen::Index first = 0;
                       while (out.col(first).allFinite()) ++first;
                       in.refused[first] = "the mass matrix is not positive definite; " +
                                           why_indefinite(robot.plant());
                     });
    } else {
      const GivenState s = states->state(console, model);
      const Eigen::VectorXd qdd = closed ? closed->accelerations(s.q, s.qd, s.tau, s.wrenches)
                                         : robot.forward_dynamics(s.q, s.qd, s.tau, s.wrenches);
      print_per_joint(console, model, states->json(model, s, "q qd tau"), "qdd", "rad/s^2, m/s^2",
                      qdd, closed);
    }
    return success;
  };
}

}  // namespace ulna::cli
