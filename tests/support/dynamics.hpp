#pragma once

#include "support/finite_difference.hpp"
#include "support/random_model.hpp"
#include "support/scalars.hpp"
#include "support/told.hpp"
#include "ulna/dynamics/coriolis.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_mass_matrix.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/model/edit.hpp"

/// Robots in motion, and the algorithms as functions that return their results.
namespace ulna::test {

/// Those the library holds, and Pack<double, 4>, which one file of the tests makes.
using DynamicsScalars = ::testing::Types<double, float, Counted, Dual<double, 1>, Pack<double, 4>>;

inline constexpr Axes all_axes[] = {Axes::local, Axes::world, Axes::aligned};

/// Within the limits; lanes differ from each other, and a dual moves in a random direction.
template <class T>
VecX<T> random_coordinates(const Model& model, Random& random) {
  VecX<T> q = random_q(model, random).template cast<T>();
  if constexpr (requires { T::lanes; }) {
    for (int lane = 1; lane < T::lanes; ++lane) {
      const Eigen::VectorXd other = random_q(model, random);
      for (Eigen::Index i = 0; i < q.size(); ++i) q(i).set(lane, other(i));
    }
  } else if constexpr (requires { T::directions; }) {
    VecX<T> along(model.nv());
    for (T& x : along) x = T(0), x.gradient = random.scalar<T>().gradient;
    const VecX<T> here = q;
    integrate<T>(model, here, along, q);
  }
  return q;
}

template <class T>
VecX<T> random_tangent(const Model& model, Random& random, double size = 1.0) {
  VecX<T> v(model.nv());
  for (T& x : v) x = random.scalar<T>(-size, size);
  return v;
}

/// One in each kind of axes, on any frames, the base's included.
template <class T>
std::vector<ExternalWrench<T>> random_wrenches(const Model& model, Random& random) {
  std::vector<ExternalWrench<T>> wrenches;
  const double count = static_cast<double>(model.frames().size());
  for (const Axes axes : all_axes) {
    const auto at = static_cast<std::size_t>(random.real(0.0, count));
    wrenches.push_back({&model.frames()[at], random_wrench<T>(random), axes});
  }
  return wrenches;
}

template <class U, class T>
std::vector<ExternalWrench<U>> cast(const std::vector<ExternalWrench<T>>& wrenches) {
  std::vector<ExternalWrench<U>> result;
  for (const ExternalWrench<T>& w : wrenches)
    result.push_back(
        {w.frame, {w.wrench.moment.template cast<U>(), w.wrench.force.template cast<U>()}, w.axes});
  return result;
}

/// Runs a law on random trees of all kinds of joints, on a fixed base and on a floating one.
template <class Law>
void for_each_robot(Law law, std::uint64_t count = 10, RandomModelOptions options = {}) {
  for_each_model(
      [&](const Model& model, Random& random) {
        law(model, random);
        SCOPED_TRACE("on a floating base");
        law(with_floating_base(model), random);
      },
      options, count);
}

/// The frame of a body, as any other.
inline Frame body_frame(int body) { return {"body", body, {}}; }

template <class T>
VecX<T> times(const MatX<T>& A, const VecX<T>& x) {
  VecX<T> y(A.rows());
  for (Eigen::Index r = 0; r < A.rows(); ++r) {
    T sum(0);
    for (Eigen::Index c = 0; c < A.cols(); ++c) sum += A(r, c) * x(c);
    y(r) = sum;
  }
  return y;
}

/// x'y
template <class T>
T inner(const VecX<T>& x, const VecX<T>& y) {
  T sum(0);
  for (Eigen::Index i = 0; i < x.size(); ++i) sum += x(i) * y(i);
  return sum;
}

/// The largest number in something.
template <class X>
double largest(const X& x) {
  double most = 0.0;
  for (const double number : values(x).numbers) most = std::max(most, std::abs(number));
  return most;
}

/// What M x is to be measured by: the size of what is summed up, not of the sum. A light joint at
/// the end of a long arm may accelerate by anything for next to no torque.
template <class T>
T size_of_sum(const MatX<T>& M, const VecX<T>& x) {
  return T(static_cast<Real<T>>(std::max(1.0, largest(M) * largest(x))));
}

/// Fails unless M x = y to within rounding.
template <class T>
void expect_solved(const MatX<T>& M, const VecX<T>& x, const VecX<T>& y, double tolerance,
                   const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const T size = size_of_sum<T>(M, x);
  expect_close(VecX<T>(times<T>(M, x) / size), VecX<T>(y / size), tolerance, file, line);
}

/// A robot at (q, v, a).
template <class T>
struct Rig {
  Plant<T> plant;
  VecX<T> q, v, a;
  Workspace<T> ws;

  Rig(const Model& model, Random& random)
      : plant(model),
        q(random_coordinates<T>(model, random)),
        v(random_tangent<T>(model, random)),
        a(random_tangent<T>(model, random)),
        ws(model) {}
  Rig(const Model& model, const VecX<T>& q0, const VecX<T>& v0, const VecX<T>& a0)
      : plant(model), q(q0), v(v0), a(a0), ws(model) {}

  const Model& model() const { return plant.model(); }
  int nv() const { return model().nv(); }

  /// Only what masses do.
  Rig& without_resistance() {
    plant.remove_friction();
    plant.armature.setZero();
    return *this;
  }

  /// Where the robot is t later, to second order.
  Rig after(const T& t) const {
    Rig later = *this;
    const VecX<T> along = v * t + a * (t * t * T(0.5));
    ulna::integrate<T>(model(), q, along, later.q);
    later.v = v + a * t;
    return later;
  }

  /// At rest, then with v, and with a as well.
  Kinematics<T> at() const {
    Kinematics<T> k(model());
    k.set(q);
    return k;
  }
  Kinematics<T> state() const {
    Kinematics<T> k(model());
    k.set(q, v);
    return k;
  }
  Kinematics<T> motion() const {
    Kinematics<T> k(model());
    k.set(q, v, a);
    return k;
  }

  VecX<T> torque(ExternalWrenches<T> wrenches = {}) { return torque(a, wrenches); }
  VecX<T> torque(const VecX<T>& accelerating, ExternalWrenches<T> wrenches = {}) {
    VecX<T> tau(nv());
    Motion<T> m(model());
    m.set(q, v, accelerating);
    inverse_dynamics<T>(plant, m, ws, tau, wrenches);
    return tau;
  }
  VecX<T> bias() {
    VecX<T> tau(nv());
    bias_torque<T>(plant, motion(), ws, tau);
    return tau;
  }
  VecX<T> gravity(ExternalWrenches<T> wrenches = {}) {
    VecX<T> tau(nv());
    gravity_torque<T>(plant, motion(), ws, tau, wrenches);
    return tau;
  }
  /// The acceleration under torques. False if there is none.
  [[nodiscard]] bool accelerate(In<T> tau, Out<T> to, ExternalWrenches<T> wrenches = {}) {
    return forward_dynamics<T>(plant, state(), tau, ws, to, wrenches);
  }
  VecX<T> friction() const {
    VecX<T> tau = VecX<T>::Zero(nv());
    add_friction<T>(plant, v, tau);
    return tau;
  }
  MatX<T> mass() {
    MatX<T> M(nv(), nv());
    mass_matrix<T>(plant, at(), ws, M);
    return M;
  }
  MatX<T> coriolis() {
    MatX<T> C(nv(), nv());
    coriolis_matrix<T>(plant, state(), ws, C);
    return C;
  }
  MatX<T> jacobian(const Frame& frame, Axes axes) const {
    MatX<T> J(6, nv());
    frame_jacobian<T>(at(), frame, axes, J);
    return J;
  }
  T energy() {
    return kinetic_energy<T>(plant, state(), ws) + potential_energy<T>(plant, at(), ws);
  }
};

}  // namespace ulna::test
