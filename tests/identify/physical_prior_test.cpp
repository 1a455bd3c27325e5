#include "ulna/identify/estimate/physical_prior.hpp"

#include <Eigen/Eigenvalues>

#include "excited.hpp"
#include "ulna/identify/estimate/consistent.hpp"
#include "ulna/spatial/consistency.hpp"

// The prior is a convex distance that keeps bodies real, and Newton's method finds the minimum.
namespace ulna::test {
namespace {

using namespace identify;

PhysicalPrior some_prior(Random& random) {
  PhysicalPrior prior(12);
  prior.add_inertia(0, random_body(random).in_link_frame(), 2.0);
  prior.add_positive(10, 0.7, 0.3);
  prior.add_around(11, -0.2, 0.5);
  return prior;
}

/// Inside, half way to where random steps first are.
Eigen::VectorXd displaced(const PhysicalPrior& prior, Random& random) {
  Eigen::VectorXd z = prior.center();
  for (double step = 1.0;; step *= 0.5) {
    Eigen::VectorXd other = z;
    for (double& x : other) x += step * random.real(-1.0, 1.0) * (0.1 + std::abs(x));
    if (prior.inside(other)) return 0.5 * (z + other);
  }
}

TEST(PhysicalPrior, is_zero_at_its_centre_and_positive_elsewhere) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const PhysicalPrior prior = some_prior(random);
    EXPECT_NEAR(prior.value(prior.center()), 0.0, 1e-12);
    EXPECT_GT(prior.value(displaced(prior, random)), 0.0) << seed;
  }
}

TEST(PhysicalPrior, derivatives_are_those_of_differences) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PhysicalPrior prior = some_prior(random);
    const Eigen::VectorXd z = displaced(prior, random);
    Eigen::VectorXd slope = Eigen::VectorXd::Zero(12);
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(12, 12);
    prior.add_derivatives(z, slope, H);
    H = Eigen::MatrixXd(H.selfadjointView<Eigen::Lower>());
    EXPECT_GT(H.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0.0);
    for (int k = 0; k < 12; ++k) {
      const double h = 1e-6 * (0.01 + std::abs(z(k)));
      Eigen::VectorXd up = z, down = z;
      up(k) += h, down(k) -= h;
      const double scale = std::max(1.0, std::sqrt(H(k, k)));
      EXPECT_NEAR((prior.value(up) - prior.value(down)) / (2.0 * h) / scale, slope(k) / scale,
                  2e-5);
      Eigen::VectorXd slope_up = Eigen::VectorXd::Zero(12), slope_down = slope_up;
      Eigen::MatrixXd ignored = Eigen::MatrixXd::Zero(12, 12);
      prior.add_derivatives(up, slope_up, ignored);
      prior.add_derivatives(down, slope_down, ignored);
      const Eigen::VectorXd column = (slope_up - slope_down) / (2.0 * h);
      EXPECT_LT((column - H.col(k)).norm(), 1e-4 * H.norm()) << k;
    }
  }
}

// Seen from another frame, a body is as far from what was expected of it.
TEST(PhysicalPrior, does_not_depend_on_frame_or_unit) {
  Random random(3);
  const Inertia<double> expected = random_body(random).in_link_frame(),
                        found = random_body(random).in_link_frame();
  const auto distance = [](const Inertia<double>& from, const Inertia<double>& to) {
    PhysicalPrior prior(10);
    prior.add_inertia(0, from, 1.0);
    return prior.value(to.parameters());
  };
  const Transform<double> X = random_transform<double>(random);
  const double here = distance(expected, found);
  EXPECT_NEAR(distance(X * expected, X * found), here, 1e-9 * here);
  EXPECT_NEAR(distance(1000.0 * expected, 1000.0 * found), here, 1e-9 * here);
}

TEST(PhysicalPrior, is_infinite_where_no_body_can_be) {
  Random random(4);
  const PhysicalPrior prior = some_prior(random);
  for (const int k : {0, 4, 10}) {
    Eigen::VectorXd z = prior.center();
    z(k) = -0.1;
    EXPECT_FALSE(prior.inside(z)) << k;
  }
  Eigen::VectorXd z = prior.center();
  z(5) = NAN;
  EXPECT_FALSE(prior.inside(z));
}

TEST(PhysicalPrior, moves_what_no_body_can_have_to_one_that_can) {
  for (const Inertia<double>& given :
       {Inertia<double>::zero(), Inertia<double>::point_mass(2.0, {0.1, 0.2, 0.3}),
        Inertia<double>::about_com(1.0, {0.0, 0.0, 0.1},
                                   Eigen::Vector3d(0.1, 0.2, 0.9).asDiagonal())}) {
    PhysicalPrior prior(10);
    prior.add_inertia(0, given, 1.0);
    EXPECT_TRUE(prior.inside(prior.center()));
    EXPECT_TRUE(check_consistency(Inertia<double>(prior.center())).ok());
  }
}

TEST(PhysicalPrior, of_some_unknowns_is_part_of_the_whole) {
  Random random(5);
  const PhysicalPrior prior = some_prior(random);
  EXPECT_EQ(prior.restricted({11, 10}).center()(1), 0.7);
  EXPECT_THROW((void)prior.restricted({0, 1, 2}), std::invalid_argument);
  const Eigen::VectorXd z = displaced(prior, random);
  std::vector<int> body{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const double parts =
      prior.restricted(body).value(z.head(10)) + prior.restricted({10, 11}).value(z.tail(2));
  EXPECT_NEAR(parts, prior.value(z), 1e-12 * parts);
}

// A long chain gives way at its joints: what the first of them would need for the chain as a whole is a thousand times what moves its
// links against each other, and rotors and friction of that size would be all that these feel.
TEST(PhysicalPrior,
     expects_rotors_and_friction_that_are_no_more_than_links_that_give_way_can_have) {
  const Model chain = load_robot("chain:16").model.with_gravity({0.0, 0.0, 9.81});
  const int n = chain.nv();
  const TorqueModel model(chain, {Feature::viscous, Feature::coulomb, Feature::armature});
  const double share = 0.3, slowed = 20.0;
  const PhysicalPrior prior =
      make_prior(model, Eigen::VectorXd::Constant(n, 150.0), {.rotors = share, .friction = slowed});
  Plant<double> plant(chain);
  plant.set_inertial(prior.center().head(model.inertial_size()));
  plant.armature.setZero();
  Kinematics<double> at(chain);
  Workspace<double> ws(chain);
  at.set(neutral(chain));
  Eigen::MatrixXd M(n, n);
  mass_matrix<double>(plant, at, ws, M);
  Eigen::VectorXd rotors(n), viscous(n), dry(n);
  for (int i = 0; i < n; ++i) {
    viscous(i) = prior.center()(model.at(i, 0)), dry(i) = prior.center()(model.at(i, 1));
    rotors(i) = prior.center()(model.at(i, 2));
  }
  const auto times_inertia = [&](const Eigen::VectorXd& x) {
    return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(x.asDiagonal(), M)
        .eigenvalues()
        .maxCoeff();
  };
  // the trace of M^-1 D bounds it
  EXPECT_LE(times_inertia(rotors), share * n);
  EXPECT_LE(times_inertia(viscous), slowed * n);
  EXPECT_LE(times_inertia(dry), slowed * n);
  EXPECT_GT(times_inertia(rotors), share);
  // where rotors are a share of the diagonal of M
  EXPECT_GT(times_inertia(share * M.diagonal()), 10.0 * share * n);
}

// --- the solver ---

Eigen::MatrixXd random_information(int n, Random& random, double size) {
  Eigen::MatrixXd rows(2 * n, n);
  for (double& x : rows.reshaped()) x = size * random.real(-1.0, 1.0);
  return rows.transpose() * rows;
}

TEST(ConsistentSolver, ends_where_the_slope_is_zero_and_stays_inside) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PhysicalPrior prior = some_prior(random);
    for (const double size : {0.1, 1.0, 1e3}) {
      const Eigen::MatrixXd G = random_information(12, random, size);
      // what the data want need not be a body
      Eigen::VectorXd wanted(12);
      for (double& x : wanted) x = random.real(-1.0, 1.0);
      const Eigen::VectorXd g = G * wanted;
      ConsistentSolver solver(12);
      Eigen::VectorXd z = prior.center();
      ASSERT_TRUE(solver.solve(G, g, prior, z)) << size;
      EXPECT_TRUE(prior.inside(z));
      Eigen::VectorXd slope = G * z - g;
      Eigen::MatrixXd H = G;
      prior.add_derivatives(z, slope, H);
      H = Eigen::MatrixXd(H.selfadjointView<Eigen::Lower>());
      EXPECT_LT(slope.dot(H.llt().solve(slope)), 1e-6);
      EXPECT_LE(solver.steps(), 200);
    }
  }
}

TEST(ConsistentSolver, finds_what_the_data_say_where_they_say_enough) {
  Random random(7);
  const PhysicalPrior prior = some_prior(random);
  const Eigen::VectorXd truth = displaced(prior, random);
  const Eigen::MatrixXd G = random_information(12, random, 1e4);
  ConsistentSolver solver(12);
  Eigen::VectorXd z = prior.center();
  ASSERT_TRUE(solver.solve(G, G * truth, prior, z));
  expect_close(z, truth, 1e-4);
}

}  // namespace
}  // namespace ulna::test
