#include "ulna/constraints/capsules.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "ulna/model/configuration.hpp"

namespace ulna {
namespace {

using Vector3 = Vec3<double>;

struct Nearest {
  double s, t;     ///< as shares of the two lengths
  double squared;  ///< the distance
};

/// Where two segments are nearest: the least of |r + s a - t b|² + e ((s - ½)² + (t - ½)² - ½) over the
/// unit square. With e > 0 there is but one such place, and it moves steadily with the segments.
Nearest nearest(const PlacedCapsule& first, const PlacedCapsule& second) {
  const Vector3 a = first.to - first.from, b = second.to - second.from;
  const Vector3 r = first.from - second.from;
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), ab = a.dot(b);
  constexpr double point = 1e-18;
  const auto share = [](double x) { return std::clamp(x, 0.0, 1.0); };
  // a point and a segment have one such place by themselves
  const double e = aa > point && bb > point ? 1e-3 * std::min(aa, bb) : 0.0;
  const double by_s = 0.5 * e - a.dot(r), by_t = 0.5 * e + b.dot(r), ss = aa + e, tt = bb + e;
  const auto at = [&](double s, double t) -> Nearest {
    const double middle = e * ((s - 0.5) * (s - 0.5) + (t - 0.5) * (t - 0.5) - 0.5);
    return {s, t, (r + s * a - t * b).squaredNorm() + middle};
  };
  const auto best_s = [&](double t) { return aa > point ? share((by_s + ab * t) / ss) : 0.0; };
  const auto best_t = [&](double s) { return bb > point ? share((by_t + ab * s) / tt) : 0.0; };
  if (e > 0.0) {
    const double area = ss * tt - ab * ab;
    const double s = (by_s * tt + ab * by_t) / area, t = (by_t * ss + ab * by_s) / area;
    if (0.0 <= s && s <= 1.0 && 0.0 <= t && t <= 1.0) return at(s, t);
  }
  // else on an edge of the square
  Nearest best = at(0.0, best_t(0.0));
  for (const Nearest& other : {at(1.0, best_t(1.0)), at(best_s(0.0), 0.0), at(best_s(1.0), 1.0)})
    if (other.squared < best.squared) best = other;
  return best;
}

/// Beyond it, m, heights and distances of a robot are lost in rounding, and none would be watched.
constexpr double longest = 1e6;

void require_lengths(const Capsules::Options& options) {
  for (const double x :
       {options.radius, options.distance.value_or(0.0), options.floor.value_or(0.0)})
    if (!(std::abs(x) <= longest))
      throw std::invalid_argument(
          "capsules: radius, distance and floor must be lengths of up to 1e6 m");
}

}  // namespace

Capsules::Capsules(const Model& model, const Options& options)
    : at_(model), obstacles_(options.obstacles) {
  require_lengths(options);
  read_off(model);
  radius_ = options.radius > 0.0 ? options.radius : 0.05 * reach_;
  for (BodyCapsule& c : capsules_) c.capsule.radius = radius_;
  if (!options.capsules.empty()) capsules_.clear();
  for (const auto& [body, capsule] : options.capsules) {
    if (body < 0 || body >= model.body_count())
      throw std::invalid_argument("capsules: body " + std::to_string(body) +
                                  " is not one of 0 to " + std::to_string(model.body_count() - 1));
    const Mat3<double> R_CB = model.joint(body).R_BC.matrix().transpose();
    capsules_.push_back({body, {R_CB * capsule.from, R_CB * capsule.to, capsule.radius}});
  }
  required_ = options.distance.value_or(0.0);
  floor_ = options.floor.value_or(0.0);
  placed_.resize(capsules_.size());
  find_pairs(options);
}

/// Capsules along the kinematics, and the robot's reach.
void Capsules::read_off(const Model& model) {
  const int bodies = model.body_count();
  std::vector<double> length(bodies, 0.0);
  std::vector<bool> carries(bodies, false);
  for (int b = 1; b < bodies; ++b) {
    const Joint& joint = model.joint(b);
    const Vector3 origin = joint.X_PJ.translation();
    capsules_.push_back({joint.parent, {.to = origin}});
    carries[joint.parent] = true;
    length[b] = length[joint.parent] + origin.norm();
  }
  for (int b = 1; b < bodies; ++b) {
    if (carries[b]) continue;
    Vector3 tip = Vector3::Zero();
    for (const Frame& frame : model.frames())
      if (frame.body == b && frame.X_BF.translation().norm() > tip.norm())
        tip = frame.X_BF.translation();
    tip = model.joint(b).R_BC.matrix().transpose() * tip;
    capsules_.push_back({b, {.to = tip}});
    length[b] += tip.norm();
  }
  reach_ = *std::max_element(length.begin(), length.end());
}

void Capsules::find_pairs(const Options& options) {
  const Model& model = at_.model();
  const auto related = [&](int a, int b) {
    return a == b || model.joint(a).parent == b || model.joint(b).parent == a;
  };
  const int count = static_cast<int>(capsules_.size());
  for (int i = 0; i < count && options.self && options.distance; ++i)
    for (int j = i + 1; j < count; ++j)
      if (!related(capsules_[i].body, capsules_[j].body)) pairs_.push_back({i, j, Other::capsule});
  if (options.floor)
    for (int i = 0; i < count; ++i)
      if (capsules_[i].body > 0) pairs_.push_back({i, 0, Other::floor});

  constexpr int tries = 500;
  std::mt19937_64 random(1);
  std::vector<int> meets(pairs_.size(), 0);
  Eigen::VectorXd d(size()), least, most;
  for (int k = 0; k < tries; ++k) {
    distances(random_configuration(model, random), d);
    least = k ? least.cwiseMin(d).eval() : d, most = k ? most.cwiseMax(d).eval() : d;
    for (int p = 0; p < size(); ++p) meets[p] += d(p) < required_;
  }
  std::vector<Pair> kept;
  for (int p = 0; p < size(); ++p) {
    const bool floor = pairs_[p].kind == Other::floor;
    const bool always = floor ? most(p) - least(p) < 1e-9 : meets[p] >= 0.9 * tries;
    (always ? ignored_ : kept).push_back(pairs_[p]);
  }
  pairs_ = std::move(kept);
  for (int o = 0; o < obstacle_count(); ++o)
    for (int i = 0; i < count; ++i)
      if (capsules_[i].body > 0) pairs_.push_back({i, o, Other::obstacle});
}

std::string Capsules::name(const Pair& pair) const {
  const auto link = [&](int capsule) {
    return std::string(at_.model().body_name(capsules_[capsule].body));
  };
  const std::string first = link(pair.first) + " and ";
  if (pair.kind == Other::floor) return first + "the floor";
  if (pair.kind == Other::obstacle) return first + "obstacle " + std::to_string(pair.second);
  return first + link(pair.second);
}
std::string Capsules::name(int pair) const { return name(pairs_[pair]); }

void Capsules::set_obstacle(int i, const PlacedCapsule& obstacle) {
  if (i < 0 || i >= obstacle_count())
    throw std::out_of_range("capsules: there is no obstacle " + std::to_string(i) + ", only " +
                            std::to_string(obstacle_count()) +
                            "; declare all of them in the options");
  obstacles_[static_cast<std::size_t>(i)] = obstacle;
}

std::vector<std::string> Capsules::ignored() const {
  std::vector<std::string> names;
  for (const Pair& pair : ignored_) names.push_back(name(pair));
  return names;
}

Capsules::Closest Capsules::closest(const Pair& pair) const {
  const PlacedCapsule& a = placed_[pair.first];
  const Vector3 along = a.to - a.from;
  if (pair.kind == Other::floor) {
    // the lower end, and what is between when they are level; e (s - ½)² - e/4 is never above zero
    const double e = 0.01 * along.norm(), rise = along.z();
    const double s = e > 0.0 ? std::clamp(0.5 - 0.5 * rise / e, 0.0, 1.0) : 0.0;
    const Vector3 low = a.from + s * along;
    return {low, Vector3(low.x(), low.y(), floor_), low.z() - floor_ - e * s * (1.0 - s)};
  }
  const PlacedCapsule& b = second(pair);
  const Nearest at = nearest(a, b);
  return {a.from + at.s * along, b.from + at.t * (b.to - b.from),
          std::sqrt(std::max(at.squared, 0.0))};
}

void Capsules::distances(In<double> q, Eigen::Ref<Eigen::VectorXd> d) {
  detail::require_size("distances", d.size(), size(), at_.model());
  at_.set(q);
  for (std::size_t i = 0; i < capsules_.size(); ++i) {
    const auto& [body, c] = capsules_[i];
    const Mat3<double> R = at_.R(body).mat();
    const Vector3 p = at_.origin() + at_.p(body).vec();
    placed_[i] = {p + R * c.from, p + R * c.to, c.radius};
  }
  for (int p = 0; p < size(); ++p) {
    const Pair& pair = pairs_[p];
    const double other = pair.kind == Other::floor ? 0.0 : second(pair).radius;
    d(p) = closest(pair).distance - placed_[pair.first].radius - other;
  }
}

void Capsules::distances(In<double> q, Eigen::Ref<Eigen::VectorXd> d,
                         Eigen::Ref<Eigen::MatrixXd> slope) {
  distances(q, d);
  detail::require_shape("slope", slope.rows(), slope.cols(), size(), at_.model().nv(), at_.model());
  slope.setZero();
  for (int p = 0; p < size(); ++p) {
    const auto& [i, j, kind] = pairs_[p];
    const Closest c = closest(pairs_[p]);
    if (kind == Other::floor) {
      add_slope(capsules_[i].body, c.on_first, Vector3::UnitZ(), slope, p);
      continue;
    }
    if (c.distance < 1e-9) continue;  // axes that cross have no direction to part
    // the shares of the lengths, being the best, do not count
    const Vector3 apart = (c.on_first - c.on_second) / c.distance;
    add_slope(capsules_[i].body, c.on_first, apart, slope, p);
    if (kind == Other::capsule) add_slope(capsules_[j].body, c.on_second, -apart, slope, p);
  }
}

void Capsules::add_slope(int body, const Vector3& point, const Vector3& n,
                         Eigen::Ref<Eigen::MatrixXd> slope, int row) const {
  const Vector3 arm = point - at_.origin();
  for (int b = body; b > 0; b = at_.model().joint(b).parent)
    for (const auto& direction : at_.directions(b)) {
      const Vector3 velocity = direction.v.vec() + direction.w.vec().cross(arm);
      slope(row, direction.dof) += n.dot(velocity);
    }
}

}  // namespace ulna
