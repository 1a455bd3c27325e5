#pragma once

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "numpy.hpp"
#include "ulna/spatial/transform.hpp"

/// Structs of options and results as dicts of Python: a struct's fields are listed once, by ULNA_PYTHON_FIELDS, and have
/// the names that they have in C++. read() sets those that a dict gives and leaves the others at C++'s defaults; written() is
/// the way back. Enumerations are words, the names of the values that ULNA_PYTHON_WORDS lists.
namespace ulna::python {

/// Specialised for structs: a tuple of field(name, member).
template <class T>
struct Fields;
template <class T>
concept HasFields = requires {
  Fields<T>::all;
};

/// Specialised for enumerations: their values, and their names, which are the words of Python.
template <class E>
struct Words;
template <class E>
concept HasWords = requires {
  Words<E>::all;
};
template <HasWords E>
std::string_view word_of(E value) {
  for (std::size_t i = 0; i < std::size(Words<E>::all); ++i)
    if (Words<E>::all[i] == value) return Words<E>::names[i];
  return {};
}

/// Specialised for types that have another form in Python: read(given, to, name) and written(x).
template <class T>
struct Converter;
template <class T>
concept HasConverter = requires(const T& x) {
  Converter<T>::written(x);
};

template <class T, class V>
struct Field {
  const char* name;
  V T::*member;
};
template <class T, class V>
constexpr Field<T, V> field(const char* name, V T::*member) {
  return {name, member};
}

/// Throws std::invalid_argument: "option 'sensors.noise': a number is needed, not 'much'".
[[noreturn]] void refuse_option(const std::string& name, const char* needed, py::handle given);
/// Throws std::invalid_argument: "there is no option 'subtep'; did you mean 'substep'?"
[[noreturn]] void refuse_unknown_option(const std::string& name,
                                        std::span<const std::string_view> known);
/// Throws std::invalid_argument: "option 'integrator': 'rk5' is unknown; there are euler, rk4".
[[noreturn]] void refuse_word(const std::string& name, const std::string& given,
                              std::span<const std::string_view> known);
/// A dict's items, its keys as text; throws std::invalid_argument if it is none.
std::vector<std::pair<std::string, py::object>> items_of(py::handle dict, const std::string& name);

Transform<double> transform_of(const Eigen::Matrix4d& X, const char* what);
inline Eigen::Matrix4d matrix_of(const Transform<double>& X) {
  Eigen::Matrix4d M = Eigen::Matrix4d::Identity();
  M.topLeftCorner<3, 3>() = X.rotation().matrix();
  M.topRightCorner<3, 1>() = X.translation();
  return M;
}

namespace detail_fields {
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

template <class V>
constexpr const char* needed() {
  if constexpr (std::is_same_v<V, bool>) return "True or False is needed";
  if constexpr (std::is_integral_v<V>) return "a whole number is needed";
  if constexpr (std::is_floating_point_v<V>) return "a number is needed";
  if constexpr (std::is_same_v<V, std::string>) return "text is needed";
  return "an array of numbers of another size or kind is needed";
}
}  // namespace detail_fields

template <HasFields T>
void read_fields(py::handle given, T& to, const std::string& name = "");

template <class V>
void read(py::handle given, V& to, const std::string& name) {
  using namespace detail_fields;
  if constexpr (HasFields<V>) {
    read_fields(given, to, name);
  } else if constexpr (HasConverter<V>) {
    Converter<V>::read(given, to, name);
  } else if constexpr (is_optional<V>) {
    if (given.is_none()) return to.reset();
    if (!to) to.emplace();
    read(given, *to, name);
  } else if constexpr (HasWords<V>) {
    if (!py::isinstance<py::str>(given)) refuse_option(name, "a word is needed", given);
    const auto word = given.cast<std::string>();
    std::vector<std::string_view> known;
    for (const V value : Words<V>::all) {
      if (word_of(value) == word) return void(to = value);
      known.emplace_back(word_of(value));
    }
    refuse_word(name, word, known);
  } else if constexpr (std::is_same_v<V, Transform<double>>) {
    Eigen::Matrix4d X;
    read(given, X, name);
    to = transform_of(X, name.c_str());
  } else if constexpr (is_list<V>) {
    if (!py::isinstance<py::sequence>(given) || py::isinstance<py::str>(given))
      refuse_option(name, "a list is needed", given);
    to.clear();
    for (const py::handle x : given.cast<py::sequence>()) {
      typename V::value_type value{};
      read(x, value, name);
      to.push_back(std::move(value));
    }
  } else {
    try {
      to = given.cast<V>();
    } catch (const py::cast_error&) {
      refuse_option(name, needed<V>(), given);
    }
  }
}

template <HasFields T>
void read_fields(py::handle given, T& to, const std::string& name) {
  for (const auto& [key, value] : items_of(given, name)) {
    const std::string whole = name.empty() ? key : name + "." + key;
    const auto set = [&](const auto& f) {
      if (key != f.name) return false;
      read(value, to.*f.member, whole);
      return true;
    };
    std::apply(
        [&](const auto&... f) {
          const std::string_view known[] = {f.name...};
          if (!(set(f) || ...)) refuse_unknown_option(whole, known);
        },
        Fields<T>::all);
  }
}

/// Options as C++ has them, but for those that are given.
template <HasFields T>
T options_of(py::handle given) {
  T options{};
  read_fields(given, options);
  return options;
}

template <class V>
py::object written(const V& x) {
  using namespace detail_fields;
  if constexpr (HasFields<V>) {
    py::dict dict;
    std::apply([&](const auto&... f) { ((dict[f.name] = written(x.*f.member)), ...); },
               Fields<V>::all);
    return dict;
  } else if constexpr (HasConverter<V>) {
    return Converter<V>::written(x);
  } else if constexpr (is_optional<V>) {
    return x ? written(*x) : py::none();
  } else if constexpr (HasWords<V>) {
    return py::str(std::string(word_of(x)));
  } else if constexpr (std::is_same_v<V, Transform<double>>) {
    return py::cast(matrix_of(x));
  } else if constexpr (is_list<V>) {
    py::list list;
    for (const auto& item : x) list.append(written(typename V::value_type(item)));
    return list;
  } else {
    return py::cast(x);
  }
}

/// Adds to the module's dict `defaults` what options are where none are given: tests hold the package's signatures against it.
template <HasFields T>
void add_defaults(py::module_& module, const char* name) {
  module.attr("defaults")[name] = written(T{});
}

}  // namespace ulna::python

// ULNA_PYTHON_FIELDS(SensorOptions, noise, bias): below, a list is walked by deferred expansion
#define ULNA_PY_PARENS ()
#define ULNA_PY_EXPAND(...) ULNA_PY_EXPAND4(ULNA_PY_EXPAND4(ULNA_PY_EXPAND4(__VA_ARGS__)))
#define ULNA_PY_EXPAND4(...) ULNA_PY_EXPAND3(ULNA_PY_EXPAND3(ULNA_PY_EXPAND3(__VA_ARGS__)))
#define ULNA_PY_EXPAND3(...) ULNA_PY_EXPAND2(ULNA_PY_EXPAND2(ULNA_PY_EXPAND2(__VA_ARGS__)))
#define ULNA_PY_EXPAND2(...) __VA_ARGS__
#define ULNA_PY_EACH(T, name, ...) \
  field(#name, &T::name) __VA_OPT__(, ULNA_PY_AGAIN ULNA_PY_PARENS(T, __VA_ARGS__))
#define ULNA_PY_AGAIN() ULNA_PY_EACH

/// To be used in namespace ulna::python.
#define ULNA_PYTHON_FIELDS(T, ...)                                                        \
  template <>                                                                             \
  struct Fields<T> {                                                                      \
    static constexpr auto all = std::tuple(ULNA_PY_EXPAND(ULNA_PY_EACH(T, __VA_ARGS__))); \
  };
#define ULNA_PY_NAME_EACH(name, ...) \
  std::string_view(#name) __VA_OPT__(, ULNA_PY_NAME_AGAIN ULNA_PY_PARENS(__VA_ARGS__))
#define ULNA_PY_NAME_AGAIN() ULNA_PY_NAME_EACH
#define ULNA_PYTHON_WORDS(E, ...)                                                                 \
  template <>                                                                                     \
  struct Words<E> {                                                                               \
    using enum E;                                                                                 \
    static constexpr E all[] = {__VA_ARGS__};                                                     \
    static constexpr std::string_view names[] = {ULNA_PY_EXPAND(ULNA_PY_NAME_EACH(__VA_ARGS__))}; \
  };
