#include "states.hpp"

namespace ulna::cli {

Action id(Parser& app, Console& console) {
  auto states = std::make_shared<States>();
  states->add_to(app, "q qd qdd");
  states->add_friction_to(app);
  return [states, &console]() -> int {
    Robot robot = states->load(console);
    const Model& model = robot.model();
    mention_open_loops(console, model);
    if (states->is_table()) {
      Batch batch(model);
      states->stream(console, model, trajectory_names(model, "tau"),
                     [&](const TableBlock& in, Eigen::MatrixXd& out) {
                       batch.inverse_dynamics(robot.plant(), in.q, in.qd, in.qdd, out);
                     });
    } else {
      const GivenState s = states->state(console, model);
      print_per_joint(console, model, states->json(model, s, "q qd qdd"), "tau", "Nm, N",
                      robot.inverse_dynamics(s.q, s.qd, s.qdd, s.wrenches));
    }
    return success;
  };
}

}  // namespace ulna::cli
