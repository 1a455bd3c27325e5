#include "ulna/geometry/propose_inertia.hpp"

#include <unistd.h>

#include <fstream>

#include "support/mesh.hpp"
#include "support/spatial.hpp"
#include "support/told.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::test::proposed_inertia {
namespace {

Triangles triangles_of(const Mesh<double>& mesh) { return {mesh.vertices, mesh.triangles}; }
/// Each triangle with corners of its own, as STL has them.
Triangles soup_of(const Triangles& mesh) {
  Triangles soup;
  for (const auto& face : mesh.faces) {
    const int first = static_cast<int>(soup.vertices.size());
    for (const int v : face) soup.vertices.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
    soup.faces.push_back({first, first + 1, first + 2});
  }
  return soup;
}
Triangles moved(Triangles mesh, const Transform<double>& X) {
  for (Vec3<double>& v : mesh.vertices) v = X * v;
  return mesh;
}
Triangles together(Triangles a, const Triangles& b) {
  const int first = static_cast<int>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& [i, j, k] : b.faces) a.faces.push_back({i + first, j + first, k + first});
  return a;
}
double difference(const Inertia<double>& a, const Inertia<double>& b) {
  return (a.parameters() - b.parameters()).cwiseAbs().maxCoeff();
}

TEST(SolidOfMesh, of_a_box_is_that_of_the_box) {
  const Vec3<double> size(0.3, 0.2, 0.5);
  const Solid<double> mesh = solid_of(soup_of(triangles_of(box_mesh(size)))), box = solid_box(size);
  EXPECT_NEAR(mesh.volume, box.volume, 1e-17);
  EXPECT_LT(difference(mesh.of_unit_density, box.of_unit_density), 1e-17);
}

TEST(SolidOfMesh, of_a_sphere_converges_by_the_square_of_its_triangles) {
  const Inertia<double> sphere = solid_sphere(0.4).of_unit_density;
  const auto error = [&](int n) {
    return difference(solid_of(triangles_of(capsule_mesh(0.4, 0.0, n))).of_unit_density, sphere);
  };
  EXPECT_NEAR(error(32) / error(64), 4.0, 0.1);
  EXPECT_NEAR(error(64) / error(128), 4.0, 0.1);
  EXPECT_LT(error(128), 0.01 * sphere.mass());
}

TEST(SolidOfMesh, moves_with_its_triangles) {
  Random random(5);
  const Triangles mesh = soup_of(triangles_of(capsule_mesh(0.1, 0.3, 16)));
  const Solid<double> at_home = solid_of(mesh);
  for (int i = 0; i < 20; ++i) {
    const auto X = random_transform<double>(random);
    const Solid<double> there = solid_of(moved(mesh, X));
    EXPECT_NEAR(there.volume, at_home.volume, 1e-15);
    EXPECT_LT(difference(there.of_unit_density, X * at_home.of_unit_density), 1e-13);
  }
}

TEST(SolidOfMesh, far_from_the_origin_loses_no_more_digits_than_its_corners) {
  const Vec3<double> size(0.25, 0.5, 0.125), away(1024.0, -2048.0, 512.0);  // sums are exact
  const Solid<double> there =
      solid_of(moved(triangles_of(box_mesh(size)), Transform<double>::from_translation(away)));
  EXPECT_EQ(there.volume, size.prod());
  EXPECT_LT((there.of_unit_density.com() - away).norm(), 1e-12);
  const Mat3<double> about_com = Inertial(there.of_unit_density).inertia;
  EXPECT_LT((about_com - Inertial(solid_box(size).of_unit_density).inertia).norm(), 1e-9);
}

TEST(SolidOfMesh, of_several_parts_is_their_sum) {
  const Triangles box = triangles_of(box_mesh<double>({0.1, 0.2, 0.3})),
                  rod = moved(triangles_of(capsule_mesh(0.05, 0.2, 24)),
                              Transform<double>::from_translation({1.0, 0.0, 0.0}));
  const Solid<double> both = solid_of(together(box, rod)), first = solid_of(box),
                      second = solid_of(rod);
  EXPECT_NEAR(both.volume, first.volume + second.volume, 1e-16);
  EXPECT_LT(difference(both.of_unit_density, first.of_unit_density + second.of_unit_density),
            1e-15);
}

TEST(SolidOfMesh, with_a_hollow_is_less_by_the_hollow) {
  Triangles hollow = triangles_of(box_mesh<double>({0.1, 0.1, 0.1}));
  for (auto& face : hollow.faces) std::swap(face[1], face[2]);
  const Triangles shell = together(triangles_of(box_mesh<double>({0.2, 0.2, 0.2})), hollow);
  EXPECT_NEAR(solid_of(shell).volume, 0.008 - 0.001, 1e-16);
}

TEST(SolidOfMesh, that_is_open_turned_or_inside_out_is_refused_with_the_place) {
  const Triangles box = triangles_of(box_mesh<double>({0.2, 0.2, 0.2}));
  Triangles open = box, turned = box, inside_out = box;
  open.faces.pop_back();
  std::swap(turned.faces[0][0], turned.faces[0][1]);
  for (auto& face : inside_out.faces) std::swap(face[0], face[1]);
  const auto what = [](const Triangles& mesh) { return told([&] { solid_of(soup_of(mesh)); }); };
  EXPECT_EQ(what(open).substr(0, 63),
            "mesh: 3 of 18 edges belong to one triangle only, one from 0.1 -");
  EXPECT_EQ(what(turned).find("mesh: 3 of 18 edges are run along twice in one direction"), 0u)
      << what(turned);
  EXPECT_EQ(what(inside_out).find("mesh: inside out"), 0u) << what(inside_out);
  EXPECT_EQ(what({}), "mesh: no triangles");
  Triangles wrong = box;
  wrong.faces[0][0] = 99;
  EXPECT_NE(told([&] { solid_of(wrong); }).find("corner 99 of 8"), std::string::npos);
  wrong = box;
  wrong.vertices[0].x() = std::nan("");
  EXPECT_NE(told([&] { solid_of(wrong); }).find("not a finite number"), std::string::npos);
}

/// A robot with links that lack inertials, and a mesh beside it.
class Proposals : public testing::Test {
 protected:
  Proposals() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("ulna_proposals_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Proposals() override { std::filesystem::remove_all(folder_); }

  void write_obj(const char* name, const Triangles& mesh) const {
    std::ofstream out(folder_ / name);
    for (const Vec3<double>& v : mesh.vertices)
      out << "v " << v.x() << " " << v.y() << " " << v.z() << "\n";
    for (const auto& [i, j, k] : mesh.faces)
      out << "f " << i + 1 << " " << j + 1 << " " << k + 1 << "\n";
  }
  Model robot(const std::string& arm) const {
    return import_urdf(
               "<robot name='r'><link name='base'><collision><geometry><box size='1 1 1'/>"
               "</geometry></collision></link>\n<link name='arm'>" +
                   arm +
                   "</link>\n<joint name='j' type='continuous'><parent link='base'/>"
                   "<child link='arm'/><axis xyz='0 1 0'/></joint></robot>",
               (folder_ / "r.urdf").string())
        .model;
  }
  static std::string shape(const std::string& kind, const std::string& geometry,
                           const std::string& origin = "") {
    return "<" + kind + ">" + origin + "<geometry>" + geometry + "</geometry></" + kind + ">";
  }
  std::filesystem::path folder_;
};

TEST_F(Proposals, are_the_sum_of_the_shapes_for_contact_at_their_poses) {
  const Model model =
      robot(shape("visual", "<box size='9 9 9'/>") +
            shape("collision", "<box size='0.1 0.2 0.3'/>",
                  "<origin xyz='0 0 0.15' rpy='0 0 1.5707963267948966'/>") +
            shape("collision", "<sphere radius='0.1'/>", "<origin xyz='0 0 0.5'/>") +
            shape("collision", "<cylinder radius='0.02' length='0.3'/>") +
            shape("collision", "<capsule radius='0.02' length='0.3'/>"));
  const InertiaProposals made = propose_inertias(model, {.density = 700.0});
  // the base does not move
  ASSERT_EQ(made.links.size(), 1u);
  const InertiaProposal& arm = made.links[0];
  EXPECT_EQ(arm.link, "arm");
  EXPECT_FALSE(arm.of_visuals);
  const auto at = [](double z) { return Transform<double>::from_translation({0.0, 0.0, z}); };
  const Inertia<double> expected =
      at(0.15) * solid_box<double>({0.2, 0.1, 0.3}).with_density(700.0) +
      at(0.5) * solid_sphere(0.1).with_density(700.0) +
      solid_cylinder(0.02, 0.3).with_density(700.0) + solid_capsule(0.02, 0.3).with_density(700.0);
  EXPECT_LT(difference(arm.inertial.in_link_frame(), expected), 1e-12);
  EXPECT_NEAR(arm.volume * 700.0, expected.mass(), 1e-12);
  EXPECT_EQ(arm.parts, (std::vector<std::string>{"box 0.1 x 0.2 x 0.3 m", "sphere of radius 0.1 m",
                                                 "cylinder of radius 0.02 m and length 0.3 m",
                                                 "capsule of radius 0.02 m and length 0.3 m"}));
  const Model whole = with_inertias(model, made.links);
  EXPECT_LT(difference(whole.inertias()[1], expected), 1e-12);
  EXPECT_TRUE(propose_inertias(whole).links.empty());
}

TEST_F(Proposals, are_of_what_is_drawn_where_nothing_is_for_contact) {
  const InertiaProposals made =
      propose_inertias(robot(shape("visual", "<sphere radius='0.1'/>")), {});
  ASSERT_EQ(made.links.size(), 1u);
  EXPECT_TRUE(made.links[0].of_visuals);
  EXPECT_NEAR(made.links[0].inertial.mass, 4000.0 / 3.0 * std::acos(-1.0) * 1e-3, 1e-12);
}

TEST_F(Proposals, of_meshes_are_scaled_and_mirrored_ones_stay_solid) {
  write_obj("part.obj", triangles_of(box_mesh<double>({100.0, 200.0, 300.0})));
  const auto with = [&](const std::string& scale) {
    return propose_inertias(
        robot(shape("collision", "<mesh filename='part.obj' scale='" + scale + "'/>")));
  };
  for (const char* scale : {"0.001 0.001 0.001", "-0.001 0.001 0.001", "-0.001 -0.001 -0.001"}) {
    const InertiaProposals made = with(scale);
    ASSERT_EQ(made.links.size(), 1u) << scale;
    EXPECT_LT(difference(made.links[0].inertial.in_link_frame(),
                         solid_box<double>({0.1, 0.2, 0.3}).with_density(1000.0)),
              1e-12);
    EXPECT_EQ(made.links[0].parts[0], "mesh 'part.obj' of 12 triangles");
  }
}

TEST_F(Proposals, leave_out_meshes_that_bound_no_solid_and_say_so) {
  Triangles open = triangles_of(box_mesh<double>({1.0, 1.0, 1.0}));
  open.faces.resize(7);
  write_obj("open.obj", open);
  const auto of_mesh = [&](const char* name) {
    return propose_inertias(
        robot(shape("collision", "<mesh filename='" + std::string(name) + "'/>")));
  };
  for (const auto& [name, rule] :
       {std::pair{"open.obj", &mesh_rules::open}, {"nowhere.obj", &mesh_rules::missing}}) {
    const InertiaProposals made = of_mesh(name);
    EXPECT_TRUE(made.links.empty());
    EXPECT_EQ(made.without_shapes, std::vector<std::string>{"arm"});
    const Diagnostic* told = made.diagnostics.find(*rule);
    ASSERT_TRUE(told) << name;
    EXPECT_EQ(told->source.line, 2);
    EXPECT_NE(told->seen.find(name), std::string::npos);
  }
}

TEST_F(Proposals, need_a_density_that_is_positive) {
  const Model model = robot("");
  for (const double density : {0.0, -1.0, std::nan(""), infinity})
    EXPECT_THROW(propose_inertias(model, {.density = density}), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test::proposed_inertia
