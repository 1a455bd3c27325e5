#include "ulna/dynamics/drive_dynamics.hpp"

#include "support/drives.hpp"
#include "ulna/dynamics/instantiate.hpp"
#include "ulna/dynamics/instantiate_drives.hpp"

namespace ulna::test {
namespace {

using Twice = Dual<Dual<double, 1>, 1>;

/// t at 0, with its derivative in both directions: results carry first and second derivatives in time.
Twice time_twice() {
  Twice t = Twice::variable(Dual<double, 1>::variable(0.0, 0), 0);
  return t;
}

template <class T>
class DriveDynamicsOf : public ::testing::Test {};
using DriveScalars = ::testing::Types<double, Dual<double, 4>, float>;
TYPED_TEST_SUITE(DriveDynamicsOf, DriveScalars, ScalarNames);

/// Runs a law on random trees of all kinds of joints with random drives.
template <class Law>
void for_each_drive(Law law, RandomDriveOptions drives = {}, RandomModelOptions options = {},
                    std::uint64_t count = 12) {
  for_each_model([&](const Model& model,
                     Random& random) { law(with_random_drives(model, random, drives), random); },
                 options, count);
}

TYPED_TEST(DriveDynamicsOf, forward_undoes_inverse_for_elastic_coupled_and_mixed_robots) {
  using T = TypeParam;
  int elastic = 0, coupled = 0;
  for_each_drive(
      [&](const Model& model, Random& random) {
        elastic += static_cast<int>(model.drives().elastic.size());
        coupled += static_cast<int>(model.drives().coupled.size());
        DrivenRig<T> rig(model, random);
        rig.inverse(true);
        VecX<T> a(model.nv()), alpha(model.nv());
        ASSERT_TRUE(drive_forward_dynamics<T>(rig.plant, rig.state(), rig.drive_state(),
                                              rig.out.motor, rig.drive_ws, a, alpha));
        const double rounding = std::same_as<T, float> ? 2e-3 : 1e-11;
        const T size(static_cast<Real<T>>(std::max(1.0, largest(rig.out.link))));
        expect_close(VecX<T>(times<T>(rig.mass(), VecX<T>(a - rig.a)) / size),
                     VecX<T>(VecX<T>::Zero(model.nv())), rounding);
        const T fast(static_cast<Real<T>>(std::max(1.0, largest(rig.out.alpha))));
        expect_close(VecX<T>(alpha / fast), VecX<T>(rig.out.alpha / fast), rounding * 10);
      },
      {.damped = 0.5});
  EXPECT_GT(elastic, 20);
  EXPECT_GT(coupled, 10);
}

TEST(DriveDynamics, torques_of_plain_robots_are_those_of_inverse_dynamics) {
  for_each_model(
      [](const Model& model, Random& random) {
        ASSERT_TRUE(model.drives().plain());
        DrivenRig<double> rig(model, random);
        rig.inverse();
        expect_close(rig.out.motor, rig.torque(), 1e-12);
        expect_close(rig.out.link, rig.torque(), 1e-12);
      },
      {}, 10);
}

/// The torques along a motion, its derivatives by dual numbers of dual numbers.
TEST(DriveDynamics, rates_of_torques_are_derivatives_in_time_by_nested_dual_numbers) {
  for_each_model(
      [](const Model& model, Random& random) {
        DrivenRig<double> rig(model, random);
        rig.inverse();

        const Twice t = time_twice();
        const auto up = [](const Eigen::VectorXd& x) { return VecX<Twice>(x.cast<Twice>()); };
        const Twice half = t * t * Twice(0.5);
        const VecX<Twice> along = up(rig.v) * t + up(rig.a) * half;
        VecX<Twice> q(model.nq());
        integrate<Twice>(model, up(rig.q), along, q);
        const VecX<Twice> v = up(rig.v) + up(rig.a) * t + up(rig.jerk) * half,
                          a = up(rig.a) + up(rig.jerk) * t + up(rig.snap) * half;
        Rig<Twice> moving(model, q, v, a);
        const VecX<Twice> tau = moving.torque();
        const double size = std::max(1.0, largest(rig.out.link_rate2));
        for (Eigen::Index i = 0; i < model.nv(); ++i) {
          EXPECT_NEAR(rig.out.link(i), tau(i).value.value, 1e-12 * size);
          EXPECT_NEAR(rig.out.link_rate(i), tau(i).value.gradient[0], 1e-12 * size);
          EXPECT_NEAR(rig.out.link_rate2(i), tau(i).gradient[0].gradient[0], 1e-11 * size);
        }
      },
      {}, 12);
}

/// Energy of links, springs and rotors at a moment t after now.
double power_of_energy(DrivenRig<double>& rig, const Eigen::VectorXd& a,
                       const Eigen::VectorXd& alpha) {
  using D = Dual<double, 4>;
  const Model& model = rig.model();
  const D t = D::variable(0.0, 0);
  const auto up = [](const Eigen::VectorXd& x) { return VecX<D>(x.cast<D>()); };
  VecX<D> q(model.nq());
  integrate<D>(model, up(rig.q), VecX<D>(up(rig.v) * t), q);
  Kinematics<D> at(model);
  at.set(q, VecX<D>(up(rig.v) + up(a) * t));
  DriveState<D> drives(model);
  drives.theta = up(rig.out.theta) + up(rig.out.omega) * t;
  drives.omega = up(rig.out.omega) + up(alpha) * t;
  Plant<D> plant(model);
  Workspace<D> ws(model);
  const D energy = kinetic_energy<D>(plant, at, ws) + potential_energy<D>(plant, at, ws) +
                   spring_energy<D>(plant, at, drives) + rotor_energy<D>(plant, at, drives);
  return energy.gradient[0];
}

TEST(DriveDynamics, power_of_motors_is_the_rate_of_energy_of_links_springs_and_rotors) {
  for (const double mounted : {0.0, 0.7}) {
    SCOPED_TRACE(mounted > 0.0 ? "rotors carried by links" : "rotors by themselves");
    for_each_drive(
        [](const Model& model, Random& random) {
          DrivenRig<double> rig(model, random);
          rig.out.theta = random_v(model, random, 0.2), rig.out.omega = random_v(model, random);
          for (const int c : model.drives().elastic)
            rig.out.theta(c) += rig.q(model.drives().position(c));
          const Eigen::VectorXd tau = random_v(model, random, 5.0);
          Eigen::VectorXd a(model.nv()), alpha(model.nv());
          ASSERT_TRUE(drive_forward_dynamics<double>(rig.plant, rig.state(), rig.drive_state(), tau,
                                                     rig.drive_ws, a, alpha));
          double power = 0.0;
          for (const auto& [motor, c, ratio] : model.drives().gears) {
            const bool elastic = model.drives().stiffness(c) > 0.0;
            power += tau(motor) * ratio * (elastic ? rig.out.omega(c) : rig.v(c));
          }
          const double rate = power_of_energy(rig, a, alpha);
          EXPECT_NEAR(rate, power, 1e-9 * std::max(1.0, std::abs(power)));
        },
        {.coupled = mounted > 0.0 ? 0.0 : 0.5, .mounted = mounted, .friction = false},
        {.mimic = 0.0, .dynamics = false});
  }
}

/// A rotor that a link carries is a body of its own that turns in the link.
TEST(DriveDynamics, rotors_carried_by_links_move_as_bodies_of_their_own_do) {
  int carried = 0;
  for_each_drive(
      [&](const Model& model, Random& random) {
        const DriveTrain& train = model.drives();
        // links without what their rotors have about their axes, and a link for each rotor
        Description d = with_plain_drives(model).description();
        d.motors.clear();
        for (JointDescription& j : d.joints) j.dynamics = {};
        for (const MotorDescription& m : model.description().motors) {
          const auto joint = std::ranges::find(model.description().joints, m.gears[0].joint,
                                               &JointDescription::name);
          if (!m.mount || !joint->spring) continue;
          const auto link = std::ranges::find(d.links, m.mount->link, &LinkDescription::name);
          const Vec3<double>& s = m.mount->axis;
          link->inertial->inertia -= m.inertia * s * s.transpose();
          Inertial rotor;
          rotor.inertia = m.inertia * s * s.transpose();
          d.links.push_back({"rotor_" + m.name, rotor});
          JointDescription turns{"turn_" + m.name, JointType::continuous, m.mount->link,
                                 "rotor_" + m.name};
          turns.axis = s;
          d.joints.push_back(turns);
        }
        const Model bodies = Builder(d).build();

        DrivenRig<double> rig(model, random);
        // rotors that are not bodies are no part of this
        rig.plant.armature.setZero(), rig.plant.drives.rotor.setZero();
        rig.out.theta = random_v(model, random, 0.2), rig.out.omega = random_v(model, random);
        const Eigen::VectorXd tau = random_v(model, random, 5.0);
        Eigen::VectorXd a(model.nv()), alpha(model.nv()), s = Eigen::VectorXd::Zero(model.nv());
        ASSERT_TRUE(drive_forward_dynamics<double>(rig.plant, rig.state(), rig.drive_state(), tau,
                                                   rig.drive_ws, a, alpha));
        spring_torque<double>(rig.plant, rig.state(), rig.drive_state(), s);

        Eigen::VectorXd q = neutral(bodies), v = Eigen::VectorXd::Zero(bodies.nv()), torque = v;
        for (int b = 1; b < model.body_count(); ++b) {
          const Joint &j = model.joint(b),
                      &k = bodies.joint(bodies.joint_index(model.joint_name(b)));
          q.segment(k.q, configuration_size(j.type)) =
              rig.q.segment(j.q, configuration_size(j.type));
          for (int i = 0; i < velocity_size(j.type); ++i) {
            v(k.v + i) = rig.v(j.v + i);
            const DriveTrain::Entry& gear = train.gear_of(j.v + i);
            torque(k.v + i) =
                train.stiffness(j.v + i) > 0.0 ? s(j.v + i) : gear.ratio * tau(j.v + i);
          }
        }
        for (const auto& [motor, body, axis] : train.mounts) {
          const DriveTrain::Entry& gear = train.gear_of(motor);
          const Joint& turn = bodies.joint(
              bodies.joint_index("turn_" + train.motor_names[static_cast<std::size_t>(motor)]));
          v(turn.v) = gear.ratio * rig.out.omega(gear.coordinate);
          torque(turn.v) = tau(motor) - s(gear.coordinate) / gear.ratio;
        }
        Kinematics<double> at(bodies);
        at.set(q, v);
        Eigen::VectorXd expected(bodies.nv());
        Workspace<double> ws(bodies);
        ASSERT_TRUE(forward_dynamics<double>(Plant<double>(bodies), at, torque, ws, expected));
        const double size = std::max(1.0, expected.cwiseAbs().maxCoeff());
        for (int b = 1; b < model.body_count(); ++b) {
          const Joint &j = model.joint(b),
                      &k = bodies.joint(bodies.joint_index(model.joint_name(b)));
          for (int i = 0; i < velocity_size(j.type); ++i)
            EXPECT_NEAR(a(j.v + i), expected(k.v + i), 1e-10 * size) << model.joint_name(b);
        }
        for (const auto& [motor, body, axis] : train.mounts) {
          ++carried;
          const DriveTrain::Entry& gear = train.gear_of(motor);
          const Joint& turn = bodies.joint(
              bodies.joint_index("turn_" + train.motor_names[static_cast<std::size_t>(motor)]));
          EXPECT_NEAR(gear.ratio * alpha(gear.coordinate), expected(turn.v), 1e-10 * size);
        }
      },
      {.elastic = 0.8, .coupled = 0.0, .mounted = 0.7, .friction = false},
      {.mimic = 0.0, .dynamics = false});
  EXPECT_GT(carried, 20);
}

TEST(DriveDynamics, damped_springs_whose_past_is_not_given_carry_the_links_all_the_same) {
  int damped = 0;
  for_each_drive(
      [&](const Model& model, Random& random) {
        DrivenRig<double> rig(model, random);
        rig.plant.drives.hardening.setZero();
        rig.inverse();
        for (const int c : model.drives().elastic) {
          const double K = rig.plant.drives.stiffness(c), D = rig.plant.drives.spring_damping(c);
          damped += D > 0.0;
          const double e = rig.out.theta(c) - rig.q(model.drives().position(c)),
                       rate = rig.out.omega(c) - rig.v(c);
          EXPECT_NEAR(K * e + D * rate, rig.out.link(c),
                      1e-11 * std::max(1.0, largest(rig.out.link)));
        }
      },
      {.damped = 0.7});
  EXPECT_GT(damped, 20);
}

/// The error of the rigid robot is in proportion to 1/K.
TEST(DriveDynamics, stiff_springs_approach_the_rigid_robot_at_the_rate_of_their_compliance) {
  for_each_drive(
      [](const Model& model, Random& random) {
        if (model.drives().elastic.empty()) return;
        DrivenRig<double> rig(model, random);
        rig.plant.drives.hardening.setZero();
        const auto motors_with = [&](double factor) {
          DrivenRig<double> other = rig;
          other.plant.drives.stiffness *= factor;
          return Eigen::VectorXd(other.inverse().motor);
        };
        const Eigen::VectorXd rigid = motors_with(1e12);
        const double near = (motors_with(1e3) - rigid).norm(),
                     far = (motors_with(1e2) - rigid).norm();
        EXPECT_NEAR(far / near, 10.0, 0.01);
      },
      {.friction = false}, {.dynamics = false}, 6);
}

/// Links and rotor of one joint about a vertical axis: w² = K (1/I + 1/B).
TEST(DriveDynamics, one_link_vibrates_at_the_frequency_of_the_closed_form) {
  const double I = 0.3, J = 2e-4, n = 50.0, K = 800.0;
  Builder builder("one link");
  builder.link("base").link("arm",
                            Inertial(1.0, Vec3<double>::Zero(), I * Mat3<double>::Identity()));
  builder.joint("turn", JointType::continuous, "base", "arm");
  builder.last_joint().spring = Spring{K};
  const Model model = builder.motor({"motor", {{"turn", n}}, J}).build();

  using D = Dual<double, 4>;
  Plant<D> plant(model);
  Kinematics<D> at(model);
  DriveWorkspace<D> ws(model);
  DriveState<D> drives(model);
  VecX<D> q(1), v = VecX<D>::Zero(1), tau = VecX<D>::Zero(1), a(1), alpha(1);
  q(0) = D::variable(0.2, 0), drives.theta(0) = D::variable(0.2, 1);
  at.set(q, v);
  ASSERT_TRUE(drive_forward_dynamics<D>(plant, at, drives, tau, ws, a, alpha));
  // d(alpha - a) = -w² d(theta - q)
  const double w2 = a(0).gradient[0] * -1.0 + alpha(0).gradient[0];
  EXPECT_NEAR(w2 / (K * (1.0 / I + 1.0 / (n * n * J))), 1.0, 1e-12);
}

TEST(DriveDynamics, torques_of_robots_whose_links_carry_rotors_are_refused_with_the_reason) {
  Random random(1);
  const Model model = with_random_drives(random_model(2, {.mimic = 0.0}), random,
                                         {.elastic = 1.0, .coupled = 0.0, .mounted = 1.0});
  ASSERT_FALSE(model.drives().mounts.empty());
  DrivenRig<double> rig(model, random);
  EXPECT_EQ(told([&] { rig.inverse(); }),
            "the rotors of robot 'random' are carried by links: torques of a motion need its "
            "derivatives of higher order than the fourth; leave the carriers out");
}

}  // namespace
}  // namespace ulna::test

namespace ulna {
ULNA_INSTANTIATE_DYNAMICS(, Dual<Dual<double, 1>, 1>)
ULNA_INSTANTIATE_DRIVES(, float)
}  // namespace ulna
