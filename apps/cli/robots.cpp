#include <algorithm>

#include "verb.hpp"

namespace ulna::cli {
namespace {

struct RobotsOptions {
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
  std::vector<std::string> paragraphs;
  bool begins = true;
  for (const std::string& raw : split(text, '\n')) {
    std::string_view line = trimmed(raw);
    if (!xml) {
      if (!line.starts_with("#")) break;
      line = trimmed(line.substr(1));
    }
    if (!line.empty()) {
      if (begins)
        paragraphs.emplace_back(line);
      else
        paragraphs.back().append(" ").append(line);
    }
    begins = line.empty();
  }
  return paragraphs;
}

/// Its figures, and what the file says of it: the first paragraph of its comment, without "name: " and
/// the full stop, and the others, where the figures are from.
Json entry(const EmbeddedRobot& robot) {
  const Model model = import_robot(robot.text, std::string(robot.file_name)).model;
  std::vector<std::string> comment = first_comment(robot.text);
  std::string description;
  if (!comment.empty()) {
    description = comment[0];
    comment.erase(comment.begin());
    if (description.starts_with(fmt::format("{}: ", robot.name)))
      description.erase(0, robot.name.size() + 2);
    if (description.ends_with('.')) description.pop_back();
  }
  return {{"name", robot.name},         {"file", robot.file_name},
          {"dof", model.nv()},          {"mass", total_mass(Plant<double>(model))},
          {"description", description}, {"source", fmt::format("{}", fmt::join(comment, "\n"))}};
}

int list_all(Console& console) {
  const Stream& out = console.out;
  Json entries = Json::array();
  std::vector<double> masses;
  int longest = 0;
  for (const EmbeddedRobot& robot : embedded_robots()) {
    entries.push_back(entry(robot));
    masses.push_back(entries.back()["mass"]);
    longest = std::max(longest, columns(robot.name));
  }
  if (console.json()) {
    console.print({{"robots", entries}});
    return success;
  }
  const Figures mass(masses, 5e-3, 1e-4);
  Table table(1, {"robot", ">DOF", ">mass [kg]", "description"});
  for (const Json& e : entries) {
    Cells cells{e["name"].get<std::string>(), e["dof"].get<int>(), mass(e["mass"], out)};
    const std::string description = e["description"];
    for (const std::string& line : wrap(description, std::min(out.width(), 120) - longest - 16)) {
      cells.push_back(line);
      table.row(cells);
      cells.assign(3, "");
    }
    if (description.empty()) table.row(cells);
  }
  console.out.print(table.str(out));
  console.out.print(
      "\nulna robots NAME prints the file, which names the source of its parameters.\n"
      "chain:N is a generated chain of N revolute joints.\n");
  return success;
}

int print_one(const std::string& name, Console& console) {
  const std::span<const EmbeddedRobot> all = embedded_robots();
  const auto found = std::ranges::find(all, name, &EmbeddedRobot::name);
  const bool generated = name.starts_with("chain:");
  if (found == all.end() && !generated) {
    std::vector<std::string_view> names;
    for (const EmbeddedRobot& r : all) names.push_back(r.name);
    throw Failure("no embedded robot is named '{}'{}", name, did_you_mean(name, names));
  }
  const std::string text = generated ? to_urdf(load_robot(name).model) : std::string(found->text);
  if (!console.json()) {
    console.out.print(text);
    return success;
  }
  Json robot = entry(generated ? EmbeddedRobot{name, name, text} : *found);
  robot["text"] = text;
  console.print({{"robots", Json::array({robot})}});
  return success;
}

}  // namespace

Action robots(Parser& app, Console& console) {
  auto options = std::make_shared<RobotsOptions>();
  app.add_option("NAME", options->name, "print the file of this robot");
  app.add_flag("--names", options->names, "print the names only, one per line");
  return [options, &console]() -> int {
    if (options->names && (!options->name.empty() || console.json()))
      throw UsageError("--names has no effect with {}", console.json() ? "--json" : "NAME");
    if (!options->name.empty()) return print_one(options->name, console);
    if (!options->names) return list_all(console);
    for (const EmbeddedRobot& robot : embedded_robots())
      console.out.print(fmt::format("{}\n", robot.name));
    return success;
  };
}

}  // namespace ulna::cli
