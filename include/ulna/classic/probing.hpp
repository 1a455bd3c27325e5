#pragma once

#include "ulna/classic/newton_euler.hpp"
#include "ulna/classic/screw_form.hpp"

namespace ulna::classic {

/// All terms of the equations of motion from inverse dynamics alone, by asking it questions (001,
/// sec. 3.3.3; 002, problems 3.11 and 3.12). `Inverse` is one of the recursions: it has
/// inverse_dynamics(q, v, a), gravity that can be taken off, and knows nothing of M.
///
///   M e_j = ID(q, 0, e_j) without gravity      n questions
///   C̃     = ID(q, v, 0)                        one, for h + c together
template <Scalar T, class Inverse>
class Probing {
 public:
  explicit Probing(Inverse inverse);
  const Inverse& inverse() const { return inverse_; }

  MatX<T> mass_matrix(const VecX<T>& q) const;
  VecX<T> gravity(const VecX<T>& q) const;
  VecX<T> velocity_torque(const VecX<T>& q, const VecX<T>& v) const;  ///< h(q, q̇)
  /// [i](k, m) is h_ikm: two joints move at once, less what each does alone.
  std::vector<MatX<T>> velocity_coefficients(const VecX<T>& q) const;
  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const;
  /// M a + C̃ from the answers: what forward dynamics solves.
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const;

 private:
  Inverse inverse_, weightless_;
};

}  // namespace ulna::classic
