#include <gtest/gtest.h>

#include "support/random.hpp"
#include "world/bodies.hpp"

// Laws of many bodies.
namespace ulna::test {
namespace {

TEST(ManyBodies, momentum_of_200_that_collide_in_free_space_is_kept) {
  World world({.gravity = V3::Zero()});
  Random random(7);
  double size = 0.0;
  for (int i = 0; i < 200; ++i) {
    const ContactMaterial material{.friction = random.real(0, 1), .restitution = random.real(0, 1)};
    const LooseBody body = i % 2 ? loose_box({0.1, 0.08, 0.06}, random.real(0.2, 2), material)
                                 : loose_sphere(0.05, random.real(0.2, 2), material);
    const V3 place = 0.25 * V3(i % 6, i / 6 % 6, i / 36) - V3(0.6, 0.6, 0.6);
    const int b = world.add_body(body, {});
    set_loose(world, b, Transform<double>::from_translation(place),
              V3(random.real(-5, 5), random.real(-5, 5), random.real(-5, 5)),
              V3(-2.0 * place + 0.3 * V3(random.real(), random.real(), random.real())));
    size += body.inertia.mass();
  }
  const Wrench<double> before = world.momentum();
  const double energy = world.energy();
  double highest = energy;
  long hits = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(world.step(), WorldStatus::moved);
    for (const WorldContact& c : world.contacts()) hits += c.force.norm() > 0.0;
    highest = std::max(highest, world.energy());
  }
  EXPECT_GT(hits, 1000);
  const Wrench<double> after = world.momentum();
  EXPECT_LT((after.force - before.force).norm(), 1e-9 * size);
  EXPECT_LT((after.moment - before.moment).norm(), 1e-9 * size);
  EXPECT_LE(highest, energy * (1.0 + 1e-9));
  EXPECT_LT(world.energy(), 0.9 * energy);
}

TEST(ManyBodies, energy_never_grows_without_input_and_cones_are_kept) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    Random random(seed);
    World world;
    world.add_fixed("ground", Plane{}, {}, {.friction = 0.6, .restitution = 0.3});
    for (int i = 0; i < 12; ++i) {
      const ContactMaterial material{.friction = random.real(0, 1),
                                     .restitution = random.real(0, 0.8)};
      const V3 box(random.real(0.05, 0.3), random.real(0.05, 0.3), random.real(0.05, 0.3));
      const LooseBody body =
          i % 3 ? loose_box(box, random.real(0.1, 5), material)
                : loose_sphere(random.real(0.05, 0.15), random.real(0.1, 5), material);
      const int b = world.add_body(body, {});
      set_loose(
          world, b,
          {Rotation<double>::from_rpy(random.real(-3, 3), random.real(-1, 1), random.real(-3, 3)),
           V3(0.2 * random.real(), 0.2 * random.real(), 0.4 + 0.45 * i)},
          V3(random.real(-5, 5), random.real(-5, 5), random.real(-5, 5)), V3::Zero());
    }
    double last = world.energy(), corrected = 0.0;
    for (int i = 0; i < 3000; ++i) {
      ASSERT_EQ(world.step(), WorldStatus::moved);
      const double now = world.energy(), lifted = world.work().correction;
      EXPECT_LE(now, last + (lifted - corrected) + 1e-5) << "step " << i;
      last = now, corrected = lifted;
      for (const WorldContact& c : world.contacts()) {
        const double n = c.force.dot(c.normal), t = (c.force - n * c.normal).norm();
        EXPECT_GE(n, 0.0);
        EXPECT_LE(t, c.friction * n + 1e-6);
      }
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_LT(world.report().worst_residual, 1e-4);
    EXPECT_LE(world.report().unconverged, 6);
  }
}

TEST(ManyBodies, energy_grows_by_the_balance_of_work) {
  World world;
  world.add_fixed("ground", Plane{}, {}, {.friction = 0.4});
  const int box =
      world.add_body(loose_box({0.2, 0.2, 0.1}, 2.0, {.friction = 0.4}), at_place(0, 0, 0.05));
  const double before = world.energy();
  world.set_wrench(box, 0, V3(20.0, 0.0, 0.0), V3::Zero(), V3(0.0, 0.0, 0.05));
  run_world(world, 0.5);
  EXPECT_NEAR(world.energy() - before, world.work().balance(), 1e-6);
  EXPECT_GT(world.work().wrenches, 1.0);
  EXPECT_GT(world.work().friction, 1.0);
  EXPECT_NEAR(world.work().friction, world.work().wrenches * 0.4 * 2.0 * 9.81 / 20.0, 1e-3);
}

TEST(ManyBodies, a_redundant_stand_carries_evenly) {
  World world;
  world.add_fixed("ground", Plane{});
  LooseBody table{"table", solid_box<double>(V3(1.0, 1.0, 0.1)).with_mass(20.0), {}, {}};
  for (const double x : {-0.4, 0.0, 0.4})
    for (const double y : {-0.4, 0.0, 0.4})
      table.shapes.push_back({CollisionShape(Sphere{0.02}), at_place(x, y, -0.3)});
  const int object = world.add_body(table, at_place(0, 0, 0.32));
  run_world(world, 0.5);
  ASSERT_EQ(world.contacts().size(), 9u);
  for (const WorldContact& c : world.contacts()) {
    const double share = 20.0 * 9.81 / 9.0, n = c.force.dot(c.normal);
    EXPECT_NEAR(std::abs(n), share, 1e-5 * share);
    EXPECT_LT((c.force - n * c.normal).norm(), 1e-5 * share);
  }
  EXPECT_NEAR(world.contact_wrench(object).force.z(), 20.0 * 9.81, 1e-6);
}

TEST(ManyBodies, a_stack_of_ten_boxes_stays_where_it_is) {
  World world({.step = 2e-3});
  world.add_fixed("ground", Plane{});
  std::vector<int> boxes;
  for (int i = 0; i < 10; ++i)
    boxes.push_back(world.add_body(loose_box({0.2, 0.2, 0.2}, 1.0),
                                   at_place(0.01 * (i % 2), 0, 0.1 + 0.2 * i)));
  run_world(world, 10.0);
  for (int i = 0; i < 10; ++i) {
    const V3 moved = world.pose(boxes[i]).translation() - V3(0.01 * (i % 2), 0, 0.1 + 0.2 * i);
    EXPECT_LT(moved.norm(), 1e-8) << i;
  }
  EXPECT_LT(world.report().worst_residual, 1e-8);
}

TEST(ManyBodies, a_million_times_the_mass_may_stand_on_top) {
  World world;
  world.add_fixed("ground", Plane{});
  const int light = world.add_body(loose_box({0.2, 0.2, 0.2}, 1e-3), at_place(0, 0, 0.1));
  const int heavy = world.add_body(loose_box({0.2, 0.2, 0.2}, 1e3), at_place(0, 0, 0.3));
  run_world(world, 2.0);
  EXPECT_NEAR(world.pose(light).translation().z(), 0.1, 1e-6);
  EXPECT_NEAR(world.pose(heavy).translation().z(), 0.3, 1e-6);
  EXPECT_LT(world.report().worst_residual, 1e-8);
}

TEST(ManyBodies, bodies_that_begin_inside_each_other_are_moved_apart_gently) {
  World world({.gravity = V3::Zero()});
  const int a = world.add_body(loose_sphere(0.1, 1.0), at_place(0, 0, 0));
  const int b = world.add_body(loose_sphere(0.1, 1.0), at_place(0.15, 0, 0));
  ASSERT_EQ(world.overlaps().size(), 1u);
  EXPECT_NEAR(world.overlaps()[0].depth, 0.05, 1e-9);
  run_world(world, 1.0);
  const double apart = (world.pose(b).translation() - world.pose(a).translation()).norm();
  EXPECT_NEAR(apart, 0.2, 2e-5);
  EXPECT_EQ(world.kinetic_energy(), 0.0);
  EXPECT_TRUE(world.overlaps().empty());
}

TEST(ManyBodies, the_same_scene_gives_the_same_bits) {
  Eigen::VectorXd first;
  for (int round = 0; round < 2; ++round) {
    World world;
    world.add_fixed("ground", Plane{});
    std::vector<int> bodies;
    for (int i = 0; i < 6; ++i)
      bodies.push_back(
          world.add_body(loose_box({0.2, 0.15, 0.1}, 1.0 + i),
                         {Rotation<double>::about_x(0.3 * i), V3(0.05 * i, 0, 0.3 + 0.3 * i)}));
    run_world(world, 1.0);
    Eigen::VectorXd all(42);
    for (int i = 0; i < 6; ++i) all.segment(7 * i, 7) = world.q(bodies[i]);
    if (round == 0) first = all;
    EXPECT_EQ(all, first);
  }
}

TEST(ManyBodies, at_one_place_have_one_point_per_pair_a_bounded_effort_and_come_apart) {
  World world;
  world.add_fixed("ground", Plane{}, {}, {.friction = 0.8});
  const int bodies = 20, pairs = bodies * (bodies - 1) / 2;
  for (int i = 0; i < bodies; ++i)
    world.add_body(loose_box({0.2, 0.2, 0.2}, 1.0, {.friction = 0.8}),
                   at_place(1e-3 * i, 7e-4 * i, 0.5));
  const double energy = world.energy();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(world.step(), WorldStatus::moved);
    EXPECT_LE(world.report().contacts, pairs);
    // multiplications: some 1e4 of a point
    EXPECT_LT(world.report().cones.effort, 1e4 * pairs);
  }
  EXPECT_LT(world.kinetic_energy(), 0.1 * energy);
  run_world(world, 3.0);
  ASSERT_FALSE(world.contacts().empty());
  for (const World::Overlap& o : world.overlaps()) EXPECT_LT(o.depth, 1e-3);
}

}  // namespace
}  // namespace ulna::test
