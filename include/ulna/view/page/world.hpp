#pragma once

#include "ulna/view/page/messages.hpp"
#include "ulna/world/world.hpp"

/// Worlds in which bodies touch, as pages show them.
namespace ulna::view {

/// Robots and loose bodies, in the order of their objects, as they are now.
Cast cast_of(const World& world);
/// What stands still.
std::vector<Fixture> fixtures_of(const World& world);
/// Forces of contact in the last step, each on what moves: where both do, on the second.
std::vector<Arrow> contact_arrows(const World& world);

/// What a world does, sample by sample.
class WorldRecording {
 public:
  explicit WorldRecording(const World& world);
  /// The world as it is now.
  void add(const World& world);

  /// What is plotted: energy, and of each robot and body how high it is and what contact does to it.
  std::vector<SeriesGroup> channels() const;
  /// All that was added.
  std::vector<Message> tracks() const;

 private:
  Cast cast_;
  std::vector<int> objects_;  ///< of the cast
  std::vector<double> times_;
  std::vector<std::vector<Eigen::VectorXd>> q_;  ///< of each, at each moment
  std::vector<Eigen::VectorXd> values_;
  std::vector<std::vector<Arrow>> arrows_;
};

}  // namespace ulna::view
