#include <ulna/spatial/twist.hpp>
#include <ulna/spatial/wrench.hpp>

auto twice(const ulna::Twist<double>& V) { return V + V; }
auto twice(const ulna::Wrench<double>& F) { return F + F; }

#ifdef WRONG
auto sum(const ulna::Twist<double>& V, const ulna::Wrench<double>& F) { return V + F; }
#endif
