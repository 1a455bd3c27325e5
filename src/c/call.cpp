#include "c/call.hpp"

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>

#include "ulna/model/diagnostic.hpp"

namespace ulna::c {
namespace {

constexpr std::size_t longest = 1024;
thread_local char last_error[longest] = "";

/// What a message says of a robot's name, of which there may be much.
constexpr int longest_name = 80;

struct Living {
  std::mutex mutex;
  std::set<const Object*> objects;
};
/// Never freed: objects may be destroyed while the program ends.
Living& living() {
  static Living* const all = new Living;
  return *all;
}

}  // namespace

ulna_status fail(ulna_status status, const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(last_error, longest, format, arguments);
  va_end(arguments);
  if (length >= int(longest)) std::memcpy(last_error + longest - 4, "...", 4);
  return status;
}

ulna_status caught(const char* function) noexcept {
  const auto as = [&](ulna_status status, const std::exception& e) {
    return fail(status, "%s: %s", function, e.what());
  };
  try {
    throw;
  } catch (const ModelError& e) {
    return as(ULNA_ERROR_MODEL, e);
  } catch (const std::invalid_argument& e) {
    return as(ULNA_ERROR_ARGUMENT, e);
  } catch (const std::out_of_range& e) {
    return as(ULNA_ERROR_NAME, e);
  } catch (const std::logic_error& e) {
    return as(ULNA_ERROR_ORDER, e);
  } catch (const std::bad_alloc& e) {
    return as(ULNA_ERROR_MEMORY, e);
  } catch (const std::exception& e) {
    return as(ULNA_ERROR_INTERNAL, e);
  } catch (...) {
    return fail(ULNA_ERROR_INTERNAL, "%s: an exception of unknown type", function);
  }
}

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::robot:
      return "robot";
    case Kind::controller:
      return "controller";
    case Kind::estimator:
      return "estimator";
    case Kind::supervisor:
      return "supervisor";
    case Kind::dead:
      return "destroyed object";
  }
  return "foreign object";
}

void enlist(const Object* object) {
  Living& all = living();
  const std::lock_guard lock(all.mutex);
  all.objects.insert(object);
}

bool strike(const Object* object) noexcept {
  Living& all = living();
  const std::lock_guard lock(all.mutex);
  return all.objects.erase(object) == 1;
}

void Call::check(const Object* object, Kind kind) noexcept {
  if (!object)
    status_ = fail(ULNA_ERROR_ARGUMENT, "%s: the %s is NULL", function_, to_string(kind));
  else if (object->kind != kind)
    status_ = fail(ULNA_ERROR_ARGUMENT, "%s: this is no %s but a %s", function_, to_string(kind),
                   to_string(object->kind));
}

Call& Call::require_count(int n, int wanted, const char* of) noexcept {
  if (good() && n != wanted)
    status_ = fail(ULNA_ERROR_ARGUMENT, "%s: the arrays are made for %d numbers, '%.*s' has %d",
                   function_, n, longest_name, of, wanted);
  return *this;
}

Call& Call::finite(const char* name, const double* x, int size) noexcept {
  given(name, x);
  for (int i = 0; good() && i < size; ++i)
    if (!std::isfinite(x[i]))
      status_ = fail(ULNA_ERROR_ARGUMENT, "%s: %s[%d] is %f; it must be finite", function_, name, i,
                     x[i]);
  return *this;
}

Call& Call::limits(const char* name, const double* x) noexcept {
  for (int i = 0; x && good() && i < nv_; ++i)
    if (std::isnan(x[i]))
      status_ = fail(ULNA_ERROR_ARGUMENT, "%s: %s[%d] is not a number", function_, name, i);
  return *this;
}

Call& Call::given(const char* name, const void* x) noexcept {
  if (good() && !x) status_ = fail(ULNA_ERROR_ARGUMENT, "%s: %s is NULL", function_, name);
  return *this;
}

Call& Call::require(bool holds, ulna_status status, const char* message) noexcept {
  if (good() && !holds) status_ = fail(status, "%s: %s", function_, message);
  return *this;
}

}  // namespace ulna::c

extern "C" {

const char* ulna_version(void) { return ULNA_VERSION; }

const char* ulna_last_error(void) { return ulna::c::last_error; }

const char* ulna_status_name(ulna_status status) {
  switch (status) {
    case ULNA_OK:
      return "ULNA_OK";
    case ULNA_ERROR_ARGUMENT:
      return "ULNA_ERROR_ARGUMENT";
    case ULNA_ERROR_NAME:
      return "ULNA_ERROR_NAME";
    case ULNA_ERROR_MODEL:
      return "ULNA_ERROR_MODEL";
    case ULNA_ERROR_ORDER:
      return "ULNA_ERROR_ORDER";
    case ULNA_ERROR_SINGULAR:
      return "ULNA_ERROR_SINGULAR";
    case ULNA_ERROR_MEMORY:
      return "ULNA_ERROR_MEMORY";
    case ULNA_ERROR_INTERNAL:
      return "ULNA_ERROR_INTERNAL";
  }
  return "unknown status";
}

}  // extern "C"
