#include "ulna/geometry/broad_phase.hpp"

#include "support/allocations.hpp"
#include "support/shapes.hpp"

namespace ulna::test {
namespace {

Aabb random_box(Random& random, double room) {
  const Vec3<double> middle = vector_within(random, room);
  const Vec3<double> half(random.real(0.0, 0.5), random.real(0.0, 0.5), random.real(0.0, 0.5));
  return {middle - half, middle + half};
}

std::vector<BroadPhase::Pair> tried(const std::vector<Aabb>& boxes) {
  std::vector<BroadPhase::Pair> pairs;
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(boxes.size()); ++j)
      if (boxes[static_cast<std::size_t>(i)].overlaps(boxes[static_cast<std::size_t>(j)]))
        pairs.push_back({i, j});
  return pairs;
}

std::vector<BroadPhase::Pair> list(std::span<const BroadPhase::Pair> pairs) {
  return {pairs.begin(), pairs.end()};
}

TEST(BroadPhase, finds_the_pairs_that_trying_all_finds_step_after_step) {
  for_each_seed([](Random& random) {
    const int n = 1 + static_cast<int>(random.real(0.0, 300.0));
    BroadPhase phase(n);
    std::vector<Aabb> boxes(static_cast<std::size_t>(n));
    for (auto& box : boxes) box = random_box(random, 4.0);
    boxes[0].lower.setConstant(-infinity);  // a ground
    boxes[0].upper = {infinity, infinity, 0.0};
    for (int step = 0; step < 5; ++step) {
      for (int i = 0; i < n; ++i) phase.set_box(i, boxes[static_cast<std::size_t>(i)]);
      EXPECT_EQ(list(phase.pairs()), tried(boxes));
      for (std::size_t i = 1; i < boxes.size(); ++i) {
        const Vec3<double> by = vector_within(random, 0.3);
        boxes[i].lower += by;
        boxes[i].upper += by;
      }
    }
  });
}

TEST(BroadPhase, leaves_out_groups_excluded_pairs_and_boxes_that_are_none) {
  BroadPhase phase(5);
  for (int i = 0; i < 5; ++i) phase.set_box(i, {Vec3<double>::Zero(), Vec3<double>::Ones()});
  phase.set_group(0, 3);
  phase.set_group(1, 3);
  phase.exclude(4, 2);
  phase.set_box(
      3, {Vec3<double>::Constant(std::numeric_limits<double>::quiet_NaN()), Vec3<double>::Ones()});
  using Pairs = std::vector<BroadPhase::Pair>;
  EXPECT_EQ(list(phase.pairs()), (Pairs{{0, 2}, {0, 4}, {1, 2}, {1, 4}}));
  EXPECT_TRUE(phase.excluded(2, 4));
  phase.include(2, 4);
  EXPECT_EQ(list(phase.pairs()).size(), 5u);
}

TEST(Allocations, are_none_in_contact_points_and_in_a_broad_phase_that_has_grown) {
  constexpr int n = 200;
  BroadPhase phase(n);
  Random random(1);
  for (int i = 0; i < n; ++i) phase.set_box(i, random_box(random, 2.0));
  std::size_t found = phase.pairs().size();
  std::vector<PlacedPair> pairs;
  for (const ShapeKind b : convex_kinds) {
    pairs.push_back(random_pair(ShapeKind::plane, b, random));
    for (const ShapeKind a : convex_kinds)
      for (int i = 0; i < 20; ++i) pairs.push_back(random_pair(a, b, random));
  }
  const CollisionShape ground =
      CollisionShape::height_field({20, 20, 4.0, 4.0, std::vector<double>(400, 0.1)});
  const CollisionShape wall = CollisionShape::mesh(
      {{{-2, 0, -2}, {2, 0, -2}, {2, 0, 2}, {-2, 0, 2}}, {{0, 1, 2}, {0, 2, 3}}});
  Points points;
  EXPECT_EQ(
      allocations_of([&] {
        found += phase.pairs().size();
        for (const PlacedPair& pair : pairs) {
          found += static_cast<std::size_t>(pair.points(points, 0.1));
          if (pair.a.is_unbounded()) continue;
          found +=
              static_cast<std::size_t>(contact_points(ground, {}, pair.a, pair.X_WA, 0.1, points));
          found +=
              static_cast<std::size_t>(contact_points(pair.b, pair.X_WB, wall, {}, 0.1, points));
        }
      }),
      0);
  EXPECT_GT(found, 500u);
}

}  // namespace
}  // namespace ulna::test
