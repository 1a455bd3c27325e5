#include "ulna/supervise/momentum_observer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "num/message.hpp"
#include "ulna/dynamics/coriolis.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna::supervise {

const char* to_string(TorqueSide side) {
  return std::array{"motor", "link"}[static_cast<std::size_t>(side)];
}

MomentumObserver::End::End(const Model& model)
    : at(model),
      matrix(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
      p(Eigen::VectorXd::Zero(model.nv())),
      rate(p),
      Cv(p) {}

void MomentumObserver::End::compute(const Plant<double>& plant, Workspace<double>& ws) {
  mass_matrix<double>(plant, at, ws, matrix);
  p.noalias() = matrix.lazyProduct(at.v());
  // C'v - g, where g is what is left of the bias torque without C v
  coriolis_matrix<double>(plant, at, ws, matrix);
  bias_torque<double>(plant, at, ws, rate);
  Cv.noalias() = matrix.lazyProduct(at.v());
  rate = Cv - rate;
  rate += matrix.transpose().lazyProduct(at.v());
}

MomentumObserver::MomentumObserver(const Model& model, MomentumObserverOptions options)
    : options_(options),
      side_(static_cast<std::size_t>(model.nv()), options.side),
      ws_(model),
      before_(model),
      now_(model),
      r_(Eigen::VectorXd::Zero(model.nv())),
      external_(r_) {
  messages::require(std::isfinite(options.gain) && options.gain > 0.0, "momentum observer: gain ",
                    options.gain, " 1/s; it must be positive");
  messages::require(options.rest_speed >= 0.0, "momentum observer: rest_speed ", options.rest_speed,
                    "; it must not be negative");
}

void MomentumObserver::reset(bool keep_estimate) {
  started_ = false;
  external_.setZero();
  if (!keep_estimate) r_.setZero();
}

MomentumObserver::Range MomentumObserver::dry_friction(const Plant<double>& plant, int i,
                                                       double v) const {
  const double forward = plant.friction(i), backward = -plant.friction_negative(i);
  if (std::abs(v) <= options_.rest_speed)
    return {std::min(backward, forward), std::max(backward, forward)};
  return v > 0.0 ? Range{forward, forward} : Range{backward, backward};
}

MomentumObserver::Range MomentumObserver::friction(const Plant<double>& plant, int i) const {
  if (side_[static_cast<std::size_t>(i)] == TorqueSide::link) return {0.0, 0.0};
  const double from = before_.at.v()(i), to = now_.at.v()(i);
  const Range a = dry_friction(plant, i, from), b = dry_friction(plant, i, to);
  const double viscous = 0.5 * plant.damping(i) * (from + to);
  return {viscous + std::min(a.least, b.least), viscous + std::max(a.most, b.most)};
}

void MomentumObserver::update(const Plant<double>& plant, In<double> q, In<double> v,
                              In<double> tau, double dt) {
  const Model& model = now_.at.model();
  ulna::detail::require<double>("tau", tau, model.nv(), model);
  messages::require(std::isfinite(dt) && dt > 0.0, "momentum observer: dt ", dt,
                    " s; it must be positive");
  before_.at.set(q, v);  // where it throws, the state of the last update stays
  std::swap(before_, now_);
  now_.compute(plant, ws_);
  if (!std::exchange(started_, true)) return;

  // with the plant of now: a new one has gained no momentum by having been replaced
  before_.compute(plant, ws_);
  const double forget = std::exp(-options_.gain * dt);
  for (int i = 0; i < model.nv(); ++i) {
    double gained = now_.p(i) - before_.p(i);
    if (side_[static_cast<std::size_t>(i)] == TorqueSide::link)
      gained -= plant.armature(i) * (now_.at.v()(i) - before_.at.v()(i));
    // what friction would have to have been if nothing else acted
    const double needed = tau(i) + 0.5 * (before_.rate(i) + now_.rate(i)) - gained / dt;
    const Range possible = friction(plant, i);
    external_(i) = std::clamp(needed, possible.least, possible.most) - needed;
    r_(i) = forget * r_(i) + (1.0 - forget) * external_(i);
  }
}

}  // namespace ulna::supervise
