#include "states.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::cli {
namespace {

struct ConvertOptions {
  RobotArgument robot;
  std::string out;
  std::vector<std::string> locks;
  std::string chain, format;
  bool lump = false, force = false;
};

/// "elbow=0.5", or "wrist=1,0,0,0" for a joint of several numbers.
void add_lock(const std::string& text, JointValues& values) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0) throw UsageError("--lock '{}': write JOINT=VALUE", text);
  const std::string joint = text.substr(0, equals), what = fmt::format("--lock '{}'", text);
  if (!values.emplace(joint, numbers(text.substr(equals + 1), what)).second)
    throw UsageError("--lock: joint '{}' is locked twice", joint);
}

/// One line on standard error for each joint that is locked where it cannot go. Throws UsageError for places where
/// angles have no digits left.
void mention_lock_limits(Console& console, const Model& model, const JointValues& locked) {
  constexpr double farthest = 1e6;  // rad or m
  for (const auto& [name, values] : locked)
    for (const double x : values)
      if (!(std::abs(x) <= farthest))
        throw UsageError("--lock: joint '{}' at {:g} is beyond {:g} rad or m", name, x, farthest);
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    const auto at = locked.find(std::string(model.joint_name(b)));
    if (at == locked.end() || at->second.size() != 1 || j.mimics) continue;
    const double low = model.lower_limit()(j.q), high = model.upper_limit()(j.q);
    if (at->second[0] < low || at->second[0] > high)
      console.complain(fmt::format("--lock: joint '{}' at {:.4g} is beyond its limits, {:.4g} to "
                                   "{:.4g}",
                                   at->first, at->second[0], low, high),
                       Style::yellow);
  }
}

/// The robot as an option changes it. What the robot does not have is a mistake on the command line.
template <class Edit>
Model edited(const char* option, Edit edit) {
  try {
    return edit();
  } catch (const ModelError& e) {
    for (const Rule* rule : {&rules::edit_unknown, &rules::chain_broken, &rules::number_count,
                             &rules::quaternion_zero})
      if (const Diagnostic* d = e.diagnostics().find(*rule))
        // "robot 'panda'" and "has no link 'x'", or "link 'x' is not a descendant of link 'y'"
        throw UsageError("{}: {}{} {}", option, d->subject, d->seen.starts_with("has ") ? "" : ":",
                         d->seen);
    throw;
  }
}

/// "base:tip" at the colon that has links on both sides, should names have colons too.
Model chain_of(const Model& model, std::string_view text, Diagnostics& notes) {
  std::size_t colon = text.find(':');
  for (std::size_t at = colon; at != text.npos; at = text.find(':', at + 1))
    if (model.find_frame(text.substr(0, at)) && model.find_frame(text.substr(at + 1))) colon = at;
  return sub_chain(model, text.substr(0, colon), text.substr(colon + 1), &notes);
}

std::string format_of(const ConvertOptions& options) {
  if (!options.format.empty()) return options.format;
  return options.out.ends_with(".sdf") ? "sdf" : options.out.ends_with(".mjcf") ? "mjcf" : "urdf";
}

/// What the format cannot express is added to the findings.
std::string written(const Model& model, const std::string& format, Diagnostics& found) {
  if (format == "urdf") return to_urdf(model);
  Diagnostics lost(found.strict());
  const std::string text = format == "sdf" ? to_sdf(model, lost) : to_mjcf(model, lost);
  lost.throw_if_errors();
  for (const Diagnostic& d : lost.list())
    found.add(*d.rule, d.source, d.subject, d.seen, d.assumed, d.remedy, d.severity);
  return text;
}

int convert_robot(const ConvertOptions& options, Console& console) {
  if (options.out.ends_with(".yaml") || options.out.ends_with(".yml"))
    throw UsageError("robots are written as URDF, SDF or MJCF: name OUT *.urdf, *.sdf or *.mjcf");
  if (options.out.ends_with(".xacro"))
    throw UsageError("robots are written as URDF, SDF or MJCF, not as xacro: name OUT *.urdf");
  const std::string format = format_of(options);
  if (!options.chain.empty() && options.chain.find(':') == std::string::npos)
    throw UsageError("--chain '{}': write BASE:TIP, the names of two links", options.chain);
  JointValues locked;
  for (const std::string& lock : options.locks) add_lock(lock, locked);
  if (options.out == "-" && console.json())
    throw UsageError("--json and the robot cannot both go to standard output: give OUT a name");
  require_writable({options.out}, options.force);

  Imported robot = options.robot.load();
  mention_lock_limits(console, robot.model, locked);
  if (!locked.empty())
    robot.model = edited("--lock", [&] { return lock_joints(robot.model, locked); });
  if (!options.chain.empty())
    robot.model =
        edited("--chain", [&] { return chain_of(robot.model, options.chain, robot.diagnostics); });
  if (options.lump) robot.model = lump_fixed_joints(robot.model);
  const std::string text = written(robot.model, format, robot.diagnostics);

  write_or_print(console, options.out, text, options.force);
  if (console.json()) {
    Json about = options.robot.json(robot.model);
    about["links"] = robot.model.description().links.size();
    console.print({{"robot", about},
                   {"out", options.out},
                   {"format", format},
                   {"bytes", text.size()},
                   {"diagnostics", to_json(robot.diagnostics)}});
  } else {
    console.out.flush();
    console.err.print(to_text(console.err, robot.diagnostics));
  }
  return success;
}

}  // namespace

Action convert(Parser& app, Console& console) {
  auto options = std::make_shared<ConvertOptions>();
  options->robot.add_to(app, "IN");
  options->robot.drives = Drives::carried_rotors;
  app.add_output("OUT", options->out, "the file to write, or - for standard output", true, "")
      ->required();
  app.add_value("--to", options->format, "FORMAT",
                "urdf, sdf or mjcf; without it, the ending of OUT says so, and others are URDF",
                word_of({"urdf", "sdf", "mjcf"}));
  app.add_value("--lock", options->locks, "JOINT=VALUE",
                "lock a joint; with several coordinates name=v1,v2,...; repeatable")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_value("--chain", options->chain, "BASE:TIP", "keep only the chain between two links");
  app.add_flag("--lump", options->lump,
               "remove fixed joints: one link per body, a frame per removed link");
  app.add_force(options->force);
  return [options, &console] { return convert_robot(*options, console); };
}

}  // namespace ulna::cli
