#include "codegen/c_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ulna::codegen {

std::string CText::literal(double exact) const {
  const double x = single ? double(float(exact)) : exact;
  if (std::isnan(x)) return "(" + type + ")NAN";
  if (std::signbit(x)) return "(-" + literal(-x) + ")";
  if (std::isinf(x)) return single ? "HUGE_VALF" : "HUGE_VAL";
  char digits[32];
  const auto end = single ? std::to_chars(digits, digits + sizeof digits, float(x))
                          : std::to_chars(digits, digits + sizeof digits, x);
  std::string text(digits, end.ptr);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text + (single ? "f" : "");
}

std::string CText::parameters() const {
  return list(
      f, [&](const Traced::Vector& v) { return "const " + type + " *" + v.name; },
      [&](const Traced::Vector& v) { return type + " *" + v.name; });
}

std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& words) {
  std::string made;
  while (!text.empty()) {
    const auto word =
        std::ranges::find_if(words, [&](const auto& w) { return text.starts_with(w.first); });
    made += word == words.end() ? std::string(1, text.front()) : word->second;
    text.remove_prefix(word == words.end() ? 1 : word->first.size());
  }
  return made;
}

std::string free_name(const Traced& function, std::string name) {
  const auto taken = [&](const Vectors& in) {
    return std::ranges::count(in, name, &Traced::Vector::name) > 0;
  };
  while (taken(function.inputs()) || taken(function.outputs())) name += "_";
  return name;
}

}  // namespace ulna::codegen
