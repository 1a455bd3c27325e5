#include "ulna/identify/data/log.hpp"

#include <algorithm>
#include <fstream>
#include <optional>

#include "identify/messages.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/identify/floating/floating_base.hpp"
#include "ulna/io/csv.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::identify {

std::vector<std::pair<const char*, Matrix*>> Log::measurements() {
  std::vector<std::pair<const char*, Matrix*>> all{
      {"position", &q},           {"velocity", &v},          {"acceleration", &a},
      {"torque", &tau},           {"current", &current},     {"motor position", &theta},
      {"motor velocity", &omega}, {"link torque", &link_tau}};
  std::erase_if(all, [](const auto& part) { return part.second->size() == 0; });
  return all;
}

void Log::keep(const std::vector<char>& marks) {
  Index kept = 0;
  auto parts = measurements();
  for (Matrix* m : {&base_pose, &base_twist, &outside})
    if (m->size() > 0) parts.emplace_back("", m);
  auto next_break = breaks.begin();
  for (Index k = 0; k < size(); ++k) {
    // a break stands before the first sample that is kept behind it
    if (next_break != breaks.end() && *next_break == k) *next_break++ = kept;
    if (!marks[k]) continue;
    if (kept != k) {
      t[kept] = t[k];
      line[kept] = line[k];
      for (const auto& [name, m] : parts) m->col(kept) = m->col(k);
    }
    ++kept;
  }
  if (kept == size()) return;
  std::erase_if(breaks, [&](Index b) { return b == 0 || b >= kept; });
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  t.conservativeResize(kept);
  line.resize(std::size_t(kept));
  for (const auto& [name, m] : parts) m->conservativeResize(Eigen::NoChange, kept);
}

namespace {

/// The message of a CsvError without its place, which a Diagnostic has by itself.
std::string bare_message(const CsvError& e) {
  const std::string place = e.where().str() + ": ", text = e.what();
  return text.starts_with(place) ? text.substr(place.size()) : text;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 40;
  std::string s;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    s += (i ? ", " : "") + names[i].substr(0, 40);
  std::replace_if(
      s.begin(), s.end(), [](char c) { return c >= 0 && c < 0x20; }, '?');
  return s + (names.size() > most ? ", ..." : "");
}

/// "q_shoulder, q_elbow, ..."
std::string accepted_by_name(const std::string& quantity, const std::vector<std::string>& of) {
  std::string s;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, of.size()); ++i)
    s += (i ? ", " : "") + quantity + "_" + of[i];
  return s + (of.size() > 2 ? ", ..." : "");
}
/// Names of one quantity as they would be accepted: "q_shoulder, q_elbow, ... or q1 .. q2".
std::string accepted(const std::string& quantity, const Model& model) {
  const std::vector<std::string> joints = model.velocity_names();
  const std::string named = accepted_by_name(quantity, joints);
  return named + (joints.size() > 2 ? " " : ", ") + "or " + quantity + "1 .. " + quantity +
         std::to_string(joints.size());
}

/// Whether each coordinate is a joint of its own, so that v is the rate of q number by number.
bool only_simple_joints(const Model& model, const std::string& file, Diagnostics& found) {
  const int compound = floats(model) ? 0 : compound_joint(model);
  if (compound > 0)
    found.add(log_rules::joint_kind, {file}, message("joint '", model.joint_name(compound), "'"),
              "it has several coordinates, and logs of such joints are not supported");
  else if (model.nv() == 0)
    found.add(log_rules::joint_kind, {file}, "robot '" + model.name() + "'",
              "it has no joint that moves, so there is nothing to identify from a log");
  return compound == 0 && model.nv() > 0;
}

/// Which columns of the table go where.
struct Wanted {
  TrajectoryColumns columns;
  std::vector<int> current;
  std::vector<int> theta, omega, link_tau;  ///< of coordinates, -1 where there is none; or empty
  std::vector<int> motor_tau;               ///< at the shafts, in the order of the motors
};

/// The columns <quantity>_<name> of all names that are needed; empty if there is none of them.
std::vector<int> drive_columns(const std::string& quantity, const std::vector<std::string>& of,
                               const std::vector<bool>& needed,
                               const std::vector<std::string>& names, const std::string& file) {
  std::vector<int> columns(of.size(), -1);
  std::string missing;
  bool any = false;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto at = std::ranges::find(names, quantity + "_" + of[i]);
    if (at != names.end())
      columns[i] = int(at - names.begin()), any = true;
    else if (needed[i])
      missing += (missing.empty() ? "'" : ", '") + quantity + "_" + of[i] + "'";
  }
  if (!any) return {};
  if (!missing.empty())
    throw CsvError({file, 0, 0}, quantity + " is given in part: columns are missing: " + missing);
  return columns;
}

/// Those of motors and springs.
void find_drives(const Model& model, const std::vector<std::string>& names, const std::string& file,
                 Wanted& wanted) {
  const DriveTrain& train = model.drives();
  if (train.plain()) return;
  const std::vector<std::string> joints = model.velocity_names();
  // motors of rigid joints are where the joints are, unless the joints have no column
  std::vector<bool> elastic(joints.size(), wanted.columns.q.empty());
  for (const int c : train.elastic) elastic[c] = true;
  wanted.theta = drive_columns("theta", joints, elastic, names, file);
  if (!wanted.theta.empty()) wanted.omega = drive_columns("thetad", joints, elastic, names, file);
  std::vector<bool> sprung(joints.size(), false);
  for (const int c : train.elastic) sprung[c] = true;
  wanted.link_tau = drive_columns("tau_link", joints, sprung, names, file);
  if (!train.coupled.empty() && wanted.columns.tau.empty())
    wanted.motor_tau = drive_columns("tau", train.motor_names,
                                     std::vector<bool>(joints.size(), true), names, file);
}

/// Where torques are given by motors, those of motors that have a joint's name are not the torques of joints.
std::vector<std::string> without_motors(const Model& model, std::vector<std::string> names) {
  const DriveTrain& train = model.drives();
  if (train.coupled.empty()) return names;
  const std::vector<std::string> joints = model.velocity_names();
  const auto given = [&](const std::string& of) {
    return std::ranges::count(names, "tau_" + of) > 0;
  };
  if (std::ranges::none_of(train.motor_names,
                           [&](const std::string& motor) {
                             return !std::ranges::count(joints, motor) && given(motor);
                           }) ||
      std::ranges::all_of(joints, given))
    return names;
  for (std::string& name : names)
    if (name.starts_with("tau_") && std::ranges::count(train.motor_names, name.substr(4)))
      name = "motor's " + name;
  return names;
}

/// Bags and arrays may hold joints of other devices, which their user cannot take out as from a text.
std::vector<std::string> without_others(const Model& model, std::vector<std::string> names,
                                        const std::string& file, Diagnostics& found) {
  const std::vector<std::string> joints = model.velocity_names();
  std::string others;
  for (std::string& name : names)
    for (const std::string_view quantity : {"q_", "qd_", "tau_"}) {
      if (!name.starts_with(quantity)) continue;
      const std::string joint = name.substr(quantity.size());
      const bool numbered = joint.find_first_not_of("0123456789") == joint.npos;
      if (numbered || std::ranges::count(joints, joint) || joint.starts_with("link_") ||
          std::ranges::count(model.drives().motor_names, joint) || model.find_joint(joint))
        continue;
      if (quantity == "q_") others += (others.empty() ? "'" : ", '") + joint.substr(0, 40) + "'";
      name = "other " + name;
    }
  if (!others.empty())
    found.add(log_rules::container, {file}, "",
              "joints that the robot does not have are left out: " + others);
  return names;
}

/// Rows of coordinates; of those without a column, as `otherwise` has them.
Matrix drive_rows(const std::vector<int>& columns, const Eigen::Ref<const Matrix>& table,
                  const Matrix& otherwise) {
  if (columns.empty()) return {};
  Matrix rows(Index(columns.size()), table.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const int c = columns[std::size_t(i)];
    if (c >= 0)
      rows.row(i) = table.row(c);
    else if (otherwise.size() > 0)
      rows.row(i) = otherwise.row(i);
    else
      return {};
  }
  return rows;
}

/// What was measured of drives. Torques of motors become those that they exert on the joints, N' tau.
void set_drives(const Model& model, const Wanted& wanted, const Eigen::Ref<const Matrix>& table,
                Log& log) {
  if (!wanted.motor_tau.empty()) {
    log.tau = Matrix::Zero(model.nv(), table.cols());
    for (const auto& [motor, coordinate, ratio] : model.drives().gears)
      log.tau.row(coordinate) += ratio * table.row(wanted.motor_tau[std::size_t(motor)]);
  }
  log.theta = drive_rows(wanted.theta, table, log.q);
  log.omega = drive_rows(wanted.omega, table, log.v);
  log.link_tau = drive_rows(wanted.link_tau, table,
                            log.tau.size() ? log.tau : Matrix::Zero(model.nv(), table.cols()));
  if (log.q.size() > 0 || log.theta.size() == 0) return;
  log.link_encoders = false;
  log.q = log.theta, log.v = log.omega, log.a.resize(0, 0);
}

/// Those of a base that floats, which are no joint's then.
std::optional<BaseColumns> base_columns_of(const Model& robot, std::vector<std::string>& names,
                                           const std::string& file, Diagnostics& found) {
  try {
    BaseColumns columns = base_columns(robot, names, file);
    const std::string base(robot.joint_name(1));
    for (std::string& name : names)
      for (const char* quantity : {"q_", "qd_", "dq_", "qdd_", "ddq_", "tau_"})
        if (name.starts_with(quantity + base + "_")) name = "base's " + name;
    return columns;
  } catch (const CsvError& e) {
    found.add(log_rules::columns, e.where(), "", bare_message(e));
    return {};
  }
}

std::optional<Wanted> find_columns(const Model& model, const std::vector<std::string>& names,
                                   const std::string& file, const LogOptions& options,
                                   Diagnostics& found) {
  Wanted wanted;
  try {
    const std::vector<std::string> others = without_motors(model, names);
    wanted.columns = trajectory_columns(model, others, file);
    wanted.current = current_columns(model, others, file);
    find_drives(model, names, file, wanted);
  } catch (const CsvError& e) {
    found.add(log_rules::columns, e.where(), "",
              bare_message(e) + "; the table has the columns " + listed(names));
    return {};
  }
  std::string missing;
  if (wanted.columns.t < 0 && !(options.rate_hz > 0.0)) missing += "; time: t or time";
  const bool elastic = !model.drives().elastic.empty();
  if (wanted.columns.q.empty() && wanted.theta.empty())
    missing += "; positions: " + accepted("q", model);
  if (elastic && wanted.theta.empty())
    missing += "; positions of motors, seen at the joints: " +
               accepted_by_name("theta", model.velocity_names());
  if (options.torque_needed && wanted.columns.tau.empty() && wanted.motor_tau.empty() &&
      wanted.current.empty())
    missing +=
        "; torques: " + accepted("tau", model) +
        (model.drives().coupled.empty() ? ""
                                        : ", or of motors at their shafts: " +
                                              accepted_by_name("tau", model.drives().motor_names)) +
        ", or currents: " + accepted("i", model);
  if (missing.empty()) return wanted;
  found.add(log_rules::columns, {file, 1}, "",
            "columns are missing" + missing + "; the table has the columns " + listed(names));
  return {};
}

}  // namespace

Log read_log(std::istream& in, const std::string& file, const Model& robot,
             const LogOptions& options, Diagnostics& found) try {
  Log log;
  log.file = file;
  if (!only_simple_joints(robot, file, found)) return {};
  const Model model = limbs_of(robot);
  log.joints = model.velocity_names();
  CsvReader reader(in, file);
  if (!reader.remark().empty()) found.add(log_rules::container, {file}, "", reader.remark());
  auto names =
      reader.is_binary() ? without_others(model, reader.names(), file, found) : reader.names();
  std::optional<BaseColumns> base;
  if (floats(robot)) {
    base = base_columns_of(robot, names, file, found);
    if (!base) return {};
  }
  LogOptions how = options;
  // forces alone show a robot, too
  if (base && !base->forces.empty()) how.torque_needed = false;
  const auto wanted = find_columns(model, names, file, how, found);
  if (!wanted) return {};

  if (!wanted->columns.tau.empty() && !wanted->current.empty())
    found.add(log_rules::torque_double, {file, 1}, "", "the log has torques and currents",
              "the torques are used unless gains are given");

  std::vector<double> row(reader.names().size()), numbers;
  std::vector<Index> index;  // of each row in the file
  const std::size_t most_rows = options.max_numbers / row.size();
  AffectedRows corrupt;
  std::string first_corrupt;
  for (int line = -1;; ++log.rows) {
    try {
      if (!reader.next(row)) break;
      line = reader.line();
      if (log.line.size() == most_rows) {
        found.add(log_rules::too_large, {file, line}, "",
                  message("the log has more than ", counted(Index(most_rows), "row"), " of ",
                          counted(Index(row.size()), "column")));
        return {};
      }
      numbers.insert(numbers.end(), row.begin(), row.end());
      log.line.push_back(line), index.push_back(log.rows);
    } catch (const CsvError& e) {
      // a line that is bad is passed over; a stream that is bad does not get past it
      if (reader.line() == line) throw;
      line = reader.line();
      corrupt.add(line);
      if (first_corrupt.empty()) first_corrupt = bare_message(e);
    }
  }
  const Eigen::Map<const Matrix> table(numbers.data(), Index(row.size()), Index(index.size()));
  const auto columns = [&](const std::vector<int>& which) -> Matrix {
    return which.empty() ? Matrix() : Matrix(table(which, Eigen::all));
  };
  const TrajectoryColumns& c = wanted->columns;
  log.q = columns(c.q), log.v = columns(c.qd), log.a = columns(c.qdd);
  log.tau = columns(c.tau), log.current = columns(wanted->current);
  set_drives(model, *wanted, table, log);
  log.t.resize(table.cols());
  for (Index k = 0; k < log.size(); ++k)
    log.t[k] = c.t >= 0 ? table(c.t, k) : double(index[k]) / options.rate_hz;
  if (base) set_base(robot, *base, table, log, found);
  if (corrupt)
    found.add(
        log_rules::row_corrupt, {file, corrupt.first()}, "",
        message(corrupt.rows(), " of ", log.rows, " cannot be read; the first: ", first_corrupt),
        "dropped");
  if (!log.empty()) return log;
  if (log.rows)
    found.add(log_rules::mostly_lost, {file}, "",
              "none of the " + counted(log.rows, "row") + " can be read");
  else
    found.add(log_rules::too_short, {file}, "", "the table has a header and no rows");
  return {};
} catch (const CsvError& e) {
  found.add(log_rules::unreadable, e.where(), "", bare_message(e));
  return {};
}

Log load_log(const std::string& path, const Model& model, const LogOptions& options,
             Diagnostics& found) {
  std::ifstream in(path, std::ios::binary);
  return read_log(in, path, model, options, found);
}

void apply_gains(Log& log, const Vector& gains) {
  require(log.current.size() > 0, "gains are given, but the log '", log.file,
          "' has no currents (columns i_<joint> or i1, i2, ...)");
  require(gains.size() == log.current.rows(), "gains: ", gains.size(),
          " numbers given, the log has currents of ", counted(log.current.rows(), "joint"));
  require(gains.allFinite() && (gains.array() != 0.0).all(),
          "gains: a gain is zero or not a finite number");
  log.tau = gains.asDiagonal() * log.current;
}

}  // namespace ulna::identify
