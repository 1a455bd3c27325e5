#include "closed_robot.hpp"

namespace ulna::cli {
namespace {

struct FkOptions {
  States states;
  std::vector<std::string> frames;
};

/// The frames that are named; all of them if none is.
std::vector<const Frame*> chosen(const Model& model, const std::vector<std::string>& names) {
  std::vector<const Frame*> list;
  for (const std::string& name : names) {
    list.push_back(&frame_named(model, name));
    if (std::ranges::count(names, name) > 1) throw UsageError("--frame: '{}' is given twice", name);
  }
  if (names.empty())
    for (const Frame& frame : model.frames()) list.push_back(&frame);
  return list;
}

Eigen::MatrixXd poses(const Kinematics<double>& at, const std::vector<const Frame*>& frames) {
  Eigen::MatrixXd rows(frames.size(), 6);
  for (std::size_t i = 0; i < frames.size(); ++i) rows.row(i) = pose_row(Pose(at.pose(*frames[i])));
  return rows;
}

void print(Console& console, const Json& state, const Kinematics<double>& at,
           const std::vector<const Frame*>& frames) {
  std::vector<std::string> names;
  for (const Frame* frame : frames) names.emplace_back(frame->name);
  const Eigen::MatrixXd rows = poses(at, frames);
  require_finite("the pose", names, rows);
  if (!console.json())
    return console.out.print(matrix_text(console.out, "frame", names, pose_columns(), rows));
  const auto entry = [&](const Frame* frame) {
    const Transform<double> X = at.pose(*frame);
    const Quaternion<double> q = X.rotation().quaternion();
    const Pose pose(X);
    return Json{{"name", frame->name},
                {"xyz", pose.xyz},
                {"rpy", pose.rpy},
                {"quat_wxyz", Vec4<double>(q.w, q.x, q.y, q.z)}};
  };
  console.print(merged({state, {{"frames", list_of(frames, entry)}}}));
}

int show(FkOptions& options, Console& console) {
  const Robot robot = options.states.load(console);
  const Model& model = robot.model();
  std::optional<ClosedRobot> closed;
  if (options.states.argument().closes_loops(console, model)) closed.emplace(robot.plant());
  auto place = [&, at = Kinematics<double>(model)](
                   const Eigen::VectorXd& q) mutable -> const Kinematics<double>& {
    if (closed) closed->require_closed(q);
    at.set(q);
    return at;
  };
  const std::vector<const Frame*> frames = chosen(model, options.frames);
  if (!options.states.is_table()) {
    const GivenState state = options.states.state(console, model);
    print(console, options.states.json(model, state, "q"), place(state.q), frames);
    return success;
  }
  if (options.frames.empty()) throw UsageError("for a table, name the frames: --frame NAME");
  std::vector<std::string> names;
  for (const Frame* frame : frames)
    for (const char* axis : {"x", "y", "z", "roll", "pitch", "yaw"})
      names.push_back(fmt::format("{}_{}", axis, frame->name));
  options.states.stream(console, model, names, [&](const TableBlock& in, Eigen::MatrixXd& out) {
    for_each_row(in, out, [&](Eigen::Index s) -> Eigen::VectorXd {
      return poses(place(in.q.col(s)), frames).reshaped<Eigen::RowMajor>();
    });
  });
  return success;
}

}  // namespace

Action fk(Parser& app, Console& console) {
  auto options = std::make_shared<FkOptions>();
  options->states.add_to(app, "q");
  options->states.argument().add_loops_to(app);
  app.add_value("--frame", options->frames, "NAME", "only this link or frame; repeatable")
      ->allow_extra_args(false);
  return [options, &console] { return show(*options, console); };
}

}  // namespace ulna::cli
