#pragma once

#include <array>
#include <span>

#include "engine.hpp"

/// The functions of a robot as tables: what a function is called with, what it returns, and the C++ that computes it.
/// One object (function.cpp) then serves all of them with arrays, dicts, out= and batches.
namespace ulna::python {

enum class Role {
  configuration,  ///< a vector of nq
  velocity,       ///< a vector of nv
  inertial,       ///< a vector of ten parameters per joint
  frame,          ///< a frame's name
  body,           ///< a moving joint's name, or "" for the base
  axes,           ///< "aligned", "local" or "world"
  wrenches,       ///< {frame: (moment, force)}
};

struct Parameter {
  const char* name;
  Role role;
};

/// Sizes that depend on the robot; others are numbers as they are.
enum Size : int {
  nq = -1,
  nv = -2,
  parameters = -3,
  bodies = -4,
  drive_parameters = -5,
  gears = -6
};

struct Shape {
  std::array<int, 3> sizes{};
  int rank = 0;
  constexpr Shape() = default;
  constexpr Shape(std::initializer_list<int> list) {
    for (const int size : list) sizes[static_cast<std::size_t>(rank++)] = size;
  }
};

inline constexpr int most_vectors = 6, most_results = 12;

/// Numbers of one argument: one state, or many, a state being a row.
struct Numbers {
  const double* data = nullptr;
  Index size = 0, stride = 0;

  Eigen::Map<const VectorXd> vec() const { return {data, size}; }
  Numbers row(Index i) const { return {data + i * stride, size, stride}; }
  /// A state per column, as Batch has them.
  Eigen::Map<const MatrixXd, 0, Eigen::OuterStride<>> columns(Index states) const {
    return {data, size, states, Eigen::OuterStride<>(stride)};
  }
};

struct Spec;

/// Arguments and results of a call, both without a copy.
struct Call {
  const Spec* spec = nullptr;
  std::array<Numbers, most_vectors> x;
  std::array<double*, most_results> out{};
  const Frame* frame = nullptr;
  int body = 0;
  Axes axes = Axes::aligned;
  std::span<const ExternalWrench<double>> wrenches;
};

struct Spec {
  const char* name;
  std::vector<Parameter> parameters;
  std::vector<Shape> results;
  /// One state.
  void (*one)(const Engine& engine, Scratch& scratch, const Call& call);
  /// Many states, where C++ has a batch for it; otherwise they are computed one by one. False if it does not take these
  /// options.
  bool (*many)(const Engine& engine, Crew& crew, const Call& call, Index states) = nullptr;
};

/// Whether an argument is a vector of numbers.
constexpr bool is_vector(Role role) {
  return role == Role::configuration || role == Role::velocity || role == Role::inertial;
}
/// How many numbers it has.
inline Index size_of(Role role, const Engine& e) {
  if (role == Role::inertial) return e.plant.inertial_size();
  return role == Role::configuration ? e.model.nq() : e.model.nv();
}

std::span<const Spec> dynamics_functions();
std::span<const Spec> kinematics_functions();
std::span<const Spec> derivative_functions();
std::span<const Spec> configuration_functions();
std::span<const Spec> drive_functions();

/// nullptr if there is none.
const Spec* find_spec(std::string_view name);
std::vector<const Spec*> all_specs();

/// Throws std::domain_error as Robot's forward dynamics does; in a batch, of the state concerned.
[[noreturn]] void refuse_indefinite(const Engine& engine, Index state = -1);
/// The first state with a NaN among N results of some size.
Index first_nan(const double* results, Index size, Index states);

using RowMap = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

}  // namespace ulna::python
