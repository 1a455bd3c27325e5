#include "ulna/link/link.hpp"

#include <sstream>

#include "link/ulna_link.h"

namespace ulna::link {

static_assert(fault_count == ULNA_LINK_FAULTS);

const char* to_string(Fault fault) { return ulna_link_fault_name(int(fault)); }

const char* to_string(TorqueSensors sensors) {
  return std::array{"none", "motor", "link"}[std::size_t(sensors)];
}

std::string Traffic::report() const {
  std::ostringstream text;
  for (int f = 1; f < fault_count; ++f)
    if (const std::uint64_t n = faults[std::size_t(f)])
      text << (text.tellp() > 0 ? ", " : "") << n << ' ' << to_string(Fault(f));
  return text.tellp() > 0 ? text.str() : "none";
}

}  // namespace ulna::link
