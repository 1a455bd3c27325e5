#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ulna/dynamics/kinematics.hpp"

namespace ulna {

/// A capsule: all that is within a radius of a segment; a sphere where that has no length.
struct PlacedCapsule {
  Vec3<double> from = Vec3<double>::Zero(), to = Vec3<double>::Zero();
  double radius = 0.0;
};
/// One that a body carries, in the user's frame of the body.
struct BodyCapsule {
  int body = 0;
  PlacedCapsule capsule;
};

/// What a robot is taken for when it must not hit itself, the floor or obstacles. Unless capsules are
/// given: one from the origin of each joint to that of the next, and to the farthest frame at the end
/// of a chain, read off the kinematics alone. No meshes are looked at.
class Capsules {
 public:
  struct Options {
    double radius = 0.0;                    ///< m; 0: a twentieth of the robot's reach
    std::optional<double> floor = {};       ///< height in the world that nothing may go below
    std::optional<double> distance = 0.01;  ///< m, at least, between surfaces; none: links may meet
    bool self = true;                       ///< else links may meet, whatever the distance
    std::vector<BodyCapsule> capsules = {};     ///< what the robot is made of; none: see above
    std::vector<PlacedCapsule> obstacles = {};  ///< in the world
  };
  /// Pairs of links that hang on each other are left out, and those that meet in nearly every
  /// configuration: a radius that makes them meet says nothing about them. Of the floor, only what
  /// stays at its height is; of obstacles, only what never moves.
  Capsules(const Model& model, const Options& options);

  double radius() const { return radius_; }
  double reach() const { return reach_; }
  /// Distances that are watched: of pairs of capsules, of capsules above the floor, then of capsules
  /// from obstacles.
  int size() const { return static_cast<int>(pairs_.size()); }
  /// Pairs that are not watched because they nearly always meet.
  std::vector<std::string> ignored() const;
  /// "link2 and link5", "link4 and the floor", "link3 and obstacle 0"
  std::string name(int pair) const;

  int obstacle_count() const { return static_cast<int>(obstacles_.size()); }
  const PlacedCapsule& obstacle(int i) const { return obstacles_.at(static_cast<std::size_t>(i)); }
  /// Obstacles may move.
  void set_obstacle(int i, const PlacedCapsule& obstacle);

  /// Between surfaces, less than nothing where they meet; and how it changes with q (size x nv).
  ///
  /// The nearest points of two segments jump where these are parallel. So that distances have slopes
  /// everywhere, a little is gained by being in the middle of both, and a distance may come out too
  /// short, never too long, by that: by 0.2 mm where links of 30 cm are 10 cm from axis to axis.
  void distances(In<double> q, Eigen::Ref<Eigen::VectorXd> d);
  void distances(In<double> q, Eigen::Ref<Eigen::VectorXd> d, Eigen::Ref<Eigen::MatrixXd> slope);
  /// What they must be at least.
  double required() const { return required_; }

 private:
  enum class Other { capsule, floor, obstacle };
  struct Pair {
    int first, second;
    Other kind;
  };
  /// Where two axes are nearest, and how far apart they are taken to be.
  struct Closest {
    Vec3<double> on_first, on_second;
    double distance;
  };
  Closest closest(const Pair& pair) const;
  /// What the first capsule of a pair may hit, unless it is the floor.
  const PlacedCapsule& second(const Pair& pair) const {
    return pair.kind == Other::obstacle ? obstacles_[pair.second] : placed_[pair.second];
  }
  std::string name(const Pair& pair) const;
  void read_off(const Model& model);
  void find_pairs(const Options& options);
  /// Adds n'(velocity of a point of a body) per unit of velocity.
  void add_slope(int body, const Vec3<double>& point, const Vec3<double>& n,
                 Eigen::Ref<Eigen::MatrixXd> slope, int row) const;

  Kinematics<double> at_;
  double radius_ = 0.0, reach_ = 0.0, required_ = 0.0, floor_ = 0.0;
  std::vector<BodyCapsule> capsules_;  ///< in the canonical frames of the bodies
  std::vector<PlacedCapsule> placed_;  ///< the same in the world
  std::vector<PlacedCapsule> obstacles_;
  std::vector<Pair> pairs_, ignored_;
};

}  // namespace ulna
