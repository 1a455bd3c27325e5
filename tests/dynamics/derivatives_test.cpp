#include "support/dynamics.hpp"

namespace ulna::test {
namespace {

using Dual1 = Dual<double, 1>;
using Dual4 = Dual<double, 4>;

Eigen::VectorXd gradient_of(const VecX<Dual1>& x) {
  Eigen::VectorXd g(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) g(i) = x(i).gradient[0];
  return g;
}

/// A rig that moves along (dq, dv, da) with t.
struct Path {
  Rig<double> from;
  Eigen::VectorXd dq, dv, da;

  Path(const Model& model, Random& random)
      : from(model, random),
        dq(random_v(model, random)),
        dv(random_v(model, random)),
        da(random_v(model, random)) {}

  template <class T>
  Rig<T> at(const T& t) const {
    Rig<T> rig(from.model(), from.q.cast<T>(), from.v.cast<T>(), from.a.cast<T>());
    const VecX<T> q0 = rig.q, along = dq.cast<T>() * t;
    integrate<T>(from.model(), q0, along, rig.q);
    rig.v += dv.cast<T>() * t, rig.a += da.cast<T>() * t;
    return rig;
  }
};

TEST(Derivatives, of_inverse_dynamics_by_dual_numbers_are_those_of_differences) {
  for_each_robot([](const Model& model, Random& random) {
    const Path path(model, random);
    const Eigen::VectorXd exact = gradient_of(path.at(Dual1::variable(0.0, 0)).torque());
    const Eigen::VectorXd by_differences =
        five_point_derivative([&](double t) -> Eigen::VectorXd { return path.at(t).torque(); });
    expect_close(exact, by_differences, 1e-10);
  });
}

// dID(x, FD(x, tau)) = 0: ∂FD = -M^-1 ∂ID at the acceleration that results.
TEST(Derivatives, of_forward_dynamics_follow_from_those_of_inverse_dynamics) {
  for_each_robot([](const Model& model, Random& random) {
    Path path(model, random);
    path.da.setZero();
    const Eigen::VectorXd tau = path.from.torque();
    Rig<Dual1> moved = path.at(Dual1::variable(0.0, 0));
    VecX<Dual1> a(model.nv());
    ASSERT_TRUE(moved.accelerate(tau.cast<Dual1>(), a));
    const Eigen::VectorXd da = gradient_of(a), dtau = gradient_of(moved.torque());
    expect_close(Eigen::VectorXd(path.from.mass() * da), Eigen::VectorXd(-dtau), 1e-10);
  });
}

TEST(Derivatives, in_four_directions_at_once_are_those_in_each) {
  for_each_robot(
      [](const Model& model, Random& random) {
        Rig<Dual4> rig(model, random);
        const VecX<Dual4> tau = rig.torque();
        const auto single = [](const VecX<Dual4>& x, std::size_t k) {
          VecX<Dual1> y(x.size());
          for (Eigen::Index i = 0; i < x.size(); ++i)
            y(i).value = x(i).value, y(i).gradient[0] = x(i).gradient[k];
          return y;
        };
        for (std::size_t k = 0; k < 4; ++k) {
          Rig<Dual1> one(model, single(rig.q, k), single(rig.v, k), single(rig.a, k));
          expect_close(one.torque(), single(tau, k), 1e-13);
        }
      },
      5);
}

// With dual parameters the algorithms differentiate with respect to the robot itself.
TEST(Derivatives, with_respect_to_parameters_are_torques_of_unit_parameters) {
  for_each_robot(
      [](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        rig.without_resistance();
        Rig<Dual1> dual(model, rig.q.cast<Dual1>(), rig.v.cast<Dual1>(), rig.a.cast<Dual1>());
        const int n = rig.plant.inertial_size();
        VecX<Dual1> pi(n);
        dual.plant.get_inertial(pi);
        for (int k = 0; k < n; k += 3) {
          VecX<Dual1> moved = pi;
          moved(k).gradient[0] = 1.0;
          dual.plant.set_inertial(moved);
          rig.plant.set_inertial(Eigen::VectorXd::Unit(n, k));
          expect_close(gradient_of(dual.torque()), rig.torque(), 1e-13);
        }
      },
      4);
}

}  // namespace
}  // namespace ulna::test
