#include "ulna/identify/refine/physical_coordinates.hpp"

#include "excited.hpp"
#include "ulna/spatial/consistency.hpp"

// Unbounded coordinates of what is physical.
namespace ulna::test {
namespace {

using namespace identify;

PhysicalPrior prior_of_two(Random& random) {
  PhysicalPrior prior(22);
  prior.add_inertia(0, random_body(random).in_link_frame(), 2.0);
  prior.add_inertia(12, random_body(random).in_link_frame(), 0.5);
  prior.add_positive(10, 0.7, 0.3);
  prior.add_around(11, -0.2, 0.5, 0.8);
  return prior;
}

Eigen::VectorXd random_theta(int size, Random& random, double width) {
  Eigen::VectorXd theta(size);
  for (double& x : theta) x = random.real(-width, width);
  return theta;
}

TEST(PhysicalCoordinates, anything_is_physical_and_comes_back) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PhysicalPrior prior = prior_of_two(random);
    const PhysicalCoordinates coordinates(prior);
    const Eigen::VectorXd theta = random_theta(22, random, 3.0);
    const Eigen::VectorXd z = coordinates.numbers(theta);
    EXPECT_TRUE(prior.inside(z));
    for (const int at : {0, 12})
      EXPECT_TRUE(check_consistency(Inertia<double>(z.segment<10>(at))).ok());
    expect_close(coordinates.of(z), theta, 1e-6);
  }
}

TEST(PhysicalCoordinates, the_prior_is_half_the_sum_of_squares) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PhysicalPrior prior = prior_of_two(random);
    const PhysicalCoordinates coordinates(prior);
    for (const double width : {1e-3, 0.02, 3.0}) {
      Eigen::VectorXd r, slope;
      const Eigen::VectorXd theta = random_theta(22, random, width);
      coordinates.residuals(theta, r, slope);
      // the prior's own sum cancels what is of the size of 10
      const double expected = prior.value(coordinates.numbers(theta));
      EXPECT_NEAR(0.5 * r.squaredNorm(), expected, 1e-8 * expected + 1e-11);
    }
    EXPECT_EQ(coordinates.of(prior.center()).rows(), 22);
    EXPECT_LT(coordinates.of(prior.center()).norm(), 1e-7);
  }
}

TEST(PhysicalCoordinates, slopes_are_those_of_differences) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PhysicalPrior prior = prior_of_two(random);
    const PhysicalCoordinates coordinates(prior);
    for (const double width : {0.005, 2.0}) {
      const Eigen::VectorXd theta = random_theta(22, random, width);
      Eigen::MatrixXd dz_differences(22, 22);
      Eigen::VectorXd r, slope, slope_differences(22), ignored;
      coordinates.residuals(theta, r, slope);
      const double h = 1e-5;
      for (int k = 0; k < 22; ++k) {
        Eigen::VectorXd up = theta, down = theta, r_up, r_down;
        up(k) += h, down(k) -= h;
        coordinates.residuals(up, r_up, ignored), coordinates.residuals(down, r_down, ignored);
        dz_differences.col(k) = (coordinates.numbers(up) - coordinates.numbers(down)) / (2.0 * h);
        slope_differences(k) = (r_up(k) - r_down(k)) / (2.0 * h);
      }
      expect_close(coordinates.slopes(theta), dz_differences, 1e-7);
      expect_close(slope, slope_differences, 1e-7);
    }
  }
}

TEST(PhysicalCoordinates, refuse_what_is_not_physical_or_not_believed) {
  Random random(1);
  const PhysicalPrior prior = prior_of_two(random);
  const PhysicalCoordinates coordinates(prior);
  Eigen::VectorXd z = prior.center();
  z(0) = -1.0;
  EXPECT_THROW((void)coordinates.of(z), std::invalid_argument);
  z = prior.center(), z(10) = 0.0;
  EXPECT_THROW((void)coordinates.of(z), std::invalid_argument);
  EXPECT_THROW((void)PhysicalCoordinates(prior.extended(1)), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
