#include "arguments.hpp"

#include <cmath>
#include <cstring>

namespace ulna::python {
namespace {

PyArrayObject* array_of(const py::object& o) { return reinterpret_cast<PyArrayObject*>(o.ptr()); }

py::object checked(PyObject* made) {
  if (!made) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

/// As doubles that C++ can read where they are, or a copy that it can.
py::object as_doubles(const char* name, PyObject* given) {
  const py::object any = checked(PyArray_FROM_O(given));
  const int type = PyArray_TYPE(array_of(any));
  if (!PyTypeNum_ISINTEGER(type) && !PyTypeNum_ISFLOAT(type) && !PyTypeNum_ISBOOL(type)) {
    const py::object dtype = any.attr("dtype");
    throw std::invalid_argument(std::string(name) + " holds " + std::string(py::str(dtype)) +
                                "; real numbers are needed");
  }
  return checked(PyArray_FROM_OTF(any.ptr(), NPY_DOUBLE, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED));
}

/// Rows anywhere, numbers of a row side by side: what Batch reads without a copy.
bool has_plain_rows(PyArrayObject* a) {
  const npy_intp size = PyArray_DIM(a, 1), stride = PyArray_STRIDE(a, 0);
  return PyArray_STRIDE(a, 1) == sizeof(double) && stride % npy_intp(sizeof(double)) == 0 &&
         stride >= size * npy_intp(sizeof(double));
}

py::object contiguous(const py::object& o) {
  return checked(PyArray_FROM_OTF(o.ptr(), NPY_DOUBLE, NPY_ARRAY_CARRAY_RO));
}

/// Where a name of a dict is in a vector, and how many numbers it has.
struct Place {
  Index at, size;
};

Place place_of(const std::string& key, Role role, const Model& model) {
  const bool q = role == Role::configuration;
  if (const auto body = model.find_joint(key)) {
    const Joint& j = model.joint(*body);
    if (j.mimics)
      throw std::invalid_argument("joint '" + key + "' mimics '" +
                                  std::string(model.joint_name(j.mimics)) +
                                  "' and has no coordinates of its own");
    return q ? Place{j.q, configuration_size(j.type)} : Place{j.v, velocity_size(j.type)};
  }
  const auto names = q ? model.configuration_names() : model.velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == key) return {static_cast<Index>(i), 1};
  std::vector<std::string_view> known(names.begin(), names.end());
  throw std::invalid_argument("robot '" + model.name() + "' has no joint '" + key + "'" +
                              did_you_mean(key, known));
}

/// A dict by joint name. What is not named is zero, in q as neutral() has it.
py::object from_dict(const Parameter& parameter, PyObject* dict, const Model& model) {
  const bool q = parameter.role == Role::configuration;
  const VectorXd rest = q ? neutral(model) : VectorXd(VectorXd::Zero(model.nv()));
  struct Entry {
    Place place;
    py::object values;
    bool many;
  };
  std::vector<Entry> entries;
  Index states = -1;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t i = 0; PyDict_Next(dict, &i, &key, &value);) {
    const std::string name(text_of("a joint's name", key));
    const Place place = place_of(name, parameter.role, model);
    const py::object numbers = contiguous(as_doubles(name.c_str(), value));
    const int rank = PyArray_NDIM(array_of(numbers));
    const npy_intp size = PyArray_SIZE(array_of(numbers));
    const bool many = rank == (place.size == 1 ? 1 : 2) && size != (place.size == 1 ? 1 : -1);
    const Index count = many ? PyArray_DIM(array_of(numbers), 0) : 1;
    if (size != count * place.size || (many && states >= 0 && states != count))
      throw std::invalid_argument(std::string(parameter.name) + " of joint '" + name + "' has " +
                                  std::to_string(size) + " numbers; " + std::to_string(place.size) +
                                  " a state are needed, and as many states in all joints");
    if (many) states = count;
    entries.push_back({place, numbers, many});
  }
  npy_intp shape[2] = {states < 0 ? 1 : states, rest.size()};
  const py::object made =
      checked(PyArray_SimpleNew(states < 0 ? 1 : 2, states < 0 ? shape + 1 : shape, NPY_DOUBLE));
  double* to = data_of(made.ptr());
  for (npy_intp s = 0; s < shape[0]; ++s, to += rest.size()) {
    Eigen::Map<VectorXd>(to, rest.size()) = rest;
    for (const Entry& e : entries)
      std::memcpy(to + e.place.at, data_of(e.values.ptr()) + (e.many ? s * e.place.size : 0),
                  static_cast<std::size_t>(e.place.size) * sizeof(double));
  }
  return made;
}

}  // namespace

VectorArgument::VectorArgument(const Parameter& parameter, PyObject* given, const Engine& engine)
    : name_(parameter.name) {
  const Model& model = engine.model;
  const Index wanted = size_of(parameter.role, engine);
  if (PyDict_Check(given) && parameter.role != Role::inertial) {
    values_ = from_dict(parameter, given, model);
  } else {
    array_ = PyArray_Check(given) != 0;
    float32_ = array_ && PyArray_TYPE(reinterpret_cast<PyArrayObject*>(given)) == NPY_FLOAT32;
    values_ = as_doubles(name_, given);
  }
  const int rank = PyArray_NDIM(array_of(values_));
  if (rank > 2)
    throw std::invalid_argument(std::string(name_) + " has " + std::to_string(rank) +
                                " dimensions; give one state as (" + std::to_string(wanted) +
                                ",) or N states as (N, " + std::to_string(wanted) + ")");
  many_ = rank == 2;
  states_ = many_ ? PyArray_DIM(array_of(values_), 0) : 1;
  size_ = rank == 0 ? 1 : PyArray_DIM(array_of(values_), rank - 1);
  detail::require_size(name_, size_, wanted, model);
  if (!(many_ && has_plain_rows(array_of(values_)))) values_ = contiguous(values_);
}

Numbers VectorArgument::numbers(Index states) {
  if (!many_ && states > 1) {
    npy_intp shape[2] = {states, size_};
    const py::object repeated = checked(PyArray_SimpleNew(2, shape, NPY_DOUBLE));
    for (Index s = 0; s < states; ++s)
      std::memcpy(data_of(repeated.ptr()) + s * size_, data_of(values_.ptr()),
                  static_cast<std::size_t>(size_) * sizeof(double));
    values_ = repeated;
    return {data_of(values_.ptr()), size_, size_};
  }
  const Index stride = many_ ? PyArray_STRIDE(array_of(values_), 0) / Index(sizeof(double)) : size_;
  return {data_of(values_.ptr()), size_, std::max(stride, size_)};
}

WrenchArgument::WrenchArgument(PyObject* given, const Engine& engine, Axes axes) {
  if (!given || given == Py_None) return;
  if (!PyDict_Check(given))
    throw std::invalid_argument(
        "wrenches: a dict is needed, {frame: (mx, my, mz, fx, fy, fz)}, moment first");
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t i = 0; PyDict_Next(given, &i, &key, &value);) {
    const Frame& frame = engine.model.frame(text_of("a frame's name", key));
    py::object numbers = contiguous(as_doubles("wrench", value));
    const int rank = PyArray_NDIM(array_of(numbers));
    if (rank < 1 || rank > 2 || PyArray_DIM(array_of(numbers), rank - 1) != 6)
      throw std::invalid_argument("wrench on frame '" + std::string(frame.name) +
                                  "': six numbers are needed, moment first, or (N, 6)");
    if (rank == 2) {
      const Index count = PyArray_DIM(array_of(numbers), 0);
      if (many_ && states_ != count)
        throw std::invalid_argument("wrenches have " + std::to_string(states_) + " and " +
                                    std::to_string(count) + " states");
      many_ = true;
      states_ = count;
    }
    wrenches_.push_back({&frame, {}, axes});
    values_.push_back(std::move(numbers));
  }
  if (!many_) at(0);
}

std::span<const ExternalWrench<double>> WrenchArgument::at(Index state) {
  for (std::size_t i = 0; i < wrenches_.size(); ++i) {
    const bool many = PyArray_NDIM(array_of(values_[i])) == 2;
    const double* w = data_of(values_[i].ptr()) + (many ? 6 * state : 0);
    wrenches_[i].wrench = {Vec3<double>(w[0], w[1], w[2]), Vec3<double>(w[3], w[4], w[5])};
  }
  return wrenches_;
}

std::string_view text_of(const char* what, PyObject* text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
  if (!data) {
    PyErr_Clear();
    throw std::invalid_argument(std::string(what) + ": text is needed, not " +
                                std::string(py::str(py::type::handle_of(text))));
  }
  return {data, static_cast<std::size_t>(size)};
}

Axes axes_of(PyObject* word) {
  const std::string_view name = text_of("axes", word);
  if (name == "aligned") return Axes::aligned;
  if (name == "local") return Axes::local;
  if (name == "world") return Axes::world;
  throw std::invalid_argument("axes '" + std::string(name) +
                              "' are unknown; there are aligned, local, world");
}

void refuse_if_not_finite(const Spec& spec, const Call& call, Index states, const Model& model) {
  std::size_t k = 0;
  for (const Parameter& p : spec.parameters) {
    if (!is_vector(p.role)) continue;
    const Numbers& x = call.x[k++];
    if (p.role == Role::inertial) continue;  // has no names
    for (Index s = 0; s < states; ++s)
      for (Index i = 0; i < x.size; ++i) {
        if (std::isfinite(x.row(s).data[i])) continue;
        const auto names =
            p.role == Role::configuration ? model.configuration_names() : model.velocity_names();
        throw std::invalid_argument(std::string(p.name) + " is not finite at " +
                                    std::to_string(i + 1) + " of " + std::to_string(x.size) +
                                    ", '" + names[static_cast<std::size_t>(i)] + "' (" + p.name +
                                    "[" + std::to_string(s) + ", " + std::to_string(i) + "])");
      }
  }
}

}  // namespace ulna::python
