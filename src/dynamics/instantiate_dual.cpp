#include "ulna/dynamics/instantiate.hpp"
#include "ulna/dynamics/instantiate_drives.hpp"
#include "ulna/num/dual.hpp"

namespace ulna {
ULNA_INSTANTIATE_DYNAMICS(, Dual<double, 1>)
ULNA_INSTANTIATE_DYNAMICS(, Dual<double, 4>)
ULNA_INSTANTIATE_DRIVES(, Dual<double, 4>)
}  // namespace ulna
