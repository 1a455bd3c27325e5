#pragma once

#include <pybind11/numpy.h>

#include "arguments.hpp"

/// Python's functions, called by C++.
namespace ulna::python {

/// What a Python function returns, as a vector of a robot: an array, a list, or a dict by joint name. Throws
/// std::invalid_argument for a wrong size or anything but numbers.
VectorXd vector_of(const Parameter& parameter, py::handle given, const Engine& engine);

/// A Python object that may be released by a thread without the GIL.
inline std::shared_ptr<py::object> shared_object(const py::object& o) {
  return {new py::object(o), [](py::object* p) {
            const py::gil_scoped_acquire gil;
            delete p;
          }};
}

/// Asks Python, once in many calls and with the GIL, whether Ctrl-C was pressed; if so, throws its KeyboardInterrupt.
class Interrupts {
 public:
  void look() {
    if (++calls_ % 1024 != 0) return;
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

 private:
  unsigned calls_ = 0;
};

/// Keeps the first error of a Python function that C++ must not see, until C++ is through.
class KeptError {
 public:
  /// Calls f with the GIL. If it throws, the error is kept, and what C++ receives is std::runtime_error.
  template <class F>
  void guard(F f) {
    const py::gil_scoped_acquire gil;
    try {
      f();
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      throw std::runtime_error("a Python function raised an error");
    }
  }
  /// Throws what was kept.
  void raise() {
    if (!error_) return;
    const std::exception_ptr error = std::exchange(error_, nullptr);
    std::rethrow_exception(error);
  }

 private:
  std::exception_ptr error_;
};

/// Columns of numbers as rows of an array of numpy: a matrix with a column per sample becomes (samples, n).
inline py::object rows_of(const MatrixXd& columns) {
  return py::cast(
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>(columns.transpose()));
}

/// Rows of numbers that grow one by one.
class Rows {
 public:
  explicit Rows(Index width) : width_(width) {}
  void add(const Eigen::Ref<const VectorXd>& row) {
    numbers_.insert(numbers_.end(), row.data(), row.data() + row.size());
  }
  void add(double x) { numbers_.push_back(x); }
  /// (N, width), or (N,) where the width is 0.
  py::object array() const {
    const Index n = Index(numbers_.size()) / std::max<Index>(1, width_);
    std::vector<py::ssize_t> shape{n};
    if (width_ > 0) shape.push_back(width_);
    return py::array_t<double>(shape, numbers_.data());
  }

 private:
  Index width_;
  std::vector<double> numbers_;
};

}  // namespace ulna::python
