#include "support/dynamics.hpp"
#include "ulna/derivatives/derivatives.hpp"
#include "ulna/dynamics/batch.hpp"

// A plant in another gravity is a robot whose description has that gravity.
namespace ulna::test {
namespace {

/// The same robot twice: with another gravity as a number of its plant, and in its description.
struct Elsewhere {
  Rig<double> plant, robot;

  Elsewhere(const Model& model, Random& random) : plant(model, random), robot(plant) {
    const Vec3<double> g(1.0, -2.0, -3.0);
    plant.plant.gravity = g;
    robot = Rig<double>(model.with_gravity(g), plant.q, plant.v, plant.a);
  }
};

TEST(PlantGravity, is_that_of_inverse_and_forward_dynamics_and_of_energy) {
  for_each_robot([](const Model& model, Random& random) {
    Elsewhere there(model, random);
    EXPECT_EQ(there.plant.torque(), there.robot.torque());
    EXPECT_EQ(there.plant.gravity(), there.robot.gravity());
    EXPECT_EQ(there.plant.energy(), there.robot.energy());
    const Eigen::VectorXd tau = there.plant.a;
    Eigen::VectorXd a(model.nv()), b(model.nv());
    ASSERT_EQ(there.plant.accelerate(tau, a), there.robot.accelerate(tau, b));
    EXPECT_EQ(a, b);
    EXPECT_NE(there.plant.gravity(),
              Rig<double>(model, there.plant.q, there.plant.v, tau).gravity());
  });
}

TEST(PlantGravity, is_that_of_derivatives) {
  for_each_robot([](const Model& model, Random& random) {
    Elsewhere there(model, random);
    const auto derivatives_of = [](const Rig<double>& rig) {
      DerivativeWorkspace<double> ws(rig.model());
      InverseDynamicsDerivatives<double> out(rig.model());
      inverse_dynamics_derivatives<double>(rig.plant, rig.motion(), ws, out);
      return out;
    };
    const auto one = derivatives_of(there.plant), other = derivatives_of(there.robot);
    EXPECT_EQ(one.tau, other.tau);
    EXPECT_EQ(one.dq, other.dq);
    EXPECT_EQ(one.dv, other.dv);
  });
}

TEST(PlantGravity, is_that_of_batches) {
  for_each_robot([](const Model& model, Random& random) {
    const Elsewhere there(model, random);
    const auto columns = [](const Eigen::VectorXd& x) { return x.replicate(1, 9).eval(); };
    const auto torques = [&](const Rig<double>& rig) {
      Eigen::MatrixXd tau(model.nv(), 9);
      Batch(rig.model(), 1)
          .inverse_dynamics(rig.plant, columns(rig.q), columns(rig.v), columns(rig.a), tau);
      return tau;
    };
    EXPECT_EQ(torques(there.plant), torques(there.robot));
  });
}

}  // namespace
}  // namespace ulna::test
