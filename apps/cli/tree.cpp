#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "report.hpp"
#include "robot_argument.hpp"
#include "table.hpp"
#include "text.hpp"
#include "verb.hpp"

namespace ulna::cli {
namespace {

struct Options {
  RobotArgument robot;
  bool ascii = false, dot = false;
};

/// A link and its place in the tree. They are listed from the base outwards, depth first.
struct Node {
  const LinkDescription* link;
  const JointDescription* joint;  ///< its parent joint; nullptr for the base
  int parent;                     ///< its place in the list, -1 for the base
  int depth;
  bool last;  ///< among its siblings
};

std::vector<Node> walk(const Model& model) {
  const Description& d = model.description();
  std::unordered_map<std::string_view, const LinkDescription*> links;
  for (const LinkDescription& l : d.links) links[l.name] = &l;
  std::unordered_map<std::string_view, std::vector<const JointDescription*>> below;
  for (const JointDescription& j : d.joints) below[j.parent].push_back(&j);

  std::vector<Node> nodes, stack{{links.at(model.body_name(0)), nullptr, -1, 0, true}};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    const int place = static_cast<int>(nodes.size());
    nodes.push_back(node);
    const auto& joints = below[node.link->name];
    for (auto j = joints.rbegin(); j != joints.rend(); ++j)
      stack.push_back({links.at((*j)->child), *j, place, node.depth + 1, j == joints.rbegin()});
  }
  return nodes;
}

/// The lines left of a link that lead to it. Far from the base only the nearest of them are drawn.
class Branches {
 public:
  Branches(const Stream& stream, const std::vector<Node>& nodes) : stream_(stream) {
    int depth = 0;
    for (const Node& n : nodes) depth = std::max(depth, n.depth);
    step_ = depth <= 10 ? 3 : depth <= 20 ? 2 : 1;
  }

  /// To be called for the links in their order.
  std::string before(const Node& node) {
    if (node.depth == 0) return "";
    last_.resize(static_cast<std::size_t>(node.depth) + 1);
    last_.back() = node.last;
    std::string text;
    int from = 1;
    if (node.depth > most) {
      from = node.depth - most + 1;
      text = stream_.either("…", "~");
    }
    for (int d = from; d < node.depth; ++d)
      text += cell(last_[static_cast<std::size_t>(d)] ? " " : stream_.either("│", "|"), " ");
    return text + cell(node.last ? stream_.either("└", "`") : stream_.either("├", "|"),
                       stream_.either("─", "-"));
  }

 private:
  static constexpr int most = 24;

  std::string cell(std::string_view knot, std::string_view line) const {
    std::string text(knot);
    if (step_ >= 3) text += line;
    if (step_ >= 2) text += ' ';
    return text;
  }

  const Stream& stream_;
  int step_;
  std::vector<bool> last_;
};

std::string text(const Stream& out, const Model& model) {
  const std::vector<Node> nodes = walk(model);
  Branches branches(out, nodes);
  const bool mimics = std::any_of(nodes.begin(), nodes.end(),
                                  [](const Node& n) { return n.joint && n.joint->mimic; });
  Table table(1, {{"link", "", false, 0}, {"#", "", true}, {"joint"}, {"type"}, {"axis"}});
  if (mimics) table.column({"mimics"});
  for (const Node& n : nodes) {
    const std::string name = branches.before(n) + n.link->name;
    if (!n.joint) {
      table.row({name}, Style::bold);
      continue;
    }
    const auto body = model.find_joint(n.joint->name);
    std::vector<std::string> cells{name, body ? std::to_string(*body) : "", n.joint->name,
                                   std::string(to_string(n.joint->type)),
                                   axis_text(n.joint->axis, n.joint->type)};
    if (mimics) cells.push_back(n.joint->mimic ? to_text(out, *n.joint->mimic) : "");
    table.row(std::move(cells), body ? Style::plain : Style::dim);
  }
  std::string result =
      fmt::format("{}: {} DOF, {}\n\n", out.paint(Style::bold, visible(model.name())), model.nv(),
                  counted(nodes.size(), "link")) +
      table.str(out);
  const auto& loops = model.description().loops;
  if (loops.empty()) return result;
  Table closing(1, {{"loop", "", false, 0}, {"type"}, {"axis"}, {"closes"}});
  for (const LoopDescription& l : loops)
    closing.row({l.name, std::string(to_string(l.type)), axis_text(l.axis, l.type),
                 fmt::format("{} {} {}", l.link1, out.either("↔", "<->"), l.link2)});
  return result + "\n" + closing.str(out);
}

/// A name as a string of the DOT language.
std::string dot_string(std::string_view name) {
  std::string text = "\"";
  for (const char c : visible(name)) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string dot(const Model& model) {
  const std::vector<Node> nodes = walk(model);
  std::unordered_map<std::string_view, std::size_t> place;
  std::string text = fmt::format("digraph {} {{\n", dot_string(model.name())) +
                     "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
                     "  edge [fontname=\"sans-serif\", fontsize=10];\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    place[nodes[i].link->name] = i;
    text += fmt::format("  l{} [label={}];\n", i, dot_string(nodes[i].link->name));
  }
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const JointDescription& j = *nodes[i].joint;
    const std::string axis = axis_text(j.axis, j.type);
    std::string label = dot_string(j.name);
    label.pop_back();
    label += fmt::format("\\n{}{}{}\"", to_string(j.type), axis.empty() ? "" : " ", axis);
    text += fmt::format("  l{} -> l{} [label={}{}];\n", nodes[i].parent, i, label,
                        j.type == JointType::fixed ? ", style=dashed"
                        : j.mimic                  ? ", style=dotted"
                                                   : "");
  }
  for (const LoopDescription& l : model.description().loops)
    text += fmt::format("  l{} -> l{} [label={}, dir=none, color=red, constraint=false];\n",
                        place.at(l.link1), place.at(l.link2), dot_string(l.name));
  return text + "}\n";
}

/// Flat, because a robot may be thousands of links deep.
Json fill(Json document, const RobotArgument& argument, const Imported& robot) {
  const Model& model = robot.model;
  document["robot"] = argument.json(model);
  document["robot"]["links"] = model.description().links.size();
  document["links"] = Json::array();
  const std::vector<Node> nodes = walk(model);
  for (const Node& n : nodes) {
    Json joint, parent;
    if (n.joint) {
      const auto body = model.find_joint(n.joint->name);
      parent = nodes[static_cast<std::size_t>(n.parent)].link->name;
      joint = {{"name", n.joint->name},
               {"type", to_string(n.joint->type)},
               {"index", body ? Json(*body) : Json()},
               {"axis", has_axis(n.joint->type) ? to_json(n.joint->axis) : Json()},
               {"mimic", to_json(n.joint->mimic)}};
    }
    document["links"].push_back(
        {{"name", n.link->name}, {"depth", n.depth}, {"parent", parent}, {"joint", joint}});
  }
  document["loops"] = loops_json(model);
  document["diagnostics"] = to_json(robot.diagnostics);
  return document;
}

int show(const Options& options, Console& console) {
  const Imported robot = options.robot.load();
  if (console.json()) {
    console.print(fill(console.document(), options.robot, robot));
    return success;
  }
  if (options.ascii) console.out.set_ascii();
  console.out.print(options.dot ? dot(robot.model) : text(console.out, robot.model));
  mention_warnings(console, options.robot, robot.diagnostics);
  return success;
}

}  // namespace

Action tree(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  options->robot.add_to(app);
  app.add_flag("--ascii", options->ascii, "draw without box-drawing characters");
  app.add_flag("--dot", options->dot, "print a graph for Graphviz");
  app.footer(
      "  ulna tree panda                              links and their joints\n"
      "  ulna tree --dot arm.urdf | dot -Tsvg >a.svg  a drawing\n");
  return [options, &console] { return show(*options, console); };
}

}  // namespace ulna::cli
