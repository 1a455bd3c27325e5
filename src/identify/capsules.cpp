#include "ulna/identify/capsules.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <random>

#include "ulna/model/configuration.hpp"

namespace ulna {
namespace {

using Vector3 = Vec3<double>;

/// Where two segments are nearest, as shares of their lengths [Ericson 2005, sec. 5.1.9].
std::pair<double, double> nearest(const Vector3& a0, const Vector3& a1, const Vector3& b0,
                                  const Vector3& b1) {
  const Vector3 a = a1 - a0, b = b1 - b0, r = a0 - b0;
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), br = b.dot(r), ar = a.dot(r),
               ab = a.dot(b);
  constexpr double point = 1e-18;
  const auto share = [](double x) { return std::clamp(x, 0.0, 1.0); };
  if (aa <= point && bb <= point) return {0.0, 0.0};
  if (aa <= point) return {0.0, share(br / bb)};
  if (bb <= point) return {share(-ar / aa), 0.0};
  const double area = aa * bb - ab * ab;
  double s = area > 1e-12 * aa * bb ? share((ab * br - ar * bb) / area) : 0.0;
  double t = (ab * s + br) / bb;
  if (t < 0.0)
    t = 0.0, s = share(-ar / aa);
  else if (t > 1.0)
    t = 1.0, s = share((ab - ar) / aa);
  return {s, t};
}

}  // namespace

Capsules::Capsules(const Model& model, const Options& options) : at_(model) {
  const int bodies = model.body_count();
  std::vector<double> length(static_cast<std::size_t>(bodies), 0.0);
  std::vector<bool> carries(static_cast<std::size_t>(bodies), false);
  for (int b = 1; b < bodies; ++b) {
    const Joint& joint = model.joint(b);
    const Vector3 origin = joint.X_PJ.translation();
    capsules_.push_back({joint.parent, Vector3::Zero(), origin});
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
    capsules_.push_back({b, Vector3::Zero(), tip});
    length[b] += tip.norm();
  }
  reach_ = *std::max_element(length.begin(), length.end());
  radius_ = options.radius > 0.0 ? options.radius : 0.05 * reach_;
  required_ = options.distance.value_or(0.0);
  floor_ = options.floor.value_or(0.0);
  from_.resize(capsules_.size()), to_.resize(capsules_.size());
  find_pairs(options);
}

void Capsules::find_pairs(const Options& options) {
  const Model& model = at_.model();
  const auto related = [&](int a, int b) {
    return a == b || model.joint(a).parent == b || model.joint(b).parent == a;
  };
  const int count = static_cast<int>(capsules_.size());
  for (int i = 0; i < count && options.distance; ++i)
    for (int j = i + 1; j < count; ++j)
      if (!related(capsules_[i].body, capsules_[j].body)) pairs_.push_back({i, j});
  if (options.floor)
    for (int i = 0; i < count; ++i)
      if (capsules_[i].body > 0) pairs_.push_back({i, -1});

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
    const bool floor = pairs_[p].second < 0;
    const bool always = floor ? most(p) - least(p) < 1e-9 : meets[p] >= 0.9 * tries;
    (always ? ignored_ : kept).push_back(pairs_[p]);
  }
  pairs_ = std::move(kept);
}

std::string Capsules::name(const Pair& pair) const {
  const auto link = [&](int capsule) {
    return std::string(at_.model().body_name(capsules_[capsule].body));
  };
  return link(pair.first) + " and " + (pair.second < 0 ? "the floor" : link(pair.second));
}
std::string Capsules::name(int pair) const { return name(pairs_[pair]); }

std::vector<std::string> Capsules::ignored() const {
  std::vector<std::string> names;
  for (const Pair& pair : ignored_) names.push_back(name(pair));
  return names;
}

void Capsules::place(const Eigen::VectorXd& q) {
  at_.set(q);
  for (std::size_t i = 0; i < capsules_.size(); ++i) {
    const auto& [body, from, to] = capsules_[i];
    const Mat3<double> R = at_.R(body).mat();
    const Vector3 p = at_.origin() + at_.p(body).vec();
    from_[i] = p + R * from, to_[i] = p + R * to;
  }
}

Capsules::Closest Capsules::closest(const Pair& pair) const {
  const auto& [i, j] = pair;
  if (j < 0) {
    const Vector3& low = from_[i].z() < to_[i].z() ? from_[i] : to_[i];
    return {low, Vector3(low.x(), low.y(), floor_)};
  }
  const auto [s, t] = nearest(from_[i], to_[i], from_[j], to_[j]);
  return {from_[i] + s * (to_[i] - from_[i]), from_[j] + t * (to_[j] - from_[j])};
}

void Capsules::distances(const Eigen::VectorXd& q, Eigen::Ref<Eigen::VectorXd> d) {
  place(q);
  for (int p = 0; p < size(); ++p) {
    const Closest c = closest(pairs_[p]);
    d(p) = pairs_[p].second < 0 ? c.on_first.z() - floor_ - radius_
                                : (c.on_first - c.on_second).norm() - 2.0 * radius_;
  }
}

void Capsules::distances(const Eigen::VectorXd& q, Eigen::Ref<Eigen::VectorXd> d,
                         Eigen::Ref<Eigen::MatrixXd> slope) {
  distances(q, d);
  slope.setZero();
  for (int p = 0; p < size(); ++p) {
    const auto& [i, j] = pairs_[p];
    const Closest c = closest(pairs_[p]);
    if (j < 0) {
      add_slope(capsules_[i].body, c.on_first, Vector3::UnitZ(), 1.0, slope, p);
      continue;
    }
    const Vector3 apart = c.on_first - c.on_second;
    const double distance = apart.norm();
    if (distance < 1e-9) continue;  // segments that cross have no direction to part
    add_slope(capsules_[i].body, c.on_first, apart / distance, 1.0, slope, p);
    add_slope(capsules_[j].body, c.on_second, apart / distance, -1.0, slope, p);
  }
}

void Capsules::add_slope(int body, const Vector3& point, const Vector3& n, double sign,
                         Eigen::Ref<Eigen::MatrixXd> slope, int row) const {
  const Vector3 arm = point - at_.origin();
  for (int b = body; b > 0; b = at_.model().joint(b).parent)
    for (const auto& direction : at_.directions(b)) {
      const Vector3 velocity = direction.v.vec() + direction.w.vec().cross(arm);
      slope(row, direction.dof) += sign * n.dot(velocity);
    }
}

}  // namespace ulna
