#pragma once

#include <vector>

#include "names.hpp"
#include "ulna/model/description.hpp"

namespace ulna::detail {

/// Checks a description and repairs it in place, from names over the tree to the bodies. Later
/// checks rely on earlier ones, so each stage ends with a look whether it makes sense to go on:
/// it throws ModelError if not.
class Checker {
 public:
  Checker(Description& d, Diagnostics& diagnostics) : d_(d), out_(diagnostics) {}

  void names();
  void tree();
  void joints();
  void inertials();

  // known after tree()
  int root() const { return root_; }
  /// Joints that hang on a link, in the order of the description.
  const std::vector<int>& children(int link) const { return children_[link]; }
  int link(std::string_view name) const { return links_.find(name); }
  int joint(std::string_view name) const { return joints_.find(name); }

 private:
  Source at(int line) const { return {d_.file, line, 0}; }
  void go_on() const;
  void complain(const Rule& rule, const LinkDescription& link, std::string seen,
                std::string assumed = {});
  void complain(const Rule& rule, const JointDescription& joint, std::string seen,
                std::string assumed = {});
  void name(std::string_view kind, const std::string& name, int line, int index, Names& names);
  void declare_world();
  int resolve(const std::string& subject, std::string_view role, const std::string& link, int line);
  void find_root();
  void axis(JointDescription& joint);
  void limits(JointDescription& joint);
  void dynamics(const JointDescription& joint);
  void mimics();
  void mimic_cycles();
  void inertial(const LinkDescription& link, const Inertial& body);

  Description& d_;
  Diagnostics& out_;
  Names links_, joints_, frames_;
  std::vector<int> parents_;  ///< the joint above each link
  std::vector<std::vector<int>> children_;
  int root_ = -1;
};

/// "joint 'elbow'"
std::string quoted(std::string_view kind, std::string_view name);

}  // namespace ulna::detail
