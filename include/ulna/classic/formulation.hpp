#pragma once

#include <functional>
#include <string_view>

#include "ulna/classic/arm.hpp"

namespace ulna::classic {

/// One formulation of the equations of motion, M(q) q̈ + bias(q, q̇) = τ. Its own class has more.
template <Scalar T>
struct Formulation {
  using Vector = const VecX<T>&;

  std::string_view name;    ///< "lagrange-euler"
  std::string_view source;  ///< "Fu 1987, sec. 3.2"

  std::function<MatX<T>(Vector q)> mass_matrix;
  std::function<VecX<T>(Vector q, Vector v)> bias;  ///< the torque that velocity and gravity need
  std::function<VecX<T>(Vector q, Vector v, Vector a)> inverse_dynamics;
};

/// All formulations that can take the arm, in the order of the books; those of Fu 1987 take chains only.
/// Throws std::invalid_argument if the robot is no arm of revolute and prismatic joints.
template <Scalar T>
std::vector<Formulation<T>> formulations(const Plant<T>& plant);

}  // namespace ulna::classic
