#pragma once

#include <optional>

#include "io/xacro_value.hpp"

/// The functions, methods and constants that expressions in xacro know.
namespace ulna::detail::xacro {

bool is_function(std::string_view name);
std::vector<std::string_view> function_names();
/// A function of values, those of `named` given by name.
Value call(std::string_view name, const List& of, const Dict& named);
/// A function of a text or a map: "a b".split().
Value method(const Value& object, std::string_view name, const List& of);
/// pi, True and others, if it is one.
std::optional<Value> constant(std::string_view name);

}  // namespace ulna::detail::xacro
