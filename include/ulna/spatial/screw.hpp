#pragma once

#include <limits>

#include "ulna/spatial/transform.hpp"

namespace ulna {

/// A line in space with a pitch: what a motion turns about and slides along (Chasles), or what a
/// force pulls along and twists about (Poinsot).
template <Scalar T>
struct Screw {
  Vec3<T> direction = Vec3<T>::UnitZ();  ///< unit length
  Vec3<T> point = Vec3<T>::Zero();       ///< the point of the line closest to the origin
  T pitch{0.0};  ///< length along the line per radian about it; infinite when nothing turns
};

/// A motion along a screw: by how much it turns, or slides when the pitch is infinite.
template <Scalar T>
struct ScrewMotion {
  Screw<T> screw;
  T magnitude{0.0};
};

namespace detail {

/// The screw of a pair of vectors: the line along `about` on which `along` is parallel to it
/// (Cărămizaru 2023, def. 3.1.17, whose pitch lacks a square).
template <Scalar T>
ScrewMotion<T> screw_of(const Vec3<T>& about, const Vec3<T>& along) {
  const Vec3<T> z(T(0), T(0), T(1));
  const T about2 = about.dot(about);
  // a rotation lost in the rounding of the translation is none
  const T tiny = T(epsilon<T>() * epsilon<T>());
  const Mask<T> pure_translation = !(about2 > tiny * along.dot(along));
  const T safe = select(pure_translation, T(1), about2);
  const T infinity(std::numeric_limits<double>::infinity());
  Screw<T> screw;
  screw.direction = select(pure_translation, direction_of(along, z), direction_of(about, z));
  screw.point =
      select(pure_translation, Vec3<T>(Vec3<T>::Zero()), Vec3<T>(cross(about, along) / safe));
  screw.pitch = select(pure_translation, infinity, about.dot(along) / safe);
  return {screw, select(pure_translation, length_of(along), length_of(about))};
}

}  // namespace detail

/// The twist of moving along a screw at a rate (Cărămizaru 2023, eq. 3.23).
template <Scalar T>
Twist<T> twist_of(const Screw<T>& screw, const T& rate) {
  const Mask<T> turns = is_finite(screw.pitch);
  const T pitch = select(turns, screw.pitch, T(0));
  const Vec3<T> w = select(turns, Vec3<T>(screw.direction * rate), Vec3<T>(Vec3<T>::Zero()));
  const Vec3<T> v =
      select(turns, Vec3<T>(pitch * w + cross(screw.point, w)), Vec3<T>(screw.direction * rate));
  return {w, v};
}

/// The screw that a body moving with a twist follows at this instant, and the rate.
template <Scalar T>
ScrewMotion<T> screw_of(const Twist<T>& V) {
  return detail::screw_of(V.angular, V.linear);
}

/// Chasles: the screw along which a displacement can be made, and by how much (Cărămizaru 2023, thm. 3.1.1).
template <Scalar T>
ScrewMotion<T> screw_of(const Transform<T>& X) {
  return screw_of(X.log());
}

/// Poinsot: every wrench is a force along a line and a moment about the same line (the notes on wrenches). The
/// magnitude is the force, and the pitch moment over force; for a pure moment, infinite.
template <Scalar T>
ScrewMotion<T> screw_of(const Wrench<T>& F) {
  return detail::screw_of(F.force, F.moment);
}

/// The wrench of a force along a screw, with the moment that its pitch gives.
template <Scalar T>
Wrench<T> wrench_of(const Screw<T>& screw, const T& magnitude) {
  const Twist<T> dual = twist_of(screw, magnitude);
  return {dual.linear, dual.angular};
}

}  // namespace ulna
