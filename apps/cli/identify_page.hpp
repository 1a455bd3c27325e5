#pragma once

#include <string>

#include "ulna/identify/identify.hpp"

namespace ulna::cli {

/// Where the numbers came from, for people.
struct PageNames {
  std::string robot, prior, method;
};

/// The report: one HTML page with its plots in it, which needs nothing else.
std::string identify_page(const PageNames& names, const identify::Identification& result);

}  // namespace ulna::cli
