#pragma once

#include "io/xml_tree.hpp"

namespace ulna::detail {

/// A xacro file with its properties, macros, conditions and includes expanded. Throws ModelError.
XmlText expand_xacro(std::string_view text, const std::string& file, const ImportOptions& options,
                     Diagnostics& out);

}  // namespace ulna::detail
