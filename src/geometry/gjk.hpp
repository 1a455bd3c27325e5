#pragma once

#include "geometry/patch.hpp"

namespace ulna::detail {

/// A point of the difference B - A of two cores, and what it is made of.
struct Difference {
  Vector3 a, b, w;  ///< w = b - a
};

/// Two cores, seen from A. Distances of the cores are those of the origin from their difference B - A.
struct CorePair {
  const Convex& a;
  const Convex& b;
  const Relative& X_AB;

  double size() const { return a.size + b.size; }
  bool is_curved() const { return !a.is_polytope() || !b.is_polytope(); }
  double margins() const { return a.margin() + b.margin(); }
  /// The farthest point of B - A along a direction, which need not have unit length.
  Difference support(const Vector3& direction) const {
    const Vector3 on_a = a.support(-direction);
    const Vector3 on_b = X_AB * b.support(X_AB.R.transpose() * direction);
    return {on_a, on_b, on_b - on_a};
  }
};

/// Up to four points of B - A, and the weights with which they make the nearest point to the origin.
struct Simplex {
  std::array<Difference, 4> points;
  std::array<double, 4> weights{};
  int size = 0;

  Difference& operator[](int i) { return points[static_cast<std::size_t>(i)]; }
  const Difference& operator[](int i) const { return points[static_cast<std::size_t>(i)]; }
};

/// The point of a simplex that is nearest to the origin; the simplex becomes the part of it that has weight there.
Vector3 nearest_to_origin(Simplex& simplex);

enum class GjkResult { apart, overlapping, far };
/// When to stop at curved surfaces; polytopes are always done to the end.
enum class Effort { quick, thorough };

/// The nearest point of B - A to the origin (Gilbert, Johnson, Keerthi 1988), unless the surfaces are farther apart than
/// the margin. `at` and `simplex` are set where cores are apart; where they overlap, `simplex` alone.
GjkResult gjk(const CorePair& pair, double margin, Effort effort, Simplex& simplex,
              Separation& at) noexcept;

/// The least translation that separates cores that overlap or touch: the expanding polytope algorithm (van den Bergen
/// 2001), begun with what GJK found. At most 96 expansions. `simplex` becomes the face of B - A that was found.
void epa(const CorePair& pair, Effort effort, Simplex& simplex, Separation& at) noexcept;

/// Makes normal and points more exact than GJK or EPA can for curved surfaces: Newton's method on the sphere of normals for
/// the largest support difference, across the edges and faces that the simplex shows to touch. A result that is no better
/// is not taken. Whether the result is exact: points that lie above each other have the gap.
bool polish(const CorePair& pair, const Simplex& simplex, Separation& at) noexcept;

/// All three: how two cores lie to each other, unless the surfaces are farther apart than the margin. Whether they overlap.
GjkResult separate(const CorePair& pair, double margin, Simplex& simplex, Separation& at) noexcept;

}  // namespace ulna::detail
