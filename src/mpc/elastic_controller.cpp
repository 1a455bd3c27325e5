#include "ulna/mpc/elastic_controller.hpp"

#include <array>

#include "mpc/elastic_plan.hpp"
#include "mpc/elastic_rigid.hpp"
#include "ulna/model/inspect.hpp"
#include "ulna/num/smooth_step.hpp"

namespace ulna::mpc {

using Vector = Eigen::VectorXd;

const char* to_string(DriveControl drives) {
  return std::array{"plan", "feedforward", "ignore"}[std::size_t(drives)];
}

namespace {

const Model& require_known_drives(const Model& model, DriveControl drives) {
  const DriveTrain& train = model.drives();
  const int compound = compound_joint(model);
  messages::require(compound == 0 && !model.has_mimics(), "elastic controller: robot '",
                    model.name(),
                    "' has joints of several degrees of freedom or that mimic others");
  messages::require(model.description().loops.empty(), "elastic controller: robot '", model.name(),
                    "' closes loops, which is not supported here together with springs; "
                    "with_plain_drives(model) leaves them out");
  messages::require(train.mounts.empty(), "elastic controller: motors of robot '", model.name(),
                    "' are carried by links, which is not supported here; with_plain_drives(model) "
                    "leaves drives out");
  messages::require(train.diagonal || drives != DriveControl::plan,
                    "elastic controller: motors of robot '", model.name(),
                    "' are coupled, for which nothing is planned: take DriveControl::feedforward");
  return model;
}

}  // namespace

SmoothReference smooth_reach_and_wave(const Vector& from, const Vector& to, double seconds,
                                      const Vector& amplitude, const Vector& hz) {
  return [=](double time, SmoothMotion& m) {
    const Rates way = scaled_rates(smooth_step(time / seconds), 1.0 / seconds),
                grown = smooth_step(time - seconds);  // within a second
    const std::array orders{&m.q, &m.v, &m.a, &m.jerk, &m.snap};
    for (Eigen::Index i = 0; i < from.size(); ++i) {
      const double w = 2.0 * double(EIGEN_PI) * hz(i);
      const Rates wave = product_rates(grown, sine_rates(w * (time - seconds), w));
      for (std::size_t k = 0; k < orders.size(); ++k)
        (*orders[k])(i) = way[k] * (to(i) - from(i)) + amplitude(i) * wave[k];
      m.q(i) += from(i);
    }
  };
}

MotionReference without_derivatives(const Model& model, SmoothReference reference) {
  return [reference = std::move(reference), motion = std::make_shared<SmoothMotion>(model.nv())](
             double time, Vector& q, Vector& v) {
    reference(time, *motion);
    q = motion->q, v = motion->v;
  };
}

ElasticController::ElasticController(const Model& model, const ElasticOptions& options) {
  require_known_drives(model, options.drives);
  if (options.drives == DriveControl::plan)
    way_ = std::make_unique<Plan>(model, options);
  else
    way_ = std::make_unique<Rigid>(model, options);
}
ElasticController::~ElasticController() = default;
ElasticController::ElasticController(ElasticController&&) noexcept = default;
ElasticController& ElasticController::operator=(ElasticController&&) noexcept = default;

void ElasticController::follow(SmoothReference reference) { way_->follow(std::move(reference)); }
const Vector& ElasticController::act(double time, const DriveReading& reading) noexcept {
  return way_->act(time, reading);
}
void ElasticController::update(double time, const DriveReading& reading) noexcept {
  way_->update(time, reading);
}
void ElasticController::set_plant(const Plant<double>& plant) { way_->set_plant(plant); }

ActionKind ElasticController::kind() const { return way_->kind(); }
ActionFault ElasticController::fault() const { return way_->fault(); }
const Plant<double>& ElasticController::plant() const { return way_->plant(); }
const identify::OnlineEstimator& ElasticController::estimator() const { return way_->estimator(); }
Payload ElasticController::payload() const { return way_->payload(); }
double ElasticController::act_us() const { return way_->act_us; }
double ElasticController::update_us() const { return way_->update_us; }
double ElasticController::identify_us() const { return way_->identify_us; }

}  // namespace ulna::mpc
