#include "ulna/derivatives/second_derivatives_impl.hpp"

namespace ulna {
template class InverseDynamicsSecondDerivatives<double>;
template class ForwardDynamicsSecondDerivatives<double>;
}  // namespace ulna
