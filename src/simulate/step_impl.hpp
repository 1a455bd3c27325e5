#pragma once

#include "ulna/simulate/step.hpp"

/// The stages of a step, for accelerations from any source.
namespace ulna {
namespace detail {

/// Each stage starts from the beginning, goes `reach` of the step with the rates of the stage before
/// it, and counts with its weight [Hairer, Nørsett, Wanner 1993, sec. II.1].
struct Tableau {
  int stages;
  double reach[4], weight[4];
};

inline const Tableau& tableau(Integrator integrator) {
  static constexpr Tableau euler{1, {0.0}, {1.0}}, midpoint{2, {0.0, 0.5}, {0.0, 1.0}},
      rk4{4, {0.0, 0.5, 0.5, 1.0}, {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}};
  static constexpr const Tableau* methods[] = {&euler, &euler, &midpoint, &rk4};
  return *methods[int(integrator)];
}

/// Whether displacements along the joint's coordinates do not commute.
inline bool curved(const Joint& joint) { return !joint.mimics && velocity_size(joint.type) > 1; }
/// Whether q is a plain vector and v its rate.
inline bool flat(const Model& model) {
  return std::none_of(model.joints().begin(), model.joints().end(), curved);
}

/// dx/dt of the displacement x since the step began, when the joint moves with v: dexp^-1 by
/// Bernoulli's numbers [Munthe-Kaas 1998; Iserles et al. 2000, eq. 2.46]. For order 4 its first
/// even term suffices.
template <Scalar T>
void displacement_rate(const Joint& joint, const T* x, const T* v, T* rate, int even_terms = 1) {
  constexpr double even[] = {1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, -1.0 / 1209600.0,
                             1.0 / 47900160.0};
  const Twist<T> X = joint_twist(joint.type, joint.pitch, x);
  Twist<T> term = cross(X, joint_twist(joint.type, joint.pitch, v)), sum = T(0.5) * term;
  for (int k = 0; k < even_terms; ++k) {
    if (k > 0) term = cross(X, term);
    term = cross(X, term);
    sum = sum + T(even[k]) * term;
  }
  const Vec6<T> change = sum.vector();
  // planar joints have wz, vx, vy of it, ball joints the angular half
  const int first = joint.type == JointType::planar ? 2 : 0;
  for (int i = 0; i < velocity_size(joint.type); ++i) rate[i] = v[i] + change(first + i);
}

template <Scalar T>
[[noreturn]] void refuse_duration(const T& h) {
  std::string value;
  if constexpr (std::convertible_to<T, double>) value = ": " + std::to_string(h);
  throw std::invalid_argument("step: the duration is not finite" + value);
}

template <Scalar T>
bool finite(const VecX<T>& x) {
  T sum(0);
  for (Eigen::Index i = 0; i < x.size(); ++i) sum += T(0) * x(i);
  return all(is_finite(sum));
}

}  // namespace detail

template <Scalar T>
Step<T>::Step(const Model& model, Integrator integrator)
    : q_next(VecX<T>::Zero(model.nq())),
      v_next(VecX<T>::Zero(model.nv())),
      integrator_(integrator),
      flat_(detail::flat(model)),
      at_(model),
      ws_(model) {}

template <Scalar T>
bool Step<T>::operator()(const Plant<T>& plant, In<T> q, In<T> v, In<T> tau, double h,
                         ExternalWrenches<T> wrenches) {
  return take(plant.model(), q, v, T(h),
              [&](int, VecX<T>& a) { return accelerate(plant, tau, a, wrenches); });
}

template <Scalar T>
bool Step<T>::accelerate(const Plant<T>& plant, In<T> tau, VecX<T>& a,
                         ExternalWrenches<T> wrenches) {
  at_.set(q_, v_);
  return forward_dynamics<T>(plant, at_, tau, ws_, a, wrenches);
}

template <Scalar T>
void Step<T>::displace(const Model& model, In<T> q, const VecX<T>& x) {
  if (flat_)
    q_ = q + x;
  else
    integrate<T>(model, q, x, q_);
}

template <Scalar T>
template <class Accelerate>
bool Step<T>::take(const Model& model, In<T> q, In<T> v, const T& h, Accelerate accelerate) {
  detail::require<T>("q", q, model.nq(), model);
  detail::require<T>("v", v, model.nv(), model);
  if (!all(is_finite(h))) detail::refuse_duration(h);
  const detail::Tableau& method = detail::tableau(integrator_);
  x_sum_.setZero(), v_sum_.setZero();
  for (int s = 0; s < method.stages; ++s) {
    if (s == 0) {
      x_.setZero(), q_ = q, v_ = v;
    } else {
      const T reach = T(method.reach[s]) * h;
      x_ = reach * rate_;
      v_ = v + reach * a_;
      if (!detail::finite<T>(x_) || !detail::finite<T>(v_)) return false;
      displace(model, q, x_);
    }
    if (!accelerate(s, a_)) return false;
    rate_ = v_;
    if (!flat_)
      for (const Joint& j : model.joints())
        if (detail::curved(j))
          detail::displacement_rate<T>(j, x_.data() + j.v, v_.data() + j.v, rate_.data() + j.v);
    const T weight = T(method.weight[s]) * h;
    x_sum_ += weight * rate_;
    v_sum_ += weight * a_;
  }
  v_ = v + v_sum_;
  if (integrator_ == Integrator::semi_implicit_euler) x_sum_ = h * v_;
  if (!detail::finite<T>(x_sum_) || !detail::finite<T>(v_)) return false;
  displace(model, q, x_sum_);
  if (!detail::finite<T>(q_)) return false;
  q_next = q_, v_next = v_;
  return true;
}

}  // namespace ulna
