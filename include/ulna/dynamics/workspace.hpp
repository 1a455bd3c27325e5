#pragma once

#include <vector>

#include "ulna/dynamics/mass_factor.hpp"

namespace ulna {
namespace detail {

/// The directions of a Kinematics by rows: number c of all twists in one piece, for products with a wrench
/// several at a time. Only where four numbers make a register.
template <class T>
struct AxisRows {
  explicit AxisRows(int) {}
  template <class Direction>
  void set(std::span<const Direction>) {}
};

template <lanes::Plain T>
struct AxisRows<T> {
  explicit AxisRows(int size) : rows(MatX<T>::Zero((size + 3) / 4 * 4, 6)) {}
  template <class Direction>
  void set(std::span<const Direction> S) {
    T* to = rows.data();
    const Eigen::Index ld = rows.rows();
    for (const Direction& d : S) {
      for (int c = 0; c < 3; ++c) to[c * ld] = d.w[c], to[(3 + c) * ld] = d.v[c];
      ++to;
    }
  }
  MatX<T> rows;
};

/// What unit torques do, six rows and a column for each: for the inverse of the mass matrix. Only double
/// makes use of it.
template <Scalar T>
struct UnitTorques {
  explicit UnitTorques(const Model&) {}
};

template <>
struct UnitTorques<double> {
  explicit UnitTorques(const Model& model);
  std::vector<int> subtree_end;  ///< of each direction: past the last that it moves
  /// Where each direction's accelerations are kept. The last child takes over its parent's place.
  std::vector<int> slot;
  int slots = 1;
  MatX<double> forces, accelerations;  ///< the latter in all slots, and the ground's, zero
};

}  // namespace detail

/// Scratch for the algorithms: made once per thread, so that no call allocates. What is in it
/// between calls means nothing.
template <Scalar T>
class Workspace {
 public:
  explicit Workspace(const Model& model)
      : links(model.body_count()),
        composites(model.body_count()),
        articulated(model.body_count()),
        coriolis(model.body_count()),
        axes(model.tree_nv()),
        tree_tau(VecX<T>::Zero(model.has_mimics() ? model.tree_nv() : 0)),
        tree_M(MatX<T>::Zero(tree_tau.size(), tree_tau.size())),
        bias(VecX<T>::Zero(model.nv())),
        inverse(MatX<T>::Zero((model.nv() + 3) / 4 * 4, model.nv())),
        factor(model),
        unit(model) {}

  /// A body in the Newton-Euler recursion, in its canonical frame.
  struct Link {
    lanes::Turn<T> R;       ///< R_PB
    lanes::V3<T> p;         ///< p_PB
    lanes::V3<T> w, alpha;  ///< angular velocity and acceleration
    lanes::V3<T> a;         ///< acceleration of the origin
    lanes::M3<T> U;         ///< [alpha] + [w][w]: the acceleration of a point r is a + U r
    lanes::V3<T> f,
        n;  ///< force and moment the body itself needs; after the inward pass, those through its joint
  };
  /// A body with all that hangs on it, in world axes: the blocks of its pseudo-inertia.
  struct Composite {
    T mass;
    lanes::V3<T> first;
    lanes::S3<T> second;
  };
  /// What a body in motion adds to the force on a twist (w, v): the moment B w and the force w x p. It
  /// is the matrix of [Echeandia, Wensing 2021], whose columns for v are zero; with the moments of
  /// momentum N = ∫ (dr/dt) r' dm, B = tr(N) 1 - N, and p is the momentum.
  struct Coriolis {
    lanes::M3<T> B;
    lanes::V3<T> p;
  };
  /// An articulated body [Featherstone 2008, ch. 7], in world axes. U, D and u
  /// are of one degree of freedom of its joint each.
  struct Articulated {
    lanes::S6<T> I;
    lanes::V6<T> p;     ///< bias force
    lanes::V6<T> c;     ///< acceleration due to velocities
    lanes::V6<T> A;     ///< acceleration
    lanes::V6<T> U[6];  ///< I S
    T D_inverse[6];     ///< (S'U)^-1
    T u[6];             ///< tau - S'p
  };

  std::vector<Link> links;
  std::vector<Composite> composites;
  std::vector<Articulated> articulated;
  std::vector<Coriolis> coriolis;
  detail::AxisRows<T> axes;
  VecX<T> tree_tau;  ///< what belongs to the joints of the tree, where some mimic others
  MatX<T> tree_M;
  VecX<T> bias;
  MatX<T> inverse;  ///< of the mass matrix, its columns having whole blocks of four rows
  MassFactor<T> factor;
  detail::UnitTorques<T> unit;
};

}  // namespace ulna
