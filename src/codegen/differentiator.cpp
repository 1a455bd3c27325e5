#include "codegen/differentiator.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "codegen/shorten.hpp"

namespace ulna::codegen {
namespace {

using E = Expression;

/// The derivatives of y = operation(a, b) by a and b.
struct Partials {
  E by_a, by_b = {};
};
using N = const E&;
const std::map<Operation, Partials (*)(N y, N a, N b)> partials_of = {
    {Operation::add,
     [](N, N, N) -> Partials {
       return {1.0, 1.0};
     }},
    {Operation::subtract,
     [](N, N, N) -> Partials {
       return {1.0, -1.0};
     }},
    {Operation::multiply,
     [](N, N a, N b) -> Partials {
       return {b, a};
     }},
    {Operation::divide,
     [](N y, N, N b) -> Partials {
       const E inverse = E(1) / b;
       return {inverse, -y * inverse};
     }},
    {Operation::negate, [](N, N, N) -> Partials { return {-1.0}; }},
    {Operation::sine, [](N, N a, N) -> Partials { return {cos(a)}; }},
    {Operation::cosine, [](N, N a, N) -> Partials { return {-sin(a)}; }},
    {Operation::tangent, [](N y, N, N) -> Partials { return {E(1) + y * y}; }},
    {Operation::arc_sine, [](N, N a, N) -> Partials { return {E(1) / sqrt(E(1) - a * a)}; }},
    {Operation::arc_cosine, [](N, N a, N) -> Partials { return {E(-1) / sqrt(E(1) - a * a)}; }},
    {Operation::arc_tangent, [](N, N a, N) -> Partials { return {E(1) / (E(1) + a * a)}; }},
    {Operation::arc_tangent2,
     [](N, N a, N b) -> Partials {
       const E inverse = E(1) / (a * a + b * b);
       return {b * inverse, -a * inverse};
     }},
    {Operation::square_root, [](N y, N, N) -> Partials { return {E(0.5) / y}; }},
    {Operation::exponential, [](N y, N, N) -> Partials { return {y}; }},
    {Operation::logarithm, [](N, N a, N) -> Partials { return {E(1) / a}; }},
    {Operation::hyperbolic_tangent, [](N y, N, N) -> Partials { return {E(1) - y * y}; }},
    {Operation::absolute, [](N, N a, N) -> Partials { return {select(a < E(0), E(-1), E(1))}; }},
};

/// The derivatives of a node by its operands; of a truth value, none.
std::array<E, 3> partials(Graph& graph, std::int32_t node) {
  const Node n = graph[node];
  if (n.operation == Operation::choose) {
    // (m ? 1 : 0) t becomes m ? t : 0, which stays 0 where the way not taken is infinite
    const std::int32_t yes = graph.constant(1.0), no = graph.constant(0.0);
    return {E(0), E(graph, graph.make(Operation::choose, n.a, yes, no)),
            E(graph, graph.make(Operation::choose, n.a, no, yes))};
  }
  const auto found = partials_of.find(n.operation);
  if (found == partials_of.end()) return {};
  const E b = arity(n.operation) > 1 ? E(graph, n.b) : E(0);
  const Partials made = found->second(E(graph, node), E(graph, n.a), b);
  return {made.by_a, made.by_b};
}

}  // namespace

Differentiator::Differentiator(const Column& y, const Column& x)
    : rows_(y.size()), columns_(x.size()) {
  for (const E& number : y)
    if (number.graph()) graph_ = number.graph();
  for (const E& number : x)
    if (!number.graph() ||
        (*number.graph())[number.in(*number.graph())].operation != Operation::input)
      throw std::invalid_argument(
          "derivatives are taken by the inputs of a tracing, not by constants or by what was "
          "computed");
  if (!graph_) return;
  std::vector<std::int32_t> of_y, of_x;
  for (const E& number : y) of_y.push_back(number.in(*graph_));
  for (const E& number : x) of_x.push_back(number.in(*graph_));
  places_.assign(static_cast<std::size_t>(graph_->size()), nowhere);
  const auto place = [this](std::int32_t node) -> std::size_t& { return places_[node]; };

  // a node is a step if it depends on any x
  const std::vector<bool> needed = needed_by(graph_->nodes(), of_y);
  for (std::int32_t node = 0; node < graph_->size(); ++node) {
    if (!needed[node]) continue;
    Columns depends(of_x.size(), false);
    for (std::size_t c = 0; c < of_x.size(); ++c) depends[c] = of_x[c] == node;
    // a truth value has no derivative
    if (!is_truth((*graph_)[node].operation))
      for_each_operand((*graph_)[node], [&](std::int32_t operand) {
        if (place(operand) == nowhere) return;
        const Columns& through = depends_[place(operand)];
        for (std::size_t c = 0; c < of_x.size(); ++c)
          if (through[c]) depends[c] = true;
      });
    if (std::find(depends.begin(), depends.end(), true) == depends.end()) continue;
    place(node) = steps_.size();
    steps_.push_back({node, {}});
    depends_.push_back(std::move(depends));
  }
  for (const std::int32_t node : of_y) y_.push_back(place(node));
  for (const std::int32_t node : of_x) x_.push_back(place(node));

  for (Step& step : steps_) {
    const Node n = (*graph_)[step.node];
    if (n.operation == Operation::input) continue;
    const std::array<E, 3> by = partials(*graph_, step.node);
    const std::int32_t operands[] = {n.a, n.b, n.c};
    for (int k = 0; k < arity(n.operation); ++k)
      if (place(operands[k]) != nowhere && !(by[k].is_constant() && by[k].constant() == 0.0))
        step.operands.push_back({place(operands[k]), by[k]});
  }
}

Sparsity Differentiator::dependence() const {
  Sparsity made{static_cast<int>(rows_), static_cast<int>(columns_)};
  for (Eigen::Index c = 0; c < columns_; ++c) {
    for (std::size_t r = 0; r < y_.size(); ++r)
      if (y_[r] != nowhere && depends_[y_[r]][c]) made.rows_of.push_back(static_cast<int>(r));
    made.column_starts.push_back(made.nonzeros());
  }
  return made;
}

Differentiator::Matrix Differentiator::forward(const Sparsity& wanted) {
  Matrix J = Matrix::Constant(rows_, columns_, E(0));
  std::vector<E> rate(steps_.size());
  for (int c = 0; c < wanted.columns; ++c) {
    const auto column = static_cast<std::size_t>(c);
    if (wanted.column_starts[column] == wanted.column_starts[column + 1]) continue;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!depends_[i][column]) continue;
      rate[i] = E(i == x_[column] ? 1 : 0);
      for (const auto& [operand, partial] : steps_[i].operands)
        if (depends_[operand][column]) rate[i] += partial * rate[operand];
    }
    for (int k = wanted.column_starts[column]; k < wanted.column_starts[column + 1]; ++k) {
      const int r = wanted.rows_of[k];
      J(r, c) = rate[y_[r]];
    }
  }
  return J;
}

Differentiator::Matrix Differentiator::reverse(const Sparsity& wanted) {
  Matrix J = Matrix::Constant(rows_, columns_, E(0));
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(rows_));
  for_each(wanted, [&](int r, int c) { columns[r].push_back(c); });
  for (int r = 0; r < wanted.rows; ++r) {
    const std::vector<int>& by = columns[r];
    if (by.empty()) continue;
    const auto matters = [&](std::size_t step) {
      for (const int c : by)
        if (depends_[step][c]) return true;
      return false;
    };
    const std::size_t from = y_[r];
    std::vector<E> weight(from + 1, E(0));
    std::vector<bool> reached(from + 1, false);
    weight[from] = E(1);
    reached[from] = true;
    for (std::size_t i = from + 1; i-- > 0;) {
      if (!reached[i]) continue;
      for (const auto& [operand, partial] : steps_[i].operands) {
        if (!matters(operand)) continue;
        weight[operand] += partial * weight[i];
        reached[operand] = true;
      }
    }
    for (const int c : by) J(r, c) = weight[x_[c]];
  }
  return J;
}

int Differentiator::length(const Matrix& results) const {
  std::vector<std::int32_t> nodes;
  for (Eigen::Index i = 0; i < results.size(); ++i) nodes.push_back(results(i).in(*graph_));
  const std::vector<bool> needed = needed_by(graph_->nodes(), nodes);
  int count = 0;
  for (std::int32_t i = 0; i < graph_->size(); ++i)
    count += needed[i] && arity((*graph_)[i].operation) > 0;
  return count;
}

Differentiator::Matrix Differentiator::jacobian(const Sparsity& wanted, Differentiation how) {
  if (how == Differentiation::forward || !graph_) return forward(wanted);
  if (how == Differentiation::reverse) return reverse(wanted);
  // the way that is far longer before anything is simplified is not tried
  const auto [forward_steps, reverse_steps] = steps_each_way();
  if (forward_steps > 4 * reverse_steps) return reverse(wanted);
  if (reverse_steps > 4 * forward_steps) return forward(wanted);
  const Matrix one = reverse(wanted), other = forward(wanted);
  return length(one) <= length(other) ? one : other;
}

std::pair<std::size_t, std::size_t> Differentiator::steps_each_way() const {
  std::size_t forward = 0, reverse = 0;
  std::vector<std::vector<bool>> serves(steps_.size(), std::vector<bool>(y_.size(), false));
  for (std::size_t r = 0; r < y_.size(); ++r)
    if (y_[r] != nowhere) serves[y_[r]][r] = true;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    forward += static_cast<std::size_t>(std::count(depends_[i].begin(), depends_[i].end(), true));
    reverse += static_cast<std::size_t>(std::count(serves[i].begin(), serves[i].end(), true));
    for (const auto& [operand, partial] : steps_[i].operands)
      for (std::size_t r = 0; r < y_.size(); ++r)
        if (serves[i][r]) serves[operand][r] = true;
  }
  return {forward, reverse};
}

}  // namespace ulna::codegen
