#include "codegen/content_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <iomanip>
#include <sstream>

namespace ulna::detail {

std::string content_hash(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  std::ostringstream digits;
  digits << std::hex << std::setfill('0') << std::setw(16) << hash.high64 << std::setw(16)
         << hash.low64;
  return digits.str();
}

}  // namespace ulna::detail
