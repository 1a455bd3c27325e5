#pragma once

#include "ulna/classic/body_jacobians_impl.hpp"

/// Makes the classical formulations of another scalar, in one .cpp file of a program:
///
///     #include <ulna/classic/instantiate.hpp>
///     ULNA_INSTANTIATE_CLASSIC(MyScalar)
///
/// The library holds those of double, Counted and Dual<double, 1>.
// clang-format off
#define ULNA_INSTANTIATE_CLASSIC(...) \
  template struct ulna::classic::Link<__VA_ARGS__>; \
  template class ulna::classic::Arm<__VA_ARGS__>; \
  template std::vector<ulna::Transform<__VA_ARGS__>> ulna::classic::link_poses(const ulna::classic::Arm<__VA_ARGS__>&, const ulna::VecX<__VA_ARGS__>&); \
  template class ulna::classic::BodyJacobians<__VA_ARGS__>; \
  template class ulna::classic::Lagrangian<__VA_ARGS__>; \
  template class ulna::classic::SumForm<__VA_ARGS__>;
// clang-format on
