#pragma once

#include "ulna/dynamics/inverse_mass_matrix.hpp"
#include "ulna/dynamics/mass_factor_impl.hpp"

namespace ulna {
namespace detail {

/// A := A^-1, symmetric and positive definite, its columns having whole blocks of four rows, B of them,
/// or as many as fit if B is 0. False if it is not positive definite. Gauss and Jordan's sweeps, from the
/// last pivot on: what two branches do not share stays zero, and is passed over, until they meet.
template <int B>
bool invert_by_sweeps(double* A, Eigen::Index ld, int n) {
  using Four = lanes::Four<double>;
  for (int k = n - 1; k >= 0; --k) {
    double* const pivot = A + k * ld;
    if (!(pivot[k] > 0.0)) return false;
    const double inverse = 1.0 / pivot[k];
    Four kept[B > 0 ? B : 1];
    for (int i = 0; i < B; ++i) kept[i] = Four::load(pivot + 4 * i);
    const auto sweep = [&](double* column) __attribute__((always_inline)) {
      if (column[k] == 0.0) return;
      const double f = column[k] * inverse;
      for (int i = 0; i < (B > 0 ? B : ld / 4); ++i) {
        Four rest = Four::load(column + 4 * i);
        rest.add_product(B > 0 ? kept[B > 0 ? i : 0] : Four::load(pivot + 4 * i), -f);
        rest.store(column + 4 * i);
      }
      column[k] = f;
    };
    for (int j = 0; j < k; ++j) sweep(A + j * ld);
    for (int j = k + 1; j < n; ++j) sweep(A + j * ld);
    for (Eigen::Index r = 0; r < ld; r += 4) {
      Four scaled = Four::all(0.0);
      scaled.add_product(Four::load(pivot + r), -inverse);
      scaled.store(pivot + r);
    }
    pivot[k] = inverse;
  }
  // rounding differs across the diagonal
  for (int c = 1; c < n; ++c)
    for (int r = 0; r < c; ++r) A[r + c * ld] = A[c + r * ld];
  return true;
}
inline bool invert_by_sweeps(double* A, Eigen::Index ld, int n) {
  switch (ld / 4) {
    case 1:
      return invert_by_sweeps<1>(A, ld, n);
    case 2:
      return invert_by_sweeps<2>(A, ld, n);
    case 3:
      return invert_by_sweeps<3>(A, ld, n);
    case 4:
      return invert_by_sweeps<4>(A, ld, n);
    default:
      return invert_by_sweeps<0>(A, ld, n);
  }
}

constexpr int worth_articulating =
    17;  ///< from so many coordinates on, articulated bodies are faster

/// A direction of an articulated body, each number in all lanes, and what it does in four columns of torques.
struct SpreadDirection {
  using Four = lanes::Four<double>;
  lanes::Spread6<double> S, U;
  double D_inverse;

  SpreadDirection(const V6<double>& s, const V6<double>& u, double d_inverse)
      : S(s), U(u), D_inverse(d_inverse) {}

  /// Inward: the acceleration of the joint by the forces from beyond it, six rows of stride ld, and by a
  /// torque against it; what is left of the forces where the joint gives way.
  [[gnu::always_inline]] Four give_way(Four against, const double* beyond, double* force,
                                       Eigen::Index ld) const {
    Four F[6];
    for (int c = 0; c < 6; ++c) F[c] = Four::load(beyond + c * ld);
    for (int c = 0; c < 6; ++c) against.add_product(F[c], S[c]);
    const Four a = against * -D_inverse;
    for (int c = 0; c < 6; ++c) {
      F[c].add_product(U[c], a);
      F[c].store(force + c * ld);
    }
    return a;
  }
  /// Outward: a, less what the parent's acceleration does, and with it the body's acceleration.
  [[gnu::always_inline]] Four accelerate(Four a, const double* above, double* own,
                                         Eigen::Index ld) const {
    Four A[6], sum = Four::all(0.0);
    for (int c = 0; c < 6; ++c) A[c] = Four::load(above + c * ld);
    for (int c = 0; c < 6; ++c) sum.add_product(A[c], U[c]);
    a.add_product(sum, -D_inverse);
    for (int c = 0; c < 6; ++c) {
      A[c].add_product(S[c], a);
      A[c].store(own + c * ld);
    }
    return a;
  }
};

/// Direction k, after its body was articulated.
inline SpreadDirection spread_direction(const Kinematics<double>& at, const Workspace<double>& ws,
                                        int k) {
  const auto& S = at.directions()[k];
  const auto& B = ws.articulated[S.body];
  const std::ptrdiff_t i = &S - at.directions(S.body).data();
  return {S.axis(), B.U[i], B.D_inverse[i]};
}

/// Outward: rows of X, each of `width` columns, from accelerations of the joints on bodies at rest to those on
/// bodies that their parents move; of row k from column first(k) on. A holds the bodies' accelerations in
/// slots of six rows each, still those of the ground.
template <class First>
[[gnu::always_inline]] inline void accelerate_outward(const Kinematics<double>& at,
                                                      const Workspace<double>& ws, double* X,
                                                      Eigen::Index width, double* A,
                                                      const double* still, First first) {
  const auto S = at.directions();
  const auto slot = [&](int s) { return A + 6 * width * s; };
  for (int k = 0; k < static_cast<int>(S.size()); ++k) {
    const SpreadDirection d = spread_direction(at, ws, k);
    const double* const above = S[k].above < 0 ? still : slot(ws.unit.slot[S[k].above]);
    double *const own = slot(ws.unit.slot[k]), *const row = X + k * width;
    for (Eigen::Index j = first(k); j < width; j += 4)
      d.accelerate(SpreadDirection::Four::load(row + j), above + j, own + j, width).store(row + j);
  }
}

/// M^-1 by articulated bodies, O(n depth) [Carpentier 2018]: the accelerations under a unit torque at
/// each joint, those of four columns at a time. A column of M^-1 is a unit torque; X holds its bias force
/// on the way inward, and its spatial acceleration on the way outward, as six rows each. Columns of a
/// subtree follow each other. ws holds each body's own inertia.
inline bool articulated_inverse(const Plant<double>& plant, const Kinematics<double>& at,
                                Workspace<double>& ws) {
  using Four = lanes::Four<double>;
  const auto S = at.directions();
  const std::span<const Joint> joints = plant.model().joints();
  const int n = static_cast<int>(S.size());
  MatX<double>& M_inverse = ws.inverse;
  const Eigen::Index ld = M_inverse.rows();
  double* const force = ws.unit.forces.data();
  std::fill_n(force, ws.unit.forces.size(), 0.0);
  for (int b = 1; b < static_cast<int>(joints.size()); ++b) {
    const auto& C = ws.composites[b];
    ws.articulated[b].I.set_inertia(C.mass, C.first, C.second);
  }

  // inward: row k of M^-1, as far as it is known, for the columns of its subtree
  for (int b = static_cast<int>(joints.size()) - 1; b > 0; --b) {
    auto& B = ws.articulated[b];
    const auto own = at.directions(b);
    for (int i = static_cast<int>(own.size()) - 1; i >= 0; --i) {
      const int k = static_cast<int>(&own[i] - S.data()), end = ws.unit.subtree_end[k];
      B.U[i] = B.I * own[i].axis();
      const double D = dot(own[i].axis(), B.U[i]) + plant.armature(k);
      if (!(D > 0.0)) return false;
      B.D_inverse[i] = 1.0 / D;
      B.I.subtract_outer(B.U[i] * B.D_inverse[i], B.U[i]);
      const SpreadDirection d(own[i].axis(), B.U[i], B.D_inverse[i]);
      double* const row = M_inverse.data() + k * ld;
      // a block may begin before k, where forces are zero yet; it must not reach into other branches
      int j = k / 4 * 4;
      for (; j + 4 <= end || (end == n && j < n); j += 4)
        d.give_way(Four::all(0.0), force + j, force + j, ld).store(row + j);
      for (; j < end; ++j) {
        double sum = 0.0;
        for (int c = 0; c < 6; ++c) sum += force[c * ld + j] * d.S[c][0];
        row[j] = -d.D_inverse * sum;
        for (int c = 0; c < 6; ++c) force[c * ld + j] += d.U[c][0] * row[j];
      }
      for (; j < ld; ++j) row[j] = 0.0;
      row[k] = d.D_inverse;
      for (int c = 0; c < 6; ++c) force[c * ld + k] = d.U[c][0] * d.D_inverse;
    }
    if (joints[b].parent > 0) ws.articulated[joints[b].parent].I += B.I;
  }

  // outward: less what the parent's acceleration does, for all columns from k on
  double* const A = ws.unit.accelerations.data();
  accelerate_outward(at, ws, M_inverse.data(), ld, A, A + 6 * ld * ws.unit.slots,
                     [](int k) { return k / 4 * 4; });
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < c; ++r) M_inverse(r, c) = M_inverse(c, r);
  return true;
}

/// X := -M^-1 X for many columns by the same recursion, O(n) a column, after articulated_inverse: row k of
/// X, `width` numbers in whole blocks of four, belongs to coordinate k. scratch has ws.unit.slots times six
/// rows of this width, and zeros six.
inline void solve_articulated(const Kinematics<double>& at, const Workspace<double>& ws, double* X,
                              Eigen::Index width, double* scratch, const double* zeros) {
  const auto S = at.directions();
  const auto forces = [&](int k) { return scratch + 6 * width * ws.unit.slot[k]; };
  for (int k = static_cast<int>(S.size()) - 1; k >= 0; --k) {
    const SpreadDirection d = spread_direction(at, ws, k);
    double *const force = forces(k), *const row = X + k * width;
    const double* const beyond = ws.unit.subtree_end[k] == k + 1 ? zeros : force;
    for (Eigen::Index j = 0; j < width; j += 4)
      d.give_way(SpreadDirection::Four::load(row + j), beyond + j, force + j, width).store(row + j);
    // the last child has left its forces in its parent's place
    if (const int above = S[k].above; above >= 0 && forces(above) != force)
      for (Eigen::Index i = 0; i < 6 * width; ++i) forces(above)[i] += force[i];
  }
  accelerate_outward(at, ws, X, width, scratch, zeros, [](int) { return 0; });
}

/// M^-1 into ws.inverse, ws.composites holding each body's own inertia. False if M is not positive
/// definite.
template <Scalar T>
bool invert_mass_matrix(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws) {
  MatX<T>& M = ws.inverse;
  const int n = static_cast<int>(M.cols());
  if constexpr (std::same_as<T, double>)
    if (n >= worth_articulating && !plant.model().has_mimics())
      return articulated_inverse(plant, at, ws);
  compose_bodies(plant.model().joints(), ws);
  set_mass_matrix<true>(plant, at, ws, M.data(), M.rows());
  if constexpr (std::same_as<T, double>) {
    return invert_by_sweeps(M.data(), M.rows(), n);
  } else {
    if (!ws.factor.factor(M.topRows(n))) return false;
    ws.factor.inverse(M.topRows(n));
    return true;
  }
}

}  // namespace detail

template <Scalar T>
bool inverse_mass_matrix(const Plant<T>& plant, const Kinematics<T>& at, Workspace<T>& ws,
                         OutMatrix<T> M_inverse) {
  const int n = plant.model().nv();
  detail::require_same_robot<T>(plant, at);
  detail::require_square("M_inverse", M_inverse.rows(), M_inverse.cols(), n);
  for (int b = 1; b < plant.model().body_count(); ++b)
    detail::carry_to_world(plant.body(b), at.R(b), at.p(b), ws.composites[b]);
  if (!detail::invert_mass_matrix(plant, at, ws)) return false;
  M_inverse = ws.inverse.topRows(n);
  return true;
}

}  // namespace ulna
