#include "ulna/derivatives/derivatives_impl.hpp"
#include "ulna/num/dual.hpp"

namespace ulna {
template class InverseDynamicsDerivatives<Dual<double, 1>>;
template class ForwardDynamicsDerivatives<Dual<double, 1>>;
}  // namespace ulna
