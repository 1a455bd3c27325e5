#pragma once

#include <algorithm>
#include <map>

#include "io/xml_writer.hpp"
#include "model/names.hpp"
#include "ulna/model/model.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {

/// Writes a robot in a format that cannot express all of it, and reports what is left out.
class LossyWriter : protected XmlWriter {
 protected:
  LossyWriter(const Model& model, Diagnostics& lost, std::string format)
      : d_(model.description()), out_of_(lost), format_(std::move(format)) {
    for (std::size_t i = 0; i < d_.links.size(); ++i) links_[d_.links[i].name] = i;
    std::vector<bool> below(d_.links.size(), false);
    for (const JointDescription& j : d_.joints) {
      children_[j.parent].push_back(&j);
      below[links_.at(j.child)] = true;
    }
    for (std::size_t i = 0; i < below.size(); ++i)
      if (!below[i]) root_ = i;
  }

  const std::vector<const JointDescription*>& children(const LinkDescription& l) const {
    static const std::vector<const JointDescription*> none;
    const auto found = children_.find(l.name);
    return found == children_.end() ? none : found->second;
  }
  const LinkDescription& link_of(const std::string& name) const {
    return d_.links[links_.at(name)];
  }

  void lost(const auto& thing, const std::string& what, std::optional<Severity> severity = {}) {
    out_of_.add(rules::dynamics_lost, d_.source(thing.line), quoted(kind_of(thing), thing.name),
                what + " cannot be written in " + format_, "left out", {}, severity);
  }

  /// What no joint of the format has.
  void note_lost(bool has_velocity_limits) {
    for (const JointDescription& j : d_.joints) {
      if (j.spring) lost(j, "the spring between motor and link");
      if (j.dynamics.friction != j.dynamics.friction_negative)
        lost(j, "friction that differs by direction, whose mean is written,");
      if (velocity_size(j.type) > 1 && std::isfinite(j.limits.effort)) lost(j, "the effort limit");
    }
    const auto limited = std::ranges::count_if(
        d_.joints, [](const JointDescription& j) { return std::isfinite(j.limits.velocity); });
    if (!has_velocity_limits && limited > 0)
      out_of_.note(
          rules::dynamics_lost, d_.source(0), quoted("robot", d_.name),
          (limited == 1 ? "the velocity limit of a joint"
                        : "the velocity limits of " + std::to_string(limited) + " joints") +
              std::string(" cannot be written in ") + format_,
          "left out");
    for (const MotorDescription& m : d_.motors)
      if (m.gears.size() > 1)
        lost(m, "a motor that couples joints");
      else if (m.mount)
        lost(m, "the link that carries the rotor", Severity::note);
  }

  /// With what its motor resists with, unless that couples joints.
  JointDynamics dynamics_of(const JointDescription& j) const {
    JointDynamics y = j.dynamics;
    for (const MotorDescription& m : d_.motors)
      if (m.gears.size() == 1 && m.gears[0].joint == j.name) y += m.at_joint(m.gears[0].ratio);
    return y;
  }

  const Description& d_;
  std::size_t root_ = 0;

 private:
  static const char* kind_of(const JointDescription&) { return "joint"; }
  static const char* kind_of(const LoopDescription&) { return "loop"; }
  static const char* kind_of(const MotorDescription&) { return "motor"; }

  Diagnostics& out_of_;
  std::string format_;
  std::map<std::string, std::size_t> links_;
  std::map<std::string, std::vector<const JointDescription*>> children_;
};

}  // namespace ulna::detail
