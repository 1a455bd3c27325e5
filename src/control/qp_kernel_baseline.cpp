#include "qp_kernel.hpp"

namespace ulna::control::detail {

void solve_qp_baseline(QpState& state, const QpRun& run) { solve_qp(state, run); }

}  // namespace ulna::control::detail
