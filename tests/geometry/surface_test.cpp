#include "support/mesh.hpp"
#include "support/shapes.hpp"

// Convex shapes on surfaces of triangles: meshes and height fields.
namespace ulna::test {
namespace {

CollisionShape mesh_of(const test::Mesh<double>& mesh) {
  Triangles triangles;
  triangles.vertices = mesh.vertices;
  triangles.faces = mesh.triangles;
  return CollisionShape::mesh(triangles);
}

/// A flat square of side 4 in n x n cells, at a height.
CollisionShape flat_mesh(int n, double height = 0.0) {
  Triangles t;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      t.vertices.push_back({4.0 * i / n - 2.0, 4.0 * j / n - 2.0, height});
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      t.faces.push_back({a, b, d});
      t.faces.push_back({a, d, c});
    }
  return CollisionShape::mesh(t);
}

HeightField flat_field(int n, double height = 0.0) {
  return {n, n, 4.0, 4.0,
          std::vector<double>(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), height)};
}

/// Shapes on a flat surface touch it as they touch a plane: the same least gap, the same normal, no ghosts at its inner edges.
void expect_like_plane(const CollisionShape& surface, std::uint64_t seeds) {
  for (const ShapeKind kind : convex_kinds)
    for_each_seed(
        [&](Random& random) {
          SCOPED_TRACE(to_string(kind));
          const CollisionShape shape = random_shape(kind, random, 0.4);
          Transform<double> X = pose_within(random, 0.8);
          const double low =
              (X * shape.support(X.rotation().inverse_apply(-Vec3<double>::UnitZ()))).z();
          X = {X.rotation(),
               X.translation() + Vec3<double>(0.0, 0.0, random.real(-0.01, 0.01) - low)};
          Points points, on_plane;
          const int count = contact_points(surface, {}, shape, X, 0.02, points);
          const int expected = contact_points(Plane{}, {}, shape, X, 0.02, on_plane);
          ASSERT_EQ(count > 0, expected > 0);
          double least = infinity, plane = infinity;
          for (int i = 0; i < expected; ++i)
            plane = std::min(plane, on_plane[static_cast<std::size_t>(i)].gap);
          for (int i = 0; i < count; ++i) {
            const ContactPoint& c = points[static_cast<std::size_t>(i)];
            least = std::min(least, c.gap);
            EXPECT_NEAR(c.normal.z(), 1.0, 1e-9);
            EXPECT_NEAR(height_above(shape, X.inverse_apply(c.position + 0.5 * c.gap * c.normal)),
                        0.0, 1e-8);
            EXPECT_NEAR((c.position - 0.5 * c.gap * c.normal).z(), 0.0, 1e-9);
          }
          EXPECT_NEAR(least, plane, 1e-9);
        },
        seeds);
}

TEST(TriangleMesh, that_is_flat_touches_as_a_plane_does) {
  expect_like_plane(flat_mesh(1), 100);
  expect_like_plane(flat_mesh(8), 100);
}

TEST(HeightField, that_is_flat_touches_as_a_plane_does) {
  expect_like_plane(CollisionShape::height_field(flat_field(2)), 100);
  expect_like_plane(CollisionShape::height_field(flat_field(9)), 100);
}

TEST(TriangleMesh, a_box_of_triangles_touches_as_the_box_does) {
  const Vec3<double> size(1.0, 0.8, 0.6);
  const CollisionShape mesh = mesh_of(box_mesh<double>(size)), box = Box{size};
  for (const ShapeKind kind : convex_kinds)
    for_each_seed(
        [&](Random& random) {
          SCOPED_TRACE(to_string(kind));
          PlacedPair pair{box, random_shape(kind, random, 0.5), pose_within(random, 1.0),
                          pose_within(random, 1.0)};
          ContactPoint nearest;
          ASSERT_EQ(contact_points(pair.a, pair.X_WA, pair.b, pair.X_WB, infinity, {&nearest, 1}),
                    1);
          const double wanted = random.real(0.0, 0.02);
          pair.X_WB = {pair.X_WB.rotation(),
                       pair.X_WB.translation() + (wanted - nearest.gap) * nearest.normal};
          const double gap = distance(box, pair.X_WA, pair.b, pair.X_WB);
          Points points;
          const int count = contact_points(mesh, pair.X_WA, pair.b, pair.X_WB, 0.05, points);
          ASSERT_GT(count, 0);
          double least = infinity;
          for (int i = 0; i < count; ++i)
            least = std::min(least, points[static_cast<std::size_t>(i)].gap);
          EXPECT_NEAR(least, gap, 1e-9);
        },
        200);
}

TEST(HeightField, a_sphere_on_a_slope_touches_along_its_normal) {
  const double slope = 0.3;
  HeightField field{11, 11, 4.0, 4.0, {}};
  for (int j = 0; j < 11; ++j)
    for (int i = 0; i < 11; ++i) field.heights.push_back(slope * (0.4 * i - 2.0));
  const CollisionShape ground = CollisionShape::height_field(field);
  const Vec3<double> n = Vec3<double>(-slope, 0.0, 1.0).normalized();
  for_each_seed([&](Random& random) {
    const Vec3<double> at(random.real(), random.real(), 0.0);
    const Vec3<double> foot(at.x(), at.y(), slope * at.x());
    const double gap = random.real(-0.05, 0.05);
    Points points;
    const int count =
        contact_points(ground, {}, Sphere{0.1},
                       Transform<double>::from_translation(foot + (0.1 + gap) * n), 0.1, points);
    ASSERT_EQ(count, 1);
    EXPECT_NEAR(points[0].gap, gap, 1e-12);
    EXPECT_TRUE(points[0].normal.isApprox(n, 1e-9));
    EXPECT_TRUE(points[0].position.isApprox(foot + 0.5 * gap * n, 1e-9));
  });
}

TEST(HeightField, pushes_out_what_is_below_it) {
  const CollisionShape ground = CollisionShape::height_field(flat_field(9));
  Points points;
  const int count = contact_points(
      ground, {}, Sphere{0.1}, Transform<double>::from_translation({0.3, 0.2, -0.5}), 0.01, points);
  ASSERT_GT(count, 0);
  EXPECT_NEAR(points[0].gap, -0.6, 1e-9);
  EXPECT_NEAR(points[0].normal.z(), 1.0, 1e-12);
}

TEST(TriangleMesh, large_boxes_have_at_most_eight_points_that_span_them) {
  const CollisionShape ground = flat_mesh(32);
  Points points;
  const int count =
      contact_points(ground, {}, Box{{3.0, 2.0, 0.2}},
                     Transform<double>::from_translation({0.0, 0.0, 0.099}), 0.01, points);
  ASSERT_EQ(count, 8);
  Aabb box;
  for (const ContactPoint& c : points) box.include(c.position);
  EXPECT_NEAR(box.upper.x() - box.lower.x(), 3.0, 1e-9);
  EXPECT_NEAR(box.upper.y() - box.lower.y(), 2.0, 1e-9);
}

TEST(Surfaces, that_make_no_sense_are_refused) {
  EXPECT_THROW(CollisionShape::mesh({}), std::invalid_argument);
  EXPECT_THROW(CollisionShape::mesh({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}}),
               std::invalid_argument);
  EXPECT_THROW(CollisionShape::mesh({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 7}}}),
               std::invalid_argument);
  EXPECT_THROW(CollisionShape::height_field({1, 5, 1.0, 1.0, std::vector<double>(5)}),
               std::invalid_argument);
  EXPECT_THROW(CollisionShape::height_field({2, 2, 1.0, 1.0, {0.0, 0.0, 0.0}}),
               std::invalid_argument);
  EXPECT_THROW(CollisionShape::height_field({2, 2, 1.0, 0.0, {0.0, 0.0, 0.0, 0.0}}),
               std::invalid_argument);
  EXPECT_THROW(CollisionShape::height_field({2, 2, 1.0, 1.0, {0.0, infinity, 0.0, 0.0}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
