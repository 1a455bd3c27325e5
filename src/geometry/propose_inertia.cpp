#include "ulna/geometry/propose_inertia.hpp"

#include <algorithm>
#include <map>

#include "geometry/link_mesh.hpp"
#include "model/names.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/rules.hpp"

namespace ulna {
namespace {

/// One vertex for each place, around the middle of all; triangles with two corners in one place are left out.
Triangles welded(const Triangles& mesh, const Vec3<double>& middle) {
  const auto before = [](const Vec3<double>& a, const Vec3<double>& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::map<Vec3<double>, int, decltype(before)> known(before);
  std::vector<int> number;
  Triangles made;
  for (const Vec3<double>& v : mesh.vertices) {
    const auto [at, is_new] = known.emplace(v, static_cast<int>(made.vertices.size()));
    if (is_new) made.vertices.push_back(v - middle);
    number.push_back(at->second);
  }
  for (const auto& face : mesh.faces) {
    std::array<int, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      if (face[k] < 0 || static_cast<std::size_t>(face[k]) >= number.size())
        throw std::invalid_argument("mesh: a triangle has corner " + std::to_string(face[k]) +
                                    " of " + std::to_string(number.size()));
      corners[k] = number[static_cast<std::size_t>(face[k])];
    }
    if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
      made.faces.push_back(corners);
  }
  return made;
}

/// Throws std::invalid_argument, saying where, if an edge is not between two triangles that run along it either way.
void require_closed(const Triangles& mesh, const Vec3<double>& middle) {
  struct Uses {
    int forward = 0, backward = 0;
  };
  std::map<std::pair<int, int>, Uses> edges;
  for (const auto& face : mesh.faces)
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = face[k], to = face[(k + 1) % 3];
      from < to ? ++edges[{from, to}].forward : ++edges[{to, from}].backward;
    }
  std::size_t open = 0, turned = 0;
  std::string where;
  const auto at = [&](int v) {
    const Vec3<double> p = mesh.vertices[static_cast<std::size_t>(v)] + middle;
    return detail::number(p.x(), 4) + " " + detail::number(p.y(), 4) + " " +
           detail::number(p.z(), 4);
  };
  for (const auto& [edge, uses] : edges) {
    if (uses.forward == 1 && uses.backward == 1) continue;
    if (where.empty()) where = "from " + at(edge.first) + " to " + at(edge.second);
    ++(uses.forward + uses.backward == 1 ? open : turned);
  }
  const auto count = [&](std::size_t n, const char* kind) {
    return std::to_string(n) + " of " + std::to_string(edges.size()) + " edges " + kind;
  };
  if (open > 0)
    throw std::invalid_argument("mesh: " + count(open, "belong to one triangle only") + ", one " +
                                where);
  if (turned > 0)
    throw std::invalid_argument("mesh: " + count(turned, "are run along twice in one direction") +
                                ", one " + where);
}

std::string sizes(const Vec3<double>& v) {
  return detail::number(v.x()) + " x " + detail::number(v.y()) + " x " + detail::number(v.z());
}

/// Solids of the shapes of one link.
class SolidMaker {
 public:
  SolidMaker(const Description& robot, const LinkDescription& link, const ShapeOptions& options,
             Diagnostics& out)
      : robot_(robot), link_(link), options_(options), out_(out) {}

  /// Of all shapes that have one, in the frame of the link.
  InertiaProposal sum(const std::vector<Shape>& shapes, double density) {
    InertiaProposal made;
    made.link = link_.name;
    Inertia<double> whole;
    for (const Shape& shape : shapes)
      if (const auto solid = std::visit([&](const auto& g) { return of(g); }, shape.geometry)) {
        whole += shape.origin.transform() * solid->with_density(density);
        made.volume += solid->volume;
        made.parts.push_back(std::move(part_));
      }
    if (!made.parts.empty()) made.inertial = Inertial(whole);
    return made;
  }

 private:
  using Made = std::optional<Solid<double>>;

  Made of(const Box& box) {
    part_ = "box " + sizes(box.size) + " m";
    return solid_box(box.size);
  }
  Made of(const Sphere& ball) {
    part_ = "sphere of radius " + detail::number(ball.radius) + " m";
    return solid_sphere(ball.radius);
  }
  Made of(const Cylinder& c) {
    part_ = round("cylinder", c.radius, c.length);
    return solid_cylinder(c.radius, c.length);
  }
  Made of(const Capsule& c) {
    part_ = round("capsule", c.radius, c.length);
    return solid_capsule(c.radius, c.length);
  }
  Made of(const Mesh& mesh) {
    const auto triangles = link_mesh(robot_, link_, mesh, options_, out_);
    if (!triangles) return {};
    part_ = detail::quoted("mesh", mesh.file) + " of " + std::to_string(triangles->faces.size()) +
            " triangles";
    try {
      return solid_of(*triangles);
    } catch (const std::invalid_argument& defect) {
      out_.add(mesh_rules::open, robot_.source(link_.line), detail::quoted("link", link_.name),
               detail::quoted("mesh", mesh.file) +
                   " bounds no solid: " + std::string(defect.what()).substr(sizeof "mesh: " - 1),
               "the shape is left out");
      return {};
    }
  }
  static std::string round(const char* kind, double radius, double length) {
    return std::string(kind) + " of radius " + detail::number(radius) + " m and length " +
           detail::number(length) + " m";
  }

  const Description& robot_;
  const LinkDescription& link_;
  const ShapeOptions& options_;
  Diagnostics& out_;
  std::string part_;
};

}  // namespace

Solid<double> solid_of(const Triangles& mesh) {
  Aabb box;
  for (const Vec3<double>& v : mesh.vertices) {
    if (!v.allFinite()) throw std::invalid_argument("mesh: a vertex is not a finite number");
    box.include(v);
  }
  if (mesh.faces.empty()) throw std::invalid_argument("mesh: no triangles");
  // around its middle: far from the origin, the parts of the sum would cancel each other
  const Vec3<double> middle = 0.5 * box.lower + 0.5 * box.upper;
  const Triangles made = welded(mesh, middle);
  require_closed(made, middle);
  Solid<double> solid = solid_mesh<double>(made.vertices, made.faces);
  solid.of_unit_density = Transform<double>::from_translation(middle) * solid.of_unit_density;
  return solid;
}

InertiaProposals propose_inertias(const Model& model, const ProposalOptions& options) {
  if (!(options.density > 0.0 && options.density < infinity))
    throw std::invalid_argument("propose_inertias: density " + detail::number(options.density) +
                                " is not positive");
  const Description& robot = model.description();
  std::map<std::string_view, const JointDescription*> above;
  for (const JointDescription& j : robot.joints) above[j.child] = &j;
  InertiaProposals out;
  for (const LinkDescription& link : robot.links) {
    // what is fixed to the base does not move
    if (link.inertial || model.frame(link.name).body == 0) continue;
    SolidMaker maker(robot, link, options.shapes, out.diagnostics);
    InertiaProposal made = maker.sum(link.collisions, options.density);
    if (made.parts.empty()) {
      made = maker.sum(link.visuals, options.density);
      made.of_visuals = true;
    }
    if (!made.parts.empty())
      out.links.push_back(std::move(made));
    else if (const auto j = above.find(link.name);
             j != above.end() && j->second->type != JointType::fixed)
      out.without_shapes.push_back(link.name);
  }
  return out;
}

Model with_inertias(const Model& model, std::span<const InertiaProposal> proposals) {
  Description d = model.description();
  for (const InertiaProposal& p : proposals) {
    const auto link = std::ranges::find(d.links, p.link, &LinkDescription::name);
    if (link == d.links.end())
      throw std::invalid_argument("with_inertias: the robot has no link '" + p.link + "'");
    link->inertial = p.inertial;
  }
  return Builder(std::move(d)).build();
}

}  // namespace ulna
