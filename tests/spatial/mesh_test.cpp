#include <gtest/gtest.h>

#include "support/mesh.hpp"
#include "support/spatial.hpp"
#include "ulna/num/dual.hpp"
#include "ulna/spatial/solid.hpp"

namespace ulna {
namespace {

using test::box_mesh;
using test::capsule_mesh;
using test::expect_close;
using test::for_each_seed;
using test::Mesh;
using test::Random;

template <class T>
Solid<T> solid_of(const Mesh<T>& mesh) {
  return solid_mesh<T>(mesh.vertices, mesh.triangles);
}

TEST(Mesh, a_box_of_twelve_triangles_is_the_box) {
  const Vec3<double> size(0.3, 0.7, 1.1);
  const Solid<double> mesh = solid_of(box_mesh(size)), box = solid_box(size);
  EXPECT_NEAR(mesh.volume, box.volume, 1e-16);
  expect_close(mesh.of_unit_density, box.of_unit_density, 1e-16);
  expect_close(mesh.with_mass(3.0), box.with_mass(3.0), 1e-15);
}

TEST(Mesh, a_corner_cut_from_a_box_is_that_of_the_tables) {
  const double a = 0.4, b = 0.9, c = 1.3, v = a * b * c / 6;
  const Mesh<double> corner{{{0, 0, 0}, {a, 0, 0}, {0, b, 0}, {0, 0, c}},
                            {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}}};
  const Solid<double> solid = solid_of(corner);
  EXPECT_NEAR(solid.volume, v, 1e-16);
  expect_close(solid.of_unit_density.com(), Vec3<double>(a / 4, b / 4, c / 4), 1e-15);
  // ∫x² = v a²/10, ∫xy = v ab/20
  Mat4<double> J;
  J << a * a / 10, a * b / 20, a * c / 20, a / 4,  //
      a * b / 20, b * b / 10, b * c / 20, b / 4,   //
      a * c / 20, b * c / 20, c * c / 10, c / 4,   //
      a / 4, b / 4, c / 4, 1;
  expect_close(pseudo_inertia(solid.of_unit_density), Mat4<double>(v * J), 1e-16);
}

TEST(Mesh, moves_as_its_vertices_do) {
  for_each_seed([](Random& random) {
    const auto X = test::random_transform<double>(random);
    Mesh<double> mesh = box_mesh(Vec3<double>(0.3, 0.7, 1.1));
    const Inertia<double> moved = X * solid_of(mesh).of_unit_density;
    for (auto& vertex : mesh.vertices) vertex = X * vertex;
    expect_close(solid_of(mesh).of_unit_density, moved, 4e-15);
  });
}

// vertices on the surface: the chords miss it by their length squared, so that twice as many around
// make a quarter of the error
TEST(Mesh, finer_and_finer_spheres_and_capsules_converge_quadratically) {
  for (const double length : {0.0, 0.8}) {
    SCOPED_TRACE("length " + std::to_string(length));
    const double radius = 0.5;
    const auto exact = solid_capsule(radius, length).of_unit_density.parameters();
    const auto coarse = solid_of(capsule_mesh(radius, length, 32)).of_unit_density.parameters();
    const auto fine = solid_of(capsule_mesh(radius, length, 64)).of_unit_density.parameters();
    for (const int i : {0, 4, 7, 9}) {  // mass and moments
      EXPECT_LT(coarse(i), exact(i));
      EXPECT_NEAR((exact(i) - coarse(i)) / (exact(i) - fine(i)), 4.0, 0.05);
      EXPECT_NEAR(fine(i), exact(i), 0.01 * exact(i));
    }
    for (const int i : {1, 2, 3, 5, 6, 8}) EXPECT_NEAR(fine(i), 0.0, 1e-15);  // none by symmetry
  }
}

TEST(Mesh, with_mass_does_not_ask_for_the_density) {
  const Solid<double> sphere = solid_of(capsule_mesh(0.5, 0.0, 64));
  EXPECT_NEAR(sphere.with_mass(7.0).mass(), 7.0, 1e-14);
  EXPECT_NEAR(sphere.with_density(2.0).mass(), 2.0 * sphere.volume, 1e-15);
}

TEST(Mesh, can_be_differentiated_by_its_vertices) {
  using D = Dual<double, 1>;
  const D height = D::variable(2.0, 0);
  const Solid<D> solid = solid_of(box_mesh(Vec3<D>(D(0.5), D(0.7), height)));
  const Solid<D> box = solid_box(Vec3<D>(D(0.5), D(0.7), height));
  expect_close(solid.of_unit_density, box.of_unit_density, 1e-15);
  EXPECT_NEAR(solid.volume.gradient[0], 0.35, 1e-15);
}

/// What the refusal says, or nothing if there is none.
std::string refusal(const Mesh<double>& mesh) {
  try {
    solid_of(mesh);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Mesh, that_is_closed_is_not_refused) {
  EXPECT_EQ(refusal(box_mesh(Vec3<double>(1, 1, 1))), "");
  EXPECT_EQ(refusal(capsule_mesh(1.0, 1.0, 16)), "");
}

TEST(Mesh, with_a_hole_is_refused_naming_an_edge_of_the_hole) {
  for (std::size_t missing = 0; missing < 12; ++missing) {
    Mesh<double> mesh = box_mesh(Vec3<double>(1, 1, 1));
    const auto [i, j, k] = mesh.triangles[missing];
    mesh.triangles.erase(mesh.triangles.begin() + static_cast<std::ptrdiff_t>(missing));
    const std::string text = refusal(mesh);
    EXPECT_TRUE(mentions(text, "not closed")) << text;
    bool named = false;
    for (const auto& [a, b] : {std::pair{i, j}, {j, k}, {k, i}})
      named = named || mentions(text, "(" + std::to_string(a) + ", " + std::to_string(b) + ")") ||
              mentions(text, "(" + std::to_string(b) + ", " + std::to_string(a) + ")");
    EXPECT_TRUE(named) << text;
  }
}

TEST(Mesh, with_one_triangle_the_wrong_way_around_is_refused_naming_its_edge) {
  for (std::size_t flipped = 0; flipped < 12; ++flipped) {
    Mesh<double> mesh = box_mesh(Vec3<double>(1, 1, 1));
    auto& [i, j, k] = mesh.triangles[flipped];
    std::swap(j, k);
    const std::string text = refusal(mesh);
    EXPECT_TRUE(mentions(text, "same direction")) << text;
    bool named = false;
    for (const auto& [a, b] : {std::pair{i, j}, {j, k}, {k, i}})
      named = named || mentions(text, "(" + std::to_string(a) + ", " + std::to_string(b) + ")");
    EXPECT_TRUE(named) << text;
  }
}

TEST(Mesh, with_an_index_outside_its_vertices_is_refused_naming_the_index) {
  for (const int wrong : {8, -1, 1000}) {
    Mesh<double> mesh = box_mesh(Vec3<double>(1, 1, 1));
    mesh.triangles[5][1] = wrong;
    const std::string text = refusal(mesh);
    EXPECT_TRUE(mentions(text, "index " + std::to_string(wrong))) << text;
    EXPECT_TRUE(mentions(text, "0..7")) << text;
  }
}

TEST(Mesh, without_triangles_is_refused) {
  EXPECT_TRUE(mentions(refusal({}), "no triangles"));
  EXPECT_TRUE(mentions(refusal({box_mesh(Vec3<double>(1, 1, 1)).vertices, {}}), "no triangles"));
}

}  // namespace
}  // namespace ulna
