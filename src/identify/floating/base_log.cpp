#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "identify/data/ranges.hpp"
#include "identify/messages.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/identify/floating/floating_base.hpp"
#include "ulna/io/csv.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::identify {
namespace {

constexpr int pose_size = 7, twist_size = 6;
constexpr const char* axes[] = {"x", "y", "z"};

int column_of(const std::vector<std::string>& names, const std::string& name) {
  const auto at = std::ranges::find(names, name);
  return at == names.end() ? -1 : int(at - names.begin());
}

/// All of them or none.
std::vector<int> all_of(const std::vector<std::string>& names,
                        const std::vector<std::string>& wanted, const std::string& what,
                        const std::string& file) {
  std::vector<int> columns;
  std::string missing;
  for (const std::string& name : wanted) {
    columns.push_back(column_of(names, name));
    if (columns.back() < 0) missing += (missing.empty() ? "'" : ", '") + name + "'";
  }
  if (std::ranges::all_of(columns, [](int c) { return c < 0; })) return {};
  if (!missing.empty())
    throw CsvError({file, 0, 0}, what + " is given in part: columns are missing: " + missing);
  return columns;
}

/// The frame of a column such as f_local_FL_foot_x, if its name looks like one.
struct ForceName {
  char quantity = 0;  ///< f or m
  bool local = false;
  std::string frame;
};
ForceName force_name(const std::string& column) {
  if (column.size() < 5 || (column[0] != 'f' && column[0] != 'm') || column[1] != '_') return {};
  const std::string_view end = std::string_view(column).substr(column.size() - 2);
  if (end != "_x" && end != "_y" && end != "_z") return {};
  std::string frame = column.substr(2, column.size() - 4);
  constexpr std::string_view local = "local_";
  const bool own = frame.starts_with(local);
  if (own) frame = frame.substr(local.size());
  return {column[0], own, frame};
}

/// The wrench of a force in the table, at one sample.
Wrench<double> wrench_at(const BaseColumns::Force& force, const Eigen::Ref<const Matrix>& table,
                         Index sample) {
  const auto vector = [&](const std::vector<int>& columns) -> Vec3<double> {
    if (columns.empty()) return Vec3<double>::Zero();
    return {table(columns[0], sample), table(columns[1], sample), table(columns[2], sample)};
  };
  return {vector(force.moment), vector(force.force)};
}

/// Of the base, from a configuration.
Mat3<double> rotation_of(const Eigen::Ref<const Vector>& q) {
  return Eigen::Quaterniond(q(0), q(1), q(2), q(3)).normalized().toRotationMatrix();
}

Matrix rows(const Eigen::Ref<const Matrix>& table, const std::vector<int>& columns) {
  return table(columns, Eigen::all);
}

/// Whether measured twists are those of the poses, or those that the world's axes have.
void check_twist(const Model& model, const Log& log, Diagnostics& found) {
  constexpr Index looks = 2000;
  const Index count = log.size(), stride = std::max<Index>(1, count / looks);
  double own = 0.0, world = 0.0, size = 0.0;
  const JointType floating = model.joint(1).type;
  for (Index k = 0; k + 1 < count; k += stride) {
    const double dt = log.t(k + 1) - log.t(k);
    if (!(dt > 0.0)) continue;
    Vector rate(twist_size);
    const Vector before = log.base_pose.col(k), after = log.base_pose.col(k + 1);
    joint_difference(floating, before.data(), after.data(), rate.data());
    rate /= dt;
    const Vector twist = 0.5 * (log.base_twist.col(k) + log.base_twist.col(k + 1));
    const Mat3<double> R = rotation_of(before);
    Vector turned(twist_size);
    turned << R.transpose() * twist.head<3>(), R.transpose() * twist.tail<3>();
    own += (rate - twist).squaredNorm(), world += (rate - turned).squaredNorm();
    size += rate.squaredNorm();
  }
  constexpr double much = 0.1, much_better = 0.3;
  if (own > much * size && world < much_better * own)
    found.add(log_rules::velocity_unrelated, {log.file, 1},
              message("base '", model.joint_name(1), "'"),
              "its velocity is that of its pose if it is taken to be in the world's axes", "",
              "turn it into the axes of the base itself");
}

}  // namespace

bool floats(const Model& model) {
  if (model.body_count() < 2 || model.joint(1).type != JointType::floating) return false;
  for (int b = 2; b < model.body_count(); ++b) {
    const JointType type = model.joint(b).type;
    if (type == JointType::floating || type == JointType::ball || type == JointType::planar)
      return false;
    if (model.joint(b).parent == 0) return false;
  }
  return model.nv() > twist_size;
}

Model limbs_of(const Model& model) {
  if (!floats(model)) return model;
  const Vector q = neutral(model).head(pose_size);
  return lock_joints(model, {{std::string(model.joint_name(1)), {q.data(), q.data() + pose_size}}});
}

BaseColumns base_columns(const Model& model, const std::vector<std::string>& names,
                         const std::string& file) {
  const std::vector<std::string> q = model.configuration_names(), v = model.velocity_names();
  const auto of = [](const char* prefix, const std::vector<std::string>& from, int begin, int end) {
    std::vector<std::string> wanted;
    for (int i = begin; i < end; ++i) wanted.push_back(prefix + from[std::size_t(i)]);
    return wanted;
  };
  BaseColumns columns;
  const std::string base = message("base '", model.joint_name(1), "': its ");
  columns.orientation = all_of(names, of("q_", q, 0, 4), base + "orientation", file);
  columns.position = all_of(names, of("q_", q, 4, pose_size), base + "position", file);
  columns.twist = all_of(names, of("qd_", v, 0, twist_size), base + "velocity", file);
  if (columns.twist.empty())
    columns.twist = all_of(names, of("dq_", v, 0, twist_size), base + "velocity", file);
  const bool moves = !columns.position.empty() || !columns.twist.empty();
  if (moves && columns.orientation.empty())
    throw CsvError({file, 0, 0},
                   base + "orientation is missing: '" + of("q_", q, 0, 1)[0] + "', ...");
  if (!columns.orientation.empty() && columns.position.empty() && columns.twist.empty())
    throw CsvError({file, 0, 0}, base + "velocity or position is missing: '" +
                                     of("qd_", v, 0, 1)[0] + "', ..., or '" + of("q_", q, 4, 5)[0] +
                                     "', ...");

  std::vector<std::string_view> frames;
  for (const Frame& f : model.frames()) frames.push_back(f.name);
  for (const std::string& name : names) {
    const ForceName found = force_name(name);
    if (!found.quantity) continue;
    if (!model.find_frame(found.frame))
      throw CsvError({file, 0, 0}, "column '" + name + "': the robot has no link '" + found.frame +
                                       "'" + did_you_mean(found.frame, frames));
    const auto same = [&](const BaseColumns::Force& f) {
      return f.frame == found.frame && f.local == found.local;
    };
    if (std::ranges::any_of(columns.forces, same)) continue;
    const auto wanted = [&](char quantity) {
      std::vector<std::string> list;
      for (const char* axis : axes)
        list.push_back(std::string(1, quantity) + (found.local ? "_local_" : "_") + found.frame +
                       "_" + axis);
      return list;
    };
    columns.forces.push_back(
        {found.frame, all_of(names, wanted('f'), "the force on '" + found.frame + "'", file),
         all_of(names, wanted('m'), "the moment on '" + found.frame + "'", file), found.local});
  }
  return columns;
}

void set_base(const Model& model, const BaseColumns& columns, const Eigen::Ref<const Matrix>& table,
              Log& log, Diagnostics& found) {
  const Index count = table.cols();
  log.base_pose = neutral(model).head(pose_size).replicate(1, count);
  log.base_stands = columns.orientation.empty();
  if (!columns.orientation.empty()) log.base_pose.topRows(4) = rows(table, columns.orientation);
  if (!columns.position.empty()) log.base_pose.bottomRows(3) = rows(table, columns.position);
  if (!columns.twist.empty()) log.base_twist = rows(table, columns.twist);
  if (log.base_stands) log.base_twist = Matrix::Zero(twist_size, count);

  AffectedRows long_or_short;
  double worst = 1.0;
  for (Index k = 0; k < count; ++k) {
    auto turn = log.base_pose.col(k).head<4>();
    const double length = turn.norm();
    if (std::abs(length - 1.0) > 0.02) {
      long_or_short.add(log.line[std::size_t(k)]);
      worst = length;
    }
    turn /= std::max(length, 1e-12);
    // a quaternion and its negative are the same orientation
    if (k > 0 && turn.dot(log.base_pose.col(k - 1).head<4>()) < 0.0) turn *= -1.0;
  }
  if (long_or_short)
    found.add(
        log_rules::units, {log.file, long_or_short.first()},
        message("base '", model.joint_name(1), "'"),
        message("its quaternion has the length ", number(worst), " at ", long_or_short.rows()), "",
        "give qw, qx, qy, qz of a unit quaternion");
  else if (!columns.twist.empty() && !columns.position.empty())
    check_twist(model, log, found);

  if (columns.forces.empty()) return;
  log.outside = Matrix::Zero(model.nv(), count);
  Kinematics<double> at(model);
  Vector q(model.nq()), tau(model.nv());
  for (Index k = 0; k < count; ++k) {
    q << log.base_pose.col(k), log.q.col(k);
    at.set(q);
    tau.setZero();
    for (const BaseColumns::Force& f : columns.forces)
      add_wrench_torque<double>(
          at,
          {&model.frame(f.frame), wrench_at(f, table, k), f.local ? Axes::local : Axes::aligned},
          tau);
    log.outside.col(k) = tau;
  }
}

void settle_base(Prepared& prepared) {
  for (Piece& piece : prepared.pieces)
    for (Index k = 0; k < piece.size(); ++k) {
      piece.q.col(k).head<4>().normalize();
      auto acceleration = piece.a.col(k).segment<3>(3);
      acceleration = rotation_of(piece.q.col(k)).transpose() * Vec3<double>(acceleration);
      piece.v.col(k).segment<3>(3).setZero();
    }
}

Log with_base(const Model& model, const Log& log) {
  const Index count = log.size();
  Log whole;
  whole.file = log.file, whole.t = log.t, whole.line = log.line, whole.rows = log.rows,
  whole.breaks = log.breaks;
  whole.joints = model.velocity_names();
  whole.q.resize(model.nq(), count);
  whole.q << log.base_pose, log.q;
  whole.v.resize(model.nv(), count);
  // a difference over two steps, at the beginning and end of a piece over one
  for (const Range& piece : pieces_of(log.breaks, count))
    for (Index k = piece.begin; k < piece.end; ++k) {
      const Index before = std::max(piece.begin, k - 1), after = std::min(piece.end - 1, k + 1);
      if (after == before) {
        whole.v.col(k).setZero();
        continue;
      }
      const Vector q0 = whole.q.col(before), q1 = whole.q.col(after);
      whole.v.col(k) = difference(model, q0, q1) / (log.t(after) - log.t(before));
    }
  if (log.base_twist.size()) whole.v.topRows(twist_size) = log.base_twist;
  for (Index k = 0; k < count; ++k) {
    auto velocity = whole.v.col(k).segment<3>(3);
    velocity = rotation_of(whole.q.col(k)) * Vec3<double>(velocity);
  }
  if (log.v.size()) whole.v.bottomRows(log.v.rows()) = log.v;
  whole.tau = Matrix::Zero(model.nv(), count);
  if (log.tau.size()) whole.tau.bottomRows(log.tau.rows()) = log.tau;
  if (log.outside.size()) whole.tau += log.outside;
  return whole;
}

}  // namespace ulna::identify
