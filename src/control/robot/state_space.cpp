#include "control/robot/state_space.hpp"

#include "simulate/step_impl.hpp"
#include "ulna/num/dual.hpp"

namespace ulna::control::detail {

void difference_slope(const Model& model, const Eigen::Ref<const Eigen::VectorXd>& from,
                      const Eigen::Ref<const Eigen::VectorXd>& to, Eigen::MatrixXd& slope) {
  using D = Dual<double, 6>;
  for (const Joint& j : model.joints()) {
    if (!ulna::detail::curved(j)) continue;
    const int n = velocity_size(j.type);
    std::array<D, 7> start, end, moved;
    std::array<D, 6> along, way;
    for (int i = 0; i < configuration_size(j.type); ++i)
      start[i] = D(from(j.q + i)), end[i] = D(to(j.q + i));
    for (int i = 0; i < n; ++i) along[i] = D::variable(0.0, i);
    joint_integrate<D>(j.type, end.data(), along.data(), moved.data());
    joint_difference<D>(j.type, start.data(), moved.data(), way.data());
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) slope(j.v + r, j.v + c) = way[r].gradient[c];
  }
}

// the inverse of the right Jacobian [Solà, Deray, Atchuthan 2018, eq. 144]
Mat3<double> rotation_log_slope(const Vec3<double>& r) {
  const Mat3<double> W = skew(r);
  return Mat3<double>::Identity() + 0.5 * W +
         ulna::detail::inverse_g_coefficient(r.squaredNorm()) * W * W;
}

}  // namespace ulna::control::detail
