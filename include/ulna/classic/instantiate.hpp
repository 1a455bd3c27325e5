#pragma once

#include <memory>

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
  template std::vector<Formulation<__VA_ARGS__>> formulations(const Plant<__VA_ARGS__>&); \
  }
// clang-format on

namespace ulna::classic {

template <Scalar T>
std::vector<Formulation<T>> formulations(const Plant<T>& plant) {
  using Vector = const VecX<T>&;
  const Arm<T> arm(plant);
  std::vector<Formulation<T>> all;
  const auto add = [&]<class F>(std::string_view name, std::string_view source, F formulation) {
    const auto f = std::make_shared<const F>(std::move(formulation));
    all.push_back({name, source, [f](Vector q) { return f->mass_matrix(q); },
                   [f](Vector q, Vector v) { return f->bias(q, v); },
                   [f](Vector q, Vector v, Vector a) { return f->inverse_dynamics(q, v, a); }});
  };
  // a recursion has the other terms by probing
  const auto add_recursion = [&]<class F>(std::string_view name, std::string_view source, F f) {
    add(name, source, Probing<T, F>(f));
    all.back().inverse_dynamics = [f = std::move(f)](Vector q, Vector v, Vector a) {
      return f.inverse_dynamics(q, v, a);
    };
  };
  if (arm.is_chain()) {
    const Chain<T> chain(arm);
    add("lagrange-euler", "Fu 1987, sec. 3.2", LagrangeEuler<T>(chain));
    add_recursion("newton-euler-base", "Fu 1987, Table 3.2", NewtonEulerBase<T>(chain));
    add_recursion("newton-euler-link", "Fu 1987, Table 3.3", NewtonEulerLink<T>(chain));
    add("dalembert", "Fu 1987, sec. 3.4", DAlembert<T>(chain));
  }
  add_recursion("screw-recursive", "Fakhari 2024", ScrewForm<T>(arm));
  add("screw-stacked", "Fakhari 2024", StackedScrewForm<T>(arm));
  add("lagrangian", "the notes on wrenches", Lagrangian<T>(arm));
  add("sum-form", "Cărămizaru 2023, eq. 4.7", SumForm<T>(arm));
  add("probing", "Cărămizaru 2023, sec. 3.3.3", Probing<T, ScrewForm<T>>(ScrewForm<T>(arm)));
  return all;
}

}  // namespace ulna::classic
