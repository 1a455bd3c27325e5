#include "ulna/drive/run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "drive/signals.hpp"
#include "drive/watchdog.hpp"
#include "num/message.hpp"

namespace ulna::drive {

using Vector = Eigen::VectorXd;
using messages::message;
using supervise::State;

const char* to_string(End end) {
  return std::array{"finished",
                    "interrupted",
                    "robot gone",
                    "torques refused",
                    "controller failed",
                    "stopped by the supervisor",
                    "hung"}[std::size_t(end)];
}

std::vector<std::string> record_names(const Model& model) {
  std::vector<std::string> names{"t", "step"};
  for (const char* quantity : {"q_", "qd_", "tau_", "sent_"})
    for (const std::string& joint : model.velocity_names()) names.push_back(quantity + joint);
  names.insert(names.end(), {"state", "late_us"});
  return names;
}

namespace {

void check_options(const Options& o) {
  using messages::require;
  require(o.rate_hz >= 1.0 && o.rate_hz <= 1e5, "drive: a rate of ", o.rate_hz,
          " Hz is not from 1 to 100000");
  require(o.duration > 0.0, "drive: the duration must be above 0");
  require(o.late_share > 0.0 && o.late_share <= 1.0, "drive: late_share must be above 0, up to 1");
  for (const double seconds :
       {o.gone_after, o.refused_for, o.stopped_for, o.stop_within, o.watchdog})
    require(seconds > 0.0, "drive: all times of the options must be above 0");
}

/// One run: its periods, and how it ends.
class Loop {
 public:
  Loop(rig::Rig& rig, Controller& controller, supervise::Supervisor& supervisor,
       const Options& options, Clock& clock)
      : rig_(rig),
        controller_(controller),
        supervisor_(supervisor),
        options_(options),
        clock_(clock),
        period_(1.0 / options.rate_hz),
        reading_(rig.model()),
        wanted_(Vector::Zero(rig.model().nv())),
        sent_(wanted_),
        row_(2 + 4 * std::size_t(wanted_.size()) + 2) {}

  Summary run() {
    try {
      drive();
    } catch (...) {
      (void)rig_.hold();
      throw;
    }
    return std::move(summary_);
  }

 private:
  void drive() {
    begin_ = clock_.now();
    if (!wait_for_robot()) return finish(End::robot_gone, "there was no new reading");
    controller_.begin(rig_.now(), reading_);
    std::optional<Realtime> realtime;
    std::optional<Signals> signals;
    std::optional<Watchdog> watchdog;
    if (clock_.is_real()) {
      if (options_.signals) signals.emplace();
      watchdog.emplace(options_.watchdog, options_.realtime.priority, options_.hangs);
      realtime.emplace(options_.realtime);
      summary_.realtime = realtime->report();
    }
    // a controller may take long to begin, in which a link ends its session
    if (!wait_for_robot()) {
      (void)rig_.hold();
      return finish(End::robot_gone, "there was no new reading after the controller began");
    }
    watchdog_ = watchdog ? &*watchdog : nullptr;
    if (watchdog_) watchdog_->beat();
    begin_ = clock_.now();
    fresh_at_ = begin_, time_ = rig_.now() - period_;
    while (step()) {
    }
    stop();
  }

  /// Whether there is a new reading; a link that was silent for long may have to begin a session first.
  bool wait_for_robot() {
    constexpr double patience = 2.0;  // s
    const double end = clock_.now() + std::max(options_.gone_after, patience);
    while (!rig_.read(reading_) || !reading_.fresh || !reading_.q.allFinite()) {
      if (clock_.now() > end) return false;
      clock_.sleep_until(clock_.now() + period_);
    }
    return true;
  }

  /// Sleeps until the next step is due; counts what is late. Periods that are over are left out.
  void wait() {
    const double due = begin_ + double(number_) * period_ + phase_;
    clock_.sleep_until(due);
    const double now = clock_.now();
    const double over = std::max(0.0, std::floor((now - due) / period_ + 1e-9));
    summary_.skipped += long(over);
    number_ += long(over);
    time_ += (1.0 + over) * period_;
    summary_.jitter.add(1e6 * (now - due));
    is_late_ = now - due > options_.late_share * period_;
    summary_.late += is_late_;
    late_us_ = 1e6 * (now - due);
    ++number_;
    ++summary_.steps;
    began_ = now;
    if (watchdog_) watchdog_->beat();
  }

  /// Whether there is a reading that is not too old.
  bool read() {
    const bool any = rig_.read(reading_);
    if (!any) reading_.fresh = false;
    if (any && reading_.fresh) {
      fresh_at_ = began_;
      const double age = rig_.now() - reading_.time;
      summary_.reading_age.add(1e6 * std::max(0.0, age));
      tell_time(age / period_);
      if (clock_.is_real()) follow_phase(age / period_);
    } else {
      ++summary_.not_fresh;
    }
    return began_ - fresh_at_ <= options_.gone_after;
  }

  /// The time of a step for the controller is that of its reading, and whole periods where that is older: what is measured at even times
  /// comes at even times, wherever in a period the loop looks.
  void tell_time(double age) {
    constexpr double slack = 0.2;  // periods
    if (!(age >= periods_old_ - slack && age <= periods_old_ + 1.0 + slack))
      periods_old_ = std::max(0.0, std::floor(age + 0.01));
    time_ = reading_.time + periods_old_ * period_;
    // a clock that was set
    if (const double now = rig_.now(); !(std::abs(now - time_) <= 2.0 * period_)) time_ = now;
  }

  /// Moves the loop's periods by and by to where readings are half a period old: as far as can be from where one is missed, or torques
  /// come too late for the robot's next period. So it keeps up with the robot's clock, too.
  void follow_phase(double age) {
    constexpr double target = 0.5, gain = 0.02, most = 0.005;  // periods, and shares of one a step
    // readings that are never so old: a robot of a higher rate
    if (std::abs(sought_) > 1.0) return;
    // a robot that is late for a while, by whole periods too, is not run after
    const double error = age - std::floor(age) - target;
    const double step = std::clamp(gain * error, -most, most);
    phase_ -= step * period_;
    sought_ = std::abs(error) < 0.1 ? 0.0 : sought_ + step;
  }

  /// A period; false: the run is to end.
  bool step() {
    wait();
    if (!read())
      return end(End::robot_gone, message("no fresh reading for ", options_.gone_after, " s"));
    const double time = time_;
    if (!ask(time)) return false;
    if (!filter(rig_.now())) return false;
    if (!guarded([&] { controller_.sent(time, sent_, supervisor_); })) return false;
    if (!write()) return end(End::refused, "the rig took no torques");
    record();
    // a step that is late already is not made longer, but no two in a row go without
    if (is_late_ && !left_out_) {
      ++summary_.updates_left_out;
      left_out_ = true;
    } else {
      left_out_ = false;
      if (!guarded([&] { controller_.update(time, reading_, sent_); })) return false;
    }
    summary_.work.add(1e6 * (clock_.now() - began_));
    return goes_on(time);
  }

  /// What the controller wants.
  bool ask(double time) {
    if (!guarded([&] { controller_.act(time, reading_, wanted_); })) return false;
    if (wanted_.size() != sent_.size())
      return end(End::controller_failed,
                 message("it wanted ", wanted_.size(), " torques of ", sent_.size()));
    if (wanted_.allFinite()) return true;
    return end(End::controller_failed, "it wanted a torque that is not finite");
  }

  template <class F>
  bool guarded(F f) {
    try {
      f();
      return true;
    } catch (const std::exception& e) {
      return end(End::controller_failed, e.what());
    } catch (...) {
      return end(End::controller_failed, "it threw");
    }
  }

  /// False: the controller failed; sent_ is then by the rig's model.
  bool filter(double time) {
    const Plant<double>* plant = nullptr;
    const bool fine = guarded([&] { plant = controller_.plant(); });
    sent_ = plant ? supervisor_.filter(*plant, time, reading_.time, reading_.q, reading_.v,
                                       reading_.tau, wanted_)
                  : supervisor_.filter(time, reading_.time, reading_.q, reading_.v, reading_.tau,
                                       wanted_);
    ++summary_.supervised[std::size_t(supervisor_.state())];
    summary_.cut += !supervisor_.unchanged();
    return fine;
  }

  bool write() {
    if (rig_.write(sent_)) {
      taken_at_ = began_;
      return true;
    }
    ++summary_.refused;
    return summary_.steps > 1 && began_ - taken_at_ <= options_.refused_for;
  }

  void record() {
    if (!options_.recorder || !reading_.fresh) return;
    auto at = row_.begin();
    *at++ = reading_.time, *at++ = double(number_ - 1);
    for (const Vector* x : {&reading_.q, &reading_.v, &reading_.tau, &sent_})
      at = std::copy(x->begin(), x->end(), at);
    *at++ = double(supervisor_.state()), *at++ = late_us_;
    (void)options_.recorder->push(row_);
  }

  bool goes_on(double time) {
    if (watchdog_ && watchdog_->barked())
      return end(End::hung, message("no step for ", options_.watchdog, " s"));
    bool goes_on = true, done = false;
    if (!guarded([&] {
          goes_on = !options_.go_on || options_.go_on();
          done = controller_.is_done(time);
        }))
      return false;
    if (!goes_on || (clock_.is_real() && options_.signals && Signals::came()))
      return end(End::interrupted, "");
    const State state = supervisor_.state();
    stopped_ = state == State::run ? 0.0 : stopped_ + period_;
    if (state == State::fault || stopped_ > options_.stopped_for)
      return end(End::supervisor, std::string(supervisor_.report()));
    if (done || clock_.now() - begin_ >= options_.duration - 1e-9) return end(End::finished, "");
    return true;
  }

  /// The first reason is the one that counts.
  bool end(End why, std::string words) {
    if (!std::exchange(ended_, true)) finish(why, std::move(words));
    return false;
  }
  void finish(End why, std::string words) {
    summary_.end = why, summary_.why = std::move(words);
    summary_.supervisor = supervisor_.report();
    summary_.seconds = clock_.now() - begin_;
  }

  /// The supervisor brakes the robot until it rests, then it holds itself.
  void stop() {
    const double from = clock_.now();
    const bool gone = summary_.end == End::robot_gone;
    supervisor_.request_hold(true);
    if (!gone && summary_.end != End::refused) {
      while (!rests() && clock_.now() - from < options_.stop_within) {
        if (!look()) break;
        if (!write()) break;
        record();
      }
    }
    hand_over();
    supervisor_.request_hold(false);
    summary_.rests = !gone && rests();
    summary_.holds = !gone && accepted_ && rig_.holds();
    summary_.stop_seconds = clock_.now() - from;
    summary_.moved = phase_;
    if (!options_.recorder) return;
    summary_.recorded = options_.recorder->written();
    summary_.record_lost = options_.recorder->lost();
  }

  /// Leaves the robot to its own means, and looks whether it holds itself and rests.
  void hand_over() {
    constexpr double patience = 0.5;  // s
    const double end = clock_.now() + patience;
    // packets may be lost
    for (int i = 0; i < 3; ++i) accepted_ |= rig_.hold();
    while (accepted_ && !(rig_.holds() && rests()) && clock_.now() < end) {
      if (!look()) break;
      (void)rig_.hold();
    }
  }

  /// The next period's reading, and the torques that brake. False: the robot is gone.
  bool look() {
    wait();
    if (!read()) return still_ = 0, false;
    wanted_ = sent_;
    (void)filter(rig_.now());
    const bool is_slow =
        supervisor_.known() && supervisor_.v().lpNorm<Eigen::Infinity>() < slow && reading_.fresh;
    still_ = is_slow ? still_ + 1 : 0;
    return true;
  }
  bool rests() const { return still_ >= std::max(3, int(std::lround(0.02 / period_))); }

  static constexpr double slow = 0.02;  ///< rad/s or m/s

  rig::Rig& rig_;
  Controller& controller_;
  supervise::Supervisor& supervisor_;
  const Options& options_;
  Clock& clock_;
  double period_;
  rig::Reading reading_;
  Vector wanted_, sent_;
  std::vector<double> row_;
  Watchdog* watchdog_ = nullptr;
  Summary summary_;
  double begin_ = 0.0, began_ = 0.0, fresh_at_ = 0.0, taken_at_ = 0.0, stopped_ = 0.0,
         late_us_ = 0.0;
  double time_ = 0.0;         ///< of the step, by the rig's clock
  double periods_old_ = 0.0;  ///< of readings, as whole periods
  double phase_ = 0.0,
         sought_ = 0.0;  ///< s that periods were moved by, and periods since they were right
  long number_ = 0;
  bool is_late_ = false, left_out_ = false, ended_ = false, accepted_ = false;
  int still_ = 0;  ///< periods in a row in which the robot was slow
};

}  // namespace

Summary run(rig::Rig& rig, Controller& controller, supervise::Supervisor& supervisor,
            const Options& options, Clock& clock) {
  check_options(options);
  Loop loop(rig, controller, supervisor, options, clock);
  Summary summary = loop.run();
  if (options.recorder) {
    (void)options.recorder->finish();
    summary.recorded = options.recorder->written();
    summary.record_lost = options.recorder->lost();
  }
  return summary;
}

Summary run(rig::Rig& rig, Controller& controller, supervise::Supervisor& supervisor,
            const Options& options) {
  RealClock clock;
  return run(rig, controller, supervisor, options, clock);
}

std::string Summary::report() const {
  std::ostringstream text;
  text.precision(4);
  text << to_string(end) << (why.empty() ? "" : ": " + why) << " after " << seconds << " s; "
       << (holds   ? rests ? "the robot holds itself"
                           : "the robot holds itself, but was NOT seen at rest"
           : rests ? "the robot was at rest; it does NOT hold itself: the last torques stay"
                   : "the robot was NOT seen at rest, nor does it say that it holds itself")
       << '\n';
  text << steps << " steps, " << late << " late, " << skipped << " skipped, " << not_fresh
       << " without a new reading, " << refused << " refused\n";
  text << "late by " << jitter.quantile(0.5) << " us (median), " << jitter.quantile(0.99)
       << " (99 %), " << jitter.largest() << " (worst); step " << work.quantile(0.5) << ", "
       << work.quantile(0.99) << ", " << work.largest() << " us\n";
  text << "supervisor: " << supervised[0] << " of "
       << supervised[0] + supervised[1] + supervised[2] + supervised[3]
       << " steps run, torques changed in " << cut << '\n';
  if (recorded + record_lost > 0)
    text << "recorded " << recorded << " rows, " << record_lost << " lost\n";
  if (!realtime.empty()) text << "system: " << realtime << '\n';
  return text.str();
}

}  // namespace ulna::drive
