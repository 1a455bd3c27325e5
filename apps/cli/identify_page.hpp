#pragma once

#include <string>

#include "identification.hpp"

namespace ulna::cli {

/// Where the numbers came from, for people.
struct PageNames {
  std::string robot, prior, method;
};

/// The report: one HTML page with its plots in it, which needs nothing else.
std::string identify_page(const PageNames& names, const Identification& result);

}  // namespace ulna::cli
