#pragma once

#include "ulna/model/diagnostic.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

/// The one way in: checks a description, repairs what is harmless, and makes a Model.
///
///     Model arm = Builder("arm")
///         .link("base")
///         .link("upper", solid_cylinder(0.05, 0.4).with_mass(2.0))
///         .joint("shoulder", JointType::revolute, "base", "upper", Pose({0, 0, 0.3}), {0, 1, 0})
///         .build();
class Builder {
 public:
  explicit Builder(std::string name = "robot") { description_.name = std::move(name); }
  explicit Builder(Description description) : description_(std::move(description)) {}

  Builder& gravity(const Vec3<double>& g) { return description_.gravity = g, *this; }
  Builder& link(LinkDescription link) {
    return description_.links.push_back(std::move(link)), *this;
  }
  Builder& link(std::string name, std::optional<Inertial> inertial = {}) {
    return link(LinkDescription{std::move(name), std::move(inertial)});
  }
  Builder& joint(JointDescription joint) {
    return description_.joints.push_back(std::move(joint)), *this;
  }
  Builder& joint(std::string name, JointType type, std::string parent, std::string child,
                 const Pose& origin = {}, const Vec3<double>& axis = Vec3<double>::UnitZ()) {
    return joint({std::move(name), type, std::move(parent), std::move(child), origin, axis});
  }
  Builder& frame(std::string name, std::string link, const Pose& origin = {}) {
    return description_.frames.push_back({std::move(name), std::move(link), origin}), *this;
  }
  Builder& loop(LoopDescription loop) {
    return description_.loops.push_back(std::move(loop)), *this;
  }

  /// The joint added last, to set what the calls above do not.
  JointDescription& last_joint() { return description_.joints.back(); }
  const Description& description() const { return description_; }

  /// Throws ModelError if the description cannot be built (strict: or needs a repair).
  Model build(bool strict = false) const {
    Diagnostics diagnostics(strict);
    return build(diagnostics);
  }
  /// The same, adding what is found to the list.
  Model build(Diagnostics& diagnostics) const;

 private:
  Description description_;
};

}  // namespace ulna
