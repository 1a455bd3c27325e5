#include "ulna/spatial/consistency.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "support/spatial.hpp"
#include "ulna/spatial/solid.hpp"

namespace ulna {
namespace {

using test::expect_close;
using test::for_each_seed;
using test::Random;
using Verdict = Consistency::Verdict;

Inertia<double> with_moments(double mass, double a, double b, double c) {
  return Inertia<double>::about_com(mass, Vec3<double>::Zero(), Vec3<double>(a, b, c).asDiagonal());
}

/// The verdict, which must not depend on where one looks from.
Consistency check_from_everywhere(const Inertia<double>& I) {
  const Consistency here = check_consistency(I);
  for_each_seed([&](Random& random) {
    const Consistency there = check_consistency(test::random_transform<double>(random) * I);
    EXPECT_EQ(there.verdict, here.verdict)
        << there.explanation() << " against " << here.explanation();
    EXPECT_NEAR(there.amount, here.amount, 1e-13);
    expect_close(there.principal_moments, here.principal_moments, 1e-13);
  });
  return here;
}

TEST(Consistency, solids_are_consistent) {
  for (const auto& I :
       {solid_box(Vec3<double>(0.1, 0.2, 0.3)).with_mass(1.0), solid_sphere(0.2).with_mass(3.0),
        solid_cylinder(0.1, 0.8).with_mass(2.0)}) {
    const Consistency c = check_from_everywhere(I);
    EXPECT_EQ(c.verdict, Verdict::consistent);
    EXPECT_TRUE(c.ok());
    EXPECT_TRUE(c.acceptable());
    EXPECT_GT(c.margin, 0.0);
    EXPECT_EQ(c.amount, 0.0);
    EXPECT_EQ(c.explanation(), "consistent");
  }
}

TEST(Consistency, principal_moments_are_ascending_and_about_the_centre_of_mass) {
  const auto I =
      Transform<double>::from_translation(Vec3<double>(1, 2, 3)) * with_moments(2.0, 0.5, 0.3, 0.4);
  expect_close(check_consistency(I).principal_moments, Vec3<double>(0.3, 0.4, 0.5), 1e-14);
}

// the margin is the smallest spread of mass over the largest: x² : z² for a box
TEST(Consistency, the_margin_of_a_box_is_the_square_of_its_slenderness) {
  EXPECT_NEAR(check_consistency(solid_box(Vec3<double>(1, 1, 1)).with_mass(1.0)).margin, 1.0,
              1e-14);
  EXPECT_NEAR(check_consistency(solid_box(Vec3<double>(0.1, 0.5, 1)).with_mass(1.0)).margin, 0.01,
              1e-14);
}

TEST(Consistency, a_body_without_any_parameter_is_massless_and_acceptable) {
  const Consistency c = check_consistency(Inertia<double>());
  EXPECT_EQ(c.verdict, Verdict::massless);
  EXPECT_FALSE(c.ok());
  EXPECT_TRUE(c.acceptable());
  EXPECT_EQ(c.explanation(), "massless");
}

TEST(Consistency, points_rods_and_plates_are_degenerate_and_acceptable) {
  const Inertia<double> bodies[] = {Inertia<double>::point_mass(2.0, Vec3<double>(0, 0, 0)),
                                    Inertia<double>::point_mass(2.0, Vec3<double>(0.3, -0.4, 1.2)),
                                    with_moments(1.0, 0.0, 0.3, 0.3),   // a rod
                                    with_moments(1.0, 0.2, 0.3, 0.5)};  // a plate
  for (const auto& I : bodies) {
    const Consistency c = check_from_everywhere(I);
    EXPECT_EQ(c.verdict, Verdict::degenerate) << c.explanation();
    EXPECT_FALSE(c.ok());
    EXPECT_TRUE(c.acceptable());
    EXPECT_EQ(c.amount, 0.0);
    EXPECT_EQ(c.explanation().rfind("degenerate: ", 0), 0u) << c.explanation();
  }
  EXPECT_EQ(check_consistency(with_moments(1.0, 0.2, 0.3, 0.5)).explanation(),
            "degenerate: principal moments 0.2, 0.3, 0.5 are those of a point, a rod or a plate");
}

TEST(Consistency, a_parameter_that_is_no_number_is_seen_wherever_it_stands) {
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (int i = 0; i < 10; ++i) {
      auto pi = with_moments(1.0, 0.2, 0.3, 0.4).parameters();
      pi(i) = wrong;
      const Consistency c = check_consistency(Inertia<double>(pi));
      EXPECT_EQ(c.verdict, Verdict::not_finite) << "parameter " << i;
      EXPECT_FALSE(c.acceptable());
      EXPECT_EQ(c.explanation(), "a parameter is not finite");
    }
}

TEST(Consistency, a_mass_that_is_not_positive_is_told) {
  const Consistency negative = check_consistency(with_moments(-1.5, 0.2, 0.3, 0.4));
  EXPECT_EQ(negative.verdict, Verdict::mass_not_positive);
  EXPECT_EQ(negative.amount, -1.5);
  EXPECT_FALSE(negative.acceptable());
  EXPECT_EQ(negative.explanation(), "mass -1.5 kg is not positive");

  const Consistency none = check_consistency(with_moments(0.0, 0.2, 0.3, 0.4));
  EXPECT_EQ(none.verdict, Verdict::mass_not_positive);
  EXPECT_EQ(none.amount, 0.0);
}

TEST(Consistency, a_negative_moment_is_told_with_its_size) {
  const Consistency c = check_from_everywhere(with_moments(1.0, 0.3, -0.1, 0.2));
  EXPECT_EQ(c.verdict, Verdict::not_positive);
  EXPECT_NEAR(c.amount, -0.1, 1e-15);
  EXPECT_LT(c.margin, 0.0);
  EXPECT_FALSE(c.acceptable());
  EXPECT_EQ(c.explanation(), "inertia is not positive definite: principal moment -0.1 kg m^2");
}

TEST(Consistency, a_moment_larger_than_the_sum_of_the_others_is_told_with_the_excess) {
  const Consistency c = check_from_everywhere(with_moments(1.0, 0.1, 0.35, 0.2));
  EXPECT_EQ(c.verdict, Verdict::triangle_inequality);
  EXPECT_NEAR(c.amount, 0.05, 1e-15);
  EXPECT_LT(c.margin, 0.0);
  EXPECT_FALSE(c.ok());
  EXPECT_FALSE(c.acceptable());
  EXPECT_EQ(c.explanation(), "triangle inequality: 0.35 > 0.1 + 0.2 by 0.05 kg m^2");
}

TEST(Consistency, a_centre_of_mass_that_the_inertia_cannot_reach_is_told) {
  // about the origin the moments look fine, but the centre of mass takes more than there is
  const auto I = Inertia<double>::about_origin(1.0, Vec3<double>(2, 0, 0),
                                               Mat3<double>(Mat3<double>::Identity()));
  const Consistency c = check_consistency(I);
  EXPECT_EQ(c.verdict, Verdict::not_positive);
  EXPECT_NEAR(c.amount, -3.0, 1e-14);
}

// Wensing, Kim, Slotine 2018: a body can exist if and only if its pseudo-inertia is positive
// definite
TEST(Consistency, a_body_is_consistent_if_and_only_if_its_pseudo_inertia_is_positive_definite) {
  int consistent = 0, inconsistent = 0;
  for_each_seed(
      [&](Random& random) {
        Mat3<double> I = Vec3<double>(random.real(0.1, 2), random.real(0.1, 2), random.real(0.1, 2))
                             .asDiagonal();
        const Mat3<double> R = test::random_rotation<double>(random).matrix();
        I = (R * I * R.transpose()).eval();
        const auto body = Inertia<double>::about_com(random.real(-0.3, 2),
                                                     test::random_vector<double>(random), I);
        const double least =
            Eigen::SelfAdjointEigenSolver<Mat4<double>>(pseudo_inertia(body)).eigenvalues()(0);
        EXPECT_EQ(check_consistency(body).ok(), least > 0.0)
            << least << ": " << check_consistency(body).explanation();
        ++(least > 0.0 ? consistent : inconsistent);
      },
      200);
  EXPECT_GT(consistent, 40);
  EXPECT_GT(inconsistent, 40);
}

TEST(Consistency, clouds_of_point_masses_are_consistent) {
  for_each_seed(
      [](Random& random) {
        EXPECT_TRUE(check_consistency(test::random_inertia<double>(random)).ok());
      },
      50);
}

}  // namespace
}  // namespace ulna
