#pragma once

#include <array>
#include <functional>
#include <string>

#include "ulna/drive/clock.hpp"
#include "ulna/drive/controller.hpp"
#include "ulna/drive/histogram.hpp"
#include "ulna/drive/realtime.hpp"
#include "ulna/drive/recorder.hpp"

/// A loop that drives a robot: docs/drive.md.
namespace ulna::drive {

struct Options {
  double rate_hz = 1000.0;
  double duration = infinity;  ///< s; then it stops
  /// Asked every period; false ends the run in a safe stop. It must not wait.
  std::function<bool()> go_on = {};
  bool signals =
      true;  ///< Ctrl-C, SIGTERM and SIGHUP end the run in a safe stop; by a real clock only
  RealtimeOptions realtime = {};

  double late_share = 0.5;    ///< of a period: a step that begins later than that is late
  double gone_after = 0.1;    ///< s without a fresh reading after which the robot counts as gone
  double refused_for = 0.01;  ///< s for which the rig may refuse torques
  double stopped_for = 0.5;   ///< s for which the supervisor may stop the robot before the run ends
  double stop_within = 2.0;   ///< s for a safe stop at most

  /// s without a step after which a watchdog's thread finds that the loop hangs; the run ends when it comes back. By a real clock only.
  double watchdog = 0.1;
  /// Called by that thread, to cut off the drives, say.
  std::function<void()> hangs = {};

  /// Gets a row of record_names(model) for every fresh reading.
  Recorder* recorder = nullptr;
};

/// Why a run ended.
enum class End {
  finished,           ///< the duration is over, or the motion
  interrupted,        ///< by a signal, or go_on
  robot_gone,         ///< no fresh reading
  refused,            ///< the rig took no torques
  controller_failed,  ///< it or go_on threw, or it wanted what is not finite
  supervisor,         ///< it stopped the robot, and the cause did not end
  hung,               ///< no step for Options::watchdog
};
inline constexpr int end_count = static_cast<int>(End::hung) + 1;
const char* to_string(End end);

struct Summary {
  End end = End::finished;
  std::string why = {};       ///< in a sentence, where there is more to say
  bool rests = false;         ///< the robot was seen at rest at the end
  bool holds = false;         ///< it holds itself by its own means at the end, as it says
  long steps = 0;             ///< that ran; steps + skipped are the periods that passed
  long late = 0;              ///< steps that began late
  long skipped = 0;           ///< periods without a step, as the one before was not over
  long updates_left_out = 0;  ///< of late steps
  long not_fresh = 0;         ///< steps without a new reading
  long refused = 0;           ///< torques that the rig did not take
  double seconds = 0.0;
  double stop_seconds = 0.0;  ///< that the safe stop took
  double moved =
      0.0;  ///< s by which periods came later, to follow the robot's; steps + skipped are less by so much
  Histogram jitter = {};                ///< us from when a step was due to when it began
  Histogram work = {};                  ///< us of a step
  Histogram reading_age = {};           ///< us, of fresh readings
  std::array<long, 4> supervised = {};  ///< steps by supervise::State
  long cut = 0;                         ///< steps in which the supervisor changed torques
  long recorded = 0, record_lost = 0;   ///< rows
  std::string realtime = {},
              supervisor = {};  ///< what the system gave; the supervisor's last report

  bool is_fine() const { return end == End::finished && rests && holds && record_lost == 0; }
  /// A few lines.
  std::string report() const;
};

/// t, step, q_, qd_, tau_, sent_ of each joint, state of the supervisor, and by how many us the step was late: what `ulna identify`
/// reads. tau is what was measured; `sent` is what was sent in this step.
std::vector<std::string> record_names(const Model& model);

/// Drives a robot until the motion is over or something is wrong, and leaves it at rest:
///
///     RemoteRig rig(model, "unix:/tmp/arm");
///     rig.connect(5.0);
///     supervise::Supervisor supervisor(model);
///     Law law([&](double time, const rig::Reading& reading, Eigen::VectorXd& tau) { ... });
///     const Summary summary = run(rig, law, supervisor, {.rate_hz = 1000.0, .duration = 10.0});
///
/// Every period: read, act, filter, write, update. Steps are due at multiples of the period; one that begins after the next
/// was due leaves periods out, never runs two at once. After the first step nothing is allocated. However it ends, the supervisor brakes the robot
/// until it rests, except for one that is gone or refuses torques, and then Rig::hold leaves it to its own means.
/// Throws std::invalid_argument for senseless options.
Summary run(rig::Rig& rig, Controller& controller, supervise::Supervisor& supervisor,
            const Options& options, Clock& clock);
/// In real time.
Summary run(rig::Rig& rig, Controller& controller, supervise::Supervisor& supervisor,
            const Options& options = {});

}  // namespace ulna::drive
