#pragma once

#include <functional>

#include "io/xacro_value.hpp"

/// Expressions of xacro: the part of Python that descriptions of robots use, computed without Python.
namespace ulna::detail::xacro {

/// What an expression may ask for, and how much it may compute.
struct Surroundings {
  /// A property by name, "a" or "space.a"; nullptr if there is none.
  std::function<const Value*(std::string_view name)> find;
  std::function<Value(std::string_view name)> argument;   ///< xacro.arg('name')
  std::function<Value(std::string_view file)> load_yaml;  ///< xacro.load_yaml('file')
  std::size_t& steps;  ///< that are left; throws ExpressionError where there are none
  int& depth;          ///< of what is being computed, here and in what this is a part of
};

/// What a text of so many bytes costs.
constexpr std::size_t bytes_as_steps(std::size_t bytes) { return bytes / 32; }

Value evaluate(std::string_view expression, const Surroundings& surroundings);

}  // namespace ulna::detail::xacro
