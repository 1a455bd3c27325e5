#include "ulna/geometry/colored_mesh.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "support/documented_rules.hpp"
#include "support/fuzz.hpp"
#include "support/mesh.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"
#include "ulna/geometry/convex_hull.hpp"
#include "ulna/geometry/robot_shapes.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/rules.hpp"

// Meshes from files, good and bad, and the shapes of robots that are made of them.
namespace ulna::test {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone when the test is.
class Folder {
 public:
  Folder() {
    const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::temp_directory_path() /
            ("ulna_" + std::string(info->name()) + "_" + std::to_string(::getpid()));
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path write(const fs::path& name, const std::string& text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const test::Mesh<double> box = box_mesh<double>({1.0, 2.0, 3.0});

std::string text_stl(const test::Mesh<double>& mesh = box) {
  std::string out = "solid box\n";
  for (const auto& t : mesh.triangles) {
    out += " facet normal 0 0 0\n  outer loop\n";
    for (const int v : t) {
      const auto& p = mesh.vertices[static_cast<std::size_t>(v)];
      out += "   vertex " + std::to_string(p.x()) + " " + std::to_string(p.y()) + " " +
             std::to_string(p.z()) + "\n";
    }
    out += "  endloop\n endfacet\n";
  }
  return out + "endsolid box\n";
}

std::string binary_stl(const test::Mesh<double>& mesh = box,
                       const std::string& title = "solid but binary") {
  std::string out = title;
  out.resize(80, ' ');
  const auto append = [&](const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) append(0.0f);
    for (const int v : t)
      for (int i = 0; i < 3; ++i)
        append(static_cast<float>(mesh.vertices[static_cast<std::size_t>(v)](i)));
    append(std::uint16_t{0});
  }
  return out;
}

std::string obj() {
  std::string out = "# a box\n";
  for (const auto& p : box.vertices)
    out += "v " + std::to_string(p.x()) + " " + std::to_string(p.y()) + " " +
           std::to_string(p.z()) + "\n";
  for (const auto& t : box.triangles) {
    out += "f";
    for (const int v : t) out += " " + std::to_string(v + 1) + "//1";
    out += "\n";
  }
  return out;
}

void expect_box(const std::optional<Triangles>& mesh) {
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->faces.size(), 12u);
  const ConvexHull hull(mesh->vertices);
  EXPECT_EQ(hull.vertices().size(), 8u);
  EXPECT_EQ(hull.face_count(), 6);
  EXPECT_NEAR(hull.volume(), 6.0, 1e-6);
}

TEST(MeshFile, stl_of_text_and_bytes_and_obj_are_the_same_box) {
  const Folder folder;
  Diagnostics out;
  expect_box(read_mesh(folder.write("a.stl", text_stl()), out, "link 'a'"));
  expect_box(read_mesh(folder.write("b.STL", binary_stl()), out, "link 'a'"));
  expect_box(read_mesh(folder.write("c.obj", obj()), out, "link 'a'"));
  EXPECT_TRUE(out.list().empty());
}

TEST(MeshFile, faces_of_obj_with_four_corners_and_counted_from_the_end_are_read) {
  const Folder folder;
  Diagnostics out;
  const auto mesh = read_mesh(
      folder.write("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf -4/1 -3/2 -2/3\n"),
      out, "");
  ASSERT_TRUE(mesh);
  const std::vector<std::array<int, 3>> expected = {{0, 1, 2}, {0, 2, 3}, {0, 1, 2}};
  EXPECT_EQ(mesh->faces, expected);
}

/// A tetrahedron of 1 x 2 x 3 m, in centimetres.
const std::string dae = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 200 0 0 0 300</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>)";

/// The same in metres.
const std::string gltf = R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
"nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
"buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAEBAAAACAAEAAAABAAMAAAADAAIAAQACAAMA"}],
"bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 2, 3]},
{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]})";

// Where ulna is built with assimp, DAE is read in the axes and the unit of the file; otherwise that is a diagnostic.
TEST(MeshFile, dae_is_read_in_its_own_axes_or_named_as_not_readable) {
  const Folder folder;
  Diagnostics out;
  const auto mesh = read_mesh(folder.write("tetrahedron.dae", dae), out, "link 'a'");
  if (!mesh) {
    ASSERT_EQ(out.list().size(), 1u);
    EXPECT_EQ(out.list()[0].rule, &mesh_rules::format) << out.list()[0].str();
    return;
  }
  const ConvexHull hull(mesh->vertices);
  EXPECT_NEAR(hull.volume(), 1.0, 1e-6);
  for (int i = 0; i < 3; ++i) {
    const Vec3<double> axis = Vec3<double>::Unit(i);
    EXPECT_NEAR(hull.vertices()[static_cast<std::size_t>(hull.support(axis))](i), i + 1.0, 1e-6);
  }
}

TEST(MeshFile, gltf_is_read_or_named_as_not_readable) {
  const Folder folder;
  Diagnostics out;
  const auto mesh = read_mesh(folder.write("tetrahedron.gltf", gltf), out, "link 'a'");
  if (!mesh) {
    ASSERT_EQ(out.list().size(), 1u);
    EXPECT_EQ(out.list()[0].rule, &mesh_rules::format) << out.list()[0].str();
    return;
  }
  EXPECT_NEAR(ConvexHull(mesh->vertices).volume(), 1.0, 1e-6);
}

TEST(MeshFile, dae_has_the_colours_of_its_materials_on_its_faces) {
  const Folder folder;
  const auto part = [](const std::string& id) {
    return "<geometry id=\"" + id + "\"><mesh><source id=\"p" + id + "\"><float_array id=\"a" + id +
           "\" count=\"9\">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source=\"#a" +
           id +
           "\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" "
           "type=\"float\"/><param name=\"Z\" "
           "type=\"float\"/></accessor></technique_common></source><vertices id=\"v" +
           id + "\"><input semantic=\"POSITION\" source=\"#p" + id +
           "\"/></vertices><triangles count=\"1\" material=\"paint\"><input semantic=\"VERTEX\" "
           "source=\"#v" +
           id + "\" offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry>";
  };
  const auto paint = [](const std::string& id, const std::string& rgba) {
    return std::pair("<effect id=\"e" + id +
                         "\"><profile_COMMON><technique sid=\"t\"><lambert><diffuse><color>" +
                         rgba +
                         "</color></diffuse></lambert></technique></profile_COMMON></effect>",
                     "<material id=\"m" + id + "\" name=\"" + id + "\"><instance_effect url=\"#e" +
                         id + "\"/></material>");
  };
  const auto placed = [](const std::string& id) {
    return "<instance_geometry url=\"#" + id +
           "\"><bind_material><technique_common><instance_material symbol=\"paint\" target=\"#m" +
           id + "\"/></technique_common></bind_material></instance_geometry>";
  };
  const auto [steel_effect, steel] = paint("g", "0.2 0.4 0.6 1");
  const auto [red_effect, red] = paint("h", "0.9 0.1 0.1 1");
  const std::string materials = "<library_effects>" + steel_effect + red_effect +
                                "</library_effects><library_materials>" + steel + red +
                                "</library_materials>";
  const auto file = [&](const std::string& library) {
    return "<?xml version=\"1.0\"?><COLLADA "
           "xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
           "version=\"1.4.1\"><asset><up_axis>Z_UP</up_axis></asset>" +
           library + "<library_geometries>" + part("g") + part("h") +
           "</library_geometries><library_visual_scenes><visual_scene id=\"s\"><node id=\"n\">" +
           placed("g") + placed("h") +
           "</node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
           "url=\"#s\"/></scene></COLLADA>";
  };
  Diagnostics out;
  const auto painted = read_colored_mesh(folder.write("painted.dae", file(materials)), out, "");
  if (!painted) GTEST_SKIP() << "built without assimp";
  ASSERT_EQ(painted->colors.size(), 2u);
  std::vector<float> reds{painted->colors[0][0], painted->colors[1][0]};
  std::ranges::sort(reds);
  EXPECT_NEAR(reds[0], 0.2F, 1e-6F);
  EXPECT_NEAR(reds[1], 0.9F, 1e-6F);
  const auto bare = read_colored_mesh(folder.write("bare.dae", file("")), out, "");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->triangles.faces.size(), 2u);
  EXPECT_TRUE(bare->colors.empty());
}

struct BadMesh {
  const char* name;
  std::string text;
  const Rule* rule;
  int line;
};

TEST(MeshFile, that_is_broken_is_a_diagnostic_with_its_place) {
  const Folder folder;
  const std::string nan = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n";
  std::string bad_number = binary_stl();
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bad_number.data() + 84 + 12, &not_a_number, sizeof not_a_number);
  const std::vector<BadMesh> inputs = {
      {"empty.stl", "", &mesh_rules::broken, 0},
      {"short.stl", "solid", &mesh_rules::broken, 0},
      {"cut.stl", binary_stl(box, "x").substr(0, 300), &mesh_rules::broken, 0},
      {"number.stl", bad_number, &mesh_rules::broken, 0},
      {"nan.stl", nan, &mesh_rules::broken, 4},
      {"within.stl", text_stl().substr(0, 300), &mesh_rules::broken, 0},
      {"words.obj", "v 1 2 three\n", &mesh_rules::broken, 1},
      {"index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", &mesh_rules::broken, 4},
      {"zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", &mesh_rules::broken, 4},
      {"two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", &mesh_rules::broken, 3},
      {"none.obj", "v 0 0 0\n", &mesh_rules::broken, 0},
      {"picture.png", "PNG", &mesh_rules::format, 0},
  };
  for (const BadMesh& input : inputs) {
    Diagnostics out;
    EXPECT_FALSE(read_mesh(folder.write(input.name, input.text), out, "link 'a'")) << input.name;
    ASSERT_EQ(out.list().size(), 1u) << input.name;
    const Diagnostic& found = out.list()[0];
    EXPECT_EQ(found.rule, input.rule) << found.str();
    EXPECT_NE(found.source.file.find(input.name), std::string::npos) << found.str();
    if (input.line > 0) {
      EXPECT_EQ(found.source.line, input.line) << found.str();
    }
    EXPECT_FALSE(found.seen.empty());
    EXPECT_FALSE(found.remedy.empty() && found.rule->remedy.empty());
  }
  Diagnostics out;
  EXPECT_FALSE(read_mesh(folder.path() / "missing.stl", out, ""));
  EXPECT_FALSE(read_mesh(folder.path(), out, ""));
  EXPECT_EQ(out.list()[0].rule, &mesh_rules::missing);
  EXPECT_EQ(out.list()[1].rule, &mesh_rules::missing);
}

TEST(MeshFile, with_random_damage_is_read_soundly_or_named) {
  const Folder folder;
  for (const auto& [name, text] : {std::pair{"a.stl", text_stl()},
                                   {"b.stl", binary_stl()},
                                   {"c.obj", obj()},
                                   {"d.dae", dae},
                                   {"e.gltf", gltf}})
    for_each_seed(
        [&](Random& random) {
          std::string damaged = text;
          const auto place = [&] {
            return static_cast<std::size_t>(random.real(0.0, static_cast<double>(damaged.size())));
          };
          if (random.real() < 0.0) {
            for (int i = 0; i < 5; ++i)
              damaged[place()] = static_cast<char>(random.real(0.0, 256.0));
            if (random.real() < 0.0) damaged.resize(place());
          } else {
            // what keeps its form: numbers that are wrong
            for (int i = 0; i < 3; ++i)
              if (const auto at = damaged.find_first_of("0123456789", place()); at != damaged.npos)
                damaged.replace(
                    at, 1,
                    random.real() < 0.5 ? std::to_string(int(random.real(0, 10))) : "-99999999999");
          }
          Diagnostics out;
          const auto mesh = read_mesh(folder.write(name, damaged), out, "link 'a'");
          EXPECT_EQ(out.list().size(), mesh ? 0u : 1u);
          if (!mesh) return;
          for (const Vec3<double>& v : mesh->vertices) EXPECT_TRUE(v.allFinite());
          for (const auto& face : mesh->faces)
            for (const int v : face) {
              EXPECT_GE(v, 0);
              EXPECT_LT(v, static_cast<int>(mesh->vertices.size()));
            }
        },
        std::uint64_t(fuzz_cases(300)));
}

// assimp 5.2 crashes on it
TEST(MeshFile, whose_reader_crashes_is_a_diagnostic) {
  const Folder folder;
  const std::string count = "count=\"12\"";
  std::string damaged = dae;
  damaged.replace(damaged.find(count), count.size(), "count=\"-999999999992\"");
  Diagnostics out;
  EXPECT_FALSE(read_mesh(folder.write("a.dae", damaged), out, "link 'a'"));
  ASSERT_EQ(out.list().size(), 1u);
  EXPECT_EQ(out.list()[0].rule, &mesh_rules::broken);
}

TEST(MeshFile, of_too_many_triangles_or_bytes_is_refused) {
  const Folder folder;
  const MeshLimits few{.max_bytes = 1'000'000, .max_triangles = 12}, small{.max_bytes = 100};
  for (const auto& [name, text] :
       {std::pair{"a.stl", text_stl()}, {"b.stl", binary_stl()}, {"c.obj", obj()}}) {
    const fs::path file = folder.write(name, text);
    Diagnostics out;
    EXPECT_FALSE(read_mesh(file, out, "", few));
    EXPECT_FALSE(read_mesh(file, out, "", small));
    EXPECT_TRUE(read_mesh(file, out, ""));
    ASSERT_EQ(out.list().size(), 2u);
    for (const Diagnostic& d : out.list()) EXPECT_EQ(d.rule, &mesh_rules::too_large);
  }
  // ten million, of which only the head is read: the file has its length, but takes no space
  std::string head(84, ' ');
  const std::uint32_t count = 10'000'000;
  std::memcpy(head.data() + 80, &count, sizeof count);
  const fs::path large = folder.write("large.stl", head);
  fs::resize_file(large, 84 + 50ull * count);
  Diagnostics out;
  EXPECT_FALSE(read_mesh(large, out, "link 'a'"));
  ASSERT_EQ(out.list().size(), 1u);
  EXPECT_EQ(out.list()[0].rule, &mesh_rules::too_large);
}

TEST(MeshFile, is_found_beside_the_description_and_in_packages_above_it) {
  const Folder folder;
  const fs::path urdf = folder.write("arm_description/urdf/arm.urdf", "");
  const fs::path beside = folder.write("arm_description/urdf/a.stl", "x");
  const fs::path meshes = folder.write("arm_description/meshes/b.stl", "x");
  const fs::path other = folder.write("hand/c.stl", "x");
  const fs::path elsewhere = folder.write("far/away/tool/d.stl", "x");
  const auto found = [&](std::string_view name, std::vector<fs::path> folders = {}) {
    const auto path = find_mesh(name, urdf, folders);
    return path ? fs::weakly_canonical(*path) : fs::path();
  };
  EXPECT_EQ(found("a.stl"), beside);
  EXPECT_EQ(found("../meshes/b.stl"), meshes);
  EXPECT_EQ(found("package://arm_description/meshes/b.stl"), meshes);
  EXPECT_EQ(found("package://hand/c.stl"), other);
  EXPECT_EQ(found("file://" + other.string()), other);
  EXPECT_EQ(found("package://tool/d.stl"), fs::path());
  EXPECT_EQ(found("package://tool/d.stl", {folder.path() / "far/away"}), elsewhere);
  EXPECT_EQ(found("package://tool/d.stl", {folder.path() / "far/away/tool"}), elsewhere);
  EXPECT_EQ(found("d.stl", {folder.path() / "far/away/tool"}), elsewhere);
}

TEST(MeshFile, a_package_that_is_named_comes_before_folders_of_its_name) {
  const Folder folder;
  const fs::path urdf = folder.write("arm/urdf/arm.urdf", "<robot/>");
  folder.write("arm/a.stl", "x");
  const fs::path named = folder.write("elsewhere/a.stl", "x");
  const PackageFolders packages{{"arm", folder.path() / "elsewhere"}};
  EXPECT_EQ(find_mesh("package://arm/a.stl", urdf, {}, packages), named);
  EXPECT_EQ(fs::weakly_canonical(*find_mesh("package://arm/a.stl", urdf)),
            fs::weakly_canonical(folder.path() / "arm/a.stl"));
  EXPECT_EQ(find_mesh("package://", urdf, {}, packages), std::nullopt);
  EXPECT_EQ(find_mesh("package://arm", urdf, {}, packages), std::nullopt);
}

TEST(MeshFile, packages_of_ros_are_those_that_the_environment_names) {
  const Folder folder;
  const auto package = [&](const fs::path& at) {
    return folder.write(at / "package.xml", "<package/>").parent_path();
  };
  const fs::path shared = package("opt/share/arm_description"), own = package("src/stack/hand"),
                 urdf = folder.write("robots/deep/down/arm.urdf", "<robot/>"),
                 mesh = folder.write("src/stack/hand/meshes/a.stl", "x");
  package("src/stack/hand/inner"), package("src/.hidden/secret");
  folder.write("src/stack/no_package/README", "x");
  const std::string ament = (folder.path() / "opt").string() + ":/does/not/exist",
                    ros = "::" + (folder.path() / "src").string();
  ASSERT_EQ(setenv("AMENT_PREFIX_PATH", ament.c_str(), 1), 0);
  ASSERT_EQ(setenv("ROS_PACKAGE_PATH", ros.c_str(), 1), 0);
  std::map<std::string, std::optional<fs::path>> found;
  for (const char* name : {"arm_description", "hand", "inner", "secret", "no_package", "..", ""})
    found[name] = find_package(name, urdf);
  const auto file = find_mesh("package://hand/meshes/a.stl", urdf);
  unsetenv("AMENT_PREFIX_PATH"), unsetenv("ROS_PACKAGE_PATH");
  EXPECT_EQ(found["arm_description"], shared);
  EXPECT_EQ(found["hand"], own);
  EXPECT_EQ(file, mesh);
  for (const char* name : {"inner", "secret", "no_package", "..", ""})
    EXPECT_EQ(found[name], std::nullopt) << name;
  EXPECT_EQ(find_package("hand", urdf), std::nullopt);
}

std::string robot_with(const std::string& collision) {
  return "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia "
         "ixx='1' ixy='0' "
         "ixz='0' iyy='1' iyz='0' izz='1'/></inertial>" +
         collision +
         "</link><joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis "
         "xyz='1 0 0'/></joint>"
         "</robot>";
}
std::string with_mesh(const std::string& file, const std::string& scale = "1 1 1") {
  return robot_with("<collision><origin xyz='0 0 1'/><geometry><mesh filename='" + file +
                    "' scale='" + scale + "'/></geometry></collision>");
}

TEST(RobotShapes, are_placed_in_the_canonical_frames_of_their_bodies) {
  const Folder folder;
  folder.write("box.stl", binary_stl());
  const std::string file = (folder.path() / "r.urdf").string();
  const Model model = import_urdf(with_mesh("box.stl", "0.1 0.1 -0.1"), file).model;
  const RobotShapes robot = robot_shapes(model);
  EXPECT_TRUE(robot.diagnostics.list().empty());
  ASSERT_EQ(robot.shapes.size(), 1u);
  const BodyShape& shape = robot.shapes[0];
  EXPECT_EQ(shape.body, 1);
  EXPECT_EQ(shape.link, "arm");
  EXPECT_EQ(shape.shape.kind(), ShapeKind::hull);
  // the user's frame of the body: its z, on which the shape is, is not the joint's axis
  const Vec3<double> at = model.joint(1).R_BC * shape.X_CS.translation();
  EXPECT_TRUE(at.isApprox(Vec3<double>::UnitZ(), 1e-15));
  EXPECT_NEAR(shape.shape.hull()->volume(), 6e-3, 1e-9);
}

TEST(RobotShapes, that_cannot_be_made_are_left_out_with_a_diagnostic) {
  const Folder folder;
  const std::string file = (folder.path() / "r.urdf").string();
  folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  test::Mesh<double> two = box;  // two boxes apart: their hull is more
  for (const auto& v : box.vertices) two.vertices.push_back(v + Vec3<double>(0.0, 5.0, 0.0));
  for (const auto& [a, b, c] : box.triangles) two.triangles.push_back({a + 8, b + 8, c + 8});
  folder.write("two.stl", text_stl(two));
  const auto told = [&](const std::string& urdf, std::size_t shapes) {
    const RobotShapes robot = robot_shapes(import_urdf(urdf, file).model);
    EXPECT_EQ(robot.shapes.size(), shapes);
    EXPECT_EQ(robot.diagnostics.list().size(), 1u);
    return robot.diagnostics.list().empty() ? nullptr : robot.diagnostics.list()[0].rule;
  };
  EXPECT_EQ(told(with_mesh("nowhere.stl"), 0), &mesh_rules::missing);
  EXPECT_EQ(told(with_mesh("flat.obj"), 0), &mesh_rules::flat);
  EXPECT_EQ(told(with_mesh("two.stl"), 1), &mesh_rules::concave);
  EXPECT_EQ(
      told(robot_with("<collision><geometry><sphere radius='1e-12'/></geometry></collision>"), 0),
      &rules::shape_invalid);
}

TEST(RobotShapes, leave_out_neighbours_and_what_overlaps_in_the_neutral_configuration) {
  const Model model = load_robot("chain:4").model;
  std::vector<BodyShape> shapes;
  for (int body = 0; body < model.body_count(); ++body)
    shapes.push_back({body, Transform<double>::from_translation({0.0, 0.0, 0.15}),
                      Sphere{body == 2 ? 0.6 : 0.05}, ""});
  using Why = LeftOut::Why;
  int adjacent = 0, overlapping = 0;
  for (const LeftOut& pair : left_out_pairs(model, shapes)) {
    EXPECT_LT(pair.first, pair.second);
    (pair.why == Why::adjacent ? adjacent : overlapping)++;
    if (pair.why == Why::overlapping) {
      EXPECT_TRUE(pair.first == 2 || pair.second == 2);
    }
  }
  EXPECT_EQ(adjacent, 4);
  EXPECT_EQ(overlapping, 2);  // the large sphere with those that are two joints away
}

TEST(RobotShapes, of_the_robots_that_come_with_ulna_are_made_without_complaint) {
  int shapes = 0;
  for (const EmbeddedRobot& robot : embedded_robots()) {
    const Model model = load_robot(robot.name).model;
    const RobotShapes made = robot_shapes(model);
    EXPECT_TRUE(made.diagnostics.list().empty()) << robot.name;
    shapes += static_cast<int>(made.shapes.size());
    left_out_pairs(model, made.shapes);
  }
  EXPECT_GT(shapes, 0);
}

TEST(MeshRules, are_documented_with_their_severity_and_no_others) {
  expect_documented(mesh_rules::all, "docs/geometry.md");
}

}  // namespace
}  // namespace ulna::test
