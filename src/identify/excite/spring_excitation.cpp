#include "ulna/identify/excite/spring_excitation.hpp"

#include <algorithm>
#include <numbers>

#include "identify/excite/excite_solver.hpp"
#include "identify/messages.hpp"
#include "ulna/dynamics/spring_force.hpp"

namespace ulna::identify {
namespace {

using Kind = DriveUnknown::Kind;

constexpr int sines_per_joint = 4;
constexpr double ramp = 1.0;          // s
constexpr double slowest_sine = 1.0;  // Hz: below, sines are no other than the slow motion
constexpr double widest_band = 1.6;   // from the slowest to the fastest sine of a joint
constexpr double rate_hz = 1000.0;    // of the log that is expected
constexpr double samples_hz = 100.0;  // torques are as good as below so many times a second
constexpr double motor_accuracy = 0.01, spring_accuracy = 0.002;  // of efforts
constexpr double encoder_accuracy = 1e-5;                         // rad
constexpr double margin = 0.99;  // left between times at which limits are looked at

/// Where the slowest sine of a joint is, relative to the frequency of its link: well below it a link follows its motor, and its spring
/// hardly shows; above it, sines are small, as motors' inertias need the torque.
constexpr std::array bands{0.2, 0.3, 0.45, 0.7, 1.0};

/// Looks for sines that show springs, on a slow motion that is given.
class Search {
 public:
  Search(const TorqueModel& model, const ExcitingMotion& slow,
         const SpringExcitationOptions& options)
      : model_(model),
        options_(options),
        plant_(model.model()),
        limits_(excitation_limits(model.model(), options.share)),
        base_(drive_base_parameters(model)),
        found_{{slow, {slow.duration(), std::min(ramp, 0.25 * slow.duration())}}} {
    const Vector t = Vector::LinSpaced(50, 0.0, slow.duration());
    inertia_ = mean_inertias(plant_, slow.at(t, 0));
    found_.link_hz = link_frequencies(plant_, slow.at(t, 0));
    rotor_ = Vector::Zero(joints());
    for (const int c : robot().drives().elastic) rotor_(c) = ulna::detail::rotor_inertia(plant_, c);
    const DrivenSamples alone = drive_along(plant_, found_.motion, even_times(100.0));
    effort_ = limits_.effort;
    for (int i = 0; i < joints(); ++i)
      if (!std::isfinite(effort_(i))) effort_(i) = alone.tau.row(i).cwiseAbs().maxCoeff();
    if (const std::string what = what_is_beyond(alone); !what.empty())
      throw std::runtime_error(message("robot '", robot().name(), "': ", what,
                                       " already without sines that show springs; keep more of "
                                       "the limits free for them (ExciteOptions::reserve)"));
  }

  SpringExcitation run() {
    std::vector<std::size_t> band(std::size_t(joints()), 0);
    Vector best = Vector::Constant(joints(), infinity);
    for (std::size_t b = 0; b < bands.size(); ++b) {
      set_sines(std::vector(band.size(), b));
      const Vector deviation = expected();
      for (std::size_t k = 0; k < model_.drives().size(); ++k) {
        const DriveUnknown& u = model_.drives()[k];
        if (u.kind == Kind::stiffness && deviation(Index(k)) < best(u.at))
          best(u.at) = deviation(Index(k)), band[std::size_t(u.at)] = b;
      }
    }
    set_sines(band);
    found_.deviation = expected();
    report_use();
    return std::move(found_);
  }

 private:
  const Model& robot() const { return model_.model(); }
  int joints() const { return robot().nv(); }
  Vector even_times(double hz) const {
    return found_.motion.slow.times(std::min(hz, 1e5 / found_.motion.duration()));
  }

  /// Each joint's sines within its band, of sizes that take equal torques, and all together within the limits.
  void set_sines(const std::vector<std::size_t>& band) {
    FastSines& fast = found_.motion.fast;
    fast.size = fast.hz = fast.phase = Matrix::Zero(joints(), sines_per_joint);
    std::mt19937_64 random(options_.seed);
    double fastest = 0.0;
    for (const int c : robot().drives().elastic) {
      const double from = std::clamp(bands[band[std::size_t(c)]] * found_.link_hz(c), slowest_sine,
                                     std::max(slowest_sine, options_.fastest_hz / widest_band));
      const double to = std::min(widest_band * from, options_.fastest_hz);
      for (int k = 0; k < sines_per_joint; ++k) {
        const double hz = from + (to - from) * (k + uniform(random, 0.1, 0.9)) / sines_per_joint;
        fast.hz(c, k) = hz;
        fast.phase(c, k) = uniform(random, -std::numbers::pi, std::numbers::pi);
        fast.size(c, k) = options_.fast_share * effort_(c) / (sines_per_joint * torque_of(c, hz));
        fastest = std::max(fastest, hz);
      }
    }
    found_.filter_hz = std::ceil(1.75 * fastest);
    scale_down();
  }

  /// The larger one of the torques that a spring and its motor need for a sine of size 1, other joints being at rest.
  double torque_of(int c, double hz) const {
    const double w2 = std::pow(2.0 * std::numbers::pi * hz, 2),
                 follows = 1.0 - std::pow(hz / found_.link_hz(c), 2);
    return w2 * std::max(inertia_(c), std::abs(inertia_(c) + rotor_(c) * follows));
  }

  void scale_down() {
    const Vector t = even_times(20.0 * options_.fastest_hz);
    const Matrix whole = found_.motion.fast.size;
    const auto fits = [&](double share) {
      found_.motion.fast.size = share * whole;
      return what_is_beyond(drive_along(plant_, found_.motion, t)).empty();
    };
    double low = 0.0, high = 1.0;
    if (fits(1.0)) return;
    for (int k = 0; k < 7; ++k) {
      const double middle = 0.5 * (low + high);
      (fits(middle) ? low : high) = middle;
    }
    found_.motion.fast.size = low * whole;
  }

  /// The first limit that is not kept, in words; empty if all are.
  std::string what_is_beyond(const DrivenSamples& s) const {
    const std::vector<std::string> names = robot().velocity_names();
    for (int i = 0; i < joints(); ++i) {
      const auto most = [&](const Matrix& x) { return x.row(i).cwiseAbs().maxCoeff(); };
      const auto beyond = [&](const char* what) {
        return message("the ", what, " of joint '", names[std::size_t(i)], "' is beyond its limit");
      };
      if (!(s.q.row(i).minCoeff() >= limits_.lower(i) && s.q.row(i).maxCoeff() <= limits_.upper(i)))
        return beyond("position");
      if (!(std::max(most(s.v), most(s.omega)) <= margin * limits_.velocity(i)))
        return beyond("velocity");
      if (!(most(s.tau) <= margin * limits_.effort(i))) return beyond("motor's torque");
      if (!(most(s.spring) <= margin * limits_.effort(i))) return beyond("spring's torque");
    }
    return {};
  }

  /// Relative deviations of the drives' numbers from a log of the motion.
  Vector expected() const {
    const DrivenSamples s = drive_along(plant_, found_.motion, even_times(rate_hz));
    DriveData data;
    data.sensors = options_.sensors, data.by_motors = !options_.sensors.link_encoders;
    const bool links = options_.sensors.link_encoders;
    data.q = links ? s.q : s.theta, data.v = links ? s.v : s.omega;
    data.a = links ? s.a : s.alpha;
    data.theta = s.theta, data.omega = s.omega, data.alpha = s.alpha;
    data.tau = own_ratios(robot().drives()).asDiagonal() * s.motor;
    if (options_.sensors.torque_sensors) data.link_tau = s.spring;
    data.direction = data.v.cwiseSign();
    data.breaks = {0};
    data.rate_hz = 1.0 / (s.t(1) - s.t(0)), data.filter_hz = found_.filter_hz;
    data.filter_order = PrepareOptions().filter_order;
    use_samples(data);
    const double count = double(data.size()) / (samples_hz * found_.motion.duration());
    const Vector deviation = expected_deviations(model_, base_, data, std::sqrt(count) * noise());
    const Vector z = model_.nominal();
    Vector relative(Index(model_.drives().size()));
    for (Index k = 0; k < relative.size(); ++k)
      relative(k) = deviation(model_.drive_at(int(k))) / std::abs(z(model_.drive_at(int(k))));
    return relative;
  }

  /// In the order of expected_deviations.
  Vector noise() const {
    std::vector<double> all;
    for (int m = 0; m < joints(); ++m) all.push_back(motor_accuracy * effort_(m));
    if (options_.sensors.torque_sensors)
      for (const int c : robot().drives().elastic) all.push_back(spring_accuracy * effort_(c));
    if (options_.sensors.link_encoders)
      all.insert(all.end(), robot().drives().elastic.size(), encoder_accuracy);
    return Eigen::Map<const Vector>(all.data(), Index(all.size()));
  }

  void report_use() {
    const DrivenSamples s = drive_along(plant_, found_.motion, even_times(rate_hz));
    const auto share = [&](const Matrix& x, const Vector& limit) -> Vector {
      return options_.share * x.cwiseAbs().rowwise().maxCoeff().cwiseQuotient(limit);
    };
    found_.motor_use = share(s.tau, limits_.effort);
    found_.spring_use = share(s.spring, limits_.effort);
    found_.velocity_use = share(s.v, limits_.velocity).cwiseMax(share(s.omega, limits_.velocity));
  }

  const TorqueModel& model_;
  const SpringExcitationOptions& options_;
  Plant<double> plant_;
  ExcitationLimits limits_;
  BaseParameters base_;
  Vector inertia_, rotor_, effort_;
  SpringExcitation found_;
};

}  // namespace

Rates FastSines::at(int joint, double t) const {
  const Rates grown = scaled_rates(smooth_step(t / ramp), 1.0 / ramp),
              left = scaled_rates(smooth_step((duration - t) / ramp), -1.0 / ramp),
              window = product_rates(grown, left);
  Rates sum{};
  for (Index k = 0; k < size.cols(); ++k) {
    if (size(joint, k) == 0.0) continue;
    const double w = 2.0 * std::numbers::pi * hz(joint, k);
    const Rates sine = product_rates(window, sine_rates(w * t + phase(joint, k), w));
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += size(joint, k) * sine[d];
  }
  return sum;
}

std::array<Matrix, 5> ElasticMotion::at(const Vector& t) const {
  std::array<Matrix, 5> all;
  for (int d = 0; d < 5; ++d) all[std::size_t(d)] = slow.at(t, d);
  if (fast.size.size() == 0) return all;
  for (Index s = 0; s < t.size(); ++s)
    for (int i = 0; i < joints(); ++i) {
      const Rates rates = fast.at(i, t(s));
      for (std::size_t d = 0; d < all.size(); ++d) all[d](i, s) += rates[d];
    }
  return all;
}

DrivenSamples drive_along(const Plant<double>& plant, const ElasticMotion& motion,
                          const Vector& t) {
  const Model& model = plant.model();
  const std::array<Matrix, 5> x = motion.at(t);
  DrivenSamples all{t, x[0], x[1], x[2]};
  for (Matrix* y : {&all.theta, &all.omega, &all.alpha, &all.motor, &all.tau, &all.spring})
    *y = Matrix::Zero(model.nv(), t.size());
  DriveMotion<double> at(model);
  DriveWorkspace<double> ws(model);
  DriveTorques<double> out(model);
  for (Index s = 0; s < t.size(); ++s) {
    at.set(x[0].col(s), x[1].col(s), x[2].col(s), x[3].col(s), x[4].col(s));
    drive_inverse_dynamics<double>(plant, at, ws, out);
    all.theta.col(s) = out.theta, all.omega.col(s) = out.omega, all.alpha.col(s) = out.alpha;
    all.motor.col(s) = out.motor, all.spring.col(s) = out.link;
    for (const auto& [motor, c, ratio] : model.drives().gears)
      all.tau(c, s) += ratio * out.motor(motor);
  }
  return all;
}

SpringExcitation excite_springs(const TorqueModel& model, const ExcitingMotion& slow,
                                const SpringExcitationOptions& options) {
  const Model& robot = model.model();
  require(!robot.drives().elastic.empty(), "robot '", robot.name(), "' has no springs to be shown");
  require(slow.basis.rest() == 4 && slow.joints() == robot.nv(),
          "sines that show springs are added to a motion of all joints with MotionBasis::rest 4");
  require(options.fast_share > 0.0 && options.fast_share < 1.0 && options.fastest_hz > slowest_sine,
          "sines that show springs take a share of the efforts above 0 and below 1, and are faster "
          "than ",
          slowest_sine, " Hz");
  return Search(model, slow, options).run();
}

}  // namespace ulna::identify
