#pragma once

#include <vector>

#include "names.hpp"
#include "ulna/model/description.hpp"

namespace ulna::detail {

inline std::string kind_of(const LinkDescription&) { return "link"; }
inline std::string kind_of(const JointDescription&) { return "joint"; }
inline std::string kind_of(const FrameDescription&) { return "frame"; }
inline std::string kind_of(const LoopDescription&) { return "loop"; }
inline std::string kind_of(const MotorDescription&) { return "motor"; }
/// "joint 'elbow'"
std::string subject(const auto& thing) { return quoted(kind_of(thing), thing.name); }

inline std::string numbers(const Vec3<double>& v) {
  return number(v.x()) + " " + number(v.y()) + " " + number(v.z());
}

/// Checks a description and repairs it in place, from names over the tree to the bodies. Stages
/// rely on earlier ones, so each throws ModelError if it makes no sense to go on.
class Checker {
 public:
  Checker(Description& d, Diagnostics& diagnostics) : d_(d), out_(diagnostics) {}

  void names();
  void tree();
  void joints();
  void motors();
  void inertials();
  /// Warns of what is hardly in radians, metres and kilograms.
  void magnitudes();
  /// Warns of velocity and effort limits that hardly are those of the drives.
  void drives();

  // known after tree()
  int root() const { return root_; }
  /// The joint above a link, or -1.
  int parent(int link) const { return parents_[link]; }
  /// Joints that hang on a link, in the order of the description.
  const std::vector<int>& children(int link) const { return children_[link]; }
  const Index& links() const { return links_; }
  int link(std::string_view name) const { return *find(links_, name); }
  int joint(std::string_view name) const { return *find(joints_, name); }

 private:
  Source at(int line) const { return d_.source(line); }
  /// As it is named in a message about another place.
  std::string place(int line) const {
    return d_.lines ? at(line).str() : "line " + std::to_string(line);
  }
  /// About a link, a joint, a frame or a loop.
  void report(const Rule& rule, const auto& thing, std::string seen, std::string assumed = {}) {
    out_.add(rule, at(thing.line), subject(thing), std::move(seen), std::move(assumed));
  }
  void name(const auto& thing, int index, Index& names);
  /// Numbers that a thing resists with, each with its name: finite and not negative.
  void not_negative(const auto& thing,
                    std::initializer_list<std::pair<const char*, double>> numbers);
  void declare_world();
  std::optional<int> resolve(const auto& thing, std::string_view role, const std::string& link);
  std::string advice(const Index& names, std::string_view name) const;
  void make_unit(Vec3<double>& axis, const auto& thing);
  void find_root();
  void axis(JointDescription& joint);
  void limits(JointDescription& joint);
  void dynamics(const JointDescription& joint);
  void mimics();
  void mimic_ranges();
  void mimic_range(const JointDescription& follower, const JointDescription& leader,
                   double multiplier, double offset);
  void springs();
  void motor(MotorDescription& motor);
  void gear(const MotorDescription& motor, const Gear& gear);
  void inertial(const LinkDescription& link, const Inertial& body);
  void magnitudes(const LinkDescription& link, const Inertial& body, double reach);
  double reach() const;
  void drive(const JointDescription& joint, double weight, double scale, double extent);
  void spring(const JointDescription& joint, const Spring& spring, double weight, double scale);

  Description& d_;
  Diagnostics& out_;
  Index links_, joints_;
  std::vector<int> parents_;  ///< the joint above each link
  std::vector<std::vector<int>> children_;
  int root_ = -1;
};

}  // namespace ulna::detail
