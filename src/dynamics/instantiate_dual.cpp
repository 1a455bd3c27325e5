#include "ulna/dynamics/instantiate.hpp"
#include "ulna/num/dual.hpp"

namespace ulna {
ULNA_INSTANTIATE_DYNAMICS(, Dual<double, 1>)
ULNA_INSTANTIATE_DYNAMICS(, Dual<double, 4>)
}  // namespace ulna
