#pragma once

#include <Eigen/LU>

#include "ulna/constraints/loops.hpp"

namespace ulna {

/// As many coordinates of a robot with loops as it has degrees of freedom, which move all the others:
///
///     v = N v_independent,     N' (M a + c) = N' tau,
///
/// as forces through the loops do no work on such motions. Those of joints that have a drive are taken, if they
/// will do, otherwise the first that do. Made once, no call allocates.
class LoopCoordinates {
 public:
  explicit LoopCoordinates(const Loops& loops);

  const Loops& loops() const { return loops_; }
  Loops& loops() { return loops_; }
  int size() const { return static_cast<int>(independent_.size()); }
  /// In rising order.
  const std::vector<int>& independent() const { return independent_; }
  const std::vector<int>& dependent() const { return dependent_; }
  bool is_independent(int coordinate) const;

  /// From here on, at q, where the loops are closed; with y = v_independent, and its rate.
  void set(In<double> q);
  const Eigen::MatrixXd& N() const { return N_; }  ///< nv x independent
  /// v, and a for a rate of y. Leaves the loops at q, v and a.
  void move(In<double> y, In<double> y_rate, Out<double> v, Out<double> a);
  /// N'X in the rows of independent coordinates of X, 0 in the others: of torques, what acts on the closed robot.
  void reduce(OutMatrix<double> X) const;

  /// Moves q, where the loops are closed, along them to where its independent coordinates are those of `to`, a configuration of
  /// which nothing else is used: in steps along the tangent, each corrected by Newton's method, so that the others
  /// do not jump to another way of closing the loops. False, and q unchanged, if the loops do not reach so far. Leaves the loops
  /// at q. Of robots whose joints have one coordinate each.
  [[nodiscard]] bool follow(In<double> to, Out<double> q);

  /// How dependent coordinates change where rows of the loops change by X otherwise and stay met: -J_dependent^-1 X.
  void answer(const Eigen::MatrixXd& X, Eigen::MatrixXd& dependent) const;
  /// The forces through the loops under which torques on dependent coordinates are none: tau - J'λ = 0 there.
  void carry(In<double> tau, Out<double> lambda) const;

  /// The independent coordinates of all, and back: what is not independent stays.
  void gather(In<double> all, Out<double> y) const;
  void scatter(In<double> y, Out<double> all) const;

 private:
  void factor();
  bool correct(Out<double> q);

  Loops loops_;
  std::vector<int> independent_, dependent_;
  Eigen::MatrixXd N_, J_dependent_, J_independent_, inverse_, unit_, rest_, reduced_;
  Eigen::VectorXd bend_, begin_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

}  // namespace ulna
