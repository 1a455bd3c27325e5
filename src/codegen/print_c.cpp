#include "ulna/codegen/print_c.hpp"

#include <charconv>
#include <cmath>

namespace ulna {
namespace {

class CPrinter {
 public:
  CPrinter(const Traced& function, CNumber number)
      : f_(function),
        single_(number == CNumber::single_precision),
        type_(single_ ? "float" : "double") {}

  std::string prototype() const {
    std::string text = "void " + f_.name() + "(";
    const char* between = "";
    for (const Traced::Vector& in : f_.inputs())
      text += between + ("const " + type_ + " *") + in.name, between = ", ";
    for (const Traced::Vector& out : f_.outputs())
      text += between + (type_ + " *") + out.name, between = ", ";
    return text + (*between ? ")" : "void)");
  }

  std::string sizes() const {
    std::string text;
    const char* between = "";
    for (const auto* vectors : {&f_.inputs(), &f_.outputs()}) {
      for (const Traced::Vector& v : *vectors)
        text += between + v.name + "[" + std::to_string(v.size) + "]", between = ", ";
      if (vectors == &f_.inputs()) text += " -> ", between = "";
    }
    return text;
  }

  std::string body() const {
    std::string text;
    std::vector<bool> used(f_.inputs().size(), false);
    std::size_t at = 0;
    for (const Node& n : f_.nodes()) {
      const std::string name = "x" + std::to_string(at++);
      if (n.operation == Operation::input) used[static_cast<std::size_t>(n.a)] = true;
      if (n.operation == Operation::input || n.operation == Operation::constant) continue;
      const bool truth = n.operation >= Operation::less && n.operation < Operation::choose;
      text += "  const " + (truth ? "int" : type_) + " " + name + " = " + computed(n) + ";\n";
    }
    std::size_t result = 0;
    for (const Traced::Vector& out : f_.outputs())
      for (int i = 0; i < out.size; ++i)
        text += "  " + out.name + "[" + std::to_string(i) +
                "] = " + operand(f_.results()[result++]) + ";\n";
    std::string unused;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (!used[i]) unused += "  (void)" + f_.inputs()[i].name + ";\n";
    for (const Traced::Vector& out : f_.outputs())
      if (out.size == 0) unused += "  (void)" + out.name + ";\n";
    return text + unused;
  }

 private:
  std::string literal(double exact) const {
    const double x = single_ ? static_cast<double>(static_cast<float>(exact)) : exact;
    if (std::isnan(x)) return "(" + type_ + ")NAN";
    if (std::isinf(x)) return std::string(x > 0 ? "" : "-") + (single_ ? "HUGE_VALF" : "HUGE_VAL");
    char digits[32];
    const auto end = single_ ? std::to_chars(digits, digits + sizeof digits, static_cast<float>(x))
                             : std::to_chars(digits, digits + sizeof digits, x);
    std::string text(digits, end.ptr);
    if (text.find_first_of(".e") == text.npos) text += ".0";
    return text + (single_ ? "f" : "");
  }

  std::string operand(std::int32_t node) const {
    const Node& n = f_.nodes()[static_cast<std::size_t>(node)];
    if (n.operation == Operation::input)
      return f_.inputs()[static_cast<std::size_t>(n.a)].name + "[" + std::to_string(n.b) + "]";
    if (n.operation != Operation::constant) return "x" + std::to_string(node);
    return n.value < 0.0 ? "(" + literal(n.value) + ")" : literal(n.value);
  }

  std::string call(const char* function, const Node& n) const {
    return function + std::string(single_ ? "f(" : "(") + operand(n.a) +
           (arity(n.operation) > 1 ? ", " + operand(n.b) : "") + ")";
  }

  std::string computed(const Node& n) const {
    const auto infix = [&](const char* sign) { return operand(n.a) + sign + operand(n.b); };
    switch (n.operation) {
      case Operation::add:
        return infix(" + ");
      case Operation::subtract:
        return infix(" - ");
      case Operation::multiply:
        return infix(" * ");
      case Operation::divide:
        return infix(" / ");
      case Operation::negate:
        return "-" + operand(n.a);
      case Operation::sine:
        return call("sin", n);
      case Operation::cosine:
        return call("cos", n);
      case Operation::tangent:
        return call("tan", n);
      case Operation::arc_sine:
        return call("asin", n);
      case Operation::arc_cosine:
        return call("acos", n);
      case Operation::arc_tangent:
        return call("atan", n);
      case Operation::arc_tangent2:
        return call("atan2", n);
      case Operation::square_root:
        return call("sqrt", n);
      case Operation::exponential:
        return call("exp", n);
      case Operation::logarithm:
        return call("log", n);
      case Operation::hyperbolic_tangent:
        return call("tanh", n);
      case Operation::absolute:
        return call("fabs", n);
      case Operation::less:
        return infix(" < ");
      case Operation::less_equal:
        return infix(" <= ");
      case Operation::equal:
        return infix(" == ");
      case Operation::finite:
        return "isfinite(" + operand(n.a) + ") != 0";
      case Operation::conjunction:
        return infix(" && ");
      case Operation::disjunction:
        return infix(" || ");
      case Operation::negation:
        return "!" + operand(n.a);
      case Operation::choose:
        return operand(n.a) + " ? " + operand(n.b) + " : " + operand(n.c);
      case Operation::constant:
      case Operation::input:
        break;
    }
    return {};
  }

  const Traced& f_;
  bool single_;
  std::string type_;
};

}  // namespace

std::string c_prototype(const Traced& function, CNumber number) {
  return CPrinter(function, number).prototype();
}

CFiles print_c(const Traced& function, CNumber number) {
  const CPrinter printer(function, number);
  const std::string& name = function.name();
  const std::string about = "/* Generated by ulna: " + printer.sizes() + ", in " +
                            std::to_string(function.operation_count()) +
                            " operations. Matrices are stored by columns. */\n";
  const std::string guard = name + "_h";
  CFiles files;
  files.header = about + "#ifndef " + guard + "\n#define " + guard +
                 "\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + printer.prototype() +
                 ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  files.source = about + "#include \"" + name + ".h\"\n\n#include <math.h>\n\n" +
                 printer.prototype() + " {\n" + printer.body() + "}\n";
  return files;
}

}  // namespace ulna
