#pragma once

#include "ulna/dynamics/drive_dynamics.hpp"

namespace ulna::detail {

/// The spring of coordinate c, which has a deflection e: K e + H e³, and its derivative by e.
template <Scalar T>
T spring_force(const DriveParameters<T>& drives, int c, const T& e) {
  return (drives.stiffness(c) + drives.hardening(c) * e * e) * e;
}
/// The energy that it holds.
template <Scalar T>
T spring_energy(const DriveParameters<T>& drives, int c, const T& e) {
  return (T(0.5) * drives.stiffness(c) + T(0.25) * drives.hardening(c) * e * e) * e * e;
}
template <Scalar T>
T spring_slope(const DriveParameters<T>& drives, int c, const T& e) {
  return drives.stiffness(c) + T(3) * drives.hardening(c) * e * e;
}

/// The inertia of rotors as elastic coordinate c meets it if all others stand still: the diagonal of N'J N, and the joint's own rotor.
template <Scalar T>
T rotor_inertia(const Plant<T>& plant, int c) {
  T inertia = plant.drives.rotor(c);
  for (const auto& [motor, coordinate, ratio] : plant.model().drives().separate_gears)
    if (coordinate == c) inertia += T(ratio * ratio) * plant.drives.inertia(motor);
  return inertia;
}

/// e with K e + H e³ = s: the real root of the cubic in closed form, e = 2 w sinh(asinh(1.5 |s|/(K w))/3) with w = √(K/3H), and
/// two steps of Newton's method, which make it and its derivatives exact where rounding has left little of the logarithm.
template <Scalar T>
T spring_deflection(const DriveParameters<T>& drives, int c, const T& s) {
  const T &K = drives.stiffness(c), &H = drives.hardening(c);
  T e = s / K;
  if (all(H == T(0))) return e;
  const T w = sqrt(K / (T(3) * select(H > T(0), H, K)));
  const T x = T(1.5) * abs(e) / w;
  const T y = exp(log(x + sqrt(x * x + T(1))) / T(3));
  const T root = w * (y - T(1) / y);
  e = select(H > T(0), select(s < T(0), T(-root), root), e);
  for (int i = 0; i < 2; ++i) e -= (spring_force(drives, c, e) - s) / spring_slope(drives, c, e);
  return e;
}

}  // namespace ulna::detail
