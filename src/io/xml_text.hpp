#pragma once

#include <string>
#include <string_view>

#include "ulna/io/import.hpp"

namespace ulna::detail {

/// The text itself, or what it is in Latin-1, with a warning.
std::string to_utf8(std::string_view text, const std::string& file, Diagnostics& out);

/// Looks at a text before an XML parser sees it: size, encoding, DOCTYPE, number of elements. Returns
/// it as UTF-8 without a byte order mark; errors go to the list.
std::string prepare_xml(std::string_view text, const std::string& file,
                        const ImportOptions& options, Diagnostics& out);

}  // namespace ulna::detail
