#include <algorithm>
#include <unordered_map>

#include "verb.hpp"

namespace ulna::cli {
namespace {

struct TreeOptions {
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

/// The names of the links, behind the lines that lead there; far from the base, the nearest ones.
std::vector<std::string> branches(const Stream& out, const std::vector<Node>& nodes) {
  constexpr int most = 24;
  int depth = 0;
  for (const Node& n : nodes) depth = std::max(depth, n.depth);
  const auto cell = [&](std::string_view knot, std::string_view line) {
    return fmt::format("{}{}{}", knot, depth <= 10 ? line : "", depth <= 20 ? " " : "");
  };
  std::vector<std::string> names;
  std::vector<bool> last;
  for (const Node& n : nodes) {
    last.resize(n.depth + 1);
    last.back() = n.last;
    const int from = std::max(1, n.depth - most + 1);
    std::string& text = names.emplace_back(from > 1 ? out.either("…", "~") : "");
    for (int d = from; d < n.depth; ++d) text += cell(last[d] ? " " : out.either("│", "|"), " ");
    if (n.depth > 0)
      text += cell(n.last ? out.either("└", "`") : out.either("├", "|"), out.either("─", "-"));
    text += n.link->name;
  }
  return names;
}

std::string text(const Stream& out, const Model& model) {
  const std::vector<Node> nodes = walk(model);
  const std::vector<std::string> names = branches(out, nodes);
  Table table(1, {"link", ">#", "joint", "type", "axis"});
  if (std::ranges::any_of(nodes, [](const Node& n) { return n.joint && n.joint->mimic; }))
    table.column("mimics");
  table.row({names[0]}, Style::bold);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const JointDescription& j = *nodes[i].joint;
    const auto body = model.find_joint(j.name);
    table.row({names[i], body ? std::to_string(*body) : "", j.name, to_string(j.type),
               axis_text(j.axis, j.type), j.mimic ? to_text(out, *j.mimic) : ""},
              body ? Style::plain : Style::dim);
  }
  std::string result =
      fmt::format("{}: {} DOF, {}\n\n", out.paint(Style::bold, visible(model.name())), model.nv(),
                  counted(nodes.size(), "link")) +
      table.str(out);
  const auto& loops = model.description().loops;
  if (loops.empty()) return result;
  Table closing(1, {"loop", "type", "axis", "closes"});
  for (const LoopDescription& l : loops)
    closing.row({l.name, to_string(l.type), axis_text(l.axis, l.type),
                 fmt::format("{} {} {}", l.link1, out.either("↔", "<->"), l.link2)});
  return result + "\n" + closing.str(out);
}

/// A name as it stands within a string of the DOT language.
std::string dot_text(std::string_view name) {
  return replaced(visible(name), {{"\\", "\\\\"}, {"\"", "\\\""}});
}

std::string dot(const Model& model) {
  const std::vector<Node> nodes = walk(model);
  std::unordered_map<std::string_view, std::size_t> place;
  std::string text = fmt::format("digraph \"{}\" {{\n", dot_text(model.name())) +
                     "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
                     "  edge [fontname=\"sans-serif\", fontsize=10];\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    place[nodes[i].link->name] = i;
    text += fmt::format("  l{} [label=\"{}\"];\n", i, dot_text(nodes[i].link->name));
  }
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const JointDescription& j = *nodes[i].joint;
    const std::string axis = axis_text(j.axis, j.type);
    text += fmt::format("  l{} -> l{} [label=\"{}\\n{}{}{}\"{}];\n", nodes[i].parent, i,
                        dot_text(j.name), to_string(j.type), axis.empty() ? "" : " ", axis,
                        j.type == JointType::fixed ? ", style=dashed"
                        : j.mimic                  ? ", style=dotted"
                                                   : "");
  }
  for (const LoopDescription& l : model.description().loops)
    text += fmt::format("  l{} -> l{} [label=\"{}\", dir=none, color=red, constraint=false];\n",
                        place.at(l.link1), place.at(l.link2), dot_text(l.name));
  return text + "}\n";
}

/// Flat, because a robot may be thousands of links deep.
Json links_json(const Model& model) {
  Json links = Json::array();
  const std::vector<Node> nodes = walk(model);
  for (const Node& n : nodes) {
    Json joint, parent;
    if (n.joint) {
      const auto body = model.find_joint(n.joint->name);
      parent = nodes[n.parent].link->name;
      joint = {{"name", n.joint->name},
               {"type", to_string(n.joint->type)},
               {"index", body ? Json(*body) : Json()},
               {"axis", has_axis(n.joint->type) ? Json(n.joint->axis) : Json()},
               {"mimic", to_json(n.joint->mimic)}};
    }
    links.push_back(
        {{"name", n.link->name}, {"depth", n.depth}, {"parent", parent}, {"joint", joint}});
  }
  return links;
}

int show(const TreeOptions& options, Console& console) {
  if (options.ascii && options.dot) throw UsageError("--ascii has no effect with --dot");
  if (console.json() && (options.ascii || options.dot))
    throw UsageError("{} has no effect with --json", options.dot ? "--dot" : "--ascii");
  const Imported robot = options.robot.load();
  if (console.json()) {
    Json about = options.robot.json(robot.model);
    about["links"] = robot.model.description().links.size();
    console.print({{"robot", about},
                   {"links", links_json(robot.model)},
                   {"loops", loops_json(robot.model)},
                   {"diagnostics", to_json(robot.diagnostics)}});
    return success;
  }
  if (options.ascii) console.out.set_ascii();
  console.out.print(options.dot ? dot(robot.model) : text(console.out, robot.model));
  mention_warnings(console, options.robot, robot.diagnostics);
  return success;
}

}  // namespace

Action tree(Parser& app, Console& console) {
  auto options = std::make_shared<TreeOptions>();
  options->robot.add_to(app);
  options->robot.drives = Drives::carried_rotors;
  app.add_flag("--ascii", options->ascii, "draw without box-drawing characters");
  app.add_flag("--dot", options->dot, "print a graph for Graphviz");
  return [options, &console] { return show(*options, console); };
}

}  // namespace ulna::cli
