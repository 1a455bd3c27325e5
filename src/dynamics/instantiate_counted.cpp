#include "ulna/dynamics/instantiate.hpp"
#include "ulna/num/counted.hpp"

namespace ulna {
ULNA_INSTANTIATE_DYNAMICS(, Counted)
}
