#include "ulna/constraints/capsules.hpp"

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

// What keeps a robot from itself, from the floor and from obstacles: distances and their slopes.
namespace ulna::test {
namespace {

/// The distance of two segments, by trying.
double tried(const PlacedCapsule& a, const PlacedCapsule& b) {
  double best = std::numeric_limits<double>::infinity();
  constexpr int n = 400;
  for (int i = 0; i <= n; ++i) {
    const Vec3<double> p = a.from + double(i) / n * (a.to - a.from), d = b.to - b.from;
    const double t = d.squaredNorm() > 0.0 ? d.dot(p - b.from) / d.squaredNorm() : 0.0;
    best = std::min(best, (p - b.from - std::clamp(t, 0.0, 1.0) * d).norm());
  }
  return best - a.radius - b.radius;
}

Vec3<double> somewhere(Random& random, double size = 0.5) {
  return {random.real(-size, size), random.real(-size, size), random.real(-size, size)};
}

/// A capsule that slides along the world's axes.
struct Slider {
  Model model = Builder("slider")
                    .link("ground")
                    .link("x", Inertial(solid_sphere(0.1).with_mass(1.0)))
                    .link("y", Inertial(solid_sphere(0.1).with_mass(1.0)))
                    .link("z", Inertial(solid_sphere(0.1).with_mass(1.0)))
                    .joint("px", JointType::prismatic, "ground", "x", {}, Vec3<double>::UnitX())
                    .joint("py", JointType::prismatic, "x", "y", {}, Vec3<double>::UnitY())
                    .joint("pz", JointType::prismatic, "y", "z", {}, Vec3<double>::UnitZ())
                    .build();

  Capsules with(const PlacedCapsule& own, const PlacedCapsule& obstacle) const {
    return Capsules(model, {.self = false, .capsules = {{3, own}}, .obstacles = {obstacle}});
  }
};

TEST(Capsules, distances_are_never_too_long_and_hardly_too_short) {
  const Slider slider;
  for_each_seed(
      [&](Random& random) {
        const PlacedCapsule own{somewhere(random), somewhere(random), 0.05};
        const PlacedCapsule other{somewhere(random), somewhere(random), 0.1};
        Capsules capsules = slider.with(own, other);
        ASSERT_EQ(capsules.size(), 1);
        Eigen::VectorXd d(1);
        const Vec3<double> q = somewhere(random);
        capsules.distances(q, d);
        const double exact = tried({own.from + q, own.to + q, own.radius}, other);
        EXPECT_LE(d(0), exact + 1e-12);
        const double axes = exact + 0.15,
                     shorter = std::min((own.to - own.from).norm(), (other.to - other.from).norm());
        const double least = std::sqrt(std::max(0.0, axes * axes - 5e-4 * shorter * shorter));
        EXPECT_GE(d(0), least - 0.15 - 1e-4);
      },
      200);
}

TEST(Capsules, slopes_are_those_of_distances) {
  for_each_robot(
      [](const Model& model, Random& random) {
        std::vector<PlacedCapsule> obstacles{{somewhere(random), somewhere(random), 0.05}};
        const Vec3<double> centre = somewhere(random);
        obstacles.push_back({centre, centre, 0.1});
        Capsules capsules(model, {.radius = 0.02, .floor = -0.5, .obstacles = obstacles});
        ASSERT_GT(capsules.size(), 0);
        Eigen::VectorXd d(capsules.size());
        Eigen::MatrixXd slope(capsules.size(), model.nv());
        const Eigen::VectorXd q = random_q(model, random), way = random_v(model, random);
        capsules.distances(q, d, slope);
        const auto at = [&](double h) {
          Eigen::VectorXd moved(capsules.size());
          capsules.distances(integrate(model, q, h * way), moved);
          return moved;
        };
        const Eigen::VectorXd fine = five_point_derivative(at, 2e-5),
                              finer = five_point_derivative(at, 1e-5);
        int compared = 0;
        for (int p = 0; p < capsules.size(); ++p) {
          // the slope has a corner where another end becomes the nearest
          if (std::abs(fine(p) - finer(p)) > 1e-7) continue;
          ++compared;
          EXPECT_NEAR(slope.row(p).dot(way), finer(p), 1e-6) << capsules.name(p);
        }
        EXPECT_GT(compared, 0.9 * capsules.size());
      },
      5);
}

// Where plain distances jump from pushing at one end to pushing at the other.
TEST(Capsules, slopes_are_steady_where_links_are_parallel) {
  const Model model = load_robot("pendulum").model;
  const auto slope_at = [&](double tilt) {
    const Vec3<double> up(0.0, 0.0, 0.3), along(tilt, 0.0, 1.0);
    Capsules capsules(
        model,
        {.self = false,
         .capsules = {{1,
                       {Vec3<double>(0.2, 0.2, 0.0) - up, Vec3<double>(0.2, 0.2, 0.0) + up, 0.01}}},
         .obstacles = {{-0.4 * along, 0.4 * along, 0.01}}});
    Eigen::VectorXd d(1), q = Eigen::VectorXd::Zero(model.nq());
    Eigen::MatrixXd slope(1, model.nv());
    capsules.distances(q, d, slope);
    return slope(0, 0);
  };
  EXPECT_NEAR(slope_at(1e-7), slope_at(-1e-7), 1e-3);
}

TEST(Capsules, know_a_folded_arm_from_a_stretched_one) {
  const Model robot = load_robot("panda").model;
  Capsules capsules(robot, {});
  Eigen::VectorXd d(capsules.size()), q = Eigen::VectorXd::Zero(7);
  q << 0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0;
  capsules.distances(q, d);
  EXPECT_GT(d.minCoeff(), 0.0);
  q << 0.0, -1.7, 0.0, -3.0, 0.0, 0.0, 0.0;  // the hand in the base
  capsules.distances(q, d);
  EXPECT_LT(d.minCoeff(), 0.0);
}

TEST(Capsules, obstacles_may_move_and_are_told_by_number) {
  const Model robot = load_robot("panda").model;
  Capsules capsules(robot, {.self = false, .obstacles = {{{0.5, 0.0, 0.5}, {0.5, 0.0, 0.5}, 0.1}}});
  Eigen::VectorXd near(capsules.size()), far(capsules.size());
  const Eigen::VectorXd q = neutral(robot);
  capsules.distances(q, near);
  capsules.set_obstacle(0, {{9.0, 0.0, 0.0}, {9.0, 0.0, 1.0}, 0.1});
  capsules.distances(q, far);
  EXPECT_GT(far.minCoeff(), 5.0);
  EXPECT_LT(near.maxCoeff(), 2.0);
  EXPECT_NE(capsules.name(0).find("obstacle 0"), std::string::npos);
  EXPECT_THROW(capsules.set_obstacle(1, {}), std::out_of_range);
  EXPECT_THROW(Capsules(robot, {.capsules = {{99, {}}}}), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
