#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"
#include "ulna/ulna.h"

/// What all functions of the C interface do: check their arguments, and turn exceptions into statuses.
namespace ulna::c {

/// Keeps a message for ulna_last_error(). Allocates nothing.
[[gnu::format(printf, 2, 3)]] ulna_status fail(ulna_status status, const char* format,
                                               ...) noexcept;
/// The status of the exception that is being handled.
ulna_status caught(const char* function) noexcept;

enum class Kind : std::uint32_t {
  robot = 0x756c6e01,
  controller,
  estimator,
  supervisor,
  dead,
};
const char* to_string(Kind kind);

/// What every object of the interface begins with.
struct Object {
  explicit Object(Kind is) : kind(is) {}
  Object(const Object&) = delete;
  volatile Kind kind;  ///< volatile: `dead` is written right before the memory is freed
};

/// The objects that live, so that one that is destroyed twice is refused: it cannot be asked itself any more.
void enlist(const Object* object);
bool strike(const Object* object) noexcept;

/// A call of one function. What is wrong first is the status; the rest is not looked at then.
///
///     return Call(__func__).of(robot, n).q("q", q).v("v", v).to("tau", tau).run([&] { ...; });
class Call {
 public:
  explicit Call(const char* function) noexcept : function_(function) {}

  template <class T>
  Call& alive(const T* object) noexcept {
    if (good()) check(object, T::is);
    return *this;
  }
  /// And n is how many degrees of freedom it has.
  template <class T>
  Call& of(const T* object, int n) noexcept {
    alive(object);
    if (!good()) return *this;
    const Model& model = object->robot_model();
    nq_ = model.nq(), nv_ = model.nv();
    return require_count(n, nv_, model.name().c_str());
  }
  Call& require_count(int n, int wanted, const char* of) noexcept;

  /// Numbers, all of them finite.
  Call& q(const char* name, const double* x) noexcept { return finite(name, x, nq_); }
  Call& v(const char* name, const double* x) noexcept { return finite(name, x, nv_); }
  /// The same if they are given.
  Call& optional_v(const char* name, const double* x) noexcept { return x ? v(name, x) : *this; }
  Call& finite(const char* name, const double* x, int size) noexcept;
  Call& finite(const char* name, double x) noexcept { return finite(name, &x, 1); }
  /// Numbers that may be infinite, if they are given.
  Call& limits(const char* name, const double* x) noexcept;
  /// Anything that must not be NULL: results, readings, texts.
  Call& given(const char* name, const void* x) noexcept;
  Call& require(bool holds, ulna_status status, const char* message) noexcept;

  /// f() unless something was wrong. It may throw, and may return a status.
  template <class F>
  ulna_status run(F&& f) noexcept {
    if (!good()) return status_;
    try {
      if constexpr (std::is_void_v<decltype(f())>)
        return f(), ULNA_OK;
      else
        return f();
    } catch (...) {
      return caught(function_);
    }
  }

  bool good() const noexcept { return status_ == ULNA_OK; }
  const char* function() const { return function_; }

 private:
  void check(const Object* object, Kind kind) noexcept;

  const char* function_;
  int nq_ = 0, nv_ = 0;
  ulna_status status_ = ULNA_OK;
};

/// For functions that return no status.
template <class T>
bool is_alive(const char* function, const T* object) noexcept {
  return Call(function).alive(object).good();
}
inline const char* name_at(const std::vector<std::string>& names, int i) noexcept {
  return i >= 0 && i < int(names.size()) ? names[std::size_t(i)].c_str() : nullptr;
}

/// Makes an object; *to is NULL where that fails.
template <class T, class F>
ulna_status create(Call& call, T** to, F&& make) noexcept {
  if (to) *to = nullptr;
  return call.given("the place for the result", to).run([&] {
    std::unique_ptr<T> made = make();
    enlist(made.get());
    *to = made.release();
  });
}

template <class T>
ulna_status destroy(const char* function, T* object) noexcept {
  if (!object) return ULNA_OK;
  return Call(function).run([&]() -> ulna_status {
    if (!strike(object))
      return fail(ULNA_ERROR_ARGUMENT,
                  "%s: this is no living %s: it was destroyed already, or never created", function,
                  to_string(T::is));
    if (object->kind != T::is) {
      enlist(object);
      return fail(ULNA_ERROR_ARGUMENT, "%s: this is a %s", function, to_string(object->kind));
    }
    object->kind = Kind::dead;
    delete object;
    return ULNA_OK;
  });
}

/// Options that the caller's version of the header may have fewer or more of than this one.
template <class T>
ulna_status init_options(const char* function, T* options, std::size_t size,
                         const T& defaults) noexcept {
  return Call(function).given("options", options).run([&]() -> ulna_status {
    if (size < sizeof(T))
      return fail(ULNA_ERROR_ARGUMENT, "%s: size is %zu; it must be sizeof(*options)", function,
                  size);
    std::memset(options, 0, size);
    std::memcpy(options, &defaults, sizeof(T));
    options->size = size;
    return ULNA_OK;
  });
}

/// Those that are given over the defaults. What this version does not know must not be set. Once a version adds fields, programs of
/// this one give fewer: then the smallest size is that of this one, and fields that are missing keep their defaults.
template <class T>
Call& read_options(Call& call, const T* given, T& options) noexcept {
  if (!given || !call.good()) return call;
  const std::size_t size = given->size;
  // a struct on the stack that was not initialised has any size: what lies behind it must not be read
  constexpr std::size_t largest = 4096;
  static_assert(sizeof(T) <= largest);
  call.require(
      size >= sizeof(T) && size <= largest, ULNA_ERROR_ARGUMENT,
      "the options were not initialised: call the function whose name ends with _options_init");
  if (!call.good()) return call;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  call.require(std::all_of(bytes + sizeof(T), bytes + size, [](unsigned char b) { return b == 0; }),
               ULNA_ERROR_ARGUMENT,
               "an option is set that this version of the library does not know");
  if (call.good()) std::memcpy(&options, given, sizeof(T));
  return call;
}

/// A struct that the library fills in.
template <class T>
void write_state(T* state, std::size_t size, T values) noexcept {
  values.size = size;
  std::memcpy(state, &values, std::min(size, sizeof(T)));
}

using Vector = Eigen::VectorXd;

inline void read(const double* from, Vector& to) {
  std::memcpy(to.data(), from, sizeof(double) * std::size_t(to.size()));
}
inline void write(const Eigen::Ref<const Vector>& from, double* to) {
  std::memcpy(to, from.data(), sizeof(double) * std::size_t(from.size()));
}
/// What is NULL is not asked for.
inline void write_optional(const Vector& from, double* to) {
  if (to) write(from, to);
}
inline void read_optional(const double* from, Vector& to) {
  if (from) read(from, to);
}

}  // namespace ulna::c
