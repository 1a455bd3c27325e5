#include <gtest/gtest.h>

#include "world/bodies.hpp"

// The laws of contact, each by itself, against what textbooks have in closed form.
namespace ulna::test {
namespace {

TEST(Contact, a_block_on_an_incline_sticks_below_the_friction_angle) {
  for (const double step : {1e-3, 2e-3})
    for (const double mu : {0.2, 0.5, 0.9}) {
      World world({.step = step, .gravity = gravity_on_incline(std::atan(0.999 * mu))});
      world.add_fixed("ground", Plane{}, {}, {.friction = mu});
      const int box =
          world.add_body(loose_box({0.4, 0.4, 0.1}, 2.0, {.friction = mu}), at_place(0, 0, 0.05));
      run_world(world, 2.0);
      EXPECT_LT((world.pose(box).translation() - V3(0, 0, 0.05)).norm(), 3e-9) << mu;
    }
}

TEST(Contact, a_block_on_a_steeper_incline_slides_with_the_acceleration_of_coulomb) {
  for (const double step : {1e-3, 2e-3})
    for (const double excess : {1.001, 1.5}) {
      const double mu = 0.5, slope = std::atan(excess * mu);
      World world({.step = step, .gravity = gravity_on_incline(slope)});
      world.add_fixed("ground", Plane{}, {}, {.friction = mu});
      const int box =
          world.add_body(loose_box({0.4, 0.4, 0.1}, 2.0, {.friction = mu}), at_place(0, 0, 0.05));
      run_world(world, 0.1);
      const double before = world.velocity(box).linear.x();
      run_world(world, 1.0);
      const double expected = 9.81 * (std::sin(slope) - mu * std::cos(slope));
      EXPECT_NEAR(world.velocity(box).linear.x() - before, expected, 1e-6);
      EXPECT_NEAR(world.pose(box).translation().z(), 0.05, 1e-7);
    }
}

TEST(Contact, a_ball_bounces_to_the_square_of_its_restitution) {
  for (const double e : {0.3, 0.5, 0.8, 1.0}) {
    World world;
    world.add_fixed("ground", Plane{}, {}, {.restitution = e});
    const int ball =
        world.add_body(loose_sphere(0.05, 0.3, {.restitution = e}), at_place(0, 0, 1.05));
    double bottom = 1.0, top = 0.0;
    bool rises = false;
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(world.step(), WorldStatus::moved);
      const double height = world.pose(ball).translation().z() - 0.05;
      bottom = std::min(bottom, height);
      if (world.velocity(ball).linear.z() > 0.0) rises = true;
      if (rises && world.velocity(ball).linear.z() <= 0.0) break;
      if (rises) top = std::max(top, height);
    }
    EXPECT_NEAR(top, e * e, 1e-4 * e * e) << e;
    EXPECT_GE(bottom, -1e-9);
  }
}

TEST(Contact, a_ball_without_restitution_stays_down) {
  World world;
  world.add_fixed("ground", Plane{});
  const int ball = world.add_body(loose_sphere(0.05, 0.3), at_place(0, 0, 0.5));
  run_world(world, 1.0);
  EXPECT_NEAR(world.pose(ball).translation().z(), 0.05, 2e-8);
  EXPECT_LT(world.velocity(ball).linear.norm(), world.options().cones.tolerance);
}

TEST(Contact, a_sphere_set_down_sliding_ends_rolling_at_five_sevenths) {
  World world;
  world.add_fixed("ground", Plane{}, {}, {.friction = 0.3});
  const int ball = world.add_body(loose_sphere(0.1, 1.0, {.friction = 0.3}), at_place(0, 0, 0.1));
  set_loose(world, ball, at_place(0, 0, 0.1), V3::Zero(), V3(2.0, 1.0, 0.0));
  run_world(world, 1.5);
  const Twist<double> V = world.velocity(ball);
  EXPECT_NEAR(V.linear.x(), 2.0 * 5.0 / 7.0, 1e-8);
  EXPECT_NEAR(V.linear.y(), 5.0 / 7.0, 1e-8);
  EXPECT_NEAR(V.angular.y(), V.linear.x() / 0.1, 1e-7);
}

TEST(Contact, a_box_tips_where_its_weight_passes_its_edge) {
  for (const double share : {0.999, 1.001}) {
    // twice as high as wide: at a slope of one half
    World world({.gravity = gravity_on_incline(std::atan(0.5 * share))});
    world.add_fixed("ground", Plane{}, {}, {.friction = 2.0});
    const int box =
        world.add_body(loose_box({0.2, 0.2, 0.4}, 3.0, {.friction = 2.0}), at_place(0, 0, 0.2));
    run_world(world, 3.0);
    const double up = world.pose(box).rotation().matrix()(2, 2);
    if (share < 1.0)
      EXPECT_NEAR(up, 1.0, 1e-9);
    else
      EXPECT_LT(up, 0.1);
  }
}

TEST(Contact, a_spinning_disc_precesses) {
  // on a round tip without friction, about its centre of mass; steady where
  // m g l = Ω (I3 s - I1 Ω cos α)
  const double m = 0.5, r = 0.1, l = 0.06, alpha = 0.4, spin = 300.0, tip = 0.005;
  const double I3 = 0.5 * m * r * r, I1 = 0.25 * m * r * r;
  const double a = I1 * std::cos(alpha), b = I3 * spin, c = m * 9.81 * l;
  const double rate = 2.0 * c / (b + std::sqrt(b * b - 4.0 * a * c));
  World world;
  world.add_fixed("ground", Plane{}, {}, {.friction = 0.0});
  const Mat3<double> I = V3(I1, I1, I3).asDiagonal();
  const int top = world.add_body({"top",
                                  Inertia<double>::about_com(m, V3::Zero(), I),
                                  {{CollisionShape(Sphere{tip}), at_place(0, 0, -l)}},
                                  {.friction = 0.0}},
                                 {});
  const Transform<double> X(Rotation<double>::about_y(alpha), V3(0, 0, l * std::cos(alpha) + tip));
  const V3 axis = X.rotation() * V3(V3::UnitZ());
  set_loose(world, top, X, rate * V3::UnitZ() + (spin - rate * std::cos(alpha)) * axis, V3::Zero());
  run_world(world, 1.0);
  const V3 end = world.pose(top).rotation() * V3(V3::UnitZ());
  EXPECT_NEAR(std::acos(end.z()), alpha, 1e-3);
  const double turned = std::atan2(end.y(), end.x());
  EXPECT_NEAR(std::remainder(turned - rate, 2.0 * std::numbers::pi), 0.0, 2e-3 * rate);
  EXPECT_NEAR(world.pose(top).translation().x(), 0.0, 1e-9);
}

TEST(Contact, torsional_and_rolling_friction_slow_what_coulomb_does_not) {
  const ContactMaterial felt{.friction = 0.5, .torsion = 0.005, .rolling = 0.002};
  World world;
  world.add_fixed("ground", Plane{}, {}, felt);
  const int ball = world.add_body(loose_sphere(0.1, 1.0, felt), at_place(0, 0, 0.1));
  set_loose(world, ball, at_place(0, 0, 0.1), V3(0.0, 10.0, 20.0), V3(1.0, 0.0, 0.0));
  run_world(world, 0.5);
  const Twist<double> V = world.velocity(ball);
  // about the normal: torque torsion m g on 2/5 m r²; rolling: rolling m g on 7/5 m r² about the ground
  EXPECT_NEAR(V.angular.z(), 20.0 - 0.5 * 0.005 * 9.81 / (0.4 * 0.01), 1e-6);
  EXPECT_NEAR(V.angular.y(), 10.0 - 0.5 * 0.002 * 9.81 / (1.4 * 0.01), 1e-6);
}

TEST(Contact, a_compliant_contact_gives_way_by_weight_over_stiffness) {
  World world;
  world.add_fixed("ground", Plane{}, {}, {.compliance = {.stiffness = 2e4, .damping = 100.0}});
  const int ball = world.add_body(loose_sphere(0.1, 2.0), at_place(0, 0, 0.1));
  run_world(world, 3.0);
  EXPECT_NEAR(world.pose(ball).translation().z(), 0.1 - 2.0 * 9.81 / 2e4, 1e-7);
}

TEST(Contact, a_time_constant_makes_heavy_and_light_bodies_sink_alike) {
  for (const double mass : {0.01, 1.0, 100.0}) {
    World world;
    world.add_fixed("ground", Plane{}, {},
                    {.compliance = {.time_constant = 0.02, .damping_ratio = 1.0}});
    const int ball = world.add_body(loose_sphere(0.1, mass), at_place(0, 0, 0.1));
    run_world(world, 2.0);
    EXPECT_NEAR(world.pose(ball).translation().z(), 0.1 - 9.81 * 0.02 * 0.02, 1e-7);
  }
}

TEST(Contact, thin_parts_are_not_passed_through) {
  for (const double speed : {1.0, 5.0, 20.0}) {
    World world({.step = 2e-3, .gravity = V3::Zero()});
    const int sheet = world.add_fixed("sheet", Box{{1.0, 1.0, 0.001}});
    const int ball = world.add_body(loose_sphere(0.005, 0.1), at_place(0, 0, 0.2));
    set_loose(world, ball, at_place(0.0, 0.0, 0.2017), V3::Zero(), V3(0, 0, -speed));
    run_world(world, 0.5);
    EXPECT_NEAR(world.pose(ball).translation().z(), 0.0055, 2e-8) << speed;
    EXPECT_EQ(world.is_fixed(sheet), true);
  }
}

}  // namespace
}  // namespace ulna::test
