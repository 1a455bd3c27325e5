#include "ulna/dynamics/energy.hpp"

#include "support/dynamics.hpp"

namespace ulna::test {
namespace {

using Time = Dual<double, 1>;

/// The robot a moment later: derivatives of what it yields are rates.
Rig<Time> in_time(const Rig<double>& rig) {
  Rig<Time> now(rig.model(), rig.q.cast<Time>(), rig.v.cast<Time>(), rig.a.cast<Time>());
  now.plant.armature = rig.plant.armature.cast<Time>();
  return now.after(Time::variable(0.0, 0));
}

template <class Derived>
auto rate_of(const Eigen::MatrixBase<Derived>& m) {
  Eigen::MatrixXd rate(m.rows(), m.cols());
  for (Eigen::Index r = 0; r < m.rows(); ++r)
    for (Eigen::Index c = 0; c < m.cols(); ++c) rate(r, c) = m(r, c).gradient[0];
  return rate;
}

/// A wrench on the robot, world axes about the world's origin.
Wrench<double> in_world(const Kinematics<double>& at, const ExternalWrench<double>& w) {
  const Transform<double> X = at.pose(*w.frame);
  return w.axes == Axes::world   ? w.wrench
         : w.axes == Axes::local ? X * w.wrench
                                 : w.wrench.at(-X.translation());
}

TEST(Energy, power_equals_rate_of_total_energy) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const auto wrenches = random_wrenches<double>(model, random);
    double power = (rig.torque(wrenches) - rig.friction()).dot(rig.v);
    for (const ExternalWrench<double>& w : wrenches)
      power += dot(frame_velocity(rig.state(), *w.frame, w.axes), w.wrench);
    expect_close(power, in_time(rig).energy().gradient[0], 1e-12);
  });
}

TEST(Energy, friction_never_feeds_the_robot) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    EXPECT_GT(rig.friction().dot(rig.v), 0.0);
  });
}

TEST(Energy, the_rate_of_potential_energy_is_the_power_of_gravity_torques) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    Rig<Time> later = in_time(rig);
    const Time V = potential_energy<Time>(later.plant, later.at(), later.ws);
    expect_close(rig.gravity().dot(rig.v), V.gradient[0], 1e-12);
  });
}

TEST(Energy, potential_energy_is_weight_times_height) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    double V = 0.0, mass = 0.0;
    Vec3<double> moment = Vec3<double>::Zero();
    for (int b = 1; b < model.body_count(); ++b) {
      const Inertia<double>& I = model.inertias()[static_cast<std::size_t>(b)];
      const Vec3<double> com = rig.at().pose(b) * I.com();
      V -= I.mass() * model.gravity().dot(com);
      mass += I.mass(), moment += I.mass() * com;
    }
    expect_close(potential_energy<double>(rig.plant, rig.at(), rig.ws), V, 1e-13);
    expect_close(total_mass<double>(rig.plant), mass, 1e-14);
    expect_close(center_of_mass<double>(rig.plant, rig.at(), rig.ws), Vec3<double>(moment / mass),
                 1e-13);
  });
}

// --- momentum ---

TEST(Momentum, changes_by_weight_wrenches_and_what_the_ground_exerts) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const auto wrenches = random_wrenches<double>(model, random);
    std::vector<Wrench<double>> transmitted(static_cast<std::size_t>(model.body_count()));
    Eigen::VectorXd tau(model.nv());
    inverse_dynamics<double>(rig.plant, rig.motion(), rig.ws, tau, std::span(transmitted),
                             ExternalWrenches<double>(wrenches));
    const Kinematics<double> at = rig.at();
    Wrench<double> acting = transmitted[0];
    for (const ExternalWrench<double>& w : wrenches) acting += in_world(at, w);
    const Vec3<double> com = center_of_mass<double>(rig.plant, at, rig.ws);
    acting += Wrench<double>::force_at(total_mass<double>(rig.plant) * model.gravity(), com);
    const Inertia<double>& base = model.inertias()[0];
    acting += Wrench<double>::force_at(base.mass() * model.gravity(), base.com());
    Rig<Time> later = in_time(rig);
    const Vec6<double> rate =
        rate_of(momentum<Time>(later.plant, later.state(), later.ws).vector());
    expect_close(acting.vector(), rate, 1e-12);
  });
}

TEST(Momentum, is_that_of_the_bodies) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const Kinematics<double> state = rig.state();
    Wrench<double> h;
    for (int b = 1; b < model.body_count(); ++b) {
      const Twist<double> V = frame_velocity(state, body_frame(b), Axes::local);
      h += state.pose(b) * (model.inertias()[static_cast<std::size_t>(b)] * V);
    }
    expect_close(momentum<double>(rig.plant, state, rig.ws), h, 1e-13);
  });
}

template <class T>
class MomentumOf : public ::testing::Test {};
TYPED_TEST_SUITE(MomentumOf, DynamicsScalars, ScalarNames);

TYPED_TEST(MomentumOf, centroidal_momentum_is_a_matrix_times_velocity) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    MatX<T> A(6, model.nv()), J(3, model.nv());
    centroidal_momentum_matrix<T>(rig.plant, rig.at(), rig.ws, A);
    center_of_mass_jacobian<T>(rig.plant, rig.at(), rig.ws, J);
    const Wrench<T> h = centroidal_momentum<T>(rig.plant, rig.state(), rig.ws);
    expect_close(VecX<T>(h.vector()), times<T>(A, rig.v), 1e-13);
    // about the centre of mass, nothing is left of the lever arm of the linear part
    const Vec3<T> com = center_of_mass<T>(rig.plant, rig.at(), rig.ws);
    expect_close(momentum<T>(rig.plant, rig.state(), rig.ws).at(com), h, 1e-12);
    expect_close(MatX<T>(A.bottomRows(3)), MatX<T>(J * total_mass<T>(rig.plant)), 1e-13);
  });
}

TYPED_TEST(MomentumOf, linear_momentum_is_mass_times_velocity_of_the_centre) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    MatX<T> J(3, model.nv());
    center_of_mass_jacobian<T>(rig.plant, rig.at(), rig.ws, J);
    const Vec3<T> v = center_of_mass_velocity<T>(rig.plant, rig.state(), rig.ws);
    expect_close(VecX<T>(v), times<T>(J, rig.v), 1e-13);
    const Wrench<T> h = momentum<T>(rig.plant, rig.state(), rig.ws);
    expect_close(h.force, Vec3<T>(v * total_mass<T>(rig.plant)), 1e-13);
  });
}

// --- the centre of mass ---

TEST(CenterOfMass, moves_with_its_velocity_and_acceleration) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    Rig<Time> later = in_time(rig);
    const Vec3<double> v = center_of_mass_velocity<double>(rig.plant, rig.state(), rig.ws);
    const Vec3<double> a = center_of_mass_acceleration<double>(rig.plant, rig.motion(), rig.ws);
    expect_close(v, Vec3<double>(rate_of(center_of_mass<Time>(later.plant, later.at(), later.ws))),
                 1e-13);
    expect_close(
        a,
        Vec3<double>(rate_of(center_of_mass_velocity<Time>(later.plant, later.state(), later.ws))),
        1e-12);
  });
}

TEST(CenterOfMass, has_a_jacobian_of_finite_motions) {
  for_each_robot(
      [](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        Eigen::MatrixXd J(3, model.nv());
        center_of_mass_jacobian<double>(rig.plant, rig.at(), rig.ws, J);
        rig.a.setZero();
        for (int i = 0; i < model.nv(); ++i) {
          rig.v = Eigen::VectorXd::Unit(model.nv(), i);
          const Vec3<double> moved = five_point_derivative([&](double t) -> Vec3<double> {
            Rig<double> there = rig.after(t);
            return center_of_mass<double>(there.plant, there.at(), there.ws);
          });
          expect_close(Vec3<double>(J.col(i)), moved, 1e-11);
        }
      },
      4);
}

}  // namespace
}  // namespace ulna::test
