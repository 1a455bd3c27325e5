#include <algorithm>
#include <cmath>
#include <numbers>

#include "identify/data/screen_parts.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/data/log_rules.hpp"

namespace ulna::identify {

namespace {

constexpr double degree = std::numbers::pi / 180.0;

bool turns(const Joint& joint) {
  return joint.type == JointType::revolute || joint.type == JointType::continuous;
}

/// Angles that jump by a turn are counted on: dynamics does not see the difference.
void unwrap(Log& log, Index i, Diagnostics& found) {
  constexpr double turn = 2.0 * std::numbers::pi;
  AffectedRows jumps;
  double added = 0.0;
  for (Index k = 1; k < log.size(); ++k) {
    const double step = log.q(i, k) + added - log.q(i, k - 1);
    const double turns = std::round(step / turn);
    if (turns != 0.0 && std::abs(step - turns * turn) < 0.05 * turn) {
      added -= turns * turn;
      jumps.add(log.line[k]);
    }
    log.q(i, k) += added;
  }
  if (jumps)
    found.add(log_rules::wrapped, {log.file, jumps.first()}, joint_subject(log, i),
              "its angle jumps by a full turn at " + jumps.rows(), "unwrapped");
}

/// Steps that the joint cannot make break the log.
void find_jumps(Log& log, Index i, const Model& model, Diagnostics& found) {
  const Vector steps = steps_of(log.q.row(i)).cwiseAbs(), times = steps_of(log.t);
  double fastest = 3.0 * quantile(steps.cwiseQuotient(times), 0.999);
  if (log.v.size()) fastest = std::max(fastest, log.v.row(i).cwiseAbs().maxCoeff());
  if (std::isfinite(model.velocity_limit()[i]))
    fastest = std::max(fastest, model.velocity_limit()[i]);
  const double range =
      quantile(log.q.row(i).transpose(), 0.99) - quantile(log.q.row(i).transpose(), 0.01);
  AffectedRows jumps;
  double longest = 0.0;
  for (Index k = 0; k < steps.size(); ++k) {
    if (steps[k] < std::max({5.0 * fastest * times[k], 0.05 * range, 1e-3})) continue;
    jumps.add(log.line[k + 1]);
    longest = std::max(longest, steps[k]);
    log.breaks.push_back(k + 1);
  }
  if (jumps)
    found.add(log_rules::jump, {log.file, jumps.first()}, joint_subject(log, i),
              message("its position jumps at ", jumps.rows(), ", by ", longest, " at most"),
              "the log is split there into separate pieces");
}

constexpr double least_motion = 1e-3;
/// Of means over some samples, as many as 20 ms have: noise is no motion.
double range_of(const Log& log, Index i) {
  const double step =
      (log.t[log.size() - 1] - log.t[0]) / double(std::max<Index>(1, log.size() - 1));
  const auto width = Index(std::clamp(0.02 / std::max(step, 1e-9), 1.0, 64.0));
  const Index count = log.size() / width;
  if (count < 2) return log.q.row(i).maxCoeff() - log.q.row(i).minCoeff();
  Vector means(count);
  for (Index k = 0; k < count; ++k) means[k] = log.q.row(i).segment(k * width, width).mean();
  return means.maxCoeff() - means.minCoeff();
}

void screen_constants(Log& log, Index i, const Model& model, Diagnostics& found) {
  const double range = range_of(log, i);
  const bool moves = range >= least_motion;
  if (!moves)
    found.add(log_rules::still, {log.file}, joint_subject(log, i),
              range == 0.0 ? "its position never changes"
                           : "its position changes by " + number(range, 2) + " only",
              "effects of its acceleration and friction cannot be estimated");
  for (const auto& [name, m] : log.measurements()) {
    const bool rate = m == &log.v || m == &log.a;
    if (m == &log.q || (rate && !moves) || (m->row(i).array() != (*m)(i, 0)).any()) continue;
    // of a joint without a drive, as robots with loops have them
    if (model.effort_limit()[i] == 0.0 && (*m)(i, 0) == 0.0) continue;
    found.add(log_rules::constant, {log.file}, joint_subject(log, i),
              message("its ", name, " is ", (*m)(i, 0), " in every row"), "used as it is");
  }
}

void screen_limits_of(const Log& log, Index i, const Model& model, Diagnostics& found) {
  const double lower = model.lower_limit()[i], upper = model.upper_limit()[i];
  const auto q = log.q.row(i);
  const double largest = q.cwiseAbs().maxCoeff();
  const bool angle = turns(model.joint_of_coordinate(int(i)));
  const std::string range = message("from ", q.minCoeff(), " to ", q.maxCoeff());
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    // several turns are possible, tens of them are not likely
    if (angle && largest > 8.0 * std::numbers::pi)
      found.add(log_rules::limits, {log.file}, joint_subject(log, i),
                "its angle ranges " + range + ": radians are expected, not degrees",
                "used as it is");
    return;
  }
  const double margin = 1e-3 + 1e-2 * (upper - lower);
  AffectedRows outside;
  double excess = 0.0;
  for (Index k = 0; k < log.size(); ++k) {
    const double beyond = std::max(q[k] - upper, lower - q[k]);
    if (beyond > margin) outside.add(log.line[k]);
    excess = std::max(excess, beyond);
  }
  if (!outside) return;
  const std::string limits =
      message("its position ranges ", range, ", its limits are ", lower, " and ", upper);
  const Source where{log.file, outside.first()};
  const bool far =
      excess > 0.25 * (upper - lower) && double(outside.count()) > 0.01 * double(log.size());
  const bool as_degrees = q.minCoeff() * degree >= lower - margin &&
                          q.maxCoeff() * degree <= upper + margin &&
                          largest > 3.0 * std::numbers::pi;
  if (far && angle && as_degrees)
    found.add(log_rules::units, where, joint_subject(log, i), limits + ": this looks like degrees");
  else
    found.add(far ? log_rules::far_outside : log_rules::limits, where, joint_subject(log, i),
              limits + ": " + outside.rows() + " outside", far ? "" : "used as it is");
}

/// Springs give way by little: motors are where joints are, seen through their gears.
void screen_motors(const Log& log, Index i, const Model& model, Diagnostics& found) {
  constexpr double most = 3.0, least = 0.1;  // times as far, and rad or m
  if (!log.link_encoders || !(model.drives().stiffness(i) > 0.0)) return;
  const auto range = [](const auto& x) { return x.maxCoeff() - x.minCoeff(); };
  const double own = range(log.q.row(i)), motor = range(log.theta.row(i));
  if (motor <= most * own || motor <= least) return;
  found.add(log_rules::motor_position, {log.file}, joint_subject(log, i),
            message("its motor moves by ", number(motor), ", the joint by ", number(own),
                    own > 0.0 ? message(", ", number(motor / own, 3), " times less") : ""));
}

}  // namespace

void screen_joints(Log& log, const Model& model, Diagnostics& found) {
  bool any_moves = false;
  for (Index i = 0; i < log.q.rows(); ++i) {
    if (turns(model.joint_of_coordinate(int(i)))) unwrap(log, i, found);
    find_jumps(log, i, model, found);
    any_moves |= range_of(log, i) >= least_motion;
  }
  if (!any_moves)
    found.add(log_rules::no_motion, {log.file}, "",
              "no joint moves in " + counted(log.size(), "sample"));
  const Matrix& torques = log.tau.size() > 0 ? log.tau : log.current;
  if (torques.size() > 0 && torques.isZero(0.0))
    found.add(log_rules::no_torque, {log.file}, "",
              "all torques are zero in " + counted(log.size(), "sample"));
  for (Index i = 0; any_moves && i < log.q.rows(); ++i) screen_constants(log, i, model, found);
  for (Index i = 0; i < log.theta.rows(); ++i) screen_motors(log, i, model, found);
}

void screen_limits(const Log& log, const Model& model, Diagnostics& found) {
  for (Index i = 0; i < log.q.rows(); ++i) screen_limits_of(log, i, model, found);
}

void screen_efforts(const Log& log, const Model& model, Diagnostics& found) {
  constexpr double most = 1.5, near = 1e-3;  // drives allow for short peaks
  for (Index i = 0; i < log.tau.rows(); ++i) {
    const double limit = model.effort_limit()[i];
    AffectedRows above, at;
    for (Index k = 0; k < log.size(); ++k) {
      const double share = std::abs(log.tau(i, k)) / limit;
      if (share > most) above.add(log.line[k]);
      if (std::abs(share - 1.0) < near) at.add(log.line[k]);
    }
    const auto many = [&](const AffectedRows& rows) {
      return double(rows.count()) > 0.01 * double(log.size());
    };
    if (many(at))
      found.add(log_rules::torque_saturated, {log.file, at.first()}, joint_subject(log, i),
                message("its torque is at its effort limit, ", limit, ": ", at.rows()),
                "used as it is");
    if (many(above))
      found.add(log_rules::torque_limits, {log.file, above.first()}, joint_subject(log, i),
                message("its torque reaches ", log.tau.row(i).cwiseAbs().maxCoeff(),
                        ", its effort limit is ", limit, ": ", above.rows(), " above"),
                "used as it is");
  }
}

void screen_velocities(const Log& log, const LogFigures& figures, Diagnostics& found) {
  if (log.v.size() == 0) return;
  // how far the joints came in short windows, by their positions and by their velocities
  const Index n = log.q.rows();
  const Index width =
      std::clamp<Index>(Index(0.05 * figures.rate_hz), 4, std::max<Index>(4, log.size() / 20));
  const Index most = (log.size() - 1) / width;
  Matrix went(n, most), integral(n, most);
  std::vector<Index> breaks = log.breaks;
  std::sort(breaks.begin(), breaks.end());
  Index windows = 0;
  for (Index w = 0; w < most; ++w) {
    const Index from = w * width, to = from + width;
    const auto next_break = std::upper_bound(breaks.begin(), breaks.end(), from);
    if (next_break != breaks.end() && *next_break <= to) continue;
    went.col(windows) = log.q.col(to) - log.q.col(from);
    integral.col(windows).setZero();
    for (Index k = from; k < to; ++k)
      integral.col(windows) += 0.5 * (log.t[k + 1] - log.t[k]) * (log.v.col(k) + log.v.col(k + 1));
    ++windows;
  }
  if (windows < 5) return;
  went.conservativeResize(n, windows), integral.conservativeResize(n, windows);

  const Vector went_norm = went.rowwise().norm(), integral_norm = integral.rowwise().norm();
  std::vector<bool> still;
  for (Index i = 0; i < n; ++i)
    still.push_back(went_norm[i] < 1e-4 * std::sqrt(double(windows)) ||
                    range_of(log, i) < least_motion);
  const auto alike = [&](Index i, Index j) {
    const double norms = went_norm[i] * integral_norm[j];
    return norms > 0.0 ? went.row(i).dot(integral.row(j)) / norms : 0.0;
  };
  constexpr double proportional = 0.99;  // correlation of what differs by its unit alone
  bool time_reported = false;
  for (Index j = 0; j < n; ++j) {
    if (still[j]) continue;
    const double own = alike(j, j),
                 factor = integral_norm[j] > 0.0 ? went_norm[j] / integral_norm[j] : 0.0;
    const auto report = [&](const Rule& rule, const std::string& seen) {
      found.add(rule, {log.file}, joint_subject(log, j), seen,
                rule.severity == Severity::warning ? "used as it is" : "");
    };
    if (own < -0.9) {
      report(log_rules::sign,
             message("its velocity is minus the rate of its position (correlation ", number(own, 3),
                     ")"));
      continue;
    }
    if (own < 0.9) {
      Index best = j;
      for (Index i = 0; i < n; ++i)
        if (!still[i] && std::abs(alike(i, j)) > std::abs(alike(best, j))) best = i;
      if (best != j && std::abs(alike(best, j)) > 0.95)
        report(log_rules::swapped,
               message("its velocity is the rate of the position of ", joint_subject(log, best),
                       " (correlation ", number(alike(best, j), 3), "), not of its own (",
                       number(own, 3), ")"));
      else
        report(own < 0.5 ? log_rules::velocity_unrelated : log_rules::velocity_differs,
               message("its velocity has a correlation of ", number(own, 3),
                       " with the rate of its position"));
      continue;
    }
    const auto near = [&](double x) { return std::abs(factor / x - 1.0) < 0.1; };
    const std::string seen =
        message("its position changes ", factor, " times as much as its velocity implies");
    if (near(1.0 / degree)) {
      report(log_rules::units,
             seen + ": positions in degrees and velocities in radians per second?");
    } else if (near(degree)) {
      report(log_rules::units,
             seen + ": positions in radians and velocities in degrees per second?");
    } else if (near(1e-3) || near(1e-6) || near(1e-9)) {
      // it is so for all joints
      if (!time_reported)
        found.add(log_rules::units, {log.file}, "time",
                  message(joint_subject(log, j), ": ", seen,
                          ": is the time in milliseconds, microseconds or nanoseconds?"));
      time_reported = true;
    } else if (own > proportional && (factor > 2.0 || factor < 0.5)) {
      report(log_rules::units, seen + ": velocities in another unit?");
    } else if (!near(1.0)) {
      report(log_rules::velocity_differs, seen);
    }
  }
}

}  // namespace ulna::identify
