#include "states.hpp"

#include <filesystem>

#include "closed_robot.hpp"
#include "ulna/io/number.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::cli {
namespace {

/// A quantity of a state, and what its coordinates are called.
struct Quantity {
  std::string name;
  std::vector<std::string> coordinates;
  Eigen::VectorXd& value;
};

Vec3<double> three_of(const std::vector<double>& list, const std::string& what) {
  if (list.size() != 3) throw UsageError("{} takes 3 numbers, {} given", what, list.size());
  return {list[0], list[1], list[2]};
}

void set_all(const Quantity& to, const std::vector<double>& values) {
  if (values.size() != to.coordinates.size())
    throw UsageError("{} has {}, the robot needs {}: {}", to.name, counted(values.size(), "number"),
                     to.coordinates.size(), fmt::join(to.coordinates, ", "));
  to.value = Eigen::Map<const Eigen::VectorXd>(values.data(), to.value.size());
}

void set_one(const Quantity& to, const std::string& coordinate, double value) {
  const auto found = std::ranges::find(to.coordinates, coordinate);
  if (found == to.coordinates.end()) {
    const std::vector<std::string_view> names(to.coordinates.begin(), to.coordinates.end());
    const std::string near = did_you_mean(coordinate, names);
    throw UsageError("{}: the robot has no coordinate '{}'{}", to.name, coordinate,
                     near.empty() ? "; ulna fk --json lists the coordinates" : near);
  }
  to.value(found - to.coordinates.begin()) = value;
}

void set_from_text(const Quantity& to, const std::string& text) {
  const std::string option = "--" + to.name;
  if (!is_named(text)) return set_all(to, numbers(text, option));
  for (const auto& [name, value] : named_numbers(text, option)) set_one(to, name, value);
}

/// The joint whose quaternion is farthest from unit length, and this length.
struct QuaternionLength {
  std::string joint;
  double length = 1.0;
  bool zero() const { return !(length > 1e-12 && std::isfinite(length)); }
  bool unit() const { return std::abs(length - 1.0) < 1e-3; }
};
QuaternionLength worst_quaternion(const Model& model, const Eigen::VectorXd& q) {
  QuaternionLength worst;
  for (int b = 1; b < model.body_count(); ++b)
    if (const Joint& j = model.joint(b); has_quaternion(j.type) && !j.mimics) {
      const double length = q.segment<4>(j.q).norm();
      if (!(std::abs(length - 1.0) <= std::abs(worst.length - 1.0)))
        worst = {std::string(model.joint_name(b)), length};
    }
  return worst;
}

/// Makes quaternions unit ones, which those of other lengths are warned of. Throws UsageError for what has none.
void normalize_given(Console& console, const Model& model, Eigen::VectorXd& q,
                     const std::string& what) {
  const QuaternionLength worst = worst_quaternion(model, q);
  if (worst.zero())
    throw UsageError("{}: the quaternion of '{}' has length {:g}; without rotation it is 1,0,0,0",
                     what, worst.joint, worst.length);
  if (!worst.unit())
    console.complain(fmt::format("{}: the quaternion of '{}' has length {:g}; it is normalised",
                                 what, worst.joint, worst.length),
                     Style::yellow);
  normalize(model, q);
}

double json_number(const Json& x, const std::string& what) {
  if (!x.is_number()) throw UsageError("{} is not a number", what);
  return x.get<double>();
}

std::vector<double> json_numbers(const Json& list, const std::string& what) {
  if (!list.is_array()) throw UsageError("{} is not a list of numbers", what);
  std::vector<double> values;
  for (const Json& x : list) values.push_back(json_number(x, what));
  return values;
}

constexpr const char* quantities[] = {"q", "qd", "qdd", "tau"};

/// The names that the joints of a result have, which other results give with more about each.
std::vector<std::string> joints_of(const Json& result) {
  std::vector<std::string> names;
  if (!result.contains("joints") || !result["joints"].is_array()) return names;
  for (const Json& joint : result["joints"]) {
    const Json& name = joint.is_object() && joint.contains("name") ? joint["name"] : joint;
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

/// What the numbers of a quantity in a result belong to: q to the coordinates, others to the joints.
std::vector<std::string> names_of(const Json& result, std::string_view quantity) {
  if (quantity == "q" && result.contains("coordinates") && result["coordinates"].is_array()) {
    std::vector<std::string> names;
    for (const Json& name : result["coordinates"])
      if (name.is_string()) names.push_back(name.get<std::string>());
    return names;
  }
  return joints_of(result);
}

/// The state in a document that a verb printed, by the names of its coordinates.
Json state_of_result(const Json& result) {
  const std::string verb = split(split(result["schema"].get<std::string>(), '/')[0], '.').back();
  if (result.contains("error"))
    throw UsageError("it is the failure of '{}' and has no state: {}", verb,
                     result["error"].is_string() ? result["error"].get<std::string>() : "");
  if (result.contains("columns"))
    throw UsageError(
        "many states as JSON cannot be read; without --json, '{}' prints a table that can be",
        verb);
  if (result.contains("found") && result["found"] == false)
    throw UsageError("inverse kinematics found no configuration, so there is no state");
  Json state = Json::object();
  for (const char* quantity : quantities) {
    if (!result.contains(quantity)) continue;
    const Json& values = result[quantity];
    const std::vector<std::string> names = names_of(result, quantity);
    state[quantity] = values;
    if (!values.is_array() || values.size() != names.size()) continue;
    state[quantity] = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i) state[quantity][names[i]] = values[i];
  }
  if (state.empty())
    throw UsageError(
        "what '{}' prints has no state; take that of ik, fk, id, fd, terms or simulate", verb);
  if (result.contains("wrenches")) state["wrenches"] = result["wrenches"];
  return state;
}

void set_from_json(const Quantity& to, const Json& given) {
  if (!given.is_object()) return set_all(to, json_numbers(given, to.name));
  for (const auto& [name, value] : given.items())
    set_one(to, name, json_number(value, fmt::format("{} of '{}'", to.name, name)));
}

Vec3<double> json_vector(const Json& wrench, const char* key) {
  if (!wrench.contains(key)) return Vec3<double>::Zero();
  const Vec3<double> given = three_of(json_numbers(wrench[key], key), key);
  constexpr double largest = 1e12;  // N or Nm; far beyond, sums of them are not finite
  if (const double most = given.cwiseAbs().maxCoeff(); !(most <= largest))
    throw UsageError("{}: {:g} is beyond {:g} N or Nm", key, most, largest);
  return given;
}

void refuse_unknown_keys(const Json& object, const std::vector<std::string_view>& known,
                         const char* what) {
  for (const auto& [key, value] : object.items())
    if (!std::ranges::count(known, key))
      throw UsageError("{} has no field '{}'{}", what, key, did_you_mean(key, known));
}

Robot::FrameWrench json_wrench(const Json& given, const Model& model) {
  if (!given.is_object() || !given.contains("frame") || !given["frame"].is_string())
    throw UsageError("a wrench needs a 'frame'");
  refuse_unknown_keys(given, {"frame", "moment", "force", "axes"}, "a wrench");
  Robot::FrameWrench made;
  made.frame = frame_named(model, given["frame"].get<std::string>()).name;
  made.wrench = {json_vector(given, "moment"), json_vector(given, "force")};
  const std::string axes = given.contains("axes") && given["axes"].is_string()
                               ? given["axes"].get<std::string>()
                               : "world";
  if (axes != "world" && axes != "local")
    throw UsageError("axes '{}' is neither 'world' nor 'local'", axes);
  made.axes = axes == "local" ? Axes::local : Axes::aligned;
  return made;
}

/// A document whose objects have each key once. Throws UsageError with the place of what is wrong.
Json parsed(const std::string& text) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw UsageError("'{}' is given twice", value.get<std::string>());
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception& e) {
    const std::string_view what =
        e.what();  // "[json.exception.parse_error.101] parse error at line 1, ..."
    throw UsageError("is not JSON: {}", what.substr(what.find("] ") + 2));
  }
}

constexpr const char* state_example = R"({"q": [0, 0.1], "qd": {"elbow": 0.5}})";

Json state_document(InputFile& in) {
  // a state is small; what is not must be a mistake
  constexpr std::size_t most = 16u << 20;
  const std::optional<std::string> text = in.text(most);
  if (!text) throw UsageError("a state has at most {} bytes", most);
  const Json document = parsed(*text);
  if (!document.is_object()) throw UsageError("a state is a JSON object: {}", state_example);
  if (document.contains("schema") && document["schema"].is_string())
    return state_of_result(document);
  refuse_unknown_keys(document, {"q", "qd", "qdd", "tau", "wrenches"}, "a state");
  return document;
}

}  // namespace

std::vector<double> numbers(const std::string& text, const std::string& what) {
  std::vector<double> list;
  for (const std::string& word : split(text, ',')) {
    const auto x = parse_number(word);
    if (!x) throw UsageError("{}: '{}' {}", what, word, number_defect(word));
    list.push_back(*x);
  }
  return list;
}

bool is_named(const std::string& text) { return text.find('=') != std::string::npos; }

std::vector<std::pair<std::string, double>> named_numbers(const std::string& text,
                                                          const std::string& what) {
  std::vector<std::pair<std::string, double>> list;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.rfind('=');
    if (equals == std::string::npos) throw UsageError("{}: '{}' is not NAME=VALUE", what, part);
    const std::string name = part.substr(0, equals);
    if (std::ranges::count(list, name, [](const auto& pair) { return pair.first; }))
      throw UsageError("{}: '{}' is given twice", what, name);
    list.emplace_back(name, numbers(part.substr(equals + 1), what).at(0));
  }
  return list;
}

Vec3<double> three_numbers(const std::string& text, const std::string& what) {
  return three_of(numbers(text, what), what);
}

Eigen::VectorXd configuration(Console& console, const Model& model, const std::string& text,
                              const std::string& option, bool closed) {
  if (closed)
    if (std::optional<Eigen::VectorXd> q = by_moving_joints(model, text, option)) return *q;
  return configuration_from(neutral(model), console, model, text, option);
}

Eigen::VectorXd configuration_from(Eigen::VectorXd q, Console& console, const Model& model,
                                   const std::string& text, const std::string& option) {
  if (!text.empty()) set_numbers(text, option, model.configuration_names(), q);
  normalize_given(console, model, q, option);
  return q;
}

bool has_limits(const Model& model) {
  return model.lower_limit().array().isFinite().any() ||
         model.upper_limit().array().isFinite().any() ||
         model.effort_limit().array().isFinite().any();
}

std::string beyond_limits(const Model& model, const Eigen::VectorXd& q) {
  const std::vector<std::string> names = model.configuration_names();
  std::vector<std::string> beyond;
  for (int i = 0; i < model.nq(); ++i) {
    const double low = model.lower_limit()(i), high = model.upper_limit()(i);
    if (q(i) < low - 1e-9 || q(i) > high + 1e-9)
      beyond.push_back(fmt::format("{} at {:.4g} ({:.4g} to {:.4g})", names[i], q(i), low, high));
  }
  return fmt::format("{}", fmt::join(beyond, ", "));
}

void mention_beyond_limits(Console& console, const Model& model, const Eigen::VectorXd& q) {
  if (const std::string beyond = beyond_limits(model, q); !beyond.empty())
    console.complain(fmt::format("begins beyond the limits: {}", beyond), Style::yellow);
}

void set_numbers(const std::string& text, const std::string& option,
                 const std::vector<std::string>& names, Eigen::VectorXd& values) {
  set_from_text({option.substr(2), names, values}, text);
}

Inertia<double> ball(std::vector<double> given, std::string_view example) {
  constexpr double radius = 0.05;  // m
  if (given.size() == 1) given.resize(4, 0.0);
  constexpr double heaviest = 1e6;  // kg
  if (given.size() != 4 || !(given[0] > 0.0 && given[0] <= heaviest))
    throw UsageError("--payload: give a mass above 0, up to {:g} kg, or a mass and a place{}",
                     heaviest, example);
  if (!(Vec3<double>(given[1], given[2], given[3]).cwiseAbs().maxCoeff() <= farthest_payload))
    throw UsageError("--payload: its place is beyond {:g} m", farthest_payload);
  return Transform<double>::from_translation({given[1], given[2], given[3]}) *
         solid_sphere(radius).with_mass(given[0]);
}

const Frame& frame_named(const Model& model, const std::string& name) {
  try {
    return model.frame(name);
  } catch (const std::out_of_range& e) {
    throw UsageError("{}", e.what());
  }
}

Eigen::RowVectorXd pose_row(const Pose& pose) {
  Eigen::RowVectorXd row(6);
  row << pose.xyz.transpose(), pose.rpy.transpose();
  return row;
}

std::vector<Column> pose_columns() {
  return {">x [m]", ">y [m]", ">z [m]", ">roll [rad]", ">pitch [rad]", ">yaw [rad]"};
}

void require_finite(std::string_view what, const std::vector<std::string>& rows,
                    const Eigen::MatrixXd& values) {
  for (Eigen::Index r = 0; r < values.rows(); ++r)
    if (!values.row(r).allFinite())
      throw Failure("{} of '{}' is not a finite number: the given values are too large", what,
                    rows[r]);
}

void require_columns(const Model& model, std::string_view quantity, const std::vector<int>& columns,
                     const std::string& file) {
  const std::vector<std::string> names = trajectory_names(model, quantity);
  if (columns.empty() && !names.empty())
    throw CsvError({file, 1, 0}, fmt::format("there are no columns for {}: {}", quantity,
                                             fmt::join(names, ", ")));
}

void refuse_no_rows(const std::string& file) {
  throw CsvError({file, 1, 0}, "the table has a header and no rows");
}

std::vector<std::string> table_names(const Model& model,
                                     std::initializer_list<std::string_view> quantities) {
  std::vector<std::string> names{"t"};
  for (const std::string_view quantity : quantities)
    for (const std::string& name : trajectory_names(model, quantity)) names.push_back(name);
  return names;
}

void print_per_joint(Console& console, const Model& model, const Json& before, const char* field,
                     const char* unit, const Eigen::VectorXd& values) {
  const std::vector<std::string> names = model.velocity_names();
  require_finite(field, names, values);
  if (console.json()) return console.print(merged({before, {{field, values}}}));
  console.out.print(
      matrix_text(console.out, "joint", names, {fmt::format(">{} [{}]", field, unit)}, values));
}

void States::add_to(Parser& app, std::string_view quantities, bool tables, const char* argument,
                    const char* meaning) {
  robot_.add_to(app, argument, meaning);
  app.add_option(tables ? "STATES" : "STATE", file_,
                 tables ? "a table (CSV) or one state (JSON); - for standard input"
                        : "one state (JSON); - for standard input");
  for (const std::string& name : split(quantities, ' ')) {
    const char* what = name == "q"     ? "positions"
                       : name == "qd"  ? "velocities"
                       : name == "qdd" ? "accelerations"
                                       : "torques";
    app.add_option("--" + name, given_[name],
                   fmt::format("{}, a number each, or NAME=VALUE,...", what))
        ->option_text("X,X,...");
  }
  if (quantities == "q") return;  // places depend on nothing else
  robot_.add_gravity_to(app);
}

void States::add_friction_to(Parser& app) {
  app.add_flag("--no-friction", no_friction_, "leave the joints' friction and damping out");
}

Robot States::load(Console& console) {
  require_one_stdin({robot_.name, file_});
  const Imported imported = robot_.load();
  mention_warnings(console, robot_, imported.diagnostics);
  Robot robot(imported.model);
  Plant<double>& plant = robot.plant();
  const auto none = [](const auto&... x) { return (x.isZero(0.0) && ...); };
  const DriveParameters<double>& drives = plant.drives;
  if (no_friction_ && none(plant.damping, plant.friction, plant.friction_negative, drives.damping,
                           drives.friction, drives.friction_negative))
    throw UsageError("--no-friction has no effect: '{}' has neither friction nor damping",
                     robot.model().name());
  if (no_friction_) plant.remove_friction();
  return robot;
}

bool States::is_table() {
  if (file_.empty() || in_) return in_ && table_;
  for (const auto& [name, text] : given_)
    if (!text.empty()) throw UsageError("--{} has no effect with a state from '{}'", name, file_);
  std::istream& in = in_.emplace(file_).stream();
  while (std::isspace(in.peek())) in.get();
  // a list is no table, but what is wrong with it is said by the reader of states
  table_ = in.peek() != '{' && in.peek() != '[';
  if (in.eof()) throw Failure("{}: it is empty: give a state (JSON) or a table (CSV)", in_->name());
  return table_;
}

void States::require_one_state() {
  if (is_table())
    throw Failure("{}: is not one state, which is a JSON object: {}", in_->name(), state_example);
}

GivenState States::state(Console& console, const Model& model) try {
  const Json document = in_ ? state_document(*in_) : Json::object();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv());
  GivenState made{neutral(model), zero, zero, zero, {}, {}};
  const std::vector<std::string> velocities = model.velocity_names();
  for (const Quantity& x : {Quantity{"q", model.configuration_names(), made.q},
                            {"qd", velocities, made.qd},
                            {"qdd", velocities, made.qdd},
                            {"tau", velocities, made.tau}}) {
    if (document.contains(x.name)) set_from_json(x, document[x.name]);
    std::optional<Eigen::VectorXd> closed;
    if (x.name == "q" && robot_.loops_closed) closed = by_moving_joints(model, given_["q"], "--q");
    if (closed)
      made.q = *closed;
    else if (!given_[x.name].empty())
      set_from_text(x, given_[x.name]);
    if (document.contains(x.name) || !given_[x.name].empty()) made.given.insert(x.name);
  }
  normalize_given(console, model, made.q, "q");
  if (!document.contains("wrenches")) return made;
  if (!document["wrenches"].is_array()) throw UsageError("wrenches is not a list");
  for (const Json& w : document["wrenches"]) try {
      made.wrenches.push_back(json_wrench(w, model));
    } catch (const UsageError& e) {
      throw UsageError("wrench {}: {}", made.wrenches.size() + 1, e.what());
    }
  return made;
} catch (const UsageError& e) {
  // what is wrong within a file is no matter of the command line
  if (!in_) throw;
  throw Failure("{}: {}", in_->name(), e.what());
}

Json States::json(const Model& model, const GivenState& state, std::string_view of) const {
  Json made{{"robot", robot_.json(model)},
            {"joints", model.velocity_names()},
            {"coordinates", model.configuration_names()}};
  const Eigen::VectorXd* const values[] = {&state.q, &state.qd, &state.qdd, &state.tau};
  const std::vector<std::string> names = split(of, ' ');
  for (std::size_t i = 0; i < std::size(quantities); ++i)
    if (std::ranges::count(names, quantities[i])) made[quantities[i]] = *values[i];
  if (!state.wrenches.empty())
    made["wrenches"] = list_of(state.wrenches, [](const Robot::FrameWrench& w) {
      return Json{{"frame", w.frame},
                  {"moment", w.wrench.moment},
                  {"force", w.wrench.force},
                  {"axes", w.axes == Axes::local ? "local" : "world"}};
    });
  return made;
}

void States::stream(Console& console, const Model& model, const std::vector<std::string>& names,
                    const std::function<void(const TableBlock&, Eigen::MatrixXd& out)>& compute) {
  constexpr int block = 4096;
  CsvReader reader(in_->stream(), in_->name());
  const TrajectoryColumns at = trajectory_columns(model, reader.names(), in_->name());
  struct Part {
    std::string name;
    const std::vector<int>& columns;
    Eigen::MatrixXd& values;
  };
  TableBlock in;
  const Part parts[] = {
      {"q", at.q, in.q}, {"qd", at.qd, in.qd}, {"qdd", at.qdd, in.qdd}, {"tau", at.tau, in.tau}};
  for (const Part& part : parts) {
    if (given_.contains(part.name)) require_columns(model, part.name, part.columns, in_->name());
    part.values.resize(part.name == "q" ? model.nq() : model.nv(), block);
  }

  std::vector<std::string> out_names;
  if (at.t >= 0) out_names.push_back(reader.names()[at.t]);
  out_names.insert(out_names.end(), names.begin(), names.end());
  std::optional<CsvWriter> csv;
  if (console.json())
    console.open({{"robot", robot_.json(model)}, {"columns", out_names}}, "rows");
  else
    csv.emplace(console.out.text(), out_names);
  const auto print = [&](std::span<const double> row, int line) {
    const auto bad = std::ranges::find_if_not(row, [](double x) { return std::isfinite(x); });
    if (bad != row.end())
      throw CsvError({in_->name(), line, 0},
                     fmt::format("'{}' is not a finite number: values of this row are too large",
                                 out_names[bad - row.begin()]));
    if (csv) return csv->write(row);
    std::vector<std::string> cells;
    for (const double x : row) cells.push_back(format_number(x));
    console.print_element(fmt::format("[{}]", fmt::join(cells, ", ")));
  };

  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(file_, unknown);
  Progress progress(console.err, unknown ? 1 : std::max<std::size_t>(bytes >> 20, 1));
  std::vector<double> row(reader.names().size()), line(out_names.size()), time(block);
  std::vector<int> lines(block);
  Eigen::MatrixXd result(names.size(), block);
  const bool turns_freely =
      std::ranges::any_of(model.joints(), [](const Joint& j) { return has_quaternion(j.type); });
  bool warned = false;
  std::optional<CsvError> bad;  // the row that ends it, after those before it
  bool any = false;
  // a reader that has seen enough needs no more of it
  for (bool more = true; more && !console.out.error();) {
    int n = 0;
    for (; n < block; ++n) try {
        if (!(more = reader.next(row))) break;
        lines[n] = reader.line();
        if (at.t >= 0) time[n] = row[at.t];
        for (const Part& part : parts)
          for (std::size_t i = 0; i < part.columns.size(); ++i)
            part.values(i, n) = row[part.columns[i]];
        if (!turns_freely) continue;
        const QuaternionLength worst = worst_quaternion(model, in.q.col(n));
        if (worst.zero())
          throw CsvError(
              {in_->name(), reader.line(), 0},
              fmt::format("the quaternion of '{}' has length {:g}", worst.joint, worst.length));
        if (!worst.unit() && !std::exchange(warned, true))
          console.complain(
              fmt::format("{}:{}: the quaternion of '{}' has length {:g}; it and others "
                          "are normalised",
                          in_->name(), reader.line(), worst.joint, worst.length),
              Style::yellow);
      } catch (const CsvError& e) {
        bad = e, more = false;
        break;
      }
    any = any || n > 0;
    if (n < block) {
      for (const Part& part : parts) part.values.conservativeResize(Eigen::NoChange, n);
      result.conservativeResize(Eigen::NoChange, n);
    }
    in.refused.clear();
    if (n > 0) compute(in, result);
    const std::size_t t = at.t >= 0 ? 1 : 0;
    for (int s = 0; s < n; ++s) {
      if (const auto why = in.refused.find(s); why != in.refused.end())
        throw CsvError({in_->name(), lines[s], 0}, why->second);
      if (t) line[0] = time[s];
      std::copy_n(result.col(s).data(), result.rows(), line.data() + t);
      print(line, lines[s]);
    }
    progress.at(reader.bytes() >> 20, "MB");
  }
  if (bad) throw *bad;
  if (!any && !console.out.error()) refuse_no_rows(in_->name());
  csv ? csv->flush() : console.print(Json::object());
}

}  // namespace ulna::cli
