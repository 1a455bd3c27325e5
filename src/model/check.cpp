#include "check.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/model/rules.hpp"
#include "ulna/spatial/consistency.hpp"

namespace ulna::detail {
namespace {

bool is_single(JointType t) { return velocity_size(t) == 1; }

bool is_finite(const Pose& pose) { return pose.xyz.allFinite() && pose.rpy.allFinite(); }

/// An element that comes by again as next(i) is followed from each of n elements, or -1.
template <class F>
int find_on_cycle(std::size_t n, F next) {
  std::vector<int> walk(n, -1);
  for (int start = 0; start < static_cast<int>(n); ++start) {
    int i = start;
    for (; i >= 0 && walk[i] < 0; i = next(i)) walk[i] = start;
    if (i >= 0 && walk[i] == start) return i;
  }
  return -1;
}

}  // namespace

void Checker::names() {
  if (d_.links.empty() && d_.joints.empty())
    out_.add(rules::tree_empty, at(0), quoted("robot", d_.name), "there is no link");
  if (!d_.gravity.allFinite())
    out_.add(rules::number_invalid, at(0), quoted("robot", d_.name), "gravity is not finite");
  declare_world();
  const auto name_all = [&](const auto& things, Index& names) {
    for (std::size_t i = 0; i < things.size(); ++i) name(things[i], static_cast<int>(i), names);
  };
  Index loops, frames, motors;
  name_all(d_.links, links_);
  name_all(d_.joints, joints_);
  name_all(d_.loops, loops);
  name_all(d_.motors, motors);
  for (const FrameDescription& f : d_.frames) {
    if (find(links_, f.name))
      report(rules::name_duplicate, f, "a link has the same name");
    else
      name(f, 0, frames);
  }
  out_.throw_if_errors();
}

/// Leaves parents_ (joint above each link), children_ and root_.
void Checker::tree() {
  const std::size_t n = d_.links.size();
  parents_.assign(n, -1);
  children_.assign(n, {});
  for (std::size_t j = 0; j < d_.joints.size(); ++j) {
    const JointDescription& joint = d_.joints[j];
    const auto parent = resolve(joint, "parent link", joint.parent);
    const auto child = resolve(joint, "child link", joint.child);
    if (!parent || !child) continue;
    int& above = parents_[*child];
    if (parent == child) {
      report(rules::tree_self_loop, joint, quoted("connects link", joint.parent) + " to itself");
    } else if (above >= 0) {
      const JointDescription& other = d_.joints[above];
      report(rules::link_two_parents, joint,
             quoted("link", joint.child) + " already is the child of " + subject(other) +
                 (other.line ? " (" + place(other.line) + ")" : ""));
    } else {
      above = static_cast<int>(j);
      children_[*parent].push_back(above);
    }
  }
  for (const FrameDescription& f : d_.frames) resolve(f, "link", f.link);
  for (const LoopDescription& l : d_.loops)
    resolve(l, "link1", l.link1), resolve(l, "link2", l.link2);
  out_.throw_if_errors();
  find_root();
  out_.throw_if_errors();
}

void Checker::joints() {
  for (JointDescription& joint : d_.joints) {
    if (!is_finite(joint.origin)) report(rules::number_invalid, joint, "origin is not finite");
    axis(joint);
    limits(joint);
    dynamics(joint);
  }
  mimics();
  springs();
  for (const FrameDescription& f : d_.frames)
    if (!is_finite(f.origin)) report(rules::number_invalid, f, "origin is not finite");
  for (LoopDescription& l : d_.loops) {
    if (!is_finite(l.origin1) || !is_finite(l.origin2))
      report(rules::number_invalid, l, "origin is not finite");
    if (has_axis(l.type)) make_unit(l.axis, l);
  }
  out_.throw_if_errors();
}

void Checker::inertials() {
  for (std::size_t i = 0; i < d_.links.size(); ++i) {
    LinkDescription& link = d_.links[i];
    const int above = parents_[i];
    const bool moves = above >= 0 && d_.joints[above].type != JointType::fixed;
    if (link.inertial)
      inertial(link, *link.inertial);
    else if (moves)
      report(rules::inertial_missing, link, "no inertial", "taken as massless");
  }
  out_.throw_if_errors();
}

void Checker::name(const auto& thing, int index, Index& names) {
  if (thing.name.empty())
    out_.add(rules::name_missing, at(thing.line), kind_of(thing), "has no name");
  else if (!names.emplace(thing.name, index).second)
    report(rules::name_duplicate, thing, "another " + kind_of(thing) + " has the same name");
}

void Checker::not_negative(const auto& thing,
                           std::initializer_list<std::pair<const char*, double>> numbers) {
  for (const auto& [what, value] : numbers) {
    if (!std::isfinite(value))
      report(rules::number_invalid, thing, std::string(what) + " is not finite");
    else if (value < 0.0)
      report(rules::friction_negative, thing,
             std::string(what) + " " + number(value) + " is negative");
  }
}

/// Some tools use a parent 'world' without declaring it.
void Checker::declare_world() {
  if (std::ranges::count(d_.links, "world", &LinkDescription::name)) return;
  const auto joint = std::ranges::find(d_.joints, "world", &JointDescription::parent);
  if (joint == d_.joints.end()) return;
  report(rules::link_undeclared, *joint, "parent link 'world' is not declared",
         "a link 'world' is added");
  d_.links.insert(d_.links.begin(), LinkDescription{"world"});
}

std::optional<int> Checker::resolve(const auto& thing, std::string_view role,
                                    const std::string& link) {
  const auto found = find(links_, link);
  if (!found)
    report(rules::link_unknown, thing, quoted(role, link) + " is unknown" + advice(links_, link));
  return found;
}

/// Advice compares all names: it is given for the first errors only.
std::string Checker::advice(const Index& names, std::string_view name) const {
  return out_.count(Severity::error) < 10 ? did_you_mean(name, names) : std::string();
}

void Checker::make_unit(Vec3<double>& axis, const auto& thing) {
  const double length = axis.norm();
  if (!axis.allFinite())
    report(rules::number_invalid, thing, "axis is not finite");
  else if (axis.isZero(0.0))
    report(rules::axis_zero, thing, "axis 0 0 0 has no direction");
  else if (!(std::abs(length - 1.0) <= 1e-6)) {
    const std::string seen = "axis " + numbers(axis) + " is not of unit length";
    // or else the squares of very large or small numbers are lost
    axis /= axis.cwiseAbs().maxCoeff();
    axis.normalize();
    report(rules::axis_not_unit, thing, seen, numbers(axis) + " is used");
  } else if (std::abs(length - 1.0) > 4e-16) {
    axis /= length;  // rounded in print
  }
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
  const int lost = find_on_cycle(parents_.size(), [&](int l) {
    return parents_[l] < 0 ? -1 : link(d_.joints[parents_[l]].parent);
  });
  if (lost >= 0)
    out_.add(rules::tree_cycle, at(d_.joints[parents_[lost]].line), subject(d_.links[lost]),
             "is its own ancestor and not connected to a root");
  if (!roots.empty()) root_ = roots.front();
}

void Checker::axis(JointDescription& joint) {
  if (!has_axis(joint.type)) return;
  make_unit(joint.axis, joint);
  if (joint.type == JointType::helical && (!std::isfinite(joint.pitch) || joint.pitch == 0.0))
    report(rules::pitch_missing, joint, "pitch " + number(joint.pitch) + " m/rad");
}

void Checker::limits(JointDescription& joint) {
  Limits& l = joint.limits;
  if (std::isnan(l.lower) || std::isnan(l.upper) || std::isnan(l.velocity) ||
      std::isnan(l.effort)) {
    report(rules::number_invalid, joint, "a limit is not a number");
    return;
  }
  if (l.lower > l.upper)
    report(rules::limit_reversed, joint,
           "lower " + number(l.lower) + " is above upper " + number(l.upper));
  else if (l.lower == infinity || l.upper == -infinity)
    report(rules::limit_reversed, joint,
           "no number is between " + number(l.lower) + " and " + number(l.upper));
  if (l.lower == 0.0 && l.upper == 0.0 && is_single(joint.type)) {
    report(rules::limit_zero_range, joint, "lower and upper limit are 0", "taken as unlimited");
    l.lower = -infinity, l.upper = infinity;
  }
  for (const auto& [what, limit, zero] : {std::tuple{"effort", &l.effort, &rules::effort_zero},
                                          {"velocity", &l.velocity, &rules::velocity_zero}}) {
    if (*limit < 0.0)
      report(rules::limit_negative, joint,
             std::string(what) + " " + number(*limit) + " is negative");
    // loops have joints that no drive moves
    const bool undriven = limit == &l.effort && !d_.loops.empty();
    if (*limit == 0.0 && joint.type != JointType::fixed && !undriven) {
      report(*zero, joint, std::string(what) + " limit is 0", "taken as unlimited");
      *limit = infinity;
    }
  }
}

void Checker::dynamics(const JointDescription& joint) {
  const JointDynamics& y = joint.dynamics;
  not_negative(joint, {{"damping", y.damping},
                       {"friction", y.friction},
                       {"friction for negative velocity", y.friction_negative},
                       {"armature", y.armature}});
}

void Checker::motors() {
  for (MotorDescription& m : d_.motors) {
    not_negative(m, {{"inertia", m.inertia},
                     {"damping", m.damping},
                     {"friction", m.friction},
                     {"friction for negative velocity", m.friction_negative}});
    motor(m);
  }
  out_.throw_if_errors();
}

void Checker::mimics() {
  for (JointDescription& joint : d_.joints) {
    if (!joint.mimic) continue;
    if (!is_single(joint.type)) {
      report(rules::mimic_ignored, joint,
             "a " + std::string(to_string(joint.type)) + " joint cannot mimic", "mimic is ignored");
      joint.mimic.reset();
      continue;
    }
    const auto master = find(joints_, joint.mimic->joint);
    if (!master)
      report(
          rules::mimic_unknown, joint,
          quoted("mimics unknown joint", joint.mimic->joint) + advice(joints_, joint.mimic->joint));
    else if (!is_single(d_.joints[*master].type))
      report(rules::mimic_unknown, joint,
             quoted("mimics joint", joint.mimic->joint) +
                 ", which does not have exactly one coordinate");
    if (!std::isfinite(joint.mimic->multiplier) || !std::isfinite(joint.mimic->offset))
      report(rules::number_invalid, joint, "mimic multiplier or offset is not finite");
  }
  if (out_.has_errors()) return;
  const int j = find_on_cycle(d_.joints.size(), [&](int follower) {
    const auto& mimic = d_.joints[follower].mimic;
    return mimic ? joint(mimic->joint) : -1;
  });
  if (j >= 0)
    report(rules::mimic_cycle, d_.joints[j],
           quoted("mimics itself, through", d_.joints[j].mimic->joint));
  else
    mimic_ranges();
}

/// The limits that count are those of the joint that moves all that follow it.
void Checker::mimic_ranges() {
  struct Motion {
    int leader = -1;
    double multiplier = 1.0, offset = 0.0;
  };
  std::vector<Motion> motions(d_.joints.size());
  std::vector<int> way;
  for (std::size_t j = 0; j < motions.size(); ++j) {
    int k = static_cast<int>(j);
    for (; d_.joints[k].mimic && motions[k].leader < 0; k = joint(d_.joints[k].mimic->joint))
      way.push_back(k);
    if (!d_.joints[k].mimic) motions[k].leader = k;
    Motion above = motions[k];
    for (; !way.empty(); way.pop_back()) {
      const Mimic& m = *d_.joints[way.back()].mimic;
      above.multiplier *= m.multiplier, above.offset = m.multiplier * above.offset + m.offset;
      motions[way.back()] = above;
    }
    if (d_.joints[j].mimic)
      mimic_range(d_.joints[j], d_.joints[motions[j].leader], motions[j].multiplier,
                  motions[j].offset);
  }
}

void Checker::mimic_range(const JointDescription& follower, const JointDescription& leader,
                          double multiplier, double offset) {
  constexpr double negligible = 0.01;  // of its range
  if (multiplier == 0.0) return;
  const Limits &own = follower.limits, &other = leader.limits;
  double lower = multiplier * other.lower + offset, upper = multiplier * other.upper + offset;
  if (multiplier < 0.0) std::swap(lower, upper);
  if (std::isnan(lower) || std::isnan(upper)) return;
  const double slack =
      std::isfinite(own.upper - own.lower) ? negligible * (own.upper - own.lower) : 0.0;
  if (lower < own.lower - slack || upper > own.upper + slack)
    report(rules::mimic_limits, follower,
           quoted("within the limits of", leader.name) + " it goes from " + number(lower) + " to " +
               number(upper) + ", its own limits are " + number(own.lower) + " and " +
               number(own.upper),
           "its own limits are not kept");
}

void Checker::inertial(const LinkDescription& link, const Inertial& body) {
  using enum Consistency::Verdict;
  const Consistency c = check_consistency(body.in_link_frame());
  if (c.verdict == not_finite)
    report(rules::number_invalid, link, "mass, centre of mass or inertia is not finite");
  else if (c.verdict == mass_not_positive && body.mass < 0.0)
    report(rules::mass_negative, link, "mass " + number(body.mass) + " kg is negative");
  else if (c.verdict == mass_not_positive)
    report(rules::mass_zero, link, "inertia without mass", "used as it is");
  else if (c.verdict == not_positive)
    report(rules::inertia_not_positive, link, c.explanation(), "used as it is");
  else if (c.verdict == triangle_inequality)
    report(rules::inertia_triangle, link, c.explanation(), "used as it is");
  else if (c.verdict == degenerate && body.inertia.isZero(0.0))
    report(rules::inertia_zero, link,
           "mass " + number(body.mass) + " kg without rotational inertia", "taken as a point mass");
}

}  // namespace ulna::detail
