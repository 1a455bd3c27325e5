#include "ulna/derivatives/frame_derivatives_impl.hpp"

namespace ulna {
template void frame_jacobian_rate(const Kinematics<double>&, const Frame&, Axes, OutMatrix<double>);
template void frame_hessian(const Kinematics<double>&, const Frame&, Axes, OutMatrix<double>);
template void frame_motion_derivatives(const Kinematics<double>&, const Frame&, Axes,
                                       OutMatrix<double>, OutMatrix<double>, OutMatrix<double>);
}  // namespace ulna
