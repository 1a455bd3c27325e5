#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <optional>

#include "verb.hpp"

namespace ulna::cli {
namespace {

constexpr Verb verbs[] = {
    {"check", "find what is wrong with a robot's description", check},
    {"info", "show a robot's joints, bodies and limits", info},
    {"tree", "show the tree of a robot's links", tree},
    {"convert", "write a robot as URDF, SDF or MJCF, unchanged or modified", convert},
    {"fk", "forward kinematics: the poses of frames", fk},
    {"id", "inverse dynamics: the torques of a motion", id},
    {"fd", "forward dynamics: the accelerations under torques", fd},
    {"terms", "mass matrix, Coriolis matrix, gravity, energies, Jacobian", terms},
    {"equations", "equations of motion of a small arm, in symbols", equations},
    {"ik", "inverse kinematics: the configuration with a frame at a pose", ik},
    {"count", "count the operations of every formulation, next to the textbook's", count},
    {"compare", "compare all formulations: agreement, operations, time", compare},
    {"simplify", "rank the terms along a trajectory and drop the negligible ones", simplify},
    {"codegen", "write a robot's dynamics as C code", codegen},
    {"excite", "compute the motion that best excites a robot's parameters", excite},
    {"identify", "identify a robot's parameters from logs of its motion", identify},
    {"simulate", "simulate a robot under torques, and check its energy", simulate},
    {"mpc", "simulate predictive control that identifies the robot it drives", mpc},
    {"drive", "drive a robot in another process, after a first contact", drive},
    {"rig", "simulate a robot in a process of its own, to be driven", rig},
    {"view", "show a robot, a log or a simulation in the browser", view},
    {"robots", "list the embedded robots, or print one", robots},
};

const Verb* find_verb(std::string_view name) {
  const auto* found = std::ranges::find(verbs, name, &Verb::name);
  return found == std::end(verbs) ? nullptr : found;
}

[[noreturn]] void unknown_verb(std::string_view name) {
  if (name.starts_with("-")) throw UsageError("'{}' must come after a verb", name);
  std::vector<std::string_view> names{"help"};
  for (const Verb& v : verbs) names.push_back(v.name);
  throw UsageError("'{}' is not a verb{}", name, did_you_mean(name, names));
}

/// Refuses the first argument that the parser did not take, if there is one.
void refuse_leftovers(const CLI::App& app) {
  for (const std::string& argument : app.remaining()) {
    if (argument == "--") continue;
    if (!argument.starts_with("-") || argument == "-")
      throw UsageError("did not expect '{}'", argument);
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    const std::vector<std::string_view> names(known.begin(), known.end());
    throw UsageError("there is no option '{}'{}", argument,
                     did_you_mean(argument.substr(0, argument.find('=')), names));
  }
}

/// Refuses values that are empty, as those of variables that are not set.
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 && std::ranges::count(option->results(), ""))
      throw UsageError("{}: its value is empty", option->get_name(option->get_positional()));
}

/// What the parser complains of, in our words.
std::string reworded(const CLI::ParseError& e, const CLI::App& app) {
  const std::string text = e.what();
  const auto before = [&](std::string_view mark) { return text.substr(0, text.find(mark)); };
  if (e.get_name() == "RequiredError") return replaced(text, {{" is required", " is missing"}});
  if (e.get_name() == "ArgumentMismatch") {
    if (text.find("missing") != text.npos) return before(":") + ": its value is missing";
    if (text.find("received") != text.npos) return before(":") + " is given more than once";
    return "--" + before(" ") + " takes no value";
  }
  constexpr std::string_view conversion = "Could not convert: ", is = " = ";
  if (text.starts_with(conversion) && text.find(is) != text.npos) {
    const std::string name = before(is).substr(conversion.size()),
                      value = text.substr(text.find(is) + is.size());
    const CLI::Option* option = app.get_option_no_throw(name);
    const bool whole = option && option->get_type_name().find("INT") != std::string::npos;
    return fmt::format("{}: '{}' is not a {}", name, value,
                       whole ? "whole number in digits" : "number");
  }
  constexpr std::string_view range = " not in range ";
  if (text.find(range) != text.npos)
    return replaced(text, {{" Value ", " "}, {range, " is not from "}});
  return text;
}

int run(const Verb& verb, std::vector<std::string> arguments, Console& console) {
  Parser app;
  app.set_help_flag("-h,--help", "show this");
  app.allow_extras();
  const Action action = verb.setup(app, console);
  const bool reads_input = std::ranges::count(arguments, "-") > 0;
  console.add_options(app);
  for (CLI::Option* option : app.get_options())
    if (option->get_expected_max() == 0) option->disable_flag_override();
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    console.out.print(help(console.out, verb, app));
    return success;
  } catch (const CLI::ParseError& e) {
    refuse_leftovers(app);
    throw UsageError("{}", reworded(e, app));
  }
  refuse_leftovers(app);
  refuse_empty_values(app);
  app.refuse_useless_force();
  // who types the input is not waiting
  std::optional<Heartbeat> heartbeat;
  if (!isatty(STDIN_FILENO) || !reads_input) heartbeat.emplace(console.err);
  return action();
}

/// A failure as text, or with --json as a document.
int fail(Console& console, std::string_view what, const Diagnostics& diagnostics = Diagnostics()) {
  if (console.json()) {
    console.print({{"error", what}, {"diagnostics", to_json(diagnostics)}});
  } else if (diagnostics.list().empty()) {
    console.complain(what);
  } else {
    console.out.flush();
    console.err.print(to_text(console.err, diagnostics, false));
  }
  return failure;
}

/// Runs it and turns whatever is thrown into a message and an exit status.
template <class F>
int guarded(Console& console, std::string_view help, F body) {
  try {
    return body();
  } catch (const UsageError& e) {
    if (console.json()) console.print({{"error", e.what()}});
    console.complain(e.what());
    console.err.print(fmt::format("{} shows how\n", help));
    return usage;
  } catch (const ModelError& e) {
    return fail(console, e.what(), e.diagnostics());
  } catch (const std::bad_alloc&) {
    return fail(console, "out of memory");
  } catch (const std::exception& e) {
    return fail(console, e.what());
  }
}

/// What was printed must have arrived. A reader that has seen enough (`| head`) is no failure.
int finish(Console& console, int status) {
  console.out.flush();
  const int error = console.out.error();
  if (error == 0 || error == EPIPE) return status;
  console.complain(fmt::format("cannot write to standard output: {}", std::strerror(error)));
  return failure;
}

int run_without_verb(const std::vector<std::string>& arguments, Console& console) {
  const std::string first = arguments.empty() ? "" : arguments[0];
  const bool known = first == "--version" || first == "-V" || first == "help" ||
                     first == "--help" || first == "-h";
  if (const std::size_t most = first == "help" ? 2 : 1; known && arguments.size() > most)
    throw UsageError("did not expect '{}'", arguments[most]);
  if (first == "--version" || first == "-V") {
    console.out.print(fmt::format("ulna {}\n", ULNA_VERSION));
  } else if (first == "help" && arguments.size() > 1 &&
             !std::ranges::count(std::array{"help", "--help", "-h"}, arguments[1])) {
    const Verb* verb = find_verb(arguments[1]);
    if (!verb) unknown_verb(arguments[1]);
    return run(*verb, {"--help"}, console);
  } else if (first == "help" || first == "--help" || first == "-h") {
    console.out.print(overview(console.out, verbs));
  } else if (arguments.empty()) {
    console.err.print(overview(console.err, verbs));
    return usage;
  } else {
    unknown_verb(first);
  }
  return success;
}

int start(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const Verb* verb = arguments.empty() ? nullptr : find_verb(arguments[0]);
  Console console(verb ? verb->name : "");
  if (std::ranges::count(arguments, "--json")) console.set_json();
  const std::string help = verb ? fmt::format("ulna {} --help", verb->name) : "ulna help";
  return finish(console, guarded(console, help, [&] {
                  return verb ? run(*verb, {arguments.begin() + 1, arguments.end()}, console)
                              : run_without_verb(arguments, console);
                }));
}

/// A closed pipe and a full disk are reported by write(), not by a signal. And a file that is opened must
/// not take the place of a standard stream that was closed.
void prepare_process() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
      open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

}  // namespace
}  // namespace ulna::cli

int main(int argc, char** argv) {
  try {
    ulna::cli::prepare_process();
    return ulna::cli::start(argc, argv);
  } catch (...) {
    // only what fails while a failure is being reported can come here
    return ulna::cli::failure;
  }
}
