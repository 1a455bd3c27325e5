#pragma once

#include <vector>

#include "ulna/model/model.hpp"
#include "ulna/spatial/lanes_symmetric.hpp"

namespace ulna {
namespace detail {

/// How a body is placed in its parent, apart from its joint's coordinates: what never changes, ready
/// for the inner loops.
template <Scalar T>
struct Place {
  lanes::TurnAboutZ<T> turn;
  lanes::V3<T> p;
};

/// The places of all bodies, and room for the sines and cosines of their angles: for double, whole
/// SIMD registers, so that no angle is left over.
template <Scalar T>
struct Skeleton {
  std::vector<Place<T>> places;
  std::vector<T> angle, sine, cosine;
  static constexpr int block = std::same_as<T, double> ? 8 : 1;

  explicit Skeleton(const Model& model)
      : places(model.body_count()),
        angle((model.body_count() + block - 1) / block * block, T(0)),
        sine(angle.size()),
        cosine(angle.size()) {
    for (int b = 0; b < model.body_count(); ++b) {
      const Transform<double>& X = model.joint(b).X_PJ;
      places[b] = {lanes::TurnAboutZ<T>(X.rotation().matrix()),
                   lanes::V3<T>(Vec3<T>(X.translation().cast<T>()))};
    }
  }
};

}  // namespace detail

/// Scratch for the algorithms: made once per thread, so that no call allocates. What is in it
/// between calls means nothing.
template <Scalar T>
class Workspace {
 public:
  explicit Workspace(const Model& model)
      : skeleton(model),
        links(model.body_count()),
        composites(model.body_count()),
        articulated(model.body_count()),
        coriolis(model.body_count()),
        bias(Eigen::Matrix<T, Eigen::Dynamic, 1>::Zero(model.nv())) {}

  /// A body on the way of Newton and Euler, in its canonical frame.
  struct Link {
    lanes::Turn<T> R;       ///< R_PB
    lanes::V3<T> p;         ///< p_PB
    lanes::V3<T> w, alpha;  ///< angular velocity and acceleration
    lanes::V3<T> a;         ///< acceleration of the origin
    lanes::M3<T> U;         ///< [alpha] + [w][w]: the acceleration of a point r is a + U r
    lanes::V3<T> f, n;      ///< force and moment through its joint
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
  /// A body with all that hangs on it loosely [Featherstone 2008, ch. 7], in world axes. U, D and u
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

  detail::Skeleton<T> skeleton;
  std::vector<Link> links;
  std::vector<Composite> composites;
  std::vector<Articulated> articulated;
  std::vector<Coriolis> coriolis;
  Eigen::Matrix<T, Eigen::Dynamic, 1> bias;
};

}  // namespace ulna
