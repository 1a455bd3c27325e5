#pragma once

#include "ulna/constraints/loops.hpp"

namespace ulna {

/// As many coordinates of a robot with loops as it has degrees of freedom, which move all the others:
///
///     v = N v_independent,     N' (M a + c) = N' tau,
///
/// as forces through the loops do no work on such motions. Those of joints that have a drive are taken, if they
/// will do, otherwise the first that do.
class LoopCoordinates {
 public:
  explicit LoopCoordinates(const Loops& loops);

  const Loops& loops() const { return loops_; }
  /// In rising order.
  const std::vector<int>& independent() const { return independent_; }

  /// From here on, at q, where the loops are closed; with y = v_independent, and its rate.
  void set(In<double> q);
  const Eigen::MatrixXd& N() const { return N_; }  ///< nv x independent
  /// v, and a for a rate of y.
  void move(In<double> y, In<double> y_rate, Out<double> v, Out<double> a);
  /// N'X in the rows of independent coordinates of X, 0 in the others: of torques, what acts on the closed robot.
  void reduce(OutMatrix<double> X) const;

 private:
  Loops loops_;
  std::vector<int> independent_, dependent_;
  Eigen::MatrixXd N_, J_dependent_;
};

}  // namespace ulna
