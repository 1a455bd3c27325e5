#include <numbers>

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

// One body on one joint: equations of motion that fit on a line.
namespace ulna::test {
namespace {

/// A body with principal axes along its frame's and the centre of mass at c.
const Vec3<double> moments(0.3, 0.5, 0.7);
const double mass = 2.0;
const Vec3<double> gravity(0.3, -0.7, -9.81);

Inertial body(const Vec3<double>& com) { return {mass, com, moments.asDiagonal()}; }

Model on_one_joint(JointType type, const Inertial& inertial, double pitch = 0.0) {
  Builder b("body");
  b.gravity(gravity).link("base").link("body", inertial);
  b.joint("joint", type, "base", "body");
  b.last_joint().pitch = pitch;
  return b.build();
}

TEST(Pendulum, moves_by_the_law_of_the_physical_pendulum) {
  const Model model = load_robot("pendulum").model;
  for_each_seed([&](Random& random) {
    Rig<double> rig(model, random);
    // (m L² + 2/5 m R²) a + m g L sin q, with m = 1, L = 0.5, R = 0.05
    EXPECT_NEAR(rig.torque()(0), 0.251 * rig.a(0) + 4.905 * std::sin(rig.q(0)), 1e-14);
  });
}

// T = 4 √(I/(m g L)) K(sin(q0/2)), and the complete elliptic integral is π/(2 agm(1, cos(q0/2))).
TEST(Pendulum, swings_with_the_period_of_the_elliptic_integral) {
  const Model model = load_robot("pendulum").model;
  const Plant<double> plant(model);
  Kinematics<double> at(model);
  Workspace<double> ws(model);
  for (const double amplitude : {0.1, 1.0, 2.5}) {
    double x = 1.0, y = std::cos(0.5 * amplitude);
    for (int i = 0; i < 6; ++i) {
      const double mean = 0.5 * (x + y);
      y = std::sqrt(x * y), x = mean;
    }
    const double period = 2.0 * std::numbers::pi * std::sqrt(0.251 / 4.905) / x;

    // a quarter of it by Runge and Kutta, from rest to the lowest point
    Eigen::VectorXd q(1), v(1), a(1);
    const auto rate = [&](const Eigen::Vector2d& s) -> Eigen::Vector2d {
      q(0) = s(0), v(0) = s(1);
      at.set(q, v);
      EXPECT_TRUE(forward_dynamics<double>(plant, at, Eigen::VectorXd::Zero(1), ws, a));
      return {s(1), a(0)};
    };
    Eigen::Vector2d s(amplitude, 0.0);
    const int steps = 2000;
    const double h = 0.25 * period / steps;
    for (int i = 0; i < steps; ++i) {
      const Eigen::Vector2d k1 = rate(s), k2 = rate(s + 0.5 * h * k1), k3 = rate(s + 0.5 * h * k2),
                            k4 = rate(s + h * k3);
      s += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    EXPECT_NEAR(s(0), 0.0, 1e-11) << "from " << amplitude;
    EXPECT_NEAR(s(1), -std::sqrt(2.0 * 4.905 * (1.0 - std::cos(amplitude)) / 0.251), 1e-11);
  }
}

// Euler's equations: I dw + w x I w is the moment, and with v in the body's axes m (dv + w x v) is
// the force; the weight is seen from the body.
TEST(FreeBody, moves_by_the_laws_of_newton_and_euler) {
  const Model model = on_one_joint(JointType::floating, body(Vec3<double>::Zero()));
  for_each_seed([&](Random& random) {
    Rig<double> rig(model, random);
    const Vec3<double> w = rig.v.head<3>(), v = rig.v.tail<3>(), dw = rig.a.head<3>(),
                       dv = rig.a.tail<3>();
    const Mat3<double> I = moments.asDiagonal();
    const Rotation<double> R = rig.at().pose(1).rotation();
    Eigen::VectorXd wrench(6);
    wrench << I * dw + cross(w, Vec3<double>(I * w)),
        mass * (dv + cross(w, v) - R.inverse_apply(gravity));
    expect_close(rig.torque(), wrench, 1e-14);
    // left to itself it falls, and tumbles by dw1 = (I2 - I3) / I1 w2 w3
    Eigen::VectorXd a(6);
    ASSERT_TRUE(rig.accelerate(Eigen::VectorXd::Zero(6), a));
    const Vec3<double> spin((moments(1) - moments(2)) / moments(0) * w(1) * w(2),
                            (moments(2) - moments(0)) / moments(1) * w(2) * w(0),
                            (moments(0) - moments(1)) / moments(2) * w(0) * w(1));
    expect_close(Vec3<double>(a.head<3>()), spin, 1e-14);
    expect_close(Vec3<double>(a.tail<3>()), Vec3<double>(R.inverse_apply(gravity) - cross(w, v)),
                 1e-14);
    expect_close(kinetic_energy<double>(rig.plant, rig.state(), rig.ws),
                 0.5 * (w.dot(I * w) + mass * v.squaredNorm()), 1e-14);
  });
}

// A top: about the fixed point I0 = I + m (c'c 1 - c c'), and its weight turns it over.
TEST(BallJoint, carries_a_heavy_top) {
  const Vec3<double> c(0.1, -0.2, 0.4);
  const Model model = on_one_joint(JointType::ball, body(c));
  for_each_seed([&](Random& random) {
    Rig<double> rig(model, random);
    const Vec3<double> w = rig.v, dw = rig.a;
    const Mat3<double> I0 = Mat3<double>(moments.asDiagonal()) +
                            mass * (c.squaredNorm() * Mat3<double>::Identity() - c * c.transpose());
    const Vec3<double> weight = rig.at().pose(1).rotation().inverse_apply(mass * gravity);
    const Vec3<double> moment = I0 * dw + cross(w, Vec3<double>(I0 * w)) - cross(c, weight);
    expect_close(rig.torque(), Eigen::VectorXd(moment), 1e-14);
  });
}

// In the moving frame: with c the centre of mass, p'' = dv + w x v, and the centre has
// p'' + dw x c - w² c. Written out for the plane.
TEST(PlanarJoint, slides_and_turns_a_puck) {
  const double cx = 0.2, cy = -0.3;
  const Model model = on_one_joint(JointType::planar, body({cx, cy, 0.4}));
  for_each_seed([&](Random& random) {
    Rig<double> rig(model, random);
    const double w = rig.v(0), vx = rig.v(1), vy = rig.v(2), dw = rig.a(0);
    const double s = std::sin(rig.q(0)), k = std::cos(rig.q(0));
    const double gx = k * gravity.x() + s * gravity.y(), gy = -s * gravity.x() + k * gravity.y();
    const double ax = rig.a(1) - w * vy - dw * cy - w * w * cx - gx;
    const double ay = rig.a(2) + w * vx + dw * cx - w * w * cy - gy;
    const Vec3<double> tau(moments.z() * dw + mass * (cx * ay - cy * ax), mass * ax, mass * ay);
    expect_close(rig.torque(), Eigen::VectorXd(tau), 1e-14);
  });
}

// A turn lifts by 2π pitch: tau = (Izz + m (cx² + cy²) + m pitch²) a - pitch m g_z - the moment of
// the weight about the axis.
TEST(HelicalJoint, is_a_lead_screw) {
  const double pitch = 0.07, cx = 0.2, cy = -0.1;
  const Model model = on_one_joint(JointType::helical, body({cx, cy, 0.4}), pitch);
  for_each_seed([&](Random& random) {
    Rig<double> rig(model, random);
    const double s = std::sin(rig.q(0)), k = std::cos(rig.q(0));
    const double x = k * cx - s * cy, y = s * cx + k * cy;
    const double inertia = moments.z() + mass * (cx * cx + cy * cy + pitch * pitch);
    const double tau = inertia * rig.a(0) - mass * pitch * gravity.z() -
                       mass * (x * gravity.y() - y * gravity.x());
    EXPECT_NEAR(rig.torque()(0), tau, 1e-14);
    EXPECT_NEAR(rig.mass()(0, 0), inertia, 1e-15);
    expect_close(rig.coriolis(), Eigen::MatrixXd(Eigen::MatrixXd::Zero(1, 1)), 1e-15);
  });
}

// (m1 + m2) g pitch holds the embedded one up while its arm hangs straight, wherever it has turned.
TEST(HelicalJoint, of_the_embedded_lead_screw_carries_screw_and_arm) {
  const Model model = load_robot("lead_screw").model;
  Random random(1);
  for (int i = 0; i < 5; ++i) {
    Rig<double> rig(model, random);
    const int thread = model.joint_index("thread");
    EXPECT_NEAR(rig.gravity()(model.joint(thread).v), 2.5 * 9.81 * 0.01 / (2.0 * std::numbers::pi),
                1e-12);
  }
}

TEST(PrismaticJoint, carries_its_weight_along_the_axis_and_nothing_else) {
  const Model model = on_one_joint(JointType::prismatic, body({0.1, 0.2, 0.3}));
  for_each_seed([&](Random& random) {
    Rig<double> rig(model, random);
    // the default axis of a joint is z
    EXPECT_NEAR(rig.torque()(0), mass * (rig.a(0) - gravity.z()), 1e-14);
  });
}

}  // namespace
}  // namespace ulna::test
