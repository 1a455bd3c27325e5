#include "ulna/model/configuration.hpp"

#include <algorithm>
#include <numbers>
#include <stdexcept>

#include "ulna/model/inspect.hpp"
#include "ulna/num/random.hpp"

namespace ulna {

void detail::require_size(const char* what, Eigen::Index given, Eigen::Index wanted,
                          const Model& model) {
  if (given != wanted)
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(given) +
                                " numbers, robot '" + model.name() + "' needs " +
                                std::to_string(wanted));
}

Eigen::VectorXd integrate(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Eigen::VectorXd result(model.nq());
  integrate<double>(model, q, v, result);
  return result;
}

Eigen::VectorXd difference(const Model& model, const Eigen::VectorXd& q0,
                           const Eigen::VectorXd& q1) {
  Eigen::VectorXd v(model.nv());
  difference<double>(model, q0, q1, v);
  return v;
}

Eigen::VectorXd neutral(const Model& model) {
  Eigen::VectorXd q(model.nq());
  for (Eigen::Index i = 0; i < q.size(); ++i)
    q(i) = std::clamp(0.0, model.lower_limit()(i), model.upper_limit()(i));
  for (const Joint& j : model.joints())
    if (has_quaternion(j.type)) q(j.q) = 1.0;
  return q;
}

Eigen::VectorXd random_configuration(const Model& model, std::mt19937_64& random) {
  using std::numbers::pi;
  const auto between = [&](double low, double high) {
    return low + (high - low) * uniform(random);
  };
  Eigen::VectorXd q(model.nq());
  for (const Joint& j : model.joints()) {
    if (j.mimics || j.type == JointType::fixed) continue;
    for (int i = j.q; i < j.q + configuration_size(j.type); ++i) {
      const bool angle = j.type != JointType::prismatic && i == j.q;
      const double reach = angle ? pi : 1.0;
      const double low = model.lower_limit()(i), high = model.upper_limit()(i);
      q(i) = between(std::isfinite(low) ? low : std::min(-reach, high - reach),
                     std::isfinite(high) ? high : std::max(reach, low + reach));
    }
    if (has_quaternion(j.type)) {
      // uniform on the sphere [Shoemake 1992]
      const double u = between(0.0, 1.0), a = between(-pi, pi), b = between(-pi, pi);
      q.segment<4>(j.q) << std::sqrt(1.0 - u) * std::sin(a), std::sqrt(1.0 - u) * std::cos(a),
          std::sqrt(u) * std::sin(b), std::sqrt(u) * std::cos(b);
    }
  }
  return q;
}

void normalize(const Model& model, Eigen::Ref<Eigen::VectorXd> q) {
  detail::require_size("q", q.size(), model.nq(), model);
  for (const Joint& j : model.joints())
    if (has_quaternion(j.type)) q.segment<4>(j.q).normalize();
}

}  // namespace ulna
