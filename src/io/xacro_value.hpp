#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Values of expressions in xacro, and their arithmetic, as those of Python.
namespace ulna::detail::xacro {

struct Value;
using List = std::vector<Value>;
using Dict = std::vector<std::pair<std::string, Value>>;
struct None {
  bool operator==(const None&) const = default;
};

/// What an expression can be. Texts, lists and maps are shared and never change.
struct Value : std::variant<None, bool, std::int64_t, double, std::shared_ptr<const std::string>,
                            std::shared_ptr<const List>, std::shared_ptr<const Dict>> {
  using variant::variant;
  Value(std::string text)  // NOLINT: the same thing
      : variant(std::make_shared<const std::string>(std::move(text))) {}
  Value(const char* text) : Value(std::string(text)) {}  // NOLINT: it would become a bool
  Value(List list) : variant(std::make_shared<const List>(std::move(list))) {}  // NOLINT
  Value(Dict dict) : variant(std::make_shared<const Dict>(std::move(dict))) {}  // NOLINT

  /// nullptr if it is no text.
  const std::string* text() const {
    const auto* shared = std::get_if<std::shared_ptr<const std::string>>(this);
    return shared ? shared->get() : nullptr;
  }
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

// --- what functions and operators are made of; all throw ExpressionError ---

using Integer = std::int64_t;
using ListPtr = std::shared_ptr<const List>;
using DictPtr = std::shared_ptr<const Dict>;

inline constexpr std::size_t longest = 1 << 20;  ///< of a text or a list, in bytes or entries

[[noreturn]] void fail(const std::string& why);

/// What messages call a value: "a text".
std::string_view kind_of(const Value& v);
inline bool is_number(const Value& v) { return v.index() >= 1 && v.index() <= 3; }
inline bool is_whole(const Value& v) { return v.index() == 1 || v.index() == 2; }
Integer whole(const Value& v);
double real(const Value& v);
const std::string& text_of(const Value& v);

bool equal(const Value& a, const Value& b);
bool less(const Value& a, const Value& b);
std::size_t size_of(const Value& v);
/// The entries of a list, the keys of a map, or the letters of a text.
List entries_of(const Value& v);

Value power(const Value& a, const Value& b);
Value sum_of(const Value& a, const Value& b);
/// a op b for + - * / // % **
Value binary(std::string_view op, const Value& a, const Value& b);
/// a op b for == != < > <= >= in, not in, is, is not
bool compared(std::string_view op, const Value& a, const Value& b);
const Value& entry(const Dict& dict, std::string_view key);
Value indexed(const Value& of, const Value& index);
/// The part of a list or text from one index to another, either of which may be None.
Value sliced(const Value& of, const Value& from, const Value& to);

}  // namespace ulna::detail::xacro
