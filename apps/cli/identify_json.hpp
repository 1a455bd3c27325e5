#pragma once

#include "identify_arguments.hpp"
#include "report.hpp"

namespace ulna::cli {

/// Everything that was found.
Json json_of(const IdentifyArguments& given, const Imported& robot,
             const identify::Identification& r);

}  // namespace ulna::cli
