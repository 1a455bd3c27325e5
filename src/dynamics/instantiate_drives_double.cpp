#include "dynamics/state_kernel.hpp"
#include "ulna/dynamics/instantiate.hpp"
#include "ulna/dynamics/instantiate_drives.hpp"

// by themselves, so that g++ inlines in the dynamics of robots without drives what it would without them: in one file, forward
// dynamics took 4 % more instructions
namespace ulna {
ULNA_INSTANTIATE_DYNAMICS(extern, double)
ULNA_INSTANTIATE_DRIVES(, double)
}  // namespace ulna
