#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

/// A computation as a graph: every node is made once, so that equal expressions are one node.
namespace ulna::codegen {

enum class Operation : std::uint8_t {
  constant,
  input,  ///< a: which vector, b: which of its numbers
  add,
  subtract,
  multiply,
  divide,
  negate,
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  arc_tangent2,
  square_root,
  exponential,
  logarithm,
  hyperbolic_tangent,
  absolute,
  // up to `choose`, these yield a truth value, 0 or 1
  less,
  less_equal,
  equal,
  finite,
  conjunction,
  disjunction,
  negation,
  choose,  ///< a ? b : c
};

/// An operation's properties, in one table.
struct OperationInfo {
  int operands;
  /// Its C text: a sign in front of its operand or, with spaces, between two; or a function of math.h.
  const char* c;
  double (*value)(double a, double b, double c);  ///< throws for constants and inputs
  int parity = 0;                                 ///< 1 where f(-x) = f(x), -1 where f(-x) = -f(x)
};
const OperationInfo& info(Operation operation);

inline int arity(Operation operation) { return info(operation).operands; }
/// The value that an operation yields: constants are folded with it, and the interpreter runs on it.
inline double evaluate(Operation operation, double a, double b, double c) {
  return info(operation).value(a, b, c);
}
/// Whether an operation yields a truth value, 0 or 1.
inline bool is_truth(Operation operation) {
  return operation >= Operation::less && operation < Operation::choose;
}

struct Node {
  Operation operation = Operation::constant;
  std::int32_t a = 0, b = 0, c = 0;  ///< operands, nodes made before this one
  double value = 0.0;                ///< of a constant

  bool operator==(const Node&) const = default;
};

/// Calls f with each operand of a node.
template <class AnyNode, class F>
void for_each_operand(AnyNode& node, F f) {
  const int count = arity(node.operation);
  if (count > 0) f(node.a);
  if (count > 1) f(node.b);
  if (count > 2) f(node.c);
}

/// Nodes, each behind its operands. An operation is simplified before a node is made of it:
///
///   constants are folded, zeros and ones leave, x - x is 0,
///   signs move outward until a sum absorbs them: (-x) y is -(x y), x + (-y) is x - y,
///   operands of sums and products stand in order, constants first,
///   a term that a sum has with both signs leaves it,
///   c1 (c2 x) is (c1 c2) x, and c1 x + c2 x is (c1 + c2) x,
///   (m ? x : 0) y is m ? x y : 0, and (m ? x : 0) + (m ? 0 : y) is m ? x : y.
///
/// This is the algebra of real numbers: 0 x is 0 even should x turn out to be infinite.
class Graph {
 public:
  /// The most nodes a graph may have: more would fill memory, and no compiler takes them.
  static constexpr std::int32_t most_nodes = 4'000'000;

  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::int32_t constant(double value);
  std::int32_t input(std::int32_t vector, std::int32_t index);
  /// For operations with fewer operands, those left over are ignored.
  std::int32_t make(Operation operation, std::int32_t a, std::int32_t b = 0, std::int32_t c = 0);

  const Node& operator[](std::int32_t node) const { return nodes_[node]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::int32_t size() const { return std::int32_t(nodes_.size()); }

  bool is_constant(std::int32_t node) const {
    return (*this)[node].operation == Operation::constant;
  }
  bool is_constant(std::int32_t node, double value) const {
    return is_constant(node) && (*this)[node].value == value;
  }

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  /// A term of a sum: coefficient times node.
  struct Term {
    double coefficient;
    std::int32_t node;
  };

  bool is(std::int32_t node, Operation operation) const {
    return (*this)[node].operation == operation;
  }
  std::int32_t intern(const Node& node);
  std::int32_t sum(std::int32_t a, std::int32_t b, bool minus);
  std::int32_t product(std::int32_t a, std::int32_t b);
  std::int32_t quotient(std::int32_t a, std::int32_t b);
  std::int32_t negative(std::int32_t a);
  std::int32_t logical(Operation operation, std::int32_t a, std::int32_t b);
  std::int32_t choice(std::int32_t mask, std::int32_t a, std::int32_t b);
  bool chooses_zero(std::int32_t node) const;
  Term term(std::int32_t node) const;
  std::int32_t times(const Term& term);
  void collect(std::int32_t node, double sign, int depth, std::vector<Term>& terms) const;

  std::vector<Node> nodes_;
  std::unordered_map<Node, std::int32_t, Hash> known_;
};

}  // namespace ulna::codegen
