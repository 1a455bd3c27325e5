#include "states.hpp"
#include "verb.hpp"

namespace ulna::cli {

Action fd(CLI::App& app, Console& console) {
  auto states = std::make_shared<States>();
  states->add_to(app, "q qd tau");
  app.footer(
      "  ulna fd pendulum --q 0.5                 how it begins to fall\n"
      "  ulna fd arm.urdf log.csv >motion.csv     columns q_<joint>, qd_..., tau_...\n");
  return [states, &console]() -> int {
    Robot robot = states->load();
    const Model& model = robot.model();
    if (!states->is_table()) {
      const GivenState s = states->state(model);
      print_per_joint(console, model, "qdd", "rad/s^2, m/s^2",
                      robot.forward_dynamics(s.q, s.qd, s.tau, s.wrenches));
      return success;
    }
    Batch batch(model);
    stream_table(
        *states, console, model, {"q", "qd", "tau"}, trajectory_names(model, "qdd"),
        [&](const TableBlock& in, Eigen::MatrixXd& out) {
          if (!batch.forward_dynamics(robot.plant(), in.q, in.qd, in.tau, out))
            throw std::domain_error(
                "the mass matrix is not positive definite; ulna check lists the links that "
                "lack inertia");
        });
    return success;
  };
}

}  // namespace ulna::cli
