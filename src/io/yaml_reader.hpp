#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <sstream>

#include "io/reading.hpp"
#include "ulna/io/number.hpp"
#include "ulna/model/rules.hpp"

/// What readers of YAML share. Where there is yaml-cpp.
namespace ulna::detail {

/// Checks a text before a tree is made of it, which takes half a kilobyte a node: refuses deep and
/// very large ones, further documents, and aliases, each of which may stand for any number of nodes.
class YamlScout : public YAML::EventHandler {
 public:
  YamlScout(std::string file, Diagnostics& out) : file_(std::move(file)), out_(out) {}

  void OnDocumentStart(const YAML::Mark& at) override {
    if (++documents_ > 1) refuse(rules::yaml_malformed, at, "a second document begins");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& at, YAML::anchor_t) override { node(at); }
  void OnAlias(const YAML::Mark& at, YAML::anchor_t) override {
    refuse(rules::yaml_malformed, at, "an alias: it is not expanded");
  }
  void OnScalar(const YAML::Mark& at, const std::string&, YAML::anchor_t,
                const std::string&) override {
    node(at);
  }
  void OnSequenceStart(const YAML::Mark& at, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    enter(at);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& at, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    enter(at);
  }
  void OnMapEnd() override { --depth_; }

 private:
  static constexpr int most_nodes = 200'000, most_levels = 100;

  void node(const YAML::Mark& at) {
    if (++nodes_ > most_nodes)
      refuse(rules::input_too_large, at, "more than " + std::to_string(most_nodes) + " entries");
  }
  void enter(const YAML::Mark& at) {
    node(at);
    if (++depth_ > most_levels)
      refuse(rules::yaml_malformed, at,
             "lists and maps are nested more than " + std::to_string(most_levels) + " deep");
  }
  void refuse(const Rule& rule, const YAML::Mark& at, std::string seen) {
    out_.add(rule, {file_, at.line + 1, 0}, "", std::move(seen));
    out_.throw_if_errors();
  }

  std::string file_;
  Diagnostics& out_;
  int documents_ = 0, nodes_ = 0, depth_ = 0;
};

/// Reads maps of keys; each that is unknown, missing or of the wrong kind is reported with its line.
class YamlReader {
 public:
  YamlReader(std::string file, Diagnostics& out) : file_(std::move(file)), out_(out) {}

 protected:
  using Keys = std::initializer_list<std::string_view>;

  void report(const Rule& rule, const YAML::Node& node, std::string seen,
              std::string assumed = {}) {
    out_.add(rule, {file_, line_of(node), 0}, subject_, std::move(seen), std::move(assumed),
             remedy(rule));
  }
  /// The rule's, with the page that lists the keys of this kind of file.
  std::string remedy(const Rule& rule) const {
    std::string text(rule.remedy);
    constexpr std::string_view usual = "docs/formats.md";
    if (const std::size_t at = text.find(usual); at != text.npos)
      text.replace(at, usual.size(), page_);
    return text;
  }
  static int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

  /// "; did you mean 'mass'?" for a key in other letters, another word for a known one, or one that is misspelt. What
  /// begins with another letter is another word, unless all but one letter agree.
  static std::string advice(const YAML::Node& map, const std::string& key, Keys known) {
    static constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"weight", "mass"},       {"m", "mass"},
        {"cog", "com"},           {"center", "com"},
        {"centre", "com"},        {"ratio", "gear"},
        {"reduction", "gear"},    {"viscosity", "viscous"},
        {"viscosity", "damping"}, {"viscous", "damping"},
        {"vel", "velocity"},      {"speed", "velocity"},
        {"torque", "effort"},     {"force", "effort"},
        {"min", "lower"},         {"max", "upper"},
        {"rotor", "armature"},    {"rotor", "inertia"},
        {"kind", "type"},         {"id", "name"},
        {"axis", "screw"},        {"twist", "screw"},
        {"pose", "home"},         {"limit", "limits"}};
    std::string lower = key;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto is_known = [&](std::string_view name) {
      return std::ranges::find(known, name) != known.end();
    };
    const auto suggest = [](std::string_view name) {
      return "; did you mean '" + std::string(name) + "'?";
    };
    if (is_known(lower)) return suggest(lower);
    for (const auto& [word, name] : words)
      if (word == lower && is_known(name) && !map[std::string(name)]) return suggest(name);
    std::vector<std::string_view> alike;
    for (const std::string_view name : known)
      if (name[0] == lower[0]) alike.push_back(name);
    const std::string near = ulna::did_you_mean(lower, alike, 2);
    return near.empty() && lower.size() > 2 ? ulna::did_you_mean(lower, std::vector(known)) : near;
  }

  /// Whether it is a map; reports each key that cannot stand in it.
  bool keys(const YAML::Node& node, Keys known, std::string_view part = {}) {
    const Within within(subject_, part);
    if (!node.IsMap()) return report(rules::table_shape, node, "is not a map of keys"), false;
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      const std::string name = quoted("key", key);
      if (std::ranges::find(known, key) != known.end()) {
        if (!seen.insert(key).second)
          report(rules::tag_double, entry.first, name + " occurs again");
      } else if (const std::string near = advice(node, key, known); !near.empty()) {
        report(rules::tag_misspelt, entry.first, name + " is unknown" + near);
      } else {
        out_.add(rules::key_unknown, {file_, line_of(entry.first), 0}, subject_,
                 name + " is unknown", refuses_unknown_ ? "" : "skipped",
                 remedy(rules::key_unknown),
                 refuses_unknown_ ? Severity::error : Severity::warning);
      }
    }
    return true;
  }

  std::string text(const YAML::Node& node, const char* key,
                   const std::optional<std::string>& otherwise = {}, std::string_view part = {}) {
    const Within within(subject_, part);
    const YAML::Node value = node[key];
    if (value && value.IsScalar()) return value.Scalar();
    if (!value && otherwise) return *otherwise;
    report(rules::table_shape, node, quoted("needs", key) + " as text");
    return {};
  }

  /// A number, or an angle as people write it: pi/2, -3*pi/4, 90deg.
  double number(const YAML::Node& node, std::string_view part = {}) {
    const Within within(subject_, part);
    if (!node.IsScalar()) return report(rules::table_shape, node, "is not a number"), 0.0;
    if (const auto x = angle_or_number(node.Scalar()); x && std::isfinite(*x)) return *x;
    report(rules::number_invalid, node,
           "'" + shown(node.Scalar()) + "' " + std::string(number_defect(node.Scalar())));
    return 0.0;
  }
  double number(const YAML::Node& node, const char* key, double otherwise) {
    return node[key] ? number(node[key], key) : otherwise;
  }

  double not_negative(const YAML::Node& node, std::string_view part) {
    const Within within(subject_, part);
    const double x = number(node);
    if (x < 0.0) report(rules::friction_negative, node, format_number(x) + " is negative");
    return x;
  }

  static std::optional<double> angle_or_number(std::string_view s) {
    using std::numbers::pi;
    if (s.ends_with("deg")) {
      const auto x = parse_number(s.substr(0, s.size() - 3));
      return x ? std::optional(*x * pi / 180.0) : std::nullopt;
    }
    const std::size_t at = s.find("pi");
    if (at == std::string_view::npos) return parse_number(s);
    // [factor *] pi [/ divisor]
    std::string before(s.substr(0, at)), after(s.substr(at + 2));
    if (before.empty() || before == "-" || before == "+") before += "1*";
    if (after.empty()) after = "/1";
    if (!before.ends_with('*') || !after.starts_with('/')) return {};
    before.pop_back();
    const auto factor = parse_number(before), divisor = parse_number(after.substr(1));
    if (!factor || !divisor || *divisor == 0.0) return {};
    return *factor * pi / *divisor;
  }

  static bool is_list(const YAML::Node& node, std::size_t n) {
    return node && node.IsSequence() && node.size() == n;
  }
  template <int N>
  Eigen::Matrix<double, N, 1> numbers(const YAML::Node& list, std::string_view part = {}) {
    Eigen::Matrix<double, N, 1> x;
    for (int i = 0; i < N; ++i) x(i) = number(list[i], part);
    return x;
  }

  Vec3<double> vector(const YAML::Node& node) {
    if (is_list(node, 3)) return numbers<3>(node);
    report(rules::number_count, node, "is not a list of three numbers");
    return Vec3<double>::Zero();
  }
  Vec3<double> vector(const YAML::Node& node, const char* key) {
    const Within within(subject_, key);
    return node[key] ? vector(node[key]) : Vec3<double>(Vec3<double>::Zero());
  }

  Pose pose(const YAML::Node& node, std::string_view part = {}) {
    const Within within(subject_, part);
    if (node.IsMap()) return {vector(node, "xyz"), vector(node, "rpy")};
    report(rules::table_shape, node, "is not {xyz: [...], rpy: [...]}");
    return {};
  }

  std::string file_;
  Diagnostics& out_;
  std::string_view page_ = "docs/formats.md";  ///< that lists the keys
  bool refuses_unknown_ = false;               ///< keys; else they are skipped with a warning
  std::string subject_;                        ///< what is being read: "joint 'elbow'"
};

/// Calls read(root) with the tree of a text, and reports what is no YAML.
template <class Read>
void read_yaml(std::string_view text, const std::string& file, std::size_t most, Diagnostics& out,
               Read read) {
  if (text.size() > most)
    out.add(rules::input_too_large, {file, 0, 0}, "",
            "the table is larger than " + std::to_string(most) + " bytes");
  // yaml-cpp takes some of them for the end of the text
  const auto control = std::ranges::find_if(
      text, [](char c) { return is_control(c) && c != '\t' && c != '\r' && c != '\n'; });
  if (control != text.end())
    out.add(rules::yaml_malformed, {file, line_of(text, control - text.begin()), 0}, "",
            "a control character: the file is binary, or not UTF-8");
  const std::string utf8 = to_utf8(text, file, out);
  out.throw_if_errors();
  try {
    std::istringstream stream(utf8);
    YAML::Parser parser(stream);
    YamlScout scout(file, out);
    while (parser.HandleNextDocument(scout)) {
    }
    read(YAML::Load(utf8));
  } catch (const YAML::Exception& e) {
    out.add(rules::yaml_malformed, {file, e.mark.is_null() ? 0 : e.mark.line + 1, 0}, "", e.msg);
  }
}

}  // namespace ulna::detail
