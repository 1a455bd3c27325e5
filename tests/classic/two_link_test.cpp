#include <functional>

#include "support/classic.hpp"
#include "ulna/classic/formulation.hpp"

// Arms whose equations stand in the documents, corrected where they are misprinted, against every
// formulation. At q = 0 they lie along +x, the joints turn about +z, and gravity points along -y.
namespace ulna::test {
namespace {

using Terms = std::pair<Eigen::MatrixXd, Eigen::VectorXd>;  ///< M and h + c

/// M(q) and bias(q, v) by a formula, against all formulations at random states.
void expect_terms(
    std::string_view robot,
    const std::function<Terms(const Eigen::VectorXd&, const Eigen::VectorXd&)>& book) {
  const Model model = load_robot(robot).model;
  const auto all = classic::formulations<double>(Plant<double>(model));
  EXPECT_EQ(all.size(), 9u);
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random, 3.0),
                          a = random_v(model, random, 3.0);
    const auto [M, bias] = book(q, v);
    for (const auto& formulation : all) {
      SCOPED_TRACE(std::string(formulation.name));
      expect_close(formulation.mass_matrix(q), M, 1e-14);
      expect_close(formulation.bias(q, v), bias, 1e-14);
      expect_close(formulation.inverse_dynamics(q, v, a), Eigen::VectorXd(M * a + bias), 1e-14);
    }
  });
}

/// Two links in a plane: M of three numbers, the Coriolis factor, and the weights.
Terms planar(const Eigen::VectorXd& v, double M11, double M12, double M22, double h, double g1,
             double g2) {
  Eigen::Matrix2d M;
  M << M11, M12, M12, M22;
  return {M, Eigen::Vector2d(-h * (2.0 * v(0) * v(1) + v(1) * v(1)) + g1, h * v(0) * v(0) + g2)};
}

// Fakhari 2024, Example 2.
TEST(TwoLinkFormulations, of_point_masses) {
  const double L1 = 0.7, L2 = 0.5, m1 = 1.3, m2 = 0.8, g = 9.81;
  expect_terms("twolink_fakhari", [=](const auto& q, const auto& v) {
    const double c2 = std::cos(q(1)), outer = m2 * g * L2 * std::cos(q(0) + q(1));
    return planar(v, m1 * L1 * L1 + m2 * (L1 * L1 + 2.0 * L1 * L2 * c2 + L2 * L2),
                  m2 * (L1 * L2 * c2 + L2 * L2), m2 * L2 * L2, m2 * L1 * L2 * std::sin(q(1)),
                  (m1 + m2) * L1 * g * std::cos(q(0)) + outer, outer);
  });
}

// Fu 1987, secs. 3.2.6, 3.3.7 and 3.4.2.
TEST(TwoLinkFormulations, of_slender_rods) {
  const double l = 0.6, m1 = 1.3, m2 = 0.8, g = 9.8062;
  expect_terms("twolink_fu", [=](const auto& q, const auto& v) {
    const double c2 = std::cos(q(1)), outer = 0.5 * m2 * g * l * std::cos(q(0) + q(1));
    return planar(v, m1 * l * l / 3.0 + 4.0 / 3.0 * m2 * l * l + m2 * c2 * l * l,
                  m2 * l * l * (1.0 / 3.0 + 0.5 * c2), m2 * l * l / 3.0,
                  0.5 * m2 * std::sin(q(1)) * l * l,
                  (0.5 * m1 + m2) * g * l * std::cos(q(0)) + outer, outer);
  });
}

// the notes on wrenches: no gravity, and 3/5 in the Coriolis matrix.
TEST(TwoLinkFormulations, of_the_notes) {
  const double l1 = 0.7, l2 = 0.5, m1 = 1.3, m2 = 0.8, I1 = 0.03, I2 = 0.02;
  expect_terms("twolink_notes", [=](const auto& q, const auto& v) {
    const double c2 = std::cos(q(1));
    return planar(v,
                  0.25 * m1 * l1 * l1 + m2 * l1 * l1 + 0.36 * m2 * l2 * l2 +
                      1.2 * m2 * l1 * l2 * c2 + I1 + I2,
                  0.6 * m2 * l2 * (l1 * c2 + 0.6 * l2) + I2, 0.36 * m2 * l2 * l2 + I2,
                  0.6 * m2 * l1 * l2 * std::sin(q(1)), 0.0, 0.0);
  });
}

// the overview of dynamics, sec. 4.
TEST(TwoLinkFormulations, of_the_overview) {
  const double l1 = 0.7, lc1 = 0.31, lc2 = 0.22, m1 = 1.3, m2 = 0.8, I1 = 0.05, I2 = 0.03, g = 9.81;
  expect_terms("twolink_overview", [=](const auto& q, const auto& v) {
    const double c2 = std::cos(q(1)), outer = m2 * lc2 * g * std::cos(q(0) + q(1));
    return planar(v, m1 * lc1 * lc1 + m2 * (l1 * l1 + lc2 * lc2 + 2.0 * l1 * lc2 * c2) + I1 + I2,
                  m2 * (lc2 * lc2 + l1 * lc2 * c2) + I2, m2 * lc2 * lc2 + I2,
                  m2 * l1 * lc2 * std::sin(q(1)), (m1 * lc1 + m2 * l1) * g * std::cos(q(0)) + outer,
                  outer);
  });
}

// Fakhari 2024, Example 3: a beam that slides out of a turning sleeve.
TEST(TwoLinkFormulations, of_a_sliding_beam) {
  const double m1 = 2.0, m2 = 1.0, L1 = 0.3, I1 = 0.06106666667, I2 = 0.01346666667, g = 9.81;
  expect_terms("rp_fakhari", [=](const auto& q, const auto& v) -> Terms {
    const double r = q(1);
    return {Eigen::Vector2d(I1 + I2 + m1 * L1 * L1 + m2 * r * r, m2).asDiagonal(),
            Eigen::Vector2d(2.0 * m2 * r * v(0) * v(1) + (m1 * L1 + m2 * r) * g * std::cos(q(0)),
                            -m2 * r * v(0) * v(0) + m2 * g * std::sin(q(0)))};
  });
}

// Fakhari 2024, Example 4: nothing couples, and only the vertical axis carries weight.
TEST(ThreeLinkFormulations, of_orthogonal_slides) {
  expect_terms("cartesian_fakhari", [](const auto&, const auto&) -> Terms {
    return {Eigen::Vector3d(10.5, 4.5, 1.5).asDiagonal(), Eigen::Vector3d(10.5 * 9.81, 0.0, 0.0)};
  });
}

}  // namespace
}  // namespace ulna::test
