#include <filesystem>

#include "cli.hpp"

using namespace ulna::test;

namespace {

TEST(CodegenVerb, writes_c_that_a_small_program_is_built_of) {
  const Folder folder;
  const RunResult r = run_cli({"codegen", "panda", "--functions", "id,M", "-o", folder.path("c")});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "panda_id.c"));
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

TEST(CodegenVerb, killed_halfway_leaves_whole_files_only) {
  const Folder folder;
  ASSERT_EQ(run_cli({"codegen", "panda", "-o", folder.path("whole")}).status, 0);
  int left = 0;
  for (const char* seconds : {"0.002", "0.005", "0.01", "0.015", "0.02", "0.03"}) {
    run({"timeout", "-s", "KILL", seconds, ULNA_CLI, "codegen", "panda", "-f", "-o",
         folder.path("killed")});
    for (const char* name : {"id", "fd", "M", "did", "dfd"})
      for (const char* end : {".h", ".c"}) {
        const std::string file = std::string("/panda_") + name + end;
        if (!std::filesystem::exists(folder.path("killed") + file)) continue;
        ++left;
        EXPECT_EQ(read_file(folder.path("killed") + file), read_file(folder.path("whole") + file));
      }
  }
  RecordProperty("files_left", left);
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
  const RunResult big = run_cli({"codegen", "chain:65", "-o", folder.path("c")});
  EXPECT_EQ(big.status, 3);
  EXPECT_TRUE(has(big.err, "degrees of freedom"));
  folder.write("file", "");
  EXPECT_EQ(run_cli({"codegen", "pendulum", "-o", folder.path("file/c")}).status, 3);
}

}  // namespace
