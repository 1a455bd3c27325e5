#include "support/shapes.hpp"

namespace ulna::test {
namespace {

double least_height(const ConvexHull& hull, const Vec3<double>& p) {
  double most = -infinity;
  for (int f = 0; f < hull.face_count(); ++f)
    most = std::max(most, hull.normal(f).dot(p) - hull.offset(f));
  return most;
}

/// Laws of every hull of points.
void expect_hull(const std::vector<Vec3<double>>& points, const ConvexHull& hull, double size,
                 Random& random) {
  for (const Vec3<double>& p : points) EXPECT_LE(least_height(hull, p), 1e-9 * size);
  for (const Vec3<double>& v : hull.vertices())
    EXPECT_NE(std::find(points.begin(), points.end(), v), points.end());
  for (int i = 0; i < 50; ++i) {
    const Vec3<double> n = unit_vector(random);
    double reach = -infinity;
    for (const Vec3<double>& p : points) reach = std::max(reach, n.dot(p));
    EXPECT_NEAR(n.dot(hull.vertices()[static_cast<std::size_t>(hull.support(n))]), reach,
                1e-9 * size);
  }
  for (int f = 0; f < hull.face_count(); ++f) {
    EXPECT_GE(hull.face(f).size(), 3u);
    for (const int v : hull.face(f))
      EXPECT_NEAR(hull.normal(f).dot(hull.vertices()[static_cast<std::size_t>(v)]), hull.offset(f),
                  1e-6 * size);
  }
}

TEST(ConvexHull, contains_all_points_and_supports_as_they_do) {
  for_each_seed(
      [](Random& random) {
        const double size = std::pow(10.0, random.real(-6.0, 6.0));
        std::vector<Vec3<double>> points(4 + static_cast<std::size_t>(random.real(0.0, 300.0)));
        const bool inside = random.real() < 0.0;
        for (auto& p : points) p = size * (inside ? vector_within(random) : unit_vector(random));
        expect_hull(points, ConvexHull(points), size, random);
      },
      300);
}

// Points of meshes lie in planes and on lines, many of them in the same place.
TEST(ConvexHull, of_grids_copies_and_rounded_points_is_sound) {
  for_each_seed(
      [](Random& random) {
        std::vector<Vec3<double>> points;
        const int n = 2 + static_cast<int>(random.real(0.0, 5.0));
        const Transform<double> X = pose_within(random, 1.0);
        const bool single = random.real() < 0.0;
        for (int i = 0; i <= n; ++i)
          for (int j = 0; j <= n; ++j)
            for (int k = 0; k <= n; ++k) {
              Vec3<double> p = X * Vec3<double>(double(i) / n, 2.0 * j / n, 0.5 * k / n);
              if (single) p = p.cast<float>().cast<double>();
              points.insert(points.end(), 1 + (i + j) % 2, p);
            }
        const ConvexHull hull(points);
        expect_hull(points, hull, 2.0, random);
        EXPECT_EQ(hull.face_count(), 6);
        EXPECT_NEAR(hull.volume(), 1.0, 1e-6);
      },
      50);
}

TEST(ConvexHull, of_many_points_on_a_sphere_has_nearly_its_volume) {
  Random random(3);
  std::vector<Vec3<double>> points(20'000);
  for (auto& p : points) p = unit_vector(random);
  const ConvexHull hull(points);
  EXPECT_NEAR(hull.volume(), 4.0 / 3.0 * 3.14159265358979, 5e-3);
  expect_hull(points, hull, 1.0, random);
}

TEST(ConvexHull, of_points_in_a_plane_or_on_a_line_is_refused) {
  for_each_seed([](Random& random) {
    const Transform<double> X = pose_within(random, 1.0);
    std::vector<Vec3<double>> plane, line;
    for (int i = 0; i < 20; ++i) {
      plane.push_back(X * Vec3<double>(random.real(), random.real(), 0.0));
      line.push_back(X * Vec3<double>(random.real(), 0.0, 0.0));
    }
    EXPECT_THROW(ConvexHull{plane}, std::invalid_argument);
    EXPECT_THROW(ConvexHull{line}, std::invalid_argument);
    EXPECT_THROW(ConvexHull(std::vector<Vec3<double>>(10, plane[0])), std::invalid_argument);
  });
}

}  // namespace
}  // namespace ulna::test
