#include "states.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::cli {

Action fd(Parser& app, Console& console) {
  auto states = std::make_shared<States>();
  states->add_to(app, "q qd tau");
  states->add_friction_to(app);
  return [states, &console]() -> int {
    Robot robot = states->load(console);
    const Model& model = robot.model();
    mention_open_loops(console, model);
    if (states->is_table()) {
      Batch batch(model);
      states->stream(console, model, trajectory_names(model, "qdd"),
                     [&](const TableBlock& in, Eigen::MatrixXd& out) {
                       if (!batch.forward_dynamics(robot.plant(), in.q, in.qd, in.tau, out))
                         throw Failure("the mass matrix is not positive definite; {}",
                                       why_indefinite(robot.plant()));
                     });
    } else {
      const GivenState s = states->state(console, model);
      print_per_joint(console, model, states->json(model, s, "q qd tau"), "qdd", "rad/s^2, m/s^2",
                      robot.forward_dynamics(s.q, s.qd, s.tau, s.wrenches));
    }
    return success;
  };
}

}  // namespace ulna::cli
