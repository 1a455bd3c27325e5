#include "support/closed_loops.hpp"
#include "support/reduction.hpp"
#include "ulna/io/import.hpp"
#include "ulna/simulate/simulation.hpp"

// The five-bar and the delta against their geometry: what the files say of lengths is written here once more.
namespace ulna::test {
namespace {

using Eigen::VectorXd;

/// By the angles of the two motors: (left motor, left elbow, right motor, right elbow).
struct FiveBarGeometry {
  template <class T>
  VecX<T> operator()(const VecX<T>& y) const {
    const double l = 0.09, half = 0.059, right_angle = 0.5 * M_PI,
                 h = std::sqrt(l * l - half * half);
    const T alpha = y(0) + T(right_angle), beta = y(1) + T(right_angle);
    const T bx = T(-half) + T(l) * cos(alpha), by = T(l) * sin(alpha);
    const T dx = T(half) + T(l) * cos(beta), dy = T(l) * sin(beta);
    // the tip is where the circles about the elbows meet, on the far side
    const T wx = T(0.5) * (dx - bx), wy = T(0.5) * (dy - by), w = sqrt(wx * wx + wy * wy);
    const T high = sqrt(T(l * l) - w * w) / w;
    const T cx = bx + wx - high * wy, cy = by + wy + high * wx;
    VecX<T> q(4);
    q(0) = y(0);
    q(1) = atan2(cy - by, cx - bx) - alpha - T(std::atan2(h, half) - right_angle);
    q(2) = y(1);
    q(3) = atan2(cy - dy, cx - dx) - beta - T(std::atan2(h, -half) - right_angle);
    return q;
  }
};

/// By the platform's displacement: (motor, knee, sway) of three legs, then x, y, z.
struct DeltaGeometry {
  template <class T>
  VecX<T> operator()(const VecX<T>& y) const {
    const double base = 0.18, plate = 0.062, arm = 0.2, rod = 0.368;
    const double across = base + arm - plate, depth = std::sqrt(rod * rod - across * across);
    VecX<T> q(12);
    for (int leg = 0; leg < 3; ++leg) {
      const double phi = 2.0 * M_PI / 3.0 * leg, c = std::cos(phi), s = std::sin(phi);
      // from the motor to the platform's joint, in the axes of the leg
      const T u = T(c) * y(0) + T(s) * y(1) + T(plate - base), w = T(c) * y(1) - T(s) * y(0),
              z = y(2) - T(depth);
      const T k = (u * u + w * w + z * z + T(arm * arm - rod * rod)) / T(2.0 * arm);
      const T far = sqrt(u * u + z * z), x = k / far;
      const T motor = atan2(-z, u) - atan2(sqrt(T(1) - x * x), x);
      const T rx = u - T(arm) * cos(motor), rz = z + T(arm) * sin(motor);
      q(3 * leg) = motor;
      q(3 * leg + 1) = atan2(-rz, rx) - motor - T(std::atan2(depth, -across));
      q(3 * leg + 2) = atan2(w, sqrt(rx * rx + rz * rz));
    }
    for (int i = 0; i < 3; ++i) q(9 + i) = y(i);
    return q;
  }
};

/// The robot without dry friction, which a reduction does not know.
Model smooth_robot(const char* name) {
  Description d = load_robot(name).model.description();
  for (JointDescription& j : d.joints) j.dynamics.friction = j.dynamics.friction_negative = 0.0;
  return Builder(d).build();
}

/// Moves a robot by torques of its drives, and its reduction alike.
template <class Geometry, class Torque>
void expect_moves_as(const Model& model, Geometry geometry, typename Reduction<Geometry>::State at,
                     Torque torque) {
  const Plant<double> plant(model);
  Reduction<Geometry> reduction(plant, geometry);
  std::vector<SimulationOptions> ways{{Integrator::rk4, 1.25e-4, {}}};
  if (has_adaptive()) ways.push_back({.adaptive = AdaptiveOptions{1e-11, 1e-13, 5}});
  for (const SimulationOptions& options : ways) {
    SCOPED_TRACE(options.adaptive ? "adaptive" : "rk4");
    Simulation s(model, options);
    auto state = at;
    s.set_state(reduction.q(state), reduction.v(state));
    expect_close(s.v(), reduction.v(state), 1e-10);
    double moved = 0.0;
    for (int k = 0; k < 100; ++k) {
      const VectorXd tau = torque(k);
      ASSERT_EQ(s.step(tau, 0.005), SimulationStatus::moved);
      reduction.go(state, tau, 0.005, 40);
      ASSERT_LT((s.q() - reduction.q(state)).cwiseAbs().maxCoeff(), 1e-8) << "after step " << k;
      ASSERT_LT((s.v() - reduction.v(state)).cwiseAbs().maxCoeff(),
                1e-8 * (1.0 + s.v().cwiseAbs().maxCoeff()));
      moved = std::max(moved, (state.y - at.y).cwiseAbs().maxCoeff());
    }
    EXPECT_GT(moved, 0.03);
    EXPECT_EQ(s.counts().hits, 0);
    EXPECT_EQ(s.counts().clamped, 0);
  }
}

TEST(SimulatedFiveBar, moves_as_its_reduction_to_two_coordinates) {
  const Model model = smooth_robot("fivebar");
  EXPECT_EQ(Loops(model, model.description().loops, neutral(model)).size(), 2);
  expect_moves_as(
      model, FiveBarGeometry{}, {VectorXd{{0.2, -0.1}}, VectorXd{{0.5, -1.0}}}, [](int k) {
        return VectorXd{{0.01 * std::cos(0.15 * k), 0.0, -0.008 * std::sin(0.2 * k), 0.0}};
      });
}

TEST(SimulatedDelta, moves_as_its_reduction_to_three_coordinates) {
  const Model model = smooth_robot("delta");
  const Loops loops(model, model.description().loops, neutral(model));
  EXPECT_EQ(loops.size(), 9);
  EXPECT_LT(loops.gap().cwiseAbs().maxCoeff(), 1e-12);
  expect_moves_as(model, DeltaGeometry{},
                  {VectorXd{{0.02, -0.03, -0.05}}, VectorXd{{0.1, 0.2, -0.1}}}, [](int k) {
                    VectorXd tau = VectorXd::Zero(12);
                    for (int leg = 0; leg < 3; ++leg)
                      tau(3 * leg) = -0.65 + 0.2 * std::sin(0.08 * k + 2.0 * leg);
                    return tau;
                  });
}

TEST(SimulatedDelta, stays_closed_and_balances_its_energy_with_dry_friction) {
  const Model model = load_robot("delta").model;
  Simulation s(model);
  Loops loops = *s.loops();
  const double before = s.energy();
  double most = 0.0, gap = 0.0;
  VectorXd tau = VectorXd::Zero(12);
  for (int k = 0; k < 500; ++k) {
    for (int leg = 0; leg < 3; ++leg) tau(3 * leg) = -0.6 + 0.5 * std::sin(0.05 * k + 2.0 * leg);
    ASSERT_EQ(s.step(tau, 0.004), SimulationStatus::moved);
    loops.set(s.q(), s.v());
    gap = std::max({gap, loops.gap().cwiseAbs().maxCoeff(), loops.rate().cwiseAbs().maxCoeff()});
    most = std::max(most, s.kinetic_energy());
  }
  EXPECT_LT(gap, 1e-9);
  EXPECT_GT(s.work().friction, 0.01);
  EXPECT_GT(s.counts().events, 5);
  const SimulationWork& w = s.work();
  const double size = std::max({most, std::abs(w.torques), w.friction, w.stops, w.damping});
  EXPECT_NEAR((s.energy() - before) / size, w.balance() / size, 1e-6);
}

}  // namespace
}  // namespace ulna::test
