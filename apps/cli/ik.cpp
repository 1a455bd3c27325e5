#include "closed_robot.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::cli {
namespace {

struct IkArguments {
  RobotArgument robot;
  std::string frame, xyz, rpy, quat, start;
  IkOptions ik;
};

void refuse_useless(const IkArguments& options, const Parser& app) {
  for (const char* option : {"--rpy", "--quat"})
    if (options.ik.position_only && app.count(option))
      throw UsageError("{} has no effect with --position-only", option);
  if (options.ik.restarts == 0 && app.count("--seed"))
    throw UsageError("--seed has no effect with --restarts 0");
}

Transform<double> target_of(const IkArguments& options, Console& console) {
  if (!options.rpy.empty() && !options.quat.empty())
    throw UsageError("give either --rpy or --quat");
  Rotation<double> R;
  if (!options.rpy.empty()) {
    const Vec3<double> rpy = three_numbers(options.rpy, "--rpy");
    R = Rotation<double>::from_rpy(rpy.x(), rpy.y(), rpy.z());
  } else if (!options.quat.empty()) {
    const std::vector<double> q = numbers(options.quat, "--quat");
    if (q.size() != 4) throw UsageError("--quat takes 4 numbers (w, x, y, z), {} given", q.size());
    const Quaternion<double> quaternion{q[0], q[1], q[2], q[3]};
    if (!(quaternion.squared_norm() > 0.0)) throw UsageError("--quat: the norm is zero");
    const double length = std::sqrt(quaternion.squared_norm());
    if (std::abs(length - 1.0) > 1e-3)
      console.complain(fmt::format("--quat has length {:g}; it is normalised", length),
                       Style::yellow);
    R = Rotation<double>::from_quaternion(quaternion.normalized());
  }
  return {R, three_numbers(options.xyz, "--xyz")};
}

int solve(IkArguments& options, const Parser& app, Console& console) {
  refuse_useless(options, app);
  const Imported imported = options.robot.load();
  const Model& model = imported.model;
  mention_warnings(console, options.robot, imported.diagnostics);
  std::optional<LoopCoordinates> closed;
  if (options.robot.closes_loops(console, model)) {
    if (const int compound = compound_joint(model))
      throw Failure(
          "joint '{}' has several degrees of freedom; loops are kept closed by joints with one: "
          "--open-loops leaves them open",
          model.joint_name(compound));
    closed.emplace(Loops(model, model.description().loops, neutral(model)));
  }
  const Frame& frame = frame_named(model, options.frame);
  const Transform<double> target = target_of(options, console);
  if (frame.body == 0) throw UsageError("--frame: no joint moves '{}'", frame.name);
  const std::vector<std::string> names = model.configuration_names();
  Eigen::VectorXd start =
      configuration(console, model, options.start, "--start", closed.has_value());
  if (closed) close_loops(console, &closed->loops(), start, "--start");
  const IkResult result = [&] {
    const Interrupt interrupt;
    Progress progress(console.err, std::size_t(options.ik.restarts) + 1);
    options.ik.go_on = [&](int starts) {
      progress.at(std::size_t(starts), "starts");
      return !Interrupt::requested();
    };
    return inverse_kinematics(model, frame, target, start, options.ik,
                              closed ? keep_closed(*closed) : IkConstraint{});
  }();
  if (console.json()) {
    console.print(
        merged({{{"robot", options.robot.json(model)}, {"joints", names}, {"coordinates", names}},
                ULNA_FIELDS(result, found, stopped, q, position_error, orientation_error,
                            iterations, starts)}));
  } else {
    console.out.print(matrix_text(console.out, "joint", names, {">q"}, result.q));
    console.out.flush();
    console.err.print(result.report() + "\n");
  }
  return result.found ? success : findings;
}

}  // namespace

Action ik(Parser& app, Console& console) {
  auto options = std::make_shared<IkArguments>();
  options->robot.add_to(app);
  options->robot.add_loops_to(app);
  app.add_value("--frame", options->frame, "NAME", "the link or frame to place")->required();
  app.add_value("--xyz", options->xyz, "X,Y,Z", "its position in the world")->required();
  app.add_value("--rpy", options->rpy, "R,P,Y", "its roll, pitch and yaw there");
  app.add_value("--quat", options->quat, "W,X,Y,Z", "or its orientation as a quaternion");
  app.add_value("--start", options->start, "X,X,...", "configuration that the search starts from");
  app.add_flag("--position-only", options->ik.position_only, "leave the orientation free");
  app.add_value("--restarts", options->ik.restarts, "N", "number of random starts after it",
                whole_number(0, 10000));
  app.add_value("--seed", options->ik.seed, "N", "seed of the random starts", seed_number);
  return [options, &app, &console] { return solve(*options, app, console); };
}

}  // namespace ulna::cli
