#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Expressions of xacro: the part of Python that descriptions of robots use, computed without Python.
namespace ulna::detail::xacro {

struct Value;
using List = std::vector<Value>;
using Dict = std::vector<std::pair<std::string, Value>>;
struct None {
  bool operator==(const None&) const = default;
};

/// What an expression can be. Lists and maps are shared and never change.
struct Value : std::variant<None, bool, std::int64_t, double, std::string,
                            std::shared_ptr<const List>, std::shared_ptr<const Dict>> {
  using variant::variant;
  Value(const char* text) : variant(std::string(text)) {}  // NOLINT: it would become a bool
  Value(List list) : variant(std::make_shared<const List>(std::move(list))) {}  // NOLINT
  Value(Dict dict) : variant(std::make_shared<const Dict>(std::move(dict))) {}  // NOLINT
};

/// Why an expression has no value.
struct ExpressionError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// As Python prints it: 2.0, 1e-05, True, [1, 'a'].
std::string to_text(const Value& value);
/// As Python decides: empty and zero are false.
bool is_true(const Value& value);
/// What the text of a property or an argument is: a number, a truth value, or else a text.
Value from_text(std::string_view text);

/// What an expression may ask for, and how much it may compute.
struct Surroundings {
  /// A property by name, "a" or "space.a"; nullptr if there is none.
  std::function<const Value*(std::string_view name)> find;
  std::function<Value(std::string_view name)> argument;   ///< xacro.arg('name')
  std::function<Value(std::string_view file)> load_yaml;  ///< xacro.load_yaml('file')
  std::size_t& steps;  ///< that are left; throws ExpressionError where there are none
};

Value evaluate(std::string_view expression, const Surroundings& surroundings);

}  // namespace ulna::detail::xacro
