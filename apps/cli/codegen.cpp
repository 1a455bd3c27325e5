#include <filesystem>

#include "ulna/codegen/print_cpp.hpp"
#include "ulna/codegen/robot/robot_functions.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/inspect.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

using namespace ulna::codegen;

struct CodegenOptions {
  RobotArgument robot;
  std::string functions = "id,fd,M,did,dfd", folder;
  int lanes = 0;
  bool single = false, parameters = false, force = false;
};

bool inverts_mass_matrix(RobotFunction f) {
  return f == RobotFunction::fd || f == RobotFunction::dfd || f == RobotFunction::Minv ||
         f == RobotFunction::drive_fd;
}

bool has_drives(RobotFunction f) { return std::ranges::count(drive_functions, f) > 0; }

/// At the neutral configuration.
bool has_positive_mass_matrix(const Model& model) {
  return Robot(model).mass_matrix(neutral(model)).llt().info() == Eigen::Success;
}

std::vector<RobotFunction> functions_named(const std::string& list) {
  std::vector<RobotFunction> made;
  for (const std::string& name : split(list, ',')) {
    const auto function = robot_function_from_string(name);
    if (!function)
      throw UsageError("--functions: {}", unknown_word(name, {"id", "fd", "M", "Minv", "did", "dfd",
                                                              "Y", "drive_id", "drive_fd"}));
    if (std::ranges::count(made, *function))
      throw UsageError("--functions: '{}' is given twice", name);
    made.push_back(*function);
  }
  return made;
}

Json vectors(const std::vector<Traced::Vector>& list) {
  return list_of(list, [](const auto& v) { return ULNA_FIELDS(v, name, size); });
}

/// "q[0], v[0], a[0], tau[0]: panda_joint1"
std::vector<std::string> indices_of(const Model& model) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view vectors, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::vector<std::string> terms;
      for (const std::string& vector : split(vectors, ' '))
        terms.push_back(fmt::format("{}[{}]", vector, i));
      lines.push_back(fmt::format("{}: {}", fmt::join(terms, ", "), visible(names[i])));
    }
  };
  if (model.configuration_names() == model.velocity_names()) {
    add("q v a tau", model.velocity_names());
  } else {
    add("q", model.configuration_names());
    add("v a tau", model.velocity_names());
  }
  if (model.drives().plain()) return lines;
  lines.push_back("of drive_id and drive_fd:");
  add("jerk snap theta omega alpha", model.velocity_names());
  add("tau", model.drives().motor_names);
  return lines;
}

int generate(const CodegenOptions& options, Console& console) {
  const std::vector<RobotFunction> functions = functions_named(options.functions);
  require_folder(options.folder);
  const Imported robot = options.robot.load();
  const COptions c{.number = options.single ? CNumber::single_precision : CNumber::double_precision,
                   .lanes = options.lanes,
                   .indices = indices_of(robot.model)};
  mention_open_loops(console, robot.model);
  const bool plain = robot.model.drives().plain();
  const Model rigid = plain ? robot.model : with_plain_drives(robot.model);
  if (const auto f = std::ranges::find_if(functions, &has_drives); plain && f != functions.end())
    throw UsageError("--functions: '{}' is for robots with springs or coupled motors; use {}",
                     to_string(*f), *f == RobotFunction::drive_id ? "id" : "fd");
  if (!plain && std::ranges::any_of(functions, std::not_fn(&has_drives)))
    console.complain(
        "springs and coupled motors are in drive_id and drive_fd only (--functions): the other "
        "functions take joints as rigid, each with its own motor",
        Style::yellow);

  // everything is computed and allowed before anything is written
  std::vector<std::pair<RobotFunction, Traced>> all;
  std::vector<std::pair<std::string, std::string>> files;  // path and text
  const auto path = [&](const std::string& file) {
    return (std::filesystem::path(options.folder) / file).string();
  };
  for (const RobotFunction f : functions) {
    Traced traced =
        trace(has_drives(f) ? robot.model : rigid, f, {.symbolic_inertias = options.parameters});
    const std::string header = path(traced.name() + ".h"), source = path(traced.name() + ".c");
    refuse_overwriting({header, source}, options.force);
    CFiles printed = print_c(traced, c);
    const bool infinite = printed.source.find("HUGE_VAL") != std::string::npos;
    if (infinite && inverts_mass_matrix(f) && !has_positive_mass_matrix(robot.model))
      throw Failure("{}: the mass matrix is not positive definite; {}", traced.name(),
                    why_indefinite(Plant<double>(robot.model)));
    if (infinite)
      throw Failure("{}: the robot's numbers are too large for {} precision", traced.name(),
                    options.single ? "single" : "double");
    files.emplace_back(header, std::move(printed.header));
    files.emplace_back(source, std::move(printed.source));
    all.emplace_back(f, std::move(traced));
  }
  const std::string name = to_identifier(robot.model.name()), wrapper = path(name + ".hpp");
  refuse_overwriting({wrapper}, options.force);
  std::vector<CppFunction> wrapped;
  for (const auto& [f, traced] : all) wrapped.push_back({std::string(to_string(f)), &traced});
  files.emplace_back(wrapper, print_cpp(name, wrapped, c));
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error) throw Failure("cannot create the folder '{}': {}", options.folder, error.message());
  for (const auto& [file, text] : files) write_file(file, text, options.force);

  if (console.json()) {
    Json list = Json::array();
    for (const auto& [f, traced] : all)
      list.push_back({{"function", to_string(f)},
                      {"name", traced.name()},
                      {"inputs", vectors(traced.inputs())},
                      {"outputs", vectors(traced.outputs())},
                      {"operations", traced.operation_count()},
                      {"header", path(traced.name() + ".h")},
                      {"source", path(traced.name() + ".c")}});
    console.print({{"robot", options.robot.json(robot.model)},
                   {"number", options.single ? "float" : "double"},
                   {"lanes", options.lanes},
                   {"wrapper", wrapper},
                   {"functions", list},
                   {"diagnostics", to_json(robot.diagnostics)}});
    return success;
  }
  Table table(1, {"  function", ">operations", "file"});
  for (const auto& [f, traced] : all)
    table.row({to_string(f), traced.operation_count(), path(traced.name() + ".c")});
  table.row({"C++", "", wrapper});
  console.out.print(table.str(console.out));
  mention_warnings(console, options.robot, robot.diagnostics);
  return success;
}

}  // namespace

Action codegen(Parser& app, Console& console) {
  auto options = std::make_shared<CodegenOptions>();
  options->robot.drives = Drives::carried_rotors;
  options->robot.add_to(app);
  options->robot.add_gravity_to(app);
  app.add_value(
      "--functions", options->functions, "LIST",
      "which: id, fd, M, Minv, did, dfd, Y; of springs and coupled motors drive_id, drive_fd");
  app.add_output("-o,--out", options->folder, "the folder to write to", false, "DIR")->required();
  app.add_value("--lanes", options->lanes, "N",
                "write <name>_states too: many states, N at a time in SIMD lanes",
                word_of({"2", "4", "8", "16"}));
  app.add_flag("--float", options->single, "compute in single precision");
  app.add_flag("--parameters", options->parameters,
               "take the inertias as a last argument, pi: ten per moving body");
  app.add_force(options->force);
  return [options, &console] { return generate(*options, console); };
}

}  // namespace ulna::cli
