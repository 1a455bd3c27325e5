#pragma once

#include <string>
#include <string_view>

namespace ulna::detail {

/// XXH3-128 of a text in 32 hexadecimal digits: a key, and a check against damage but not against
/// forgery, from which the permissions of the cache protect.
std::string content_hash(std::string_view text);

}  // namespace ulna::detail
