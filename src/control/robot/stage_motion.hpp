#pragma once

#include <memory>

#include "ulna/derivatives/loops.hpp"
#include "ulna/simulate/step.hpp"

namespace ulna::detail {

/// A step from a node to the next, and the torques it takes.
class StageMotion {
 public:
  using Vector = Eigen::VectorXd;

  explicit StageMotion(const Model& model)
      : q_next(Vector::Zero(model.nq())),
        v_next(Vector::Zero(model.nv())),
        tau(Vector::Zero(model.nv())) {}
  virtual ~StageMotion() = default;

  /// q_next, v_next and tau. False if they are not finite.
  virtual bool go(const Plant<double>& plant, In<double> q, In<double> v, In<double> u,
                  double h) = 0;
  /// The same, and how (q_next, v_next) changes with (u, q, v), and with h if that is asked for.
  virtual bool differentiate(const Plant<double>& plant, In<double> q, In<double> v, In<double> u,
                             double h, Eigen::Ref<Eigen::MatrixXd> F) = 0;
  /// The same for all nodes at once, a node per column, if that is possible at all: then `recall` yields
  /// what go or differentiate would.
  virtual bool prepares() const { return false; }
  virtual bool prepare(const Plant<double>&, const Eigen::MatrixXd& /*Q*/,
                       const Eigen::MatrixXd& /*V*/, const Eigen::MatrixXd& /*U*/,
                       const Vector& /*h*/, bool /*slopes*/) {
    return false;
  }
  virtual void recall(int /*node*/) {}
  virtual void recall(int /*node*/, Eigen::Ref<Eigen::MatrixXd> /*F*/) {}

  /// What holds the robot still, as an input: torques, and forces through loops where there are any.
  virtual void rest(In<double> tau, In<double> lambda, Out<double> u) const = 0;

  /// How tau changes with (u, q, v); null where it is u.
  virtual const Eigen::MatrixXd* tau_slope() const = 0;

  Vector q_next, v_next, tau;
};

/// u = tau, and a step of forward dynamics.
std::unique_ptr<StageMotion> forward_motion(const Model& model, Integrator integrator,
                                            bool by_duration, int nodes, int threads);
/// u = a, and tau = ID(q, v, a).
std::unique_ptr<StageMotion> inverse_motion(const Model& model, bool by_duration);
/// The same with loops, and inputs beside those: forces λ through them at the beginning of a step; then those
/// at its end, or what moves q to where they are closed.
std::unique_ptr<StageMotion> looped_forward_motion(const Model& model, const Loops& loops,
                                                   Integrator integrator, bool by_duration);
std::unique_ptr<StageMotion> looped_inverse_motion(const Model& model, const Loops& loops,
                                                   bool by_duration);

}  // namespace ulna::detail
