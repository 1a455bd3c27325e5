#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ulna/simulate/simulation.hpp"

/// What becomes of a robot: it picks things up, its joints wear, its numbers are not its model's.
namespace ulna {

/// A body rigidly joined to a link, or taken off it again. The inertia is in the frame's axes, about its
/// origin; of a link's own frame, too. Allocates nothing.
void add_payload(Plant<double>& plant, const Frame& at, const Inertia<double>& payload);
void remove_payload(Plant<double>& plant, const Frame& at, const Inertia<double>& payload);

/// Dry and viscous friction, of links and motors, as usual times a factor. Throws std::invalid_argument for a factor that is
/// negative or not finite. Allocates nothing.
void scale_friction(Plant<double>& plant, const Plant<double>& usual, double factor);

struct RandomChange {
  double inertia = 0.0;   ///< share by which mass, centre of mass and second moments change at most
  double friction = 0.0;  ///< the same of damping and dry friction
  double armature = 0.0;
};
/// Another robot of the same kind (Cărămizaru 2023, Alg. 4): each body's mass, each coordinate of its centre of
/// mass, and the second moments along its principal axes about it change by a random share of their
/// own, so every body stays one that can exist. The same seed gives the same robot. Throws
/// std::invalid_argument for a share that is not from 0 to below 1.
void change_at_random(Plant<double>& plant, const RandomChange& by, std::uint64_t seed);

/// Changes of a simulated robot's parameters, each in its time:
///
///     Schedule schedule;
///     schedule.at(2.0, [&](Plant<double>& p) { add_payload(p, tool, brick); });
///     schedule.during(3.0, 5.0, [usual = robot.plant](Plant<double>& p, double share) {
///       scale_friction(p, usual, 1.0 + share);
///     });
///     robot.run(10.0, 0.001, [&](Simulation& now, Eigen::VectorXd& tau) {
///       schedule.apply(now);
///       ...
///     });
class Schedule {
 public:
  using Change = std::function<void(Plant<double>&)>;
  using Drift = std::function<void(Plant<double>&, double share)>;

  /// At the first call of apply from that time on. Throws std::invalid_argument if it is not finite.
  void at(double time, Change change);
  /// At every call of apply in between with the share of the time that is over, and at last with 1.
  void during(double begin, double end, Drift drift);

  /// Makes the changes that are due, in order of their times, and of being added; keeps account of the
  /// energy. Returns how many there were. Allocates nothing by itself.
  int apply(Simulation& simulation);
  /// The same at a time, where edit(change) has `change` made of what is simulated otherwise.
  int apply(double time, const std::function<void(const Change&)>& edit);
  /// As from the beginning.
  void rewind();

 private:
  struct Entry {
    double begin, end;
    Drift drift;
    bool done = false;
  };
  std::vector<Entry> entries_;  ///< by their beginning
};

}  // namespace ulna
