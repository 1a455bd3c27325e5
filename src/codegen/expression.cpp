#include "ulna/codegen/expression.hpp"

#include <stdexcept>

namespace ulna::codegen {

Operand::Operand(Graph& graph, std::int32_t node) {
  if (graph.is_constant(node))
    value_ = graph[node].value;
  else
    graph_ = &graph, node_ = node;
}

std::int32_t Operand::in(Graph& graph) const {
  if (!graph_) return graph.constant(value_);
  if (graph_ != &graph)
    throw std::invalid_argument(
        "two tracings are mixed: an expression can be used only in the tracing that made it");
  return node_;
}

Operand Operand::apply(Operation operation, const Operand& x, const Operand& y) {
  Graph* const graph = x.graph_ ? x.graph_ : y.graph_;
  if (!graph) return evaluate(operation, x.value_, y.value_, 0.0);
  return {*graph, graph->make(operation, x.in(*graph), y.in(*graph))};
}

Expression select(const ExpressionMask& mask, Expression::E a, Expression::E b) {
  if (mask.is_constant()) return mask.constant() != 0.0 ? a : b;
  Graph& graph = *mask.graph();
  return {graph, graph.make(Operation::choose, mask.in(graph), a.in(graph), b.in(graph))};
}

}  // namespace ulna::codegen
