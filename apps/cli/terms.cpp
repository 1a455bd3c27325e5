#include "closed_robot.hpp"
#include "ulna/dynamics/operational_space.hpp"

namespace ulna::cli {
namespace {

struct TermsOptions {
  States states;
  std::string frame, axes = "aligned";
};

Axes axes_named(const std::string& name) {
  return name == "local" ? Axes::local : name == "world" ? Axes::world : Axes::aligned;
}

struct Terms {
  Eigen::MatrixXd M, C, jacobian, frame_inertia;
  std::optional<Pose> pose;  ///< of the frame
  Eigen::VectorXd bias, gravity;
  double kinetic, potential;
  std::vector<std::string> rows;  ///< of loops, if there are some
  Eigen::MatrixXd loop_jacobian;
};

/// What a frame weighs in all directions [Khatib 1987]; empty where the robot cannot move it in six.
Eigen::MatrixXd frame_inertia(const Robot& robot, const Eigen::VectorXd& q,
                              const Eigen::MatrixXd& jacobian) {
  const Model& model = robot.model();
  if (model.nv() < 6) return {};
  Kinematics<double> at(model);
  Workspace<double> ws(model);
  MassFactor<double> factor(model);
  OperationalSpace space(model, 6);
  at.set(q);
  if (!factor.factor(robot.plant(), at, ws) || !space.set(factor, jacobian)) return {};
  return space.inertia();
}

Terms terms_of(Robot& robot, const GivenState& s, const TermsOptions& options) {
  Terms t;
  t.M = robot.mass_matrix(s.q);
  t.C = robot.coriolis_matrix(s.q, s.qd);
  t.bias = robot.bias_torque(s.q, s.qd);
  t.gravity = robot.gravity_torque(s.q);
  t.kinetic = robot.kinetic_energy(s.q, s.qd);
  t.potential = robot.potential_energy(s.q);
  if (!options.frame.empty()) {
    Kinematics<double> at(robot.model());
    at.set(s.q);
    t.pose = Pose(at.pose(robot.model().frame(options.frame)));
    t.jacobian = robot.jacobian(s.q, options.frame, axes_named(options.axes));
    t.frame_inertia = frame_inertia(robot, s.q, t.jacobian);
  }
  if (const auto& joints = robot.model().description().loops; !joints.empty()) {
    Loops loops(robot.model(), joints, neutral(robot.model()));
    loops.set(s.q);
    for (int i = 0; i < loops.size(); ++i) t.rows.push_back(loops.name(i));
    t.loop_jacobian = loops.J();
  }
  const std::vector<std::string> names = robot.model().velocity_names();
  require_finite("the mass matrix's row", names, t.M);
  require_finite("the Coriolis matrix's row", names, t.C);
  require_finite("the bias torque", names, t.bias);
  require_finite("the energy", {"the robot"}, Eigen::RowVector2d(t.kinetic, t.potential));
  return t;
}

void print(Console& console, const Model& model, const Json& state, const Terms& t) {
  const std::vector<std::string> names = model.velocity_names();
  if (console.json()) {
    Json document = merged({state, ULNA_FIELDS(t, M, C, bias, gravity, kinetic, potential)});
    if (t.jacobian.size()) {
      document["pose"] = {{"xyz", t.pose->xyz}, {"rpy", t.pose->rpy}};
      document["jacobian"] = t.jacobian;
      document["frame_inertia"] = t.frame_inertia.size() ? Json(t.frame_inertia) : Json();
    }
    if (!t.rows.empty()) document["rows"] = t.rows, document["loop_jacobian"] = t.loop_jacobian;
    return console.print(document);
  }
  std::string text;
  const auto add = [&](const char* title, const std::vector<std::string>& rows,
                       const std::vector<Column>& columns, const Eigen::MatrixXd& m) {
    text += matrix_text(console.out, title, rows, columns, m) + "\n";
  };
  // columns by number: names would not fit
  std::vector<Column> columns;
  for (std::size_t i = 1; i <= names.size(); ++i) columns.push_back(fmt::format(">{}", i));
  add("M", names, columns, t.M);
  add("C", names, columns, t.C);
  Eigen::MatrixXd torques(names.size(), 2);
  torques << t.gravity, t.bias;
  add("torque", names, {">gravity", ">bias"}, torques);
  const std::vector<std::string> axes{"wx", "wy", "wz", "vx", "vy", "vz"};
  if (t.pose) {
    add("pose", {""}, pose_columns(), pose_row(*t.pose));
    add("jacobian", axes, columns, t.jacobian);
  }
  if (t.frame_inertia.size()) {
    std::vector<Column> task;
    for (const std::string& axis : axes) task.push_back(">" + axis);
    add("frame inertia", axes, task, t.frame_inertia);
  } else if (t.jacobian.size()) {
    text += "no frame inertia: the robot cannot move the frame in all six directions here\n\n";
  }
  if (!t.rows.empty()) {
    add("loops", t.rows, columns, t.loop_jacobian);
    text += hanging("", 0,
                    "M, C and torques are those of the tree; with the loops closed, M qdd + bias = "
                    "tau + J' f, where J is the matrix 'loops' and f are forces through them",
                    console.out.width()) +
            "\n";
  }
  text += fmt::format("kinetic energy   {} J\npotential energy {} J\n", figure(t.kinetic, 7),
                      figure(t.potential, 7));
  console.out.print(text);
}

}  // namespace

Action terms(Parser& app, Console& console) {
  auto options = std::make_shared<TermsOptions>();
  options->states.add_to(app, "q qd");
  options->states.argument().add_loops_to(app);
  app.add_value("--frame", options->frame, "NAME",
                "also the Jacobian and the inertia of this link or frame");
  app.add_value("--axes", options->axes, "AXES",
                "of these: local, world, or aligned (the world's, at the frame)",
                word_of({"local", "world", "aligned"}));
  return [options, &app, &console]() -> int {
    Robot robot = options->states.load(console);
    std::optional<ClosedRobot> closed;
    if (options->states.argument().closes_loops(console, robot.model()))
      closed.emplace(robot.plant());
    if (!options->frame.empty()) (void)frame_named(robot.model(), options->frame);
    if (options->frame.empty() && app.count("--axes"))
      throw UsageError("--axes has no effect without --frame");
    if (!options->states.is_table()) {
      const GivenState state = options->states.state(console, robot.model());
      if (closed) closed->require_closed(state.q);
      print(console, robot.model(), options->states.json(robot.model(), state, "q qd"),
            terms_of(robot, state, *options));
      return success;
    }
    if (!options->frame.empty())
      throw UsageError("--frame has no effect on a table; ulna fk prints the poses of frames");
    // of a table, what is a few numbers a row
    std::vector<std::string> names;
    for (const char* what : {"bias_", "gravity_"})
      for (const std::string& joint : robot.model().velocity_names()) names.push_back(what + joint);
    names.insert(names.end(), {"kinetic", "potential"});
    options->states.stream(console, robot.model(), names,
                           [&](const TableBlock& in, Eigen::MatrixXd& out) {
                             for_each_row(in, out, [&](Eigen::Index s) {
                               const Eigen::VectorXd q = in.q.col(s), qd = in.qd.col(s);
                               if (closed) closed->require_closed(q);
                               Eigen::VectorXd row(out.rows());
                               row << robot.bias_torque(q, qd), robot.gravity_torque(q),
                                   robot.kinetic_energy(q, qd), robot.potential_energy(q);
                               return row;
                             });
                           });
    return success;
  };
}

}  // namespace ulna::cli
