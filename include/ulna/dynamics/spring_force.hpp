#pragma once

#include "ulna/dynamics/drive_dynamics.hpp"

namespace ulna::detail {

/// The spring of coordinate c, which has a deflection e: K e + H e³, and its derivative by e.
template <Scalar T>
T spring_force(const DriveParameters<T>& drives, int c, const T& e) {
  return (drives.stiffness(c) + drives.hardening(c) * e * e) * e;
}
template <Scalar T>
T spring_slope(const DriveParameters<T>& drives, int c, const T& e) {
  return drives.stiffness(c) + T(3) * drives.hardening(c) * e * e;
}

/// e with K e + H e³ = s. Newton's method from above: the force is convex there, so each step comes closer; from
/// the smaller of what either term alone needs it takes some six steps, however hard the spring is.
template <Scalar T>
T spring_deflection(const DriveParameters<T>& drives, int c, const T& s) {
  T e = s / drives.stiffness(c);
  if (all(drives.hardening(c) == T(0))) return e;
  for (int i = 0; i < 60; ++i) {
    const T step = (spring_force(drives, c, e) - s) / spring_slope(drives, c, e);
    e -= step;
    if (all(abs(step) <= T(1e-15) * abs(e))) break;
  }
  return e;
}

}  // namespace ulna::detail
