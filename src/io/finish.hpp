#pragma once

#include "ulna/io/import.hpp"

namespace ulna::detail {

/// The last step of every importer: limits, Builder, and the options that change the robot.
Imported finish(Description description, Diagnostics diagnostics, const ImportOptions& options);

}  // namespace ulna::detail
