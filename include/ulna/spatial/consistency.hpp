#pragma once

#include <string>

#include "ulna/spatial/inertia.hpp"

namespace ulna {

/// Whether a body with this inertia can exist, and if not, which condition fails and by how much.
///
/// A body is a distribution of positive mass, so its pseudo-inertia is positive definite; for the
/// moments this means that each is smaller than the sum of the other two (the triangle inequality).
/// Point masses, rods and plates lie on the boundary: `degenerate`, real only as a limit.
struct Consistency {
  enum class Verdict {
    consistent,
    massless,             ///< all ten parameters are zero
    degenerate,           ///< on the boundary: a point mass, a rod, a plate
    not_finite,           ///< a parameter is NaN or infinite
    mass_not_positive,    ///< amount: the mass
    not_positive,         ///< a principal moment is negative; amount: that moment
    triangle_inequality,  ///< amount: largest moment minus the sum of the other two
  };
  Verdict verdict = Verdict::consistent;
  double amount = 0.0;
  Vec3<double> principal_moments = Vec3<double>::Zero();  ///< about the centre of mass, ascending
  /// Smallest eigenvalue of the pseudo-inertia about the centre of mass, over the largest of its
  /// rotational block: dimensionless, positive inside, negative outside.
  double margin = 0.0;

  bool ok() const { return verdict == Verdict::consistent; }
  /// Real bodies and their limits: everything that mechanics can compute with.
  bool acceptable() const {
    return ok() || verdict == Verdict::massless || verdict == Verdict::degenerate;
  }
  /// One line: "triangle inequality: 0.35 > 0.1 + 0.2 by 0.05 kg m^2".
  std::string explanation() const;
};

Consistency check_consistency(const Inertia<double>& inertia);

}  // namespace ulna
