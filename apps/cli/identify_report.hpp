#pragma once

#include <string>

#include "ulna/identify/identify.hpp"

namespace ulna::cli {

/// Where the numbers came from, for people.
struct ReportNames {
  std::string robot, prior, method;
};

/// A page of HTML that needs nothing else: figures, plots, tables.
std::string identify_report(const ReportNames& names, const identify::Identification& result);

}  // namespace ulna::cli
