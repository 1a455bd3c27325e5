#include "geometry/patch.hpp"

#include <numbers>

namespace ulna::detail {
namespace {

/// Feature of the nearest points themselves.
constexpr std::uint32_t nearest_feature = 1;

/// A corner of a face, or where an edge of it leaves the sides of another.
struct Corner {
  Vector3 at;
  std::uint32_t id;    ///< of the corner
  std::uint32_t edge;  ///< of the edge that begins here
};

/// A face (3 corners or more, anticlockwise around its normal), an edge (2) or a corner (1).
struct Polygon {
  static constexpr int most = 16, capacity = 2 * most + 2;
  std::array<Corner, capacity> corners;
  int size = 0;
  Vector3 normal = Vector3::Zero();

  Corner& operator[](int i) { return corners[static_cast<std::size_t>(i)]; }
  const Corner& operator[](int i) const { return corners[static_cast<std::size_t>(i)]; }
  void add(const Vector3& at, std::uint32_t id, std::uint32_t edge = 0) {
    if (size < capacity) corners[static_cast<std::size_t>(size++)] = {at, id, edge};
  }
  /// Edges are named by their ends.
  void name_edges() {
    for (int i = 0; i < size; ++i) {
      const std::uint32_t from = (*this)[i].id, to = (*this)[(i + 1) % size].id;
      (*this)[i].edge = feature_of(std::min(from, to), std::max(from, to)) | 1u;
    }
  }
};

void box_face(const Convex& box, const Vector3& n, Polygon& face) {
  int axis = 0;
  n.cwiseAbs().maxCoeff(&axis);
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const double side = n(axis) < 0.0 ? -1.0 : 1.0;
  face.normal = side * Vector3::Unit(axis);
  static constexpr double us[] = {1.0, -1.0, -1.0, 1.0}, vs[] = {1.0, 1.0, -1.0, -1.0};
  for (int i = 0; i < 4; ++i) {
    Vector3 at;
    at(axis) = side * box.half(axis);
    at(u) = us[i] * box.half(u);
    at(v) = side * vs[i] * box.half(v);
    face.add(at, (at.x() > 0.0) + 2u * (at.y() > 0.0) + 4u * (at.z() > 0.0) + 2u);
  }
}

/// The rim as a polygon, one of whose corners is moved to the lowest place of the rim; or the line of the side.
void cylinder_face(const Convex& cylinder, const Vector3& n, Polygon& face) {
  constexpr int corners = 8;
  const double r = cylinder.radius, h = cylinder.half.z(), across = std::hypot(n.x(), n.y());
  if (std::abs(n.z()) < across) {
    const double x = r * n.x() / across, y = r * n.y() / across;
    face.add({x, y, -h}, 2);
    face.add({x, y, h}, 3);
    return;
  }
  const double side = n.z() < 0.0 ? -1.0 : 1.0;
  constexpr double step = 2.0 * std::numbers::pi / corners;
  const double lowest = std::atan2(n.y(), n.x());
  int moved = -1;
  if (across > 1e-12) moved = (static_cast<int>(std::lround(lowest / step)) + corners) % corners;
  face.normal = side * Vector3::UnitZ();
  for (int k = 0; k < corners; ++k) {
    const int i = side > 0.0 ? k : corners - 1 - k;
    const double angle = i == moved ? lowest : i * step;
    face.add({r * std::cos(angle), r * std::sin(angle), side * h},
             static_cast<std::uint32_t>(i) + (side > 0.0 ? 4u : 4u + corners));
  }
}

/// Of the faces around the supporting vertex, the one that faces the direction most.
void hull_face(const Convex& core, const Vector3& n, Polygon& face) {
  const ConvexHull& hull = *core.hull;
  int best = -1;
  for (const int f : hull.faces_of(hull.support(n)))
    if (best < 0 || hull.normal(f).dot(n) > hull.normal(best).dot(n)) best = f;
  face.normal = hull.normal(best);
  const auto corners = hull.face(best);
  const int count = static_cast<int>(corners.size()), used = std::min(count, Polygon::most);
  for (int i = 0; i < used; ++i) {
    const int vertex = corners[static_cast<std::size_t>(i * count / used)];
    face.add(hull.vertices()[static_cast<std::size_t>(vertex)],
             static_cast<std::uint32_t>(vertex) + 2u);
  }
}

void triangle_face(const Convex& triangle, const Vector3& n, Polygon& face) {
  const auto& [a, b, c] = triangle.corner;
  const Vector3 up = cross(b - a, c - a).normalized();
  const bool front = up.dot(n) >= 0.0;
  face.normal = front ? up : Vector3(-up);
  face.add(a, 2);
  face.add(front ? b : c, front ? 3 : 4);
  face.add(front ? c : b, front ? 4 : 3);
}

/// What supports a core along a direction.
void supporting_face(const Convex& core, const Vector3& n, Polygon& face) {
  switch (core.kind) {
    case Convex::Kind::point:
    case Convex::Kind::ellipsoid:
      face.add(core.support(n), 2);
      break;
    case Convex::Kind::segment:
      face.add(-core.half, 2);
      face.add(core.half, 3);
      break;
    case Convex::Kind::box:
      box_face(core, n, face);
      break;
    case Convex::Kind::cylinder:
      cylinder_face(core, n, face);
      break;
    case Convex::Kind::hull:
      hull_face(core, n, face);
      break;
    case Convex::Kind::triangle:
      triangle_face(core, n, face);
      break;
  }
  if (face.size > 1) face.name_edges();
}

void move_into(const Relative& X_AB, Polygon& face) {
  for (int i = 0; i < face.size; ++i) face[i].at = X_AB * face[i].at;
  face.normal = X_AB.R * face.normal;
}

/// What of a polygon lies below a plane (Sutherland and Hodgman 1974).
void clip(const Vector3& outward, double offset, std::uint32_t plane, const Polygon& from,
          Polygon& to) {
  to.size = 0;
  to.normal = from.normal;
  const bool closed = from.size > 2;
  for (int i = 0; i < from.size; ++i) {
    const Corner& here = from[i];
    const double height = outward.dot(here.at) - offset;
    if (height <= 0.0) to.add(here.at, here.id, here.edge);
    if (i + 1 == from.size && !closed) break;
    const Corner& next = from[(i + 1) % from.size];
    const double other = outward.dot(next.at) - offset;
    if ((height <= 0.0) == (other <= 0.0)) continue;
    const Vector3 at = here.at + (height / (height - other)) * (next.at - here.at);
    // where the polygon goes out, its next edge runs along the plane
    to.add(at, feature_of(here.edge, plane), other > 0.0 ? plane : here.edge);
  }
}

/// What of a polygon or an edge lies between the sides of a face, which run along n. The result is in `polygon`.
void clip_by_sides(const Polygon& face, const Vector3& n, Polygon& polygon) {
  Polygon other;
  Polygon *from = &polygon, *to = &other;
  for (int i = 0; i < face.size && from->size > 0; ++i) {
    const Vector3 outward = cross(face[(i + 1) % face.size].at - face[i].at, n);
    clip(outward, outward.dot(face[i].at), face[i].edge, *from, *to);
    std::swap(from, to);
  }
  if (from != &polygon) polygon = *from;
}

/// What of an edge lies beside another edge.
void clip_by_ends(const Polygon& edge, Polygon& other) {
  const Vector3 along = edge[1].at - edge[0].at;
  Polygon half;
  clip(along, along.dot(edge[1].at), edge[1].id, other, half);
  clip(-along, -along.dot(edge[0].at), edge[0].id, half, other);
}

class Patch {
 public:
  Patch(const Convex& a, const Convex& b, const Relative& X_AB, const Separation& at,
        Collector& out)
      : a_(a),
        b_(b),
        X_AB_(X_AB),
        at_(at),
        out_(out),
        near_(1e-9 * (a.size + b.size)),
        same_(1e-4 * near_) {}

  void add() {
    const int before = out_.size();
    const double deepest = meet();
    // of boxes whose faces are all but parallel, a corner beyond the other face is a little deeper: it touches nothing
    const bool boxes = a_.kind == Convex::Kind::box && b_.kind == Convex::Kind::box;
    if (out_.size() == before || deepest > at_.gap + (boxes ? near_ : same_)) add_nearest();
  }
  void add_overlap() { meet(); }
  bool add_if_deepest() {
    if (meet() <= at_.gap + same_) return true;
    out_.clear();
    return false;
  }

 private:
  /// The least gap of the points that were added.
  double meet() {
    const Vector3& n = at_.normal;
    Polygon on_a, on_b;
    supporting_face(a_, n, on_a);
    if (on_a.size == 1) return infinity;
    supporting_face(b_, -(X_AB_.R.transpose() * n), on_b);
    if (on_b.size == 1) return infinity;
    move_into(X_AB_, on_b);
    // along the normal there is no counterpart on a face that stands upright
    constexpr double steep = 0.2;
    if (on_a.size > 2) {
      if (on_a.normal.dot(n) < steep) return infinity;
      clip_by_sides(on_a, n, on_b);
      return join(on_b, on_a, 1.0);
    }
    if (on_b.size > 2) {
      if (-on_b.normal.dot(n) < steep) return infinity;
      clip_by_sides(on_b, -n, on_a);
      return join(on_a, on_b, -1.0);
    }
    clip_by_ends(on_a, on_b);
    return join_edges(on_b, on_a);
  }

  /// Adds what was left of the face of one body, and its counterparts on the face of the other. `side` is 1 where
  /// the corners are B's.
  double join(const Polygon& corners, const Polygon& face, double side) {
    const Vector3& n = at_.normal;
    const double slope = face.normal.dot(n), offset = face.normal.dot(face[0].at);
    double deepest = infinity;
    for (int i = 0; i < corners.size; ++i) {
      const Vector3& p = corners[i].at;
      const Vector3 q = p - ((face.normal.dot(p) - offset) / slope) * n;
      deepest = std::min(
          deepest, side > 0.0 ? add_pair(q, p, corners[i].id) : add_pair(p, q, corners[i].id));
    }
    return deepest;
  }

  /// The same for two edges, if they lie above each other.
  double join_edges(const Polygon& on_b, const Polygon& on_a) {
    const Vector3& n = at_.normal;
    const Vector3 along = on_a[1].at - on_a[0].at, level = along - along.dot(n) * n;
    double deepest = infinity;
    for (int i = 0; i < on_b.size; ++i) {
      const Vector3& p = on_b[i].at;
      const Vector3 q = on_a[0].at + (level.dot(p - on_a[0].at) / level.squaredNorm()) * along;
      if ((p - q - n.dot(p - q) * n).squaredNorm() > near_ * near_) continue;
      deepest = std::min(deepest, add_pair(q, p, on_b[i].id));
    }
    return deepest;
  }

  /// Points of the cores that lie above each other. Returns the gap of the surfaces.
  double add_pair(const Vector3& p, const Vector3& q, std::uint32_t feature) {
    const Vector3& n = at_.normal;
    double out_a = a_.margin(), out_b = b_.margin();
    if (a_.kind == Convex::Kind::segment)
      out_a = capsule_exit(p.z(), a_.half.z(), a_.radius, n.z());
    if (b_.kind == Convex::Kind::segment) {
      const Vector3 axis = X_AB_.R.col(2);
      out_b = capsule_exit(axis.dot(q - X_AB_.p), b_.half.z(), b_.radius, -axis.dot(n));
    }
    if (out_a < 0.0 || out_b < 0.0) return infinity;
    const double gap = n.dot(q - p) - out_a - out_b;
    out_.add_from(p + out_a * n, n, gap, feature);
    return gap;
  }

  void add_nearest() {
    out_.add_from(at_.on_a + a_.margin() * at_.normal, at_.normal, at_.gap, nearest_feature);
  }

  const Convex& a_;
  const Convex& b_;
  const Relative& X_AB_;
  const Separation& at_;
  Collector& out_;
  double near_, same_;  ///< m, below which edges lie above each other and gaps are the same
};

}  // namespace

void add_patch(const Convex& a, const Convex& b, const Relative& X_AB, const Separation& at,
               Collector& out) {
  Patch(a, b, X_AB, at, out).add();
}

bool add_faces(const Convex& a, const Convex& b, const Relative& X_AB, const Separation& at,
               Collector& out) {
  return Patch(a, b, X_AB, at, out).add_if_deepest();
}

void add_overlap(const Convex& a, const Convex& b, const Relative& X_AB, const Separation& at,
                 Collector& out) {
  Patch(a, b, X_AB, at, out).add_overlap();
}

}  // namespace ulna::detail
