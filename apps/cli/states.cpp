#include "states.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "table.hpp"
#include "text.hpp"
#include "ulna/io/number.hpp"

namespace ulna::cli {

std::vector<double> numbers(const std::string& text, const std::string& what) {
  std::vector<double> list;
  for (const std::string& word : split(text, ',')) {
    const auto x = parse_number(word);
    if (!x) throw UsageError(fmt::format("{}: '{}' {}", what, word, number_defect(word)));
    list.push_back(*x);
  }
  return list;
}

static Vec3<double> three_of(const std::vector<double>& list, const std::string& what) {
  if (list.size() != 3)
    throw UsageError(fmt::format("{} takes 3 numbers, {} given", what, list.size()));
  return {list[0], list[1], list[2]};
}

Vec3<double> three_numbers(const std::string& text, const std::string& what) {
  return three_of(numbers(text, what), what);
}

void print_per_joint(Console& console, const Model& model, const char* field, const char* unit,
                     const Eigen::VectorXd& values) {
  const std::vector<std::string> names = model.velocity_names();
  if (!console.json())
    return console.out.print(
        matrix_text(console.out, {"joint", "", false, 0}, names, {{field, unit, true}}, values));
  Json document = console.document();
  document["joints"] = names;
  document[field] = to_json(values);
  console.print(document);
}

namespace {

/// A quantity of a robot: what its coordinates are called, and its value when it is not given.
struct Quantity {
  std::string name;
  std::vector<std::string> coordinates;
  Eigen::VectorXd value;
};

Quantity quantity(const Model& model, const std::string& name) {
  if (name == "q") return {name, model.configuration_names(), neutral(model)};
  return {name, model.velocity_names(), Eigen::VectorXd::Zero(model.nv())};
}

void set_all(Quantity& to, const std::vector<double>& values) {
  if (values.size() != to.coordinates.size())
    throw UsageError(fmt::format("{} has {} numbers, the robot needs {}: {}", to.name,
                                 values.size(), to.coordinates.size(),
                                 fmt::join(to.coordinates, ", ")));
  to.value = Eigen::Map<const Eigen::VectorXd>(values.data(), to.value.size());
}

void set_one(Quantity& to, const std::string& coordinate, double value) {
  const auto found = std::find(to.coordinates.begin(), to.coordinates.end(), coordinate);
  if (found == to.coordinates.end()) {
    const std::vector<std::string_view> names(to.coordinates.begin(), to.coordinates.end());
    throw UsageError(fmt::format("{}: the robot has no coordinate '{}'{}", to.name, coordinate,
                                 did_you_mean(coordinate, names)));
  }
  to.value(found - to.coordinates.begin()) = value;
}

/// "0,0.1,..." or "elbow=0.1,wrist=2".
void set_from_text(Quantity& to, const std::string& text) {
  if (text.find('=') == std::string::npos) return set_all(to, numbers(text, "--" + to.name));
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("--{}: '{}' is not NAME=VALUE", to.name, part));
    set_one(to, part.substr(0, equals), numbers(part.substr(equals + 1), "--" + to.name).at(0));
  }
}

void normalize_given(const Model& model, Quantity& q, const std::string& what) {
  normalize(model, q.value);
  if (!q.value.allFinite()) throw UsageError(what + ": the norm of a quaternion is zero");
}

double json_number(const Json& x, const std::string& what) {
  if (!x.is_number()) throw UsageError(fmt::format("{} is not a number", what));
  const double value = x.get<double>();
  if (!std::isfinite(value)) throw UsageError(fmt::format("{} is not finite", what));
  return value;
}

std::vector<double> json_numbers(const Json& list, const std::string& what) {
  if (!list.is_array()) throw UsageError(fmt::format("{} is not a list of numbers", what));
  std::vector<double> values;
  for (const Json& x : list) values.push_back(json_number(x, what));
  return values;
}

void set_from_json(Quantity& to, const Json& given) {
  if (given.is_object())
    for (const auto& [name, value] : given.items())
      set_one(to, name, json_number(value, fmt::format("{} of '{}'", to.name, name)));
  else
    set_all(to, json_numbers(given, to.name));
}

Vec3<double> json_vector(const Json& wrench, const char* key) {
  if (!wrench.contains(key)) return Vec3<double>::Zero();
  return three_of(json_numbers(wrench[key], key), key);
}

void refuse_unknown_keys(const Json& object, std::initializer_list<std::string_view> known,
                         const char* what) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::vector<std::string_view> names(known);
      throw UsageError(fmt::format("{} has no field '{}'{}", what, key, did_you_mean(key, names)));
    }
}

Robot::FrameWrench json_wrench(const Json& given, const Model& model) {
  if (!given.is_object() || !given.contains("frame") || !given["frame"].is_string())
    throw UsageError("a wrench needs a 'frame'");
  refuse_unknown_keys(given, {"frame", "moment", "force", "axes"}, "a wrench");
  Robot::FrameWrench made;
  made.frame = given["frame"].get<std::string>();
  try {
    (void)model.frame(made.frame);
  } catch (const std::out_of_range& e) {
    throw UsageError(e.what());
  }
  made.wrench = {json_vector(given, "moment"), json_vector(given, "force")};
  const std::string axes = given.contains("axes") && given["axes"].is_string()
                               ? given["axes"].get<std::string>()
                               : "world";
  if (axes != "world" && axes != "local")
    throw UsageError(fmt::format("axes '{}' is neither 'world' nor 'local'", axes));
  made.axes = axes == "local" ? Axes::local : Axes::aligned;
  return made;
}

}  // namespace

void States::add_to(CLI::App& app, std::string_view quantities) {
  robot_.add_to(app);
  app.add_option("STATES", file_, "a table (CSV) or one state (JSON); - for standard input");
  for (const std::string& name : split(quantities, ' ')) {
    const char* what = name == "q"     ? "positions"
                       : name == "qd"  ? "velocities"
                       : name == "qdd" ? "accelerations"
                                       : "torques";
    app.add_option("--" + name, given_[name],
                   fmt::format("{}, a number each, or NAME=VALUE,...", what))
        ->option_text("X,X,...");
  }
  app.add_option("--gravity", gravity_, "the gravity vector, in place of the robot's")
      ->option_text("X,Y,Z");
  app.add_flag("--no-friction", no_friction_, "leave the joints' friction and damping out");
}

Robot States::load() {
  if (robot_.name == "-" && file_ == "-")
    throw UsageError("ROBOT and STATES cannot both come from standard input");
  Imported imported = robot_.load();
  if (!gravity_.empty())
    imported.model = imported.model.with_gravity(three_numbers(gravity_, "--gravity"));
  Robot robot(imported.model);
  if (no_friction_) robot.plant().remove_friction();
  return robot;
}

bool States::is_table() {
  if (file_.empty()) return false;
  for (const auto& [name, text] : given_)
    if (!text.empty()) throw UsageError(fmt::format("give either STATES or --{}", name));
  if (file_ == "-") {
    in_ = &std::cin;
  } else {
    std::error_code error;
    opened_ = std::make_unique<std::ifstream>(file_, std::ios::binary);
    if (std::filesystem::is_directory(file_, error) || !*opened_)
      throw std::runtime_error(fmt::format("{}: cannot be read", file_));
    const auto size = std::filesystem::file_size(file_, error);
    bytes_ = error ? 0 : static_cast<std::size_t>(size);
    in_ = opened_.get();
  }
  while (std::isspace(in_->peek())) in_->get();
  return in_->peek() != '{';
}

GivenState States::state(const Model& model) {
  Quantity q = quantity(model, "q"), qd = quantity(model, "qd"), qdd = quantity(model, "qdd"),
           tau = quantity(model, "tau");
  GivenState made;
  if (in_) {
    // a state is small; what is not must be a mistake
    constexpr std::size_t most = 16u << 20;
    std::string text(most + 1, '\0');
    in_->read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in_->gcount()));
    if (text.size() > most)
      throw UsageError(fmt::format("{}: a state has at most {} bytes", table_name(), most));
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object()) throw UsageError(fmt::format("{}: not a JSON object", table_name()));
    refuse_unknown_keys(document, {"q", "qd", "qdd", "tau", "wrenches"}, "a state");
    for (Quantity* x : {&q, &qd, &qdd, &tau})
      if (document.contains(x->name)) set_from_json(*x, document[x->name]);
    if (document.contains("wrenches")) {
      if (!document["wrenches"].is_array()) throw UsageError("wrenches is not a list");
      for (const Json& w : document["wrenches"]) made.wrenches.push_back(json_wrench(w, model));
    }
  } else {
    for (Quantity* x : {&q, &qd, &qdd, &tau})
      if (const auto text = given_.find(x->name); text != given_.end() && !text->second.empty())
        set_from_text(*x, text->second);
  }
  normalize_given(model, q, "q");
  made.q = q.value, made.qd = qd.value, made.qdd = qdd.value, made.tau = tau.value;
  return made;
}

Eigen::VectorXd States::configuration(const Model& model, const std::string& text,
                                      const std::string& option) {
  Quantity q = quantity(model, "q");
  q.name = option.substr(2);
  if (!text.empty()) set_from_text(q, text);
  normalize_given(model, q, option);
  return q.value;
}

namespace {

/// The rows of a table as they go out: CSV, or one JSON document that is never held whole.
class RowsOut {
 public:
  RowsOut(Console& console, const std::vector<std::string>& names)
      : console_(console), names_(names) {
    if (!console.json()) {
      writer_ = std::make_unique<CsvWriter>(std::cout, names);
      return;
    }
    std::string begin = console.document().dump();
    begin.pop_back();
    console.out.print(
        fmt::format("{}, \"columns\": {}, \"rows\": [", begin,
                    Json(names).dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
  void row(std::span<const double> values) {
    if (writer_) return writer_->write(values);
    std::string text = first_ ? "\n  [" : ",\n  [";
    for (std::size_t i = 0; i < values.size(); ++i)
      text += (i ? ", " : "") + format_number(values[i]);
    console_.out.print(text + "]");
    first_ = false;
  }
  void finish() {
    if (writer_)
      writer_->flush(), std::cout.flush();
    else
      console_.out.print("\n]}\n");
  }

 private:
  Console& console_;
  std::vector<std::string> names_;
  std::unique_ptr<CsvWriter> writer_;
  bool first_ = true;
};

}  // namespace

void stream_table(States& states, Console& console, const Model& model,
                  const std::vector<std::string>& needed, const std::vector<std::string>& names,
                  const std::function<void(const TableBlock&, Eigen::MatrixXd& out)>& compute) {
  constexpr int block = 4096;
  CsvReader reader(states.table(), states.table_name());
  const TrajectoryColumns at = trajectory_columns(model, reader.names(), states.table_name());
  struct Part {
    std::string name;
    const std::vector<int>& columns;
    Eigen::MatrixXd& values;
  };
  TableBlock in;
  const Part parts[] = {
      {"q", at.q, in.q}, {"qd", at.qd, in.qd}, {"qdd", at.qdd, in.qdd}, {"tau", at.tau, in.tau}};
  for (const Part& part : parts) {
    const bool wanted = std::find(needed.begin(), needed.end(), part.name) != needed.end();
    if (wanted && part.columns.empty() && (part.name == "q" ? model.nq() : model.nv()) > 0)
      throw CsvError({states.table_name(), 1, 0},
                     fmt::format("there are no columns for {}: {}", part.name,
                                 fmt::join(trajectory_names(model, part.name), ", ")));
    part.values.resize(part.name == "q" ? model.nq() : model.nv(), block);
  }

  std::vector<std::string> out_names;
  if (at.t >= 0) out_names.push_back(reader.names()[static_cast<std::size_t>(at.t)]);
  out_names.insert(out_names.end(), names.begin(), names.end());
  RowsOut out(console, out_names);
  Progress progress(console.err, std::max<std::size_t>(states.table_bytes() >> 20, 1));

  std::vector<double> row(reader.names().size()), line(out_names.size()), time(block);
  Eigen::MatrixXd result(static_cast<Eigen::Index>(names.size()), block);
  for (bool more = true; more;) {
    int n = 0;
    while (n < block && (more = reader.next(row))) {
      if (at.t >= 0) time[static_cast<std::size_t>(n)] = row[static_cast<std::size_t>(at.t)];
      for (const Part& part : parts)
        for (std::size_t i = 0; i < part.columns.size(); ++i)
          part.values(static_cast<int>(i), n) = row[static_cast<std::size_t>(part.columns[i])];
      ++n;
    }
    if (n == 0) break;
    if (n < block) {
      for (const Part& part : parts) part.values.conservativeResize(Eigen::NoChange, n);
      result.conservativeResize(Eigen::NoChange, n);
    }
    compute(in, result);
    const std::size_t t = at.t >= 0 ? 1 : 0;
    for (int s = 0; s < n; ++s) {
      if (t) line[0] = time[static_cast<std::size_t>(s)];
      std::copy_n(result.col(s).data(), result.rows(), line.data() + t);
      out.row(line);
    }
    progress.at(reader.bytes() >> 20, "MB");
  }
  out.finish();
}

}  // namespace ulna::cli
