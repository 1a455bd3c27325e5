#include "assets.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

using Pair = std::pair<std::string, std::string>;

/// Terms on the left, their meanings on the right.
std::string glossary(const Stream& stream, std::string_view title, const std::vector<Pair>& terms) {
  int left = 0;
  for (const auto& [term, meaning] : terms) left = std::max(left, columns(term));
  const int width = std::min(stream.width(), 100) - left - 4;
  std::string text = "\n" + stream.paint(Style::bold, title) + "\n";
  for (const auto& [term, meaning] : terms)
    text += hanging(fmt::format("  {:<{}}  ", term, left), left + 4, meaning, width);
  return text;
}

std::string term(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string text;
  for (const std::string& s : option.get_snames()) text += "-" + s + ", ";
  for (const std::string& l : option.get_lnames()) text += "--" + l + ", ";
  text.resize(text.size() - 2);
  if (option.get_items_expected_max() > 0) text += " " + option.get_option_text();
  return text;
}

/// "-o DIR", as the line of usage has it.
std::string shortest(const CLI::Option& option) {
  return (option.get_snames().empty() ? "--" + option.get_lnames()[0]
                                      : "-" + option.get_snames()[0]) +
         " " + option.get_option_text();
}

}  // namespace

std::string overview(const Stream& stream, std::span<const Verb> verbs) {
  std::string text = fmt::format("{} {}: robot dynamics from a robot's description\n",
                                 stream.paint(Style::bold, "ulna"), ULNA_VERSION);
  text += "\n" + stream.paint(Style::bold, "Usage") + "\n  ulna VERB [ARGUMENTS]\n";
  std::vector<Pair> terms;
  for (const Verb& v : verbs) terms.emplace_back(v.name, v.summary);
  terms.emplace_back("help", "show this, or the help of a verb: ulna help info");
  text += glossary(stream, "Verbs", terms);
  text += glossary(
      stream, "A robot is",
      {{"arm.urdf, arm.yaml",
        "a file: URDF, xacro, MJCF, SDF, Denavit-Hartenberg table, or product of exponentials"},
       {"-", "one of these on standard input"},
       {"panda", "an embedded robot; ulna robots lists them"},
       {"chain:7", "a generated chain of so many revolute joints"}});
  text += glossary(stream, "Exit status",
                   {{"0", "success"},
                    {"1", "findings: of check, or results that are not reliable"},
                    {"2", "the command line is wrong"},
                    {"3", "a robot was refused, or a file could not be read or written"}});
  text += "\nulna VERB --help shows more. ulna --version prints the version.\n";
  return text;
}

std::string help(const Stream& stream, const Verb& verb, const CLI::App& app) {
  std::vector<Pair> arguments, options;
  std::string usage, required;
  for (const CLI::Option* o : app.get_options()) {
    if (!o->get_positional()) {
      options.emplace_back(term(*o), o->get_description());
      if (o->get_required()) required += " " + shortest(*o);
      continue;
    }
    const std::string name = o->get_name(true) + (o->get_items_expected_max() > 1 ? "..." : "");
    usage += o->get_required() ? " " + name : " [" + name + "]";
    arguments.emplace_back(name, o->get_description());
  }
  std::string text =
      fmt::format("{}: {}\n\n{}\n", stream.paint(Style::bold, fmt::format("ulna {}", verb.name)),
                  verb.summary, stream.paint(Style::bold, "Usage"));
  text += fmt::format("  ulna {}{}{} [OPTIONS]\n", verb.name, usage, required);
  if (!arguments.empty()) text += glossary(stream, "Arguments", arguments);
  text += glossary(stream, "Options", options);
  return fmt::format("{}\n{}\n{}", text, stream.paint(Style::bold, "Examples"),
                     asset(fmt::format("{}.txt", verb.name)));
}

}  // namespace ulna::cli
