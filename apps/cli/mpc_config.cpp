#include <fstream>
#include <set>
#include <sstream>

#include "mpc_scenario.hpp"
#include "ulna/io/number.hpp"
#include "verb.hpp"

#if ULNA_WITH_YAML
#include <yaml-cpp/yaml.h>
#endif

namespace ulna::cli {

#if ULNA_WITH_YAML
namespace {

constexpr std::size_t most_bytes = 64 * 1024;

/// Reads the keys of a map by name, "goal" or "horizon.steps", and refuses those that were not read.
class Keys {
 public:
  Keys(const YAML::Node& node, std::string file, std::string what)
      : node_(node), file_(std::move(file)), what_(std::move(what)) {
    if (!node.IsMap()) refuse(node, fmt::format("{} is not a list of `key: value`", what_));
    refuse_doubles(node);
  }
  /// Refuses what was not read.
  void finish() const {
    for (const auto& [name, part] : parts_) part.finish();
    const std::vector<std::string_view> known(read_.begin(), read_.end());
    for (const auto& entry : node_) {
      const std::string key = entry.first.as<std::string>("");
      if (!read_.contains(key))
        refuse(entry.first, fmt::format("unknown key '{}' in {}{}", shortened(key), what_,
                                        did_you_mean(key, known)));
    }
  }

  YAML::Node operator[](const std::string& key) {
    const std::size_t dot = key.find('.');
    const std::string own = key.substr(0, dot);
    read_.insert(own);
    const YAML::Node node = node_[own];
    if (!node || dot == key.npos) return node;
    return parts_.try_emplace(own, node, file_, fmt::format("'{}'", own))
        .first->second[key.substr(dot + 1)];
  }
  void text(const char* key, std::string& to) {
    if (const YAML::Node node = (*this)[key]) to = scalar(node, key);
  }
  template <class Number>
  void number(const char* key, Number& to) {
    if (const YAML::Node node = (*this)[key]) to = number_of(node, key);
  }
  template <class Integer>
  void integer(const char* key, Integer& to, double most = 1e9) {
    const YAML::Node node = (*this)[key];
    if (!node) return;
    const double x = number_of(node, key);
    if (x != std::floor(x) || !(x >= 0.0 && x <= most))
      refuse(node, fmt::format("{} is {:g}, not a whole number from 0 to {:g}", key, x, most));
    to = static_cast<Integer>(x);
  }
  /// A number for each joint in a list, or those of some by their names.
  void joints(const char* key, Eigen::VectorXd& to, MpcScenario& s) {
    const YAML::Node node = (*this)[key];
    if (!node || !node.IsMap()) return vector(key, to);
    refuse_doubles(node);
    for (const auto& entry : node)
      s.by_joint[key].emplace_back(scalar(entry.first, key), number_of(entry.second, key));
  }
  void vector(const char* key, Eigen::VectorXd& to) {
    const YAML::Node node = (*this)[key];
    if (!node) return;
    if (!node.IsSequence() || node.size() == 0 || node.size() > 1000)
      refuse(node, fmt::format("{} is not a list of numbers: [0, 0.5, ...]", key));
    to.resize(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) to(i) = number_of(node[i], key);
  }
  template <class Kinds>
  void choice(const char* key, typename Kinds::value_type& to, const Kinds& kinds) {
    if (const YAML::Node node = (*this)[key]) to = chosen(node, key, kinds);
  }
  template <class Kinds>
  typename Kinds::value_type chosen(const YAML::Node& node, const char* key,
                                    const Kinds& kinds) const {
    const std::string name = scalar(node, key);
    return kind_from_string(kinds, name, [&](const std::string& why) {
      refuse(node, fmt::format("{}: {}", key, why));
    });
  }
  /// Reads each map of a list.
  template <class Read>
  void each(const char* key, const char* what, Read read) {
    const YAML::Node list = (*this)[key];
    if (!list) return;
    if (!list.IsSequence()) refuse(list, fmt::format("{} is not a list", key));
    for (const YAML::Node& node : list) {
      Keys one(node, file_, what);
      read(one);
      one.finish();
    }
  }

  [[noreturn]] void refuse(const YAML::Node& node, const std::string& why) const {
    const YAML::Mark mark = node.Mark();
    if (mark.is_null()) throw Failure("{}: {}", file_, why);
    throw Failure("{}:{}: {}", file_, mark.line + 1, why);
  }

 private:
  void refuse_doubles(const YAML::Node& map) const {
    std::set<std::string> seen;
    for (const auto& entry : map)
      if (const std::string key = entry.first.as<std::string>(""); !seen.insert(key).second)
        refuse(entry.first, fmt::format("'{}' is given twice", shortened(key)));
  }
  /// The key of a value, which stands where it is looked for, in a line before it if the value is missing.
  std::optional<YAML::Node> key_of(const YAML::Node& value) const {
    for (const auto& entry : node_)
      if (entry.second.is(value)) return entry.first;
    for (const auto& [name, part] : parts_)
      if (const auto key = part.key_of(value)) return key;
    return {};
  }
  static std::string shortened(const std::string& text) { return text.substr(0, 60); }
  std::string scalar(const YAML::Node& node, const char* key) const {
    if (node.IsNull()) refuse(key_of(node).value_or(node), fmt::format("{} has no value", key));
    if (!node.IsScalar()) refuse(node, fmt::format("{} is not a single value", key));
    return node.Scalar();
  }
  double number_of(const YAML::Node& node, const char* key) const {
    const std::string word = scalar(node, key);
    const std::optional<double> x = parse_number(word);
    if (!x) refuse(node, fmt::format("{}: '{}' {}", key, shortened(word), number_defect(word)));
    return *x;
  }

  YAML::Node node_;
  std::string file_, what_;
  std::set<std::string> read_;
  std::map<std::string, Keys> parts_;
};

MpcScenario scenario_of(Keys& keys) {
  MpcScenario s;
  keys.text("robot", s.robot), keys.text("title", s.title);
  keys.number("deadline", s.trial.control.deadline), keys.number("vary", s.vary);
  keys.integer("seed", s.trial.sensors.seed, largest_seed);
  keys.integer("horizon.steps", s.trial.control.problem.steps);
  keys.integer("sensors.delay", s.trial.sensors.position.delay);
  keys.joints("start", s.start, s), keys.joints("goal", s.goal, s);
  keys.joints("amplitude", s.amplitude, s), keys.joints("hz", s.hz, s);
  keys.choice("law", s.trial.law, laws), keys.choice("plant", s.trial.plant, plants);
  keys.choice("transcription", s.trial.control.problem.transcription, transcriptions);
  if (const YAML::Node list = keys["knowledge"]) {
    if (!list.IsSequence() || list.size() == 0)
      keys.refuse(list, "knowledge is not a list: [identified, fixed]");
    s.knowledge.clear();
    for (const YAML::Node& node : list)
      s.knowledge.push_back(keys.chosen(node, "knowledge", knowledges));
  }
  if (const YAML::Node list = keys["drives"]) {
    if (!list.IsSequence() || list.size() == 0)
      keys.refuse(list, "drives is not a list: [plan, ignore]");
    s.drives.clear();
    for (const YAML::Node& node : list)
      s.drives.push_back(keys.chosen(node, "drives", drive_controls));
  }
  if (keys["payload"]) {
    ScenarioPayload& payload = s.payload.emplace();
    keys.text("payload.frame", payload.frame);
    Eigen::VectorXd com = payload.com;
    keys.vector("payload.com", com);
    if (com.size() != 3) keys.refuse(keys["payload.com"], "com is not three numbers");
    payload.com = com;
  }
  if (keys["supervisor"]) {
    s.trial.supervision.emplace();
    keys.choice("supervisor.reaction", s.trial.supervision->reaction, reactions);
  }
  ScenarioFriction grows;
  keys.number("friction.to", grows.to), keys.number("friction.from", grows.from);
  if (keys["friction.factor"]) s.friction = grows;
  for (const ScenarioNumber& number : numbers_of(s)) keys.number(number.key, number.value);
  keys.each("sensors.wrenches", "a wrench sensor", [&](Keys& k) {
    ScenarioWrench& sensor = s.wrenches.emplace_back();
    k.text("link", sensor.link);
    k.number("moment_noise", sensor.moment_noise), k.number("force_noise", sensor.force_noise);
  });
  keys.each("faults", "a fault", [&](Keys& k) {
    TrialFault& fault = s.trial.faults.emplace_back();
    k.choice("kind", fault.kind, fault_kinds);
    k.number("from", fault.from), k.number("to", fault.to);
  });
  keys.finish();  // before what is missing: a misspelt key is both
  for (const char* key : {"friction.from", "friction.to"})
    if (const YAML::Node node = keys[key]; node && !s.friction)
      keys.refuse(node, fmt::format("{} has no effect without friction.factor", key));
  return s;
}

/// A robot's table has no key `robot`, which may be indented or in braces.
bool is_scenario(std::istream&& in) {
  for (std::string line; std::getline(in, line) && line.size() < most_bytes;)
    if (const std::size_t first = line.find_first_not_of(" {");
        first != line.npos && line.substr(first).starts_with("robot:"))
      return true;
  return false;
}

/// Refuses text that is neither a robot nor a scenario; what is empty is refused where robots are read.
void refuse_neither(const RobotArgument& given, const std::string& name, bool yaml) {
  std::string text = given.text.value_or("");
  if (yaml && !given.text) {
    std::ifstream file(given.name);
    text.resize(most_bytes);
    text.resize(file.read(text.data(), most_bytes).gcount());
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == text.npos || text[first] == '<' || text.find("ulna:") != text.npos) return;
  throw Failure(
      "{}: neither a robot (URDF, or a table that begins with 'ulna:') nor a scenario, which has a "
      "key 'robot'",
      name);
}

}  // namespace

std::optional<MpcScenario> read_mpc_config(const RobotArgument& given) {
  const std::string name = given.source();
  const bool yaml = name.ends_with(".yaml") || name.ends_with(".yml");
  if (!(given.text ? is_scenario(std::istringstream(*given.text))
                   : yaml && is_scenario(std::ifstream(given.name)))) {
    refuse_neither(given, name, yaml);
    return std::nullopt;
  }
  const std::optional<std::string> text =
      given.text ? given.text : InputFile(given.name).text(most_bytes);
  if (!text || text->size() > most_bytes)
    throw Failure("{}: is larger than {} bytes", name, most_bytes);
  YAML::Node root;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(*text);
    if (documents.size() > 1)
      throw Failure("{}:{}: is a second scenario; give each a file of its own", name,
                    documents[1].Mark().line + 1);
    root = documents.at(0);
  } catch (const YAML::Exception& e) {
    throw Failure("{}:{}: is not YAML: {}", name, e.mark.line + 1, e.msg);
  }
  Keys keys(root, name, "the scenario");
  MpcScenario scenario = scenario_of(keys);
  const auto note = [&](const std::string& key, const YAML::Node& node) {
    scenario.places[key] = fmt::format("{}:{}: ", name, node.Mark().line + 1);
  };
  for (const auto& entry : root) {
    const std::string key = entry.first.Scalar();
    note(key, entry.first);
    if (entry.second.IsMap())
      for (const auto& inner : entry.second) note(key + "." + inner.first.Scalar(), inner.first);
  }
  return scenario;
}

#else

std::optional<MpcScenario> read_mpc_config(const RobotArgument&) { return std::nullopt; }

#endif

}  // namespace ulna::cli
