#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "world/bodies.hpp"

// After the first second, steps allocate nothing.
namespace ulna::test {
namespace {

TEST(World, a_step_allocates_nothing_after_the_first_second) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  World world;
  world.add_fixed("ground", Plane{}, {}, {.friction = 0.7, .restitution = 0.2});
  for (int i = 0; i < 5; ++i)
    world.add_body(loose_box({0.2, 0.15, 0.1}, 1.0 + i,
                             {.friction = 0.5, .torsion = 0.01, .restitution = 0.2}),
                   {Rotation<double>::about_x(0.3 * i), V3(2.0 + 0.05 * i, 0, 0.3 + 0.3 * i)});
  const Model quadruped = load_robot("quadruped").model;
  Eigen::VectorXd q = neutral(quadruped);
  q(6) = 0.8;
  world.add_robot(quadruped, q);
  run_world(world, 1.0);
  long allocated = 0;
  for (int i = 0; i < 2000; ++i)
    allocated += allocations_of([&] { ASSERT_EQ(world.step(), WorldStatus::moved); });
  EXPECT_EQ(allocated, 0);
}

}  // namespace
}  // namespace ulna::test
