#include <filesystem>
#include <map>

#include "cli.hpp"

using namespace ulna::test;

namespace {

TEST(CodegenVerb, writes_c_that_a_small_program_is_built_of) {
  const Folder folder;
  const RunResult r = run_cli({"codegen", "panda", "--functions", "id,M", "-o", folder.path("c")});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "panda_id.c"));
  EXPECT_TRUE(
      has(read_file(folder.path("c/panda_id.h")), "q[6], v[6], a[6], tau[6]: panda_joint7\n"));
  // the torques that hold the arm, printed with all digits, beside those of `ulna id`
  folder.write("main.c",
               "#include \"c/panda_id.h\"\n#include \"c/panda_M.h\"\n#include <stdio.h>\n"
               "int main(void) {\n"
               "  double q[7] = {0.1, 0.2, 0.3, -1.0, 0.5, 0.6, 0.7}, z[7] = {0}, tau[7], M[49];\n"
               "  panda_id(q, z, z, tau);\n  panda_M(q, M);\n"
               "  for (int i = 0; i < 7; ++i) printf(\"%.17g\\n\", tau[i]);\n"
               "  return M[0] > 0.0 && M[1] == M[7] ? 0 : 1;\n}\n");
  const std::string at = folder.path();
  const RunResult built =
      run({"cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-o", at + "/main",
           at + "/main.c", at + "/c/panda_id.c", at + "/c/panda_M.c", "-lm"});
  ASSERT_EQ(built.status, 0) << built.err;
  const RunResult got = run({at + "/main"});
  EXPECT_EQ(got.status, 0);
  const json d = document(run_cli({"id", "panda", "--json", "--q", "0.1,0.2,0.3,-1,0.5,0.6,0.7"}),
                          "ulna.id/1");
  std::istringstream numbers(got.out);
  for (const json& tau : d["tau"]) {
    double x = 0.0;
    ASSERT_TRUE(numbers >> x);
    EXPECT_NEAR(x, tau.get<double>(), 1e-12 * std::max(1.0, std::abs(x)));
  }
}

TEST(CodegenVerb, tells_what_it_wrote_as_json) {
  const Folder folder;
  const json d = document(run_cli({"codegen", "pendulum", "--json", "--float", "--functions",
                                   "Minv,did", "-o", folder.path("c")}),
                          "ulna.codegen/1");
  EXPECT_EQ(d["number"], "float");
  EXPECT_EQ(d["lanes"], 0);
  EXPECT_TRUE(has(read_file(d["wrapper"]), "namespace pendulum {"));
  ASSERT_EQ(d["functions"].size(), 2u);
  const json& did = d["functions"][1];
  EXPECT_EQ(did["name"], "pendulum_did");
  EXPECT_EQ(did["inputs"][0], (json{{"name", "q"}, {"size", 1}}));
  EXPECT_EQ(did["outputs"].size(), 4u);
  EXPECT_GT(did["operations"], 0);
  EXPECT_TRUE(has(read_file(did["source"]), "const float"));
}

TEST(CodegenVerb, takes_the_inertias_as_an_argument) {
  const Folder folder;
  const json d = document(run_cli({"codegen", "panda", "--json", "--parameters", "--functions",
                                   "id", "-o", folder.path("c")}),
                          "ulna.codegen/1");
  EXPECT_EQ(d["functions"][0]["inputs"][3], (json{{"name", "pi"}, {"size", 70}}));
}

/// What a folder holds: names and contents.
std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    all[entry.path().filename()] = read_file(entry.path());
  return all;
}

TEST(CodegenVerb, killed_halfway_leaves_every_file_as_it_was_or_as_it_is_to_be) {
  const Folder folder;
  const auto line = [&](const char* where) {
    return std::vector<std::string>{command_path(), "codegen", "panda",
                                    "-f",           "-o",      folder.path(where)};
  };
  std::vector<std::string> older = line("old");
  older.push_back("--float");
  ASSERT_EQ(run(older).status, 0);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run(line("new")).status, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  const auto before = contents(folder.path("old")), after = contents(folder.path("new"));
  ASSERT_EQ(before.size(), 11u);

  // all through the run
  for (int i = 1; i <= 40; ++i) {
    std::filesystem::remove_all(folder.path("killed"));
    std::filesystem::copy(folder.path("old"), folder.path("killed"));
    run(line("killed"), {.killed_after = whole * i / 36});
    const auto now = contents(folder.path("killed"));
    for (const auto& [name, text] : before) {
      ASSERT_TRUE(now.contains(name));
      EXPECT_TRUE(now.at(name) == text || now.at(name) == after.at(name))
          << name << ", killed at " << i << "/36";
    }
    // what was being written when it was killed has no final name
    for (const auto& [name, text] : now)
      EXPECT_TRUE(before.contains(name) || !(name.ends_with(".c") || name.ends_with(".h"))) << name;
  }

  // and at a place that does not depend on time: within the first file that is too large
  std::filesystem::copy(folder.path("old"), folder.path("full"));
  const RunResult full = run(line("full"), {.largest_file = 8192});
  EXPECT_EQ(full.status, 3);
  EXPECT_TRUE(has(full.err, "cannot write"));
  const auto now = contents(folder.path("full"));
  int still = 0, already = 0;
  for (const auto& [name, text] : before) still += now.at(name) == text;
  for (const auto& [name, text] : after) already += now.at(name) == text;
  EXPECT_GT(still, 0);
  EXPECT_GT(already, 0);
  EXPECT_EQ(still + already, 11);
  EXPECT_EQ(now.size(), before.size());
}

TEST(CodegenVerb, writes_a_header_of_cpp_that_needs_no_ulna) {
  const Folder folder;
  for (const bool single : {false, true}) {
    std::vector<std::string> line{"codegen", "panda", "--functions", "id,M,did",      "--lanes",
                                  "4",       "-f",    "-o",          folder.path("c")};
    if (single) line.push_back("--float");
    const RunResult r = run_cli(line);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_TRUE(has(r.out, "panda.hpp"));
    const std::string type = single ? "float" : "double", near = single ? "2e-5" : "1e-12";
    folder.write(
        "main.cpp",
        "#include \"c/panda.hpp\"\n#include <cmath>\n#include <vector>\n"
        "using N = " +
            type +
            ";\nusing V = std::array<N, 7>;\n"
            "template <class Q> concept fits = requires(Q q) { panda::M(q); };\n"
            "static_assert(fits<V&> && fits<const V&> && fits<N (&)[7]>);\n"
            "static_assert(!fits<std::array<N, 6>&> && !fits<std::vector<N>&> && !fits<N*>);\n"
            "static_assert(!fits<std::array<int, 7>&>);\n"
            "bool near(N x, N y) { return std::abs(x - y) <= N(" +
            near +
            ") * (1 + std::abs(y)); }\n"
            "int main() {\n"
            "  const V q{0.1, 0.2, 0.3, -1.0, 0.5, 0.6, 0.7}, v{1, 2, 3, 4, 5, 6, 7}, a{3, 1};\n"
            "  V into;\n  panda::id(q, v, a, into);\n  const V tau = panda::id(q, v, a);\n"
            "  const panda::did_result slope = panda::did(q, v, a);\n"
            "  const panda::Matrix<7, 7> M = panda::M(q);\n"
            "  const std::vector<V> many_q(6, q), many_v(6, v), many_a(6, a);\n"
            "  std::vector<V> many(6), fewer(5);\n  panda::id_states(many_q, many_v, many_a, "
            "many);\n"
            "  std::vector<panda::Matrix<7, 7>> masses(6);\n  panda::M_states(many_q, masses);\n"
            "  for (std::size_t i = 0; i < 7; ++i) {\n"
            "    if (into[i] != tau[i] || !near(slope.tau[i], tau[i]) || !near(many[5][i], "
            "tau[i])) return 1;\n"
            "    for (std::size_t k = 0; k < 7; ++k)\n"
            "      if (!near(slope.M(i, k), M(i, k)) || !near(masses[4](i, k), M(i, k))) return "
            "2;\n  }\n"
            "  try { panda::id_states(many_q, many_v, many_a, fewer); return 3; }\n"
            "  catch (const std::invalid_argument&) {}\n  return M(2, 2) > 0 ? 0 : 4;\n}\n");
    const std::string at = folder.path();
    for (const char* function : {"id", "M", "did"}) {
      const std::string base = at + "/c/panda_" + function;
      const RunResult c = run({"cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O0",
                               "-c", base + ".c", "-o", base + ".o"});
      ASSERT_EQ(c.status, 0) << c.err;
    }
    const RunResult built =
        run({"c++", "-std=c++20", "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Wconversion",
             "-Wno-float-conversion", "-Wno-narrowing", "-Werror", "-o", at + "/main",
             at + "/main.cpp", at + "/c/panda_id.o", at + "/c/panda_M.o", at + "/c/panda_did.o"});
    ASSERT_EQ(built.status, 0) << built.err;
    EXPECT_EQ(run({at + "/main"}).status, 0);
  }
}

TEST(CodegenVerb, does_not_overwrite_unless_told_to) {
  const Folder folder;
  folder.write("pendulum_id.h", "mine");
  const std::vector<std::string> line{"codegen", "pendulum", "-o", folder.path()};
  EXPECT_EQ(run_cli(line).status, 3);
  EXPECT_EQ(read_file(folder.path("pendulum_id.h")), "mine");
  // nothing else was begun
  EXPECT_FALSE(std::filesystem::exists(folder.path("pendulum_id.c")));
  std::vector<std::string> forced = line;
  forced.push_back("--force");
  EXPECT_EQ(run_cli(forced).status, 0);
  EXPECT_TRUE(has(read_file(folder.path("pendulum_id.h")), "void pendulum_id("));
}

TEST(CodegenVerb, refuses_what_makes_no_sense) {
  const Folder folder;
  EXPECT_EQ(run_cli({"codegen", "pendulum"}).status, 2);
  for (const char* wrong : {"", "id,", "nonsense"})
    EXPECT_EQ(run_cli({"codegen", "pendulum", "--functions", wrong, "-o", folder.path("c")}).status,
              2)
        << wrong;
  for (const char* lanes : {"0", "3", "-4", "32", "x"})
    EXPECT_EQ(run_cli({"codegen", "pendulum", "--lanes", lanes, "-o", folder.path("c")}).status, 2)
        << lanes;
  const RunResult big = run_cli({"codegen", "chain:65", "-o", folder.path("c")});
  EXPECT_EQ(big.status, 3);
  EXPECT_TRUE(has(big.err, "degrees of freedom"));
  folder.write("file", "");
  EXPECT_EQ(run_cli({"codegen", "pendulum", "-o", folder.path("file/c")}).status, 3);
}

}  // namespace
