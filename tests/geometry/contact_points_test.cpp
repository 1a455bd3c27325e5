#include "ulna/geometry/contact_points.hpp"

#include "support/shapes.hpp"

// The laws that hold for the contact points of every pair of convex shapes, on random pairs.
namespace ulna::test {
namespace {

constexpr std::uint64_t many = 10'000;

struct Kinds {
  ShapeKind a, b;
};
std::string name_of(const Kinds& kinds) {
  return std::string(to_string(kinds.a)) + "_" + std::string(to_string(kinds.b));
}
void PrintTo(const Kinds& kinds, std::ostream* out) { *out << name_of(kinds); }

std::vector<Kinds> all_pairs() {
  std::vector<Kinds> pairs;
  for (const ShapeKind b : convex_kinds) {
    pairs.push_back({ShapeKind::plane, b});
    for (const ShapeKind a : convex_kinds)
      if (a <= b) pairs.push_back({a, b});
  }
  return pairs;
}

class ConvexPairs : public testing::TestWithParam<Kinds> {
 protected:
  /// Runs a law on random pairs of these kinds; the seed is printed where it fails, and then it stops.
  template <class Law>
  void for_each_pair(const Law& law, std::uint64_t count = many) {
    for (std::uint64_t seed = 1; seed <= count && !HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Random random(seed);
      law(random_pair(GetParam().a, GetParam().b, random), random);
    }
  }
};

const ContactPoint& deepest(const Points& points, int count) {
  return *std::min_element(points.begin(), points.begin() + count,
                           [](const auto& a, const auto& b) { return a.gap < b.gap; });
}

TEST_P(ConvexPairs, the_least_gap_is_the_support_difference_along_its_normal) {
  for_each_pair([](const PlacedPair& pair, Random&) {
    Points points;
    const int count = pair.points(points, infinity);
    ASSERT_GT(count, 0);
    const ContactPoint& c = deepest(points, count);
    EXPECT_NEAR(c.normal.norm(), 1.0, 1e-14);
    EXPECT_NEAR(c.gap, pair.separation(c.normal), 1e-12);
  });
}

TEST_P(ConvexPairs, points_lie_on_both_surfaces_half_a_gap_from_the_position) {
  for_each_pair([](const PlacedPair& pair, Random& random) {
    Points points;
    const int count = pair.points(points, random.real(0.0, 0.5));
    for (int i = 0; i < count; ++i) {
      const ContactPoint& c = points[static_cast<std::size_t>(i)];
      const Vec3<double> half = 0.5 * c.gap * c.normal;
      EXPECT_NEAR(height_above(pair.a, pair.X_WA.inverse_apply(c.position - half)), 0.0, 1e-9) << i;
      EXPECT_NEAR(height_above(pair.b, pair.X_WB.inverse_apply(c.position + half)), 0.0, 1e-9) << i;
    }
  });
}

// A direction separates by no more than the distance, and by no more than minus the depth.
TEST_P(ConvexPairs, no_direction_separates_more_than_the_normal) {
  for_each_pair(
      [](const PlacedPair& pair, Random& random) {
        const double gap = distance(pair.a, pair.X_WA, pair.b, pair.X_WB);
        if (pair.a.is_unbounded()) {
          EXPECT_NEAR(gap, pair.separation(pair.X_WA.rotation().matrix().col(2)), 1e-14);
          return;
        }
        double best = -infinity;
        Vec3<double> n;
        const auto consider = [&](const Vec3<double>& direction) {
          if (const double s = pair.separation(direction); s > best) {
            best = s;
            n = direction;
          }
        };
        for (int i = 0; i < 200; ++i) consider(unit_vector(random));
        for (double step = 0.2; step > 1e-5; step *= 0.9)
          consider((n + step * vector_within(random)).normalized());
        EXPECT_LE(best, gap + 1e-10);
      },
      many / 10);
}

TEST_P(ConvexPairs, exchanging_the_shapes_turns_the_normals_and_nothing_else) {
  for_each_pair([](const PlacedPair& pair, Random& random) {
    const double margin = random.real(0.0, 0.5);
    Points points, exchanged;
    const int count = pair.points(points, margin);
    const PlacedPair other{pair.b, pair.a, pair.X_WB, pair.X_WA};
    const int same = other.points(exchanged, margin);
    ASSERT_EQ(count > 0, same > 0);
    if (count == 0) return;
    const ContactPoint &c = deepest(points, count), &d = deepest(exchanged, same);
    EXPECT_NEAR(c.gap, d.gap, 1e-12);
    if (pair.a.kind() == pair.b.kind()) return;
    ASSERT_EQ(count, same);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      EXPECT_EQ(points[i].position, exchanged[i].position);
      EXPECT_EQ(points[i].normal, -exchanged[i].normal);
      EXPECT_EQ(points[i].gap, exchanged[i].gap);
      EXPECT_EQ(points[i].feature, exchanged[i].feature);
    }
  });
}

TEST_P(ConvexPairs, moving_both_alike_changes_no_gap) {
  for_each_pair([](const PlacedPair& pair, Random& random) {
    const Transform<double> X = pose_within(random, 3.0);
    const PlacedPair moved{pair.a, pair.b, X * pair.X_WA, X * pair.X_WB};
    EXPECT_NEAR(distance(pair.a, pair.X_WA, pair.b, pair.X_WB),
                distance(moved.a, moved.X_WA, moved.b, moved.X_WB), 1e-12);
  });
}

TEST_P(ConvexPairs, moving_the_second_by_minus_the_gap_makes_them_touch) {
  for_each_pair([](const PlacedPair& pair, Random&) {
    Points points;
    const int count = pair.points(points, infinity);
    ASSERT_GT(count, 0);
    const ContactPoint& c = deepest(points, count);
    const Transform<double> X_WB{pair.X_WB.rotation(), pair.X_WB.translation() - c.gap * c.normal};
    EXPECT_NEAR(distance(pair.a, pair.X_WA, pair.b, X_WB), 0.0, 1e-9);
  });
}

TEST_P(ConvexPairs, only_points_nearer_than_the_margin_are_returned_and_as_many_as_fit) {
  for_each_pair(
      [](const PlacedPair& pair, Random& random) {
        const double margin = random.real(-0.3, 0.3);
        const double gap = distance(pair.a, pair.X_WA, pair.b, pair.X_WB);
        Points points;
        const int count = pair.points(points, margin);
        EXPECT_EQ(count > 0, gap < margin) << gap << " against " << margin;
        EXPECT_LE(count, max_contact_points);
        for (int i = 0; i < count; ++i) EXPECT_LT(points[static_cast<std::size_t>(i)].gap, margin);
        if (count > 0) {
          EXPECT_NEAR(deepest(points, count).gap, gap, 2e-9);
        }
        std::array<ContactPoint, 2> few;
        EXPECT_EQ(contact_points(pair.a, pair.X_WA, pair.b, pair.X_WB, margin, few),
                  std::min(count, 2));
        EXPECT_EQ(contact_points(pair.a, pair.X_WA, pair.b, pair.X_WB, margin, {}), 0);
      },
      many / 10);
}

INSTANTIATE_TEST_SUITE_P(All, ConvexPairs, testing::ValuesIn(all_pairs()),
                         [](const auto& each) { return name_of(each.param); });

}  // namespace
}  // namespace ulna::test
