#include "ulna/mpc/controller.hpp"

#include <array>

#include "mpc/disturbance_observer.hpp"
#include "mpc/fallback.hpp"
#include "mpc/planner.hpp"
#include "mpc/plant_estimator.hpp"

namespace ulna::mpc {
namespace {

using Vector = Eigen::VectorXd;
using Clock = std::chrono::steady_clock;

const Model& require_plain_joints(const Model& model) {
  messages::require(model.nq() == model.nv(), "robot '", model.name(),
                    "' has joints with more coordinates than degrees of freedom; the controller "
                    "supports only joints with one coordinate");
  return model;
}

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

}  // namespace

const char* to_string(ActionKind kind) {
  return std::array{"planned", "older plan", "safe"}[int(kind)];
}

const char* to_string(ActionFault fault) {
  return std::array{
      "none", "not measured", "not prepared", "late", "not solved", "no reference"}[int(fault)];
}

struct IdentifyingController::Parts {
  Parts(const Model& model, const ControllerOptions& o)
      : options(o),
        plant(require_plain_joints(model)),
        estimator(plant, options),
        planner(plant, options),
        friction(model, options.rate_hz, estimator.online().noise()),
        disturbance(model, std::min(options.observer_hz, 0.2 * options.rate_hz), options.rate_hz),
        fallback(model, options.safe_damping),
        q(Vector::Zero(model.nv())) {}

  ControllerOptions options;
  Plant<double> plant;
  PlantEstimator estimator;
  Planner planner;
  FrictionCompensator friction;
  DisturbanceObserver disturbance;
  Fallback fallback;

  Vector q, v = q;  ///< the state, measured or expected
  Vector tau = q;
  ActionKind kind = ActionKind::safe;
  ActionFault fault = ActionFault::none;
  double act_us = 0.0, update_us = 0.0, identify_us = 0.0;
};

IdentifyingController::IdentifyingController(const Model& model, const ControllerOptions& options)
    : parts_(std::make_unique<Parts>(model, options)) {}
IdentifyingController::~IdentifyingController() = default;
IdentifyingController::IdentifyingController(IdentifyingController&&) noexcept = default;
IdentifyingController& IdentifyingController::operator=(IdentifyingController&&) noexcept = default;

void IdentifyingController::follow(MotionReference reference) {
  parts_->planner.follow(std::move(reference));
}

void IdentifyingController::set_plant(const Plant<double>& plant) {
  parts_->plant = plant;
  parts_->planner.set_plant(plant);
}

void IdentifyingController::set_deadline(std::optional<double> seconds) {
  parts_->planner.set_deadline(seconds);
}

void IdentifyingController::fail_next_plan() { parts_->planner.fail_next(); }

const Vector& IdentifyingController::act(double time, In q, In v) noexcept {
  const Clock::time_point begin = Clock::now();
  Parts& p = *parts_;
  const bool measured =
      q.size() == p.q.size() && v.size() == p.v.size() && q.allFinite() && v.allFinite();
  p.fault = measured ? ActionFault::none : ActionFault::not_measured;
  if (measured)
    p.q = q, p.v = v;
  else if (p.planner.has_plan())
    p.planner.expected_state(time, p.q, p.v);

  bool planned = false;
  if (measured || p.planner.has_plan()) {
    planned = p.planner.plan(time, p.q, p.v);
    if (p.planner.fault() != ActionFault::none) p.fault = p.planner.fault();
  }
  const bool recent = p.planner.has_plan() && time - p.planner.planned_at() <= p.options.patience;
  p.kind = planned ? ActionKind::planned : recent ? ActionKind::older : ActionKind::safe;
  if (p.kind == ActionKind::safe) {
    p.fallback.torque(p.plant, p.q, p.v, p.tau);
  } else {
    p.planner.torque(time, p.tau);
    p.friction.compensate(p.plant, p.planner.planned_velocity(), p.v, p.tau);
    if (p.options.observe_disturbance) p.tau += p.disturbance.torque();
  }
  const Vector& limit = p.plant.model().effort_limit();
  p.tau = p.tau.array().isFinite().select(p.tau, 0.0).cwiseMin(limit).cwiseMax(-limit);
  p.act_us = microseconds_since(begin);
  return p.tau;
}

void IdentifyingController::update_wrench(int body, In q, In v, In a, In wrench,
                                          In noise) noexcept {
  if (parts_->options.identify) parts_->estimator.update_wrench(body, q, v, a, wrench, noise);
}

void IdentifyingController::update(double time, In q, In v, In tau) noexcept {
  const Clock::time_point begin = Clock::now();
  Parts& p = *parts_;
  if (p.options.identify && p.estimator.update(q, v, tau, p.plant)) p.planner.set_plant(p.plant);
  if (p.options.observe_disturbance) p.disturbance.update(p.plant, q, v, tau);
  p.identify_us = microseconds_since(begin);
  p.planner.prepare(time + 1.0 / p.options.rate_hz);
  p.update_us = microseconds_since(begin);
}

ActionKind IdentifyingController::kind() const { return parts_->kind; }
ActionFault IdentifyingController::fault() const { return parts_->fault; }
identify::OnlineEstimator::Outcome IdentifyingController::outcome() const {
  return parts_->estimator.outcome();
}
const control::SqpReport& IdentifyingController::report() const { return parts_->planner.report(); }
const Plant<double>& IdentifyingController::plant() const { return parts_->plant; }
const identify::OnlineEstimator& IdentifyingController::estimator() const {
  return parts_->estimator.online();
}
const control::Trajectory& IdentifyingController::plan() const {
  return parts_->planner.trajectory();
}
double IdentifyingController::planned_at() const { return parts_->planner.planned_at(); }
double IdentifyingController::act_us() const { return parts_->act_us; }
double IdentifyingController::update_us() const { return parts_->update_us; }
double IdentifyingController::identify_us() const { return parts_->identify_us; }

}  // namespace ulna::mpc
