#pragma once

#include "num/message.hpp"
#include "ulna/codegen/print_c.hpp"

namespace ulna::codegen {

using messages::message;
using Vectors = std::vector<Traced::Vector>;

/// The texts that `of` makes of vectors, with commas between them.
template <class F>
std::string list(const Vectors& vectors, F of) {
  std::string text;
  for (const Traced::Vector& v : vectors) text += (text.empty() ? "" : ", ") + of(v);
  return text;
}
template <class F, class G>
std::string list(const Traced& f, F of_input, G of_output) {
  const std::string in = list(f.inputs(), of_input), out = list(f.outputs(), of_output);
  return in + (in.empty() || out.empty() ? "" : ", ") + out;
}

/// A text with its placeholders filled in, once: a name may contain the word of another.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& words);

/// A name that no vector of a function has: this one, or with underscores behind it.
std::string free_name(const Traced& function, std::string name);

/// How C spells the numbers, operations and arguments of a function.
class CText {
 public:
  CText(const Traced& function, CNumber number)
      : f(function),
        single(number == CNumber::single_precision),
        type(single ? "float" : "double") {}

  const Traced& f;
  const bool single;
  const std::string type;

  const Node& node(std::int32_t at) const { return f.nodes()[at]; }
  /// A number as an operand, in brackets if it is negative.
  std::string literal(double exact) const;
  /// `const double *q, double *tau`
  std::string parameters() const;

  /// An operation that is a sign or a function of math.h, on operands as `operand` writes their nodes.
  template <class F>
  std::string applied(const Node& n, F operand) const {
    const std::string c = info(n.operation).c, a = operand(n.a);
    if (c.front() == ' ') return a + c + operand(n.b);
    if (!is_function(n.operation)) return c + a;
    const std::string b = arity(n.operation) > 1 ? ", " + operand(n.b) : "";
    return c + (single ? "f(" : "(") + a + b + ")";
  }
  static bool is_function(Operation operation) { return *info(operation).c >= 'a'; }
};

/// The types <name>_lanes and <name>_bits; with angles, <name>_ints and `<name>_sin_cos` too.
std::string lane_types(const CText& text, const std::string& name, int lanes, bool angles);

/// `void <name>_states(size_t count, ...)`, without a semicolon.
std::string states_prototype(const CText& text);
/// Its definition.
std::string print_states(const CText& text, int lanes);

}  // namespace ulna::codegen
