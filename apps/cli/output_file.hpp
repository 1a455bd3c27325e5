#pragma once

#include <string>
#include <string_view>

namespace ulna::cli {

/// Throws if the file exists and may not be overwritten.
void refuse_overwriting(const std::string& path, bool force);

/// Writes the whole file or nothing: into a file beside it, which then takes its name, so that a
/// program killed halfway leaves what was there before. Devices and pipes are written directly.
/// Throws std::runtime_error with the reason.
void write_file(const std::string& path, std::string_view text, bool force);

}  // namespace ulna::cli
