#pragma once

#include <string>

#include "identify_arguments.hpp"
#include "report.hpp"

namespace ulna::cli {

/// What is printed of an identification.
std::string text_of(const IdentifyArguments& given, const identify::Identification& r,
                    const Stream& out);

/// What Ctrl-C has left out; empty if it did not end the work early.
std::string stopped_text(const IdentifyArguments& given, const identify::Identification& r);

}  // namespace ulna::cli
