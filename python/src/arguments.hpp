#pragma once

#include "numpy.hpp"
#include "spec.hpp"

/// From what Python gives to numbers that C++ reads, and back.
namespace ulna::python {

/// Aligned, in the machine's byte order, numbers of a state side by side.
inline bool is_plain_vector(PyObject* x) {
  if (!PyArray_Check(x)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(x);
  return PyArray_NDIM(array) == 1 && PyArray_TYPE(array) == NPY_DOUBLE &&
         PyArray_ISCARRAY_RO(array);
}
inline double* data_of(PyObject* array) {
  return static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
}

/// A vector argument: array, list, number or dict by joint name, of one state or many.
class VectorArgument {
 public:
  /// Throws std::invalid_argument if it holds anything but real numbers, or not as many as the robot has.
  VectorArgument(const Parameter& parameter, PyObject* given, const Engine& engine);

  bool is_many() const { return many_; }
  Index states() const { return states_; }
  /// float32, float64, or neither for lists and dicts, which leave the choice to the others.
  bool is_float32() const { return float32_; }
  bool is_array() const { return array_; }
  /// As so many states: one is repeated.
  Numbers numbers(Index states);
  const char* name() const { return name_; }

 private:
  const char* name_;
  py::object values_;
  bool many_ = false, float32_ = false, array_ = false;
  Index states_ = 1, size_ = 0;
};

/// Wrenches on frames: {frame: six numbers} or {frame: (N, 6)}.
class WrenchArgument {
 public:
  WrenchArgument(PyObject* given, const Engine& engine, Axes axes);
  bool empty() const { return wrenches_.empty(); }
  bool is_many() const { return many_; }
  Index states() const { return states_; }
  std::span<const ExternalWrench<double>> at(Index state);

 private:
  std::vector<py::object> values_;
  std::vector<ExternalWrench<double>> wrenches_;
  bool many_ = false;
  Index states_ = 1;
};

/// Throws std::invalid_argument for a word that names none.
Axes axes_of(PyObject* word);
/// A name as text; throws std::invalid_argument if it is none.
std::string_view text_of(const char* what, PyObject* text);

/// "q is not finite at 4 of 7, 'elbow' (q[2, 3])" if a number of many states is not; otherwise returns.
void refuse_if_not_finite(const Spec& spec, const Call& call, Index states, const Model& model);

}  // namespace ulna::python
