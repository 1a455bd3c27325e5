#pragma once

#include <string>
#include <vector>

#include "ulna/classic/dalembert.hpp"

/// Which terms of the equations of motion matter along a trajectory, and a model without the others
/// (Fu 1987, sec. 3.4.1). The generalised d'Alembert equations name what comes of translation and of
/// rotation, so each can be weighed and left out by itself.
namespace ulna::classic {

/// Set points of a motion, one per column.
struct SetPoints {
  Eigen::VectorXd t;  ///< seconds; may be empty
  Eigen::MatrixXd q, v, a;
  Eigen::Index count() const { return q.cols(); }
};

enum class TermKind { D_tran, D_rot, h_tran, h_rot, gravity };

/// One term: D_ij by translation or by rotation, h_i likewise, or c_i. Joints count from 1; i <= j.
struct DynamicTerm {
  TermKind kind;
  int i, j;
  std::string element() const;  ///< "D12", "h3", "c2"
};

/// What a term does along a trajectory.
struct TermWeight {
  DynamicTerm term;
  /// The largest torque that it makes at a joint, over the largest torque that the joint needs at all.
  double share = 0.0;
  bool dropped = false;
};

/// The terms a reduced model keeps: D by (i-1, j-1), symmetric.
struct KeptTerms {
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> D_tran, D_rot;
  Eigen::Array<bool, Eigen::Dynamic, 1> h_tran, h_rot, c;

  static KeptTerms all(int n);
  void drop(const DynamicTerm& term);
  int count() const;  ///< i <= j only
};

/// All contributions along a trajectory.
class Dominance {
 public:
  /// Throws std::invalid_argument if sizes do not match or there is no set point.
  Dominance(const DAlembert<double>& arm, SetPoints points);

  const SetPoints& points() const { return points_; }
  int joint_count() const { return int(tau_.rows()); }
  const Eigen::MatrixXd& torque() const { return tau_; }  ///< n x points
  Eigen::VectorXd peak_torque() const { return tau_.cwiseAbs().rowwise().maxCoeff(); }

  /// D_ij, h_i or c_i itself at each set point, not multiplied by an acceleration.
  Eigen::VectorXd value(const DynamicTerm& term) const;
  /// h_i of one joint's velocity at a time, and of two at once; by translation and rotation together.
  Eigen::VectorXd centrifugal(int i) const { return centrifugal_.row(i - 1).transpose(); }
  Eigen::VectorXd coriolis(int i) const { return coriolis_.row(i - 1).transpose(); }

  /// All terms, the heaviest first. Those are dropped, from the lightest, without which no torque is
  /// wrong by more than `tolerance` of the joint's peak torque at any set point.
  std::vector<TermWeight> rank(double tolerance) const;

 private:
  /// The torque of a term at joint `of`: D_ij a_j, and D_ij a_i at joint j.
  Eigen::VectorXd torque_of(const DynamicTerm& term, int of) const;

  SetPoints points_;
  Eigen::MatrixXd tau_, centrifugal_, coriolis_;
  Eigen::MatrixXd terms_[5];  ///< by TermKind: D by columns, h or c; one column per set point
};

KeptTerms kept_of(const std::vector<TermWeight>& ranked, int n);

/// The torques of the reduced model; what no kept term needs is not computed.
template <Scalar T>
VecX<T> reduced_inverse_dynamics(const DAlembert<T>& arm, const KeptTerms& kept, const VecX<T>& q,
                                 const VecX<T>& v, const VecX<T>& a);

/// The largest error of the reduced model along a trajectory, per joint, over its peak torque there.
Eigen::VectorXd relative_error(const DAlembert<double>& arm, const KeptTerms& kept,
                               const SetPoints& points);

}  // namespace ulna::classic
