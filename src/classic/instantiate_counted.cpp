#include "ulna/classic/instantiate.hpp"
#include "ulna/num/counted.hpp"

ULNA_INSTANTIATE_CLASSIC(Counted)
