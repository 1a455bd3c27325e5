#include <optional>

#include "c/robot.hpp"
#include "ulna/identify/data/filter.hpp"
#include "ulna/identify/online/online_estimator.hpp"
#include "ulna/rig/reality.hpp"

using namespace ulna;
using namespace ulna::c;

struct ulna_estimator : Object {
  static constexpr auto is = Kind::estimator;

  ulna_estimator(const identify::TorqueModel& torques, const Vector& noise,
                 const identify::OnlineOptions& options, double filter_hz)
      : Object(is),
        now(torques, noise, options),
        names(torques.names()),
        q(Vector::Zero(torques.model().nq())),
        v(Vector::Zero(torques.model().nv())),
        a(v),
        tau(v) {
    if (q.size() == v.size())
      filter.emplace(int(v.size()), identify::LowPass(filter_hz, options.rate_hz, 4),
                     identify::MotionFilter::Velocity::measured);
  }
  const Model& robot_model() const { return now.model().model(); }

  identify::OnlineEstimator now;
  std::optional<identify::MotionFilter> filter;
  std::vector<std::string> names;
  Vector q, v, a, tau;
};

namespace ulna::c {
namespace {

constexpr double noise_share = 0.005;  ///< of the effort limits: as a controller has it

ulna_estimator_options estimator_defaults() {
  const identify::OnlineOptions o;
  ulna_estimator_options d{};
  d.rate_hz = o.rate_hz, d.filter_hz = 20.0, d.friction = "viscous,coulomb";
  d.memory = o.memory, d.outlier = o.outlier, d.patience = o.patience;
  d.deviation = o.prior.deviation;
  return d;
}

identify::OnlineOptions options_of(const ulna_estimator_options& o) {
  identify::OnlineOptions options;
  options.rate_hz = o.rate_hz, options.memory = o.memory, options.outlier = o.outlier;
  options.patience = o.patience, options.prior.deviation = o.deviation;
  // a filter makes neighbours alike
  options.correlated = std::max(1.0, o.rate_hz / o.filter_hz);
  return options;
}

std::vector<identify::Feature> features_of(const char* friction) {
  const identify::Friction f = identify::friction_from_string(friction);
  if (f.stribeck)
    throw std::invalid_argument(
        "friction: 'stribeck' is not linear in its parameters; it is found offline only");
  return f.features;
}

Call& estimates_of(Call& call, const ulna_estimator* estimator, int count) {
  if (call.alive(estimator).good())
    call.require_count(count, int(estimator->names.size()), "the estimates");
  return call;
}

}  // namespace
}  // namespace ulna::c

extern "C" {

ulna_status ulna_estimator_options_init(ulna_estimator_options* options, size_t size) {
  return init_options(__func__, options, size, estimator_defaults());
}

ulna_status ulna_estimator_create(const ulna_robot* robot, const ulna_estimator_options* given,
                                  ulna_estimator** estimator) {
  Call call(__func__);
  ulna_estimator_options o = estimator_defaults();
  if (read_options(call.alive(robot), given, o).good()) {
    for (const double x : {o.rate_hz, o.filter_hz, o.memory, o.outlier, o.deviation})
      call.finite("an option", x)
          .require(x > 0.0, ULNA_ERROR_ARGUMENT,
                   "rate_hz, filter_hz, memory, outlier and deviation must be positive");
    call.given("friction", o.friction);
    if (o.noise) call.finite("noise", o.noise, robot->robot_model().nv());
  }
  return create(call, estimator, [&] {
    const Model& model = robot->robot_model();
    const Vector noise = o.noise ? Vector(Eigen::Map<const Vector>(o.noise, model.nv()))
                                 : Vector(noise_share * rig::nominal_efforts(model));
    return std::make_unique<ulna_estimator>(identify::TorqueModel(model, features_of(o.friction)),
                                            noise, options_of(o), o.filter_hz);
  });
}

ulna_status ulna_estimator_destroy(ulna_estimator* estimator) {
  return destroy(__func__, estimator);
}

ulna_status ulna_estimator_learn(ulna_estimator* estimator, int n, const double* q, const double* v,
                                 const double* tau, ulna_outcome* outcome) {
  Call call(__func__);
  call.of(estimator, n).given("q", q).given("v", v).given("tau", tau);
  if (call.good())
    call.require(estimator->filter.has_value(), ULNA_ERROR_ARGUMENT,
                 "of robots with joints of several degrees of freedom, give accelerations to "
                 "ulna_estimator_update");
  return call.run([&] {
    ulna_estimator& e = *estimator;
    c::read(q, e.q), c::read(v, e.v), c::read(tau, e.tau);
    identify::MotionFilter& f = *e.filter;
    auto found = identify::OnlineEstimator::Outcome::ignored;
    if (f.update(e.q, e.v, e.tau) && f.settled())
      found = e.now.update(f.q(), f.v(), f.a(), f.direction(), f.tau());
    if (outcome) *outcome = ulna_outcome(found);
  });
}

ulna_status ulna_estimator_update(ulna_estimator* estimator, int n, const double* q,
                                  const double* v, const double* a, const double* tau,
                                  ulna_outcome* outcome) {
  Call call(__func__);
  call.of(estimator, n).q("q", q).v("v", v).v("a", a).v("tau", tau);
  return call.run([&] {
    ulna_estimator& e = *estimator;
    c::read(q, e.q), c::read(v, e.v), c::read(a, e.a), c::read(tau, e.tau);
    const auto found = e.now.update(e.q, e.v, e.a, e.tau);
    if (outcome) *outcome = ulna_outcome(found);
  });
}

ulna_status ulna_estimator_predict(ulna_estimator* estimator, int n, const double* q,
                                   const double* v, const double* a, double* tau) {
  return Call(__func__).of(estimator, n).q("q", q).v("v", v).v("a", a).given("tau", tau).run([&] {
    ulna_estimator& e = *estimator;
    c::read(q, e.q), c::read(v, e.v), c::read(a, e.a);
    e.now.predict(e.q, e.v, e.a, e.tau);
    write(e.tau, tau);
  });
}

ulna_status ulna_estimator_restart_filter(ulna_estimator* estimator) {
  return Call(__func__).alive(estimator).run([&] {
    if (estimator->filter) estimator->filter->reset();
  });
}

ulna_status ulna_estimator_expect_change(ulna_estimator* estimator) {
  return Call(__func__).alive(estimator).run([&] { estimator->now.forget_changing(); });
}

int ulna_estimator_estimate_count(const ulna_estimator* estimator) {
  return is_alive(__func__, estimator) ? int(estimator->names.size()) : 0;
}
const char* ulna_estimator_estimate_name(const ulna_estimator* estimator, int i) {
  return is_alive(__func__, estimator) ? name_at(estimator->names, i) : nullptr;
}

ulna_status ulna_estimator_estimates(const ulna_estimator* estimator, int count, double* values) {
  Call call(__func__);
  return estimates_of(call, estimator, count).given("values", values).run([&] {
    write(estimator->now.z().head(count), values);
  });
}

ulna_status ulna_estimator_deviations(ulna_estimator* estimator, int count, double* deviations) {
  Call call(__func__);
  return estimates_of(call, estimator, count).given("deviations", deviations).run([&] {
    Vector all(estimator->now.z().size());
    estimator->now.deviations(all);
    write(all.head(count), deviations);
  });
}

ulna_status ulna_estimator_write_plant(const ulna_estimator* estimator, ulna_robot* robot) {
  Call call(__func__);
  if (call.alive(estimator).alive(robot).good())
    call.require(same_tree(estimator->robot_model(), robot->robot_model()), ULNA_ERROR_ARGUMENT,
                 "the estimator was made for another robot");
  return call.run([&] { estimator->now.write(estimator->now.z(), robot->plant); });
}

}  // extern "C"
