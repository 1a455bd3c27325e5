#pragma once

#include "support/traced.hpp"

namespace ulna::test {

/// All operations of traced functions; an input that is not used; constants that C must spell.
inline Traced every_c_operation(double factor = 1.0 / 3.0) {
  using E = Expression;
  Tracer tracer("everything");
  const auto x = tracer.input("x", 3), unused = tracer.input("unused", 2);
  std::vector<E> y{
      x(0) + x(1),
      -(x(0) / x(1)),
      E(factor) * x(0) - E(1e300) * x(1),
      E(-2.0) + x(2),
      sin(x(0)) + cos(x(1)) * tan(x(2)),
      asin(x(0)) - acos(x(1)) + atan(x(2)),
      atan2(x(0), x(1)),
      exp(sqrt(abs(x(0)))) * log(abs(x(1)) + E(2)),
      tanh(x(2)),
      select(x(0) < x(1), x(0), x(2)),
      select(x(0) <= x(1) && !(x(1) < x(2)), E(1), E(-7e-9)),
      select(x(0) == x(1) || x(1) >= x(2), E(std::numeric_limits<double>::infinity()), x(0)),
      select(is_finite(x(0)), x(0), E(0)),
      E(42.0)};
  tracer.output("y", Eigen::Map<const Tracer::Column>(y.data(), std::ssize(y)));
  tracer.output("z", Tracer::Column(x.reverse()));
  return tracer.finish();
}

}  // namespace ulna::test
