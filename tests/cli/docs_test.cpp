#include "cli.hpp"

using namespace ulna::test;

namespace {

const std::string& manual() {
  static const std::string text = read_file(std::string(ULNA_TESTS_DIR) + "/../docs/cli.md");
  return text;
}

void expect_documented(const json& value) {
  if (value.is_object())
    for (const auto& [key, field] : value.items()) {
      EXPECT_TRUE(has(manual(), "`" + key + "`"));
      expect_documented(field);
    }
  if (value.is_array())
    for (const json& element : value) expect_documented(element);
}

TEST(Manual, documents_every_json_field) {
  const Folder folder;
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"check", "--json", "panda", "nowhere"},
           {"check", "--json", "--rules"},
           {"info", "--json", "fourbar"},
           {"info", "--json", "nowhere"},
           {"tree", "--json", "fourbar"},
           {"convert", "--json", "panda", folder.path("out.urdf")},
           {"robots", "--json", "panda"},
           {"id", "--json", "panda"},
           {"fd", "--json", "panda"},
           {"equations", "--json", "rp_fakhari", "--terms", "M,C,h,g"},
           {"terms", "--json", "panda", "--frame", "panda_link8"},
           {"ik", "--json", "panda", "--frame", "panda_link8", "--xyz", "0.4,0.1,0.5"}}) {
    const json d = json::parse(run_cli(line).out, nullptr, false);
    ASSERT_TRUE(d.is_object()) << testing::PrintToString(line);
    EXPECT_TRUE(has(manual(), "`" + d.value("schema", "?") + "`"));
    expect_documented(d);
  }
  expect_documented(
      document(run_cli({"info", "--json", "-"},
                       {.input = Sample{.elbow = "<mimic joint=\"shoulder\"/>"}.urdf()}),
               "ulna.info/1"));
}

TEST(Manual, documents_every_option) {
  for (const char* verb :
       {"check", "info", "tree", "convert", "robots", "id", "fd", "terms", "equations", "ik"}) {
    std::istringstream lines(run_cli({verb, "--help"}).out);
    for (std::string line; std::getline(lines, line) && line != "Examples";) {
      const std::size_t at = line.find("--");
      if (!line.starts_with("  -") || at == line.npos) continue;
      EXPECT_TRUE(has(manual(), "`" + line.substr(at, line.find(' ', at) - at))) << verb;
    }
  }
}

}  // namespace
