#pragma once

#include <stdexcept>
#include <string>

namespace ulna::test {

/// The message of what is thrown.
template <class Error = std::invalid_argument, class F>
std::string told(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace ulna::test
