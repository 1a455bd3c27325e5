#include "ulna/mpc/elastic_controller.hpp"

#include <array>

#include "mpc/elastic_plan.hpp"
#include "mpc/elastic_rigid.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::mpc {

using Vector = Eigen::VectorXd;

const char* to_string(DriveControl drives) {
  return std::array{"plan", "feedforward", "ignore"}[std::size_t(drives)];
}

namespace {

/// From 0 to 1 as s goes from 0 to 1, with four derivatives of 0 at both ends: 126 s⁵ - 420 s⁶ + 540 s⁷ - 315 s⁸ + 70 s⁹, and its
/// derivatives.
std::array<double, 5> smooth_step(double s) {
  if (s <= 0.0) return {};
  if (s >= 1.0) return {1.0};
  constexpr std::array coefficients{126.0, -420.0, 540.0, -315.0, 70.0};
  std::array<double, 5> rates{};
  for (std::size_t k = 0; k < rates.size(); ++k)
    for (std::size_t i = coefficients.size(); i-- > 0;) {
      double factor = coefficients[i];
      const int power = int(i) + 5;
      for (int j = 0; j < int(k); ++j) factor *= power - j;
      rates[k] += factor * std::pow(s, power - int(k));
    }
  return rates;
}

const Model& require_springs_alone(const Model& model) {
  const DriveTrain& train = model.drives();
  const int compound = compound_joint(model);
  messages::require(compound == 0 && !model.has_mimics(), "elastic controller: robot '",
                    model.name(),
                    "' has joints of several degrees of freedom or that mimic others");
  messages::require(model.description().loops.empty(), "elastic controller: robot '", model.name(),
                    "' closes loops, which is not known here together with springs; "
                    "with_plain_drives(model) leaves them out");
  messages::require(train.diagonal && train.coupled.empty() && train.mounts.empty(),
                    "elastic controller: motors of robot '", model.name(),
                    "' are coupled or carried by links, which is not known here; "
                    "with_plain_drives(model) leaves drives out");
  return model;
}

}  // namespace

SmoothReference smooth_reach_and_wave(const Vector& from, const Vector& to, double seconds,
                                      const Vector& amplitude, const Vector& hz) {
  return [=](double time, SmoothMotion& m) {
    std::array<double, 5> way = smooth_step(time / seconds);
    for (std::size_t k = 0; k < way.size(); ++k) way[k] /= std::pow(seconds, double(k));
    const std::array<double, 5> grown = smooth_step(time - seconds);  // within a second
    constexpr int choose[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
    const std::array orders{&m.q, &m.v, &m.a, &m.jerk, &m.snap};
    for (Eigen::Index i = 0; i < from.size(); ++i) {
      const double w = 2.0 * double(EIGEN_PI) * hz(i);
      for (std::size_t k = 0; k < orders.size(); ++k) {
        double wave = 0.0;
        for (std::size_t j = 0; j <= k; ++j)
          wave += choose[k][j] * grown[k - j] * std::pow(w, double(j)) *
                  std::sin(w * (time - seconds) + 0.5 * double(EIGEN_PI) * double(j));
        (*orders[k])(i) = way[k] * (to(i) - from(i)) + amplitude(i) * wave;
      }
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
  require_springs_alone(model);
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
