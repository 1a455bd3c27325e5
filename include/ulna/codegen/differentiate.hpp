#pragma once

#include "ulna/codegen/traced.hpp"

/// Derivatives of traced functions, taken on their graphs: exact, and no longer than necessary.
///
///     const auto x = tracer.input("x", 2);
///     const Expression y = sin(x(0)) * x(1);
///     tracer.output("slope", gradient(y, x));
///
/// or of a whole function, (q, v, a) -> tau:
///
///     const Traced slope = jacobian(id, "tau", {"q", "v"});   // ... -> tau, tau_jacobian (nv x 2 nv)
///
/// A derivative is one of numbers, not along a tangent space: by q, it is that by the four numbers of a
/// quaternion. Where a function has a corner, it is that of one side, as for dual numbers.
namespace ulna::codegen {

/// The forward mode propagates derivatives from one input after the other, the reverse mode from one
/// output after the other [Griewank, Walther 2008, ch. 3]. They yield the same in different lengths.
enum class Differentiation { shorter, forward, reverse };

/// dy/dx, a row per y, a column per x, which must be inputs. Where y does not depend on x, it is the
/// constant 0. Throws std::invalid_argument where x is anything else.
Tracer::Matrix jacobian(const Tracer::Column& y, const Tracer::Column& x,
                        Differentiation how = Differentiation::shorter);
Tracer::Column gradient(const Expression& y, const Tracer::Column& x,
                        Differentiation how = Differentiation::shorter);
/// d2y/dx2, both of its triangles.
Tracer::Matrix hessian(const Expression& y, const Tracer::Column& x,
                       Differentiation how = Differentiation::shorter);
/// Which y depend on which x: where jacobian(y, x) may differ from zero.
Sparsity dependence(const Tracer::Column& y, const Tracer::Column& x);

struct DerivativeOptions {
  Differentiation how = Differentiation::shorter;
  /// Of a Jacobian or Hessian, only the elements of its pattern, column by column; the pattern is that
  /// of the output, Traced::Vector::sparsity. Otherwise all of them.
  bool compressed = false;
};

/// An output of a function by some of its inputs, one behind the other: a function of the same inputs
/// whose outputs are the output itself and then <output>_jacobian; or <output>_gradient, for an output
/// of one number; or the latter and <output>_hessian.
Traced jacobian(const Traced& function, std::string_view output,
                const std::vector<std::string>& inputs, const DerivativeOptions& options = {});
Traced gradient(const Traced& function, std::string_view output,
                const std::vector<std::string>& inputs, const DerivativeOptions& options = {});
Traced hessian(const Traced& function, std::string_view output,
               const std::vector<std::string>& inputs, const DerivativeOptions& options = {});
Sparsity dependence(const Traced& function, std::string_view output,
                    const std::vector<std::string>& inputs);

/// The sum of an output's numbers, weighted by a further input <output>_weights, as the one output
/// <output>_sum: its Hessian is what optimal control needs of a function of many numbers.
Traced weighted_sum(const Traced& function, std::string_view output);

}  // namespace ulna::codegen
