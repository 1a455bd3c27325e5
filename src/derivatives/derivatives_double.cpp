#include "ulna/derivatives/derivatives_impl.hpp"

namespace ulna {
template class InverseDynamicsDerivatives<double>;
template class ForwardDynamicsDerivatives<double>;
}  // namespace ulna
