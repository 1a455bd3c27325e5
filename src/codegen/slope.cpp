#include "codegen/slope.hpp"

#include <algorithm>
#include <stdexcept>

namespace ulna::detail {
namespace {

using E = Expression;

/// The operands that a node has a derivative by.
std::vector<std::int32_t> carriers(const Node& n) {
  if (n.operation >= Operation::less && n.operation < Operation::choose) return {};
  if (n.operation == Operation::choose) return {n.b, n.c};
  const int operands = arity(n.operation);
  if (operands == 0) return {};
  if (operands == 1 || n.a == n.b) return {n.a};
  return {n.a, n.b};
}

/// The nodes that some need, operands first.
std::vector<std::int32_t> needed_by(const Graph& graph, const std::vector<std::int32_t>& some) {
  std::vector<bool> needed(static_cast<std::size_t>(graph.size()), false);
  const auto need = [&](std::int32_t node) { needed[static_cast<std::size_t>(node)] = true; };
  for (const std::int32_t node : some) need(node);
  for (std::int32_t i = graph.size() - 1; i >= 0; --i) {
    if (!needed[static_cast<std::size_t>(i)]) continue;
    const Node& n = graph[i];
    const int operands = arity(n.operation);
    if (operands > 0) need(n.a);
    if (operands > 1) need(n.b);
    if (operands > 2) need(n.c);
  }
  std::vector<std::int32_t> nodes;
  for (std::int32_t i = 0; i < graph.size(); ++i)
    if (needed[static_cast<std::size_t>(i)]) nodes.push_back(i);
  return nodes;
}

}  // namespace

std::array<E, 3> partials(Graph& graph, std::int32_t node) {
  const Node n = graph[node];
  const int operands = arity(n.operation);
  const E y(graph, node), a = operands > 0 ? E(graph, n.a) : E(0),
                          b = operands > 1 ? E(graph, n.b) : E(0), one(1);
  switch (n.operation) {
    case Operation::add:
      return {one, one};
    case Operation::subtract:
      return {one, -one};
    case Operation::multiply:
      return {b, a};
    case Operation::divide: {
      const E inverse = one / b;
      return {inverse, -y * inverse};
    }
    case Operation::negate:
      return {-one};
    case Operation::sine:
      return {cos(a)};
    case Operation::cosine:
      return {-sin(a)};
    case Operation::tangent:
      return {one + y * y};
    case Operation::arc_sine:
      return {one / sqrt(one - a * a)};
    case Operation::arc_cosine:
      return {-one / sqrt(one - a * a)};
    case Operation::arc_tangent:
      return {one / (one + a * a)};
    case Operation::arc_tangent2: {
      const E inverse = one / (a * a + b * b);
      return {b * inverse, -a * inverse};
    }
    case Operation::square_root:
      return {E(0.5) / y};
    case Operation::exponential:
      return {y};
    case Operation::logarithm:
      return {one / a};
    case Operation::hyperbolic_tangent:
      return {one - y * y};
    case Operation::absolute:
      return {select(a < E(0), -one, one)};
    case Operation::choose: {
      // (m ? 1 : 0) t becomes m ? t : 0, which stays 0 where the way not taken is infinite
      const std::int32_t yes = one.in(graph), no = E(0).in(graph);
      return {E(0), E(graph, graph.make(Operation::choose, n.a, yes, no)),
              E(graph, graph.make(Operation::choose, n.a, no, yes))};
    }
    case Operation::less:
    case Operation::less_equal:
    case Operation::equal:
    case Operation::finite:
    case Operation::conjunction:
    case Operation::disjunction:
    case Operation::negation:
    case Operation::constant:
    case Operation::input:
      break;
  }
  return {};
}

Slope::Slope(const Column& y, const Column& x) : rows_(y.size()), columns_(x.size()) {
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
  const auto place = [this](std::int32_t node) -> std::size_t& {
    return places_[static_cast<std::size_t>(node)];
  };

  // a node is a step if it depends on any x
  for (const std::int32_t node : needed_by(*graph_, of_y)) {
    Columns depends(of_x.size(), false);
    bool any = false;
    for (std::size_t c = 0; c < of_x.size(); ++c)
      if (of_x[c] == node) depends[c] = any = true;
    const std::vector<std::int32_t> operands = carriers((*graph_)[node]);
    for (const std::int32_t operand : operands) {
      if (place(operand) == nowhere) continue;
      any = true;
      const Columns& through = depends_[place(operand)];
      for (std::size_t c = 0; c < of_x.size(); ++c)
        if (through[c]) depends[c] = true;
    }
    if (!any) continue;
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

Sparsity Slope::dependence() const {
  Sparsity made{static_cast<int>(rows_), static_cast<int>(columns_)};
  for (Eigen::Index c = 0; c < columns_; ++c) {
    for (std::size_t r = 0; r < y_.size(); ++r)
      if (y_[r] != nowhere && depends_[y_[r]][static_cast<std::size_t>(c)])
        made.rows_of.push_back(static_cast<int>(r));
    made.column_starts.push_back(made.nonzeros());
  }
  return made;
}

Slope::Matrix Slope::forward(const Sparsity& wanted) {
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
      const int r = wanted.rows_of[static_cast<std::size_t>(k)];
      J(r, c) = rate[y_[static_cast<std::size_t>(r)]];
    }
  }
  return J;
}

Slope::Matrix Slope::reverse(const Sparsity& wanted) {
  Matrix J = Matrix::Constant(rows_, columns_, E(0));
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(rows_));
  for_each(wanted, [&](int r, int c) { columns[static_cast<std::size_t>(r)].push_back(c); });
  for (int r = 0; r < wanted.rows; ++r) {
    const std::vector<int>& by = columns[static_cast<std::size_t>(r)];
    if (by.empty()) continue;
    const auto matters = [&](std::size_t step) {
      for (const int c : by)
        if (depends_[step][static_cast<std::size_t>(c)]) return true;
      return false;
    };
    const std::size_t from = y_[static_cast<std::size_t>(r)];
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
    for (const int c : by) J(r, c) = weight[x_[static_cast<std::size_t>(c)]];
  }
  return J;
}

int Slope::length(const Matrix& results) const {
  std::vector<std::int32_t> nodes;
  for (Eigen::Index i = 0; i < results.size(); ++i) nodes.push_back(results(i).in(*graph_));
  int count = 0;
  for (const std::int32_t node : needed_by(*graph_, nodes))
    if (arity((*graph_)[node].operation) > 0) ++count;
  return count;
}

Slope::Matrix Slope::shorter(const Sparsity& wanted) {
  if (!graph_) return Matrix::Constant(rows_, columns_, E(0));
  // what is far longer before anything is simplified is not tried
  const auto [forward_steps, reverse_steps] = steps_each_way();
  if (forward_steps > 4 * reverse_steps) return reverse(wanted);
  if (reverse_steps > 4 * forward_steps) return forward(wanted);
  const Matrix one = reverse(wanted), other = forward(wanted);
  return length(one) <= length(other) ? one : other;
}

std::pair<std::size_t, std::size_t> Slope::steps_each_way() const {
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

}  // namespace ulna::detail
