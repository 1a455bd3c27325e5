#pragma once

#include "ulna/classic/body_jacobians.hpp"
#include "ulna/classic/dalembert.hpp"
#include "ulna/classic/formulation.hpp"
#include "ulna/classic/lagrange_euler.hpp"
#include "ulna/classic/probing.hpp"

/// Makes formulations() of another scalar, in one .cpp file of a program:
///
///     #include <ulna/classic/instantiate.hpp>
///     ULNA_INSTANTIATE_CLASSIC(MyScalar)
///
/// The library holds those of double, Counted and Dual<double, 1>.
// clang-format off
#define ULNA_INSTANTIATE_CLASSIC(...) \
  namespace ulna::classic { \
  template std::vector<std::unique_ptr<Formulation<__VA_ARGS__>>> formulations(const Plant<__VA_ARGS__>&); \
  }
// clang-format on

namespace ulna::classic {
namespace detail {

template <Scalar T, class F>
class NamedFormulation : public Formulation<T> {
 public:
  NamedFormulation(std::string_view name, std::string_view source, F formulation)
      : name_(name), source_(source), formulation_(std::move(formulation)) {}

  std::string_view name() const override { return name_; }
  std::string_view source() const override { return source_; }
  MatX<T> mass_matrix(const VecX<T>& q) const override { return formulation_.mass_matrix(q); }
  VecX<T> bias(const VecX<T>& q, const VecX<T>& v) const override {
    return formulation_.bias(q, v);
  }
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const override {
    return formulation_.inverse_dynamics(q, v, a);
  }

 private:
  std::string_view name_, source_;
  F formulation_;
};

/// A recursion, with the terms that it does not have by probing.
template <Scalar T, class Inverse>
class Recursion : public Probing<T, Inverse> {
 public:
  using Probing<T, Inverse>::Probing;
  VecX<T> inverse_dynamics(const VecX<T>& q, const VecX<T>& v, const VecX<T>& a) const {
    return this->inverse().inverse_dynamics(q, v, a);
  }
};

}  // namespace detail

template <Scalar T>
std::vector<std::unique_ptr<Formulation<T>>> formulations(const Plant<T>& plant) {
  const Arm<T> arm(plant);
  std::vector<std::unique_ptr<Formulation<T>>> all;
  const auto add = [&]<class F>(std::string_view name, std::string_view source, F formulation) {
    all.push_back(
        std::make_unique<detail::NamedFormulation<T, F>>(name, source, std::move(formulation)));
  };
  using InBase = NewtonEulerBase<T>;
  using InLinks = NewtonEulerLink<T>;
  using InScrews = ScrewForm<T>;
  if (arm.is_chain()) {
    const Chain<T> chain(arm);
    add("lagrange-euler", "002, sec. 3.2", LagrangeEuler<T>(chain));
    add("newton-euler-base", "002, Table 3.2", detail::Recursion<T, InBase>(InBase(chain)));
    add("newton-euler-link", "002, Table 3.3", detail::Recursion<T, InLinks>(InLinks(chain)));
    add("dalembert", "002, sec. 3.4", DAlembert<T>(chain));
  }
  add("screw-recursive", "000", detail::Recursion<T, InScrews>(InScrews(arm)));
  add("screw-stacked", "000", StackedScrewForm<T>(arm));
  add("lagrangian", "003", Lagrangian<T>(arm));
  add("sum-form", "001, eq. 4.7", SumForm<T>(arm));
  add("probing", "001, sec. 3.3.3", Probing<T, InScrews>(InScrews(arm)));
  return all;
}

}  // namespace ulna::classic
