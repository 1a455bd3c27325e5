#include <gtest/gtest.h>

#include <chrono>

#include "equations/naming.hpp"
#include "equations/simplify.hpp"
#include "support/dynamics.hpp"
#include "ulna/classic/body_jacobians.hpp"
#include "ulna/equations/equations.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {
namespace {

using namespace equations;

const std::vector<std::string> small_arms = {
    "pendulum",      "double_pendulum",    "twolink_fakhari", "twolink_fu",
    "twolink_notes", "twolink_overview",   "rp_fakhari",      "cartesian_fakhari",
    "scara",         "modern_robotics_3r", "chain:3"};

/// Values at random states beside those of the fast algorithms.
void expect_values(const std::string& robot, const Options& options, double tolerance,
                   std::uint64_t states) {
  const Model model = load_robot(robot).model;
  const Equations e(model, options);
  for_each_seed(
      [&](Random& random) {
        Rig<double> rig(model, random);
        const auto value = [&](Term term, int columns) {
          Eigen::MatrixXd m(e.size(), columns);
          for (int r = 0; r < e.size(); ++r)
            for (int c = 0; c < columns; ++c) m(r, c) = e.value(term, r, c, rig.q, rig.v);
          return m;
        };
        expect_close(value(Term::M, e.size()), rig.mass(), tolerance);
        expect_close(value(Term::C, e.size()), rig.coriolis(), tolerance);
        expect_close(Eigen::VectorXd(value(Term::gravity, 1)), rig.gravity(), tolerance);
        expect_close(Eigen::VectorXd(value(Term::h, 1)), Eigen::VectorXd(rig.coriolis() * rig.v),
                     tolerance);
      },
      states);
}

class SmallArm : public testing::TestWithParam<std::string> {};

TEST_P(SmallArm, has_the_values_of_the_fast_algorithms) {
  expect_values(GetParam(), {}, 1e-11, 10);
}

TEST_P(SmallArm, with_numbers_for_symbols_has_the_same_values) {
  Options options;
  options.numeric = true;
  expect_values(GetParam(), options, 1e-11, 5);
}

/// The matrices as they are derived, in normal form.
struct Derived {
  NamedArm named;
  VecX<Symbolic> q, v;
  classic::MatX<Symbolic> M, C;

  explicit Derived(const std::string& robot) : named(named_arm(load_robot(robot).model, false)) {
    const auto n = static_cast<Eigen::Index>(named.coordinates.size());
    q.resize(n), v.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      q(i) = Symbolic::symbol(named.coordinates[static_cast<std::size_t>(i)].name);
      v(i) = Symbolic::symbol("v" + std::to_string(i + 1));
    }
    const classic::Lagrangian<Symbolic> lagrangian(named.arm());
    M = lagrangian.mass_matrix(q);
    C = lagrangian.coriolis(q, v);
  }
};

/// By GiNaC, whose terms are read again.
Symbolic derivative(const Symbolic& x, const std::string& by) {
  const GiNaC::ex symbol = Symbolic::symbol(by).expression();
  const GiNaC::ex slope = x.expression().diff(GiNaC::ex_to<GiNaC::symbol>(symbol)).expand();
  Symbolic sum;
  const auto add = [&](const GiNaC::ex& term) {
    std::ostringstream text;
    text << term;
    sum += Symbolic::parse(text.str());
  };
  if (!GiNaC::is_a<GiNaC::add>(slope)) return add(slope), sum;
  for (const GiNaC::ex& term : slope) add(term);
  return sum;
}

TEST_P(SmallArm, has_a_symmetric_mass_matrix_and_a_skew_rate_of_it_minus_2C) {
  const Derived d(GetParam());
  const Eigen::Index n = d.q.size();
  classic::MatX<Symbolic> N(n, n);
  for (Eigen::Index r = 0; r < n; ++r)
    for (Eigen::Index c = 0; c < n; ++c) {
      EXPECT_EQ(d.M(r, c), d.M(c, r));
      N(r, c) = Symbolic(-2.0) * d.C(r, c);
      for (Eigen::Index k = 0; k < n; ++k) {
        const std::string& by = d.named.coordinates[static_cast<std::size_t>(k)].name;
        N(r, c) += derivative(d.M(r, c), by) * d.v(k);
      }
    }
  for (Eigen::Index r = 0; r < n; ++r)
    for (Eigen::Index c = 0; c <= r; ++c) {
      const Symbolic sum = N(r, c) + N(c, r);
      if (d.named.exact) {
        EXPECT_TRUE(sum.is_zero()) << r << c;
        continue;
      }
      // directions that are rounded numbers leave terms behind, no larger than rounding
      std::map<std::string, double> ones;
      for (const std::string& name : sum.symbols()) ones[name] = 1.0;
      EXPECT_NEAR(sum.value(ones), 0.0, 1e-13) << r << c;
    }
}

/// The normal form again: what simplified() must not change.
Symbolic expanded(const Product& p) {
  Symbolic made(p.number);
  const auto times = [&](const Symbolic& factor, int n) {
    for (int i = 0; i < std::abs(n); ++i) n > 0 ? made *= factor : made /= factor;
  };
  for (const auto& [f, n] : p.factors) {
    if (!f.is_harmonic()) {
      times(Symbolic::symbol(name_of(f.rank)), n);
      continue;
    }
    Symbolic angle;
    for (const auto& [rank, m] : f.harmonic.multiples)
      angle += Symbolic(m) * Symbolic::symbol(name_of(rank));
    times(f.harmonic.sine ? sin(angle) : cos(angle), n);
  }
  for (const auto& [sum, n] : p.sums) {
    Symbolic all;
    for (const Product& part : sum) all += expanded(part);
    times(all, n);
  }
  return made;
}

TEST_P(SmallArm, is_the_same_after_simplification) {
  const Derived d(GetParam());
  Style style{{}, 600, 100, 300};
  for (int rank = 0; rank < 400; ++rank) style.places.push_back(rank < 60 ? 500 + rank : rank);
  for (const auto* m : {&d.M, &d.C})
    for (const Symbolic& x : m->reshaped())
      EXPECT_TRUE((expanded(simplified(x, style)) - x).is_zero()) << x.expression();
}

INSTANTIATE_TEST_SUITE_P(Equations, SmallArm, testing::ValuesIn(small_arms), [](const auto& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
});

// Six joints in numbers; the values tell that nothing was lost on the way.
TEST(LargerArm, of_six_joints_has_the_values_of_the_fast_algorithms) {
  Options options;
  options.numeric = true;
  for (const char* robot : {"puma560", "stanford"}) expect_values(robot, options, 1e-10, 2);
}

std::string refusal(const std::string& robot, const Options& options = {}) {
  try {
    const Equations e(load_robot(robot).model, options);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(Refusal, of_robots_with_equations_too_long_to_read_says_what_to_do) {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* robot : {"panda", "chain:20", "chain:7"}) {
    const std::string text = refusal(robot);
    EXPECT_NE(text.find("too long to derive or to read"), std::string::npos)
        << robot << ": " << text;
    EXPECT_NE(text.find("ulna terms"), std::string::npos) << text;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(120));
  // what no shorter one of its kind would have is refused for its kind
  EXPECT_NE(refusal("quadruped").find("is floating"), std::string::npos) << refusal("quadruped");
}

TEST(Refusal, comes_before_the_work) {
  Options options;
  for (const bool numeric : {true, false}) {
    options.numeric = numeric;
    const double begin = cpu_seconds();
    EXPECT_NE(refusal("panda", options).find("too long to derive or to read"), std::string::npos);
    EXPECT_LT(cpu_seconds() - begin, 5.0) << numeric;
  }
}

TEST(Terms, that_are_not_asked_for_are_not_derived) {
  Options options;
  options.numeric = true;
  options.terms = {Term::gravity};
  const Model model = load_robot("panda").model;
  const double begin = cpu_seconds();
  const Equations e(model, options);
  EXPECT_LT(cpu_seconds() - begin, 10.0);
  for_each_seed(
      [&](Random& random) {
        Rig<double> rig(model, random);
        Eigen::VectorXd g(7);
        for (int i = 0; i < 7; ++i) g(i) = e.value(Term::gravity, i, 0, rig.q, rig.v);
        expect_close(g, rig.gravity(), 1e-10);
      },
      2);
  EXPECT_THROW((void)e.element(Term::M, 0, 0, Notation::ascii), std::invalid_argument);
  EXPECT_THROW((void)e.c_function({Term::M}), std::invalid_argument);
}

TEST(Refusal, comes_in_time) {
  Options options;
  options.seconds = 0.2,
  options.most_terms = options.most_products = options.longest = 1'000'000'000;
  options.most_joints = 100;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(refusal("panda", options).find("more computing time than allowed"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Refusal, of_other_joints_names_them) {
  EXPECT_NE(refusal("ball_wrist").find("joint 'wrist' is ball"), std::string::npos);
  EXPECT_NE(refusal("fourbar").find("closes a loop"), std::string::npos);
}

TEST(Let, must_hold_in_the_robot) {
  const auto with = [](const std::string& equation) {
    Options options;
    options.let = {equation};
    return refusal("twolink_overview", options);
  };
  EXPECT_EQ(with("lc1=a"), "");
  EXPECT_EQ(with("lc1 = 31*l1/70"), "");
  EXPECT_NE(with("lc1=l1/2").find("lc1 is 0.310000 in this robot, l1/2 is 0.350000"),
            std::string::npos)
      << with("lc1=l1/2");
  EXPECT_NE(with("lc9=l1/2").find("there is no parameter 'lc9'; there are g m1"), std::string::npos)
      << with("lc9=l1/2");
  for (const char* wrong : {"lc1", "lc1=", "lc1=2*lc1", "lc1=th1", "lc1=v1", "lc1=double",
                            "lc1=l1+", "lc1=nobody*2", "=l1", "lc1=3"})
    EXPECT_NE(with(wrong), "") << wrong;
}

TEST(Names, of_a_document_are_used_only_where_its_figures_are) {
  const std::string urdf =
      "<robot name=\"twolink_fu\"><link name=\"a\"/><link name=\"b\"><inertial><origin xyz=\"0.2 0 "
      "0\"/><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
      "iyz=\"0\"/></inertial></link><joint name=\"j\" type=\"continuous\"><parent "
      "link=\"a\"/><child "
      "link=\"b\"/><axis xyz=\"0 0 1\"/></joint></robot>";
  const Equations e(import_urdf(urdf, "mine.urdf").model);
  EXPECT_TRUE(e.equal(Term::M, 0, 0, "m1*lc1^2 + I1"));
}

}  // namespace
}  // namespace ulna::test
