#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ulna/dynamics/kinematics.hpp"

namespace ulna {

/// What a robot is taken for when it must not hit itself or the floor: a capsule of one radius from
/// the origin of each joint to that of the next, and to the farthest frame at the end of a chain. Read
/// off the kinematics alone; no meshes are looked at.
class Capsules {
 public:
  struct Options {
    double radius = 0.0;                    ///< m; 0: a twentieth of the robot's reach
    std::optional<double> floor = {};       ///< height in the world that nothing may go below
    std::optional<double> distance = 0.01;  ///< m, at least, between surfaces; none: links may meet
  };
  /// Pairs of links that hang on each other are left out, and those that meet in nearly every
  /// configuration: a radius that makes them meet says nothing about them. Of the floor, only what
  /// stays at its height is.
  Capsules(const Model& model, const Options& options);

  double radius() const { return radius_; }
  double reach() const { return reach_; }
  /// Distances that are watched: of pairs of capsules, then of capsules above the floor.
  int size() const { return static_cast<int>(pairs_.size()); }
  /// Pairs that are not watched because they nearly always meet.
  std::vector<std::string> ignored() const;
  /// "link2 and link5", "link4 and the floor"
  std::string name(int pair) const;

  /// Between surfaces, less than nothing where they meet; and how it changes with q (size x nv).
  void distances(const Eigen::VectorXd& q, Eigen::Ref<Eigen::VectorXd> d);
  void distances(const Eigen::VectorXd& q, Eigen::Ref<Eigen::VectorXd> d,
                 Eigen::Ref<Eigen::MatrixXd> slope);
  /// What they must be at least.
  double required() const { return required_; }

 private:
  struct Capsule {
    int body;
    Vec3<double> from, to;  ///< in the canonical frame of the body
  };
  struct Pair {
    int first, second;  ///< second -1: the floor
  };
  struct Closest {
    Vec3<double> on_first, on_second;
  };
  Closest closest(const Pair& pair) const;
  std::string name(const Pair& pair) const;
  void place(const Eigen::VectorXd& q);
  void find_pairs(const Options& options);
  /// Adds sign n'(velocity of a point of a body) per unit of velocity.
  void add_slope(int body, const Vec3<double>& point, const Vec3<double>& n, double sign,
                 Eigen::Ref<Eigen::MatrixXd> slope, int row) const;

  Configuration<double> at_;
  double radius_ = 0.0, reach_ = 0.0, required_ = 0.0, floor_ = 0.0;
  std::vector<Capsule> capsules_;
  std::vector<Vec3<double>> from_, to_;  ///< in the world
  std::vector<Pair> pairs_;
  std::vector<Pair> ignored_;
};

}  // namespace ulna
