#pragma once

#include "ulna/classic/formulation_impl.hpp"

/// Makes the classical formulations of another scalar, in one .cpp file of a program:
///
///     #include <ulna/classic/instantiate.hpp>
///     ULNA_INSTANTIATE_CLASSIC(MyScalar)
///
/// The library holds those of double, Counted and Dual<double, 1>.
// clang-format off
#define ULNA_INSTANTIATE_CLASSIC(...) \
  namespace ulna::classic { \
  template struct Link<__VA_ARGS__>; \
  template class Arm<__VA_ARGS__>; \
  template std::vector<Transform<__VA_ARGS__>> link_poses(const Arm<__VA_ARGS__>&, const VecX<__VA_ARGS__>&); \
  template struct ChainLink<__VA_ARGS__>; \
  template class Chain<__VA_ARGS__>; \
  template Mat4<__VA_ARGS__> times_Q(bool, const Mat4<__VA_ARGS__>&); \
  template class LagrangeEuler<__VA_ARGS__>; \
  template class NewtonEulerBase<__VA_ARGS__>; \
  template class NewtonEulerLink<__VA_ARGS__>; \
  template class DAlembert<__VA_ARGS__>; \
  template struct ScrewLink<__VA_ARGS__>; \
  template class ScrewForm<__VA_ARGS__>; \
  template class StackedScrewForm<__VA_ARGS__>; \
  template Transform<__VA_ARGS__> screw_motion(const Twist<__VA_ARGS__>&, bool, const __VA_ARGS__&); \
  template class BodyJacobians<__VA_ARGS__>; \
  template class Lagrangian<__VA_ARGS__>; \
  template class SumForm<__VA_ARGS__>; \
  template class Probing<__VA_ARGS__, NewtonEulerBase<__VA_ARGS__>>; \
  template class Probing<__VA_ARGS__, NewtonEulerLink<__VA_ARGS__>>; \
  template class Probing<__VA_ARGS__, ScrewForm<__VA_ARGS__>>; \
  template std::vector<std::unique_ptr<Formulation<__VA_ARGS__>>> formulations(const Plant<__VA_ARGS__>&); \
  }
// clang-format on
