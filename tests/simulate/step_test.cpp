#include "ulna/simulate/step.hpp"

#include "simulate/growing.hpp"
#include "support/varied.hpp"
#include "ulna/io/import.hpp"
#include "ulna/spatial/solid.hpp"

// Steps in time: their order, what they keep, and their derivatives against dual numbers.
namespace ulna::test {
namespace {

int order(Integrator integrator) {
  return integrator == Integrator::rk4 ? 4 : integrator == Integrator::midpoint ? 2 : 1;
}

struct Place {
  Eigen::VectorXd q, v;
};

/// Where a robot is after some time of steps, under constant torques.
Place go(const Rig<double>& rig, Integrator integrator, double time, int steps) {
  Step<double> step(rig.model(), integrator);
  Place at{rig.q, rig.v};
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(step(rig.plant, at.q, at.v, rig.a, time / steps));
    at = {step.q_next, step.v_next};
  }
  return at;
}

double distance(const Model& model, const Place& x, const Place& y) {
  return std::max(difference(model, x.q, y.q).cwiseAbs().maxCoeff(),
                  (x.v - y.v).cwiseAbs().maxCoeff());
}

/// Without dry friction, whose jumps spoil any order.
Rig<double> smooth_rig(const Model& model, Random& random) {
  Rig<double> rig(model, random);
  rig.plant.friction.setZero(), rig.plant.friction_negative.setZero();
  return rig;
}

TEST(Step, has_its_order_on_all_kinds_of_joints) {
  RandomModelOptions options;
  options.joints = 7;
  for_each_robot(
      [](const Model& model, Random& random) {
        const Rig<double> rig = smooth_rig(model, random);
        const double time = 0.02;
        const Place exact = go(rig, Integrator::rk4, time, 256);
        for (const Integrator integrator : all_integrators) {
          const int n = order(integrator) == 4 ? 4 : 16;
          const double coarse = distance(model, go(rig, integrator, time, n), exact),
                       fine = distance(model, go(rig, integrator, time, 2 * n), exact);
          EXPECT_NEAR(std::log2(coarse / fine), order(integrator), 0.35)
              << "method " << static_cast<int>(integrator) << ": " << coarse << " -> " << fine;
        }
      },
      4, options);
}

/// A book thrown into the air: momentum in the world stays, and so does the energy, as far as the
/// method's order goes; of a heavy one, momentum grows by its weight.
TEST(Step, a_thrown_body_keeps_its_momentum) {
  const Model model =
      Builder("book")
          .link("ground")
          .link("book", Inertial(solid_box(Vec3<double>(0.2, 0.3, 0.04)).with_mass(2.0)))
          .joint("flight", JointType::floating, "ground", "book")
          .build();
  Random random(1);
  Rig<double> rig(model, random);
  rig.a.setZero();
  rig.v *= 5.0;
  Workspace<double> ws(model);
  const auto momentum_of = [&](const Place& at) {
    Kinematics<double> state(model);
    state.set(at.q, at.v);
    return centroidal_momentum<double>(rig.plant, state, ws).vector();
  };
  const Place end = go(rig, Integrator::rk4, 1.0, 1000);
  Vec6<double> expected = momentum_of({rig.q, rig.v});
  expected.tail<3>() += 2.0 * model.gravity();
  expect_close(momentum_of(end), expected, 1e-9);
}

// Symplectic where the mass matrix is constant.
TEST(Step, semi_implicit_euler_keeps_the_energy_of_a_pendulum_bounded_and_euler_does_not) {
  const Model model =
      Builder("pendulum")
          .link("ground")
          .link("bob", Inertial(Transform<double>::from_translation({1.0, 0.0, 0.0}) *
                                solid_sphere(0.1).with_mass(1.0)))
          .joint("hinge", JointType::continuous, "ground", "bob", {}, Vec3<double>::UnitY())
          .build();
  Random random(2);
  Rig<double> rig(model, random);
  rig.without_resistance();
  rig.a.setZero();
  rig.v.setZero();
  Workspace<double> ws(model);
  const auto energy = [&](const Place& at) {
    Kinematics<double> state(model);
    state.set(at.q, at.v);
    return kinetic_energy<double>(rig.plant, state, ws) +
           potential_energy<double>(rig.plant, state, ws);
  };
  const double start = energy({rig.q, rig.v});
  const double drift =
      std::abs(energy(go(rig, Integrator::semi_implicit_euler, 20.0, 20000)) - start);
  const double fall = std::abs(energy(go(rig, Integrator::euler, 20.0, 20000)) - start);
  EXPECT_LT(drift, 0.02);
  EXPECT_GT(fall, 5.0 * drift);
}

TEST(Step, refuses_what_overflows_and_leaves_all_as_it_was) {
  const Model model = load_robot("panda").model;
  Random random(3);
  const Rig<double> rig(model, random);
  Step<double> step(model, Integrator::rk4);
  StepDerivatives slope(model, Integrator::rk4);
  ASSERT_TRUE(step(rig.plant, rig.q, rig.v, rig.a, 0.01));
  ASSERT_TRUE(slope(rig.plant, rig.q, rig.v, rig.a, 0.01));
  const Eigen::VectorXd q = step.q_next;
  const Eigen::MatrixXd A = slope.A;
  EXPECT_FALSE(step(rig.plant, rig.q, rig.v, rig.a, 1e300));
  EXPECT_FALSE(slope(rig.plant, rig.q, rig.v, rig.a, 1e300));
  EXPECT_EQ(step.q_next, q);
  EXPECT_EQ(slope.A, A);
  EXPECT_THROW((void)step(rig.plant, rig.q, rig.v, rig.a, NAN), std::invalid_argument);
  EXPECT_THROW((void)step(rig.plant, rig.q.head(3), rig.v, rig.a, 0.01), std::invalid_argument);
}

/// Column k of (A B): a step in dual numbers, displaced along it.
Eigen::VectorXd column(const Rig<double>& rig, Integrator integrator, By by, int k, double h,
                       const std::vector<ExternalWrench<double>>& wrenches) {
  const Model& model = rig.model();
  const Rig<Dual1> dual = varied(rig, k, by);
  const auto list = cast<Dual1>(wrenches);
  Step<Dual1> step(model, integrator);
  EXPECT_TRUE(step(dual.plant, dual.q, dual.v, dual.a, h, ExternalWrenches<Dual1>(list)));
  VecX<Dual1> there(model.nq()), moved(model.nv());
  for (int i = 0; i < model.nq(); ++i) there(i) = Dual1(step.q_next(i).value);
  difference<Dual1>(model, there, step.q_next, moved);
  Eigen::VectorXd column(2 * model.nv());
  column << gradient(moved), gradient(step.v_next);
  return column;
}

TEST(StepDerivatives, are_those_of_dual_numbers) {
  for_each_robot(
      [](const Model& model, Random& random) {
        const Rig<double> rig(model, random);
        const int n = model.nv();
        const auto wrenches = random_wrenches<double>(model, random);
        const double h = 0.02;
        for (const Integrator integrator : all_integrators) {
          SCOPED_TRACE("method " + std::to_string(static_cast<int>(integrator)));
          StepDerivatives slope(model, integrator);
          ASSERT_TRUE(slope(rig.plant, rig.q, rig.v, rig.a, h, ExternalWrenches<double>(wrenches)));
          Eigen::MatrixXd A(2 * n, 2 * n), B(2 * n, n);
          for (int k = 0; k < n; ++k) {
            A.col(k) = column(rig, integrator, By::q, k, h, wrenches);
            A.col(n + k) = column(rig, integrator, By::v, k, h, wrenches);
            B.col(k) = column(rig, integrator, By::a, k, h, wrenches);
          }
          expect_close(slope.A, A, 1e-10);
          expect_close(slope.B, B, 1e-10);
        }
      },
      4);
}

TEST(StepDerivatives, may_count_the_duration_too) {
  for_each_robot(
      [](const Model& model, Random& random) {
        const Rig<double> rig = smooth_rig(model, random);
        const int n = model.nv();
        const double h = 0.02;
        for (const Integrator integrator : all_integrators) {
          SCOPED_TRACE("method " + std::to_string(static_cast<int>(integrator)));
          StepDerivatives plain(model, integrator), timed(model, integrator, true);
          Step<double> step(model, integrator);
          ASSERT_TRUE(plain(rig.plant, rig.q, rig.v, rig.a, h));
          ASSERT_TRUE(timed(rig.plant, rig.q, rig.v, rig.a, h));
          const Eigen::VectorXd slope = five_point_derivative(
              [&](double later) -> Eigen::VectorXd {
                EXPECT_TRUE(step(rig.plant, rig.q, rig.v, rig.a, h + later));
                Eigen::VectorXd way(2 * n);
                way << difference(model, timed.step.q_next, step.q_next), step.v_next;
                return way;
              },
              1e-4);
          expect_close(timed.B.col(n).eval(), slope, 1e-8);
          EXPECT_EQ(timed.A, plain.A);
          EXPECT_EQ(timed.B.leftCols(n), plain.B);
        }
      },
      4);
}

TEST(StepDerivatives, the_step_is_that_of_Step) {
  for_each_robot(
      [](const Model& model, Random& random) {
        const Rig<double> rig(model, random);
        for (const Integrator integrator : all_integrators) {
          StepDerivatives slope(model, integrator);
          Step<double> step(model, integrator);
          ASSERT_TRUE(slope(rig.plant, rig.q, rig.v, rig.a, 0.01));
          ASSERT_TRUE(step(rig.plant, rig.q, rig.v, rig.a, 0.01));
          expect_close(slope.step.q_next, step.q_next, 1e-11);
          expect_close(slope.step.v_next, step.v_next, 1e-11);
        }
      },
      3);
}

TEST(StepSensitivities, are_those_of_differences) {
  for_each_robot(
      [](const Model& model, Random& random) {
        const Rig<double> rig = smooth_rig(model, random);
        const double h = 0.02;
        const int n = model.nv();
        for (const Integrator integrator : all_integrators) {
          SCOPED_TRACE("method " + std::to_string(static_cast<int>(integrator)));
          Growing drive(rig, h);
          StepSensitivities slope(model, integrator, drive.size()), other = slope;
          ASSERT_TRUE(slope(rig.plant, rig.q, rig.v, drive, h));
          ASSERT_TRUE(other(rig.plant, rig.q, rig.v, drive, h, false));
          expect_close(other.step.q_next, slope.step.q_next, 1e-12);
          expect_close(other.step.v_next, slope.step.v_next, 1e-11);

          Eigen::VectorXd pi(rig.plant.inertial_size());
          rig.plant.get_inertial(pi);
          const auto moved = [&](int k, double by) {
            Rig<double> at = rig;
            Growing changed = drive;
            const int of_v = k - static_cast<int>(pi.size());
            if (of_v < 0) {
              Eigen::VectorXd x = pi;
              x(k) += by;
              at.plant.set_inertial(x);
            } else if (of_v < n) {
              changed.damping(of_v) += by;
            } else {
              changed.speed += by;
            }
            EXPECT_TRUE(other(at.plant, at.q, at.v, changed, h, false));
            Eigen::VectorXd change(2 * n);
            change << difference(model, slope.step.q_next, other.step.q_next), other.step.v_next;
            return change;
          };
          Eigen::MatrixXd P(2 * n, drive.size());
          const double eps = 1e-5;
          for (int k = 0; k < drive.size(); ++k)
            P.col(k) = (moved(k, eps) - moved(k, -eps)) / (2.0 * eps);
          expect_close(slope.B, P, 1e-6);

          Eigen::MatrixXd A(2 * n, 2 * n);
          for (int k = 0; k < 2 * n; ++k) {
            const auto displaced = [&](double by) {
              const Eigen::VectorXd along = by * Eigen::VectorXd::Unit(2 * n, k);
              const Eigen::VectorXd q = integrate(model, rig.q, along.head(n));
              EXPECT_TRUE(other(rig.plant, q, rig.v + along.tail(n), drive, h, false));
              Eigen::VectorXd change(2 * n);
              change << difference(model, slope.step.q_next, other.step.q_next), other.step.v_next;
              return change;
            };
            A.col(k) = (displaced(eps) - displaced(-eps)) / (2.0 * eps);
          }
          expect_close(slope.A, A, 1e-6);
        }
      },
      3);
}

}  // namespace
}  // namespace ulna::test
