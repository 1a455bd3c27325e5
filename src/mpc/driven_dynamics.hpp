#pragma once

#include <optional>

#include "ulna/constraints/closed_dynamics.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna::mpc {

inline std::optional<ClosedDynamics> closed_dynamics(const Model& model) {
  const auto& joints = model.description().loops;
  if (joints.empty()) return {};
  return ClosedDynamics(Loops(model, joints, neutral(model)));
}

/// The dynamics of a robot along the joints that move it: of a tree, all of them; where loops are closed, those of
/// LoopCoordinates, which the others follow. Vectors are of all joints. Of those that follow, torques are zero, and what is given of
/// their motion is not used. Made once, it allocates no more.
class DrivenDynamics {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  explicit DrivenDynamics(const Model& model)
      : closed_(closed_dynamics(model)), at_(model), motion_(model), ws_(model) {
    if (!closed_) return;
    y_.setZero(closed_->size()), v_ = a_ = tau_ = y_;
    M_.setZero(closed_->size(), closed_->size());
  }

  bool is_closed() const { return closed_.has_value(); }
  /// Whether a coordinate moves by itself.
  bool moves(Eigen::Index i) const {
    return !closed_ || closed_->coordinates().is_independent(int(i));
  }

  /// Where all begins: the joints that follow are used if the loops are nearly closed there, else they may be anything. False if the
  /// loops do not close.
  bool begin(Vector& q, Vector& v) {
    if (closed_ && q.allFinite()) (void)closed_->start(q);
    return close(q, v);
  }
  /// Moves the joints that follow to where the others have them. False, and nothing changed, if those are out of reach.
  bool close(Eigen::Ref<Vector> q, Eigen::Ref<Vector> v) {
    if (!closed_) return true;
    if (!set(q, v)) return false;
    q = closed_->q(), v = closed_->v();
    return true;
  }
  /// Of all joints what acts along those that move, at q, or where the last function was.
  void reduce(In q, Vector& tau) {
    if (!closed_) return;
    closed_->coordinates().gather(q, y_);
    (void)closed_->set(y_);
    reduce(tau);
  }
  void reduce(Vector& tau) const {
    if (closed_) closed_->coordinates().reduce(tau);
  }

  /// Where a joint is out of reach, torques are those of the nearest place before.
  void inverse(const Plant<double>& plant, In q, In v, In a, Vector& tau) {
    if (!closed_) {
      motion_.set(q, v, a);
      inverse_dynamics<double>(plant, motion_, ws_, tau);
      return;
    }
    (void)set(q, v);
    closed_->coordinates().gather(a, a_);
    (void)closed_->move(v_, a_);
    closed_->inverse_dynamics(plant, tau_);
    spread(tau_, tau);
  }
  void gravity(const Plant<double>& plant, In q, Vector& tau) {
    if (!closed_) {
      motion_.set(q);
      gravity_torque<double>(plant, motion_, ws_, tau);
      return;
    }
    tau.setZero();
    inverse(plant, q, tau, tau, tau);
  }
  /// a, and M along the joints that move; of the others, M is one. False if the robot is not physical.
  bool forward(const Plant<double>& plant, In q, In v, In tau, Vector& a, Eigen::MatrixXd& M) {
    if (!closed_) {
      at_.set(q, v);
      if (!forward_dynamics<double>(plant, at_, tau, ws_, a) || !a.allFinite()) return false;
      mass_matrix<double>(plant, at_, ws_, M);
      return true;
    }
    closed_->coordinates().gather(tau, tau_);
    if (!set(q, v) || !closed_->forward_dynamics(plant, tau_, a_)) return false;
    a = closed_->a();
    M.setIdentity();
    spread_mass(plant, M);
    return true;
  }
  /// M alone; of joints that follow, that of the tree.
  bool mass(const Plant<double>& plant, Vector& q, Eigen::MatrixXd& M) {
    Vector v = Vector::Zero(M.rows());
    if (!close(q, v)) return false;
    at_.set(q);
    mass_matrix<double>(plant, at_, ws_, M);
    if (closed_) spread_mass(plant, M);
    return true;
  }

  /// Numbers of the joints that move, as of all; zero for the others.
  void spread(In y, Vector& all) const {
    if (!closed_) {
      all = y;
      return;
    }
    all.setZero();
    closed_->coordinates().scatter(y, all);
  }
  void gather(In all, Eigen::Ref<Vector> y) const {
    if (closed_)
      closed_->coordinates().gather(all, y);
    else
      y = all;
  }
  int size() const { return closed_ ? closed_->size() : int(motion_.model().nv()); }

 private:
  void spread_mass(const Plant<double>& plant, Eigen::MatrixXd& M) {
    closed_->mass_matrix(plant, M_);
    const std::vector<int>& at = closed_->coordinates().independent();
    for (std::size_t i = 0; i < at.size(); ++i)
      for (std::size_t k = 0; k < at.size(); ++k)
        M(at[i], at[k]) = M_(Eigen::Index(i), Eigen::Index(k));
  }
  bool set(In q, In v) {
    closed_->coordinates().gather(q, y_), closed_->coordinates().gather(v, v_);
    return closed_->set(y_, v_);
  }

  std::optional<ClosedDynamics> closed_;
  Kinematics<double> at_;
  Motion<double> motion_;
  Workspace<double> ws_;
  Vector y_, v_, a_, tau_;
  Eigen::MatrixXd M_;
};

}  // namespace ulna::mpc
