#include <map>

#include "codegen/c_text.hpp"

namespace ulna::codegen {
namespace {

/// Sines and cosines of lanes without branches: reduction to +-pi/4 in three parts [Cody, Waite 1980],
/// then the polynomials of fdlibm, or those of Cephes for floats; angles far away are left to math.h.
/// It is that of ulna/num/sincos.hpp, but for how quadrants are counted: this stays right where the
/// compiler may reorder sums. LANES, BITS, INTS, NAME and COUNT are filled in.
constexpr std::string_view sin_cos_double = R"(
static inline void NAME_sin_cos(const LANES *angle, LANES *sine, LANES *cosine) {
  const BITS near = (BITS)(*angle <= 1e5) & (BITS)(*angle >= -1e5);
  const LANES a = (LANES)((BITS)*angle & near);
  /* the quadrant, counted from far below, where none is negative */
  const INTS n = __builtin_convertvector(a * 0.63661977236758134 + 1048576.5, INTS) - 1048576;
  const LANES k = __builtin_convertvector(n, LANES);
  const BITS quadrant = __builtin_convertvector(n, BITS);
  const LANES t = a - k * 1.5707963267341256, u = k * 6.0771005063039597e-11, r = t - u;
  const LANES tail = ((t - r) - u) - k * 2.0222662487959506e-21, z = r * r;
  const LANES p = -1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 +
    z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
  const LANES q = 4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 +
    z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
  const LANES half = 0.5 * z, w = 1.0 - half;
  const BITS s = (BITS)(r + (r * z * p + tail));
  const BITS c = (BITS)(w + (((1.0 - w) - half) + (z * z * q - r * tail)));
  const BITS exchanged = (s ^ c) & -(quadrant & 1);
  *sine = (LANES)(s ^ exchanged ^ ((quadrant & 2) << 62));
  *cosine = (LANES)(c ^ exchanged ^ (((quadrant + 1) & 2) << 62));
  if (!(ALLNEAR))
    for (int i = 0; i < COUNT; ++i)
      if (!near[i]) (*sine)[i] = sin((*angle)[i]), (*cosine)[i] = cos((*angle)[i]);
}
)";
constexpr std::string_view sin_cos_float = R"(
static inline void NAME_sin_cos(const LANES *angle, LANES *sine, LANES *cosine) {
  const BITS near = (BITS)(*angle <= 1e3f) & (BITS)(*angle >= -1e3f);
  const LANES a = (LANES)((BITS)*angle & near);
  /* the quadrant, counted from far below, where none is negative */
  const INTS n = __builtin_convertvector(a * 0.636619772f + 4096.5f, INTS) - 4096;
  const LANES k = __builtin_convertvector(n, LANES);
  const BITS quadrant = (BITS)n;
  const LANES r = ((a - k * 1.5703125f) - k * 4.837512969970703125e-4f) - k * 7.549789948768648e-8f;
  const LANES z = r * r;
  const BITS s = (BITS)(r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f)));
  const BITS c = (BITS)((1.0f - 0.5f * z) + z * z *
    (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f)));
  const BITS exchanged = (s ^ c) & -(quadrant & 1);
  *sine = (LANES)(s ^ exchanged ^ ((quadrant & 2) << 30));
  *cosine = (LANES)(c ^ exchanged ^ (((quadrant + 1) & 2) << 30));
  if (!(ALLNEAR))
    for (int i = 0; i < COUNT; ++i)
      if (!near[i]) (*sine)[i] = sinf((*angle)[i]), (*cosine)[i] = cosf((*angle)[i]);
}
)";

/// The function for many states, lane by lane what ScalarPrinter says.
class StatesPrinter {
 public:
  StatesPrinter(const CText& text, int lanes) : text_(text), f_(text.f), lanes_(lanes) {}

  std::string print() const {
    return "#if !defined(ULNA_NO_LANES) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ "
           ">= 9))\n\n" +
           lane_types(text_, f_.name(), lanes_, has_angles()) + "\n" + states_prototype(text_) +
           " {\n" + in_lanes() + "}\n\n#else\n\n" + states_prototype(text_) + " {\n" +
           one_by_one() + "}\n\n#endif\n";
  }

 private:
  bool has_angles() const {
    return f_.operation_count(Operation::sine) + f_.operation_count(Operation::cosine) > 0;
  }

  template <class F>
  std::string each_lane(F of, const char* between = ", ") const {
    std::string text;
    for (int l = 0; l < lanes_; ++l) text += (l ? between : "") + of(l);
    return text;
  }

  std::string state(int lane) const { return state_ + "[" + std::to_string(lane) + "]"; }
  std::string element(const Traced::Vector& v, int lane, int index) const {
    return message(v.name, "[", state(lane), " * ", v.size, " + ", index, "]");
  }
  bool is_constant(std::int32_t at) const {
    return text_.node(at).operation == Operation::constant;
  }

  /// For arithmetic, in which a constant may stand as it is.
  std::string operand(std::int32_t at) const {
    return is_constant(at) ? text_.literal(text_.node(at).value) : "x" + std::to_string(at);
  }
  std::string lane_of(std::int32_t at, int lane) const {
    return operand(at) + (is_constant(at) ? "" : "[" + std::to_string(lane) + "]");
  }
  std::string lanes_of(std::int32_t at) const {
    if (!is_constant(at)) return operand(at);
    return "(" + reals_ + "){" + each_lane([&](int) { return operand(at); }) + "}";
  }

  std::string computed(const Node& n) const {
    const std::string to_bits = "(" + bits_ + ")";
    switch (n.operation) {
      case Operation::less:
      case Operation::less_equal:
      case Operation::equal:
        return to_bits + "(" + text_.applied(n, [&](auto node) { return lanes_of(node); }) + ")";
      case Operation::finite: {
        // infinity minus itself is no number, and that is not equal to itself
        const std::string zero = operand(n.a) + " - " + operand(n.a);
        return to_bits + "(" + zero + " == " + zero + ")";
      }
      case Operation::conjunction:
        return operand(n.a) + " & " + operand(n.b);
      case Operation::disjunction:
        return operand(n.a) + " | " + operand(n.b);
      case Operation::negation:
        return "~" + operand(n.a);
      case Operation::choose:
        return "(" + reals_ + ")((" + operand(n.a) + " & " + to_bits + lanes_of(n.b) + ") | (~" +
               operand(n.a) + " & " + to_bits + lanes_of(n.c) + "))";
      default:
        if (!CText::is_function(n.operation))
          return text_.applied(n, [&](auto node) { return operand(node); });
        return "{" + each_lane([&](int l) {
                 return text_.applied(n, [&](auto node) { return lane_of(node, l); });
               }) +
               "}";
    }
  }

  std::string in_lanes() const {
    std::map<std::int32_t, std::pair<std::string, std::string>> angles;  // their sines and cosines
    for (std::size_t i = 0; i < f_.nodes().size(); ++i) {
      const Node& n = f_.nodes()[i];
      if (n.operation == Operation::sine) angles[n.a].first = "x" + std::to_string(i);
      if (n.operation == Operation::cosine) angles[n.a].second = "x" + std::to_string(i);
    }

    std::string body = "  for (size_t " + first_ + " = 0; " + first_ + " < " + count_ + "; " +
                       first_ + " += " + std::to_string(lanes_) + ") {\n";
    body +=
        "    /* lanes beyond the last state repeat it */\n    const size_t " + state_ + "[] = {";
    body += each_lane([&](int l) {
      const std::string at = first_ + " + " + std::to_string(l);
      return l == 0 ? first_ : at + " < " + count_ + " ? " + at + " : " + count_ + " - 1";
    });
    body += "};\n";
    for (std::size_t i = 0; i < f_.nodes().size(); ++i) {
      const Node& n = f_.nodes()[i];
      const std::string name = "x" + std::to_string(i);
      if (n.operation == Operation::constant) continue;
      if (n.operation == Operation::sine || n.operation == Operation::cosine) {
        const auto found = angles.find(n.a);
        if (found == angles.end()) continue;
        auto& [sine, cosine] = found->second;
        if (sine.empty()) sine = name + "_sine";
        if (cosine.empty()) cosine = name + "_cosine";
        body += "    " + reals_ + " " + sine + ", " + cosine + ";\n    " + f_.name() +
                "_sin_cos(&" + operand(n.a) + ", &" + sine + ", &" + cosine + ");\n";
        angles.erase(found);
        continue;
      }
      body += "    const " + (is_truth(n.operation) ? bits_ : reals_) + " " + name + " = ";
      if (n.operation == Operation::input) {
        const Traced::Vector& in = f_.inputs()[n.a];
        body += "{" + each_lane([&](int l) { return element(in, l, n.b); }) + "}";
      } else {
        body += computed(n);
      }
      body += ";\n";
    }
    int result = 0;
    for (const Traced::Vector& out : f_.outputs()) {
      const int turned = out.size - out.size % lanes_;
      for (int i = 0; i < turned; i += lanes_) body += stored(out, i, result + i);
      for (int i = turned; i < out.size; ++i)
        for (int l = 0; l < lanes_; ++l)
          body +=
              "    " + element(out, l, i) + " = " + lane_of(f_.results()[result + i], l) + ";\n";
      result += out.size;
    }
    body += "    (void)" + state_ + ";\n  }\n";
    for (const Vectors* vectors : {&f_.inputs(), &f_.outputs()})
      for (const Traced::Vector& v : *vectors) body += "  (void)" + v.name + ";\n";
    return body;
  }

  /// As many results as there are lanes, a square that is turned so that each state's stand together:
  /// pairs that are 1 apart exchange what is off their diagonal, then those that are 2 apart, and on.
  std::string stored(const Traced::Vector& out, int index, int result) const {
    std::string text;
    std::vector<std::string> rows;
    for (int i = 0; i < lanes_; ++i) {
      rows.push_back("x" + std::to_string(result + i) + "_0");
      text += "    const " + reals_ + " " + rows.back() + " = " +
              lanes_of(f_.results()[result + i]) + ";\n";
    }
    for (int apart = 1; apart < lanes_; apart *= 2) {
      std::vector<std::string> next = rows;
      for (int i = 0; i < lanes_; ++i) {
        next[i] = rows[i] + std::to_string(apart);
        const bool lower = (i & apart) != 0;
        const std::string& a = rows[lower ? i - apart : i];
        const std::string& b = rows[lower ? i : i + apart];
        text += "    const " + reals_ + " " + next[i] + " = {" + each_lane([&](int l) {
                  const bool from_b = (l & apart) != 0;
                  const int lane = lower ? (from_b ? l : l + apart) : (from_b ? l - apart : l);
                  return (from_b ? b : a) + "[" + std::to_string(lane) + "]";
                }) +
                "};\n";
      }
      rows = std::move(next);
    }
    for (int l = 0; l < lanes_; ++l)
      text += "    __builtin_memcpy(&" + element(out, l, index) + ", &" + rows[l] + ", sizeof(" +
              reals_ + "));\n";
    return text;
  }

  std::string one_by_one() const {
    const auto of_state = [this](const Traced::Vector& v) {
      return v.name + " + " + state_ + " * " + std::to_string(v.size);
    };
    return "  for (size_t " + state_ + " = 0; " + state_ + " < " + count_ + "; ++" + state_ + ") " +
           f_.name() + "(" + list(f_, of_state, of_state) + ");\n";
  }

  const CText& text_;
  const Traced& f_;
  int lanes_;
  std::string reals_ = f_.name() + "_lanes", bits_ = f_.name() + "_bits";
  std::string count_ = free_name(f_, "count"), first_ = free_name(f_, "first"),
              state_ = free_name(f_, "s");
};

}  // namespace

std::string lane_types(const CText& text, const std::string& name, int lanes, bool angles) {
  const int width = lanes * (text.single ? 4 : 8);
  const auto define = [&](const std::string& type, const char* kind, int bytes) {
    return message("typedef ", type, " ", name, kind, " __attribute__((vector_size(", bytes,
                   ")));\n");
  };
  std::string types = define(text.type, "_lanes", width) +
                      define(text.single ? "unsigned" : "unsigned long long", "_bits", width);
  if (!angles) return types;
  std::string all_near;
  for (int l = 0; l < lanes; ++l) all_near += (l ? " & near[" : "near[") + std::to_string(l) + "]";
  return types + define("int", "_ints", 4 * lanes) +
         filled(text.single ? sin_cos_float : sin_cos_double, {{"LANES", name + "_lanes"},
                                                               {"BITS", name + "_bits"},
                                                               {"INTS", name + "_ints"},
                                                               {"NAME", name},
                                                               {"COUNT", std::to_string(lanes)},
                                                               {"ALLNEAR", all_near}});
}

std::string states_prototype(const CText& text) {
  const std::string parameters = text.parameters();
  return "void " + text.f.name() + "_states(size_t " + free_name(text.f, "count") +
         (parameters.empty() ? "" : ", " + parameters) + ")";
}

std::string print_states(const CText& text, int lanes) {
  return StatesPrinter(text, lanes).print();
}

}  // namespace ulna::codegen
