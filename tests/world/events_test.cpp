#include <gtest/gtest.h>

#include "support/random_model.hpp"
#include "ulna/io/import.hpp"
#include "world/bodies.hpp"

// Adaptive steps that are cut at events: closed forms of what step() computes to first order.
namespace ulna::test {
namespace {

constexpr double g = 9.81;
constexpr AdaptiveOptions fine{1e-12, 1e-13};

class Events : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_adaptive()) GTEST_SKIP() << "without SUNDIALS";
  }
  static World on_plane(double friction, double restitution = 0.0, const V3& gravity = {0, 0, -g}) {
    World world({.gravity = gravity});
    world.add_fixed("ground", Plane{}, {}, {.friction = friction, .restitution = restitution});
    return world;
  }
  static void advance(World& world, double duration) {
    ASSERT_EQ(world.advance(duration, fine), WorldStatus::moved) << world.time();
  }
};

/// The height of a ball above where it lies, dropped from a height, after a time.
double bouncing_height(double from, double e, double t) {
  double v = std::sqrt(2.0 * g * from), hit = v / g;
  if (t < hit) return from - 0.5 * g * t * t;
  for (t -= hit, v *= e; t > 2.0 * v / g; v *= e) t -= 2.0 * v / g;
  return v * t - 0.5 * g * t * t;
}

TEST_F(Events, a_ball_bounces_at_the_times_of_the_closed_form) {
  const double e = 0.8, from = 1.0;
  World world = on_plane(0.5, e);
  const int ball = world.add_body(loose_sphere(0.1, 1.0, {.friction = 0.5, .restitution = e}),
                                  at_place(0, 0, 0.1 + from));
  for (int i = 1; i <= 30; ++i) {
    advance(world, 0.1);
    // at most 4.4 m/s: 1e-9 m are less than 1e-9 s
    ASSERT_NEAR(world.pose(ball).translation().z() - 0.1, bouncing_height(from, e, 0.1 * i), 1e-9)
        << world.time();
  }
  EXPECT_EQ(world.report().events, 6);
}

TEST_F(Events, a_ball_that_bounces_ever_faster_comes_to_rest) {
  World world = on_plane(0.5, 0.5);
  const int ball = world.add_body(loose_sphere(0.1, 2.0, {.friction = 0.5, .restitution = 0.5}),
                                  at_place(0, 0, 0.6));
  advance(world, 3.0);
  EXPECT_LT(world.report().events, 40);
  EXPECT_NEAR(world.pose(ball).translation().z(), 0.1, 1e-9);
  EXPECT_NEAR(world.contact_wrench(ball).force.z(), 2.0 * g, 1e-8);
}

TEST_F(Events, a_block_slides_to_rest_where_and_when_it_should) {
  const double mu = 0.4, v0 = 2.0, time = v0 / (mu * g), way = v0 * v0 / (2.0 * mu * g);
  World world = on_plane(mu);
  const int box =
      world.add_body(loose_box(V3(0.4, 0.4, 0.1), 3.0, {.friction = mu}), at_place(0, 0, 0.05));
  set_loose(world, box, at_place(0, 0, 0.05), V3::Zero(), V3(v0, 0, 0));
  advance(world, 0.999 * time);
  EXPECT_NEAR(world.velocity(box).linear.x(), 0.001 * v0, 1e-9);
  advance(world, 0.002 * time);
  EXPECT_LT(world.velocity(box).linear.norm(), 1e-12);
  EXPECT_NEAR(world.pose(box).translation().x(), way, 1e-9);
  const V3 rests = world.pose(box).translation();
  advance(world, 2.0);
  EXPECT_LT((world.pose(box).translation() - rests).norm(), 1e-12);
}

TEST_F(Events, a_sphere_set_down_sliding_rolls_at_five_sevenths) {
  const double mu = 0.3, v0 = 3.0, rolls = 2.0 * v0 / (7.0 * mu * g);
  World world = on_plane(mu);
  const int ball = world.add_body(loose_sphere(0.1, 1.0, {.friction = mu}), at_place(0, 0, 0.1));
  set_loose(world, ball, at_place(0, 0, 0.1), V3::Zero(), V3(v0, 0, 0));
  advance(world, 0.5 * rolls);
  EXPECT_NEAR(world.velocity(ball).linear.x(), v0 - 0.5 * rolls * mu * g, 1e-9);
  advance(world, 0.5 * rolls + 0.5);
  EXPECT_NEAR(world.velocity(ball).linear.x(), 5.0 / 7.0 * v0, 1e-9);
  const double slid = v0 * rolls - 0.5 * mu * g * rolls * rolls;
  EXPECT_NEAR(world.pose(ball).translation().x(), slid + 0.5 * 5.0 / 7.0 * v0, 1e-9);
}

TEST_F(Events, a_block_on_an_incline_sticks_below_and_slides_above_the_angle_of_friction) {
  const double mu = 0.5;
  for (const double off : {-5e-4, -1e-6, 1e-6, 5e-4}) {
    const double slope = std::atan(mu) + off;
    World world = on_plane(mu, 0.0, gravity_on_incline(slope));
    const int box =
        world.add_body(loose_box(V3(0.4, 0.4, 0.1), 1.0, {.friction = mu}), at_place(0, 0, 0.05));
    advance(world, 1.0);
    const double a = off < 0.0 ? 0.0 : g * (std::sin(slope) - mu * std::cos(slope));
    EXPECT_NEAR(world.pose(box).translation().x(), 0.5 * a, 1e-11) << off;
  }
}

/// Without friction: cos of the angle at which a ball leaves another is 2/3 and what its first speed adds.
TEST_F(Events, a_ball_leaves_another_where_it_should) {
  World world;
  world.add_fixed("hill", Sphere{1.0}, {}, {.friction = 0.0});
  const int ball = world.add_body(loose_sphere(0.25, 1.0, {.friction = 0.0}), at_place(0, 0, 1.25));
  const double v0 = 0.5, r = 1.25;
  set_loose(world, ball, at_place(0, 0, r), V3::Zero(), V3(v0, 0, 0));
  for (int i = 0; i < 40 && world.pose(ball).translation().z() > 0.3; ++i) advance(world, 0.05);
  EXPECT_TRUE(world.contacts().empty());
  const double c = 2.0 / 3.0 + v0 * v0 / (3.0 * g * r);
  EXPECT_NEAR(world.velocity(ball).linear.x(), std::sqrt(g * r * c) * c, 1e-8);
}

TEST_F(Events, what_tumbles_keeps_its_balance_of_energy) {
  World world = on_plane(0.6, 0.6);
  const int box =
      world.add_body(loose_box(V3(0.2, 0.3, 0.4), 2.0, {.friction = 0.6, .restitution = 0.6}), {});
  const Transform<double> X(Rotation<double>::from_rpy(0.3, 0.4, 0.5), V3(0, 0, 0.6));
  set_loose(world, box, X, V3(3, 1, -2), V3(1, 0.5, 0));
  const double before = world.energy();
  double last = before;
  for (int i = 0; i < 20; ++i) {
    advance(world, 0.05);
    EXPECT_LT(world.energy(), last + 1e-8);
    last = world.energy();
  }
  EXPECT_LT(last, before - 0.5);
  EXPECT_NEAR(world.energy() - before, world.work().balance(), 1e-7);
  EXPECT_GT(world.report().events, 3);
}

TEST_F(Events, a_robot_that_touches_nothing_moves_as_in_a_simulation) {
  for (const char* name : {"panda", "fourbar"}) {
    const Model model = load_robot(name).model;
    Simulation alone(model, {.adaptive = fine});
    World world({.gravity = model.gravity()});
    Eigen::VectorXd q = alone.q();
    if (model.nq() > 5) q(3) = -2.0, q(5) = 2.0;  // within the limits
    alone.set_state(q, alone.v());
    const int robot = world.add_robot(model, q, {.contact = false});
    const Eigen::VectorXd tau = Eigen::VectorXd::Constant(model.nv(), 0.3);
    world.set_torque(robot, tau);
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(alone.step(tau, 0.05), SimulationStatus::moved);
      advance(world, 0.05);
    }
    EXPECT_LT((world.q(robot) - alone.q()).cwiseAbs().maxCoeff(), 1e-8) << name;
    EXPECT_LT((world.v(robot) - alone.v()).cwiseAbs().maxCoeff(), 1e-7) << name;
  }
}

TEST_F(Events, steps_of_one_length_come_nearer_in_proportion_to_it) {
  const auto end = [](double step) {
    World world({.step = step > 0.0 ? step : 1e-3});
    world.add_fixed("ground", Plane{}, {}, {.friction = 0.3});
    const int ball = world.add_body(loose_sphere(0.1, 1.0, {.friction = 0.3}), at_place(0, 0, 0.1));
    set_loose(world, ball, at_place(0, 0, 0.1), V3(0, -40, 0), V3(2, 0, 0));
    if (step > 0.0)
      run_world(world, 1.0);
    else
      advance(world, 1.0);
    return world.pose(ball).translation().x();
  };
  const double exact = end(0.0), coarse = std::abs(end(2e-3) - exact);
  EXPECT_GT(coarse, 1e-7);
  EXPECT_NEAR(std::abs(end(5e-4) - exact) / coarse, 0.25, 0.1);
}

TEST_F(Events, the_same_motion_has_the_same_bits) {
  Eigen::VectorXd first;
  for (int i = 0; i < 2; ++i) {
    World world = on_plane(0.6, 0.3);
    const int box = world.add_body(loose_box(V3(0.2, 0.3, 0.4), 2.0), {});
    set_loose(world, box, at_place(0, 0, 0.5), V3(3, 1, -2), V3(1, 0.5, 0));
    advance(world, 0.5);
    if (i == 0) first = world.q(box);
    EXPECT_EQ(first, world.q(box));
  }
}

TEST_F(Events, what_is_not_modelled_is_refused_by_name) {
  World world = on_plane(0.5);
  world.add_body(loose_sphere(0.1, 1.0, {.rolling = 0.01}), at_place(0, 0, 0.1));
  try {
    (void)world.advance(0.1);
    FAIL() << "not refused";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("'sphere' has torsional or rolling friction"),
              std::string::npos);
  }
  World soft;
  soft.add_fixed("mat", Plane{}, {}, {.compliance = {.stiffness = 1e4}});
  EXPECT_NE(soft.refused_by_adaptive().find("'mat' gives way"), std::string::npos);
  EXPECT_THROW((void)soft.advance(-1.0), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
