#include "ulna/codegen/graph.hpp"

#include <bit>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace ulna::codegen {

namespace {

double no_value(double, double, double) {
  throw std::logic_error("a constant or an input is not evaluated");
}

/// In the order of Operation.
constexpr OperationInfo operations[] = {
    {0, "", no_value},  // constant
    {0, "", no_value},  // input
    {2, " + ", [](double a, double b, double) { return a + b; }},
    {2, " - ", [](double a, double b, double) { return a - b; }},
    {2, " * ", [](double a, double b, double) { return a * b; }},
    {2, " / ", [](double a, double b, double) { return a / b; }},
    {1, "-", [](double a, double, double) { return -a; }},
    {1, "sin", [](double a, double, double) { return std::sin(a); }, -1},
    {1, "cos", [](double a, double, double) { return std::cos(a); }, 1},
    {1, "tan", [](double a, double, double) { return std::tan(a); }, -1},
    {1, "asin", [](double a, double, double) { return std::asin(a); }, -1},
    {1, "acos", [](double a, double, double) { return std::acos(a); }},
    {1, "atan", [](double a, double, double) { return std::atan(a); }, -1},
    {2, "atan2", [](double a, double b, double) { return std::atan2(a, b); }},
    {1, "sqrt", [](double a, double, double) { return std::sqrt(a); }},
    {1, "exp", [](double a, double, double) { return std::exp(a); }},
    {1, "log", [](double a, double, double) { return std::log(a); }},
    {1, "tanh", [](double a, double, double) { return std::tanh(a); }, -1},
    {1, "fabs", [](double a, double, double) { return std::abs(a); }, 1},
    {2, " < ", [](double a, double b, double) { return double(a < b); }},
    {2, " <= ", [](double a, double b, double) { return double(a <= b); }},
    {2, " == ", [](double a, double b, double) { return double(a == b); }},
    {1, "isfinite", [](double a, double, double) { return double(std::isfinite(a)); }},
    {2, " && ", [](double a, double b, double) { return double(a != 0.0 && b != 0.0); }},
    {2, " || ", [](double a, double b, double) { return double(a != 0.0 || b != 0.0); }},
    {1, "!", [](double a, double, double) { return double(a == 0.0); }},
    {3, " ? ", [](double a, double b, double c) { return a != 0.0 ? b : c; }},
};
static_assert(std::size(operations) == std::size_t(Operation::choose) + 1);

}  // namespace

const OperationInfo& info(Operation operation) { return operations[int(operation)]; }

std::size_t Graph::Hash::operator()(const Node& node) const {
  std::uint64_t h = std::bit_cast<std::uint64_t>(node.value);
  const auto mix = [&h](std::int64_t x) {
    h = (h ^ std::uint64_t(x)) * 0x9e3779b97f4a7c15;
    h ^= h >> 29;
  };
  mix(int(node.operation));
  mix(node.a), mix(node.b), mix(node.c);
  return h;
}

std::int32_t Graph::intern(const Node& node) {
  const auto [at, is_new] = known_.try_emplace(node, size());
  if (!is_new) return at->second;
  if (size() == most_nodes)
    throw std::length_error("the traced function has grown to " + std::to_string(most_nodes) +
                            " operations, too many to compile: trace smaller parts");
  nodes_.push_back(node);
  return at->second;
}

std::int32_t Graph::constant(double value) {
  // there is one zero
  return intern({Operation::constant, 0, 0, 0, value == 0.0 ? 0.0 : value});
}

std::int32_t Graph::input(std::int32_t vector, std::int32_t index) {
  return intern({Operation::input, vector, index, 0, 0.0});
}

std::int32_t Graph::make(Operation operation, std::int32_t a, std::int32_t b, std::int32_t c) {
  const int operands = arity(operation);
  if (operands < 2) b = 0;
  if (operands < 3) c = 0;
  if (is_constant(a) && (operands < 2 || is_constant(b)) && (operands < 3 || is_constant(c)))
    return constant(evaluate(operation, nodes_[a].value, nodes_[b].value, nodes_[c].value));
  if (const int parity = info(operation).parity; parity && is(a, Operation::negate)) {
    const std::int32_t made = make(operation, nodes_[a].a);
    return parity < 0 ? negative(made) : made;
  }
  switch (operation) {
    case Operation::add:
      return sum(a, b, false);
    case Operation::subtract:
      return sum(a, b, true);
    case Operation::multiply:
      return product(a, b);
    case Operation::divide:
      return quotient(a, b);
    case Operation::negate:
      return negative(a);
    case Operation::equal:
      if (a > b) std::swap(a, b);
      break;
    case Operation::conjunction:
    case Operation::disjunction:
      return logical(operation, a, b);
    case Operation::negation:
      if (is(a, Operation::negation)) return nodes_[a].a;
      break;
    case Operation::choose:
      return choice(a, b, c);
    default:
      break;
  }
  return intern({operation, a, b, c, 0.0});
}

std::int32_t Graph::negative(std::int32_t a) {
  if (is_constant(a)) return constant(-nodes_[a].value);
  if (is(a, Operation::negate)) return nodes_[a].a;
  return intern({Operation::negate, a, 0, 0, 0.0});
}

Graph::Term Graph::term(std::int32_t node) const {
  double coefficient = 1.0;
  if (is(node, Operation::negate)) coefficient = -1.0, node = nodes_[node].a;
  if (is(node, Operation::multiply) && is_constant(nodes_[node].a))
    coefficient *= nodes_[nodes_[node].a].value, node = nodes_[node].b;
  return {coefficient, node};
}

std::int32_t Graph::times(const Term& term) {
  return product(constant(term.coefficient), term.node);
}

void Graph::collect(std::int32_t node, double sign, int depth, std::vector<Term>& terms) const {
  const Node& n = nodes_[node];
  if (n.operation == Operation::negate) return collect(n.a, -sign, depth, terms);
  const bool plus = n.operation == Operation::add, minus = n.operation == Operation::subtract;
  if (depth == 0 || !(plus || minus)) {
    Term t = term(node);
    t.coefficient *= sign;
    return terms.push_back(t);
  }
  collect(n.a, sign, depth - 1, terms);
  collect(n.b, minus ? -sign : sign, depth - 1, terms);
}

std::int32_t Graph::sum(std::int32_t a, std::int32_t b, bool minus) {
  if (is_constant(a) && is_constant(b))
    return constant(nodes_[a].value + (minus ? -nodes_[b].value : nodes_[b].value));
  if (is_constant(b, 0.0)) return a;
  if (is_constant(a, 0.0)) return minus ? negative(b) : b;

  // a term that is there with both signs leaves, and equal ones are gathered
  std::vector<Term> of_a, of_b;
  collect(a, 1.0, 3, of_a);
  collect(b, minus ? -1.0 : 1.0, 3, of_b);
  for (std::size_t i = 0; i < of_a.size(); ++i)
    for (std::size_t j = 0; j < of_b.size(); ++j) {
      if (of_a[i].node != of_b[j].node) continue;
      const bool cancels = of_a[i].coefficient == -of_b[j].coefficient;
      if (!cancels && (of_a.size() > 1 || of_b.size() > 1)) continue;
      const Term gathered{of_a[i].coefficient + of_b[j].coefficient, of_a[i].node};
      of_a.erase(of_a.begin() + std::ptrdiff_t(i));
      of_b.erase(of_b.begin() + std::ptrdiff_t(j));
      std::int32_t total = times(gathered);
      for (const Term& t : of_a) total = sum(total, times(t), false);
      for (const Term& t : of_b) total = sum(total, times(t), false);
      return total;
    }

  // the operands without their signs
  bool minus_a = false;
  if (is(a, Operation::negate)) minus_a = true, a = nodes_[a].a;
  if (is(b, Operation::negate)) minus = !minus, b = nodes_[b].a;
  if (chooses_zero(a) && chooses_zero(b) && nodes_[a].a == nodes_[b].a) {
    const Node m = nodes_[a], n = nodes_[b];
    const auto signs = [this](std::int32_t x, bool negated) { return negated ? negative(x) : x; };
    return choice(m.a, sum(signs(m.b, minus_a), n.b, minus), sum(signs(m.c, minus_a), n.c, minus));
  }
  if (a > b) std::swap(a, b), std::swap(minus_a, minus);
  const std::int32_t made =
      intern({minus == minus_a ? Operation::add : Operation::subtract, a, b, 0, 0.0});
  return minus_a ? negative(made) : made;
}

std::int32_t Graph::product(std::int32_t a, std::int32_t b) {
  if (is_constant(a) && is_constant(b)) return constant(nodes_[a].value * nodes_[b].value);
  if (is(a, Operation::negate)) return negative(product(nodes_[a].a, b));
  if (is(b, Operation::negate)) return negative(product(a, nodes_[b].a));
  if (is_constant(b) || (!is_constant(a) && a > b)) std::swap(a, b);
  if (is_constant(a)) {
    const double factor = nodes_[a].value;
    if (factor == 0.0) return a;
    if (factor == 1.0) return b;
    if (factor < 0.0) return negative(product(constant(-factor), b));
    const Term t = term(b);
    if (t.coefficient != 1.0) return times({factor * t.coefficient, t.node});
  }
  if (chooses_zero(a)) std::swap(a, b);
  if (chooses_zero(b)) {
    const Node n = nodes_[b];
    return choice(n.a, product(a, n.b), product(a, n.c));
  }
  return intern({Operation::multiply, a, b, 0, 0.0});
}

std::int32_t Graph::quotient(std::int32_t a, std::int32_t b) {
  if (is_constant(a, 0.0)) return a;
  if (is_constant(b) && nodes_[b].value != 0.0) return product(constant(1.0 / nodes_[b].value), a);
  if (a == b) return constant(1.0);
  if (is(a, Operation::negate)) return negative(quotient(nodes_[a].a, b));
  if (is(b, Operation::negate)) return negative(quotient(a, nodes_[b].a));
  return intern({Operation::divide, a, b, 0, 0.0});
}

std::int32_t Graph::logical(Operation operation, std::int32_t a, std::int32_t b) {
  if (a == b) return a;
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    const bool holds = nodes_[a].value != 0.0;
    return holds == (operation == Operation::conjunction) ? b : a;
  }
  if (a > b) std::swap(a, b);
  return intern({operation, a, b, 0, 0.0});
}

bool Graph::chooses_zero(std::int32_t node) const {
  const Node& n = nodes_[node];
  return n.operation == Operation::choose && (is_constant(n.b, 0.0) || is_constant(n.c, 0.0));
}

std::int32_t Graph::choice(std::int32_t mask, std::int32_t a, std::int32_t b) {
  if (a == b) return a;
  if (is_constant(mask)) return nodes_[mask].value != 0.0 ? a : b;
  if (is(mask, Operation::negation)) return choice(nodes_[mask].a, b, a);
  return intern({Operation::choose, mask, a, b, 0.0});
}

}  // namespace ulna::codegen
