#pragma once

#include <memory>
#include <string_view>

#include "ulna/classic/arm.hpp"

namespace ulna::classic {

/// One formulation of the equations of motion, M(q) q̈ + bias(q, q̇) = τ, by the interface that all of
/// them have. What a formulation has beyond this, its own class has.
template <Scalar T>
class Formulation {
 public:
  virtual ~Formulation() = default;

  virtual std::string_view name() const = 0;    ///< "lagrange-euler"
  virtual std::string_view source() const = 0;  ///< "002, sec. 3.2"

  virtual MatX<T> mass_matrix(const VecX<T>& q) const = 0;
  /// The torque that velocity and gravity need.
  virtual VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const = 0;
  virtual VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const = 0;
};

/// All formulations that can take the arm, in the order of the books; those of 002 take chains only.
/// Throws std::invalid_argument if the robot is no arm of revolute and prismatic joints.
template <Scalar T>
std::vector<std::unique_ptr<Formulation<T>>> formulations(const Plant<T>& plant);

}  // namespace ulna::classic
