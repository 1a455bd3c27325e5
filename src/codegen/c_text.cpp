#include "codegen/c_text.hpp"

#include <charconv>
#include <cmath>

namespace ulna::detail {

std::string CText::literal(double exact) const {
  const double x = single ? static_cast<double>(static_cast<float>(exact)) : exact;
  if (std::isnan(x)) return "(" + type + ")NAN";
  if (std::isinf(x)) return std::string(x > 0 ? "" : "-") + (single ? "HUGE_VALF" : "HUGE_VAL");
  char digits[32];
  const auto end = single ? std::to_chars(digits, digits + sizeof digits, static_cast<float>(x))
                          : std::to_chars(digits, digits + sizeof digits, x);
  std::string text(digits, end.ptr);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text + (single ? "f" : "");
}

std::string CText::parameters() const {
  const std::size_t inputs = f.inputs().size();
  std::size_t at = 0;
  return each_vector([&](const Traced::Vector& v) {
    return (at++ < inputs ? "const " : "") + type + " *" + v.name;
  });
}

std::string free_name(const Traced& function, std::string name) {
  const auto taken = [&] {
    for (const auto* vectors : {&function.inputs(), &function.outputs()})
      for (const Traced::Vector& v : *vectors)
        if (v.name == name) return true;
    return false;
  };
  while (taken()) name += "_";
  return name;
}

const char* arithmetic_sign(Operation operation) {
  switch (operation) {
    case Operation::add:
      return " + ";
    case Operation::subtract:
      return " - ";
    case Operation::multiply:
      return " * ";
    case Operation::divide:
      return " / ";
    default:
      return nullptr;
  }
}

const char* math_name(Operation operation) {
  switch (operation) {
    case Operation::sine:
      return "sin";
    case Operation::cosine:
      return "cos";
    case Operation::tangent:
      return "tan";
    case Operation::arc_sine:
      return "asin";
    case Operation::arc_cosine:
      return "acos";
    case Operation::arc_tangent:
      return "atan";
    case Operation::arc_tangent2:
      return "atan2";
    case Operation::square_root:
      return "sqrt";
    case Operation::exponential:
      return "exp";
    case Operation::logarithm:
      return "log";
    case Operation::hyperbolic_tangent:
      return "tanh";
    case Operation::absolute:
      return "fabs";
    default:
      return nullptr;
  }
}

}  // namespace ulna::detail
