#include "cli.hpp"

using namespace ulna::test;

namespace {

bool built_with_symbols() {
  static const bool yes = run_cli({"equations", "pendulum"}).status == 0;
  return yes;
}

class EquationsVerb : public testing::Test {
 protected:
  void SetUp() override {
    if (!built_with_symbols()) GTEST_SKIP() << "this ulna was built without GiNaC";
  }
};

TEST(EquationsVerbWithoutGinac, says_how_to_get_it) {
  if (built_with_symbols()) GTEST_SKIP() << "this ulna was built with GiNaC";
  const RunResult r = run_cli({"equations", "pendulum"});
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(has(r.err, "libginac-dev"));
}

TEST_F(EquationsVerb, writes_text_in_80_columns_and_in_ascii_where_it_must) {
  const RunResult r = run_cli({"equations", "double_pendulum"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(has(r.out, "\nC12 = -m2 l1 lc2 sin(θ2) (θ̇1 + θ̇2)\n"));
  EXPECT_TRUE(has(r.out, "  lc1           0.2  m      centre of mass of link 'upper'\n"));
  const RunResult plain =
      run_cli({"equations", "double_pendulum"}, {.environment = {{"LC_ALL", "C"}}});
  EXPECT_TRUE(has(plain.out, "\nC12 = -m2*l1*lc2*sin(th2)*(th1' + th2')\n"));
  for (const char c : plain.out) ASSERT_TRUE(c == '\n' || (c >= ' ' && c < 127)) << plain.out;
  EXPECT_LE(widest_line(run_cli({"equations", "scara", "--terms", "M"}).out), 80u);
}

TEST_F(EquationsVerb, prints_the_terms_asked_for) {
  const std::string out = run_cli({"equations", "pendulum", "--terms", "g,M"}).out;
  EXPECT_TRUE(has(out, "\nM11 = m1 l1² + I1\n"));
  EXPECT_TRUE(has(out, "\ng1 = m1 l1 g sin(θ1)\n"));
  EXPECT_TRUE(lacks(out, "C11"));
  for (const char* wrong : {"X", "", "M,", "m", "M;C"}) {
    const RunResult r = run_cli({"equations", "pendulum", "--terms", wrong});
    EXPECT_EQ(r.status, 2) << wrong;
    EXPECT_EQ(r.out, "");
  }
  EXPECT_EQ(run_cli({"equations", "pendulum", "--latex", "--c"}).status, 2);
}

TEST_F(EquationsVerb, tells_all_as_json) {
  const json d = document(run_cli({"equations", "rp_fakhari", "--json", "--terms", "M,h"}),
                          "ulna.equations/1");
  EXPECT_EQ(keys(d), (std::set<std::string>{"schema", "robot", "coordinates", "symbols", "M", "h",
                                            "latex", "c"}));
  EXPECT_EQ(d["M"][0][0], "m1*L1^2 + m2*d2^2 + I1 + I2");
  EXPECT_EQ(d["h"], json({"2*m2*d2*th1'*d2'", "-m2*d2*th1'^2"}));
  EXPECT_EQ(d["symbols"][0], json({{"symbol", "m1"},
                                   {"value", 2.0},
                                   {"unit", "kg"},
                                   {"meaning", "mass of link 'sleeve'"}}));
}

TEST_F(EquationsVerb, refuses_what_is_too_long_or_wrong) {
  const RunResult big = run_cli({"equations", "chain:18"});
  EXPECT_EQ(big.status, 3);
  EXPECT_EQ(big.out, "");
  EXPECT_TRUE(has(big.err, "18 degrees of freedom"));
  EXPECT_TRUE(has(big.err, "ulna terms"));
  // a shorter one would be refused as well
  EXPECT_TRUE(has(run_cli({"equations", "delta"}).err, "closes a loop"));
  EXPECT_TRUE(has(run_cli({"equations", "quadruped"}).err, "is floating"));
  const RunResult wrong = run_cli({"equations", "double_pendulum", "--let", "lc1=l1/3"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(has(wrong.err, "lc1 is 0.2"));
  const json d = document(run_cli({"equations", "ball_wrist", "--json"}), "ulna.equations/1");
  EXPECT_TRUE(has(d.value("error", ""), "joint 'wrist' is ball"));
}

TEST_F(EquationsVerb, reads_standard_input_and_shows_names_harmless) {
  const RunResult r = run_cli({"equations", "-"}, {.input = Sample{.base_name = "base"}.urdf()});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "mass of link 'hand'"));
}

}  // namespace
