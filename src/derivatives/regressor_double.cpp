#include "ulna/derivatives/regressor_impl.hpp"

namespace ulna {
template class Regressor<double>;
}  // namespace ulna
