#include "ulna/geometry/robot_shapes.hpp"

#include <algorithm>

#include "geometry/link_mesh.hpp"
#include "model/names.hpp"
#include "ulna/geometry/contact_points.hpp"
#include "ulna/geometry/convex_hull.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/rules.hpp"

namespace ulna {
namespace {

/// The volume that triangles enclose, if they do.
double volume_of(const Triangles& mesh) {
  double sixfold = 0.0;
  const auto at = [&](int v) { return mesh.vertices[static_cast<std::size_t>(v)]; };
  for (const auto& [a, b, c] : mesh.faces) sixfold += at(a).dot(cross(at(b), at(c)));
  return std::abs(sixfold) / 6.0;
}

/// Makes shapes of one link and collects what is wrong with them.
class ShapeMaker {
 public:
  ShapeMaker(const Description& robot, const LinkDescription& link, const ShapeOptions& options,
             Diagnostics& out)
      : robot_(robot), link_(link), options_(options), out_(out) {}

  std::optional<CollisionShape> make(const Geometry& geometry) {
    try {
      return std::visit([&](const auto& shape) { return of(shape); }, geometry);
    } catch (const std::invalid_argument& defect) {
      report(rules::shape_invalid, defect.what());
      return {};
    }
  }

 private:
  template <class Primitive>
  std::optional<CollisionShape> of(const Primitive& shape) {
    return CollisionShape(shape);
  }

  std::optional<CollisionShape> of(const Mesh& mesh) {
    const auto triangles = link_mesh(robot_, link_, mesh, options_, out_);
    if (!triangles) return {};
    return hull_of(*triangles, mesh.file);
  }

  std::optional<CollisionShape> hull_of(const Triangles& triangles, const std::string& file) {
    std::optional<CollisionShape> made;
    try {
      made = CollisionShape::hull(triangles.vertices);
    } catch (const std::invalid_argument& defect) {
      report(mesh_rules::flat, detail::quoted("mesh", file) + ": " + defect.what());
      return {};
    }
    const double filled = volume_of(triangles) / made->hull()->volume();
    if (filled < 0.99)
      out_.add(mesh_rules::concave, source(), subject(),
               detail::quoted("mesh", file) + " fills " + detail::number(100.0 * filled, 2) +
                   " % of its convex hull",
               "the hull is used");
    return made;
  }

  void report(const Rule& rule, std::string seen) {
    out_.add(rule, source(), subject(), std::move(seen), "the shape is left out");
  }
  Source source() const { return robot_.source(link_.line); }
  std::string subject() const { return detail::quoted("link", link_.name); }

  const Description& robot_;
  const LinkDescription& link_;
  const ShapeOptions& options_;
  Diagnostics& out_;
};

/// The canonical frames of all bodies in the world, in the neutral configuration.
std::vector<Transform<double>> neutral_poses(const Model& model) {
  const Eigen::VectorXd q = neutral(model);
  std::vector<Transform<double>> poses(static_cast<std::size_t>(model.body_count()));
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& joint = model.joint(b);
    const int followed = joint.mimics ? model.joint(joint.mimics).q : joint.q;
    const double own = joint.mimics ? joint.multiplier * q(followed) + joint.offset : 0.0;
    const Transform<double> X =
        joint_pose(joint.type, joint.pitch, joint.mimics ? &own : q.data() + followed);
    poses[static_cast<std::size_t>(b)] =
        poses[static_cast<std::size_t>(joint.parent)] * joint.X_PJ * X;
  }
  return poses;
}

}  // namespace

RobotShapes robot_shapes(const Model& model, const ShapeOptions& options) {
  RobotShapes out;
  const Description& robot = model.description();
  for (const LinkDescription& link : robot.links) {
    const Frame& frame = model.frame(link.name);
    const Transform<double> X_CB =
        Transform<double>::from_rotation(model.joint(frame.body).R_BC.inverse());
    ShapeMaker maker(robot, link, options, out.diagnostics);
    for (const Shape& shape : link.collisions)
      if (auto made = maker.make(shape.geometry))
        out.shapes.push_back({frame.body, X_CB * frame.X_BF * shape.origin.transform(),
                              std::move(*made), link.name});
  }
  return out;
}

std::vector<LeftOut> left_out_pairs(const Model& model, const std::vector<BodyShape>& shapes) {
  const auto poses = neutral_poses(model);
  const auto pose = [&](const BodyShape& s) {
    return poses[static_cast<std::size_t>(s.body)] * s.X_CS;
  };
  const auto adjacent = [&](int a, int b) {
    return (a > 0 && model.joint(a).parent == b) || (b > 0 && model.joint(b).parent == a);
  };
  std::vector<LeftOut> out;
  const int count = static_cast<int>(shapes.size());
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j) {
      const BodyShape &a = shapes[static_cast<std::size_t>(i)],
                      &b = shapes[static_cast<std::size_t>(j)];
      if (a.body == b.body) continue;
      if (adjacent(a.body, b.body)) {
        out.push_back({i, j, LeftOut::Why::adjacent});
      } else if (const auto X = pose(a), Y = pose(b); a.shape.box(X).overlaps(b.shape.box(Y)) &&
                                                      distance(a.shape, X, b.shape, Y) < 0.0) {
        out.push_back({i, j, LeftOut::Why::overlapping});
      }
    }
  return out;
}

}  // namespace ulna
