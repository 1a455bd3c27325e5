#include <ulna/spatial/twist.hpp>
#include <ulna/spatial/wrench.hpp>

double power(const ulna::Twist<double>& V, const ulna::Wrench<double>& F) { return dot(V, F); }

#ifdef WRONG
double power(const ulna::Twist<double>& V, const ulna::Twist<double>& W) { return dot(V, W); }
#endif
