#pragma once

#include <memory>
#include <span>

#include "ulna/constraints/loops.hpp"
#include "ulna/simulate/step.hpp"

namespace ulna::control::detail {

/// A step from a node to the next, and the torques it takes.
class StageMotion {
 public:
  using Vector = Eigen::VectorXd;

  explicit StageMotion(const Model& model)
      : q_next(Vector::Zero(model.nq())),
        v_next(Vector::Zero(model.nv())),
        tau(Vector::Zero(model.nv())) {}
  virtual ~StageMotion() = default;

  /// Before the steps of a trajectory are taken, for those that are taken together. False if one is not finite.
  virtual bool prepare(const Plant<double>&, std::span<const Vector> /*x*/,
                       std::span<const Vector> /*u*/, bool /*slopes*/) {
    return true;
  }
  /// Sets q_next, v_next and tau of the step from a node; false if they are not finite. F, where it is given: how
  /// (q_next, v_next) changes with (u, q, v), and with h if that was asked for.
  virtual bool step(const Plant<double>& plant, int node, In<double> q, In<double> v, In<double> u,
                    double h, OutMatrix<double>* F) = 0;

  /// What holds the robot still, as an input: torques, and forces through loops where there are any.
  virtual void rest(In<double> tau, In<double> lambda, Out<double> u) const = 0;

  /// How tau changes with (u, q, v); null where it is u.
  virtual const Eigen::MatrixXd* tau_slope() const = 0;

  Vector q_next, v_next, tau;
};

/// u = tau, and a step of forward dynamics.
std::unique_ptr<StageMotion> forward_motion(const Model& model, Integrator integrator,
                                            bool by_duration, const std::vector<double>& durations,
                                            int threads);
/// u = a, and tau = ID(q, v, a).
std::unique_ptr<StageMotion> inverse_motion(const Model& model, bool by_duration);
/// The same with loops, and inputs beside those: forces λ through them at the beginning of a step; then those
/// at its end, or what moves q to where they are closed.
std::unique_ptr<StageMotion> looped_forward_motion(const Model& model, const Loops& loops,
                                                   Integrator integrator, bool by_duration);
std::unique_ptr<StageMotion> looped_inverse_motion(const Model& model, const Loops& loops,
                                                   bool by_duration);

}  // namespace ulna::control::detail
