#include "robot_argument.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace ulna::cli {

void RobotArgument::add_to(CLI::App& app, const char* argument) {
  app.add_option(argument, name, "a file, - for standard input, or an embedded robot (ulna robots)")
      ->required();
  app.add_flag("--floating-base", options.floating_base, "let the base move freely");
  app.add_flag("--independent-mimics", options.independent_mimics,
               "let joints that mimic others move on their own");
  app.add_flag("--strict", options.strict, "refuse what would be repaired");
}

std::string RobotArgument::source() const {
  if (name == "-") return "<stdin>";
  if (name.starts_with("chain:")) return name + " (generated)";
  for (const EmbeddedRobot& robot : embedded_robots())
    if (robot.name == name) return std::string(robot.file_name) + " (embedded)";
  return name;
}

Json RobotArgument::json(const Model& model) const {
  return {{"name", model.name()}, {"source", source()}, {"dof", model.nv()}};
}

void mention_warnings(Console& console, const RobotArgument& robot,
                      const Diagnostics& diagnostics) {
  const std::size_t n = diagnostics.count(Severity::warning);
  if (n == 0) return;
  console.out.flush();
  console.err.print(fmt::format("{} {} in {}; ulna check lists them\n",
                                console.err.paint(Style::yellow, "ulna:"), counted(n, "warning"),
                                visible(robot.source())));
}

}  // namespace ulna::cli
