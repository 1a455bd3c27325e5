#pragma once

#include <limits>
#include <vector>

#include "ulna/num/eigen.hpp"

/// Optimal control in stages: what happens at times k = 0..N, each stage with a state x, an input u
/// and a next stage. The last has no input. Everything about one stage is in the order (u, x).
namespace ulna::control {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct StageSize {
  int x = 0;  ///< degrees of freedom of the state
  int u = 0;  ///< inputs
  int g = 0;  ///< constraints beside the bounds of u and x

  int variables() const { return u + x; }
  int rows() const { return u + x + g; }  ///< all that may be bounded: u, x, g
  bool operator==(const StageSize&) const = default;
};

/// What rows (u, x, g) of a stage keep to. A row whose bounds are equal is an equation. A soft row may
/// leave its bounds by s at the price of price s + price_squared s²/2.
struct Bounds {
  Eigen::VectorXd lower, upper;
  Eigen::VectorXd price, price_squared;  ///< price infinity: hard

  Bounds() = default;
  /// Nothing is bounded, and what will be is hard.
  explicit Bounds(const StageSize& size);
};

/// A stage of a quadratic program: of z = (u, x)
///
///     minimise   ½ z' H z + h' z,     x_next = F z + f,     lower ≤ (z, G z) ≤ upper.
struct QpStage {
  StageSize size;
  Eigen::MatrixXd H, F, G;
  Eigen::VectorXd h, f;
  Bounds bounds;

  QpStage() = default;
  /// All zero; `next`: degrees of freedom of the next state, 0 at the end.
  QpStage(const StageSize& s, int next);

  auto A() { return F.rightCols(size.x); }
  auto B() { return F.leftCols(size.u); }
  auto Q() { return H.bottomRightCorner(size.x, size.x); }
  auto R() { return H.topLeftCorner(size.u, size.u); }
};

/// The stages of a program of these sizes.
std::vector<QpStage> qp_stages(const std::vector<StageSize>& sizes);

}  // namespace ulna::control
