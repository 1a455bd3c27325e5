#include "identify_arguments.hpp"
#include "identify_json.hpp"
#include "identify_payload.hpp"
#include "identify_report.hpp"
#include "identify_text.hpp"
#include "report_page.hpp"
#include "ulna/identify/floating/floating_base.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

/// Methods of the library by their names, and refinement of what the last of them finds.
const std::vector<std::string> methods{"ols",   "wls",        "irls",  "tls",
                                       "ridge", "consistent", "refine"};

/// How the library's options are called here.
std::string in_flags(const std::string& text) {
  return replaced(text, {{"Options::method = ", "--method "},
                         {"Options::split = ", "--split "},
                         {"Options::refine", "--method refine"},
                         {"Options::stribeck", "--friction stribeck"},
                         {"Options::gains", "--gain"},
                         {"Options::filter_hz = ", "--filter "},
                         {"Options::filter_hz", "--filter"},
                         {"LogInputs::validation", "--validate LOG"},
                         {"LogInputs::loaded", "--loaded LOG"},
                         {"Options::torque_delay", "--late"},
                         {"Options::base_held", "--base-held"},
                         {"Options::known_payload", "--known-payload"},
                         {"Options::find_gains", "--gain find"},
                         {"Options::", "--"}});
}

/// Everything that can be checked before any work.
Options options_of(const IdentifyArguments& given) {
  Options how = given.how;
  how.refine = given.method == "refine";
  if (how.refine && !can_refine())
    throw UsageError(
        "--method refine: this ulna was built without Ceres (Debian: libceres-dev); the best "
        "method without is consistent");
  const auto method = method_from_string(how.refine ? "consistent" : given.method);
  if (!method) throw UsageError("--method: {}", unknown_word(given.method, methods));
  how.method = *method;
  how.find_gains = given.gain == "find";
  how.filter_hz = given.filter_hz;
  if (given.late_ms) how.torque_delay = 1e-3 * *given.late_ms;
  how.choose = !given.as_usual;
  how.prior.from_robot = given.prior != "none";
  if (how.split != 0.0 && !given.validate.empty())
    throw UsageError("--split and --validate exclude each other");
  if (given.online && how.split != 0.0)
    throw UsageError("--online predicts before it learns, so there is nothing to --split");
  if (given.online && !how.payload.empty())
    throw UsageError("--online learns all bodies; --payload is for logs as a whole");
  if (!given.loaded.empty() && how.payload.empty())
    throw UsageError("--loaded: the link that has the payload is missing (--payload LINK)");
  if (!given.loaded.empty() && given.method != "consistent")
    throw UsageError("--loaded: a payload is weighed by --method consistent");
  if (!given.known_payload.empty()) {
    if (given.gain != "find" || given.loaded.empty())
      throw UsageError(
          "--known-payload is for --gain find with logs of the robot with it (--loaded)");
    how.known_payload = Eigen::VectorXd::Zero(4);
    set_numbers(given.known_payload, "--known-payload", {"m", "x", "y", "z"}, how.known_payload);
    if (!(how.known_payload(0) > 0.0))
      throw UsageError("--known-payload: its mass must be above 0");
  }
  if (given.online && (given.method != "consistent" || how.folds != 0 || how.essential))
    throw UsageError(
        "--online is physically consistent; --method, --folds and --essential are for logs as a "
        "whole");
  if (given.armature && given.no_armature)
    throw UsageError("--armature and --no-armature exclude each other");
  std::vector<std::string> inputs{given.robot.name, given.prior};
  inputs.insert(inputs.end(), given.logs.begin(), given.logs.end());
  inputs.insert(inputs.end(), given.validate.begin(), given.validate.end());
  inputs.insert(inputs.end(), given.loaded.begin(), given.loaded.end());
  require_one_stdin(inputs);
  if (given.armature || given.no_armature) how.rotors = given.armature;
  if (!given.friction.empty()) try {
      const Friction friction = friction_from_string(given.friction);
      how.features = friction.features, how.stribeck = friction.stribeck;
      require_compatible(*how.features);
    } catch (const std::invalid_argument& e) {
      throw UsageError("--friction: {}", e.what());
    }
  try {
    require_valid(how);
  } catch (const std::invalid_argument& e) {
    throw UsageError("{}", in_flags(e.what()));
  }
  return how;
}

/// Those of all joints, Nm/A; empty if none are given.
Eigen::VectorXd gains_of(const IdentifyArguments& given, const Model& model) {
  if (given.gain.empty() || given.gain == "find") return {};
  if (given.gain.find_first_of("=0123456789") == std::string::npos)
    throw UsageError("--gain: '{}' is neither find nor numbers{}", given.gain,
                     did_you_mean(given.gain, std::vector<std::string_view>{"find"}));
  // a base that floats has no drive
  const std::vector<std::string> joints = limbs_of(model).velocity_names();
  Eigen::VectorXd gains = Eigen::VectorXd::Zero(Eigen::Index(joints.size()));
  set_numbers(given.gain, "--gain", joints, gains);
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (gains(Eigen::Index(i)) == 0.0)
      throw UsageError("--gain: that of joint '{}' is {}", joints[i],
                       is_named(given.gain) ? "missing or zero" : "zero");
  return gains;
}

LogInputs inputs_of(const IdentifyArguments& given) {
  const auto of = [](const std::vector<std::string>& files) {
    std::vector<LogInput> inputs;
    for (const std::string& file : files)
      inputs.push_back(file == "-" ? LogInput{"<stdin>", &std::cin}
                                   : LogInput{InputFile(file).name()});
    return inputs;
  };
  return {of(given.logs), of(given.validate), of(given.loaded)};
}

/// The robot with the numbers believed so far.
Model prior_of(const IdentifyArguments& given, const Model& robot) {
  if (given.prior.empty() || given.prior == "none") return robot;
  require_word_or_file("--prior", given.prior, {"none"});
  try {
    return with_parameters_of(robot, load_robot(given.prior).model);
  } catch (const std::invalid_argument& e) {
    throw Failure("--prior: {}", e.what());
  }
}

Identification identified(const IdentifyArguments& given, const Model& model, Options how,
                          Console& console) {
  Interrupt interrupt;
  Progress progress(console.err, Options::steps);
  how.progress = [&](int at, const std::string& what) {
    progress.at(at, what);
    return !Interrupt::requested();
  };
  try {
    Identification result =
        given.online ? online(model, inputs_of(given), how) : offline(model, inputs_of(given), how);
    for (Remark& remark : result.remarks) remark.text = in_flags(remark.text);
    return result;
  } catch (const LogError&) {
    throw;
  } catch (const Stopped&) {
    progress.clear();
    interrupt.end_program();
    throw;
  } catch (const std::runtime_error& e) {
    throw Failure("{}", in_flags(e.what()));
  }
}

int run_identify(const IdentifyArguments& given, Console& console) {
  Options how = options_of(given);
  const bool to_stdout = given.out == "-";
  if (to_stdout && console.json())
    throw UsageError("--json and --out - cannot both go to standard output");
  if (given.all && (console.json() || to_stdout))
    throw UsageError("--all has no effect with {}",
                     to_stdout ? "--out -: there is no summary" : "--json, which has all of them");
  std::vector<std::string> logs = given.logs;
  logs.insert(logs.end(), given.validate.begin(), given.validate.end());
  logs.insert(logs.end(), given.loaded.begin(), given.loaded.end());
  require_others({given.out, given.report}, logs);
  require_writable({given.out, given.report}, given.force);
  const Imported robot = given.robot.load();
  how.gains = gains_of(given, robot.model);
  if (how.base_held && !floats(robot.model))
    throw UsageError("--base-held has no effect: the base of '{}' does not float",
                     robot.model.name());
  if (how.ratios && robot.model.drives().diagonal)
    throw UsageError("--ratios has no effect: no motors of '{}' are coupled", robot.model.name());
  if (!how.payload.empty() && !robot.model.find_frame(how.payload)) {
    std::vector<std::string_view> names;
    for (const Frame& f : robot.model.frames()) names.push_back(f.name);
    const std::string near = did_you_mean(how.payload, names);
    throw UsageError("--payload: robot '{}' has no link '{}'{}", robot.model.name(), how.payload,
                     near.empty() ? "; ulna tree lists them" : near);
  }
  if (!how.payload.empty() && robot.model.frame(how.payload).body == 0)
    throw UsageError("--payload: link '{}' does not move: no torque depends on what it carries",
                     how.payload);
  const Model prior = prior_of(given, robot.model);
  const Identification result = identified(given, prior, how, console);

  mention_warnings(console, given.robot, robot.diagnostics);
  console.err.print(to_text(console.err, result.found, false));
  for (const Remark& remark : result.remarks)
    console.complain(remark.text, remark.finding ? Style::red : Style::yellow);
  // of a refinement that was stopped there is a remark
  if (result.stopped && !(result.refined && result.refined->status == RefineStatus::stopped))
    console.complain(stopped_text(given, result));

  ResultFiles files(console, given.force);
  if (!given.out.empty()) {
    if (result.has_findings())
      console.complain(
          fmt::format("'{}' is not written: the estimate cannot be trusted", given.out));
    else
      files.write(given.out, to_urdf(result.model()));
  }
  if (!given.report.empty())
    files.write(
        given.report,
        identify_report({given.robot.source(), given.prior_source(), given.method_name()}, result));
  if (!to_stdout)
    console.show(
        [&] {
          return merged({json_of(given, robot, result), files.json()});
        },
        [&] { return text_of(given, result, console.out); });
  return files.finish(result.has_findings() || result.stopped ? findings : success);
}

}  // namespace

Action identify(Parser& app, Console& console) {
  auto given = std::make_shared<IdentifyArguments>();
  given->robot.loops_closed = true;
  Options& how = given->how;
  given->robot.add_to(app);
  app.add_option("LOG", given->logs, "tables of t, q, qd, tau or i (CSV), or - for standard input")
      ->required();
  given->robot.add_gravity_to(app);
  app.add_value("--validate", given->validate, "LOG...", "logs to try the estimate on");
  app.add_value(
      "--split", how.split, "SHARE", "fit this share of each log, validate on the rest",
      number_that("is not a share between 0 and 1", [](double x) { return x > 0.0 && x < 1.0; }));
  app.add_value("--folds", how.folds, "N",
                "cross-validate: predict each of N parts from the others", whole_number(2, 1000));
  app.add_value("--filter", given->filter_hz, "HZ",
                "cut-off of the low-pass, Hz; chosen if not given");
  app.add_value("--gain", given->gain, "K,...",
                "torque per motor current, a number per joint, Nm/A; or find");
  app.add_value("--friction", given->friction, "LIST",
                "viscous, coulomb, asymmetric, load, offset, stribeck; or none; chosen if not "
                "given");
  app.add_flag("--armature", given->armature, "look for rotor inertias too; chosen if not given");
  app.add_flag("--no-armature", given->no_armature, "take rotors to be none");
  app.add_flag("--ratios", how.ratios, "look for the ratios by which motors are coupled");
  app.add_value("--late", given->late_ms, "MS",
                "torques are measured so much later than motion, ms; chosen if not given");
  app.add_flag("--usual", given->as_usual,
               "choose nothing: what is not given is 10 Hz, viscous, coulomb, offset, rotors that "
               "are described, no delay");
  app.add_value("--prior", given->prior, "ROBOT",
                "the same robot with the parameters assumed so far, or none");
  app.add_value("--method", given->method, "NAME",
                fmt::format("{}", fmt::join(methods, ", ")).c_str());
  app.add_flag("--delay", how.delay, "with --method refine: find how late torques are measured");
  app.add_value("--payload", how.payload, "LINK",
                "what this link carries: of the bodies, only its own is unknown");
  app.add_value("--loaded", given->loaded, "LOG...",
                "logs with the payload; the others are of the robot without it");
  app.add_value("--known-payload", given->known_payload, "M,X,Y,Z",
                "with --gain find: what the payload weighs, and its centre of mass, by which "
                "gains are found");
  app.add_flag("--base-held", how.base_held,
               "what holds a base that floats is not known: only joints' torques count");
  app.add_flag("--essential", how.essential, "find the base parameters that matter");
  app.add_flag("--online", given->online, "learn sample by sample, as a controller would");
  app.add_flag("--all", given->all, "list all base parameters and parameters");
  app.add_output("-o,--out", given->out, "write the identified robot as URDF; - for stdout", true);
  app.add_output("--report", given->report, "write a page with plots (HTML)");
  app.add_force(given->force);
  return [given, &console]() -> int {
    given->robot.drives = given->online ? Drives::springs : Drives::carried_rotors;
    return run_identify(*given, console);
  };
}

}  // namespace ulna::cli
