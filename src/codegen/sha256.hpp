#pragma once

#include <string>
#include <string_view>

namespace ulna::detail {

/// SHA-256 of a text [FIPS 180-4], in 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace ulna::detail
