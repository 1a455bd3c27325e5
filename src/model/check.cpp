#include "check.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ulna/model/rules.hpp"
#include "ulna/spatial/consistency.hpp"

namespace ulna::detail {

/// Short and on one line, whatever the name.
std::string quoted(std::string_view kind, std::string_view name) {
  constexpr std::size_t most = 80;
  std::size_t end = std::min(name.size(), most);
  while (end < name.size() && end > 0 && (name[end] & 0xC0) == 0x80)
    --end;  // no cut within a character
  std::string shown;
  for (const char c : name.substr(0, end)) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      shown += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    else
      shown += c;
  }
  return std::string(kind) + " '" + shown + (end < name.size() ? "...'" : "'");
}

namespace {

/// With six digits, and a point whatever the locale.
std::string number(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, 6).ptr};
}

std::string numbers(const Vec3<double>& v) {
  return number(v.x()) + " " + number(v.y()) + " " + number(v.z());
}

bool is_single(JointType t) { return velocity_size(t) == 1; }

bool is_finite(const Pose& pose) { return pose.xyz.allFinite() && pose.rpy.allFinite(); }

/// Advice costs a look at all names: it is given as long as somebody will read it.
std::string advice(const Diagnostics& out, const Names& names, std::string_view name) {
  return out.count(Severity::error) < 10 ? names.did_you_mean(name) : std::string();
}

void make_unit(Vec3<double>& axis, const Source& source, const std::string& subject,
               Diagnostics& out) {
  const double length = axis.norm();
  if (!axis.allFinite())
    out.add(rules::number_invalid, source, subject, "axis is not finite");
  else if (axis.isZero(0.0))
    out.add(rules::axis_zero, source, subject, "axis 0 0 0 has no direction");
  else if (!(std::abs(length - 1.0) <= 1e-6)) {
    const std::string seen = "axis " + numbers(axis) + " is not of unit length";
    axis /=
        axis.cwiseAbs().maxCoeff();  // or else the squares of very large or small numbers are lost
    axis.normalize();
    out.add(rules::axis_not_unit, source, subject, seen, numbers(axis) + " is used");
  } else if (std::abs(length - 1.0) > 4e-16) {
    axis /= length;  // rounded in print
  }
}

}  // namespace

void Checker::names() {
  if (d_.links.empty() && d_.joints.empty())
    out_.add(rules::tree_empty, at(0), quoted("robot", d_.name), "there is no link");
  if (!d_.gravity.allFinite())
    out_.add(rules::number_invalid, at(0), quoted("robot", d_.name), "gravity is not finite");
  declare_world();
  for (std::size_t i = 0; i < d_.links.size(); ++i)
    name("link", d_.links[i].name, d_.links[i].line, static_cast<int>(i), links_);
  for (std::size_t i = 0; i < d_.joints.size(); ++i)
    name("joint", d_.joints[i].name, d_.joints[i].line, static_cast<int>(i), joints_);
  Names loops;
  for (std::size_t i = 0; i < d_.loops.size(); ++i)
    name("loop", d_.loops[i].name, d_.loops[i].line, static_cast<int>(i), loops);
  for (std::size_t i = 0; i < d_.frames.size(); ++i) {
    const FrameDescription& f = d_.frames[i];
    if (links_.find(f.name) >= 0)
      out_.add(rules::name_duplicate, at(f.line), quoted("frame", f.name),
               "a link has the same name");
    else
      name("frame", f.name, f.line, static_cast<int>(i), frames_);
  }
  go_on();
}

/// Leaves parents_ (joint above each link), children_ and root_.
void Checker::tree() {
  const std::size_t n = d_.links.size();
  parents_.assign(n, -1);
  children_.assign(n, {});
  for (std::size_t j = 0; j < d_.joints.size(); ++j) {
    const JointDescription& joint = d_.joints[j];
    const int parent =
        resolve(quoted("joint", joint.name), "parent link", joint.parent, joint.line);
    const int child = resolve(quoted("joint", joint.name), "child link", joint.child, joint.line);
    if (parent < 0 || child < 0) continue;
    if (parent == child) {
      out_.add(rules::tree_self_loop, at(joint.line), quoted("joint", joint.name),
               "connects " + quoted("link", joint.parent) + " to itself");
      continue;
    }
    int& above = parents_[child];
    if (above >= 0) {
      const JointDescription& other = d_.joints[above];
      out_.add(rules::link_two_parents, at(joint.line), quoted("joint", joint.name),
               quoted("link", joint.child) + " already is the child of " +
                   quoted("joint", other.name) +
                   (other.line ? " (line " + std::to_string(other.line) + ")" : ""));
      continue;
    }
    above = static_cast<int>(j);
    children_[parent].push_back(static_cast<int>(j));
  }
  for (const FrameDescription& f : d_.frames)
    resolve(quoted("frame", f.name), "link", f.link, f.line);
  for (const LoopDescription& l : d_.loops) {
    resolve(quoted("loop", l.name), "link1", l.link1, l.line);
    resolve(quoted("loop", l.name), "link2", l.link2, l.line);
  }
  go_on();
  find_root();
  go_on();
}

void Checker::joints() {
  for (JointDescription& joint : d_.joints) {
    if (!is_finite(joint.origin)) complain(rules::number_invalid, joint, "origin is not finite");
    axis(joint);
    limits(joint);
    dynamics(joint);
  }
  mimics();
  for (const FrameDescription& f : d_.frames)
    if (!is_finite(f.origin))
      out_.add(rules::number_invalid, at(f.line), quoted("frame", f.name), "origin is not finite");
  for (LoopDescription& l : d_.loops) {
    if (!is_finite(l.origin1) || !is_finite(l.origin2))
      out_.add(rules::number_invalid, at(l.line), quoted("loop", l.name), "origin is not finite");
    if (has_axis(l.type)) make_unit(l.axis, at(l.line), quoted("loop", l.name), out_);
  }
  go_on();
}

void Checker::inertials() {
  for (std::size_t i = 0; i < d_.links.size(); ++i) {
    LinkDescription& link = d_.links[i];
    const int above = parents_[i];
    const bool moves = above >= 0 && d_.joints[above].type != JointType::fixed;
    if (!link.inertial) {
      if (moves) complain(rules::inertial_missing, link, "no inertial", "taken as massless");
      continue;
    }
    inertial(link, *link.inertial);
  }
  go_on();
}

void Checker::go_on() const {
  if (out_.has_errors()) throw ModelError(out_);
}

void Checker::complain(const Rule& rule, const LinkDescription& link, std::string seen,
                       std::string assumed) {
  out_.add(rule, at(link.line), quoted("link", link.name), std::move(seen), std::move(assumed));
}

void Checker::complain(const Rule& rule, const JointDescription& joint, std::string seen,
                       std::string assumed) {
  out_.add(rule, at(joint.line), quoted("joint", joint.name), std::move(seen), std::move(assumed));
}

void Checker::name(std::string_view kind, const std::string& name, int line, int index,
                   Names& names) {
  if (name.empty())
    out_.add(rules::name_missing, at(line), std::string(kind), "has no name");
  else if (!names.add(name, index))
    out_.add(rules::name_duplicate, at(line), quoted(kind, name),
             "another " + std::string(kind) + " has the same name");
}

/// A parent 'world' that nobody declares is a habit of some tools, and plain what is meant.
void Checker::declare_world() {
  const auto is_world = [](const LinkDescription& l) { return l.name == "world"; };
  if (std::any_of(d_.links.begin(), d_.links.end(), is_world)) return;
  for (const JointDescription& joint : d_.joints)
    if (joint.parent == "world") {
      out_.add(rules::link_undeclared, at(joint.line), quoted("joint", joint.name),
               "parent link 'world' is not declared", "a link 'world' is added");
      LinkDescription world;
      world.name = "world";
      d_.links.insert(d_.links.begin(), std::move(world));
      return;
    }
}

int Checker::resolve(const std::string& subject, std::string_view role, const std::string& name,
                     int line) {
  const int found = links_.find(name);
  if (found < 0)
    out_.add(rules::link_unknown, at(line), subject,
             quoted(role, name) + " is unknown" + advice(out_, links_, name));
  return found;
}

void Checker::find_root() {
  std::vector<int> roots;
  for (std::size_t i = 0; i < parents_.size(); ++i)
    if (parents_[i] < 0) roots.push_back(static_cast<int>(i));
  if (roots.size() > 1) {
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(roots.size(), 5); ++i)
      list += quoted(i ? "," : "", d_.links[roots[i]].name);
    if (roots.size() > 5) list += ", ...";
    const LinkDescription& second = d_.links[roots[1]];
    out_.add(rules::tree_two_roots, at(second.line), quoted("robot", d_.name),
             std::to_string(roots.size()) + " links have no parent:" + list);
  }
  // what cannot be reached from a root hangs on a cycle
  std::vector<bool> reached(parents_.size(), false);
  std::vector<int> stack = roots;
  while (!stack.empty()) {
    const auto i = stack.back();
    stack.pop_back();
    reached[i] = true;
    for (const int j : children_[i]) stack.push_back(links_.find(d_.joints[j].child));
  }
  auto lost = std::find(reached.begin(), reached.end(), false) - reached.begin();
  if (lost < static_cast<std::ptrdiff_t>(reached.size())) {
    // up from what may only hang on the cycle, until a link comes by again
    for (; !reached[lost]; lost = links_.find(d_.joints[parents_[lost]].parent))
      reached[lost] = true;
    out_.add(rules::tree_cycle, at(d_.joints[parents_[lost]].line),
             quoted("link", d_.links[lost].name), "is its own ancestor: no root leads to it");
  }
  if (!roots.empty()) root_ = roots.front();
}

void Checker::axis(JointDescription& joint) {
  if (!has_axis(joint.type)) return;
  make_unit(joint.axis, at(joint.line), quoted("joint", joint.name), out_);
  if (joint.type == JointType::helical && (!std::isfinite(joint.pitch) || joint.pitch == 0.0))
    complain(rules::pitch_missing, joint, "pitch " + number(joint.pitch) + " m/rad");
}

void Checker::limits(JointDescription& joint) {
  Limits& l = joint.limits;
  if (std::isnan(l.lower) || std::isnan(l.upper) || std::isnan(l.velocity) ||
      std::isnan(l.effort)) {
    complain(rules::number_invalid, joint, "a limit is not a number");
    return;
  }
  if (l.lower > l.upper)
    complain(rules::limit_reversed, joint,
             "lower " + number(l.lower) + " is above upper " + number(l.upper));
  else if (l.lower == infinity || l.upper == -infinity)
    complain(rules::limit_reversed, joint,
             "no number lies from " + number(l.lower) + " to " + number(l.upper));
  if (l.lower == 0.0 && l.upper == 0.0 && is_single(joint.type)) {
    complain(rules::limit_zero_range, joint, "lower and upper limit are 0", "taken as unlimited");
    l.lower = -infinity, l.upper = infinity;
  }
  if (l.effort < 0.0)
    complain(rules::limit_negative, joint, "effort " + number(l.effort) + " is negative");
  if (l.velocity < 0.0)
    complain(rules::limit_negative, joint, "velocity " + number(l.velocity) + " is negative");
  if (joint.type == JointType::fixed) return;
  if (l.effort == 0.0) {
    complain(rules::effort_zero, joint, "effort limit is 0", "taken as unlimited");
    l.effort = infinity;
  }
  if (l.velocity == 0.0) {
    complain(rules::velocity_zero, joint, "velocity limit is 0", "taken as unlimited");
    l.velocity = infinity;
  }
}

void Checker::dynamics(const JointDescription& joint) {
  const JointDynamics& y = joint.dynamics;
  for (const auto& [what, value] : {std::pair{"damping", y.damping},
                                    {"friction", y.friction},
                                    {"friction for negative velocity", y.friction_negative},
                                    {"armature", y.armature}}) {
    if (!std::isfinite(value))
      complain(rules::number_invalid, joint, std::string(what) + " is not finite");
    else if (value < 0.0)
      complain(rules::friction_negative, joint,
               std::string(what) + " " + number(value) + " is negative");
  }
}

void Checker::mimics() {
  for (JointDescription& joint : d_.joints) {
    if (!joint.mimic) continue;
    if (!is_single(joint.type)) {
      complain(rules::mimic_ignored, joint,
               "a " + std::string(to_string(joint.type)) + " joint cannot mimic",
               "mimic is ignored");
      joint.mimic.reset();
      continue;
    }
    const int master = joints_.find(joint.mimic->joint);
    if (master < 0)
      complain(rules::mimic_unknown, joint,
               quoted("mimics unknown joint", joint.mimic->joint) +
                   advice(out_, joints_, joint.mimic->joint));
    else if (!is_single(d_.joints[master].type))
      complain(rules::mimic_unknown, joint,
               quoted("mimics joint", joint.mimic->joint) + ", which has no single coordinate");
    if (!std::isfinite(joint.mimic->multiplier) || !std::isfinite(joint.mimic->offset))
      complain(rules::number_invalid, joint, "mimic multiplier or offset is not finite");
  }
  if (!out_.has_errors()) mimic_cycles();
}

/// Each joint has at most one master: walk up, marking the walk, until known ground.
void Checker::mimic_cycles() {
  std::vector<int> walk(d_.joints.size(), -1);
  for (std::size_t start = 0; start < d_.joints.size(); ++start) {
    std::size_t j = start;
    while (walk[j] < 0 && d_.joints[j].mimic) {
      walk[j] = static_cast<int>(start);
      j = joints_.find(d_.joints[j].mimic->joint);
    }
    if (d_.joints[j].mimic && walk[j] == static_cast<int>(start)) {
      complain(rules::mimic_cycle, d_.joints[j],
               quoted("mimics itself, by way of", d_.joints[j].mimic->joint));
      return;
    }
    if (walk[j] < 0) walk[j] = static_cast<int>(start);
  }
}

void Checker::inertial(const LinkDescription& link, const Inertial& body) {
  const Inertia<double> I = body.in_link_frame();
  const Consistency c = check_consistency(I);
  using Verdict = Consistency::Verdict;
  switch (c.verdict) {
    case Verdict::not_finite:
      complain(rules::number_invalid, link, "mass, centre of mass or inertia is not finite");
      break;
    case Verdict::mass_not_positive:
      if (body.mass < 0.0)
        complain(rules::mass_negative, link, "mass " + number(body.mass) + " kg is negative");
      else
        complain(rules::mass_zero, link, "inertia without mass", "used as it is");
      break;
    case Verdict::not_positive:
      complain(rules::inertia_not_positive, link, c.explanation(), "used as it is");
      break;
    case Verdict::triangle_inequality:
      complain(rules::inertia_triangle, link, c.explanation(), "used as it is");
      break;
    case Verdict::degenerate:
      if (body.inertia.isZero(0.0))
        complain(rules::inertia_zero, link,
                 "mass " + number(body.mass) + " kg without rotational inertia",
                 "taken as a point mass");
      break;
    case Verdict::massless:
    case Verdict::consistent:
      break;
  }
}

}  // namespace ulna::detail
