#include "ulna/codegen/differentiate.hpp"

#include <array>
#include <map>

#include "codegen/shorten.hpp"
#include "num/message.hpp"

namespace ulna::codegen {
namespace {

using E = Expression;
using Column = Tracer::Column;
using Matrix = Tracer::Matrix;

/// The derivatives of an operation by its operands.
using Partials = std::array<E, 3>;
Partials by(const E& a, const E& b = 0.0) { return {a, b}; }

/// Those of y = operation(a, b).
using N = const E&;
const std::map<Operation, Partials (*)(N y, N a, N b)> partials_of = {
    {Operation::add, [](N, N, N) { return by(1.0, 1.0); }},
    {Operation::subtract, [](N, N, N) { return by(1.0, -1.0); }},
    {Operation::multiply, [](N, N a, N b) { return by(b, a); }},
    {Operation::divide, [](N y, N, N b) { return by(E(1) / b, -y * (E(1) / b)); }},
    {Operation::negate, [](N, N, N) { return by(-1.0); }},
    {Operation::sine, [](N, N a, N) { return by(cos(a)); }},
    {Operation::cosine, [](N, N a, N) { return by(-sin(a)); }},
    {Operation::tangent, [](N y, N, N) { return by(E(1) + y * y); }},
    {Operation::arc_sine, [](N, N a, N) { return by(E(1) / sqrt(E(1) - a * a)); }},
    {Operation::arc_cosine, [](N, N a, N) { return by(E(-1) / sqrt(E(1) - a * a)); }},
    {Operation::arc_tangent, [](N, N a, N) { return by(E(1) / (E(1) + a * a)); }},
    {Operation::arc_tangent2,
     [](N, N a, N b) {
       const E inverse = E(1) / (a * a + b * b);
       return by(b * inverse, -a * inverse);
     }},
    {Operation::square_root, [](N y, N, N) { return by(E(0.5) / y); }},
    {Operation::exponential, [](N y, N, N) { return by(y); }},
    {Operation::logarithm, [](N, N a, N) { return by(E(1) / a); }},
    {Operation::hyperbolic_tangent, [](N y, N, N) { return by(E(1) - y * y); }},
    {Operation::absolute, [](N, N a, N) { return by(select(a < E(0), E(-1), E(1))); }},
};

/// The derivatives of a node by its operands; of a truth value, none.
Partials partials(Graph& graph, std::int32_t node) {
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
  return found->second(E(graph, node), E(graph, n.a), b);
}

/// The elements of a matrix for which holds(row, column).
template <class F>
Sparsity pattern_of(Eigen::Index rows, Eigen::Index columns, F holds) {
  Sparsity made{int(rows), int(columns)};
  for (int c = 0; c < columns; ++c) {
    for (int r = 0; r < rows; ++r)
      if (holds(r, c)) made.rows_of.push_back(r);
    made.column_starts.push_back(made.nonzeros());
  }
  return made;
}

/// The dependence of y on x: the nodes that lead from one to the other, and derivatives along them.
class Differentiator {
 public:
  Differentiator(const Column& y, const Column& x) : rows_(y.size()), columns_(x.size()) {
    for (const E& number : y)
      if (number.graph()) graph_ = number.graph();
    for (const E& number : x)
      messages::require(number.graph() && (*number.graph())[number.in(*number.graph())].operation ==
                                              Operation::input,
                        "derivatives are by the inputs of a tracing, not by constants or computed "
                        "expressions");
    if (!graph_) return;
    for (const E& number : y) y_.push_back(number.in(*graph_));
    for (const E& number : x) x_.push_back(number.in(*graph_));
    find_steps();
  }

  /// Where dy/dx may differ from zero.
  Sparsity dependence() const {
    return pattern_of(rows_, columns_, [&](int r, int c) { return graph_ && depends(y_[r], c); });
  }

  /// The elements of dy/dx that are wanted, the others 0.
  Matrix jacobian(const Sparsity& wanted, Differentiation how) const {
    if (how != Differentiation::shorter || !graph_)
      return jacobian(wanted, how == Differentiation::reverse);
    // the way that is far longer before anything is simplified is not tried
    const auto [forward, reverse] = steps_each_way();
    if (forward > 4 * reverse) return jacobian(wanted, true);
    if (reverse > 4 * forward) return jacobian(wanted, false);
    const Matrix one = jacobian(wanted, true), other = jacobian(wanted, false);
    return length(one) <= length(other) ? one : other;
  }

 private:
  /// A node between x and y, with its operands that are so too and its derivatives by them.
  struct Step {
    std::int32_t node;
    std::vector<std::pair<std::int32_t, E>> operands = {};
  };

  bool depends(std::int32_t node, int column) const {
    return !depends_[node].empty() && depends_[node][column];
  }

  void find_steps() {
    // a node is a step if it depends on any x
    const std::int32_t count = graph_->size();
    const std::vector<bool> needed = needed_by(graph_->nodes(), y_);
    depends_.resize(std::size_t(count));
    for (std::int32_t node = 0; node < count; ++node) {
      if (!needed[node]) continue;
      std::vector<bool> by(x_.size());
      for (std::size_t c = 0; c < by.size(); ++c) by[c] = x_[c] == node;
      // a truth value has no derivative
      if (!is_truth((*graph_)[node].operation))
        for_each_operand((*graph_)[node], [&](std::int32_t operand) {
          for (int c = 0; c < std::ssize(by); ++c)
            if (depends(operand, c)) by[c] = true;
        });
      if (!std::ranges::count(by, true)) continue;
      steps_.push_back({node});
      depends_[node] = std::move(by);
    }

    for (Step& step : steps_) {
      const Node n = (*graph_)[step.node];
      if (n.operation == Operation::input) continue;
      const Partials slopes = partials(*graph_, step.node);
      int k = 0;
      for_each_operand(n, [&](std::int32_t operand) {
        const E& partial = slopes[k++];
        if (!depends_[operand].empty() && !(partial.is_constant() && partial.constant() == 0.0))
          step.operands.emplace_back(operand, partial);
      });
    }
  }

  /// From one x to all y that are wanted, or in reverse.
  Matrix jacobian(const Sparsity& wanted, bool reverse) const {
    const auto &from = reverse ? y_ : x_, &to = reverse ? x_ : y_;
    std::vector<std::vector<int>> ends(from.size());
    for_each(wanted, [&](int r, int c) { ends[reverse ? r : c].push_back(reverse ? c : r); });
    Matrix J = Matrix::Constant(rows_, columns_, E(0));
    for (int i = 0; i < std::ssize(from); ++i) {
      if (ends[i].empty()) continue;
      const std::vector<E> value = propagated(from[i], reverse, ends[i]);
      for (const int k : ends[i]) (reverse ? J(i, k) : J(k, i)) = value[to[k]];
    }
    return J;
  }

  /// The derivatives of all nodes by a node or, in reverse, of it by those that these x lead to.
  std::vector<E> propagated(std::int32_t seed, bool reverse,
                            const std::vector<int>& columns) const {
    std::vector<E> value(depends_.size(), E(0));
    std::vector<bool> reached(depends_.size(), false);
    value[seed] = E(1);
    reached[seed] = true;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto& [node, operands] = steps_[reverse ? steps_.size() - 1 - i : i];
      for (const auto& [operand, partial] : operands) {
        const std::int32_t from = reverse ? node : operand, to = reverse ? operand : node;
        const auto leads_to = [&, operand = operand](int c) { return depends(operand, c); };
        if (!reached[from] || (reverse && std::none_of(columns.begin(), columns.end(), leads_to)))
          continue;
        value[to] += partial * value[from];
        reached[to] = true;
      }
    }
    return value;
  }

  /// In operations.
  int length(const Matrix& results) const {
    std::vector<std::int32_t> nodes;
    for (const E& result : results.reshaped()) nodes.push_back(result.in(*graph_));
    const std::vector<bool> needed = needed_by(graph_->nodes(), nodes);
    int count = 0;
    for (std::int32_t i = 0; i < graph_->size(); ++i)
      count += needed[i] && arity((*graph_)[i].operation) > 0;
    return count;
  }

  /// The number of steps taken in total by the forward and by the reverse mode.
  std::pair<std::size_t, std::size_t> steps_each_way() const {
    std::size_t forward = 0, reverse = 0;
    std::vector<std::vector<bool>> serves(depends_.size());
    for (const Step& step : steps_) serves[step.node].resize(y_.size());
    for (std::size_t r = 0; r < y_.size(); ++r)
      if (!depends_[y_[r]].empty()) serves[y_[r]][r] = true;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      forward += std::size_t(std::ranges::count(depends_[step->node], true));
      reverse += std::size_t(std::ranges::count(serves[step->node], true));
      for (const auto& [operand, partial] : step->operands)
        for (std::size_t r = 0; r < y_.size(); ++r)
          if (serves[step->node][r]) serves[operand][r] = true;
    }
    return {forward, reverse};
  }

  Graph* graph_ = nullptr;  ///< null if y is constant
  Eigen::Index rows_, columns_;
  std::vector<std::int32_t> y_, x_;
  std::vector<Step> steps_;                 ///< operands first
  std::vector<std::vector<bool>> depends_;  ///< of each node, on each x; empty if on none
};

struct Curvature {
  Matrix hessian;
  Sparsity sparsity;
};

/// From the gradient. One triangle is computed, and an element is zero if either way round it is.
Curvature curvature(const Column& gradient, const Column& x, Differentiation how) {
  const Differentiator differentiator(gradient, x);
  const Sparsity dependence = differentiator.dependence();
  const Sparsity both = pattern_of(x.size(), x.size(), [&](int r, int c) {
    return dependence.contains(r, c) && dependence.contains(c, r);
  });
  const Sparsity lower =
      pattern_of(x.size(), x.size(), [&](int r, int c) { return r >= c && both.contains(r, c); });
  Matrix H = differentiator.jacobian(lower, how);
  H.triangularView<Eigen::StrictlyUpper>() = H.transpose().triangularView<Eigen::StrictlyUpper>();
  return {H, both};
}

/// A function replayed in a tracing of its own, and what of it is to be differentiated.
struct Replay {
  Tracer tracer;
  std::string name;  ///< of the output
  Column y, x;

  Replay(const Traced& function, const std::string& what, std::string_view output,
         const std::vector<std::string>& inputs)
      : tracer(function.name() + "_" + what), name(output) {
    std::vector<Column> all;
    for (const Traced::Vector& in : function.inputs())
      all.push_back(tracer.input(in.name, in.size));
    y = tracer.call(function, all)[find(function, "output", function.outputs(), name)];
    for (const std::string& input : inputs) {
      const Column& part = all[find(function, "input", function.inputs(), input)];
      Column longer(x.size() + part.size());
      longer << x, part;
      x = longer;
    }
  }

  const Expression& number() const {
    messages::require(y.size() == 1, "output '", name, "' has ", y.size(),
                      " elements; gradients and Hessians need one: use its weighted_sum, "
                      "or the Jacobian");
    return y(0);
  }

  void put(const char* what, const Matrix& numbers) { tracer.output(name + what, numbers); }
  void put(const char* what, const Matrix& numbers, const Sparsity& pattern, bool compressed) {
    tracer.output(name + what, numbers, compressed ? std::optional(pattern) : std::nullopt);
  }

 private:
  static std::size_t find(const Traced& function, const char* kind,
                          const std::vector<Traced::Vector>& vectors, const std::string& wanted) {
    std::string known;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      if (vectors[i].name == wanted) return i;
      known += (i ? ", '" : "'") + vectors[i].name + "'";
    }
    throw std::invalid_argument(function.name() + " has no " + kind + " '" + wanted + "'; it has " +
                                known);
  }
};

}  // namespace

Matrix jacobian(const Column& y, const Column& x, Differentiation how) {
  const Differentiator differentiator(y, x);
  return differentiator.jacobian(differentiator.dependence(), how);
}

Column gradient(const Expression& y, const Column& x, Differentiation how) {
  return jacobian(Column::Constant(1, y), x, how).transpose();
}

Matrix hessian(const Expression& y, const Column& x, Differentiation how) {
  return curvature(gradient(y, x, how), x, how).hessian;
}

Sparsity dependence(const Column& y, const Column& x) { return Differentiator(y, x).dependence(); }

Traced jacobian(const Traced& function, std::string_view output,
                const std::vector<std::string>& inputs, const DerivativeOptions& options) {
  Replay replay(function, "jacobian", output, inputs);
  replay.put("", replay.y);
  const Differentiator differentiator(replay.y, replay.x);
  const Sparsity pattern = differentiator.dependence();
  replay.put("_jacobian", differentiator.jacobian(pattern, options.how), pattern,
             options.compressed);
  return replay.tracer.finish();
}

Traced gradient(const Traced& function, std::string_view output,
                const std::vector<std::string>& inputs, const DerivativeOptions& options) {
  Replay replay(function, "gradient", output, inputs);
  replay.put("", replay.y);
  replay.put("_gradient", gradient(replay.number(), replay.x, options.how));
  return replay.tracer.finish();
}

Traced hessian(const Traced& function, std::string_view output,
               const std::vector<std::string>& inputs, const DerivativeOptions& options) {
  Replay replay(function, "hessian", output, inputs);
  const Column slope = gradient(replay.number(), replay.x, options.how);
  const Curvature curve = curvature(slope, replay.x, options.how);
  replay.put("", replay.y);
  replay.put("_gradient", slope);
  replay.put("_hessian", curve.hessian, curve.sparsity, options.compressed);
  return replay.tracer.finish();
}

Sparsity dependence(const Traced& function, std::string_view output,
                    const std::vector<std::string>& inputs) {
  const Replay replay(function, "dependence", output, inputs);
  return dependence(replay.y, replay.x);
}

Traced weighted_sum(const Traced& function, std::string_view output) {
  Replay replay(function, "sum", output, {});
  const Column weights = replay.tracer.input(replay.name + "_weights", int(replay.y.size()));
  Expression sum(0);
  for (Eigen::Index i = 0; i < weights.size(); ++i) sum += weights(i) * replay.y(i);
  replay.put("_sum", Matrix::Constant(1, 1, sum));
  return replay.tracer.finish();
}

}  // namespace ulna::codegen
