#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "robot_argument.hpp"
#include "table.hpp"
#include "text.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

struct Options {
  std::string name;
  bool names = false;
};

std::string_view trimmed(std::string_view s) {
  const std::size_t first = s.find_first_not_of(" \t\r");
  return first == s.npos ? "" : s.substr(first, s.find_last_not_of(" \t\r") + 1 - first);
}

/// The first comment of a URDF or YAML text, by paragraphs, each on one line.
std::vector<std::string> first_comment(std::string_view text) {
  const bool xml = text.starts_with("<");
  if (xml) {
    const std::size_t begin = text.find("<!--"), end = text.find("-->");
    if (begin == text.npos || end == text.npos) return {};
    text = text.substr(begin + 4, end - begin - 4);
  }
  std::vector<std::string> paragraphs(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!xml) {
      if (!line.starts_with("#")) break;
      line = trimmed(line.substr(1));
    }
    if (line.empty()) {
      if (!paragraphs.back().empty()) paragraphs.emplace_back();
      continue;
    }
    if (!paragraphs.back().empty()) paragraphs.back() += ' ';
    paragraphs.back() += line;
  }
  if (paragraphs.back().empty()) paragraphs.pop_back();
  return paragraphs;
}

struct Entry {
  EmbeddedRobot robot;
  int dof = 0;
  double mass = 0.0;
  std::string description;  ///< first paragraph, without "name: " and the full stop
  std::string source;       ///< the others: where the figures are from
};

Entry entry(const EmbeddedRobot& robot) {
  const Model model = import_robot(robot.text, std::string(robot.file_name)).model;
  Entry e{robot, model.nv(), total_mass(Plant<double>(model)), "", ""};
  const std::vector<std::string> comment = first_comment(robot.text);
  if (!comment.empty()) {
    e.description = comment[0];
    if (e.description.starts_with(fmt::format("{}: ", robot.name)))
      e.description.erase(0, robot.name.size() + 2);
    if (e.description.ends_with('.')) e.description.pop_back();
  }
  for (std::size_t i = 1; i < comment.size(); ++i) e.source += (i > 1 ? "\n" : "") + comment[i];
  return e;
}

Json entry_json(const Entry& e) {
  return {{"name", e.robot.name}, {"file", e.robot.file_name},    {"dof", e.dof},
          {"mass", e.mass},       {"description", e.description}, {"source", e.source}};
}

int list_all(Console& console) {
  const Stream& out = console.out;
  std::vector<Entry> entries;
  for (const EmbeddedRobot& robot : embedded_robots()) entries.push_back(entry(robot));
  if (console.json()) {
    Json document = console.document();
    document["robots"] = Json::array();
    for (const Entry& e : entries) document["robots"].push_back(entry_json(e));
    console.print(document);
    return success;
  }
  std::vector<double> masses;
  int longest = 0;
  for (const Entry& e : entries) {
    masses.push_back(e.mass);
    longest = std::max(longest, columns(e.robot.name));
  }
  const Figures mass(masses, 5e-3, 1e-4);
  Table table(1,
              {{"robot", "", false, 0}, {"DOF", "", true}, {"mass", "kg", true}, {"description"}});
  for (const Entry& e : entries) {
    std::vector<std::string> cells{std::string(e.robot.name), std::to_string(e.dof),
                                   mass(e.mass, out)};
    for (const std::string& line : wrap(e.description, std::min(out.width(), 120) - longest - 16)) {
      cells.push_back(line);
      table.row(std::move(cells));
      cells.assign(3, "");
    }
    if (e.description.empty()) table.row(std::move(cells));
  }
  console.out.print(table.str(out));
  console.out.print(
      "\nulna robots NAME prints the file, which names the source of its figures.\n"
      "chain:N is a generated chain of N revolute joints.\n");
  return success;
}

int print_one(const std::string& name, Console& console) {
  const std::span<const EmbeddedRobot> all = embedded_robots();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.name == name; });
  const bool generated = name.starts_with("chain:");
  if (found == all.end() && !generated) {
    std::vector<std::string_view> names;
    names.reserve(all.size());
    for (const EmbeddedRobot& r : all) names.push_back(r.name);
    throw UsageError(
        fmt::format("no embedded robot is named '{}'{}", name, did_you_mean(name, names)));
  }
  const std::string text = generated ? to_urdf(load_robot(name).model) : std::string(found->text);
  if (!console.json()) {
    console.out.print(text);
    return success;
  }
  Json robot = entry_json(entry(generated ? EmbeddedRobot{name, name, text} : *found));
  robot["text"] = text;
  Json document = console.document();
  document["robots"] = Json::array({robot});
  console.print(document);
  return success;
}

}  // namespace

Action robots(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  app.add_option("NAME", options->name, "print the file of this robot");
  app.add_flag("--names", options->names, "print the names only, one a line");
  app.footer(
      "  ulna robots                   what there is\n"
      "  ulna robots panda >my.urdf    a robot to begin with\n");
  return [options, &console]() -> int {
    if (!options->name.empty()) return print_one(options->name, console);
    if (!options->names || console.json()) return list_all(console);
    for (const EmbeddedRobot& robot : embedded_robots())
      console.out.print(fmt::format("{}\n", robot.name));
    return success;
  };
}

}  // namespace ulna::cli
