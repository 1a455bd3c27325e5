#include "simulate/spring_forces.hpp"

#include <algorithm>
#include <utility>

#include "ulna/dynamics/spring_force.hpp"

namespace ulna::detail {

void SpringForces::begin(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double h) {
  h_ = h;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const SpringBetween& s = rotors_->springs()[i];
    const double e = s.deflection.position(q), rate = s.deflection.rate(v),
                 slope = 0.5 * h * spring_slope<double>(*drives_, s.c, e) + damping(s);
    steps_[i] = {rate, spring_force<double>(*drives_, s.c, e) + slope * rate, 0.5 * h * slope};
  }
}

double SpringForces::end(const Eigen::VectorXd& v) {
  const double h = std::exchange(h_, 0.0);
  double lost = 0.0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const SpringBetween& s = rotors_->springs()[i];
    const double rate = 0.5 * (steps_[i].rate + s.deflection.rate(v));
    lost += h * damping(s) * rate * rate;
  }
  return lost;
}

double SpringForces::force(std::size_t i, const Eigen::VectorXd& q,
                           const Eigen::VectorXd& v) const {
  const SpringBetween& s = rotors_->springs()[i];
  return spring_force<double>(*drives_, s.c, s.deflection.position(q)) +
         damping(s) * s.deflection.rate(v);
}

void SpringForces::push(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                        Eigen::VectorXd& f) const {
  for (std::size_t i = 0; i < steps_.size(); ++i)
    rotors_->springs()[i].deflection.push(-(h_ > 0.0 ? steps_[i].force : force(i, q, v)), f);
}

void SpringForces::load_rotors(Eigen::MatrixXd& M) const {
  for (const SpringBetween& s : rotors_->springs())
    if (s.inertia != 0.0) s.theta.load(s.inertia, M);
  // Rows keep these sums at rest, so that an inertia that moves with one adds nothing, but rotors without one have a mass matrix.
  if (!massless_) return;
  for (const CoordinateSum& row : rotors_->rows())
    row.load(M(row.parts.back().v, row.parts.back().v), M);
}

void SpringForces::load_springs(Eigen::MatrixXd& M) const {
  if (h_ == 0.0) return;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    rotors_->springs()[i].deflection.load(steps_[i].inertia, M);
}

bool SpringForces::couples() const {
  return !rotors_->rows().empty() ||
         std::ranges::any_of(rotors_->springs(),
                             [](const SpringBetween& s) { return s.inertia != 0.0; });
}

double SpringForces::energy(const Eigen::VectorXd& q) const {
  double energy = 0.0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const SpringBetween& s = rotors_->springs()[i];
    const double e = s.deflection.position(q);
    energy += h_ > 0.0 ? steps_[i].force * e : spring_energy<double>(*drives_, s.c, e);
  }
  return energy;
}

double SpringForces::kinetic_energy(const Eigen::VectorXd& v) const {
  double energy = 0.0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const SpringBetween& s = rotors_->springs()[i];
    const double turning = s.theta.rate(v), rate = s.deflection.rate(v);
    energy += 0.5 * s.inertia * turning * turning;
    if (h_ > 0.0) energy += 0.5 * steps_[i].inertia * rate * rate;
  }
  return energy;
}

double SpringForces::damping_power(const Eigen::VectorXd& v) const {
  double power = 0.0;
  if (h_ > 0.0) return power;
  for (const SpringBetween& s : rotors_->springs()) {
    const double rate = s.deflection.rate(v);
    power += damping(s) * rate * rate;
  }
  return power;
}

}  // namespace ulna::detail
