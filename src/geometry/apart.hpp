#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>

namespace ulna::detail {

/// What a process says to the one that began it: numbers as they lie in memory, and lists of them.
class Sender {
 public:
  explicit Sender(int to) : to_(to) {}
  template <class T>
  void send(const T& value) {
    if constexpr (requires {
                    value.data();
                    value.size();
                  }) {
      const std::size_t count = value.size();
      write(&count, sizeof count);
      write(value.data(), count * sizeof *value.data());
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      write(&value, sizeof value);
    }
  }

 private:
  void write(const void* bytes, std::size_t count);
  int to_;
};

/// Throws std::runtime_error where it ends too early.
class Receiver {
 public:
  explicit Receiver(int from) : from_(from) {}
  template <class T>
  void receive(T& value) {
    if constexpr (requires { value.resize(0); }) {
      std::size_t count = 0;
      read(&count, sizeof count);
      value.resize(count);
      read(value.data(), count * sizeof *value.data());
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      read(&value, sizeof value);
    }
  }

 private:
  void read(void* bytes, std::size_t count);
  int from_;
};

/// Runs `work` in a process of its own, so that a crash of a library on bad input, an endless loop or memory without bound is an error like
/// any other. Returns what went wrong ("crashed"), or nothing.
std::string apart(const std::function<void(Sender&)>& work,
                  const std::function<void(Receiver&)>& result);

}  // namespace ulna::detail
