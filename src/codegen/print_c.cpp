#include "ulna/codegen/print_c.hpp"

#include <map>

#include "codegen/c_text.hpp"

namespace ulna::codegen {
namespace {

/// The function for one state, statement by statement.
class ScalarPrinter {
 public:
  ScalarPrinter(const CText& text, bool angles_together) : text_(text), f_(text.f) {
    if (angles_together) gather_angles();
  }

  /// What stands before the function.
  std::string preamble() const {
    return angles_.empty() ? "" : lane_types(text_, vectors(), together, true) + "\n";
  }

  std::string body() const {
    std::string body = sines_and_cosines();
    std::vector<bool> used(f_.inputs().size(), false);
    std::size_t at = 0;
    for (const Node& n : f_.nodes()) {
      const std::string name = "x" + std::to_string(at++);
      if (n.operation == Operation::input) used[n.a] = true;
      if (arity(n.operation) == 0) continue;
      body += "  const " + (is_truth(n.operation) ? "int" : text_.type) + " " + name + " = " +
              computed(n) + ";\n";
    }
    std::size_t result = 0;
    for (const Traced::Vector& out : f_.outputs())
      for (int i = 0; i < out.size; ++i)
        body += "  " + out.name + "[" + std::to_string(i) +
                "] = " + operand(f_.results()[result++]) + ";\n";
    std::string unused;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (!used[i]) unused += "  (void)" + f_.inputs()[i].name + ";\n";
    for (const Traced::Vector& out : f_.outputs())
      if (out.size == 0) unused += "  (void)" + out.name + ";\n";
    return body + unused;
  }

 private:
  std::string operand(std::int32_t node) const {
    const Node& n = text_.node(node);
    if (n.operation == Operation::input)
      return f_.inputs()[n.a].name + "[" + std::to_string(n.b) + "]";
    return n.operation == Operation::constant ? text_.literal(n.value) : "x" + std::to_string(node);
  }

  static constexpr int together = 4;

  std::string vectors() const { return f_.name() + "_angles"; }

  /// The inputs that sines and cosines are taken of, if there are enough of them.
  void gather_angles() {
    for (const Node& n : f_.nodes()) {
      if (n.operation != Operation::sine && n.operation != Operation::cosine) continue;
      if (text_.node(n.a).operation == Operation::input) angles_.emplace(n.a, int(angles_.size()));
    }
    if (angles_.size() < 2) angles_.clear();
  }
  /// `sines[2][1]`
  std::string element(const char* of, int angle) const {
    return message(free_name(f_, of), "[", angle / together, "][", angle % together, "]");
  }
  std::string sines_and_cosines() const {
    if (angles_.empty()) return {};
    std::vector<std::string> inputs(angles_.size());
    for (const auto& [node, at] : angles_) inputs[at] = operand(node);
    while (inputs.size() % together != 0) inputs.push_back(inputs.back());
    const std::string angles = free_name(f_, "angles"), sines = free_name(f_, "sines"),
                      cosines = free_name(f_, "cosines"),
                      count = "[" + std::to_string(inputs.size() / together) + "]";
    std::string text = "  const " + vectors() + "_lanes " + angles + "[] = {";
    for (std::size_t i = 0; i < inputs.size(); ++i)
      text += (i % together ? ", " : i ? "}, {" : "{") + inputs[i];
    text += "}};\n  " + vectors() + "_lanes " + sines + count + ", " + cosines + count + ";\n";
    for (std::size_t i = 0; i < inputs.size() / together; ++i) {
      const std::string at = "[" + std::to_string(i) + "]";
      text += "  " + vectors() + "_sin_cos(&" + angles + at + ", &" + sines + at + ", &" + cosines +
              at + ");\n";
    }
    return text;
  }

  std::string computed(const Node& n) const {
    if (const auto angle = angles_.find(n.a); angle != angles_.end()) {
      if (n.operation == Operation::sine) return element("sines", angle->second);
      if (n.operation == Operation::cosine) return element("cosines", angle->second);
    }
    if (n.operation == Operation::finite) return "isfinite(" + operand(n.a) + ") != 0";
    if (n.operation == Operation::choose)
      return operand(n.a) + " ? " + operand(n.b) + " : " + operand(n.c);
    return text_.applied(n, [this](std::int32_t node) { return operand(node); });
  }

  const CText& text_;
  const Traced& f_;
  std::map<std::int32_t, int> angles_;  ///< nodes, and where they stand
};

/// `q[7], v[7], a[7] -> tau[7]`
std::string sizes(const Traced& f) {
  const auto size = [](const Traced::Vector& v) { return message(v.name, "[", v.size, "]"); };
  return list(f.inputs(), size) + " -> " + list(f.outputs(), size);
}

/// The patterns of sparse outputs, declared and defined.
CFiles patterns(const Traced& f) {
  CFiles files;
  const auto put = [&](const std::string& name, std::vector<int> numbers) {
    if (numbers.empty()) numbers = {0};  // C has no empty arrays
    const std::string type = "const int " + name + "[" + std::to_string(numbers.size()) + "]";
    files.header += "extern " + type + ";\n";
    files.source += type + " = {";
    for (std::size_t i = 0; i < numbers.size(); ++i)
      files.source += (i ? ", " : "") + std::to_string(numbers[i]);
    files.source += "};\n";
  };
  for (const Traced::Vector& out : f.outputs()) {
    if (!out.sparsity) continue;
    put(f.name() + "_" + out.name + "_starts", out.sparsity->column_starts);
    put(f.name() + "_" + out.name + "_rows", out.sparsity->rows_of);
  }
  if (!files.source.empty()) files.header += "\n", files.source += "\n";
  return files;
}

/// Names in it may hold anything, the end of a comment too.
std::string comment_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "/* " : " * ") + line + "\n";
  for (std::size_t at = 0; (at = text.find("*/", at)) != text.npos;) text.replace(at, 2, "* /");
  return text.empty() ? "" : text + " */\n";
}

}  // namespace

CFiles print_c(const Traced& function, const COptions& options) {
  const int lanes = options.lanes;
  messages::require(lanes == 0 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16,
                    "there cannot be ", lanes, " lanes; use 2, 4, 8 or 16, or 0 for none");
  const CText text(function, options.number);
  const std::string& name = function.name();
  const std::string parameters = text.parameters();
  const std::string prototype =
      "void " + name + "(" + (parameters.empty() ? "void" : parameters) + ")";
  const std::string about =
      message("/* Generated by ulna: ", sizes(function), ", in ", function.operation_count(),
              " operations. Matrices are stored by columns. */\n");
  const std::string guard = name + "_h";
  const CFiles pattern = patterns(function);
  CFiles files;
  files.header = about + comment_of(options.indices) + "#ifndef " + guard + "\n#define " + guard +
                 "\n" + (lanes ? "\n#include <stddef.h>\n" : "") +
                 "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + pattern.header + prototype +
                 ";\n" +
                 (lanes ? "/* The same for many states, one after the other in each vector. */\n" +
                              states_prototype(text) + ";\n"
                        : "") +
                 "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  const ScalarPrinter scalar(text, options.angles_together);
  files.source = about + "#include \"" + name + ".h\"\n\n#include <math.h>\n\n" + pattern.source +
                 scalar.preamble() + prototype + " {\n" + scalar.body() + "}\n";
  if (lanes) files.source += "\n" + print_states(text, lanes);
  return files;
}

}  // namespace ulna::codegen
