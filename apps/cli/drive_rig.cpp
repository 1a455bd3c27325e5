#include "drive_rig.hpp"

#include <fstream>
#include <numbers>

#include "ulna/io/number.hpp"

#if ULNA_WITH_YAML
#include <yaml-cpp/yaml.h>
#endif

namespace ulna::cli {

#if ULNA_WITH_YAML
namespace {

/// Reads a map of a rig file key by key; refuses what is not known.
class RigKeys {
 public:
  RigKeys(const YAML::Node& node, std::string file) : node_(node), file_(std::move(file)) {
    if (!node.IsMap()) refuse(node, "is not a list of `key: value`");
  }
  bool text(const char* key, std::string& to) {
    const YAML::Node node = find(key);
    if (!node) return false;
    if (!node.IsScalar()) refuse(node, fmt::format("{} is not a single value", key));
    to = node.Scalar();
    return true;
  }
  void number(const char* key, double& to, double low, double high) {
    std::string word;
    if (!text(key, word)) return;
    const std::optional<double> x = parse_number(word);
    if (!x || !(*x >= low && *x <= high))
      refuse(node_[key], fmt::format("{}: '{}' is not a number from {:g} to {:g}", key,
                                     visible(word.substr(0, 40)), low, high));
    to = *x;
  }
  void whole(const char* key, int& to) {
    double x = to;
    number(key, x, 0.0, 1000.0);
    if (x != std::floor(x)) refuse(node_[key], fmt::format("{} is not a whole number", key));
    to = int(x);
  }
  YAML::Node find(const char* key) {
    known_.push_back(key);
    return node_[key];
  }
  void finish() const {
    for (const auto& entry : node_) {
      const std::string key = entry.first.as<std::string>("");
      if (std::ranges::count(known_, std::string_view(key)) == 0)
        refuse(entry.first, fmt::format("unknown key '{}'{}", visible(key.substr(0, 60)),
                                        did_you_mean(key, known_)));
    }
  }
  [[noreturn]] void refuse(const YAML::Node& node, const std::string& why) const {
    throw Failure("{}:{}: {}", file_, node.Mark().line + 1, why);
  }

 private:
  YAML::Node node_;
  std::string file_;
  std::vector<std::string_view> known_;
};

RigFile rig_file_of(const YAML::Node& root, const std::string& name) {
  constexpr double most = 1e6;
  RigFile file;
  RigKeys keys(root, name);
  keys.text("robot", file.robot), keys.text("address", file.address);
  keys.number("rate", file.rate, 1.0, 1e5), keys.number("delay", file.delay, 0.0, 1.0);
  std::string sensors;
  if (keys.text("torque_sensors", sensors)) {
    file.sensors_given = true;
    if (sensors != "none" && sensors != "motor" && sensors != "link")
      keys.refuse(root["torque_sensors"],
                  "torque_sensors: " + unknown_word(sensors, {"motor", "link", "none"}));
    file.sensors = sensors == "none"    ? link::TorqueSensors::none
                   : sensors == "motor" ? link::TorqueSensors::motor_side
                                        : link::TorqueSensors::link_side;
  }
  if (const YAML::Node joints = keys.find("joints")) {
    if (!joints.IsSequence()) keys.refuse(joints, "joints is not a list");
    for (const YAML::Node& node : joints) {
      RigKeys one(node, name);
      std::string joint;
      if (!one.text("name", joint)) one.refuse(node, "a joint has no name");
      RigFile::JointWiring& w = file.joints[joint];
      one.whole("reading", w.reading), one.whole("command", w.command);
      one.number("position", w.position, -most, most),
          one.number("velocity", w.velocity, -most, most);
      one.number("torque", w.torque, -most, most), one.number("drive", w.drive, -most, most);
      one.finish();
    }
  }
  keys.finish();
  if (file.robot.empty()) throw Failure("{}: there is no key 'robot'", name);
  return file;
}

}  // namespace

std::optional<RigFile> read_rig_file(const RobotArgument& given) {
  constexpr std::size_t most_bytes = 64 * 1024;
  if (!given.name.ends_with(".yaml") && !given.name.ends_with(".yml")) return std::nullopt;
  const std::optional<std::string> text = InputFile(given.name).text(most_bytes);
  if (!text) throw Failure("{}: is larger than {} bytes", given.name, most_bytes);
  // a table of a robot begins with its kind
  if (text->find("ulna:") != text->npos) return std::nullopt;
  try {
    return rig_file_of(YAML::Load(*text), given.name);
  } catch (const YAML::Exception& e) {
    throw Failure("{}:{}: is not YAML: {}", given.name, e.mark.line + 1, e.msg);
  }
}

#else

std::optional<RigFile> read_rig_file(const RobotArgument&) { return std::nullopt; }

#endif

std::string rig_file_text(const RigFile& file) {
  std::string text = "# a robot for `ulna drive`: docs/drive.md\n";
  const auto quoted = [](const std::string& s) {
    return '"' + replaced(s, {{"\\", "\\\\"}, {"\"", "\\\""}}) + '"';
  };
  text += fmt::format("robot: {}\naddress: {}\n", quoted(file.robot), quoted(file.address));
  text += fmt::format("rate: {:g}               # Hz\n", file.rate);
  text += fmt::format("torque_sensors: {}    # motor: before the gear, link: behind it, none\n",
                      link::to_string(file.sensors));
  text += fmt::format("delay: {:.4g}          # s, as found\n", file.delay);
  if (file.joints.empty()) return text;
  text +=
      "# numbers of the robot, from 1, that are read and commanded; a joint's position, velocity "
      "and measured torque is so many\n"
      "# times the robot's, and what is commanded is `drive` times the joint's torque\njoints:\n";
  for (const auto& [name, w] : file.joints)
    text += fmt::format(
        "  - {{name: {}, reading: {}, command: {}, position: {:.6g}, velocity: {:.6g}, torque: "
        "{:.6g}, drive: {:.6g}}}\n",
        quoted(name), w.reading, w.command, w.position, w.velocity, w.torque, w.drive);
  return text;
}

rig::Wiring wiring_of(const RigFile& file, const Model& model, const std::string& source) {
  const std::vector<std::string> names = model.velocity_names();
  rig::Wiring w(model.nv());
  for (const auto& [name, joint] : file.joints) {
    const auto found = std::ranges::find(names, name);
    const std::vector<std::string_view> known(names.begin(), names.end());
    if (found == names.end())
      throw Failure("{}: there is no joint '{}'{}", source, visible(name),
                    did_you_mean(name, known));
    const auto i = std::size_t(found - names.begin());
    for (const auto& [number, to] :
         {std::pair{joint.reading, &w.reading[i]}, {joint.command, &w.command[i]}}) {
      if (number > model.nv())
        throw Failure("{}: joint '{}': the robot has no number {}", source, visible(name), number);
      if (number > 0) *to = number - 1;
    }
    const auto at = Eigen::Index(i);
    w.position(at) = joint.position, w.velocity(at) = joint.velocity;
    w.torque(at) = joint.torque, w.drive(at) = joint.drive;
  }
  return w;
}

void set_wiring(RigFile& file, const rig::Wiring& w, const Model& model) {
  file.joints.clear();
  if (w.is_plain()) return;
  const std::vector<std::string> names = model.velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = Eigen::Index(i);
    file.joints[names[i]] = {w.reading[i] + 1, w.command[i] + 1, w.position(at),
                             w.velocity(at),   w.torque(at),     w.drive(at)};
  }
}

namespace {

/// A joint of the model by its name or its number from 1.
int joint_named(const Model& model, const std::string& word) {
  const std::vector<std::string> names = model.velocity_names();
  const auto found = std::ranges::find(names, word);
  if (found != names.end()) return int(found - names.begin());
  const std::optional<double> x = parse_number(word);
  if (!x || *x != std::floor(*x) || *x < 1.0 || *x > model.nv())
    throw UsageError("--mistake: '{}' is neither a joint's name nor a number from 1 to {}",
                     visible(word), model.nv());
  return int(*x) - 1;
}

double number_in(const std::string& word, double low, double high) {
  const std::optional<double> x = parse_number(word);
  if (!x || !(*x >= low && *x <= high))
    throw UsageError("--mistake: '{}' is not a number from {:g} to {:g}", visible(word), low, high);
  return *x;
}

}  // namespace

Mistakes mistakes_of(const Model& model, const std::vector<std::string>& words) {
  Mistakes m{rig::Wiring(model.nv())};
  for (const std::string& word : words) {
    const std::string kind = word.substr(0, word.find('='));
    const std::vector<std::string> values = word.find('=') == word.npos
                                                ? std::vector<std::string>{}
                                                : split(word.substr(word.find('=') + 1), ',');
    const auto need = [&](std::size_t n, const char* example) {
      if (values.size() != n)
        throw UsageError("--mistake: '{}' is not of the form {}", visible(word), example);
    };
    if (kind == "exchange") {
      need(2, "exchange=2,3");
      const auto i = std::size_t(joint_named(model, values[0])),
                 k = std::size_t(joint_named(model, values[1]));
      std::swap(m.wiring.reading[i], m.wiring.reading[k]),
          std::swap(m.wiring.command[i], m.wiring.command[k]);
    } else if (kind == "sign") {
      need(1, "sign=4");
      const Eigen::Index i = joint_named(model, values[0]);
      for (Eigen::VectorXd* x :
           {&m.wiring.position, &m.wiring.velocity, &m.wiring.torque, &m.wiring.drive})
        (*x)(i) *= -1.0;
    } else if (kind == "gear") {
      need(2, "gear=4,1.5");
      const Eigen::Index i = joint_named(model, values[0]);
      const double r = number_in(values[1], 0.1, 10.0);
      m.wiring.position(i) *= r, m.wiring.velocity(i) *= r, m.wiring.torque(i) /= r,
          m.wiring.drive(i) *= r;
    } else if (kind == "delay") {
      need(1, "delay=0.003");
      m.delay = number_in(values[0], 0.0, 0.05);
    } else if (kind == "degrees") {
      need(0, "degrees");
      m.wiring.position *= 180.0 / std::numbers::pi, m.wiring.velocity *= 180.0 / std::numbers::pi;
    } else if (kind == "link-side") {
      need(0, "link-side");
      m.link_side = true;
    } else {
      throw UsageError("--mistake: {}", unknown_word(kind, {"exchange", "sign", "degrees",
                                                            "link-side", "delay", "gear"}));
    }
  }
  return m;
}

}  // namespace ulna::cli
