#pragma once

#include "ulna/dynamics/motion.hpp"

namespace ulna {

template <Scalar T>
Motion<T>::Motion(Model model)
    : model_(std::move(model)),
      q_(neutral(model_).template cast<T>()),
      v_(VecX<T>::Zero(model_.nv())),
      a_(v_),
      skeleton_(model_) {
  if (model_.has_mimics()) {
    const VecX<T> rates = VecX<T>::Zero(model_.tree_nv());
    tree_ = Tree{VecX<T>::Zero(model_.tree_nq()), rates, rates};
  }
  set_joints();
}

template <Scalar T>
void Motion<T>::set(In<T> q) {
  take("q", q, q_);
  if (moves_) v_.setZero();
  if (accelerates_) a_.setZero();
  moves_ = accelerates_ = false;
  set_joints();
}

template <Scalar T>
void Motion<T>::set(In<T> q, In<T> v) {
  take("q", q, q_);
  take("v", v, v_);
  if (accelerates_) a_.setZero();
  moves_ = true, accelerates_ = false;
  set_joints();
}

template <Scalar T>
void Motion<T>::set(In<T> q, In<T> v, In<T> a) {
  take("q", q, q_);
  take("v", v, v_);
  take("a", a, a_);
  moves_ = accelerates_ = true;
  set_joints();
}

template <Scalar T>
[[gnu::always_inline]] inline void Motion<T>::take(const char* what, In<T> x, VecX<T>& to) {
  const Eigen::Index n = to.size();
  if (x.size() != n) refuse(what, x, n);
  // a finite number times zero is zero: the sum shows whether all are
  T sum(0);
  for (Eigen::Index i = 0; i < n; ++i) {
    to.data()[i] = x.data()[i];
    sum += T(0) * x.data()[i];
  }
  if (!all(is_finite(sum))) refuse(what, x, n);
}

template <Scalar T>
void Motion<T>::refuse(const char* what, In<T> x, Eigen::Index size) {
  q_ = neutral(model_).template cast<T>();
  v_.setZero(), a_.setZero();
  moves_ = accelerates_ = false;
  set_joints();
  detail::require<T>(what, x, size, model_);
  throw std::invalid_argument(std::string(what) + " is not finite");
}

template <Scalar T>
void Motion<T>::set_joints() {
  if (tree_)
    for (const Joint& j : model_.joints())
      for (int k = 0; k < configuration_size(j.type); ++k)
        tree_->q(j.tree_q + k) = j.mimics ? T(j.multiplier) * q_(j.q) + T(j.offset) : q_(j.q + k);
  if (tree_) detail::spread_rates(model_, v_, tree_->v), detail::spread_rates(model_, a_, tree_->a);
  skeleton_.set(tree_q());
}

}  // namespace ulna
