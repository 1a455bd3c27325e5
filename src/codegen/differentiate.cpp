#include "ulna/codegen/differentiate.hpp"

#include <numeric>
#include <stdexcept>

#include "codegen/differentiator.hpp"

namespace ulna::codegen {
namespace {

using Column = Tracer::Column;
using Matrix = Tracer::Matrix;

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
