#include <algorithm>

#include "proposals.hpp"
#include "ulna/model/rules.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  ImportOptions import;
  SourceOptions sources;
  bool quiet = false, no_notes = false, rules = false, force = false;
  std::string fix, out;  ///< what to propose, and where to write the robot with it
  double density = ProposalOptions().density;
};

/// The findings about one file.
struct Verdict {
  std::string file;
  std::optional<Model> model;
  Diagnostics diagnostics;

  bool unreadable() const { return diagnostics.find(rules::file_unreadable); }
  bool has_findings() const {
    return diagnostics.has_errors() || diagnostics.count(Severity::warning) > 0;
  }
};

Verdict judge(const std::string& file, const ImportOptions& options) {
  try {
    Imported imported = load_robot(file, options);
    return {file, std::move(imported.model), std::move(imported.diagnostics)};
  } catch (const ModelError& e) {
    return {file, std::nullopt, e.diagnostics()};
  }
}

std::string text(const Stream& out, const Verdict& v, bool notes) {
  const std::string name = v.file == "-" ? "<stdin>" : visible(v.file);
  const std::string robot = v.model
                                ? fmt::format("{} DOF, {}", v.model->nv(),
                                              counted(v.model->description().links.size(), "link"))
                            : v.unreadable() ? "not read"
                                             : "refused";
  const Style style = v.diagnostics.has_errors() ? Style::red
                      : v.has_findings()         ? Style::yellow
                                                 : Style::green;
  return to_text(out, v.diagnostics, notes) + fmt::format("{}: {}: {}\n",
                                                          out.paint(Style::bold, name), robot,
                                                          out.paint(style, tally(v.diagnostics)));
}

Json verdict_json(const Verdict& v, bool notes) {
  Json robot;
  if (v.model) {
    RobotArgument given;
    given.name = v.file;
    robot = given.json(*v.model);
    robot["links"] = v.model->description().links.size();
  }
  Json diagnostics = Json::array();
  for (Json& d : to_json(v.diagnostics))
    if (notes || d["severity"] != "note") diagnostics.push_back(std::move(d));
  return {{"file", v.file},
          {"readable", !v.unreadable()},
          {"accepted", v.model.has_value()},
          {"robot", robot},
          {"errors", v.diagnostics.count(Severity::error)},
          {"warnings", v.diagnostics.count(Severity::warning)},
          {"notes", v.diagnostics.count(Severity::note)},
          {"diagnostics", diagnostics}};
}

int list_rules(Console& console) {
  if (console.json()) {
    const auto entry = [](const Rule* r) {
      return merged({{{"rule", r->name}, {"severity", to_string(r->severity)}},
                     ULNA_FIELDS(*r, meaning, remedy)});
    };
    console.print({{"schema", "ulna.rules/1"}, {"rules", list_of(rules::all, entry)}});
    return success;
  }
  int longest = 0;
  for (const Rule* r : rules::all) longest = std::max(longest, columns(r->name));
  const int width = std::min(console.out.width(), 100) - longest - 11;
  for (const Rule* r : rules::all) {
    const std::string head =
        console.out.paint(Style::bold, fmt::format("{:<{}}", r->name, longest)) + "  " +
        console.out.paint(style_of(r->severity), fmt::format("{:<7}", to_string(r->severity)));
    console.out.print(hanging(head + "  ", longest + 11, r->meaning, width));
    for (const std::string& line : wrap(r->remedy, width))
      console.out.print(std::string(longest + 11, ' ') + console.out.paint(Style::cyan, line) +
                        "\n");
  }
  return success;
}

/// Proposes what the robot lacks, and writes the robot with it. Adds to the document, if there is one.
void propose(const CheckOptions& options, const Verdict& verdict, Console& console,
             Json& document) {
  if (!verdict.model) return;
  ProposalOptions how;
  how.density = options.density;
  how.shapes.packages = options.import.packages;
  const InertiaProposals made = propose_inertias(*verdict.model, how);
  if (console.json()) {
    document["proposals"] = to_json(made, options.density);
    if (!options.out.empty()) document["out"] = options.out;
  } else {
    // only one thing can go to standard output
    Stream& to = options.out == "-" ? console.err : console.out;
    to.print(to_text(to, made, options.density));
  }
  if (!options.out.empty())
    write_or_print(console, options.out, to_urdf(with_inertias(*verdict.model, made.links)),
                   options.force);
}

int check_files(const CheckOptions& options, Console& console) {
  require_one_stdin(options.files);
  require_writable({options.out}, options.force);
  require_others({options.out}, options.files);
  std::size_t refused = 0, doubtful = 0, unreadable = 0;
  Json files = Json::array(), fixed = Json::object();
  Stream& to = options.out == "-" ? console.err : console.out;
  Progress progress(console.err, options.files.size());
  for (std::size_t i = 0; i < options.files.size() && !console.out.error(); ++i) {
    progress.at(i, options.files[i]);
    const Verdict verdict = judge(options.files[i], options.import);
    ++(verdict.unreadable() ? unreadable : verdict.model ? doubtful : refused);
    if (verdict.model && !verdict.has_findings()) --doubtful;
    if (console.json()) {
      files.push_back(verdict_json(verdict, !options.no_notes));
    } else if (!options.quiet) {
      progress.clear();
      to.print(text(to, verdict, !options.no_notes));
      if (to.is_terminal()) to.flush();
    }
    if (!options.fix.empty()) propose(options, verdict, console, fixed);
  }
  progress.clear();
  if (console.json()) {
    Json document{{"strict", options.import.strict}, {"files", files}};
    document.update(fixed);
    if (unreadable) {
      document["error"] = counted(unreadable, "file") + " could not be read";
      document["diagnostics"] = Json::array();
    }
    console.print(document);
  } else if (!options.quiet && options.files.size() > 1) {
    const std::size_t clean = options.files.size() - refused - doubtful - unreadable;
    std::string line = fmt::format("{}: {} clean", counted(options.files.size(), "file"), clean);
    if (doubtful) line += fmt::format(", {} with warnings", doubtful);
    if (refused) line += fmt::format(", {} refused", refused);
    if (unreadable) line += fmt::format(", {} not read", unreadable);
    console.out.print(console.out.paint(Style::bold, line) + "\n");
  }
  return unreadable ? failure : refused || doubtful ? findings : success;
}

}  // namespace

Action check(Parser& app, Console& console) {
  auto options = std::make_shared<CheckOptions>();
  app.add_option("FILE", options->files, "robots: files, - for standard input, or embedded robots");
  options->sources.add_to(app);
  app.add_flag("--strict", options->import.strict, "count warnings as errors");
  app.add_flag("--no-notes", options->no_notes, "show warnings and errors only");
  app.add_flag("-q,--quiet", options->quiet, "print nothing: the exit status is the result");
  app.add_value("--fix", options->fix, "WHAT",
                "inertia: propose inertias for links without, from their shapes",
                word_of({"inertia"}));
  app.add_value("--density", options->density, "KG/M3", "of the shapes; default 1000", above_zero);
  app.add_output("-o,--out", options->out, "write the robot with what is proposed, as URDF", true);
  app.add_force(options->force);
  app.add_flag("--rules", options->rules, "list all rules with their meaning and remedy");
  return [options, &app, &console] {
    if (options->rules) {
      for (const char* option : {"--strict", "--no-notes", "--quiet", "--fix"})
        if (app.count(option)) throw UsageError("{} has no effect with --rules", option);
      if (!options->files.empty())
        throw UsageError("FILE is not checked with --rules, which lists what is checked for");
      return list_rules(console);
    }
    if (options->quiet && (options->no_notes || console.json()))
      throw UsageError("{} has no effect with --quiet", console.json() ? "--json" : "--no-notes");
    if (options->files.empty()) throw UsageError("FILE is missing");
    if (options->fix.empty()) {
      for (const char* option : {"--density", "--out"})
        if (app.count(option)) throw UsageError("{} has no effect without --fix inertia", option);
    } else {
      if (options->files.size() > 1) throw UsageError("--fix is for one FILE at a time");
      if (options->quiet) throw UsageError("--fix has no effect with --quiet");
      if (options->out == "-" && console.json())
        throw UsageError(
            "--json and the robot cannot both go to standard output: give --out a name");
    }
    app.refuse_useless_force();
    options->import = options->sources.with(options->import);
    return check_files(*options, console);
  };
}

}  // namespace ulna::cli
