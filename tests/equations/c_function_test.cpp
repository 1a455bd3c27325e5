#include "support/dynamics.hpp"
#include "support/run_cli.hpp"
#include "ulna/equations/equations.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {
namespace {

using namespace equations;

/// Prints M, C, h and g at each line of q and v on standard input.
std::string program(const std::string& name, int n, bool parameters) {
  const std::string size = std::to_string(n);
  return "#include <stdio.h>\nint main(void)\n{\n  double q[" + size + "], v[" + size + "], M[" +
         size + "][" + size + "], C[" + size + "][" + size + "], h[" + size + "], g[" + size +
         "];\n  int i, j;\n  for (;;) {\n    for (i = 0; i < " + size +
         "; ++i) if (scanf(\"%lf\", &q[i]) != 1) return 0;\n    for (i = 0; i < " + size +
         "; ++i) if (scanf(\"%lf\", &v[i]) != 1) return 1;\n    " + name + "_equations(" +
         (parameters ? "&" + name + "_default, " : "") +
         "q, v, M, C, h, g);\n    for (i = 0; i < " + size + "; ++i) for (j = 0; j < " + size +
         "; ++j) printf(\"%.17g %.17g \", M[i][j], C[i][j]);\n    for (i = 0; i < " + size +
         "; ++i) printf(\"%.17g %.17g \", h[i], g[i]);\n    printf(\"\\n\");\n  }\n}\n";
}

void expect_program(const std::string& robot, const std::string& name, bool numeric) {
  SCOPED_TRACE(robot + (numeric ? ", numbers" : ", symbols"));
  const Model model = load_robot(robot).model;
  Options options;
  options.numeric = numeric;
  const Equations e(model, options);
  const int n = e.size();
  const Folder folder;
  const std::string source = e.c_function({Term::M, Term::C, Term::h, Term::gravity});
  const std::string file = folder.write("arm.c", source + program(name, n, !e.symbols().empty()));
  const RunResult compiled = run({"cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror",
                                  "-o", folder.path("arm"), file, "-lm"});
  ASSERT_EQ(compiled.status, 0) << compiled.err << source;

  constexpr int states = 20;
  std::string input;
  std::vector<Rig<double>> rigs;
  for (std::uint64_t seed = 1; seed <= states; ++seed) {
    Random random(seed);
    rigs.emplace_back(model, random);
    for (const Eigen::VectorXd& x : {rigs.back().q, rigs.back().v})
      for (const double number : x) {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g ", number);
        input += text;
      }
    input += "\n";
  }
  const RunResult ran = run({folder.path("arm")}, {.input = input});
  ASSERT_EQ(ran.status, 0);
  std::istringstream out(ran.out);
  for (Rig<double>& rig : rigs) {
    Eigen::MatrixXd M(n, n), C(n, n);
    Eigen::VectorXd h(n), g(n);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) out >> M(r, c) >> C(r, c);
    for (int r = 0; r < n; ++r) out >> h(r) >> g(r);
    ASSERT_TRUE(out);
    expect_close(M, rig.mass(), 1e-12);
    expect_close(C, rig.coriolis(), 1e-12);
    expect_close(h, Eigen::VectorXd(rig.coriolis() * rig.v), 1e-12);
    expect_close(g, rig.gravity(), 1e-12);
  }
}

TEST(CFunction, compiles_without_a_warning_and_computes_what_the_fast_algorithms_do) {
  for (const bool numeric : {false, true})
    for (const char* robot :
         {"pendulum", "double_pendulum", "twolink_fakhari", "twolink_fu", "twolink_notes",
          "twolink_overview", "rp_fakhari", "cartesian_fakhari", "scara", "modern_robotics_3r"})
      expect_program(robot, robot, numeric);
  expect_program("chain:3", "chain3", false);
  expect_program("chain:4", "chain4", false);
}

TEST(CFunction, of_any_names_compiles) {
  const std::string urdf =
      "<robot name=\"3 */ int&amp;\"><link name=\"a\"/><link name=\"*/ b ?\?/\"><inertial><origin "
      "xyz=\"0.2 0 0\"/><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
      "ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" type=\"continuous\"><parent "
      "link=\"a\"/><child link=\"*/ b ?\?/\"/><axis xyz=\"0 0 1\"/></joint></robot>";
  const Equations e(import_urdf(urdf, "odd.urdf").model);
  const Folder folder;
  const std::string file = folder.write("odd.c", e.c_function({Term::M, Term::C, Term::gravity}));
  const RunResult compiled = run({"cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror",
                                  "-c", "-o", folder.path("odd.o"), file});
  EXPECT_EQ(compiled.status, 0) << compiled.err;
}

}  // namespace
}  // namespace ulna::test
