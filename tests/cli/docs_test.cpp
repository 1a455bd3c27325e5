#include <cmath>

#include "cli.hpp"

using namespace ulna::test;

namespace {

const std::string& manual() {
  static const std::string text = read_file(project_path("docs/cli.md"));
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

/// A pendulum of 1 kg at 1 m, swung.
std::string hand_made_log() {
  std::ostringstream log;
  log << "t,q1,qd1,tau1\n";
  for (int k = 0; k < 600; ++k) {
    const double t = 0.01 * k, q = std::sin(3.0 * t), v = 3.0 * std::cos(3.0 * t);
    log << t << ',' << q << ',' << v << ',' << -9.0 * q + 9.81 * std::sin(q) << '\n';
  }
  return log.str();
}

TEST(Manual, documents_every_json_field) {
  const Folder folder;
  const std::string log = folder.write("log.csv", hand_made_log());
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"check", "--json", "panda", "nowhere"},
           {"check", "--json", "--rules"},
           {"info", "--json", "fourbar"},
           {"info", "--json", "nowhere"},
           {"tree", "--json", "fourbar"},
           {"convert", "--json", "panda", folder.path("out.urdf")},
           {"robots", "--json", "panda"},
           {"fk", "--json", "panda"},
           {"id", "--json", "panda"},
           {"id", "--json", "fourbar"},
           {"terms", "--json", "fourbar"},
           {"simulate", "--json", "fourbar", "--duration", "0.01"},
           {"fd", "--json", "panda"},
           {"equations", "--json", "rp_fakhari", "--terms", "M,C,h,g"},
           {"terms", "--json", "panda", "--frame", "panda_link8"},
           {"ik", "--json", "panda", "--frame", "panda_link8", "--xyz", "0.4,0.1,0.5"},
           {"count", "--json", "panda"},
           {"count", "--json", "chain", "--n", "1..7"},
           {"simplify", "--json", "puma560", "quintic"},
           {"excite", "--json", "double_pendulum", "--iterations", "1", "--starts", "1"},
           {"simulate", "--json", "pendulum", "--duration", "0.1"},
           {"simulate", "--json", "panda", "--floating-base", "--duration", "0.01"},
           {"mpc", "--json", "pendulum", "--rate", "100", "--payload", "0.2", "--duration", "1",
            "--knowledge", "identified,fixed,perfect"},
           {"codegen", "--json", "pendulum", "--out", folder.path("c")},
           {"identify", "--json", "pendulum", log, "--split", "0.5"},
           {"identify", "--json", "pendulum", log, "--online"},
           {"view", "--json", "pendulum", "--html", folder.path("v.html")},
           {"drive", "--json", "panda", "--address", "sim:ulna", "--hold", "0.1", "--rate", "200"},
           {"drive", "--json", "double_pendulum", "--address", "sim:ulna", "--checks"},
           {"compare", "--json", "pendulum", "--states", "2"}}) {
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
       {"check",    "info",      "tree", "convert", "robots",  "fk",       "id",      "fd",
        "terms",    "equations", "ik",   "count",   "compare", "simplify", "codegen", "excite",
        "identify", "simulate",  "mpc",  "view",    "drive",   "rig"}) {
    std::istringstream lines(run_cli({verb, "--help"}).out);
    for (std::string line; std::getline(lines, line) && line != "Examples";) {
      const std::size_t at = line.find("--");
      if (!line.starts_with("  -") || at == line.npos) continue;
      EXPECT_TRUE(has(manual(), "`" + line.substr(at, line.find(' ', at) - at))) << verb;
    }
  }
}

/// 12063 as 12,063.
std::string grouped(std::int64_t n) {
  std::string digits = std::to_string(n);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

TEST(FormulationsPage, tells_what_count_measures) {
  const std::string page = read_file(project_path("docs/formulations.md"));
  const json d = document(run_cli({"count", "chain", "--json", "--n", "2..20"}), "ulna.count/1");
  for (const char* list : {"formulations", "book"})
    for (const json& one : d[list]) {
      std::string row;
      for (const char* what : {"multiplications", "additions"})
        row += "| " + one["polynomial"][what].get<std::string>() + " ";
      for (const char* what : {"multiplications", "additions"})
        row += "| " + grouped(one[what][4].get<std::int64_t>()) + " ";  // n = 6
      EXPECT_TRUE(has(page, row + "|")) << one["name"];
    }
}

}  // namespace
