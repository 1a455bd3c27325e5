#include "scene_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../plot/svg.hpp"

namespace ulna::cli {

namespace {

using V3 = Vec3<double>;

constexpr double picture_width = 800.0, picture_height = 560.0, picture_margin = 30.0;
/// Of what stands still, and of objects in turn: red, green, blue.
constexpr int fixed_colour[] = {168, 172, 178};
constexpr int object_colours[][3] = {{66, 120, 190},  {224, 142, 52}, {94, 160, 92}, {178, 96, 150},
                                     {120, 110, 190}, {60, 160, 165}, {196, 164, 60}};

/// A picture is what is seen along `away`, x to the right and y up.
struct Camera {
  V3 away = V3(-0.55, 0.75, -0.38).normalized();
  V3 right = cross(away, V3(V3::UnitZ())).normalized();
  V3 up = cross(right, away);
  double scale = 1.0, left = 0.0, top = 0.0;

  plot::Point operator()(const V3& p) const {
    return {left + scale * right.dot(p), top - scale * up.dot(p)};
  }
};

/// A polygon, how far away it is, and how bright.
struct Face {
  std::vector<V3> corners;
  double depth, light;
  int object;
};

std::string fill(const World& world, int object, double light) {
  const int* c = world.is_fixed(object)
                     ? fixed_colour
                     : object_colours[static_cast<std::size_t>(object) % std::size(object_colours)];
  const auto shade = [&](int x) { return std::clamp(static_cast<int>(x * light), 0, 255); };
  return fmt::format(" fill='#{0:02x}{1:02x}{2:02x}' stroke='#{3:02x}{4:02x}{5:02x}'", shade(c[0]),
                     shade(c[1]), shade(c[2]), shade(c[0] * 6 / 10), shade(c[1] * 6 / 10),
                     shade(c[2] * 6 / 10));
}

void add_box_faces(const WorldShape& s, const Camera& camera, std::vector<Face>& faces) {
  const V3 half = s.shape->half_size();
  const double depth = camera.away.dot(s.X_WS.translation());
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const V3 normal = s.X_WS.rotation() * V3(side * V3::Unit(axis));
      if (normal.dot(camera.away) >= 0.0) continue;
      Face face{{}, depth, 0.85 + 0.3 * normal.z() - 0.15 * normal.x(), s.object};
      for (const auto& [a, b] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) {
        V3 corner;
        corner(axis) = side * half(axis);
        corner((axis + 1) % 3) = a * half((axis + 1) % 3);
        corner((axis + 2) % 3) = b * half((axis + 2) % 3);
        face.corners.push_back(s.X_WS * corner);
      }
      faces.push_back(face);
    }
}

/// The outline of any convex shape: its farthest points all around the line of sight.
void add_outline(const WorldShape& s, const Camera& camera, std::vector<Face>& faces) {
  Face face{{}, camera.away.dot(s.X_WS.translation()), 1.0, s.object};
  for (int i = 0; i < 60; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 60;
    const V3 way = std::cos(angle) * camera.right + std::sin(angle) * camera.up;
    face.corners.push_back(s.X_WS * s.shape->support(s.X_WS.rotation().inverse_apply(way)));
  }
  faces.push_back(face);
  if (s.shape->kind() != ShapeKind::cylinder) return;
  // the end that is seen
  V3 axis = s.X_WS.rotation() * V3(V3::UnitZ());
  const double side = axis.dot(camera.away) < 0.0 ? 1.0 : -1.0;
  Face end{{}, face.depth, 1.0 + 0.15 * side * axis.z(), s.object};
  for (int i = 0; i < 48; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 48, r = s.shape->radius();
    end.corners.push_back(
        s.X_WS * V3(r * std::cos(angle), r * std::sin(angle), side * s.shape->half_size().z()));
  }
  faces.push_back(end);
}

std::string outline(const Camera& camera, const std::vector<V3>& corners) {
  std::string d;
  for (const V3& corner : corners) {
    const plot::Point p = camera(corner);
    d += fmt::format("{}{} {}", d.empty() ? "M" : "L", plot::px(p.x), plot::px(p.y));
  }
  return d + "Z";
}

/// Lines on a plane around a place, a round number apart.
std::string plane_grid(const Camera& camera, const Transform<double>& X, const V3& middle,
                       double reach) {
  const double each = std::pow(10.0, std::floor(std::log10(reach))) * 0.5;
  const V3 local = X.inverse_apply(middle);
  const int n = static_cast<int>(std::ceil(reach / each));
  const double x0 = std::round(local.x() / each) * each, y0 = std::round(local.y() / each) * each;
  std::string d;
  const auto line = [&](const V3& a, const V3& b) {
    const plot::Point p = camera(X * a), q = camera(X * b);
    d += fmt::format("M{} {}L{} {}", plot::px(p.x), plot::px(p.y), plot::px(q.x), plot::px(q.y));
  };
  for (int i = -n; i <= n; ++i) {
    line(V3(x0 + i * each, y0 - n * each, 0), V3(x0 + i * each, y0 + n * each, 0));
    line(V3(x0 - n * each, y0 + i * each, 0), V3(x0 + n * each, y0 + i * each, 0));
  }
  return plot::path("", d, " fill='none' stroke='#d3d6da'");
}

std::string force_arrows(const World& world, const Camera& camera, double reach) {
  double most = 0.0;
  for (const WorldContact& c : world.contacts()) most = std::max(most, c.force.norm());
  std::string text;
  for (const WorldContact& c : world.contacts()) {
    if (c.force.norm() < 0.01 * most || most == 0.0) continue;
    // on what moves
    const V3 force = world.is_fixed(c.second) ? V3(-c.force) : c.force;
    const plot::Point p = camera(c.position), q = camera(c.position + 0.35 * reach / most * force);
    text += plot::path(
        "", fmt::format("M{} {}L{} {}", plot::px(p.x), plot::px(p.y), plot::px(q.x), plot::px(q.y)),
        " stroke='#d02020' stroke-width='2' marker-end='url(#tip)'");
  }
  return text;
}

}  // namespace

std::string scene_picture(const World& world, const std::string& title) {
  Camera camera;
  const std::vector<WorldShape> shapes = world.shapes();
  std::vector<Face> faces;
  Aabb around;
  for (const WorldShape& s : shapes) {
    if (s.shape->is_unbounded() || !s.shape->is_convex()) continue;
    s.shape->kind() == ShapeKind::box ? add_box_faces(s, camera, faces)
                                      : add_outline(s, camera, faces);
    const Aabb box = s.shape->box(s.X_WS);
    around.include(box.lower), around.include(box.upper);
  }
  if (faces.empty()) around.include(V3(-0.5, -0.5, 0.0)), around.include(V3(0.5, 0.5, 0.5));
  const V3 middle = 0.5 * (around.lower + around.upper);
  const double reach = std::max(0.6 * (around.upper - around.lower).norm(), 1e-6);
  camera.scale = 0.5 * std::min(picture_width, picture_height) / reach - picture_margin / reach;
  camera.left = 0.5 * picture_width - camera.scale * camera.right.dot(middle);
  camera.top = 0.5 * picture_height + camera.scale * camera.up.dot(middle);
  std::ranges::stable_sort(faces, std::greater{}, &Face::depth);

  std::string text = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "stroke-linejoin='round' font-family='sans-serif' font-size='14'>\n<title>{2}</title>\n"
      "<defs><marker id='tip' orient='auto' markerWidth='6' markerHeight='6' refX='1' refY='3'>"
      "<path d='M0 0L6 3L0 6Z' fill='#d02020'/></marker></defs>\n"
      "<rect width='100%' height='100%' fill='#ffffff'/>\n",
      picture_width, picture_height, plot::escaped(title));
  for (const WorldShape& s : shapes)
    if (s.shape->is_unbounded())
      text += plane_grid(camera, s.X_WS, V3(middle.x(), middle.y(), 0.0), 1.6 * reach);
  for (const Face& f : faces)
    text += plot::path("", outline(camera, f.corners), fill(world, f.object, f.light));
  text += force_arrows(world, camera, reach);
  text += fmt::format("<text x='16' y='28'>{}, {:.3g} s</text>\n</svg>\n", plot::escaped(title),
                      world.time());
  return text;
}

}  // namespace ulna::cli
