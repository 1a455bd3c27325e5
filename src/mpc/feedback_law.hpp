#pragma once

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/mpc/trial.hpp"

namespace ulna::mpc {

/// The laws that plan nothing: torques for the acceleration that would bring the robot back.
class FeedbackLaw {
 public:
  using Vector = Eigen::VectorXd;

  FeedbackLaw(const Model& model, const TrialOptions& options)
      : law_(options.law),
        stiffness_(options.stiffness),
        damping_(2.0 * std::sqrt(options.stiffness)),
        motion_(model),
        ws_(model),
        q_(model.nq()),
        v_(model.nv()),
        v_later_(model.nv()),
        a_(model.nv()),
        tau_(Vector::Zero(model.nv())) {}

  const Vector& act(const Plant<double>& plant, const MotionReference& reference, double time,
                    const Vector& q, const Vector& v) {
    if (!q.allFinite() || !v.allFinite()) return tau_;  // the last ones, for want of better
    constexpr double h = 1e-4;
    reference(time + h, q_, v_later_);
    reference(time, q_, v_);
    a_ = stiffness_ * (q_ - q) + damping_ * (v_ - v);
    if (law_ == ControlLaw::computed_torque) {
      a_ += (v_later_ - v_) / h;
      motion_.set(q, v, a_);
      inverse_dynamics<double>(plant, motion_, ws_, tau_);
    } else {
      motion_.set(q);
      gravity_torque<double>(plant, motion_, ws_, tau_);
      tau_ += a_;
    }
    const Vector& limit = plant.model().effort_limit();
    tau_ = tau_.cwiseMin(limit).cwiseMax(-limit);
    return tau_;
  }

 private:
  ControlLaw law_;
  double stiffness_, damping_;
  Motion<double> motion_;
  Workspace<double> ws_;
  Vector q_, v_, v_later_, a_, tau_;
};

}  // namespace ulna::mpc
