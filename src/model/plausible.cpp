#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <variant>

#include "check.hpp"
#include "ulna/model/rules.hpp"

// Magnitudes that a robot can hardly have, in radians, metres and kilograms: they are in other units, or
// placeholders. Numbers are used as they are.
namespace ulna::detail {
namespace {

constexpr double pi = std::numbers::pi;

constexpr double most_turns = 8.0 * pi;

/// Of a limit: two turns and what is written for no limit at all (1000, 1e16) are none.
bool like_degrees(double angle) { return std::abs(angle) > most_turns && std::abs(angle) <= 720.0; }

/// A box about the shapes of a link, in its axes; empty if one of them is a mesh or there are none.
std::optional<Eigen::AlignedBox3d> box_about(const LinkDescription& link) {
  Eigen::AlignedBox3d box;
  for (const std::vector<Shape>* shapes : {&link.visuals, &link.collisions})
    for (const Shape& shape : *shapes) {
      if (std::holds_alternative<Mesh>(shape.geometry)) return {};
      // half of its size along its own axes
      const Vec3<double> half = std::visit(
          [](const auto& g) -> Vec3<double> {
            using G = std::decay_t<decltype(g)>;
            if constexpr (std::is_same_v<G, Box>)
              return 0.5 * g.size;
            else if constexpr (std::is_same_v<G, Sphere>)
              return Vec3<double>::Constant(g.radius);
            else if constexpr (std::is_same_v<G, Cylinder>)
              return {g.radius, g.radius, 0.5 * g.length};
            else if constexpr (std::is_same_v<G, Capsule>)
              return {g.radius, g.radius, 0.5 * g.length + g.radius};
            else
              return Vec3<double>::Zero();
          },
          shape.geometry);
      const Transform<double> X = shape.origin.transform();
      const Vec3<double> around = X.rotation().matrix().cwiseAbs() * half;
      box.extend(X.translation() - around);
      box.extend(X.translation() + around);
    }
  if (box.isEmpty()) return {};
  return box;
}

}  // namespace

/// How far the last link is from the root at most, by the joints' origins; at least a metre.
double Checker::reach() const {
  double farthest = 1.0;
  std::vector<std::pair<int, double>> ends{{root_, 0.0}};  // links, and how far they are
  while (!ends.empty()) {
    const auto [end, far] = ends.back();
    ends.pop_back();
    farthest = std::max(farthest, far);
    for (const int j : children_[end])
      ends.emplace_back(link(d_.joints[j].child), far + d_.joints[j].origin.xyz.norm());
  }
  return farthest;
}

void Checker::magnitudes() {
  constexpr double far = 20.0, strong = 50.0;  // m, m/s²
  if (const double g = d_.gravity.norm(); g > strong)
    out_.add(rules::gravity_implausible, at(0), quoted("robot", d_.name),
             "gravity is " + number(g) + " m/s^2", "used as it is");
  for (const JointDescription& joint : d_.joints) {
    if (const double away = joint.origin.xyz.norm(); away > far)
      report(rules::length_implausible, joint,
             "its origin is " + number(away) + " m from that of its parent: millimetres?",
             "used as it is");
    if ((joint.origin.rpy.cwiseAbs().array() > most_turns).any())
      report(rules::angle_degrees, joint, "rpy " + numbers(joint.origin.rpy) + ": degrees?",
             "used as radians");
    const Limits& l = joint.limits;
    if (joint.type == JointType::revolute && (like_degrees(l.lower) || like_degrees(l.upper)))
      report(rules::angle_degrees, joint,
             "limits " + number(l.lower) + " and " + number(l.upper) + ": degrees?",
             "used as radians");
    if (joint.type == JointType::prismatic && l.upper - l.lower > far && l.upper - l.lower < 1e5)
      report(rules::length_implausible, joint,
             "it slides by " + number(l.upper - l.lower) + " m: millimetres?", "used as it is");
  }
  const double reach = this->reach();
  for (const LinkDescription& link : d_.links)
    if (link.inertial && link.inertial->mass > 0.0) magnitudes(link, *link.inertial, reach);
}

void Checker::magnitudes(const LinkDescription& link, const Inertial& body, double reach) {
  // Of all bodies with these second moments, a homogeneous ball needs the least density: that of
  // mean square radius 3 k² has the radius √5 k.
  constexpr double densest = 22.6e3;  // kg/m³, osmium
  const double k = std::sqrt(std::max(0.0, body.inertia.trace()) / (6.0 * body.mass));
  const double density = std::min(body.mass / (4.0 / 3.0 * pi * std::pow(std::sqrt(5.0) * k, 3)),
                                  std::numeric_limits<double>::max());
  const std::string seen = number(body.mass) + " kg and moments of inertia " +
                           numbers(body.inertia.diagonal()) + " kg m^2";
  if (k > 0.0 && density > densest)
    report(rules::density_implausible, link,
           seen + " need a density of " + number(density, 2) +
               " kg/m^3 at least: mass in grams, or an inertia that is a placeholder?",
           "used as it is");
  else if (k > reach)
    report(rules::inertia_implausible, link,
           seen + " are those of a body of " + number(2.0 * k, 2) + " m, the robot reaches " +
               number(reach, 2) + " m: inertia in kg mm^2 or mass in tonnes?",
           "used as it is");
  if (const auto box = box_about(link)) {
    // shapes are simpler than bodies, and may leave parts of them out
    const Vec3<double> slack = box->sizes().cwiseMax(0.5 * box->diagonal().norm());
    if (!Eigen::AlignedBox3d(box->min() - slack, box->max() + slack).contains(body.com))
      report(rules::com_outside, link,
             "its centre of mass, " + numbers(body.com) + " m, is far outside its shapes, from " +
                 numbers(box->min()) + " to " + numbers(box->max()) + " m",
             "used as it is");
  } else if (body.com.norm() > 2.0 * reach) {
    report(rules::length_implausible, link,
           "its centre of mass is " + number(body.com.norm()) + " m from its origin: millimetres?",
           "used as it is");
  }
}

}  // namespace ulna::detail
