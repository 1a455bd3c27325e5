#include "ulna/classic/instantiate.hpp"
#include "ulna/num/dual.hpp"

ULNA_INSTANTIATE_CLASSIC(Dual<double, 1>)
