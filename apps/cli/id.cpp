#include "closed_robot.hpp"

namespace ulna::cli {

Action id(Parser& app, Console& console) {
  auto states = std::make_shared<States>();
  states->add_to(app, "q qd qdd");
  states->add_friction_to(app);
  states->argument().add_loops_to(app);
  return [states, &console]() -> int {
    Robot robot = states->load(console);
    const Model& model = robot.model();
    std::optional<ClosedRobot> closed;
    if (states->argument().closes_loops(console, model)) closed.emplace(robot.plant());
    if (states->is_table() && closed) {
      states->stream(console, model, trajectory_names(model, "tau"),
                     [&](const TableBlock& in, Eigen::MatrixXd& out) {
                       for_each_row(in, out, [&](Eigen::Index s) {
                         return closed->torques(in.q.col(s), in.qd.col(s), in.qdd.col(s));
                       });
                     });
    } else if (states->is_table()) {
      Batch batch(model);
      states->stream(console, model, trajectory_names(model, "tau"),
                     [&](const TableBlock& in, Eigen::MatrixXd& out) {
                       batch.inverse_dynamics(robot.plant(), in.q, in.qd, in.qdd, out);
                     });
    } else {
      const GivenState s = states->state(console, model);
      const Eigen::VectorXd tau = closed ? closed->torques(s.q, s.qd, s.qdd, s.wrenches)
                                         : robot.inverse_dynamics(s.q, s.qd, s.qdd, s.wrenches);
      print_per_joint(console, model, states->json(model, s, "q qd qdd"), "tau", "Nm, N", tau,
                      closed);
    }
    return success;
  };
}

}  // namespace ulna::cli
