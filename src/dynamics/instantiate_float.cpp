#include "ulna/dynamics/instantiate.hpp"

namespace ulna {
ULNA_INSTANTIATE_DYNAMICS(, float)
}
