#include "qp_kernel.hpp"

namespace ulna::control::detail {

void solve_qp_baseline(QpState& state, const QpQuestion& question) { solve_qp(state, question); }

}  // namespace ulna::control::detail
