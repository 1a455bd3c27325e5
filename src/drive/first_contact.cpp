#include "ulna/drive/first_contact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "drive/contact_push.hpp"
#include "drive/contact_report.hpp"
#include "num/message.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/rig/reality.hpp"

namespace ulna::drive {

using Vector = Eigen::VectorXd;
using messages::message;
using messages::require;

namespace {

/// Ends the contact: nothing more can be learned, for a reason.
struct ContactEnd : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Mean and standard deviation of vectors.
class Moments {
 public:
  explicit Moments(Eigen::Index n) : mean_(Vector::Zero(n)), squares_(mean_) {}
  void add(const Vector& x) {
    ++count_;
    const Vector d = x - mean_;
    mean_ += d / count_;
    squares_ += d.cwiseProduct(x - mean_);
  }
  const Vector& mean() const { return mean_; }
  Vector deviation() const { return (squares_ / std::max(1.0, count_ - 1.0)).cwiseSqrt(); }
  double count() const { return count_; }

 private:
  Vector mean_, squares_;
  double count_ = 0.0;
};

class Contact {
 public:
  Contact(rig::Rig& rig, const ContactOptions& options, Clock& clock)
      : rig_(rig),
        options_(options),
        clock_(clock),
        period_(1.0 / options.rate_hz),
        n_(rig.model().nv()),
        effort_(rig::nominal_efforts(rig.model())),
        reading_(rig.model()),
        data_(n_) {}

  ContactReport run() {
    ContactReport report;
    report.wiring = rig::Wiring(int(n_));
    report.joints.resize(std::size_t(n_));
    try {
      require_hold();
      look();
      measure_hold();
      if (data_.has_torques && !base_holds()) tap();
      for (Eigen::Index i = 0; i < n_; ++i) push(i);
      finish_delay();
      announce(1.0, "comparing with the model");
      judge_contact(rig_.model(), data_, options_, report);
      if (report.misfit < 1.0) drift(report);
      report.complete = true;
    } catch (const ContactEnd& e) {
      report.ended = e.what();
    } catch (...) {
      (void)rig_.hold();
      throw;
    }
    (void)rig_.hold();
    report.period = data_.period, report.period_jitter = data_.period_jitter;
    report.reading_age = data_.reading_age, report.delay = data_.delay;
    return report;
  }

 private:
  // --- moving ---

  void require_hold() {
    const double end = clock_.now() + 1.0;
    while (!rig_.read(reading_) || !reading_.q.allFinite()) {
      if (clock_.now() > end) throw ContactEnd("there is no reading");
      clock_.sleep_until(clock_.now() + period_);
    }
    if (!rig_.hold())
      throw ContactEnd(
          "the robot does not hold itself by its own means, which it must be able to do");
    next_ = clock_.now();
  }

  /// Sleeps for a period and reads. Whether the reading is new.
  bool tick() {
    if (options_.go_on && !options_.go_on()) throw ContactEnd("interrupted");
    next_ = std::max(next_ + period_, clock_.now());
    clock_.sleep_until(next_);
    const bool fresh =
        rig_.read(reading_) && reading_.fresh && reading_.q.allFinite() && reading_.v.allFinite();
    silent_ = fresh ? 0 : silent_ + 1;
    if (double(silent_) * period_ > 0.2) throw ContactEnd("the robot is gone: no finite readings");
    return fresh;
  }

  /// A period of torques. False: enough, as the robot moves too fast or is too far from q0, or
  /// nothing was read for long.
  bool exert(rig::Rig& rig, const Vector& tau, const Vector& q0) {
    constexpr double blind = 0.005;  // s
    if (!rig.write(tau)) throw ContactEnd("the robot takes no torques");
    is_fresh_ = tick();
    within_ = (reading_.v - v_rest_).lpNorm<Eigen::Infinity>() <= unit_ * options_.largest_speed &&
              (reading_.q - q0).lpNorm<Eigen::Infinity>() <= unit_ * options_.largest_move;
    return within_ && double(silent_) * period_ < std::max(blind, 2.5 * period_);
  }

  void rest(double seconds) {
    (void)rig_.hold();
    for (double t = 0.0; t < seconds; t += period_) (void)tick();
    // also where a number is not finite
    if (looked_ &&
        !((reading_.q - data_.q).lpNorm<Eigen::Infinity>() <= 8.0 * options_.largest_move * unit_))
      throw ContactEnd(
          "pushes have moved the robot too far: the torques that were measured, or the model's, do "
          "not hold it");
  }

  /// Torques of before stay in force until the robot holds itself: pushes last so much longer.
  void measure_hold() {
    constexpr double most = 0.03;  // s
    // a machine that does other things as well may be late now and then
    for (int tries = 0; tries < 3; ++tries) {
      const Vector q0 = reading_.q;
      for (int k = 0; k < 3 && exert(rig_, data_.base, q0); ++k) {
      }
      (void)rig_.hold();
      const double from = clock_.now();
      while (!rig_.holds() && clock_.now() - from <= most + 2.0 * period_) (void)tick();
      const bool soon = rig_.holds();
      rest(settle);
      if (soon) return;
    }
    throw ContactEnd(
        message("the robot does not say within ", 1e3 * most,
                " ms that it holds itself: what it was pushed with stays for too long"));
  }

  void announce(double share, std::string_view what) {
    if (options_.progress) options_.progress(share, what);
  }

  // --- the robot as it rests ---

  void look() {
    announce(0.0, "looking");
    rest(0.1);
    Moments q(n_), v(n_), tau(n_), step(1), age(1);
    double before = -1.0;
    for (double t = 0.0; t < options_.look; t += period_) {
      if (!tick()) continue;
      q.add(reading_.q), v.add(reading_.v), tau.add(reading_.tau);
      age.add(Vector::Constant(1, rig_.now() - reading_.time));
      if (before >= 0.0) step.add(Vector::Constant(1, reading_.time - before));
      before = reading_.time;
    }
    if (q.count() < 20.0) throw ContactEnd("there are hardly any readings");
    data_.q = q.mean(), data_.tau = tau.mean();
    data_.position_noise = q.deviation(), data_.velocity_noise = v.deviation();
    data_.torque_noise = tau.deviation();
    data_.period = step.mean()(0), data_.period_jitter = step.deviation()(0);
    data_.reading_age = age.mean()(0);
    data_.has_torques = options_.sensors != link::TorqueSensors::none && tau.mean().allFinite() &&
                        tau.mean().squaredNorm() + tau.deviation().squaredNorm() > 0.0;
    v_rest_ = v.mean(), looked_ = true;
    if (are_degrees()) unit_ = 180.0 / std::numbers::pi;
    // where nothing measures torques, the model has to do
    data_.base = data_.tau;
    if (data_.has_torques) return;
    Motion<double> at(rig_.model());
    Workspace<double> ws(rig_.model());
    at.set(data_.q);
    gravity_torque<double>(Plant<double>(rig_.model()), at, ws, data_.base);
  }

  /// Whether positions make sense in degrees only: limits of motion and speed are then meant so.
  bool are_degrees() const {
    constexpr double degree = std::numbers::pi / 180.0, tolerated = 0.2;
    const auto inside = [&](const Vector& q) {
      const Model& model = rig_.model();
      return ((q - model.lower_limit()).array() > -tolerated).all() &&
             ((model.upper_limit() - q).array() > -tolerated).all() &&
             q.lpNorm<Eigen::Infinity>() < 4.0 * std::numbers::pi;
    };
    return !inside(data_.q) && inside(degree * data_.q);
  }

  /// Whether commanding the torques that were measured, for a moment, leaves the robot where it is.
  bool base_holds() {
    constexpr double seconds = 0.02;
    const Vector q0 = reading_.q;
    bool inside = true;
    for (double t = 0.0; t < seconds && inside; t += period_) inside = exert(rig_, data_.base, q0);
    const bool moved = !inside || ((reading_.v - v_rest_).array().abs() >
                                   8.0 * data_.velocity_noise.array() + 0.02 * unit_)
                                      .any();
    rest(settle);
    return !moved;
  }

  /// A touch of torque on each number, so short that hardly anything moves: which sensors show it, and in which direction. What
  /// was measured while the robot held itself is then commanded where it belongs.
  void tap() {
    for (Eigen::Index i = 0; i < n_; ++i) {
      announce(0.0, message("touching joint ", i + 1));
      const double p = 0.03 * effort_(i);
      for (const double seconds : {0.006, 0.015}) {
        Vector seen = tap_once(i, p, seconds);
        seen -= tap_once(i, -p, seconds);
        // its own sensor, or else the one that shows as much as was commanded
        const auto shows = [&](Eigen::Index j) {
          const double share = 0.5 * std::abs(seen(j)) / p;
          return share > 0.5 && share < 1.3;
        };
        Eigen::Index j = i;
        for (Eigen::Index k = 0; k < n_ && !shows(i); ++k)
          if (shows(k) && (!shows(j) || std::abs(std::abs(seen(k)) - 2.0 * p) <
                                            std::abs(std::abs(seen(j)) - 2.0 * p)))
            j = k;
        if (!shows(j)) continue;
        data_.base(i) = seen(j) > 0.0 ? data_.tau(j) : -data_.tau(j);
        break;
      }
    }
  }
  /// Mean of what sensors measured in the later part of a touch.
  Vector tap_once(Eigen::Index i, double p, double seconds) {
    const auto most = Eigen::Index(std::ceil(seconds / period_));
    Eigen::MatrixXd seen(n_, most);
    Eigen::Index count = 0;
    Vector tau = data_.base;
    tau(i) += p;
    const Vector q0 = reading_.q;
    for (Eigen::Index k = 0; k < most; ++k) {
      const bool inside = exert(rig_, tau, q0);
      if (is_fresh_) seen.col(count++) = reading_.tau;
      if (!inside) break;
    }
    rest(settle);
    if (count == 0) return Vector::Zero(n_);
    return seen.middleCols(0, count).rightCols((2 * count + 4) / 5).rowwise().mean();
  }

  // --- pushes ---

  /// Torque p on number i for a moment, on top of what holds the robot; then it holds itself.
  Push push_once(Eigen::Index i, double p) {
    const auto most = Eigen::Index(std::ceil(options_.pulse / period_)) + 1;
    Push push(n_, most);
    const Vector q0 = reading_.q;
    Vector tau = data_.base;
    tau(i) += p;
    const double from = rig_.now(), end = clock_.now() + double(most) * period_;
    // a period that came late is not added at the end
    for (Eigen::Index k = 0; k < most && clock_.now() < end; ++k) {
      const bool inside = exert(rig_, tau, q0);
      if (is_fresh_) push.add(reading_.time - from, reading_.q, reading_.v, reading_.tau);
      push.ended = !within_;
      if (!inside) break;
    }
    rest(settle);
    return push;
  }
  /// There and back.
  Push push_both(Eigen::Index i, double p) {
    const Push there = push_once(i, p);
    return difference(there, push_once(i, -p), data_.velocity_noise, period_);
  }

  /// A push of some torque.
  struct Trial {
    double torque;
    Push push;
  };

  /// Looks for two torques that move number i clearly, and not so fast that there are too few readings before the limit of speed.
  /// They grow until they are clear of friction, as long as speed allows.
  void push(Eigen::Index i) {
    announce(double(i) / double(n_), message("pushing joint ", i + 1));
    const double cap = options_.torque_share * effort_(i), light = light_inertia(i);
    double weak = 0.0, fast = infinity;  // the largest that is too weak, the least that is too fast
    const double first = std::min(cap, std::max(light, std::min(2e-3 * effort_(i), 20.0 * light)));
    double p = first;
    std::vector<Trial> good;
    for (int pushes = 0, missing = 0; pushes < most_pushes; ++pushes) {
      Push d = push_both(i, p);
      if (d.count < Push::enough && !d.ended) {
        if (++missing < 4) continue;
        throw ContactEnd(message("joint ", i + 1, " under ", p,
                                 " more than what holds it gives fewer than ", Push::enough,
                                 " readings: they are missing"));
      }
      if (d.count < Push::enough)
        fast = p;
      else if (!is_clear(d))
        weak = std::max(weak, p);
      else
        good.push_back({p, std::move(d)});
      if (take(i, good, false)) return;
      const double slowest = good.empty() ? weak : std::max(weak, good.back().torque);
      if (slowest >= cap || fast < 1.02 * slowest || fast < 1e-2 * first) break;
      // what is not known to be slow grows by what light joints can take
      p = fast < infinity ? 0.5 * (slowest + fast)
                          : std::min({cap, 2.0 * p, std::max(p + 150.0 * light, 1.25 * p)});
    }
    if (take(i, good, true)) return;
    if (fast < infinity)
      throw ContactEnd(message("joint ", i + 1, " under ", fast,
                               " more than what holds it gives fewer than ", Push::enough,
                               " readings below the limit of speed"));
    throw ContactEnd(message("joint ", i + 1, " did not move under ", cap,
                             " more than what holds it: it is blocked, braked, or not driven"));
  }

  bool is_clear(const Push& d) const {
    const Vector noise = data_.velocity_noise.array() + 1e-4;
    return d.v.col(d.count - 1).cwiseAbs().cwiseQuotient(noise).maxCoeff() >= 12.0;
  }

  /// What two pushes show, the second about twice as hard; false: there are none that are clear of friction, or, as the last
  /// resort, of each other.
  bool take(Eigen::Index i, const std::vector<Trial>& good, bool last_resort) {
    if (good.size() < 2) return false;
    const auto& [hard, large] = good.back();
    const auto nearest = std::ranges::min_element(
        good, {}, [&](const Trial& t) { return std::abs(t.torque - 0.5 * good.back().torque); });
    const auto& [p, small] = *nearest;
    if (p == hard) return false;
    Eigen::Index j = 0;
    const Vector noise = data_.velocity_noise.array() + 1e-4;
    (void)large.v.col(large.count - 1).cwiseAbs().cwiseQuotient(noise).maxCoeff(&j);
    const double slope = (large.acceleration(j) - small.acceleration(j)) / (hard - p);
    if (slope * large.acceleration(j) <= 0.0) return false;
    const double friction = p - small.acceleration(j) / slope;
    if (friction > 0.6 * p && !last_resort) return false;
    if (std::abs(large.acceleration(j)) < 1.2 * std::abs(small.acceleration(j))) return false;
    for (const auto& [torque, d] : {*nearest, good.back()})
      data_.pushes.push_back({int(i), torque, d.acceleration, d.velocity, d.sensed});
    if (large.onset >= 0.0) onsets_.push_back(large.onset - 0.5 * period_);
    compare_rates(large);
    const double cap = options_.torque_share * effort_(i);
    measure_breakaway(i, std::min(cap, std::max(hard, 3.0 * friction)), j);
    return true;
  }

  /// Change of position against the integral of velocity, of what moved clearly.
  void compare_rates(const Push& push) {
    const Eigen::Index m = push.count;
    for (Eigen::Index j = 0; j < n_; ++j) {
      double integral = 0.0;
      for (Eigen::Index k = 1; k < m; ++k)
        integral += 0.5 * (push.v(j, k) + push.v(j, k - 1)) * (push.time(k) - push.time(k - 1));
      const double moved = push.q(j, m - 1) - push.q(j, 0);
      if (std::abs(moved) < 10.0 * data_.position_noise(j) + 1e-6 || integral == 0.0) continue;
      if (std::abs(integral) < moved_most(j)) continue;
      moved_most(j) = std::abs(integral);
      data_.rate_ratio(j) = moved / integral;
    }
  }
  double& moved_most(Eigen::Index j) {
    moved_.resize(std::size_t(n_), 0.0);
    return moved_[std::size_t(j)];
  }

  /// A torque that grows until number i moves, there and back.
  void measure_breakaway(Eigen::Index i, double most, Eigen::Index j) {
    constexpr double seconds = 0.2;
    const double moves = std::max(8.0 * data_.velocity_noise(j), 5e-3);
    double sum = 0.0;
    for (const double sign : {1.0, -1.0}) {
      const Vector q0 = reading_.q;
      Vector tau = data_.base;
      double torque = 0.0;
      for (double t = 0.0; t < seconds; t += period_) {
        torque = most * t / seconds;
        tau(i) = data_.base(i) + sign * torque;
        if (!exert(rig_, tau, q0)) break;
        if (is_fresh_ && std::abs(reading_.v(j) - v_rest_(j)) > moves) break;
      }
      sum += torque;
      rest(settle);
    }
    data_.breakaway(i) = 0.5 * sum;
  }

  /// Of joint i of the model while the others are free: a push is chosen by it, and grown if it is another.
  double light_inertia(Eigen::Index i) {
    if (light_.size() == 0) {
      Kinematics<double> at(rig_.model());
      Workspace<double> ws(rig_.model());
      Eigen::MatrixXd M(n_, n_);
      at.set(data_.q);
      mass_matrix<double>(Plant<double>(rig_.model()), at, ws, M);
      light_ = M.inverse().diagonal().cwiseInverse();
    }
    return std::abs(light_(i));
  }

  void finish_delay() {
    std::ranges::sort(onsets_);
    if (!onsets_.empty()) data_.delay = std::max(0.0, onsets_[onsets_.size() / 2]);
  }

  // --- what follows ---

  /// Lets the model's gravity torques alone hold the robot for a moment.
  void drift(ContactReport& report) {
    announce(1.0, "holding by the model");
    rig::WiredRig righted(rig_, report.wiring);
    rig::Reading reading(rig_.model());
    (void)righted.read(reading);
    const Vector q0 = reading.q, raw = reading_.q;
    Vector tau(n_);
    for (const JointContact& joint : report.joints)
      tau(&joint - report.joints.data()) = joint.gravity;
    for (double t = 0.0; t < 0.2; t += period_) {
      const bool inside = exert(righted, tau, raw);
      (void)righted.read(reading);
      if (is_fresh_)
        report.drift = std::max(report.drift, (reading.q - q0).lpNorm<Eigen::Infinity>());
      if (!inside) break;
    }
    rest(settle);
  }

  static constexpr int most_pushes = 60;  ///< of a number, there and back
  static constexpr double settle = 0.15;  ///< s for which the robot holds itself between pushes

  rig::Rig& rig_;
  const ContactOptions& options_;
  Clock& clock_;
  double period_, next_ = 0.0;
  Eigen::Index n_;
  Vector effort_, v_rest_, light_;
  rig::Reading reading_;
  ContactData data_;
  std::vector<double> onsets_, moved_;
  long silent_ = 0;
  bool looked_ = false, is_fresh_ = false;
  bool within_ = true;  ///< the limits of speed and way, of the last reading
  double unit_ = 1.0;   ///< of positions as read, per rad
};

}  // namespace

ContactReport first_contact(rig::Rig& rig, const ContactOptions& options, Clock& clock) {
  require(rig.model().nq() == rig.model().nv(), "robot '", rig.model().name(),
          "' has joints of several coordinates, which the first contact does not know");
  require(options.rate_hz >= 100.0 && options.rate_hz <= 1e5, "contact: a rate of ",
          options.rate_hz, " Hz is not from 100 to 100000");
  require(options.look > 0.0 && options.pulse >= 8.0 / options.rate_hz &&
              options.torque_share > 0.0 && options.torque_share <= 1.0 &&
              options.largest_speed > 0.0 && options.largest_move > 0.0,
          "contact: a push needs at least 8 periods, and all limits must be above 0");
  return Contact(rig, options, clock).run();
}

}  // namespace ulna::drive
