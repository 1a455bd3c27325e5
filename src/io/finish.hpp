#pragma once

#include "ulna/io/import.hpp"

namespace ulna::detail {

/// The last step of every importer: limits, Builder, and the options that change the robot.
Imported finish(Description description, Diagnostics diagnostics, const ImportOptions& options);

/// A text of the file as it can stand in a message: short, and on one line.
std::string shown(std::string_view text);

/// Throws if there are errors, sorted as a person reads them.
void stop_if_refused(Diagnostics& diagnostics);

}  // namespace ulna::detail
