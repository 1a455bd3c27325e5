#include "support/random.hpp"
#include "ulna/equations/equations.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/num/dual.hpp"

// Equations of arms with springs and coupled motors.
namespace ulna::test {
namespace {

using namespace equations;
using Eigen::VectorXd;

/// The two-link arm of the overview page, both joints behind springs, and a motor that turns when both move.
Model elastic_two_link(bool second_elastic = true) {
  Description d = load_robot("twolink_overview").model.description();
  d.joints[0].spring = Spring{900.0, 4000.0, 2.0};
  d.joints[0].dynamics.armature = 0.02;
  if (second_elastic) d.joints[1].spring = Spring{400.0, 0.0, 0.5};
  const std::string first = d.joints[0].name, second = d.joints[1].name;
  d.motors = {{"m1", {{first, 50.0}}, 3e-4}, {"m2", {{first, -7.0}, {second, 30.0}}, 2e-4}};
  return Builder(std::move(d)).build();
}

constexpr double l1 = 0.7, lc1 = 0.31, lc2 = 0.22, m1 = 1.3, m2 = 0.8, I1 = 0.05, I2 = 0.03,
                 g = 9.81;

/// Kinetic less potential energy of links, springs and rotors, written down from the geometry: x is (q, theta).
template <class T>
T lagrangian(const std::array<T, 4>& x, const std::array<T, 4>& rate) {
  const T &a = x[0], &b = x[1], w1 = rate[0], w2 = rate[0] + rate[1];
  // velocities of the centres of mass
  const T vx1 = -T(lc1) * sin(a) * w1, vy1 = T(lc1) * cos(a) * w1;
  const T vx2 = -T(l1) * sin(a) * w1 - T(lc2) * sin(a + b) * w2,
          vy2 = T(l1) * cos(a) * w1 + T(lc2) * cos(a + b) * w2;
  const T links = T(0.5 * m1) * (vx1 * vx1 + vy1 * vy1) + T(0.5 * m2) * (vx2 * vx2 + vy2 * vy2) +
                  T(0.5 * I1) * w1 * w1 + T(0.5 * I2) * w2 * w2;
  const T height = T(m1 * lc1) * sin(a) + T(m2) * (T(l1) * sin(a) + T(lc2) * sin(a + b));
  const T phi1 = T(50.0) * rate[2], phi2 = T(-7.0) * rate[2] + T(30.0) * rate[3];
  const T rotors =
      T(0.5 * 3e-4) * phi1 * phi1 + T(0.5 * 2e-4) * phi2 * phi2 + T(0.5 * 0.02) * rate[2] * rate[2];
  const T e1 = x[2] - a, e2 = x[3] - b;
  const T springs = T(450.0) * e1 * e1 + T(1000.0) * e1 * e1 * e1 * e1 + T(200.0) * e2 * e2;
  return links + rotors - T(g) * height - springs;
}

/// d/dt (∂L/∂rate) - ∂L/∂x along a motion, by dual numbers: eight directions, of which the last four are rates.
std::array<double, 4> euler_lagrange(const std::array<double, 4>& x,
                                     const std::array<double, 4>& rate,
                                     const std::array<double, 4>& acceleration) {
  using Once = Dual<double, 8>;
  using Twice = Dual<Once, 8>;
  std::array<Twice, 4> at, moves;
  for (int i = 0; i < 4; ++i) {
    at[std::size_t(i)] = Twice::variable(Once::variable(x[std::size_t(i)], i), i);
    moves[std::size_t(i)] = Twice::variable(Once::variable(rate[std::size_t(i)], 4 + i), 4 + i);
  }
  const Twice L = lagrangian(at, moves);
  std::array<double, 4> force{};
  for (int i = 0; i < 4; ++i) {
    const Once& momentum = L.gradient[4 + i];
    double sum = -L.gradient[i].value;
    for (int j = 0; j < 4; ++j)
      sum += momentum.gradient[j] * rate[std::size_t(j)] +
             momentum.gradient[4 + j] * acceleration[std::size_t(j)];
    force[std::size_t(i)] = sum;
  }
  return force;
}

TEST(EquationsOfDrives, are_those_of_the_lagrangian_by_dual_numbers) {
  const Equations e(elastic_two_link());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::array<double, 4> x, rate, acceleration;
    for (std::size_t i = 0; i < 4; ++i)
      x[i] = random.real(-1.0, 1.0), rate[i] = random.real(-3.0, 3.0),
      acceleration[i] = random.real(-9.0, 9.0);
    const VectorXd q{{x[0], x[1]}}, theta{{x[2], x[3]}}, v{{rate[0], rate[1]}},
        omega{{rate[2], rate[3]}};
    const auto value = [&](Term term, int r, int c) {
      return e.value(term, r, c, q, v, theta, omega);
    };
    const std::array<double, 4> force = euler_lagrange(x, rate, acceleration);
    for (int i = 0; i < 2; ++i) {
      // damping of springs is in no Lagrangian
      const double damping = (i == 0 ? 2.0 : 0.5) * (omega(i) - v(i)),
                   s = value(Term::spring, i, 0);
      double link = value(Term::h, i, 0) + value(Term::gravity, i, 0) - s + damping,
             motor = s - damping;
      for (int j = 0; j < 2; ++j) {
        link += value(Term::M, i, j) * acceleration[std::size_t(j)];
        motor += value(Term::rotors, i, j) * acceleration[std::size_t(2 + j)];
      }
      EXPECT_NEAR(link, force[std::size_t(i)], 1e-10 * (1.0 + std::abs(s)));
      EXPECT_NEAR(motor, force[std::size_t(2 + i)], 1e-10 * (1.0 + std::abs(s)));
    }
  }
}

TEST(EquationsOfDrives, have_symbols_for_springs_motors_and_ratios) {
  const Equations e(elastic_two_link());
  EXPECT_TRUE(e.equal(Term::spring, 0, 0, "K1*(thm1 - th1) + H1*(thm1 - th1)^3 + D1*(w1 - v1)"));
  EXPECT_TRUE(e.equal(Term::spring, 1, 0, "K2*(thm2 - th2) + D2*(w2 - v2)"));
  EXPECT_TRUE(e.equal(Term::rotors, 0, 0, "Ir1 + J1*n11^2 + J2*n21^2"));
  EXPECT_TRUE(e.equal(Term::rotors, 0, 1, "-J2*n21*n22"));
  EXPECT_TRUE(e.equal(Term::rotors, 1, 1, "J2*n22^2"));
  EXPECT_EQ(e.element(Term::spring, 1, 0, Notation::unicode), "D2 (θ̇m2 - θ̇2) + K2 (θm2 - θ2)");
  EXPECT_EQ(e.element(Term::rotors, 1, 1, Notation::latex), "J_2 n_{22}^2");
  ASSERT_EQ(e.motors().size(), 2u);
  EXPECT_EQ(e.motors()[1].name, "thm2");
}

TEST(EquationsOfDrives, of_a_rigid_joint_have_no_spring) {
  const Equations e(elastic_two_link(false));
  EXPECT_EQ(e.motors().size(), 1u);
  EXPECT_TRUE(e.equal(Term::spring, 1, 0, "0"));
  EXPECT_TRUE(e.equal(Term::rotors, 0, 1, "-J2*n21*n22"));
}

TEST(EquationsOfDrives, follow_relations_between_symbols) {
  Options options;
  options.let = {"K1=k", "n11=10*n21 - 20"};
  const Equations e(elastic_two_link(), options);
  EXPECT_TRUE(e.equal(Term::spring, 1, 0, "K2*(thm2 - th2) + D2*(w2 - v2)"));
  EXPECT_TRUE(e.equal(Term::rotors, 0, 0, "Ir1 + J1*(10*n21 - 20)^2 + J2*n21^2"));
}

}  // namespace
}  // namespace ulna::test
