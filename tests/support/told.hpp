#pragma once

#include <stdexcept>
#include <string>

namespace ulna::test {

/// What is thrown, in its own words.
template <class F>
std::string told(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace ulna::test
