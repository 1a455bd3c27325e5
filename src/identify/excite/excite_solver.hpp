#pragma once

#include "ulna/identify/excite/excite.hpp"
#include "ulna/num/random.hpp"

namespace ulna::identify {

/// From low to high, the same numbers on every machine.
inline double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * ulna::uniform(random);
}

/// Watches all points that a solver looks at, and keeps the best that is feasible on the fine grid.
class BestPoint {
 public:
  explicit BestPoint(ExcitationProblem& problem) : problem_(problem) {}

  /// A point well within all limits: standing still.
  void set_home(const Vector& x) { home_ = x; }
  /// Visits points on the way home from x until one is the best so far: a solver's iterates are often
  /// outside of a limit by a little.
  void approach(const Vector& x);

  /// Evaluates the problem there. True if the point is the best so far.
  bool visit(const Vector& x);
  bool any() const { return x_.size() > 0; }
  const Vector& x() const { return x_; }
  double log_det() const { return log_det_; }

 private:
  ExcitationProblem& problem_;
  Vector x_, home_;
  double log_det_ = -1.0;
};

/// Improves on x, visiting as it goes. `go_on(iteration)` says whether there is time left.
ExciteStatus solve_excitation(ExcitationProblem& problem, const Vector& x, int iterations,
                              BestPoint& best, const std::function<bool(int)>& go_on, int& done);

}  // namespace ulna::identify
