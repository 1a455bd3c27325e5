#include "per_joint.hpp"
#include "states.hpp"
#include "table.hpp"
#include "verb.hpp"

namespace ulna::cli {

void print_per_joint(Console& console, const Model& model, const char* field, const char* unit,
                     const Eigen::VectorXd& values) {
  const std::vector<std::string> names = model.velocity_names();
  if (console.json()) {
    Json document = console.document();
    document["joints"] = names;
    document[field] = to_json(values);
    console.print(document);
    return;
  }
  const Results figures(values);
  Table table(1);
  table.column({"joint", "", false, 0});
  table.column({field, unit, true});
  for (std::size_t i = 0; i < names.size(); ++i)
    table.row({names[i], figures(values(static_cast<Eigen::Index>(i)))});
  console.out.print(table.str(console.out));
}

Action id(CLI::App& app, Console& console) {
  auto states = std::make_shared<States>();
  states->add_to(app, "q qd qdd");
  app.footer(
      "  ulna id panda --q 0,0,0,-1.5,0,1.5,0     what holds the arm\n"
      "  ulna id arm.urdf log.csv >torques.csv    columns q_<joint>, qd_..., qdd_...\n"
      "  ulna id panda - --json <state.json       {\"q\": [...], \"wrenches\": [...]}\n");
  return [states, &console]() -> int {
    Robot robot = states->load();
    const Model& model = robot.model();
    if (!states->is_table()) {
      const GivenState s = states->state(model);
      print_per_joint(console, model, "tau", "Nm, N",
                      robot.inverse_dynamics(s.q, s.qd, s.qdd, s.wrenches));
      return success;
    }
    Batch batch(model);
    stream_table(*states, console, model, {"q", "qd", "qdd"}, trajectory_names(model, "tau"),
                 [&](const TableBlock& in, Eigen::MatrixXd& out) {
                   batch.inverse_dynamics(robot.plant(), in.q, in.qd, in.qdd, out);
                 });
    return success;
  };
}

}  // namespace ulna::cli
