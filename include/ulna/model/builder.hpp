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
  explicit Builder(std::string name = "robot");
  explicit Builder(Description description);

  Builder& gravity(const Vec3<double>& g);
  Builder& link(LinkDescription link);
  Builder& link(std::string name, std::optional<Inertial> inertial = {});
  Builder& joint(JointDescription joint);
  Builder& joint(std::string name, JointType type, std::string parent, std::string child,
                 const Pose& origin = {}, const Vec3<double>& axis = Vec3<double>::UnitZ());
  Builder& frame(std::string name, std::string link, const Pose& origin = {});
  Builder& loop(LoopDescription loop);
  Builder& motor(MotorDescription motor);

  /// The joint added last, to set what the calls above do not.
  JointDescription& last_joint() { return description_.joints.back(); }
  const Description& description() const { return description_; }

  /// Throws ModelError if the description cannot be built (strict: or needs a repair).
  Model build(bool strict = false) const;
  /// The same, adding what is found to the list.
  Model build(Diagnostics& diagnostics) const;

 private:
  Description description_;
};

}  // namespace ulna
