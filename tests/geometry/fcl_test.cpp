#include "support/shapes.hpp"

#ifdef ULNA_WITH_FCL
#include <fcl/fcl.h>

// Distances beside those of FCL, where it is installed.
namespace ulna::test {
namespace {

std::shared_ptr<fcl::CollisionGeometryd> fcl_shape(const CollisionShape& shape) {
  const Vec3<double>& h = shape.half_size();
  switch (shape.kind()) {
    case ShapeKind::sphere:
      return std::make_shared<fcl::Sphered>(shape.radius());
    case ShapeKind::capsule:
      return std::make_shared<fcl::Capsuled>(shape.radius(), 2.0 * h.z());
    case ShapeKind::box:
      return std::make_shared<fcl::Boxd>(2.0 * h.x(), 2.0 * h.y(), 2.0 * h.z());
    case ShapeKind::cylinder:
      return std::make_shared<fcl::Cylinderd>(shape.radius(), 2.0 * h.z());
    case ShapeKind::ellipsoid:
      return std::make_shared<fcl::Ellipsoidd>(h.x(), h.y(), h.z());
    default: {
      const ConvexHull& hull = *shape.hull();
      const auto vertices = hull.vertices();
      auto points = std::make_shared<std::vector<fcl::Vector3d>>(vertices.begin(), vertices.end());
      auto faces = std::make_shared<std::vector<int>>();
      for (int f = 0; f < hull.face_count(); ++f) {
        faces->push_back(static_cast<int>(hull.face(f).size()));
        faces->insert(faces->end(), hull.face(f).begin(), hull.face(f).end());
      }
      return std::make_shared<fcl::Convexd>(points, hull.face_count(), faces);
    }
  }
}

fcl::Transform3d fcl_pose(const Transform<double>& X) {
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  pose.linear() = X.rotation().matrix();
  pose.translation() = X.translation();
  return pose;
}

// FCL's distance is that of GJK with a tolerance of 1e-6.
TEST(Fcl, measures_the_same_distances_between_shapes_that_are_apart) {
  int compared = 0;
  for (const ShapeKind ka : convex_kinds)
    for (const ShapeKind kb : convex_kinds)
      for_each_seed(
          [&](Random& random) {
            const PlacedPair pair = random_pair(ka, kb, random);
            const double gap = distance(pair.a, pair.X_WA, pair.b, pair.X_WB);
            if (gap < 0.01) return;
            const auto a = fcl_shape(pair.a), b = fcl_shape(pair.b);
            fcl::DistanceRequestd request(true, true);
            request.distance_tolerance = 1e-9;
            fcl::DistanceResultd result;
            const double other = fcl::distance(a.get(), fcl_pose(pair.X_WA), b.get(),
                                               fcl_pose(pair.X_WB), request, result);
            EXPECT_NEAR(gap, other, 1e-4) << to_string(ka) << " " << to_string(kb);
            ++compared;
          },
          100);
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace ulna::test
#endif
