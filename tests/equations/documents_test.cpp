#include <gtest/gtest.h>

#include "support/paths.hpp"
#include "ulna/equations/equations.hpp"
#include "ulna/io/import.hpp"

// Closed forms of the source documents, typed in from them and corrected where they are misprinted,
// identical to what is derived from the robots: the difference is zero symbol by symbol.
namespace ulna::test {
namespace {

using namespace equations;

struct ClosedForm {
  std::vector<std::vector<std::string>> M, C;
  std::vector<std::string> h, g;
};

std::string example(const std::string& name) {
  return test::project_path("examples/arms/" + std::string(name));
}

void expect_form(const std::string& robot, const ClosedForm& form,
                 const std::vector<std::string>& let = {}) {
  Options options;
  options.let = let;
  const Equations e(load_robot(robot).model, options);
  const int n = e.size();
  ASSERT_EQ(form.M.size(), static_cast<std::size_t>(n));
  const auto check = [&](Term term, int r, int c, const std::string& expected) {
    EXPECT_TRUE(e.equal(term, r, c, expected))
        << robot << ", element " << r + 1 << c + 1 << ": expected " << expected << ", derived "
        << e.element(term, r, c, Notation::ascii);
  };
  for (int r = 0; r < n; ++r) {
    const auto row = static_cast<std::size_t>(r);
    for (int c = 0; c < n; ++c) {
      const auto column = static_cast<std::size_t>(c);
      check(Term::M, r, c, form.M[row][column]);
      if (!form.C.empty()) check(Term::C, r, c, form.C[row][column]);
    }
    if (!form.h.empty()) check(Term::h, r, 0, form.h[row]);
    check(Term::gravity, r, 0, form.g[row]);
  }
}

// Fakhari 2024, Example 1: part 1 stands on the axis, so only part 2 is felt, by its distance l2 cos(phi).
TEST(ClosedForms, of_000_example_1_a_bent_link) {
  expect_form(example("fakhari_1.urdf"), {{{"m2*l2^2*cos(phi)^2"}}, {{"0"}}, {"0"}, {"0"}},
              {"phi1=phi"});
}

// Fakhari 2024, Example 2, as printed.
TEST(ClosedForms, of_000_example_2_point_masses) {
  expect_form("twolink_fakhari",
              {{{"m1*L1^2 + m2*(L1^2 + 2*L1*L2*cos(th2) + L2^2)", "m2*(L1*L2*cos(th2) + L2^2)"},
                {"m2*(L1*L2*cos(th2) + L2^2)", "m2*L2^2"}},
               {},
               {"-m2*L1*L2*sin(th2)*(2*v1*v2 + v2^2)", "m2*L1*L2*v1^2*sin(th2)"},
               {"(m1 + m2)*L1*g*cos(th1) + m2*g*L2*cos(th1 + th2)", "m2*g*L2*cos(th1 + th2)"}});
}

// Fakhari 2024, Example 3, which gives the problem only: by Lagrange with
// T = (I1 + m1 L1² + I2 + m2 d2²) v1²/2 + m2 v2²/2 and V = (m1 L1 + m2 d2) g sin th1.
TEST(ClosedForms, of_000_example_3_a_turning_and_a_sliding_joint) {
  expect_form("rp_fakhari", {{{"I1 + I2 + m1*L1^2 + m2*d2^2", "0"}, {"0", "m2"}},
                             {{"m2*d2*v2", "m2*d2*v1"}, {"-m2*d2*v1", "0"}},
                             {"2*m2*d2*v1*v2", "-m2*d2*v1^2"},
                             {"(m1*L1 + m2*d2)*g*cos(th1)", "m2*g*sin(th1)"}});
}

// Fakhari 2024, Example 4: three masses; the first axis is the vertical one.
TEST(ClosedForms, of_000_example_4_orthogonal_slides) {
  expect_form("cartesian_fakhari",
              {{{"m1 + m2 + m3", "0", "0"}, {"0", "m2 + m3", "0"}, {"0", "0", "m3"}},
               {},
               {"0", "0", "0"},
               {"(m1 + m2 + m3)*g", "0", "0"}});
}

// Fu 1987, sec. 3.2.6, and 3.4.2 with the same result: D12 has 1/3 where 1/2 is printed in places, and h2
// goes with the first velocity.
TEST(ClosedForms, of_002_lagrange_euler_and_dalembert_slender_rods) {
  expect_form("twolink_fu",
              {{{"m1*l^2/3 + 4*m2*l^2/3 + m2*cos(th2)*l^2", "m2*l^2/3 + m2*l^2*cos(th2)/2"},
                {"m2*l^2/3 + m2*l^2*cos(th2)/2", "m2*l^2/3"}},
               {},
               {"-m2*sin(th2)*l^2*v2^2/2 - m2*sin(th2)*l^2*v1*v2", "m2*sin(th2)*l^2*v1^2/2"},
               {"(m1/2 + m2)*g*l*cos(th1) + m2*g*l*cos(th1 + th2)/2", "m2*g*l*cos(th1 + th2)/2"}});
}

// Fu 1987, sec. 3.3.7: the torques of Newton and Euler, line 1061, collected by what they multiply.
TEST(ClosedForms, of_002_newton_euler_slender_rods) {
  const Equations e(load_robot("twolink_fu").model);
  // tau2 = m2 l² (a1 + a2)/3 + m2 l² C2 a1/2 + m2 l² S2 v1²/2 + m2 g l C12/2
  EXPECT_TRUE(e.equal(Term::M, 1, 0, "m2*l^2/3 + m2*l^2*cos(th2)/2"));
  EXPECT_TRUE(e.equal(Term::M, 1, 1, "m2*l^2/3"));
  EXPECT_TRUE(e.equal(Term::h, 1, 0, "m2*l^2*sin(th2)*v1^2/2"));
  EXPECT_TRUE(e.equal(Term::gravity, 1, 0, "m2*g*l*cos(th1 + th2)/2"));
  // tau1 = m1 l² a1/3 + 4 m2 l² a1/3 + m2 l² a2/3 + m2 C2 l² a1 + m2 l² C2 a2/2
  //        - m2 S2 l² v1 v2 - m2 S2 l² v2²/2 + m1 g l C1/2 + m2 g l C12/2 + m2 g l C1
  EXPECT_TRUE(e.equal(Term::M, 0, 0, "m1*l^2/3 + 4*m2*l^2/3 + m2*cos(th2)*l^2"));
  EXPECT_TRUE(e.equal(Term::M, 0, 1, "m2*l^2/3 + m2*l^2*cos(th2)/2"));
  EXPECT_TRUE(e.equal(Term::h, 0, 0, "-m2*sin(th2)*l^2*v1*v2 - m2*sin(th2)*l^2*v2^2/2"));
  EXPECT_TRUE(e.equal(Term::gravity, 0, 0,
                      "m1*g*l*cos(th1)/2 + m2*g*l*cos(th1 + th2)/2 + m2*g*l*cos(th1)"));
  EXPECT_FALSE(e.equal(Term::M, 0, 1, "m2*l^2/2 + m2*l^2*cos(th2)/2")) << "as misprinted";
}

// Fu 1987, problems 3.16 and 3.17: T = (m1 + m2) d1² v1²/2 + m2 d2² (v1 + v2)²/2
// + m2 d1 d2 v1 (v1 + v2) cos th2, V = -(m1 + m2) g d1 cos th1 - m2 g d2 cos(th1 + th2).
TEST(ClosedForms, of_002_problems_3_16_and_3_17_an_arm_on_the_ceiling) {
  expect_form(example("fu_3_16.urdf"),
              {{{"(m1 + m2)*d1^2 + m2*d2^2 + 2*m2*d1*d2*cos(th2)", "m2*d2^2 + m2*d1*d2*cos(th2)"},
                {"m2*d2^2 + m2*d1*d2*cos(th2)", "m2*d2^2"}},
               {},
               {"-m2*d1*d2*sin(th2)*(2*v1*v2 + v2^2)", "m2*d1*d2*sin(th2)*v1^2"},
               {"(m1 + m2)*g*d1*sin(th1) + m2*g*d2*sin(th1 + th2)", "m2*g*d2*sin(th1 + th2)"}},
              {"l1=d1", "l2=d2"});
}

// Fu 1987, problem 3.18: T = (m1 r1² + m2 d²) v1²/2 + m2 v2²/2, V = (m1 r1 + m2 d) g sin th1.
TEST(ClosedForms, of_002_problem_3_18_a_theta_d_arm) {
  expect_form(example("fu_3_18.urdf"),
              {{{"m1*r1^2 + m2*d2^2", "0"}, {"0", "m2"}},
               {},
               {"2*m2*d2*v1*v2", "-m2*d2*v1^2"},
               {"(m1*r1 + m2*d2)*g*cos(th1)", "m2*g*sin(th1)"}},
              {"lc1=r1"});
}

// the notes on wrenches: M as on its last line, C with 3/5 where 6/5 is printed.
TEST(ClosedForms, of_003_by_body_jacobians) {
  expect_form("twolink_notes",
              {{{"m1*l1^2/4 + m2*l1^2 + 9*m2*l2^2/25 + 6*m2*l1*l2*cos(th2)/5 + I1 + I2",
                 "3*m2*l2*(l1*cos(th2) + 3*l2/5)/5 + I2"},
                {"3*m2*l2*(l1*cos(th2) + 3*l2/5)/5 + I2", "9*m2*l2^2/25 + I2"}},
               {{"-3*m2*l1*l2*sin(th2)*v2/5", "-3*m2*l1*l2*sin(th2)*(v1 + v2)/5"},
                {"3*m2*l1*l2*sin(th2)*v1/5", "0"}},
               {},
               {"0", "0"}});
}

// the overview of dynamics, sec. 4, as printed, with h = m2 l1 lc2 sin th2.
TEST(ClosedForms, of_004_any_centres_of_mass) {
  expect_form("twolink_overview", {{{"m1*lc1^2 + m2*(l1^2 + lc2^2 + 2*l1*lc2*cos(th2)) + I1 + I2",
                                     "m2*(lc2^2 + l1*lc2*cos(th2)) + I2"},
                                    {"m2*(lc2^2 + l1*lc2*cos(th2)) + I2", "m2*lc2^2 + I2"}},
                                   {{"-m2*l1*lc2*sin(th2)*v2", "-m2*l1*lc2*sin(th2)*(v1 + v2)"},
                                    {"m2*l1*lc2*sin(th2)*v1", "0"}},
                                   {},
                                   {"(m1*lc1 + m2*l1)*g*cos(th1) + m2*lc2*g*cos(th1 + th2)",
                                    "m2*lc2*g*cos(th1 + th2)"}});
}

TEST(ClosedForms, are_written_as_the_books_write_them) {
  const Equations e(load_robot("twolink_fakhari").model);
  const auto text = [&](Term term, int r, int c) { return e.element(term, r, c, Notation::ascii); };
  EXPECT_EQ(text(Term::M, 0, 0), "m1*L1^2 + m2*(L1^2 + L2^2 + 2*L1*L2*cos(th2))");
  EXPECT_EQ(text(Term::C, 0, 1), "-m2*L1*L2*sin(th2)*(th1' + th2')");
  EXPECT_EQ(text(Term::gravity, 0, 0), "g*((m1 + m2)*L1*cos(th1) + m2*L2*cos(th1 + th2))");
  EXPECT_EQ(e.element(Term::gravity, 1, 0, Notation::latex),
            "m_2 L_2 g \\cos(\\theta_1 + \\theta_2)");
  EXPECT_EQ(e.element(Term::h, 1, 0, Notation::unicode), "m2 L1 L2 sin(θ2) θ̇1²");
}

}  // namespace
}  // namespace ulna::test
