#include "ulna/classic/instantiate.hpp"

ULNA_INSTANTIATE_CLASSIC(double)
