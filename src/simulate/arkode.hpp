#pragma once

#include <memory>
#include <span>

#include "ulna/simulate/simulation.hpp"

namespace ulna::detail {

/// Numbers that change in time, and functions of them whose first root from above ends a motion.
class EventSystem {
 public:
  enum class Rate { good, too_far, impossible };  ///< too far: shorter steps may do
  virtual ~EventSystem() = default;
  virtual Rate rate(const double* y, double* dy) = 0;
  virtual Rate roots(const double* y, double* distance) = 0;
};

/// Explicit Runge-Kutta of SUNDIALS' ARKODE with its root finding.
class Arkode {
 public:
  enum class Result { arrived, root, tired, failed };

  /// Throws std::runtime_error without SUNDIALS.
  Arkode(int numbers, const AdaptiveOptions& options);
  ~Arkode();

  struct Steps {
    double first, longest;  ///< s, at most
    long most;
  };
  /// From y on for `duration`, or to the first root; `gone` says how far. Tired: after the most steps.
  Result go(EventSystem& system, int roots, double* y, double duration, const Steps& steps,
            double& gone);
  /// After `root`: which functions vanish.
  bool found(int root) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// dx/dt of displacements x since a motion began, exact to 1e-13 up to half a radian; and how far the joint of several
/// coordinates that turned most has turned, rad.
void displacement_rates(const Model& model, const double* x, const double* v, double* rate);
double largest_turn(const Model& model, const double* x);

}  // namespace ulna::detail
