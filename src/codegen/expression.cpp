#include "ulna/codegen/expression.hpp"

#include <stdexcept>

namespace ulna {
namespace {

void require_own(const Graph* own, const Graph& asked) {
  if (own != &asked)
    throw std::invalid_argument(
        "expressions of two tracings meet: an expression can be used only in the tracing that made "
        "it");
}

}  // namespace

ExpressionMask::ExpressionMask(Graph* graph, std::int32_t node) {
  if (graph->is_constant(node))
    value_ = (*graph)[node].value != 0.0;
  else
    graph_ = graph, node_ = node;
}

std::int32_t ExpressionMask::in(Graph& graph) const {
  if (!graph_) return graph.constant(value_ ? 1.0 : 0.0);
  require_own(graph_, graph);
  return node_;
}

ExpressionMask ExpressionMask::of(Operation operation, const ExpressionMask& a,
                                  const ExpressionMask& b) {
  Graph* const graph = a.graph_ ? a.graph_ : b.graph_;
  if (!graph) return evaluate(operation, a.value_, b.value_, 0.0) != 0.0;
  return {graph, graph->make(operation, a.in(*graph), b.in(*graph))};
}

ExpressionMask operator&&(const ExpressionMask& a, const ExpressionMask& b) {
  return ExpressionMask::of(Operation::conjunction, a, b);
}
ExpressionMask operator||(const ExpressionMask& a, const ExpressionMask& b) {
  return ExpressionMask::of(Operation::disjunction, a, b);
}
ExpressionMask operator!(const ExpressionMask& a) {
  return ExpressionMask::of(Operation::negation, a, a);
}

Expression::Expression(Graph& graph, std::int32_t node) {
  if (graph.is_constant(node))
    value_ = graph[node].value;
  else
    graph_ = &graph, node_ = node;
}

std::int32_t Expression::in(Graph& graph) const {
  if (!graph_) return graph.constant(value_);
  require_own(graph_, graph);
  return node_;
}

Expression Expression::of(Operation operation, E x) {
  if (!x.graph_) return evaluate(operation, x.value_, 0.0, 0.0);
  return {*x.graph_, x.graph_->make(operation, x.node_)};
}

Expression Expression::of(Operation operation, E x, E y) {
  Graph* const graph = x.graph_ ? x.graph_ : y.graph_;
  if (!graph) return evaluate(operation, x.value_, y.value_, 0.0);
  return {*graph, graph->make(operation, x.in(*graph), y.in(*graph))};
}

ExpressionMask Expression::compare(Operation operation, E x, E y) {
  Graph* const graph = x.graph_ ? x.graph_ : y.graph_;
  if (!graph) return evaluate(operation, x.value_, y.value_, 0.0) != 0.0;
  return {graph, graph->make(operation, x.in(*graph), y.in(*graph))};
}

Expression select(const ExpressionMask& mask, Expression::E a, Expression::E b) {
  if (!mask.graph_) return mask.value_ ? a : b;
  Graph& graph = *mask.graph_;
  return {graph, graph.make(Operation::choose, mask.node_, a.in(graph), b.in(graph))};
}

}  // namespace ulna
