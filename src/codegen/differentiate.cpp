#include "ulna/codegen/differentiate.hpp"

#include <array>
#include <map>
#include <numeric>
#include <stdexcept>

#include "codegen/shorten.hpp"

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

/// The dependence of y on x: the nodes that lead from one to the other, and derivatives along them.
class Differentiator {
 public:
  Differentiator(const Column& y, const Column& x) : rows_(y.size()), columns_(x.size()) {
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
    find_steps(of_y, of_x);
  }

  /// Where dy/dx may differ from zero.
  Sparsity dependence() const {
    Sparsity made{static_cast<int>(rows_), static_cast<int>(columns_)};
    for (Eigen::Index c = 0; c < columns_; ++c) {
      for (std::size_t r = 0; r < y_.size(); ++r)
        if (y_[r] != nowhere && depends_[y_[r]][c]) made.rows_of.push_back(static_cast<int>(r));
      made.column_starts.push_back(made.nonzeros());
    }
    return made;
  }

  /// The elements of dy/dx that are wanted, the others 0.
  Matrix jacobian(const Sparsity& wanted, Differentiation how) const {
    if (how == Differentiation::forward || !graph_) return forward(wanted);
    if (how == Differentiation::reverse) return reverse(wanted);
    // the way that is far longer before anything is simplified is not tried
    const auto [forward_steps, reverse_steps] = steps_each_way();
    if (forward_steps > 4 * reverse_steps) return reverse(wanted);
    if (reverse_steps > 4 * forward_steps) return forward(wanted);
    const Matrix one = reverse(wanted), other = forward(wanted);
    return length(one) <= length(other) ? one : other;
  }

 private:
  /// A node between x and y, with its operands that are so too and its derivatives by them.
  struct Step {
    std::int32_t node;
    struct Operand {
      std::size_t step;
      E partial;
    };
    std::vector<Operand> operands;
  };
  using Columns = std::vector<bool>;  ///< of x: those that something depends on
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  void find_steps(const std::vector<std::int32_t>& of_y, const std::vector<std::int32_t>& of_x) {
    // a node is a step if it depends on any x
    std::vector<std::size_t> place(static_cast<std::size_t>(graph_->size()), nowhere);
    const std::vector<bool> needed = needed_by(graph_->nodes(), of_y);
    for (std::int32_t node = 0; node < graph_->size(); ++node) {
      if (!needed[node]) continue;
      Columns depends(of_x.size(), false);
      for (std::size_t c = 0; c < of_x.size(); ++c) depends[c] = of_x[c] == node;
      // a truth value has no derivative
      if (!is_truth((*graph_)[node].operation))
        for_each_operand((*graph_)[node], [&](std::int32_t operand) {
          if (place[operand] == nowhere) return;
          const Columns& through = depends_[place[operand]];
          for (std::size_t c = 0; c < of_x.size(); ++c)
            if (through[c]) depends[c] = true;
        });
      if (std::find(depends.begin(), depends.end(), true) == depends.end()) continue;
      place[node] = steps_.size();
      steps_.push_back({node, {}});
      depends_.push_back(std::move(depends));
    }
    for (const std::int32_t node : of_y) y_.push_back(place[node]);
    for (const std::int32_t node : of_x) x_.push_back(place[node]);

    for (Step& step : steps_) {
      const Node n = (*graph_)[step.node];
      if (n.operation == Operation::input) continue;
      const Partials slopes = partials(*graph_, step.node);
      int k = 0;
      for_each_operand(n, [&](std::int32_t operand) {
        const E& partial = slopes[k++];
        if (place[operand] != nowhere && !(partial.is_constant() && partial.constant() == 0.0))
          step.operands.push_back({place[operand], partial});
      });
    }
  }

  Matrix forward(const Sparsity& wanted) const {
    Matrix J = Matrix::Constant(rows_, columns_, E(0));
    std::vector<E> rate(steps_.size());
    for (int c = 0; c < wanted.columns; ++c) {
      const int begin = wanted.column_starts[c], end = wanted.column_starts[c + 1];
      if (begin == end) continue;
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (!depends_[i][c]) continue;
        rate[i] = E(i == x_[c] ? 1 : 0);
        for (const auto& [operand, partial] : steps_[i].operands)
          if (depends_[operand][c]) rate[i] += partial * rate[operand];
      }
      for (int k = begin; k < end; ++k) J(wanted.rows_of[k], c) = rate[y_[wanted.rows_of[k]]];
    }
    return J;
  }

  Matrix reverse(const Sparsity& wanted) const {
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

  /// In operations.
  int length(const Matrix& results) const {
    std::vector<std::int32_t> nodes;
    for (Eigen::Index i = 0; i < results.size(); ++i) nodes.push_back(results(i).in(*graph_));
    const std::vector<bool> needed = needed_by(graph_->nodes(), nodes);
    int count = 0;
    for (std::int32_t i = 0; i < graph_->size(); ++i)
      count += needed[i] && arity((*graph_)[i].operation) > 0;
    return count;
  }

  /// The number of steps taken in total by the forward and by the reverse mode.
  std::pair<std::size_t, std::size_t> steps_each_way() const {
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

  Graph* graph_ = nullptr;  ///< null if y is constant
  Eigen::Index rows_, columns_;
  std::vector<Step> steps_;         ///< operands first
  std::vector<Columns> depends_;    ///< of each step
  std::vector<std::size_t> y_, x_;  ///< their steps, or nowhere
};

/// The elements of a pattern that are wanted.
template <class Wanted>
Sparsity elements(const Sparsity& of, Wanted wanted) {
  Sparsity made{of.rows, of.columns};
  made.column_starts.assign(static_cast<std::size_t>(of.columns) + 1, 0);
  for_each(of, [&](int r, int c) {
    if (!wanted(r, c)) return;
    made.rows_of.push_back(r);
    ++made.column_starts[c + 1];
  });
  std::partial_sum(made.column_starts.begin(), made.column_starts.end(),
                   made.column_starts.begin());
  return made;
}

struct Curvature {
  Matrix hessian;
  Sparsity sparsity;
};

/// From the gradient. One triangle is computed, and an element is zero if either way round it is.
Curvature curvature(const Column& gradient, const Column& x, Differentiation how) {
  Differentiator differentiator(gradient, x);
  const Sparsity dependence = differentiator.dependence();
  Curvature made;
  made.sparsity = elements(dependence, [&](int r, int c) { return dependence.contains(c, r); });
  Matrix& H = made.hessian;
  H = differentiator.jacobian(elements(made.sparsity, [](int r, int c) { return r >= c; }), how);
  for (Eigen::Index c = 0; c < H.cols(); ++c)
    for (Eigen::Index r = 0; r < c; ++r) H(r, c) = H(c, r);
  return made;
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
    if (y.size() != 1)
      throw std::invalid_argument("output '" + name + "' has " + std::to_string(y.size()) +
                                  " numbers; gradients and Hessians are of one: take that of its "
                                  "weighted_sum, or the Jacobian");
    return y(0);
  }

  void put(const char* what, const Matrix& numbers) { tracer.output(name + "_" + what, numbers); }
  void put(const char* what, const Matrix& numbers, const Sparsity& pattern, bool compressed) {
    if (compressed)
      tracer.output(name + "_" + what, numbers, pattern);
    else
      put(what, numbers);
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
  Differentiator differentiator(y, x);
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
  replay.tracer.output(replay.name, replay.y);
  Differentiator differentiator(replay.y, replay.x);
  const Sparsity pattern = differentiator.dependence();
  replay.put("jacobian", differentiator.jacobian(pattern, options.how), pattern,
             options.compressed);
  return replay.tracer.finish();
}

Traced gradient(const Traced& function, std::string_view output,
                const std::vector<std::string>& inputs, const DerivativeOptions& options) {
  Replay replay(function, "gradient", output, inputs);
  replay.tracer.output(replay.name, replay.y);
  replay.put("gradient", gradient(replay.number(), replay.x, options.how));
  return replay.tracer.finish();
}

Traced hessian(const Traced& function, std::string_view output,
               const std::vector<std::string>& inputs, const DerivativeOptions& options) {
  Replay replay(function, "hessian", output, inputs);
  const Column slope = gradient(replay.number(), replay.x, options.how);
  const Curvature curve = curvature(slope, replay.x, options.how);
  replay.tracer.output(replay.name, replay.y);
  replay.put("gradient", slope);
  replay.put("hessian", curve.hessian, curve.sparsity, options.compressed);
  return replay.tracer.finish();
}

Sparsity dependence(const Traced& function, std::string_view output,
                    const std::vector<std::string>& inputs) {
  const Replay replay(function, "dependence", output, inputs);
  return dependence(replay.y, replay.x);
}

Traced weighted_sum(const Traced& function, std::string_view output) {
  Replay replay(function, "sum", output, {});
  const Column weights =
      replay.tracer.input(replay.name + "_weights", static_cast<int>(replay.y.size()));
  Expression sum(0);
  for (Eigen::Index i = 0; i < weights.size(); ++i) sum += weights(i) * replay.y(i);
  replay.put("sum", Matrix::Constant(1, 1, sum));
  return replay.tracer.finish();
}

}  // namespace ulna::codegen
