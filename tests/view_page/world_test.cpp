#include "ulna/view/page/world.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"

// Worlds in which bodies touch, as a page is told of them.
namespace ulna::test {
namespace {

using Json = nlohmann::json;
using namespace view;

constexpr double g = 9.81;

Inertia<double> ball_inertia(double mass) {
  return Inertia<double>::about_com(mass, Vec3<double>::Zero(),
                                    Mat3<double>(Mat3<double>::Identity() * (0.01 * mass)));
}

/// A box and a ball on the ground, and an arm that hangs in the air, its base away from the origin.
World yard() {
  World world;
  world.add_fixed("ground", Plane{});
  world.add_fixed("step", Box{{0.5, 0.5, 0.1}}, Transform<double>::from_translation({3, 0, 0.05}));
  world.add_body({"box", ball_inertia(2.0), {{Box{{0.2, 0.2, 0.2}}}}},
                 Transform<double>::from_translation({0, 0, 0.1}));
  world.add_body({"ball", ball_inertia(0.5), {{Sphere{0.1}}, {Ellipsoid{{0.1, 0.05, 0.05}}}}},
                 Transform<double>::from_translation({1, 0, 0.1}));
  const Model arm = load_robot("double_pendulum").model;
  world.add_robot(arm, neutral(arm),
                  {.X_WR = Transform<double>::from_translation({-2, 0, 5}), .contact = false});
  return world;
}

Json scene_of(const World& world, Meshes& meshes) {
  Diagnostics found;
  const Json scene = Json::parse(scene_message(cast_of(world), meshes, found, fixtures_of(world)));
  EXPECT_TRUE(found.list().empty());
  return scene;
}

TEST(WorldScene, has_bodies_as_robots_that_float_and_what_stands_still) {
  Meshes meshes;
  const Json scene = scene_of(yard(), meshes);
  ASSERT_EQ(scene["robots"].size(), 3u);
  const Json& box = scene["robots"][0];
  EXPECT_EQ(box["name"], "box");
  EXPECT_EQ(box["joints"][0]["type"], "floating");
  EXPECT_EQ(box["q"], (Json{0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0}));
  EXPECT_NEAR(box["links"][1]["mass"].get<double>(), 2.0, 1e-12);
  EXPECT_EQ(box["links"][1]["visuals"][0]["kind"], "box");
  EXPECT_EQ(box["links"][1]["visuals"][0]["size"], (Json{0.2, 0.2, 0.2}));
  EXPECT_EQ(scene["robots"][2]["base"], (Json{-2.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0}));
  ASSERT_EQ(scene["fixed"].size(), 2u);
  EXPECT_EQ(scene["fixed"][0]["kind"], "plane");
  EXPECT_EQ(scene["fixed"][1]["name"], "step");
  EXPECT_EQ(scene["fixed"][1]["pose"], (Json{3.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0}));
}

TEST(WorldScene, shapes_without_a_name_in_the_stream_become_meshes_of_the_same_size) {
  Meshes meshes;
  const Json scene = scene_of(yard(), meshes);
  const Json& ellipsoid = scene["robots"][1]["links"][1]["visuals"][1];
  ASSERT_EQ(ellipsoid["kind"], "mesh");
  const std::string bytes = *meshes.bytes(ellipsoid["mesh"]);
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data(), 4);
  Aabb box;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::array<float, 3> v{};
    std::memcpy(v.data(), bytes.data() + 8 + 12 * i, 12);
    box.include(Vec3<double>(v[0], v[1], v[2]));
  }
  EXPECT_LT((box.upper - Vec3<double>(0.1, 0.05, 0.05)).norm(), 1e-6);
  EXPECT_LT((box.lower + Vec3<double>(0.1, 0.05, 0.05)).norm(), 1e-6);
}

TEST(WorldArrows, of_bodies_at_rest_carry_their_weight) {
  World world = yard();
  for (int i = 0; i < 500; ++i) ASSERT_EQ(world.step(), WorldStatus::moved);
  Vec3<double> sum = Vec3<double>::Zero();
  for (const Arrow& arrow : contact_arrows(world)) {
    sum += arrow.force;
    EXPECT_GT(arrow.force.z(), 0.0) << "the ground pushes up, not down";
    EXPECT_NEAR(arrow.point.z(), 0.0, 1e-3);
  }
  EXPECT_LT((sum - Vec3<double>(0.0, 0.0, 2.5 * g)).norm(), 1e-3 * g);
}

TEST(WorldArrows, of_many_moments_are_read_as_they_were_written_in_pieces_that_fit) {
  constexpr int moments = 300;
  std::vector<std::vector<Arrow>> arrows(moments);
  for (int k = 0; k < moments; ++k)
    for (int i = 0; i < k; ++i) arrows[k].push_back({{double(k), double(i), 0}, {0, 0, 1.0 + i}});
  const Eigen::VectorXd times = Eigen::VectorXd::LinSpaced(moments, 0.0, 2.99);
  const std::vector<Message> pieces = arrow_track_messages(times, arrows);
  EXPECT_GT(pieces.size(), 1u);
  int k = 0;
  for (const Message& piece : pieces) {
    const std::string& bytes = *piece.bytes;
    EXPECT_LT(bytes.size(), (1u << 20) + 16 + 24 * moments);
    const auto at = [&]<class T>(T x, std::size_t place) {
      std::memcpy(&x, bytes.data() + place, sizeof(T));
      return x;
    };
    EXPECT_EQ(bytes[0], 7);
    std::size_t place = 12;
    for (std::uint32_t n = at(std::uint32_t(), 4); n > 0; --n, ++k) {
      EXPECT_EQ(at(double(), place), times(k));
      ASSERT_EQ(at(std::uint32_t(), place + 8), std::uint32_t(k));
      place += 16;
      for (int i = 0; i < k; ++i, place += 24) {
        EXPECT_EQ(at(float(), place + 4), float(i));
        EXPECT_EQ(at(float(), place + 20), float(1 + i));
      }
    }
    EXPECT_EQ(place, bytes.size());
  }
  EXPECT_EQ(k, moments);
}

TEST(WorldRecording, has_a_track_of_each_and_numbers_for_each_series) {
  World world = yard();
  WorldRecording recording(world);
  for (int i = 0; i < 10; ++i) {
    recording.add(world);
    ASSERT_EQ(world.step(), WorldStatus::moved);
  }
  std::size_t series = 0;
  for (const SeriesGroup& group : recording.channels()) series += group.series.size();
  std::map<int, int> kinds;
  for (const Message& m : recording.tracks()) {
    const std::string& bytes = *m.bytes;
    ++kinds[bytes[0]];
    if (bytes[0] == 6) {
      EXPECT_EQ(std::size_t(std::uint8_t(bytes[2])), series);
      EXPECT_EQ(bytes.size(), 12 + 10 * (8 + 4 * series));
    }
  }
  EXPECT_EQ(kinds, (std::map<int, int>{{5, 3}, {6, 1}, {7, 1}}));
}

}  // namespace
}  // namespace ulna::test
