#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ulna {

/// A finite decimal number and nothing else, whatever the locale: no units, no hexadecimal, no NaN,
/// no infinity, no overflow, no decimal comma. Spaces around it are allowed, as is a leading plus.
std::optional<double> parse_number(std::string_view text);

/// Why parse_number refuses: "is empty", "overflows", "has a decimal comma", ...; "" if it does not.
std::string_view number_defect(std::string_view text);

/// The shortest text that reads back as the same number.
std::string format_number(double x);

}  // namespace ulna
