#include "ulna/drive/first_contact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "drive/contact_search.hpp"
#include "num/message.hpp"

namespace ulna::drive {

using Vector = Eigen::VectorXd;
using messages::message;
using messages::require;

bool ContactReport::found(std::string_view name) const {
  return std::ranges::any_of(findings, [&](const ContactFinding& f) { return f.name == name; });
}

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

/// What was read during a push, a column each.
struct Push {
  Eigen::VectorXd time;  ///< since the torque was first sent, s
  Eigen::MatrixXd q, v, tau;
  Eigen::Index count = 0;
  Vector acceleration, velocity,
      sensed;           ///< of each number, means; and the change of measured torques
  double onset = -1.0;  ///< s after which it was seen; negative: it was not
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
      if (data_.has_torques && !base_holds()) tap();
      for (Eigen::Index i = 0; i < n_; ++i) push(i);
      finish_delay();
      compare(report);
      if (report.misfit < 1.0) drift(report);
      report.complete = true;
    } catch (const ContactEnd& e) {
      report.ended = e.what();
    } catch (...) {
      (void)rig_.hold();
      throw;
    }
    (void)rig_.hold();
    describe(report);
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
  bool exert(rig::Rig& rig, const Vector& tau, const Vector& q0, bool at_any_speed = false) {
    constexpr double blind = 0.005;  // s
    if (!rig.write(tau)) throw ContactEnd("the robot takes no torques");
    is_fresh_ = tick();
    return double(silent_) * period_ < std::max(blind, 2.5 * period_) &&
           (at_any_speed ||
            (reading_.v - v_rest_).lpNorm<Eigen::Infinity>() <= unit_ * options_.largest_speed) &&
           (reading_.q - q0).lpNorm<Eigen::Infinity>() <= unit_ * options_.largest_move;
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
  Vector tap_once(Eigen::Index i, double p, double seconds) {
    Vector tau = data_.base, seen = Vector::Zero(n_);
    tau(i) += p;
    const Vector q0 = reading_.q;
    double count = 0.0;
    for (double t = 0.0; t < seconds; t += period_) {
      const bool inside = exert(rig_, tau, q0, true);
      if (is_fresh_ && t >= 0.6 * seconds) seen += reading_.tau, count += 1.0;
      if (!inside) break;
    }
    rest(settle);
    return seen / std::max(1.0, count);
  }

  // --- pushes ---

  /// Torque p on number i for a moment, on top of what holds the robot; then it holds itself.
  Push push_once(Eigen::Index i, double p) {
    const auto most = Eigen::Index(std::ceil(options_.pulse / period_)) + 1;
    Push push;
    push.time.resize(most);
    for (Eigen::MatrixXd* x : {&push.q, &push.v, &push.tau}) x->resize(n_, most);
    const Vector q0 = reading_.q;
    Vector tau = data_.base;
    tau(i) += p;
    const double from = rig_.now(), end = clock_.now() + double(most) * period_;
    // a period that came late is not added at the end
    for (Eigen::Index k = 0; k < most && clock_.now() < end; ++k) {
      // a light joint is faster than the limit before there are enough readings
      const bool inside = exert(rig_, tau, q0, push.count + 1 < enough);
      if (!is_fresh_ && inside) continue;
      if (!is_fresh_) break;
      push.time(push.count) = reading_.time - from;
      push.q.col(push.count) = reading_.q, push.v.col(push.count) = reading_.v;
      push.tau.col(push.count) = reading_.tau;
      ++push.count;
      if (!inside) break;
    }
    rest(settle);
    return push;
  }

  /// The accelerations of a pair of pushes, there and back: half the difference, in which what was wrong with the base does
  /// not count. Begins when the torque shows.
  Push difference(const Push& there, const Push& back) {
    Push d;
    d.count = std::min(there.count, back.count);
    const Eigen::Index m = d.count;
    d.acceleration = d.velocity = d.sensed = Vector::Zero(n_);
    if (m < enough) return d;
    d.time = there.time.head(m);
    d.q = 0.5 * (there.q.leftCols(m) - back.q.leftCols(m));
    d.v = 0.5 * (there.v.leftCols(m) - back.v.leftCols(m));
    d.tau = 0.5 * (there.tau.leftCols(m) - back.tau.leftCols(m));
    Eigen::Index fastest = 0;
    (void)(d.v.col(m - 1).array().abs() / (data_.velocity_noise.array() + 1e-6)).maxCoeff(&fastest);
    // from where a straight line through the second half of the fastest velocity comes
    const Eigen::Index half = m / 2;
    const double start =
        line(d.time.tail(m - half), d.v.row(fastest).tail(m - half).transpose()).second;
    d.onset = std::clamp(start, 0.0, d.time(m - 1));
    Eigen::Index from = 0;
    while (from < m - 4 && d.time(from) < d.onset + 0.5 * period_) ++from;
    for (Eigen::Index j = 0; j < n_; ++j)
      d.acceleration(j) = line(d.time.tail(m - from), d.v.row(j).tail(m - from).transpose()).first;
    d.velocity = d.v.rightCols(m - from).rowwise().mean();
    d.sensed = d.tau.rightCols(m - from).rowwise().mean();
    return d;
  }

  /// Slope of the best line, and where it is 0.
  static std::pair<double, double> line(const Vector& x, const Vector& y) {
    const double mx = x.mean(), my = y.mean();
    const Vector dx = x.array() - mx;
    const double slope = dx.dot(y) / std::max(dx.squaredNorm(), 1e-18);
    return {slope, slope == 0.0 ? 0.0 : mx - my / slope};
  }

  void push(Eigen::Index i) {
    announce(double(i) / double(n_), message("pushing joint ", i + 1));
    const double most = 0.5 * options_.torque_share * effort_(i);
    double p = std::min(most, std::max(2e-3 * effort_(i), 1.0 * light_inertia(i)));
    for (int short_ones = 0;;) {
      const Push small = difference(push_once(i, p), push_once(i, -p));
      const Push large = difference(push_once(i, 2.0 * p), push_once(i, -2.0 * p));
      // what ended so early is not pushed harder
      if (std::min(small.count, large.count) < enough) {
        if (++short_ones < 4) continue;
        throw ContactEnd(message("joint ", i + 1, " under ", 2.0 * p,
                                 " more than what holds it gives fewer than ", enough,
                                 " readings: they are missing, or something moves too fast"));
      }
      if (take(i, p, most, small, large)) break;
      if (p < most) {
        p = std::min(most, 2.0 * p);
        continue;
      }
      throw ContactEnd(message("joint ", i + 1, " did not move under ", 2.0 * p,
                               " more than what holds it: it is blocked, braked, or not driven"));
    }
  }

  /// What two pairs of pushes, the second twice as hard, show; false: they were too weak.
  bool take(Eigen::Index i, double p, double most, const Push& small, const Push& large) {
    const Eigen::Index m = large.count;
    Eigen::Index j = 0;
    const Vector noise = data_.velocity_noise.array() + 1e-4;
    const double clear = (large.v.col(m - 1).cwiseAbs().cwiseQuotient(noise)).maxCoeff(&j);
    const double slope = (large.acceleration(j) - small.acceleration(j)) / p;
    if (clear < 12.0 || slope * large.acceleration(j) <= 0.0) return false;
    const double friction = p - small.acceleration(j) / slope;
    if (friction > 0.6 * p && p < most) return false;
    data_.pushes.push_back({int(i), p, small.acceleration, small.velocity, small.sensed});
    data_.pushes.push_back({int(i), 2.0 * p, large.acceleration, large.velocity, large.sensed});
    if (large.onset >= 0.0) onsets_.push_back(large.onset - 0.5 * period_);
    compare_rates(large);
    const double cap = options_.torque_share * effort_(i);
    measure_breakaway(i, std::min(cap, std::max(2.0 * p, 3.0 * friction)), j);
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

  void compare(ContactReport& report) {
    announce(1.0, "comparing with the model");
    ContactMisfit misfit(rig_.model(), data_);
    report.misfit_before = misfit(report.wiring);
    for (ContactMistake& m : find_mistakes(rig_.model(), misfit, report.wiring))
      report.findings.push_back({std::move(m.name), std::move(m.joints), std::move(m.text)});
    report.misfit = misfit(report.wiring);
    const rig::Wiring& w = report.wiring;
    for (Eigen::Index i = 0; i < n_; ++i) {
      JointContact& joint = report.joints[std::size_t(i)];
      const int from = w.reading[std::size_t(i)], to = w.command[std::size_t(i)];
      const double drive = std::abs(w.drive(i));
      joint.q = misfit.q(i), joint.holding = misfit.holding(i), joint.gravity = misfit.gravity(i);
      joint.position_noise = std::abs(w.position(i)) * data_.position_noise(from);
      joint.velocity_noise = std::abs(w.velocity(i)) * data_.velocity_noise(from);
      joint.torque_noise = std::abs(w.torque(i)) * data_.torque_noise(from);
      joint.friction = misfit.friction(i), joint.damping = misfit.damping(i);
      joint.breakaway = data_.breakaway(to) / drive;
      joint.response = misfit.response(i);
      joint.sensor_gain = misfit.sensor_gain(i), joint.sensor_deficit = misfit.sensor_deficit(i);
      if (data_.has_torques)
        report.gravity_error =
            std::max(report.gravity_error, std::abs(joint.holding - joint.gravity));
    }
    if (report.misfit >= 1.0)
      report.findings.push_back(
          {"unexplained",
           {},
           message("the robot does not respond as the model predicts (misfit ", report.misfit,
                   ", below 1 it fits), and no single mistake explains it: check the model's "
                   "masses, and "
                   "whether something touches the robot")});
    find_torque_side(report);
    find_gravity(report);
    if (data_.delay > options_.delay_limit)
      report.findings.push_back({"delay",
                                 {},
                                 message("torques act, or readings show it, ", 1e3 * data_.delay,
                                         " ms late beyond sampling")});
  }

  /// Sensors behind the gear do not see friction.
  void find_torque_side(ContactReport& report) {
    report.sensors = data_.has_torques ? options_.sensors : link::TorqueSensors::none;
    if (!data_.has_torques) return;
    double weight = 0.0, unseen = 0.0;
    for (const JointContact& joint : report.joints) {
      const double effort = effort_(&joint - report.joints.data()), f = joint.friction / effort;
      weight += f * f, unseen += f * joint.sensor_deficit / effort;
    }
    // friction below a thousandth of the effort is too little to see the side
    if (weight < 1e-6 * double(n_)) return;
    report.sensors =
        unseen > 0.5 * weight ? link::TorqueSensors::link_side : link::TorqueSensors::motor_side;
    if (report.sensors == options_.sensors) return;
    report.findings.push_back(
        {"torque-side",
         {},
         message("torques are measured on the ", to_string(report.sensors), " side, not on the ",
                 to_string(options_.sensors), " side: ",
                 report.sensors == link::TorqueSensors::link_side ? "sensors do not see friction"
                                                                  : "sensors see friction")});
  }

  void find_gravity(ContactReport& report) {
    for (const JointContact& joint : report.joints) {
      const double tolerated =
          0.1 * std::abs(joint.gravity) + joint.friction + 0.02 * effort_.maxCoeff();
      if (!data_.has_torques || std::abs(joint.holding - joint.gravity) <= tolerated) continue;
      report.findings.push_back({"gravity",
                                 {int(&joint - report.joints.data())},
                                 message("the model holds the arm with ", joint.gravity, " where ",
                                         joint.holding, " was measured")});
    }
  }

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

  void describe(ContactReport& report) {
    report.period = data_.period, report.period_jitter = data_.period_jitter;
    report.reading_age = data_.reading_age, report.delay = data_.delay;
  }

  static constexpr Eigen::Index enough = 5;  ///< readings of a push that can be used
  static constexpr double settle = 0.15;     ///< s for which the robot holds itself between pushes

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
  double unit_ = 1.0;  ///< of positions as read, per rad
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
