#include <fmt/format.h>

#include <memory>

#include "output_file.hpp"
#include "report.hpp"
#include "robot_argument.hpp"
#include "text.hpp"
#include "ulna/io/number.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

struct Options {
  RobotArgument robot;
  std::string out;
  std::vector<std::string> locks;
  std::string chain;
  bool lump = false, force = false;
};

/// "elbow=0.5", or "wrist=1,0,0,0" for a joint of several numbers.
void add_lock(std::string_view text, JointValues& values) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0)
    throw UsageError(fmt::format("--lock '{}': write JOINT=VALUE", text));
  std::vector<double> numbers;
  for (const std::string& word : split(text.substr(equals + 1), ',')) {
    const auto x = parse_number(word);
    if (!x)
      throw UsageError(fmt::format("--lock '{}': value '{}' {}", text, word, number_defect(word)));
    numbers.push_back(*x);
  }
  const std::string joint(text.substr(0, equals));
  if (!values.emplace(joint, std::move(numbers)).second)
    throw UsageError(fmt::format("--lock: joint '{}' is locked twice", joint));
}

/// "base:tip" at the colon that has links on both sides, should names have colons too.
Model chain_of(const Model& model, std::string_view text, Diagnostics& notes) {
  std::size_t colon = text.find(':');
  for (std::size_t at = colon; at != text.npos; at = text.find(':', at + 1))
    if (model.find_frame(text.substr(0, at)) && model.find_frame(text.substr(at + 1))) colon = at;
  return sub_chain(model, text.substr(0, colon), text.substr(colon + 1), &notes);
}

bool ends_in_yaml(std::string_view file) {
  return file.ends_with(".yaml") || file.ends_with(".yml");
}

int convert_robot(const Options& options, Console& console) {
  if (ends_in_yaml(options.out)) throw UsageError("robots are written as URDF: name OUT *.urdf");
  if (!options.chain.empty() && options.chain.find(':') == std::string::npos)
    throw UsageError(
        fmt::format("--chain '{}': write BASE:TIP, the names of two links", options.chain));
  JointValues locked;
  for (const std::string& lock : options.locks) add_lock(lock, locked);
  const bool to_stdout = options.out == "-";
  if (to_stdout && console.json())
    throw UsageError("--json and the robot cannot both go to standard output: give OUT a name");
  if (!to_stdout) refuse_overwriting(options.out, options.force);

  Imported robot = options.robot.load();
  if (!locked.empty()) robot.model = lock_joints(robot.model, locked);
  if (!options.chain.empty()) robot.model = chain_of(robot.model, options.chain, robot.diagnostics);
  if (options.lump) robot.model = lump_fixed_joints(robot.model);
  const std::string urdf = to_urdf(robot.model);

  if (to_stdout)
    console.out.print(urdf);
  else
    write_file(options.out, urdf, options.force);
  if (console.json()) {
    Json document = console.document();
    document["robot"] = options.robot.json(robot.model);
    document["robot"]["links"] = robot.model.description().links.size();
    document["out"] = options.out;
    document["bytes"] = urdf.size();
    document["diagnostics"] = to_json(robot.diagnostics);
    console.print(document);
  } else {
    console.out.flush();
    console.err.print(to_text(console.err, robot.diagnostics));
  }
  return success;
}

}  // namespace

Action convert(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  options->robot.add_to(app, "IN");
  app.add_option("OUT", options->out, "the file to write, or - for standard output")->required();
  app.add_option("--lock", options->locks,
                 "freeze a joint; for joints of several numbers name=v1,v2,...; repeatable")
      ->option_text("JOINT=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--chain", options->chain, "keep the chain between two links only")
      ->option_text("BASE:TIP");
  app.add_flag("--lump", options->lump,
               "dissolve fixed joints: one link a body, a frame for each lost link");
  app.add_flag("-f,--force", options->force, "overwrite OUT if it exists");
  app.footer(
      "  ulna convert puma560 puma.urdf                    a table as URDF\n"
      "  ulna convert --lump arm.urdf -                    fixed joints dissolved\n"
      "  ulna convert --lock panda_joint7=0.5 panda 6.urdf  a joint frozen\n"
      "  ulna convert --chain trunk:FL_foot quadruped leg.urdf\n");
  return [options, &console] { return convert_robot(*options, console); };
}

}  // namespace ulna::cli
