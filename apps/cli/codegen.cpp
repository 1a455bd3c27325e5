#include <fmt/format.h>

#include <filesystem>

#include "output_file.hpp"
#include "report.hpp"
#include "robot_argument.hpp"
#include "table.hpp"
#include "text.hpp"
#include "ulna/codegen/print_cpp.hpp"
#include "ulna/codegen/robot/robot_functions.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

using namespace ulna::codegen;

struct Options {
  RobotArgument robot;
  std::string functions = "id,fd,M,did,dfd", folder;
  int lanes = 0;
  bool single = false, parameters = false, force = false;
};

std::vector<RobotFunction> functions_named(const std::string& list) {
  std::vector<RobotFunction> made;
  for (const std::string& name : split(list, ',')) {
    const auto function = robot_function_from_string(name);
    if (!function)
      throw UsageError(
          fmt::format("--functions: '{}' is not one of id, fd, M, Minv, did, dfd, Y", name));
    if (std::find(made.begin(), made.end(), *function) == made.end()) made.push_back(*function);
  }
  return made;
}

struct Written {
  RobotFunction function;
  Traced traced;
  CFiles files;
  std::string header, source;  ///< paths
};

Json vectors(const std::vector<Traced::Vector>& list) {
  Json all = Json::array();
  for (const Traced::Vector& v : list) all.push_back({{"name", v.name}, {"size", v.size}});
  return all;
}

int generate(const Options& options, Console& console) {
  const std::vector<RobotFunction> functions = functions_named(options.functions);
  const COptions c{options.single ? CNumber::single_precision : CNumber::double_precision,
                   options.lanes};
  const Imported robot = options.robot.load();

  std::vector<Written> all;
  for (const RobotFunction f : functions) {
    Traced traced = trace(robot.model, f, {.symbolic_inertias = options.parameters});
    const std::string base = (std::filesystem::path(options.folder) / traced.name()).string();
    refuse_overwriting(base + ".h", options.force);
    refuse_overwriting(base + ".c", options.force);
    CFiles files = print_c(traced, c);
    all.push_back({f, std::move(traced), std::move(files), base + ".h", base + ".c"});
  }
  const std::string name = to_identifier(robot.model.name());
  const std::string wrapper = (std::filesystem::path(options.folder) / (name + ".hpp")).string();
  refuse_overwriting(wrapper, options.force);
  std::vector<CppFunction> wrapped;
  for (const Written& one : all)
    wrapped.push_back({std::string(to_string(one.function)), &one.traced});
  const std::string wrapping = print_cpp(name, wrapped, c);
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error)
    throw std::runtime_error(
        fmt::format("cannot make the folder '{}': {}", options.folder, error.message()));
  for (const Written& one : all) {
    write_file(one.header, one.files.header, options.force);
    write_file(one.source, one.files.source, options.force);
  }
  write_file(wrapper, wrapping, options.force);

  if (console.json()) {
    Json document = console.document();
    document["robot"] = options.robot.json(robot.model);
    document["number"] = options.single ? "float" : "double";
    document["lanes"] = options.lanes;
    document["wrapper"] = wrapper;
    document["functions"] = Json::array();
    for (const Written& one : all)
      document["functions"].push_back({{"function", to_string(one.function)},
                                       {"name", one.traced.name()},
                                       {"inputs", vectors(one.traced.inputs())},
                                       {"outputs", vectors(one.traced.outputs())},
                                       {"operations", one.traced.operation_count()},
                                       {"header", one.header},
                                       {"source", one.source}});
    document["diagnostics"] = to_json(robot.diagnostics);
    console.print(document);
    return success;
  }
  Table table(1, {{"function"}, {"operations", "", true}, {"file"}});
  for (const Written& one : all)
    table.row({std::string(to_string(one.function)), std::to_string(one.traced.operation_count()),
               one.source});
  table.row({"C++", "", wrapper});
  console.out.print(table.str(console.out));
  console.out.flush();
  mention_warnings(console, options.robot, robot.diagnostics);
  return success;
}

}  // namespace

Action codegen(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  options->robot.add_to(app);
  const OptionAdder add{app};
  add("--functions", options->functions, "LIST", "which: id, fd, M, Minv, did, dfd, Y");
  add("-o,--out", options->folder, "DIR", "the folder to write to")->required();
  add("--lanes", options->lanes, "N",
      "write <name>_states too: many states, N at a time in SIMD lanes")
      ->check(CLI::IsMember({2, 4, 8, 16}));
  app.add_flag("--float", options->single, "compute in single precision");
  app.add_flag("--parameters", options->parameters,
               "take the inertias as a last argument, pi: ten per moving body");
  app.add_flag("-f,--force", options->force, "overwrite files");
  app.footer(
      "  ulna codegen panda -o generated                 id, fd, M, did and dfd\n"
      "  ulna codegen arm.urdf --functions id --float -o firmware/arm\n"
      "  ulna codegen panda --lanes 4 -o generated       and for many states, by AVX2\n");
  return [options, &console] { return generate(*options, console); };
}

}  // namespace ulna::cli
