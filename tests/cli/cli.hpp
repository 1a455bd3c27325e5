#pragma once

#include <nlohmann/json.hpp>
#include <set>

#include "support/paths.hpp"
#include "support/run_cli.hpp"

namespace ulna::test {

using nlohmann::json;

/// Whether a text has a part, lacks it, or begins with it; if not, the text is told.
inline testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}
inline testing::AssertionResult lacks(const std::string& text, const std::string& part) {
  if (text.find(part) == text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "there is '" << part << "' in:\n" << text;
}
inline testing::AssertionResult begins(const std::string& text, const std::string& part) {
  if (text.starts_with(part)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "does not begin with '" << part << "':\n" << text;
}

/// Standard output as JSON. Fails unless it is one document of this schema.
inline json document(const RunResult& result, const std::string& schema) {
  const json parsed = json::parse(result.out, nullptr, false);
  EXPECT_TRUE(parsed.is_object()) << result.out << result.err;
  if (!parsed.is_object()) return json::object();
  EXPECT_EQ(parsed.value("schema", ""), schema);
  return parsed;
}

inline std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& [key, value] : object.items()) names.insert(key);
  return names;
}

/// Compares with tests/cli/golden/<name>. With ULNA_UPDATE_GOLDEN set, writes it instead.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = project_path("tests/cli/golden/" + name);
  EXPECT_LE(widest_line(text), 80u) << text;
  if (std::getenv("ULNA_UPDATE_GOLDEN")) std::ofstream(path) << text;
  EXPECT_EQ(text, read_file(path));
}

/// An arm of two joints. What is put into a place appears there in the text.
struct Sample {
  std::string base_name = "base", elbow = "", arm_inertial = "", robot = "";

  std::string urdf() const {
    return "<?xml version=\"1.0\"?>\n<robot name=\"sample\">\n<link name=\"" + base_name +
           "\"/>\n<link name=\"arm\"><inertial><mass value=\"2\"/>"
           "<inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/>" +
           arm_inertial +
           "</inertial></link>\n<link name=\"hand\"><inertial><mass value=\"1\"/>"
           "<inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/>"
           "</inertial></link>\n<joint name=\"shoulder\" type=\"continuous\">\n<parent link=\"" +
           base_name +
           "\"/><child link=\"arm\"/><axis xyz=\"0 0 1\"/></joint>\n"
           "<joint name=\"elbow\" type=\"prismatic\"><parent link=\"arm\"/><child link=\"hand\"/>"
           "<axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"2\" effort=\"10\" velocity=\"3\"/>" +
           elbow + "</joint>\n" + robot + "</robot>\n";
  }
};

/// Readable, with one warning (rule tag: xacro-leftover) and one note (tag-ignored).
inline std::string doubtful_urdf() {
  return Sample{.robot = "<xacro:property name=\"a\" value=\"1\"/>\n<transmission/>\n"}.urdf();
}

/// Refused: a number with a unit.
inline std::string wrong_urdf() { return Sample{.elbow = "<dynamics damping=\"1Nm\"/>"}.urdf(); }

}  // namespace ulna::test
