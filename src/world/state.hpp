#pragma once

#include <array>
#include <cmath>

#include "ulna/geometry/broad_phase.hpp"
#include "ulna/geometry/contact_points.hpp"
#include "world/movers.hpp"

namespace ulna {

/// to = from, with room for more, so that it is not allocated anew whenever there is a contact more.
inline void keep(std::vector<double>& to, const std::vector<double>& from) {
  if (to.capacity() < from.size()) to.reserve(2 * from.size());
  to = from;
}

/// The median of all efforts so far, to a fifth: counts by size.
class UsualEffort {
 public:
  void add(double effort) {
    const int at = effort > 1.0 ? static_cast<int>(4.0 * std::log2(effort)) : 0;
    ++counts_[static_cast<std::size_t>(std::min(at, size - 1))], ++all_;
  }
  double median() const {
    long below = 0;
    int at = 0;
    while (at < size - 1 && 2 * (below += counts_[static_cast<std::size_t>(at)]) < all_) ++at;
    return at > 0 ? std::exp2(0.25 * at) : 0.0;
  }

 private:
  static constexpr int size = 200;
  std::array<long, size> counts_ = {};
  long all_ = 0;
};

struct World::State {
  /// Fixed things have neither a loose body nor a robot.
  struct Object {
    std::string name;
    int loose = -1, robot = -1;
    int segment = -1;  ///< of the cone problem, in every step the same
    bool moves() const { return segment >= 0; }
  };
  struct Shape {
    int object, body;
    CollisionShape shape;
    Transform<double> X_BS;  ///< of robots: in the canonical frame of the body
    ContactMaterial material;
    bool moves;
    Transform<double> X_WS = {};
    double speed = 0.0;  ///< that no point of it exceeds
    /// How far it reaches from the body's origin, m.
    double reach = X_BS.translation().norm() + shape.bounding_radius();
  };
  /// A contact of this step and its rows.
  struct Touch {
    int first, second;  ///< shapes
    std::uint32_t feature;
    ContactPoint at;
    Vec3<double> tangent[2];
    int cone = -1, torsion = -1, rolling = -1;  ///< blocks
    double friction, restitution;
    double approach;       ///< speed along the normal at the beginning
    Vec3<double> impulse;  ///< on the second
    double torsion_impulse = 0.0;
    Vec3<double> rolling_impulse = Vec3<double>::Zero();
    bool taken = false;  ///< in the next step, by a contact that goes on from here
  };

  explicit State(WorldOptions o) : options(o), solver(o.cones) {}

  void add_shape(int object, int body, const CollisionShape& shape, const Transform<double>& X_BS,
                 const ContactMaterial& material, bool moves);
  void place_shapes();
  void find_touches(double slack);

  // the parts of a step
  bool begin();
  void add_touch(Touch& touch);
  void set_surface(Touch& touch) const;  ///< coefficients and tangents
  void add_cone_rows(Touch& touch);
  void add_side(const Shape& shape, const Vec3<double>& point, double sign,
                std::span<const detail::ContactRow> rows);
  Touch* earlier(const Touch& touch, std::size_t& from);
  void warm_start();
  void set_compliance(const Touch& touch, const Compliance& a, const Compliance& b);
  void rebound();
  void restrain();
  void from_unit(const std::vector<double>& u, std::vector<double>& v) const;
  bool moved_apart();
  void account();
  void finish(bool shifted);
  double row_rate(int row, int block, const std::vector<double>& velocity) const {
    return problem.rate(row, problem.block(block), velocity.data());
  }
  double impulse_work() const;
  int robot_segment(int robot) const {
    for (std::size_t s = 0;; ++s)
      if (objects[segment_object[s]].robot == robot) return static_cast<int>(s);
  }

  WorldOptions options;
  std::vector<Object> objects;
  std::vector<detail::Loose> loose;
  std::vector<detail::Articulation> robots;
  std::vector<Diagnostics> diagnostics;  ///< of robots
  std::vector<Shape> shapes;
  BroadPhase broad;

  ConeProblem problem;
  ConeSolver solver;
  std::vector<Touch> touches, last_touches;
  bool deep = false;  ///< whether bodies of this step are deep inside each other
  /// Velocities in unit coordinates: of the beginning, without impulses, and without rebound.
  std::vector<double> before, free, first_velocity, first_lambda;
  std::vector<double> mean;  ///< of before and after the impulses
  std::vector<double> end;   ///< velocities at the end, not in unit coordinates
  std::vector<double> shift, saved_lambda, saved_offset, saved_w;
  std::vector<char> touched;  ///< by segment
  std::vector<WorldContact> contacts;
  std::vector<int> segment_object;

  double time = 0.0;
  UsualEffort usual_effort;
  double other_effort = 0.0;  ///< of all but the solver, as ConeOptions::effort
  WorldWork work;
  WorldReport report;
};

}  // namespace ulna
