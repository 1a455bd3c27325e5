#pragma once

#include "ulna/codegen/print_c.hpp"

namespace ulna::detail {

/// How C spells the numbers of a function and its arguments.
class CText {
 public:
  CText(const Traced& function, CNumber number)
      : f(function),
        single(number == CNumber::single_precision),
        type(single ? "float" : "double") {}

  const Traced& f;
  const bool single;
  const std::string type;

  std::string literal(double exact) const;
  /// A function of math.h.
  std::string math(const char* name) const { return name + std::string(single ? "f" : ""); }
  /// `const double *q, double *tau`
  std::string parameters() const;
  /// Every vector, one after the other: what `of` makes of each.
  template <class F>
  std::string each_vector(F of) const {
    std::string text;
    for (const auto* vectors : {&f.inputs(), &f.outputs()})
      for (const Traced::Vector& v : *vectors) text += (text.empty() ? "" : ", ") + of(v);
    return text;
  }
};

/// A name that no vector of a function has: this one, or with underscores behind it.
std::string free_name(const Traced& function, std::string name);

/// The sign between two numbers, " + ", of an operation that C has for numbers and for lanes alike.
const char* arithmetic_sign(Operation operation);
/// What math.h calls an operation, if it has it.
const char* math_name(Operation operation);

/// The types <name>_lanes and <name>_bits, and with angles also <name>_ints and `<name>_sin_cos`, which has
/// no branches.
std::string lane_types(const CText& text, const std::string& name, int lanes, bool angles);

/// `void <name>_states(size_t count, ...)`, without a semicolon.
std::string states_prototype(const CText& text);
/// Its definition.
std::string print_states(const CText& text, int lanes);

}  // namespace ulna::detail
