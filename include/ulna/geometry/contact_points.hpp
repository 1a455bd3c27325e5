#pragma once

#include <cstdint>
#include <span>

#include "ulna/geometry/shape.hpp"

namespace ulna {

/// Where two surfaces touch or nearly touch, in the world. position - normal gap/2 lies on the first surface,
/// position + normal gap/2 on the second.
struct ContactPoint {
  Vec3<double> position;  ///< midway between the two surfaces
  Vec3<double> normal;    ///< unit, from the first shape to the second
  double gap;             ///< distance of the surfaces along it, negative where they overlap
  std::uint32_t feature;  ///< the same for the same pair of features in the next step
};

inline constexpr int max_contact_points = 8;

/// The points of a pair that are nearer than the margin: those of a patch where faces or edges meet (box on
/// plane up to 4, box on box up to 8, capsule on plane 2, cylinder on plane 2 to 5), otherwise the nearest one.
/// One of them has the least gap of the pair. Returns how many were written: at most as many as fit, and at
/// most max_contact_points; where there are more, those that are deepest and span the patch best are kept.
///
/// Allocates nothing, throws nothing, keeps no state: the same arguments give the same bits, in any thread.
/// Poses that are not finite have no contact points, nor have pairs of two shapes that do not move: planes, meshes and height
/// fields with each other.
int contact_points(const CollisionShape& a, const Transform<double>& X_WA, const CollisionShape& b,
                   const Transform<double>& X_WB, double margin,
                   std::span<ContactPoint> out) noexcept;

/// Distance of two surfaces, less than nothing where they overlap: the least translation that separates them. Infinite
/// where contact_points would find none at any margin.
double distance(const CollisionShape& a, const Transform<double>& X_WA, const CollisionShape& b,
                const Transform<double>& X_WB) noexcept;

}  // namespace ulna
