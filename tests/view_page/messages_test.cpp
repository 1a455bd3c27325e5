#include "ulna/view/page/messages.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/mesh.hpp"
#include "support/random.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/view/page/recording.hpp"

// What a page is told, without a server.
namespace ulna::test {
namespace {

using Json = nlohmann::json;
using namespace view;
using Eigen::VectorXd;

template <class T>
T number(const std::string& bytes, std::size_t at) {
  T x;
  std::memcpy(&x, bytes.data() + at, sizeof x);
  return x;
}

Json scene_of(const Model& model, Diagnostics* found = nullptr, MeshOptions options = {}) {
  Meshes meshes(options);
  Diagnostics own;
  const Actor actor{model};
  return Json::parse(scene_message({&actor, 1}, meshes, found ? *found : own));
}

Transform<double> pose(const Json& x) {
  const auto n = x.get<std::vector<double>>();
  return {Rotation<double>::from_quaternion({n[3], n[4], n[5], n[6]}), {n[0], n[1], n[2]}};
}
Vec3<double> three(const Json& x) {
  const auto n = x.get<std::vector<double>>();
  return {n[0], n[1], n[2]};
}

/// The pose of a joint's moving side, as a page computes it.
Transform<double> joint_motion(const Json& joint, const std::vector<double>& q) {
  const std::string type = joint["type"];
  const Vec3<double> axis = three(joint["axis"]);
  if (type == "fixed") return {};
  if (type == "prismatic") return Transform<double>::from_translation(q[0] * axis);
  if (type == "ball")
    return Transform<double>::from_rotation(
        Rotation<double>::from_quaternion({q[0], q[1], q[2], q[3]}));
  if (type == "floating")
    return {Rotation<double>::from_quaternion({q[3], q[4], q[5], q[6]}), {q[0], q[1], q[2]}};
  if (type == "planar") {
    const auto R = Rotation<double>::z_to(axis);
    return Transform<double>(R, R * Vec3<double>(q[0], q[1], 0.0)) *
           Transform<double>(Rotation<double>::about_z(q[2]), Vec3<double>::Zero()) *
           Transform<double>::from_rotation(R.inverse());
  }
  const double pitch = type == "helical" ? double(joint["pitch"]) : 0.0;
  return {Rotation<double>::about(axis, q[0]), pitch * q[0] * axis};
}

/// Where a page draws the links.
std::vector<Transform<double>> link_poses(const Json& robot, const VectorXd& q) {
  std::vector<Transform<double>> poses(robot["links"].size());
  for (const Json& joint : robot["joints"]) {
    std::vector<double> own;
    const Json* from = &joint;
    if (!joint["mimic"].is_null()) from = &robot["joints"][std::size_t(joint["mimic"]["joint"])];
    for (int i = 0; i < int((*from)["nq"]); ++i) own.push_back(q(int((*from)["q"]) + i));
    if (!joint["mimic"].is_null())
      own[0] = double(joint["mimic"]["multiplier"]) * own[0] + double(joint["mimic"]["offset"]);
    poses[std::size_t(joint["child"])] =
        poses[std::size_t(joint["parent"])] * pose(joint["pose"]) * joint_motion(joint, own);
  }
  return poses;
}

TEST(Scene, a_page_places_all_links_of_all_robots_where_the_library_does) {
  std::mt19937_64 random(3);
  for (const EmbeddedRobot& embedded : embedded_robots())
    for (const bool floating : {false, true}) {
      const Model model =
          import_robot(embedded.text, std::string(embedded.file_name), {.floating_base = floating})
              .model;
      const Json scene = scene_of(model);
      ASSERT_EQ(scene["type"], "scene");
      const Json& robot = scene["robots"][0];
      const VectorXd q = random_configuration(model, random);
      const auto poses = link_poses(robot, page_coordinates(model, q));
      Kinematics<double> at(model);
      at.set(q);
      for (std::size_t i = 0; i < poses.size(); ++i) {
        const std::string link = robot["links"][i]["name"];
        EXPECT_LT((poses[i].matrix() - at.pose(model.frame(link)).matrix()).norm(), 1e-9)
            << model.name() << ": " << link;
      }
    }
}

TEST(Scene, joints_come_after_those_that_carry_them) {
  for (const EmbeddedRobot& embedded : embedded_robots()) {
    const Model model = import_robot(embedded.text, std::string(embedded.file_name)).model;
    const Json robot = scene_of(model)["robots"][0];
    EXPECT_EQ(robot["joints"].size(), model.description().joints.size());
    std::vector<bool> placed(robot["links"].size());
    placed[std::size_t(robot["joints"][0]["parent"])] = true;
    for (const Json& joint : robot["joints"]) {
      EXPECT_TRUE(placed[std::size_t(joint["parent"])]) << joint["name"];
      placed[std::size_t(joint["child"])] = true;
    }
  }
}

TEST(Scene, page_coordinates_and_back_are_the_same) {
  std::mt19937_64 random(4);
  for (const char* name : {"humanoid", "ball_wrist", "planar_cart", "panda"}) {
    const Model model = load_robot(name, {.floating_base = true}).model;
    const VectorXd q = random_configuration(model, random);
    EXPECT_EQ(model_coordinates(model, page_coordinates(model, q)), q);
  }
}

TEST(Scene, has_limits_masses_and_colours) {
  const Model model = import_urdf(R"(<robot name="r">
    <material name="blue"><color rgba="0.1 0.2 0.9 0.5"/></material>
    <link name="base"><visual><origin xyz="0 0 0.1"/><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual></link>
    <link name="arm"><inertial><origin xyz="0 0 0.5"/><mass value="2"/>
      <inertia ixx="0.3" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.1"/></inertial>
      <collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
    <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="2" velocity="3" effort="4"/></joint></robot>)",
                                  "r.urdf")
                          .model;
  const Json robot = scene_of(model)["robots"][0];
  const Json& visual = robot["links"][0]["visuals"][0];
  EXPECT_EQ(visual["kind"], "box");
  EXPECT_EQ(visual["size"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(visual["pose"], Json({0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(visual["color"], Json({0.1, 0.2, 0.9, 0.5}));
  const Json& arm = robot["links"][1];
  EXPECT_EQ(arm["mass"], 2.0);
  EXPECT_EQ(arm["com"], Json({0.0, 0.0, 0.5}));
  EXPECT_EQ(arm["physical"], true);
  EXPECT_EQ(arm["collisions"][0]["kind"], "cylinder");
  EXPECT_EQ(arm["collisions"][0]["color"], nullptr);
  // the axes of the moments make the inertia again
  Mat3<double> moments = three(arm["inertia"]["moments"]).asDiagonal();
  const auto a = arm["inertia"]["axes"].get<std::vector<double>>();
  const Mat3<double> R = Rotation<double>::from_quaternion({a[0], a[1], a[2], a[3]}).matrix();
  EXPECT_LT(
      (R * moments * R.transpose() - Mat3<double>(Vec3<double>(0.3, 0.2, 0.1).asDiagonal())).norm(),
      1e-12);
  const Json& joint = robot["joints"][0];
  EXPECT_EQ(joint["lower"], Json({-1.0}));
  EXPECT_EQ(joint["upper"], Json({2.0}));
  EXPECT_EQ(joint["velocity"], 3.0);
  EXPECT_EQ(joint["effort"], 4.0);
  EXPECT_EQ(joint["unit"], "rad");
}

TEST(Scene, a_body_that_cannot_exist_is_said_to_be_so) {
  const Model model = import_urdf(R"(<robot name="r"><link name="base"/>
    <link name="arm"><inertial><mass value="1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.9"/></inertial></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>)",
                                  "r.urdf")
                          .model;
  const Json link = scene_of(model)["robots"][0]["links"][1];
  EXPECT_EQ(link["physical"], false);
  EXPECT_NE(std::string(link["reason"]).find("triangle"), std::string::npos) << link["reason"];
}

/// A folder with a robot whose two links have a mesh each, of which one is missing.
class MeshFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("ulna_view_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "meshes");
    std::ofstream(folder_ / "meshes" / "part.obj")
        << "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::ofstream(folder_ / "r.urdf") << R"(<robot name="r"><link name="base"><visual><geometry>
      <mesh filename="package://some_robot/meshes/part.obj" scale="1 2 3"/></geometry></visual></link>
      <link name="arm"><visual><geometry><mesh filename="meshes/missing.stl"/></geometry></visual>
      <visual><geometry><mesh filename="meshes/part.obj"/></geometry></visual></link>
      <joint name="j" type="fixed"><parent link="base"/><child link="arm"/></joint></robot>)";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(MeshFolder, meshes_are_found_by_the_folders_of_packages_and_read_once) {
  const Model model = load_robot((folder_ / "r.urdf").string()).model;
  Diagnostics found;
  Meshes meshes({.files = {.packages = {{"some_robot", folder_}}}});
  const Actor actor{model};
  const Json robot = Json::parse(scene_message({&actor, 1}, meshes, found))["robots"][0];
  const Json& visual = robot["links"][0]["visuals"][0];
  EXPECT_EQ(visual["kind"], "mesh");
  EXPECT_EQ(visual["scale"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(robot["links"][1]["visuals"].size(), 1u);
  EXPECT_EQ(robot["links"][1]["visuals"][0]["mesh"], visual["mesh"]);
  EXPECT_EQ(meshes.size(), 1);
  ASSERT_EQ(found.list().size(), 1u);
  EXPECT_EQ(found.list()[0].rule->name, "mesh-missing");
  EXPECT_NE(found.list()[0].str().find("missing.stl"), std::string::npos);

  const auto bytes = meshes.bytes(visual["mesh"]);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(number<std::uint32_t>(*bytes, 0), 4u);
  EXPECT_EQ(number<std::uint32_t>(*bytes, 4), 4u);
  EXPECT_EQ(bytes->size(), 8 + 4 * 12 + 4 * 12u);
  EXPECT_EQ(number<float>(*bytes, 8 + 12 + 0), 1.0f);
  EXPECT_EQ(number<float>(*bytes, 8 + 24 + 4), 2.0f);
  EXPECT_EQ(meshes.bytes(1), nullptr);
  EXPECT_EQ(meshes.bytes(-1), nullptr);
}

TEST(MeshBytes, colours_follow_the_triangles_where_a_mesh_has_them) {
  ColoredMesh mesh{{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}};
  Meshes meshes;
  const std::string bare = *meshes.bytes(meshes.add(mesh));
  mesh.colors = {{0.2F, 0.4F, 0.6F, 1.0F}};
  const std::string painted = *meshes.bytes(meshes.add(mesh));
  EXPECT_EQ(bare.size(), 8u + 3 * 12 + 12);
  EXPECT_EQ(painted, bare + "\x33\x66\x99\xff");
}

TEST_F(MeshFolder, a_package_that_nobody_names_is_a_diagnostic) {
  Diagnostics found;
  const Json scene = scene_of(load_robot((folder_ / "r.urdf").string()).model, &found);
  EXPECT_EQ(scene["robots"][0]["links"][0]["visuals"], Json::array());
  EXPECT_EQ(found.count(Severity::warning), 2u);
}

TEST_F(MeshFolder, too_many_and_too_large_meshes_are_diagnostics) {
  const Model model = load_robot((folder_ / "r.urdf").string()).model;
  for (const MeshOptions& options :
       {MeshOptions{.files = {.packages = {{"some_robot", folder_}}}, .most_meshes = 0},
        MeshOptions{.files = {.packages = {{"some_robot", folder_}}}, .most_bytes = 50}}) {
    Diagnostics found;
    scene_of(model, &found, options);
    EXPECT_TRUE(found.find(mesh_rules::too_large));
  }
}

TEST(Binary, a_state_is_what_the_stream_says) {
  const Model model = load_robot("planar_cart").model;
  VectorXd q = neutral(model);
  for (Eigen::Index i = 0; i < q.size(); ++i) q(i) = 1.0 + double(i);
  const std::string bytes = state_message(2, model, 0.5, q);
  EXPECT_EQ(number<std::uint8_t>(bytes, 0), 1);
  EXPECT_EQ(number<std::uint8_t>(bytes, 1), 2);
  EXPECT_EQ(number<std::uint16_t>(bytes, 2), model.nq());
  EXPECT_EQ(number<double>(bytes, 4), 0.5);
  ASSERT_EQ(bytes.size(), 12 + 4 * std::size_t(model.nq()));
  const VectorXd page = page_coordinates(model, q);
  for (int i = 0; i < model.nq(); ++i)
    EXPECT_EQ(number<float>(bytes, 12 + 4 * std::size_t(i)), float(page(i)));
}

TEST(Binary, arrows_values_and_trails_are_what_the_stream_says) {
  const Arrow arrow{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  const std::string arrows = arrows_message(0.5, {&arrow, 1});
  EXPECT_EQ(arrows.size(), 36u);
  EXPECT_EQ(arrows[0], 3);
  EXPECT_EQ(number<std::uint16_t>(arrows, 2), 1);
  EXPECT_EQ(number<float>(arrows, 12 + 16), 5.0f);
  const std::string trail = trail_message(1, 0.5, std::array{arrow.point, arrow.force});
  EXPECT_EQ(trail.size(), 36u);
  EXPECT_EQ(trail[0], 4);
  EXPECT_EQ(trail[1], 1);
  EXPECT_EQ(number<float>(trail, 12 + 20), 6.0f);
  const std::string values = values_message(0.5, Eigen::Vector2d(7.0, std::nan("")));
  EXPECT_EQ(values.size(), 20u);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(number<float>(values, 12), 7.0f);
  EXPECT_TRUE(std::isnan(number<float>(values, 16)));
}

TEST(Binary, tracks_come_in_pieces_that_join) {
  const Model model = load_robot("panda").model;
  const Eigen::Index n = 100'000;
  const VectorXd times = VectorXd::LinSpaced(n, 0.0, 1.0);
  const Eigen::MatrixXd q = Eigen::MatrixXd::Random(model.nq(), n);
  Eigen::Index k = 0;
  const std::vector<Message> pieces = track_messages(1, model, times, q);
  EXPECT_GT(pieces.size(), 1u);
  for (const Message& piece : pieces) {
    const std::string& bytes = *piece.bytes;
    EXPECT_TRUE(piece.binary);
    EXPECT_LE(bytes.size(), (1u << 20) + 12);
    EXPECT_EQ(bytes[0], 5);
    EXPECT_EQ(bytes[1], 1);
    const std::size_t count = number<std::uint32_t>(bytes, 4);
    ASSERT_EQ(bytes.size(), 12 + count * (8 + 4 * 7));
    for (std::size_t i = 0; i < count; ++i, ++k) {
      ASSERT_EQ(number<double>(bytes, 12 + 8 * i), times(k));
      ASSERT_EQ(number<float>(bytes, 12 + 8 * count + 28 * i + 8), float(q(2, k)));
    }
  }
  EXPECT_EQ(k, n);
}

TEST(Diagnostics, are_listed_with_lines_and_the_text_they_are_about) {
  const std::string text =
      "<robot name=\"r\">\n<link name=\"a\"/>\n<joint name=\"j\" type=\"revolut\"/>\n</robot>";
  try {
    import_urdf(text, "r.urdf");
    FAIL();
  } catch (const ModelError& e) {
    const Json message = Json::parse(diagnostics_message("r.urdf", text, e.diagnostics(), 7));
    EXPECT_EQ(message["type"], "diagnostics");
    EXPECT_EQ(message["text"], text);
    EXPECT_EQ(message["request"], 7);
    EXPECT_EQ(message["errors"], e.diagnostics().count(Severity::error));
    EXPECT_EQ(message["items"].size(), e.diagnostics().list().size());
    EXPECT_EQ(message["items"][0]["line"], 3);
    EXPECT_EQ(message["items"][0]["severity"], "error");
  }
}

TEST(Page, holds_its_data_and_nothing_in_it_ends_the_script) {
  Meshes meshes;
  const std::vector<Message> messages{text(R"({"type":"hello","title":"</script><b>&"})"),
                                      binary(std::string("\x05\x00\xff", 3))};
  const std::string page =
      page_with("<!doctype html><html><head><title>t</title></head></html>", messages, meshes);
  const std::string open = "<script id=\"ulna-data\" type=\"application/json\">";
  const std::size_t begin = page.find(open);
  ASSERT_NE(begin, page.npos);
  EXPECT_LT(page.find("<head>"), begin);
  EXPECT_LT(begin, page.find("<title>"));
  const std::size_t end = page.find("</script>", begin);
  const Json data = Json::parse(page.substr(begin + open.size(), end - begin - open.size()));
  EXPECT_EQ(data["messages"][0]["title"], "</script><b>&");
  EXPECT_EQ(data["binary"][0], "BQD/");
  EXPECT_EQ(data["meshes"], Json::object());
}

TEST(Recordings, a_pendulum_keeps_its_energy_and_a_held_arm_its_place) {
  const Model pendulum = load_robot("pendulum").model;
  const Recording swing =
      record_simulation(pendulum, VectorXd::Constant(1, 1.0), VectorXd::Zero(1), {.seconds = 2.0});
  EXPECT_EQ(swing.times.size(), 201);
  EXPECT_NEAR(swing.times(200), 2.0, 1e-9);
  EXPECT_TRUE(swing.ended.empty());
  EXPECT_GT((swing.q.row(0).array() - 1.0).abs().maxCoeff(), 0.5);
  const Model panda = load_robot("panda").model;
  const VectorXd home = neutral(panda);
  const Recording held =
      record_simulation(panda, home, VectorXd::Zero(7), {.seconds = 0.5, .drive = Drive::pd});
  EXPECT_LT((held.q.colwise() - home).cwiseAbs().maxCoeff(), 1e-3);
}

}  // namespace
}  // namespace ulna::test
