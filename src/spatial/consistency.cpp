#include "ulna/spatial/consistency.hpp"

#include <Eigen/Eigenvalues>
#include <cstdio>

namespace ulna {
namespace {

// What is left when figures with 16 digits are added and subtracted: not a defect of the body.
constexpr double rounding = 1e-9;

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

}  // namespace

Consistency check_consistency(const Inertia<double>& inertia) {
  using Verdict = Consistency::Verdict;
  if (!inertia.parameters().allFinite()) return {.verdict = Verdict::not_finite};
  if (inertia.parameters().isZero(0.0)) return {.verdict = Verdict::massless};

  Consistency c;
  const Mat3<double> I = inertia.rotational_about_com();
  c.principal_moments =
      Eigen::SelfAdjointEigenSolver<Mat3<double>>(I, Eigen::EigenvaluesOnly).eigenvalues();
  // second moments of mass along the principal axes: the eigenvalues of the pseudo-inertia's
  // rotational block about the centre of mass. The moment of the shift to the origin sets the scale
  // on which they are known.
  const Vec3<double> spread =
      Vec3<double>::Constant(0.5 * c.principal_moments.sum()) - c.principal_moments;
  const double scale = std::max(inertia.rotational().cwiseAbs().maxCoeff(),
                                c.principal_moments.cwiseAbs().maxCoeff());
  const double largest = spread.cwiseAbs().maxCoeff();
  c.margin = largest > 0.0 ? spread.minCoeff() / largest : 0.0;

  const double tolerance = rounding * scale;
  if (inertia.mass() <= 0.0) {
    c.verdict = Verdict::mass_not_positive;
    c.amount = inertia.mass();
  } else if (c.principal_moments.x() < -tolerance) {
    c.verdict = Verdict::not_positive;
    c.amount = c.principal_moments.x();
  } else if (spread.minCoeff() < -tolerance) {
    c.verdict = Verdict::triangle_inequality;
    c.amount = -2.0 * spread.minCoeff();
  } else if (spread.minCoeff() <= tolerance) {
    c.verdict = Verdict::degenerate;
  }
  return c;
}

std::string Consistency::explanation() const {
  // what rounding left of a zero is reported as zero
  const double size = principal_moments.cwiseAbs().maxCoeff();
  const Vec3<double> m = principal_moments.unaryExpr(
      [&](double x) { return std::abs(x) < rounding * size ? 0.0 : x; });
  switch (verdict) {
    case Verdict::consistent:
      return "consistent";
    case Verdict::massless:
      return "massless";
    case Verdict::degenerate:
      return format(
          "degenerate: principal moments %.4g, %.4g, %.4g are those of a point, a rod or a plate",
          m.x(), m.y(), m.z());
    case Verdict::not_finite:
      return "a parameter is not finite";
    case Verdict::mass_not_positive:
      return format("mass %.6g kg is not positive", amount);
    case Verdict::not_positive:
      return format("inertia is not positive definite: principal moment %.4g kg m^2", amount);
    case Verdict::triangle_inequality:
      return format("triangle inequality: %.4g > %.4g + %.4g by %.3g kg m^2", m.z(), m.x(), m.y(),
                    amount);
  }
  return {};
}

}  // namespace ulna
