#include "support/shapes.hpp"

// How many points a pair has and where, and pairs that are at the edge of what is possible.
namespace ulna::test {
namespace {

using Pose3 = Transform<double>;

Pose3 at(double x, double y, double z) { return Pose3::from_translation({x, y, z}); }

std::vector<ContactPoint> touching_points(const CollisionShape& a, const Pose3& X_WA,
                                          const CollisionShape& b, const Pose3& X_WB,
                                          double margin = 0.01) {
  Points points;
  const int count = contact_points(a, X_WA, b, X_WB, margin, points);
  return {points.begin(), points.begin() + count};
}

/// How far the points reach along each axis.
Vec3<double> spread(const std::vector<ContactPoint>& points) {
  Aabb box;
  for (const ContactPoint& c : points) box.include(c.position);
  return box.upper - box.lower;
}

TEST(Patch, a_box_on_a_plane_stands_on_its_four_corners) {
  const auto points = touching_points(Plane{}, {}, Box{{0.4, 0.6, 0.2}}, at(1.0, 2.0, 0.099));
  ASSERT_EQ(points.size(), 4u);
  EXPECT_TRUE(spread(points).isApprox(Vec3<double>(0.4, 0.6, 0.0), 1e-12));
  for (const ContactPoint& c : points) {
    EXPECT_NEAR(c.gap, -0.001, 1e-15);
    EXPECT_NEAR(c.position.z(), -0.0005, 1e-15);
    EXPECT_EQ(c.normal, Vec3<double>::UnitZ());
  }
}

TEST(Patch, a_capsule_on_a_plane_lies_on_two_points_and_stands_on_one) {
  const Capsule capsule{0.1, 0.8};
  const Rotation<double> lying = Rotation<double>::about_x(0.5 * 3.14159265358979323846);
  const auto points = touching_points(Plane{}, {}, capsule, {lying, {0.0, 0.0, 0.1}});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(spread(points).y(), 0.8, 1e-12);
  EXPECT_EQ(touching_points(Plane{}, {}, capsule, at(0.0, 0.0, 0.5)).size(), 1u);
}

TEST(Patch, a_cylinder_on_a_plane_stands_on_four_points_and_lies_on_two) {
  const Cylinder cylinder{0.2, 0.6};
  const auto standing = touching_points(Plane{}, {}, cylinder, at(0.0, 0.0, 0.3));
  ASSERT_EQ(standing.size(), 4u);
  EXPECT_TRUE(spread(standing).isApprox(Vec3<double>(0.4, 0.4, 0.0), 1e-12));
  const Rotation<double> lying = Rotation<double>::about_y(0.5 * 3.14159265358979323846);
  const auto line = touching_points(Plane{}, {}, cylinder, {lying, {0.0, 0.0, 0.2}});
  ASSERT_EQ(line.size(), 2u);
  EXPECT_NEAR(spread(line).x(), 0.6, 1e-12);
}

TEST(Patch, boxes_on_each_other_share_the_corners_of_what_they_share) {
  const CollisionShape box = Box{{1.0, 1.0, 1.0}};
  EXPECT_EQ(touching_points(box, {}, box, at(0.0, 0.0, 1.0)).size(), 4u);
  const auto shifted = touching_points(box, {}, box, at(0.3, 0.2, 0.999));
  ASSERT_EQ(shifted.size(), 4u);
  EXPECT_TRUE(spread(shifted).isApprox(Vec3<double>(0.7, 0.8, 0.0), 1e-12));
  const Rotation<double> eighth = Rotation<double>::about_z(0.25 * 3.14159265358979323846);
  const auto octagon = touching_points(box, {}, box, {eighth, {0.0, 0.0, 0.999}});
  ASSERT_EQ(octagon.size(), 8u);
  for (const ContactPoint& c : octagon) EXPECT_NEAR(c.gap, -0.001, 1e-12);
}

TEST(Patch, a_box_that_leans_by_a_little_keeps_its_four_points_on_a_box) {
  const CollisionShape box = Box{{1.0, 1.0, 1.0}};
  for_each_seed(
      [&](Random& random) {
        const Rotation<double> R = Rotation<double>::exp(1e-4 * vector_within(random));
        const auto points = touching_points(box, {}, box, {R, {0.1, 0.05, 0.9995}}, 1e-3);
        EXPECT_GE(points.size(), 4u);
        EXPECT_GT(spread(points).head<2>().minCoeff(), 0.85);
      },
      200);
}

TEST(Patch, cylinders_boxes_and_hulls_stand_on_each_other_on_several_points) {
  const std::vector<Vec3<double>> cube = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                          {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
  const CollisionShape hull = CollisionShape::hull(cube), box = Box{{2.0, 2.0, 2.0}};
  EXPECT_EQ(touching_points(hull, {}, hull, at(0.0, 0.0, 2.0)).size(), 4u);
  EXPECT_EQ(touching_points(box, {}, hull, at(0.5, 0.0, 1.999)).size(), 4u);
  EXPECT_EQ(touching_points(Plane{}, {}, hull, at(0.0, 0.0, 1.0)).size(), 4u);
  const CollisionShape cylinder = Cylinder{0.5, 1.0};
  for (const CollisionShape& below : {box, hull}) {
    const auto points = touching_points(below, {}, cylinder, at(0.0, 0.0, 1.499));
    EXPECT_EQ(points.size(), 8u);
    EXPECT_GT(spread(points).head<2>().minCoeff(), 0.9);
    for (const ContactPoint& c : points) EXPECT_NEAR(c.gap, -0.001, 1e-9);
  }
  const auto stacked = touching_points(cylinder, {}, cylinder, at(0.2, 0.1, 1.0));
  EXPECT_GE(stacked.size(), 4u);
}

TEST(Patch, capsules_side_by_side_touch_at_both_ends_of_what_they_share) {
  const CollisionShape capsule = Capsule{0.1, 1.0};
  const auto points = touching_points(capsule, {}, capsule, at(0.2, 0.0, 0.4));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(spread(points).z(), 0.6, 1e-12);
  const Rotation<double> across = Rotation<double>::about_x(1.0);
  EXPECT_EQ(touching_points(capsule, {}, capsule, {across, {0.2, 0.0, 0.0}}).size(), 1u);
}

// Warm starts need it: the same corners, edges and faces have the same numbers in the next step.
TEST(Feature, stays_the_same_while_shapes_move_a_little) {
  struct Case {
    CollisionShape a, b;
    Pose3 X_WB;
  };
  const CollisionShape box = Box{{1.0, 1.0, 1.0}}, cylinder = Cylinder{0.4, 1.0};
  const std::vector<Case> cases = {
      {Plane{}, box, at(0.0, 0.0, 0.49)},
      {box, box, at(0.3, 0.2, 0.99)},
      {Plane{}, Capsule{0.1, 1.0}, {Rotation<double>::about_x(1.5708), {0.0, 0.0, 0.095}}},
      {Plane{}, cylinder, at(0.0, 0.0, 0.49)},
      {box, cylinder, at(0.0, 0.0, 0.99)}};
  for (const Case& c : cases)
    for_each_seed([&](Random& random) {
      const auto features = [&](const Pose3& X_WB) {
        std::vector<std::uint32_t> out;
        for (const ContactPoint& p : touching_points(c.a, {}, c.b, X_WB, 0.02))
          out.push_back(p.feature);
        std::sort(out.begin(), out.end());
        return out;
      };
      const auto before = features(c.X_WB);
      ASSERT_GE(before.size(), 2u);
      EXPECT_EQ(std::adjacent_find(before.begin(), before.end()), before.end());
      const Pose3 motion{Rotation<double>::exp(1e-4 * vector_within(random)),
                         1e-4 * vector_within(random)};
      EXPECT_EQ(features(motion * c.X_WB), before)
          << to_string(c.a.kind()) << " " << to_string(c.b.kind());
    });
}

TEST(Degenerate, shapes_in_the_same_place_have_finite_points) {
  for (const ShapeKind ka : convex_kinds)
    for (const ShapeKind kb : convex_kinds) {
      Random random(7);
      const CollisionShape a = random_shape(ka, random), b = random_shape(kb, random);
      for (const Pose3& X : {Pose3(), pose_within(random, 2.0)}) {
        const auto points = touching_points(a, X, b, X, 1.0);
        ASSERT_FALSE(points.empty()) << to_string(ka) << " " << to_string(kb);
        for (const ContactPoint& c : points) {
          EXPECT_TRUE(c.position.allFinite() && std::isfinite(c.gap));
          EXPECT_NEAR(c.normal.norm(), 1.0, 1e-12);
          EXPECT_LT(c.gap, 1.0);
        }
      }
    }
}

TEST(Degenerate, sizes_from_a_micrometre_to_a_thousand_kilometres_work) {
  for (const ShapeKind ka : convex_kinds)
    for (const ShapeKind kb : convex_kinds)
      for (const double size : {1e-6, 1e-3, 1e3, 1e6})
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
          SCOPED_TRACE(std::string(to_string(ka)) + " " + std::string(to_string(kb)) + " seed " +
                       std::to_string(seed));
          Random random(seed);
          const PlacedPair pair = random_pair(ka, kb, random, size);
          const double gap = distance(pair.a, pair.X_WA, pair.b, pair.X_WB);
          Points points;
          ASSERT_GT(pair.points(points, infinity), 0);
          const Vec3<double> n = points[0].normal;
          EXPECT_TRUE(std::isfinite(gap) && n.allFinite() && points[0].position.allFinite());
          EXPECT_NEAR(n.norm(), 1.0, 1e-12);
        }
}

TEST(Degenerate, a_grain_on_a_large_box_touches_it) {
  const CollisionShape table = Box{{1e3, 1e3, 1e3}};
  for (const CollisionShape& grain :
       {CollisionShape(Sphere{1e-4}), CollisionShape(Box{{2e-4, 2e-4, 2e-4}}),
        CollisionShape(Cylinder{1e-4, 2e-4}), CollisionShape(Ellipsoid{{1e-4, 1e-4, 1e-4}})}) {
    const auto points = touching_points(table, {}, grain, at(3.0, 4.0, 500.0 + 0.99e-4), 1e-5);
    ASSERT_FALSE(points.empty()) << to_string(grain.kind());
    for (const ContactPoint& c : points) {
      EXPECT_NEAR(c.gap, -1e-6, 1e-11) << to_string(grain.kind());
      EXPECT_NEAR(c.normal.z(), 1.0, 1e-9);
    }
  }
}

TEST(Degenerate, sizes_that_are_no_lengths_are_refused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {0.0, -1.0, nan, infinity, 1e-10, 1e10}) {
    EXPECT_THROW(CollisionShape(Sphere{x}), std::invalid_argument) << x;
    EXPECT_THROW(CollisionShape(Capsule{x, 1.0}), std::invalid_argument) << x;
    EXPECT_THROW(CollisionShape(Capsule{1.0, x}), std::invalid_argument) << x;
    EXPECT_THROW(CollisionShape(Cylinder{1.0, x}), std::invalid_argument) << x;
    EXPECT_THROW(CollisionShape(Box{{1.0, x, 1.0}}), std::invalid_argument) << x;
    EXPECT_THROW(CollisionShape(Ellipsoid{{x, 1.0, 1.0}}), std::invalid_argument) << x;
  }
  const std::vector<Vec3<double>> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  EXPECT_THROW(CollisionShape::hull(flat), std::invalid_argument);
  EXPECT_THROW(CollisionShape::hull({}), std::invalid_argument);
}

TEST(Degenerate, poses_that_are_not_finite_touch_nothing) {
  const CollisionShape box = Box{{1.0, 1.0, 1.0}};
  for (const double x : {std::numeric_limits<double>::quiet_NaN(), infinity}) {
    EXPECT_TRUE(touching_points(box, at(x, 0.0, 0.0), box, {}).empty());
    EXPECT_TRUE(touching_points(box, {}, box, at(0.0, x, 0.0)).empty());
  }
}

TEST(CollisionShape, bounds_enclose_what_supports_it_and_no_more) {
  for (const ShapeKind kind : convex_kinds)
    for_each_seed([&](Random& random) {
      const CollisionShape shape = random_shape(kind, random);
      const Pose3 X = pose_within(random, 3.0);
      const Aabb box = shape.box(X);
      for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0}) {
          const Vec3<double> n = side * Vec3<double>::Unit(axis);
          const double reach = (X * shape.support(X.rotation().inverse_apply(n)))(axis);
          const double bound = side > 0.0 ? box.upper(axis) : box.lower(axis);
          EXPECT_GE(side * (bound - reach), -1e-12);
          EXPECT_LE(side * (bound - reach), kind == ShapeKind::hull ? 1.0 : 1e-12);
        }
      const Vec3<double> middle = 0.5 * (shape.box().lower + shape.box().upper);
      EXPECT_LE((shape.support(unit_vector(random)) - middle).norm(),
                shape.bounding_radius() + 1e-12);
    });
}

}  // namespace
}  // namespace ulna::test
