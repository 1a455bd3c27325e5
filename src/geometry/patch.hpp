#pragma once

#include "geometry/collector.hpp"

namespace ulna::detail {

/// How two cores lie to each other, in A's frame.
struct Separation {
  Vector3 normal = Vector3::UnitZ();  ///< from A to B
  double gap = infinity;              ///< of the surfaces: support difference along the normal
  Vector3 on_a = Vector3::Zero(), on_b = Vector3::Zero();  ///< nearest points of the cores
};

/// Adds the points of the patch in which the faces or edges that support A and B along the normal meet: the face of one
/// is clipped by the sides of the other, and each corner is joined along the normal with its counterpart. Where nothing
/// but a point meets, or where the patch leaves it out, the nearest points are added.
void add_patch(const Convex& a, const Convex& b, const Relative& X_AB, const Separation& at,
               Collector& out);
/// The same of a pair that has no points yet, only if one of the patch has the gap of the separation. Whether it has.
bool add_faces(const Convex& a, const Convex& b, const Relative& X_AB, const Separation& at,
               Collector& out);
/// The same, only the points of the patch, if there are any.
void add_overlap(const Convex& a, const Convex& b, const Relative& X_AB, const Separation& at,
                 Collector& out);

}  // namespace ulna::detail
