#include <Eigen/Eigenvalues>
#include <algorithm>
#include <unordered_map>

#include "model/names.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/spatial/consistency.hpp"
#include "ulna/view/page/messages.hpp"
#include "view/page/json.hpp"
#include "view/page/scene_joints.hpp"
#include "view/page/shape_triangles.hpp"

namespace ulna::view {
namespace {

/// Numbers of which some may be infinite, which are null; null if all are.
Json limits(const std::vector<double>& numbers) {
  if (std::ranges::none_of(numbers, [](double x) { return std::isfinite(x); })) return nullptr;
  return list(numbers);
}
Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(); }

/// A shape of the stream; null where there is no room for more meshes.
Json shape_json(const CollisionShape& shape, const Transform<double>& X, Meshes& meshes) {
  Json out;
  switch (shape.kind()) {
    case ShapeKind::plane:
      out = {{"kind", "plane"}};
      break;
    case ShapeKind::box:
      out = {{"kind", "box"}, {"size", list(Vec3<double>(2.0 * shape.half_size()))}};
      break;
    case ShapeKind::sphere:
      out = {{"kind", "sphere"}, {"radius", shape.radius()}};
      break;
    case ShapeKind::cylinder:
    case ShapeKind::capsule:
      out = {{"kind", to_string(shape.kind())},
             {"radius", shape.radius()},
             {"length", 2.0 * shape.half_size().z()}};
      break;
    default:
      const int number = meshes.add({triangles_of(shape)});
      if (number < 0) return nullptr;
      out = {{"kind", "mesh"}, {"mesh", number}, {"scale", {1.0, 1.0, 1.0}}};
  }
  out["pose"] = pose_json(X);
  return out;
}

/// Writes one robot.
class RobotWriter {
 public:
  RobotWriter(const Actor& actor, Meshes& meshes, Diagnostics& found)
      : actor_(actor),
        model_(actor.model),
        robot_(model_.description()),
        order_(scene_joints(robot_)),
        page_(page_order(model_)),
        meshes_(meshes),
        found_(found) {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) link_[robot_.links[i].name] = int(i);
    for (std::size_t i = 0; i < order_.size(); ++i)
      place_[robot_.joints[std::size_t(order_[i])].name] = int(i);
  }

  Json write(int id) {
    const Eigen::VectorXd q = actor_.q.size() ? actor_.q : neutral(model_);
    Json joints = Json::array(), links = Json::array(), frames = Json::array();
    for (const int i : order_) joints.push_back(joint(robot_.joints[std::size_t(i)]));
    for (const LinkDescription& l : robot_.links) links.push_back(link(l));
    for (const FrameDescription& f : robot_.frames)
      frames.push_back({{"name", f.name},
                        {"link", link_.at(f.link)},
                        {"pose", pose_json(f.origin.transform())}});
    return {{"id", id},
            {"name", actor_.name.empty() ? model_.name() : actor_.name},
            {"ghost", actor_.ghost},
            {"color", actor_.color > 0 ? Json(actor_.color) : Json()},
            {"base", pose_json(actor_.X_WR)},
            {"nq", model_.nq()},
            {"nv", model_.nv()},
            {"gravity", list(model_.gravity())},
            {"joints", std::move(joints)},
            {"links", std::move(links)},
            {"frames", std::move(frames)},
            {"q", list(page_coordinates(model_, q))}};
  }

 private:
  Json joint(const JointDescription& j) const {
    const std::optional<int> body = model_.find_joint(j.name);
    const bool moves = j.type != JointType::fixed && body;
    const Joint* const made = moves ? &model_.joint(*body) : nullptr;
    const bool own = made && !made->mimics;
    Json mimic;
    if (made && made->mimics)
      mimic = {{"joint", place_.at(model_.joint_name(made->mimics))},
               {"multiplier", made->multiplier},
               {"offset", made->offset}};
    Json lower, upper;
    if (own) {
      lower = limits(range(model_.lower_limit(), *made));
      upper = limits(range(model_.upper_limit(), *made));
    } else if (made) {
      lower = limits({j.limits.lower}), upper = limits({j.limits.upper});
    }
    const bool slides = j.type == JointType::prismatic;
    return {{"name", j.name},
            {"type", to_string(j.type)},
            {"pitch", j.type == JointType::helical ? j.pitch : 0.0},
            {"axis", list(has_axis(j.type) ? Vec3<double>(j.axis.normalized()) : j.axis)},
            {"parent", link_.at(j.parent)},
            {"child", link_.at(j.child)},
            {"pose", pose_json(j.origin.transform())},
            {"q", own ? made->q : -1},
            {"v", own ? made->v : -1},
            {"nq", own ? configuration_size(j.type) : 0},
            {"mimic", std::move(mimic)},
            {"lower", std::move(lower)},
            {"upper", std::move(upper)},
            {"velocity", finite_or_null(j.limits.velocity)},
            {"effort", finite_or_null(j.limits.effort)},
            {"unit", velocity_size(j.type) != 1 ? ""
                     : slides                   ? "m"
                                                : "rad"}};
  }

  std::vector<double> range(const Eigen::VectorXd& of, const Joint& joint) const {
    std::vector<double> numbers;
    for (int i = 0; i < configuration_size(joint.type); ++i)
      numbers.push_back(of(page_[std::size_t(joint.q + i)]));
    return numbers;
  }

  Json link(const LinkDescription& l) {
    const Inertial own = l.inertial.value_or(Inertial());
    const Consistency verdict = check_consistency(own.in_link_frame());
    // axes of a body that does not exist are of no use
    Eigen::SelfAdjointEigenSolver<Mat3<double>> axes;
    if (own.inertia.allFinite()) axes.compute(own.inertia);
    Mat3<double> R = Mat3<double>::Identity();
    Vec3<double> moments = Vec3<double>::Zero();
    if (own.inertia.allFinite() && axes.info() == Eigen::Success) {
      R = axes.eigenvectors(), moments = axes.eigenvalues();
      if (R.determinant() < 0.0) R.col(0) = -R.col(0);
    }
    const auto q = Rotation<double>::from_matrix(R).quaternion();
    return {{"name", l.name},
            {"mass", own.mass},
            {"com", list(own.com)},
            {"inertia", {{"moments", list(moments)}, {"axes", {q.w, q.x, q.y, q.z}}}},
            {"physical", verdict.acceptable()},
            {"reason", verdict.acceptable() ? "" : verdict.explanation()},
            {"visuals", visuals(l)},
            {"collisions", shapes(l, l.collisions)}};
  }

  Json visuals(const LinkDescription& l) {
    Json out = shapes(l, l.visuals);
    for (const AddedShape& added : actor_.shapes) {
      if (added.link != l.name) continue;
      Json made = shape_json(added.shape, added.X_LS, meshes_);
      if (made.is_null()) continue;
      made["color"] = added.rgba ? list(*added.rgba) : Json();
      out.push_back(std::move(made));
    }
    return out;
  }

  Json shapes(const LinkDescription& l, const std::vector<Shape>& list_of) {
    Json out = Json::array();
    for (const Shape& shape : list_of) {
      Json made = std::visit([&](const auto& g) { return of(g, l); }, shape.geometry);
      if (made.is_null()) continue;
      made["pose"] = pose_json(shape.origin.transform());
      made["color"] = shape.material.rgba ? list(*shape.material.rgba) : Json();
      out.push_back(std::move(made));
    }
    return out;
  }

  Json of(const Box& box, const LinkDescription&) const {
    return {{"kind", "box"}, {"size", list(box.size)}};
  }
  Json of(const Sphere& sphere, const LinkDescription&) const {
    return {{"kind", "sphere"}, {"radius", sphere.radius}};
  }
  Json of(const Cylinder& c, const LinkDescription&) const {
    return {{"kind", "cylinder"}, {"radius", c.radius}, {"length", c.length}};
  }
  Json of(const Capsule& c, const LinkDescription&) const {
    return {{"kind", "capsule"}, {"radius", c.radius}, {"length", c.length}};
  }
  Json of(const Mesh& mesh, const LinkDescription& l) {
    const int number = meshes_.number(robot_, l, mesh, found_);
    if (number < 0) return nullptr;
    return {{"kind", "mesh"}, {"mesh", number}, {"scale", list(mesh.scale)}};
  }

  const Actor& actor_;
  const Model& model_;
  const Description& robot_;
  std::vector<int> order_, page_;
  Meshes& meshes_;
  Diagnostics& found_;
  std::unordered_map<std::string_view, int> link_, place_;
};

}  // namespace

std::vector<int> scene_joints(const Description& robot) {
  std::unordered_map<std::string_view, std::vector<int>> below;
  std::unordered_map<std::string_view, bool> carried;
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    below[robot.joints[i].parent].push_back(int(i));
    carried[robot.joints[i].child] = true;
  }
  std::vector<int> order, waiting;
  const auto push = [&](std::string_view link) {
    const auto joints = below.find(link);
    if (joints != below.end())
      waiting.insert(waiting.end(), joints->second.rbegin(), joints->second.rend());
  };
  for (const LinkDescription& link : robot.links)
    if (!carried[link.name]) push(link.name);
  while (!waiting.empty()) {
    const int next = waiting.back();
    waiting.pop_back();
    order.push_back(next);
    push(robot.joints[std::size_t(next)].child);
  }
  return order;
}

Actor loose_actor(const std::string& name, const Inertia<double>& inertia,
                  const std::vector<AddedShape>& shapes) {
  std::string body = name.empty() || name == "world" ? "body" : name;
  Actor made{Builder(body)
                 .link("world")
                 .link(body, Inertial(inertia))
                 .joint("floating", JointType::floating, "world", body)
                 .build()};
  made.shapes = shapes;
  for (AddedShape& shape : made.shapes) shape.link = body;
  return made;
}

std::string scene_message(std::span<const Actor> actors, Meshes& meshes, Diagnostics& found,
                          std::span<const Fixture> fixtures) {
  Json robots = Json::array(), fixed = Json::array();
  for (std::size_t i = 0; i < actors.size(); ++i)
    robots.push_back(RobotWriter(actors[i], meshes, found).write(int(i)));
  for (const Fixture& fixture : fixtures) {
    Json made = shape_json(fixture.shape, fixture.X_WS, meshes);
    if (made.is_null()) continue;
    made["name"] = fixture.name;
    fixed.push_back(std::move(made));
  }
  return dump({{"type", "scene"}, {"robots", std::move(robots)}, {"fixed", std::move(fixed)}});
}

std::vector<Series> series_of_joints(const Model& model, int robot) {
  const std::vector<int> order = scene_joints(model.description());
  std::vector<int> place(std::size_t(model.body_count()), -1);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (const auto body = model.find_joint(model.description().joints[std::size_t(order[i])].name))
      place[std::size_t(*body)] = int(i);
  std::vector<Series> series;
  const std::vector<std::string> names = model.velocity_names();
  for (const Joint& j : model.joints())
    for (int i = 0; !j.mimics && i < velocity_size(j.type); ++i)
      series.push_back(
          {names[std::size_t(j.v + i)], robot, place[std::size_t(&j - model.joints().data())]});
  return series;
}

}  // namespace ulna::view
