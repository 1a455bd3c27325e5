#include "mpc_config.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

#include "console.hpp"
#include "ulna/io/number.hpp"
#include "ulna/model/diagnostic.hpp"

#if ULNA_WITH_YAML
#include <yaml-cpp/yaml.h>
#endif

namespace ulna::cli {

#if ULNA_WITH_YAML
namespace {

constexpr std::size_t most_bytes = 64 * 1024;

/// Reads the keys of one map by name, and refuses those that were not read.
class Keys {
 public:
  Keys(const YAML::Node& node, std::string file, std::string what)
      : node_(node), file_(std::move(file)), what_(std::move(what)) {
    if (!node.IsMap()) refuse(node, fmt::format("{} is not a list of `key: value`", what_));
  }
  /// Refuses what was not read.
  void finish() const {
    const std::vector<std::string_view> known(read_.begin(), read_.end());
    for (const auto& entry : node_) {
      const std::string key = entry.first.as<std::string>("");
      if (!read_.contains(key))
        refuse(entry.first, fmt::format("unknown key '{}' in {}{}", visible(key), what_,
                                        did_you_mean(key, known)));
    }
  }

  YAML::Node operator[](const char* key) {
    read_.insert(key);
    return node_[key];
  }
  void text(const char* key, std::string& to) {
    if (const YAML::Node node = (*this)[key]) to = scalar(node, key);
  }
  void number(const char* key, double& to) {
    if (const YAML::Node node = (*this)[key]) to = number_of(node, key);
  }
  void number(const char* key, std::optional<double>& to) {
    if (const YAML::Node node = (*this)[key]) to = number_of(node, key);
  }
  template <class Integer>
  void integer(const char* key, Integer& to) {
    const YAML::Node node = (*this)[key];
    if (!node) return;
    const double x = number_of(node, key);
    if (x != std::floor(x) || !(x >= 0.0 && x <= 1e9))
      refuse(node, fmt::format("{} is {:g}, not a whole number from 0 to 1e9", key, x));
    to = static_cast<Integer>(x);
  }
  void vector(const char* key, Eigen::VectorXd& to) {
    const YAML::Node node = (*this)[key];
    if (!node) return;
    if (!node.IsSequence() || node.size() == 0 || node.size() > 1000)
      refuse(node, fmt::format("{} is not a list of numbers: [0, 0.5, ...]", key));
    to.resize(static_cast<Eigen::Index>(node.size()));
    for (std::size_t i = 0; i < node.size(); ++i)
      to(static_cast<Eigen::Index>(i)) = number_of(node[i], key);
  }
  template <class Kinds>
  void choice(const char* key, typename Kinds::value_type& to, const Kinds& kinds) {
    if (const YAML::Node node = (*this)[key]) to = chosen(node, key, kinds);
  }
  template <class Kinds>
  typename Kinds::value_type chosen(const YAML::Node& node, const char* key,
                                    const Kinds& kinds) const {
    const std::string name = scalar(node, key);
    return kind_from_string(kinds, name, [&](const std::string& known) {
      refuse(node, fmt::format("{} is '{}', not one of {}", key, visible(name), known));
    });
  }

  [[noreturn]] void refuse(const YAML::Node& node, const std::string& why) const {
    const YAML::Mark mark = node.Mark();
    throw UsageError(mark.is_null() ? fmt::format("{}: {}", file_, why)
                                    : fmt::format("{}:{}: {}", file_, mark.line + 1, why));
  }

 private:
  static std::string visible(const std::string& text) { return text.substr(0, 60); }
  std::string scalar(const YAML::Node& node, const char* key) const {
    if (!node.IsScalar()) refuse(node, fmt::format("{} is not a single value", key));
    return node.Scalar();
  }
  double number_of(const YAML::Node& node, const char* key) const {
    const std::string word = scalar(node, key);
    const std::optional<double> x = parse_number(word);
    if (!x) refuse(node, fmt::format("{}: '{}' {}", key, visible(word), number_defect(word)));
    return *x;
  }

  YAML::Node node_;
  std::string file_, what_;
  std::set<std::string, std::less<>> read_;
};

void read_parts(Keys& keys, const std::string& file, MpcScenario& s) {
  const auto part = [&](const char* key, auto read) {
    const YAML::Node node = keys[key];
    if (!node) return;
    Keys inner(node, file, fmt::format("'{}'", key));
    read(inner);
    inner.finish();
  };
  const auto each = [&](Keys& of, const char* key, const char* what, auto read) {
    const YAML::Node list = of[key];
    if (!list) return;
    if (!list.IsSequence()) of.refuse(list, fmt::format("{} is not a list", key));
    for (const YAML::Node& node : list) {
      Keys inner(node, file, what);
      read(inner);
      inner.finish();
    }
  };
  part("horizon", [&](Keys& k) { k.integer("steps", s.steps), k.number("step", s.step); });
  part("weights", [&](Keys& k) {
    k.number("position", s.position), k.number("velocity", s.velocity);
    k.number("torque", s.torque), k.number("terminal", s.terminal);
  });
  part("payload", [&](Keys& k) {
    s.payload.emplace();
    k.text("frame", s.payload->frame), k.number("mass", s.payload->mass);
    k.number("edge", s.payload->edge), k.number("at", s.payload->at);
    Eigen::VectorXd com = s.payload->com;
    k.vector("com", com);
    if (com.size() != 3) k.refuse(k["com"], "com is not three numbers");
    s.payload->com = com;
  });
  part("friction", [&](Keys& k) {
    ScenarioFriction grows;
    k.number("viscous", s.viscous), k.number("dry", s.dry);
    const bool does = static_cast<bool>(k["factor"]);
    k.number("factor", grows.factor), k.number("from", grows.from), k.number("to", grows.to);
    if (does) s.friction = grows;
  });
  part("sensors", [&](Keys& k) {
    k.number("position_noise", s.position_noise), k.number("velocity_noise", s.velocity_noise);
    k.number("torque_noise", s.torque_noise), k.number("dropout", s.sensor_dropout);
    k.number("nan", s.sensor_nan), k.integer("delay", s.sensor_delay);
    k.number("acceleration_noise", s.acceleration_noise);
    each(k, "wrenches", "a wrench sensor", [&](Keys& one) {
      ScenarioWrench sensor;
      one.text("link", sensor.link);
      one.number("moment_noise", sensor.moment_noise),
          one.number("force_noise", sensor.force_noise);
      s.wrenches.push_back(sensor);
    });
  });
  each(keys, "faults", "a fault", [&](Keys& k) {
    TrialFault fault;
    k.choice("kind", fault.kind, fault_kinds);
    k.number("from", fault.from), k.number("to", fault.to);
    s.faults.push_back(fault);
  });
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UsageError(fmt::format("{}: cannot be read", path));
  std::string text(most_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most_bytes)
    throw UsageError(fmt::format("{}: is larger than {} bytes", path, most_bytes));
  return text;
}

}  // namespace

bool is_mpc_config(std::string_view name) {
  if (!name.ends_with(".yaml") && !name.ends_with(".yml")) return false;
  // a robot's table has no key `robot`
  std::ifstream in{std::string(name)};
  for (std::string line; std::getline(in, line) && line.size() < most_bytes;)
    if (line.starts_with("robot:")) return true;
  return false;
}

MpcConfig read_mpc_config(const std::string& path) {
  YAML::Node root;
  try {
    root = YAML::Load(contents(path));
  } catch (const YAML::Exception& e) {
    throw UsageError(fmt::format("{}:{}: is not YAML: {}", path, e.mark.line + 1, e.msg));
  }
  MpcConfig config;
  MpcScenario& s = config.scenario;
  Keys keys(root, path, "the scenario");
  keys.text("robot", config.robot), keys.text("title", s.title);
  keys.number("duration", s.duration), keys.number("rate", s.rate_hz);
  keys.integer("seed", s.seed);
  keys.vector("start", s.start), keys.vector("goal", s.goal), keys.number("reach", s.reach);
  keys.vector("amplitude", s.amplitude), keys.vector("hz", s.hz);
  keys.choice("law", s.law, laws);
  keys.choice("transcription", s.transcription, transcriptions);
  if (const YAML::Node list = keys["knowledge"]) {
    if (!list.IsSequence() || list.size() == 0)
      keys.refuse(list, "knowledge is not a list: [identified, fixed]");
    s.knowledge.clear();
    for (const YAML::Node& node : list)
      s.knowledge.push_back(keys.chosen(node, "knowledge", knowledges));
  }
  keys.number("filter", s.filter_hz), keys.number("prior", s.prior_deviation);
  keys.number("deadline", s.deadline), keys.number("vary", s.vary);
  read_parts(keys, path, s);
  keys.finish();
  for (const auto& entry : root) {
    const std::string key = entry.first.Scalar();
    config.lines[key] = entry.first.Mark().line + 1;
    if (entry.second.IsMap())
      for (const auto& inner : entry.second)
        config.lines[key + "." + inner.first.Scalar()] = inner.first.Mark().line + 1;
  }
  return config;
}

#else

bool is_mpc_config(std::string_view) { return false; }
MpcConfig read_mpc_config(const std::string& path) {
  throw UsageError(fmt::format("{}: this ulna was built without yaml-cpp", path));
}

#endif

}  // namespace ulna::cli
