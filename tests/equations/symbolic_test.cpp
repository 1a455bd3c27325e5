#include "equations/symbolic.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ulna/spatial/inertia.hpp"

namespace ulna::equations {
namespace {

static_assert(Scalar<Symbolic>);

Symbolic s(const char* name) { return Symbolic::symbol(name); }

TEST(Symbolic, products_of_sines_and_cosines_are_sines_and_cosines_of_sums) {
  const Symbolic a = s("th1"), b = s("th2");
  EXPECT_EQ(sin(a) * sin(a) + cos(a) * cos(a), Symbolic(1.0));
  EXPECT_EQ(cos(a) * cos(b) - sin(a) * sin(b), cos(a + b));
  EXPECT_EQ(sin(a) * cos(b) + cos(a) * sin(b), sin(a + b));
  EXPECT_EQ(cos(a) * cos(b) + sin(a) * sin(b), cos(b - a));
  EXPECT_EQ(sin(a) * cos(b) - cos(a) * sin(b), -sin(b - a));
  EXPECT_EQ(sin(Symbolic(2.0) * a), Symbolic(2.0) * sin(a) * cos(a));
  EXPECT_EQ(cos(a + b).size(), 1u);
  EXPECT_EQ((cos(a) * cos(b) - sin(a) * sin(b)).size(), 1u);
}

/// An expression of depth `depth` and its value, made side by side.
std::pair<Symbolic, double> random_expression(std::mt19937& random, int depth,
                                              const std::map<std::string, double>& values) {
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  if (depth == 0 || pick(8) == 0) {
    auto at = values.begin();
    std::advance(at, pick(static_cast<int>(values.size())));
    const Symbolic x = s(at->first.c_str());
    switch (pick(4)) {
      case 0:
        return {sin(x), std::sin(at->second)};
      case 1:
        return {cos(x), std::cos(at->second)};
      case 2:
        return {Symbolic(0.37), 0.37};
      default:
        return {x, at->second};
    }
  }
  const auto [x, a] = random_expression(random, depth - 1, values);
  const auto [y, b] = random_expression(random, depth - 1, values);
  switch (pick(3)) {
    case 0:
      return {x + y, a + b};
    case 1:
      return {x - y, a - b};
    default:
      return {x * y, a * b};
  }
}

TEST(Symbolic, normal_form_has_the_value_of_what_it_was_made_from) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> real(-2.0, 2.0);
    const std::map<std::string, double> values = {
        {"th1", real(random)}, {"th2", real(random)}, {"d3", real(random)}, {"m1", real(random)}};
    const auto [x, value] = random_expression(random, 5, values);
    EXPECT_NEAR(x.value(values), value, 1e-11 * (1.0 + std::abs(value))) << "seed " << seed;
  }
}

TEST(Symbolic, derivative_is_the_limit_of_differences) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::map<std::string, double> at = {{"th1", 0.4}, {"th2", -1.1}, {"d3", 0.7}};
    const Symbolic x = random_expression(random, 4, at).first;
    for (const char* name : {"th1", "d3"}) {
      std::map<std::string, double> up = at, down = at;
      up[name] += 1e-5, down[name] -= 1e-5;
      const GiNaC::ex symbol = s(name).expression();
      GiNaC::exmap values;
      for (const auto& [of, value] : at) values[s(of.c_str()).expression()] = value;
      const GiNaC::ex slope =
          x.expression().diff(GiNaC::ex_to<GiNaC::symbol>(symbol)).subs(values).evalf();
      EXPECT_NEAR(GiNaC::ex_to<GiNaC::numeric>(slope).to_double(),
                  (x.value(up) - x.value(down)) / 2e-5, 1e-7)
          << "seed " << seed;
    }
  }
}

TEST(Symbolic, numbers_are_the_fractions_that_people_mean) {
  EXPECT_EQ(Symbolic(0.1) + Symbolic(0.2), Symbolic(0.3));
  EXPECT_EQ(Symbolic(0.1) * Symbolic(10.0), Symbolic(1.0));
  EXPECT_EQ(Symbolic(1.0) / Symbolic(3.0) * Symbolic(3.0), Symbolic(1.0));
  EXPECT_EQ(Symbolic(-2.5e-7) * Symbolic(4e6), Symbolic(-1.0));
  EXPECT_THROW(Symbolic(std::nan("")), std::domain_error);
}

TEST(Symbolic, right_angles_are_exact) {
  const Symbolic q = s("th1");
  EXPECT_EQ(cos(q + Symbolic(M_PI / 2)), -sin(q));
  EXPECT_EQ(sin(q - Symbolic(M_PI)), -sin(q));
  EXPECT_EQ(Rotation<Symbolic>::about_x(M_PI / 2).matrix()(2, 1), Symbolic(1.0));
  EXPECT_TRUE(Rotation<Symbolic>::about_x(M_PI / 2).matrix()(1, 1).is_zero());
}

TEST(Symbolic, comparisons_are_decided_between_numbers_only) {
  EXPECT_TRUE(Symbolic(1.0) < Symbolic(2.0));
  EXPECT_EQ(max(Symbolic(1.0), Symbolic(2.0)), Symbolic(2.0));
  EXPECT_TRUE(s("m1") == s("m1") + Symbolic(0.0));
  try {
    (void)(s("m1") < Symbolic(0.0));
    FAIL();
  } catch (const std::domain_error& e) {
    EXPECT_NE(std::string(e.what()).find("'m1' cannot be evaluated"), std::string::npos) << e.what();
  }
  EXPECT_THROW((void)sqrt(s("m1")), std::domain_error);
  EXPECT_THROW((void)(s("m1") / (s("m1") + s("m2"))), std::domain_error);
  EXPECT_THROW((void)sin(s("m1") * s("th1")), std::domain_error);
}

TEST(Symbolic, text_is_read_as_what_it_says_or_refused) {
  EXPECT_EQ(Symbolic::parse("cos(th1)^2 + sin(th1)^2"), Symbolic(1.0));
  (void)s("m1");
  EXPECT_EQ(Symbolic::parse("3*m1/5"), Symbolic(0.6) * s("m1"));
  EXPECT_EQ(Symbolic::parse(" 0.6 * (m1 + m1) ^ 2"), Symbolic(2.4) * s("m1") * s("m1"));
  for (const char* wrong : {"", "m1 +", "m1 m1", "nobody", "exp(th1)", "m1^th1", "1/0", "(((",
                            "2^999", "sin(m1*th1)", "1/(m1+1)"})
    EXPECT_THROW(Symbolic::parse(wrong), std::invalid_argument) << wrong;
  EXPECT_THROW(Symbolic::parse(std::string(100, '(') + "1" + std::string(100, ')')),
               std::invalid_argument);
}

TEST(Symbolic, work_ends_at_its_budget) {
  const Budget budget(10'000, 500, 10.0);
  Symbolic x = Symbolic(1.0);
  EXPECT_THROW(for (int i = 1; i <= 30; ++i) x *=
               s(("th" + std::to_string(i)).c_str()) + cos(s(("th" + std::to_string(i)).c_str())),
               TooMuchWork);
  EXPECT_LE(x.size(), 500u);
}

TEST(Symbolic, inertia_moves_between_frames_as_steiner_says) {
  const Symbolic m = s("m1"), l = s("l1");
  const Inertia<Symbolic> body = Inertia<Symbolic>::point_mass(m, {l, 0.0, 0.0});
  const Transform<Symbolic> X(Rotation<Symbolic>::about_z(s("th1")), Vec3<Symbolic>::Zero());
  const Inertia<Symbolic> turned = X * body;
  EXPECT_EQ(turned.rotational()(2, 2), m * l * l);
  EXPECT_EQ(turned.first_moment().x(), m * l * cos(s("th1")));
  EXPECT_EQ(turned.rotational()(0, 1), Symbolic(-0.5) * m * l * l * sin(Symbolic(2.0) * s("th1")));
}

}  // namespace
}  // namespace ulna::equations
