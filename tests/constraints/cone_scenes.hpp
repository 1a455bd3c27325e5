#pragma once

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "ulna/constraints/cones.hpp"
#include "ulna/num/random.hpp"

/// Problems of contacts that no robot is needed for: bodies of one mass and one moment of inertia.
namespace ulna::test {

struct ConeBody {
  double mass = 1.0, inertia = 0.1;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
  int segment = -1;
};

/// Free velocities: angular part first.
inline void add_cone_body(ConeProblem& problem, ConeBody& body, const Eigen::Vector3d& w,
                          const Eigen::Vector3d& v) {
  body.segment = problem.add_segment(6);
  double* to = problem.velocity.data() + problem.segment_at(body.segment);
  Eigen::Map<Eigen::Vector3d> angular(to), linear(to + 3);
  angular = w, linear = v;
}

inline void add_cone_row(ConeProblem::Columns to, int row, const ConeBody& body, double sign,
                         const Eigen::Vector3d& point, const Eigen::Vector3d& along, bool turns) {
  const Eigen::Vector3d arm = point - body.at;
  Eigen::Vector3d moment(arm.y() * along.z() - arm.z() * along.y(),
                         arm.z() * along.x() - arm.x() * along.z(),
                         arm.x() * along.y() - arm.y() * along.x());
  if (turns) moment = along;
  for (int k = 0; k < 3; ++k) {
    to.J[6 * row + k] = sign * moment(k), to.K[6 * row + k] = sign * moment(k) / body.inertia;
    to.J[6 * row + 3 + k] = turns ? 0.0 : sign * along(k);
    to.K[6 * row + 3 + k] = turns ? 0.0 : sign * along(k) / body.mass;
  }
}

/// A contact with normal z and tangents x and y, on the second body from the first or from the ground.
inline int add_cone_contact(ConeProblem& problem, const ConeBody* first, const ConeBody& second,
                            const Eigen::Vector3d& point, double mu) {
  const int cone = problem.add_cone(mu);
  const Eigen::Vector3d axes[] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(),
                                  Eigen::Vector3d::UnitY()};
  const auto side = [&](const ConeBody& body, double sign) {
    const ConeProblem::Columns to = problem.add_piece(body.segment);
    for (int i = 0; i < 3; ++i) add_cone_row(to, i, body, sign, point, axes[i], false);
  };
  if (first) side(*first, -1.0);
  side(second, 1.0);
  return cone;
}

/// Loose bodies that hit each other and the ground, at random places with random velocities and masses.
inline void random_cone_scene(ConeProblem& problem, int count, double mass_ratio,
                              std::mt19937_64& random) {
  const auto pick = [&](double low, double high) { return low + (high - low) * uniform(random); };
  problem.clear();
  std::vector<ConeBody> bodies(static_cast<std::size_t>(count));
  for (ConeBody& b : bodies) {
    b.mass = std::pow(mass_ratio, uniform(random)), b.inertia = 0.02 * b.mass;
    b.at = {pick(-1, 1), pick(-1, 1), pick(0.5, 2)};
    add_cone_body(problem, b, Eigen::Vector3d(pick(-3, 3), pick(-3, 3), pick(-3, 3)),
                  Eigen::Vector3d(pick(-1, 1), pick(-1, 1), pick(-2, 0)));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d off(pick(-0.2, 0.2), pick(-0.2, 0.2), -0.2);
      const ConeBody* below = i > 0 && k > 0 ? &bodies[random() % i] : nullptr;
      add_cone_contact(problem, below, bodies[i], bodies[i].at + off, pick(0.0, 1.2));
      if (k == 0) problem.offset.end()[-3] = pick(-0.5, 0.5);
    }
}

/// How far from Coulomb's law a cone is, by its words: impulses as velocities by the mass they move.
struct CoulombErrors {
  double approach = 0.0;  ///< -wn
  double pull = 0.0;      ///< -λn
  double both = 0.0;      ///< λn and wn at once
  double cone = 0.0;      ///< |λt| - mu λn
  double against = 0.0;   ///< what slides: friction not opposite, or less than mu λn
  double worst() const { return std::max({approach, pull, both, cone, against}); }
};
inline CoulombErrors coulomb_errors(const ConeProblem& problem, double mass_scale = 1.0) {
  CoulombErrors e;
  for (int i = 0; i < problem.block_count(); ++i) {
    const ConeProblem::Block& b = problem.block(i);
    if (b.kind != ConeProblem::Kind::cone) continue;
    const double *l = problem.lambda.data() + b.row, *w = problem.w.data() + b.row;
    const double n = l[0] / mass_scale, t = std::hypot(l[1], l[2]) / mass_scale;
    const double slip = std::hypot(w[1], w[2]);
    e.approach = std::max(e.approach, -w[0]), e.pull = std::max(e.pull, -n);
    e.both = std::max(e.both, std::min(std::abs(n), std::abs(w[0])));
    e.cone = std::max(e.cone, t - b.coefficient * n);
    if (slip > 1e-6) {
      const double full = b.coefficient * n;
      const double x = l[1] / mass_scale + full * w[1] / slip,
                   y = l[2] / mass_scale + full * w[2] / slip;
      e.against = std::max(e.against, std::hypot(x, y));
    }
  }
  return e;
}

}  // namespace ulna::test
