#include "verb.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ulna/io/number.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::cli {

CLI::Validator number_that(const std::string& defect, bool (*good)(double)) {
  return {[=](std::string& text) {
            double x = 0.0;  // what is no number is refused as such
            const bool bad = CLI::detail::lexical_cast(text, x) && !good(x);
            return bad ? fmt::format("{:g} {}", x, defect) : std::string();
          },
          ""};
}

CLI::Validator whole_number(double low, double high) {
  return {[=](std::string& text) {
            const std::optional<double> x = parse_number(text);
            const bool good = x && *x >= low && *x <= high && *x == std::floor(*x);
            return good ? std::string()
                        : fmt::format("'{}' is not a whole number from {:g} to {:g}", text, low,
                                      high);
          },
          ""};
}

std::string unknown_word(std::string_view word, const std::vector<std::string>& words) {
  constexpr std::size_t most_shown = 60;
  return fmt::format("'{}' is not one of {}{}", word.substr(0, most_shown), fmt::join(words, ", "),
                     did_you_mean(word, std::vector<std::string_view>(words.begin(), words.end())));
}

void require_word_or_file(std::string_view option, const std::string& word,
                          const std::vector<std::string>& words) {
  std::error_code none;
  if (word == "-" || std::filesystem::exists(word, none)) return;
  const std::string near =
      did_you_mean(word, std::vector<std::string_view>(words.begin(), words.end()));
  if (near.empty()) return;
  throw UsageError("{}: '{}' is neither {} nor a file{}", option, word, fmt::join(words, ", "),
                   near);
}

CLI::Validator word_of(std::vector<std::string> words) {
  return {[words = std::move(words)](std::string& text) {
            return std::ranges::count(words, text) ? std::string() : unknown_word(text, words);
          },
          ""};
}

const CLI::Validator plain_number{
    [](std::string& text) {
      return text.find_first_of("xX") == std::string::npos
                 ? std::string()
                 : fmt::format("'{}' is hexadecimal: write a decimal number", text);
    },
    ""};

CLI::Option* Parser::add_output(const char* names, std::string& to, const char* meaning,
                                bool printable, const char* value) {
  const CLI::Validator named{[](std::string& text) -> std::string {
                               return text == "-" ? "standard output has the result: give a name"
                                                  : "";
                             },
                             ""};
  CLI::Option* option = add_value(names, to, value, meaning, printable ? CLI::Validator{} : named);
  outputs_.push_back(option);
  return option;
}

void Parser::refuse_useless_force() const {
  const CLI::Option* force = get_option_no_throw("--force");
  const auto is_file = [](const CLI::Option* option) {
    return option->count() > 0 && option->results().front() != "-";
  };
  if (force && force->count() > 0 && std::ranges::none_of(outputs_, is_file))
    throw UsageError("--force has no effect without a file to write");
}

void SourceOptions::add_to(CLI::App& app) {
  const auto add = [&app](const char* name, std::vector<std::string>& to, const char* value,
                          const char* meaning) {
    app.add_option(name, to, meaning)
        ->option_text(value)
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
  };
  add("--arg", arguments, "NAME=VALUE", "an argument of a xacro file; repeatable");
  add("--package", packages, "NAME=DIR", "the folder of a package that a file names; repeatable");
}

ImportOptions SourceOptions::with(ImportOptions options) const {
  const auto pair_of = [](const char* option, const char* form, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0)
      throw UsageError("{} '{}': write {}", option, text, form);
    // as xacro itself takes them
    const bool colon = text[equals - 1] == ':' && equals > 1;
    return std::pair(text.substr(0, equals - (colon ? 1 : 0)), text.substr(equals + 1));
  };
  for (const std::string& text : arguments) {
    auto argument = pair_of("--arg", "NAME=VALUE", text);
    for (const auto& [name, value] : options.arguments)
      if (name == argument.first) throw UsageError("--arg: '{}' is given twice", name);
    options.arguments.push_back(std::move(argument));
  }
  for (const std::string& text : packages) {
    const auto [name, folder] = pair_of("--package", "NAME=DIR", text);
    std::error_code none;
    if (!std::filesystem::is_directory(folder, none))
      throw UsageError("--package {}: '{}' is not a folder", name, folder);
    options.packages.emplace_back(name, folder);
  }
  return options;
}

void RobotArgument::add_to(CLI::App& app, const char* argument, const char* meaning) {
  app.add_option(argument, name, meaning)->required();
  files.add_to(app);
  app.add_flag("--floating-base", options.floating_base, "let the base move freely");
  app.add_flag("--independent-mimics", options.independent_mimics,
               "let mimic joints move independently");
  app.add_flag("--strict", options.strict, "refuse what would be repaired");
}

void RobotArgument::add_gravity_to(Parser& app) {
  app.add_value("--gravity", gravity, "X,Y,Z", "the gravity vector, in place of the robot's");
}

void RobotArgument::add_loops_to(Parser& app) {
  app.add_flag("--open-loops", open_loops, "leave loops open: results are for the tree alone");
}

bool RobotArgument::closes_loops(Console& console, const Model& model) {
  const bool has_loops = !model.description().loops.empty();
  if (open_loops && !has_loops)
    throw UsageError("--open-loops has no effect: '{}' has no loops", model.name());
  loops_closed = has_loops && !open_loops;
  if (!loops_closed) mention_open_loops(console, model);
  return loops_closed;
}

namespace {

Drives drives_of(const Model& model) {
  const DriveTrain& train = model.drives();
  return train.plain()           ? Drives::none
         : !train.mounts.empty() ? Drives::carried_rotors
         : !train.diagonal       ? Drives::coupled_motors
                                 : Drives::springs;
}

}  // namespace

Imported RobotArgument::load() const {
  ImportOptions plain = files.with(options);
  plain.floating_base = plain.independent_mimics = false;
  Imported robot = text ? import_robot(*text, source(), plain) : load_robot(name, plain);
  if (options.independent_mimics) {
    if (std::ranges::none_of(robot.model.joints(), &Joint::mimics))
      throw UsageError("--independent-mimics has no effect: no joint of '{}' mimics another",
                       robot.model.name());
    robot.model = without_mimics(robot.model);
  }
  const bool floats =
      robot.model.joint_count() > 0 && robot.model.joint(1).type == JointType::floating;
  if (options.floating_base && floats)
    throw UsageError("--floating-base has no effect: the base of '{}' floats already",
                     robot.model.name());
  if (options.floating_base) robot.model = with_floating_base(robot.model);
  drives_left_out = drives_of(robot.model) > drives;
  if (drives_left_out) {
    robot.diagnostics.add(rules::drives_plain, {source(), 0, 0}, "",
                          "springs and coupled motors are not supported here",
                          "joints are taken as rigid, each with its own motor");
    robot.diagnostics.throw_if_errors();
    robot.model = with_plain_drives(robot.model);
  }
  if (gravity.empty()) return robot;
  const Vec3<double> given = three_numbers(gravity, "--gravity");
  constexpr double strongest = 1e6;  // m/s², far beyond any planet's
  if (!(given.cwiseAbs().maxCoeff() <= strongest))
    throw UsageError("--gravity: '{}' is beyond {:g} m/s^2", gravity, strongest);
  robot.model = robot.model.with_gravity(given);
  return robot;
}

void RobotArgument::read_standard_input() {
  if (name != "-") return;
  text = InputFile("-").text(options.max_bytes);
  if (!text) throw Failure("<stdin>: is larger than {} bytes", options.max_bytes);
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
  if (drives_left_out) about["drives"] = "left out";
  return about;
}

void mention_warnings(Console& console, const RobotArgument& robot,
                      const Diagnostics& diagnostics) {
  const Diagnostic* drives = diagnostics.find(rules::drives_plain);
  if (drives) console.complain(drives->seen + ": " + drives->assumed, Style::yellow);
  if (const std::size_t n = diagnostics.count(Severity::warning) - (drives ? 1 : 0))
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
  std::string text;
  char block[1 << 16];
  while (text.size() <= most) {
    stream().read(block, sizeof block);
    if (stream().gcount() == 0) break;
    text.append(block, static_cast<std::size_t>(stream().gcount()));
  }
  return text.size() > most ? std::nullopt : std::optional(std::move(text));
}

}  // namespace ulna::cli
