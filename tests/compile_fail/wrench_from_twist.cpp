#include <ulna/spatial/twist.hpp>
#include <ulna/spatial/wrench.hpp>

void copy(const ulna::Twist<double>& from, ulna::Twist<double>& to) { to = from; }

#ifdef WRONG
void copy(const ulna::Twist<double>& from, ulna::Wrench<double>& to) { to = from; }
#endif
