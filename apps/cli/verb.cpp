#include "verb.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ulna::cli {

CLI::Validator number_that(const std::string& defect, bool (*good)(double)) {
  return {[=](std::string& text) {
            double x = 0.0;  // what is no number is refused as such
            const bool bad = CLI::detail::lexical_cast(text, x) && !good(x);
            return bad ? fmt::format("{:g} {}", x, defect) : std::string();
          },
          ""};
}

void RobotArgument::add_to(CLI::App& app, const char* argument, const char* meaning) {
  app.add_option(argument, name, meaning)->required();
  app.add_flag("--floating-base", options.floating_base, "let the base move freely");
  app.add_flag("--independent-mimics", options.independent_mimics,
               "let mimic joints move independently");
  app.add_flag("--strict", options.strict, "refuse what would be repaired");
}

void RobotArgument::add_gravity_to(Parser& app) {
  app.add_value("--gravity", gravity, "X,Y,Z", "the gravity vector, in place of the robot's");
}

Imported RobotArgument::load() const {
  Imported robot = text ? import_robot(*text, source(), options) : load_robot(name, options);
  if (gravity.empty()) return robot;
  const Vec3<double> given = three_numbers(gravity, "--gravity");
  constexpr double strongest = 1e6;  // m/s², far beyond any planet's
  if (!(given.cwiseAbs().maxCoeff() <= strongest))
    throw UsageError("--gravity: '{}' is beyond {:g} m/s^2", gravity, strongest);
  robot.model = robot.model.with_gravity(given);
  return robot;
}

std::string RobotArgument::source() const {
  if (name == "-") return "<stdin>";
  if (name.starts_with("chain:")) return name + " (generated)";
  for (const EmbeddedRobot& robot : embedded_robots())
    if (robot.name == name) return std::string(robot.file_name) + " (embedded)";
  return name;
}

Json RobotArgument::json(const Model& model) const {
  Json about{{"name", model.name()}, {"source", source()}, {"dof", model.nv()}};
  if (const std::size_t n = model.description().loops.size())
    about[loops_closed ? "closed_loops" : "open_loops"] = n;
  return about;
}

void mention_warnings(Console& console, const RobotArgument& robot,
                      const Diagnostics& diagnostics) {
  if (const std::size_t n = diagnostics.count(Severity::warning))
    console.complain(
        fmt::format("{} in {}; ulna check lists them", counted(n, "warning"), robot.source()),
        Style::yellow);
}

void mention_open_loops(Console& console, const Model& model) {
  const std::size_t n = model.description().loops.size();
  if (n == 0) return;
  console.complain(fmt::format("{} of '{}' {} left open: results are for the tree alone",
                               counted(n, "loop"), model.name(), n == 1 ? "is" : "are"),
                   Style::yellow);
}

void require_one_stdin(const std::vector<std::string>& names) {
  if (std::ranges::count(names, "-") > 1)
    throw UsageError("standard input (-) can be read only once");
}

InputFile::InputFile(const std::string& name, std::string_view message)
    : name_(name == "-" ? "<stdin>" : name) {
  if (name == "-") return;
  std::error_code error;
  opened_ = std::make_unique<std::ifstream>(name, std::ios::binary);
  const bool folder = std::filesystem::is_directory(name, error);
  if (folder || !*opened_)
    throw Failure("{}: {}", fmt::format(fmt::runtime(message), name),
                  folder                                 ? "it is a folder"
                  : std::filesystem::exists(name, error) ? "check the permissions"
                                                         : "there is no such file");
}

std::optional<std::string> InputFile::text(std::size_t most) {
  std::string text(most + 1, '\0');
  stream().read(text.data(), std::ssize(text));
  text.resize(stream().gcount());
  return text.size() > most ? std::nullopt : std::optional(std::move(text));
}

}  // namespace ulna::cli
