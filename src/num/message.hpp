#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

/// Words of messages, for all layers.
namespace ulna::messages {

/// Its parts one after the other, numbers with four digits.
template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream s;
  s.precision(4);
  (s << ... << parts);
  return s.str();
}

/// Throws std::invalid_argument with a message of these parts unless a condition holds.
template <class... Parts>
void require(bool holds, const Parts&... otherwise) {
  if (!holds) throw std::invalid_argument(message(otherwise...));
}

}  // namespace ulna::messages
