#pragma once

#include "ulna/dynamics/batch.hpp"
#include "ulna/identify/types.hpp"

namespace ulna::identify {

/// The sums that least squares of torques over any number of samples is made of. Each degree of
/// freedom r of each sample says
///
///     y π + x φ_r = tau_r
///
/// with y a row of torque_regressor and x as many features of its own as there are, say velocity and
/// its sign. Kept apart for each degree of freedom, so that how much each counts can be said later:
///
///     NormalEquations sums(model, 2);
///     sums.add(Q, V, A, Tau, X);                       // as often as there is data
///     sums.assemble(weights, G, g, size);              // G (π, φ) = g
///
/// Many states at once; the sums are the same to the last bit for any number of threads.
class NormalEquations {
 public:
  using In = Batch::In;

  /// threads = 0: as many as there are cores.
  explicit NormalEquations(const Model& model, int features = 0, int threads = 0);
  ~NormalEquations();
  NormalEquations(NormalEquations&&) noexcept;
  NormalEquations& operator=(NormalEquations&&) noexcept;

  /// A sample is a column. X (features nv x N): the features of the first degree of freedom, then
  /// those of the second, ...; W (nv x N): how much each equation counts, 1 if it is left out. Throws
  /// std::invalid_argument where sizes do not fit or a number is not finite or a weight negative.
  void add(const In& Q, const In& V, const In& A, const In& Tau, const In& X = Matrix(),
           const In& W = Matrix());
  void clear();

  /// 10 joint_count + features nv: π, then the φ of each degree of freedom.
  int unknowns() const;
  Index samples() const;

  /// G (unknowns x unknowns), g (unknowns) and the sum of tau², all of each degree of freedom times
  /// its weight: what |Y z - tau|² = z'G z - 2 g'z + size needs.
  void assemble(const Vector& weights, Matrix& G, Vector& g, double& size) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulna::identify
