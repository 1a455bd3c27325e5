#pragma once

#include <optional>
#include <string_view>

#include "ulna/identify/types.hpp"

/// Motions that identify a robot: they begin and end at rest and are linear in their coefficients.
namespace ulna::identify {

enum class MotionKind {
  fourier,  ///< periodic: the finite Fourier series of Swevers et al. [1997]
  bspline,  ///< B-splines of degree 5, which may end elsewhere than they began
};
std::string_view to_string(MotionKind kind);
std::optional<MotionKind> motion_kind_from_string(std::string_view name);

/// Functions of time that all joints share: a joint moves as q(t) = Σ c_k b_k(t). Whatever these
/// are, velocity and acceleration vanish at both ends, which is built in, and if `rest` is 4, the third and
/// fourth derivative, too: motors behind springs can follow only such motions from rest.
///
/// Of q = q_0 + Σ_k a_k sin(k w t) / (k w) + b_k (1 - cos(k w t)) / (k w), rest is Σ a_k = 0 and
/// Σ k b_k = 0 (Σ k² a_k = 0 and Σ k³ b_k = 0), and the functions span the series that obey this. They stay periodic, so that a motion
/// can be repeated and its measurements averaged, and band-limited, so that filters leave them alone;
/// a blend with a polynomial would be neither.
///
/// Clamped B-splines are at rest if their first three (five) control points are one, and their last.
/// A control point moves the joint in six of the pieces between knots, and nowhere else.
class MotionBasis {
 public:
  /// As many coefficients per joint as `harmonics` of the period `duration` have at rest, 2 harmonics + 1 - rest.
  /// `rest`, 2 or 4: up to which derivative motions vanish at both ends. Throws std::invalid_argument for another,
  /// and unless the duration is positive and harmonics from 1 + rest / 2 to max_harmonics.
  MotionBasis(MotionKind kind, double duration, int harmonics, int rest = 2);
  static constexpr int max_harmonics = 200;

  MotionKind kind() const { return kind_; }
  double duration() const { return duration_; }
  int harmonics() const { return harmonics_; }
  int rest() const { return rest_; }
  int size() const { return 2 * harmonics_ + 1 - rest_; }

  /// The functions at a time, or a derivative of any order. They stand still before and after.
  Vector at(double t, int derivative = 0) const;
  /// The same for many times: a column each.
  Matrix at(const Vector& t, int derivative) const;

 private:
  Vector fourier(double t, int derivative) const;
  Vector bspline(double t, int derivative) const;

  MotionKind kind_;
  double duration_;
  int harmonics_, rest_;
  Matrix sines_, cosines_;  ///< harmonics x harmonics - rest / 2: what rest leaves of them
};

/// A basis with coefficients: a row for each joint.
struct ExcitingMotion {
  MotionBasis basis;
  Matrix coefficients;

  int joints() const { return int(coefficients.rows()); }
  double duration() const { return basis.duration(); }
  /// q, v, a, ...: the derivative of order 0, 1, 2, ...
  Vector at(double t, int derivative = 0) const;
  /// joints x times.
  Matrix at(const Vector& t, int order) const;
  /// 0, 1/rate, ...: whole steps, the last of them at or just before the end.
  Vector times(double rate_hz) const;
};

}  // namespace ulna::identify
