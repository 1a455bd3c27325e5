#include "mpc_page.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "page.hpp"
#include "report.hpp"
#include "ulna/dynamics/kinematics.hpp"

namespace ulna::cli {
namespace {

using Eigen::Index;
using Eigen::Quaterniond;
using Eigen::Vector3d;

/// Numbers of a drawing: tenths of millimetres, and of a quaternion's thousandths.
constexpr double unit = 1e-4;

double rounded(double x) { return std::round(x * 1e4) / 1e4; }

void append(Json& list, int x) { list.push_back(x); }
void append(Json& list, double x) { list.push_back(rounded(x)); }
void append(Json& list, const Vector3d& v) {
  for (const double x : v) append(list, x);
}
/// Numbers and vectors one behind the other.
Json flat(const auto&... numbers) {
  Json list = Json::array();
  (append(list, numbers), ...);
  return list;
}

/// The frame of a link, if there is one.
const Frame* link_frame(const Model& model, std::string_view name) {
  const auto found = model.find_frame(name);
  return found ? &model.frames()[*found] : nullptr;
}

/// How many joints lie between the base and each body.
std::vector<int> depths(const Model& model) {
  std::vector<int> depth(model.body_count(), 0);
  for (int b = 1; b < model.body_count(); ++b) depth[b] = depth[model.joint(b).parent] + 1;
  return depth;
}

/// The shapes that move with each body, in the form that the script takes:
/// [body, kind, a, b, c, x, y, z, qw, qx, qy, qz, red, green, blue].
class Parts {
 public:
  enum Kind { capsule, cylinder, box };

  void add(int body, Kind kind, const Vector3d& size, const Transform<double>& X,
           const Vector3d& colour) {
    const Quaternion<double> q = X.rotation().quaternion();
    Json part = flat(body, int(kind), size, X.translation(), q.w, q.x, q.y, q.z);
    for (const double x : colour) append(part, int(std::lround(255.0 * std::clamp(x, 0.0, 1.0))));
    list_.push_back(std::move(part));
    bodies_.insert(body);
  }
  /// A rod with round ends.
  void rod(int body, const Vector3d& from, const Vector3d& to, double radius,
           const Vector3d& colour) {
    const Quaterniond turn = Quaterniond::FromTwoVectors(Vector3d::UnitZ(), to - from);
    add(body, capsule, {radius, (to - from).norm(), 0.0},
        {Rotation<double>::from_matrix(turn.toRotationMatrix()), 0.5 * (from + to)}, colour);
  }
  std::size_t bodies() const { return bodies_.size(); }
  const Json& json() const { return list_; }

 private:
  Json list_ = Json::array();
  std::set<int> bodies_;
};

const Vector3d pale(0.88, 0.89, 0.91), dark(0.34, 0.37, 0.42);

/// The shapes that the robot's description gives its links; meshes are files, and not looked at.
Parts described_shapes(const Model& model) {
  Parts parts;
  for (const LinkDescription& link : model.description().links) {
    const Frame* at = link_frame(model, link.name);
    if (!at) continue;
    for (const Shape& shape : link.visuals) {
      const Transform<double> X = at->X_BF * shape.origin.transform();
      const Vector3d colour = shape.material.rgba ? Vector3d(shape.material.rgba->head<3>()) : pale;
      const auto add = [&](Parts::Kind kind, const Vector3d& size) {
        parts.add(at->body, kind, size, X, colour);
      };
      if (const auto* b = std::get_if<ulna::Box>(&shape.geometry)) add(Parts::box, b->size);
      if (const auto* c = std::get_if<Cylinder>(&shape.geometry))
        add(Parts::cylinder, {c->radius, c->length, 0.0});
      if (const auto* c = std::get_if<Capsule>(&shape.geometry))
        add(Parts::capsule, {c->radius, c->length, 0.0});
      if (const auto* s = std::get_if<Sphere>(&shape.geometry))
        add(Parts::capsule, {s->radius, 0.0, 0.0});
    }
  }
  return parts;
}

/// A line between two points, each fixed to a body: the skeleton of the robot.
struct Bone {
  int from_body, to_body;
  Vector3d from, to;
};

/// From each link to its joints and frames; from one that carries nothing, to its centre of mass.
std::vector<Bone> bones_of(const Model& model) {
  std::vector<Bone> bones;
  const Description& robot = model.description();
  std::set<std::string_view> carrying;
  for (const JointDescription& joint : robot.joints) {
    const Frame *parent = link_frame(model, joint.parent), *child = link_frame(model, joint.child);
    if (!parent || !child) continue;
    const Vector3d place = (parent->X_BF * joint.origin.transform()).translation();
    bones.push_back({parent->body, parent->body, parent->X_BF.translation(), place});
    // where the joint has slid to
    bones.push_back({parent->body, child->body, place, child->X_BF.translation()});
    carrying.insert(joint.parent);
  }
  for (const FrameDescription& named : robot.frames)
    if (const Frame* link = link_frame(model, named.link)) {
      bones.push_back({link->body, link->body, link->X_BF.translation(),
                       (link->X_BF * named.origin.transform()).translation()});
      carrying.insert(named.link);
    }
  for (const LinkDescription& link : robot.links)
    if (const Frame* at = link_frame(model, link.name);
        at && link.inertial && !carrying.contains(link.name))
      bones.push_back({at->body, at->body, at->X_BF.translation(), at->X_BF * link.inertial->com});
  return bones;
}

/// For robots whose shapes are unknown: rods for bones, short cylinders about the joints' axes.
Parts rods(const Model& model, const std::vector<Bone>& bones, double size) {
  Parts parts;
  const std::vector<int> depth = depths(model);
  const double deepest = std::max(1, std::ranges::max(depth));
  const auto radius = [&](int body) { return size * (0.045 - 0.02 * depth[body] / deepest); };
  for (const Bone& bone : bones)
    if (bone.from_body == bone.to_body && (bone.to - bone.from).norm() > 0.01 * size)
      parts.rod(bone.from_body, bone.from, bone.to, radius(bone.from_body), pale);
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& joint = model.joint(b);
    const double r = radius(b);
    const Transform<double> X = Transform<double>::from_rotation(joint.R_BC);
    if (joint.type == JointType::prismatic)
      parts.rod(b, Vector3d::Zero(), -0.3 * size * joint.R_BC.matrix().col(2), 0.6 * r, dark);
    else if (velocity_size(joint.type) == 1)
      parts.add(b, Parts::cylinder, {1.25 * r, 2.9 * r, 0.0}, X, dark);
    else
      parts.add(b, Parts::capsule, {1.4 * r, 0.0, 0.0}, X, dark);
  }
  return parts;
}

/// Turns the world so that up is z.
Quaterniond upright(const Model& model) {
  const Vector3d g = model.gravity();
  return g.norm() > 1e-9 ? Quaterniond::FromTwoVectors(-g, Vector3d::UnitZ())
                         : Quaterniond::Identity();
}

/// Poses of the moving bodies over the frames of a film: positions and quaternions in whole units,
/// each less that of the frame before. After the last of the times, q stays as it is.
Json film(const Model& model, const Eigen::VectorXd& time, const Eigen::MatrixXd& q, Index frames,
          double step) {
  Json list = Json::array();
  Kinematics<double> at(model);
  const Quaterniond turn = upright(model);
  const Index moments = time.size();
  std::vector<long> last(7 * model.body_count(), 0);
  std::vector<Quaterniond> before(model.body_count(), Quaterniond::Identity());
  Index k = 0;
  for (Index f = 0; f < frames; ++f) {
    const double now = double(f) * step;
    while (k + 2 < moments && time(k + 1) <= now) ++k;
    const Index next = std::min(k + 1, moments - 1);
    const double share =
        next > k ? std::clamp((now - time(k)) / (time(next) - time(k)), 0.0, 1.0) : 0.0;
    at.set((1.0 - share) * q.col(k) + share * q.col(next));
    for (int b = 1; b < model.body_count(); ++b) {
      const Transform<double> X = at.pose(b);
      const Vector3d p = turn * X.translation();
      const Quaternion<double> r = X.rotation().quaternion();
      Quaterniond turned = turn * Quaterniond(r.w, r.x, r.y, r.z);
      // of the two that mean the same, the one nearer to the last
      if (turned.dot(before[b]) < 0.0) turned.coeffs() = -turned.coeffs();
      before[b] = turned;
      long* number = &last[7 * b];
      for (const double x : {p.x(), p.y(), p.z(), turned.w(), turned.x(), turned.y(), turned.z()}) {
        const long whole = std::lround(std::clamp(x / unit, -1e9, 1e9));
        list.push_back(whole - *number);
        *number++ = whole;
      }
    }
  }
  return list;
}

/// How long the bones are from the base to the end of the longest arm.
double reach_of(const Model& model, const std::vector<Bone>& bones) {
  std::vector<double> length(model.body_count(), 0.0);
  for (int b = 1; b < model.body_count(); ++b)
    length[b] = length[model.joint(b).parent] + model.joint(b).X_PJ.translation().norm();
  double most = std::max(0.05, std::ranges::max(length));
  for (const Bone& bone : bones)
    if (bone.from_body == bone.to_body)
      most = std::max(most, length[bone.from_body] + bone.to.norm());
  return most;
}

/// The point whose way is drawn: where the payload is, or else the end of the longest chain.
std::pair<int, Vector3d> end_point(const MpcResults& results, const std::vector<Bone>& bones) {
  const Model& model = results.model;
  if (results.payload) {
    const Frame& at = model.frame(results.payload->frame);
    return {at.body, at.X_BF.translation()};
  }
  const std::vector<int> depth = depths(model);
  int last = 0;
  for (int b = 1; b < model.body_count(); ++b)
    if (depth[b] >= depth[last]) last = b;
  Vector3d end = Vector3d::Zero();
  for (const Bone& bone : bones)
    if (bone.from_body == last && bone.to_body == last && bone.to.norm() > end.norm())
      end = bone.to;
  return {last, end};
}

/// A cube as heavy as the payload, and when it is there: while its body weighs more than at first.
Json payload_of(const MpcResults& results, double reach) {
  if (!results.payload) return nullptr;
  const PayloadFound& payload = *results.payload;
  const Frame& at = results.model.frame(payload.frame);
  if (at.body < 1) return nullptr;
  Json times = Json::array();
  const TrialRecord& record = results.runs.front().result.record;
  bool there = false;
  for (Index k = 0; k < record.time.size(); ++k) {
    const double more = record.true_mass(at.body - 1, k) - record.true_mass(at.body - 1, 0);
    if ((more > 0.5 * payload.mass) != there)
      times.push_back(rounded(record.time(k))), there = !there;
  }
  constexpr double density = 1500.0;
  const double edge = std::clamp(std::cbrt(payload.mass / density), 0.04 * reach, 0.25 * reach);
  Parts parts;
  parts.add(at.body, Parts::box, Vector3d::Constant(edge),
            at.X_BF * Transform<double>::from_translation(payload.com), {0.90, 0.66, 0.22});
  return Json{{"times", times}, {"part", parts.json().front()}};
}

/// Which runs are shown, and buttons that go to an event.
std::string shown(const MpcResults& results, double end) {
  std::string s;
  for (std::size_t i = 0; i < results.runs.size(); ++i)
    s += fmt::format(
        "<label><input type='checkbox' data-arm='{}'{}/><i style='background:var(--{})'></i>{}"
        "</label>",
        i, i < 2 ? " checked" : "", results.runs[i].colour, results.runs[i].name);
  s += fmt::format(
      "<label><input type='checkbox' data-arm='{}' checked/><i class='thin'></i>reference</label>",
      results.runs.size());
  for (const auto& [time, what] : results.events)
    if (time >= 0.0 && time <= end)
      s += fmt::format("<button type='button' class='event' data-at='{:.3f}'>{:.3g} s: {}</button>",
                       time, time, safe(what));
  return s;
}

/// JSON within a page: no tag can end it.
std::string embedded(const Json& json) {
  return replaced(json.dump(-1, ' ', false, Json::error_handler_t::replace), {{"<", "\\u003c"}});
}

}  // namespace

std::string arm_view(const MpcResults& results) {
  const Model& model = results.model;
  for (const MpcRun& run : results.runs)
    if (run.result.record.time.size() == 0) return "";
  if (results.longest().time.size() < 2) return "";
  const double end = results.end();
  // thirty frames a second, or as many as a page of moderate size holds
  const double numbers = 7.0 * model.joint_count() * double(results.runs.size() + 1);
  const Index frames = std::clamp<Index>(std::lround(end * 30.0) + 1, 2,
                                         std::max<Index>(2, std::lround(240e3 / numbers)));
  const double step = end / double(frames - 1);

  Json arms = Json::array();
  const auto add = [&](std::string_view colour, const TrialRecord& record,
                       const Eigen::MatrixXd& q) {
    arms.push_back({{"colour", colour}, {"poses", film(model, record.time, q, frames, step)}});
  };
  for (const MpcRun& run : results.runs) add(run.colour, run.result.record, run.result.record.q);
  add("ink", results.longest(), results.longest().q_reference);

  const std::vector<Bone> bones = bones_of(model);
  const double reach = reach_of(model, bones);
  Parts parts = described_shapes(model);
  if (2 * parts.bodies() < std::size_t(model.body_count())) parts = rods(model, bones, reach);
  const Json lines =
      list_of(bones, [](const Bone& b) { return flat(b.from_body, b.from, b.to_body, b.to); });
  const auto [body, point] = end_point(results, bones);
  const Quaterniond base = upright(model);
  const Json data{{"bodies", model.joint_count()},
                  {"frames", frames},
                  {"step", step},
                  {"end", end},
                  {"base", {base.w(), base.x(), base.y(), base.z()}},
                  {"reach", rounded(reach)},
                  {"parts", parts.json()},
                  {"bones", lines},
                  {"tip", flat(body, point)},
                  {"payload", payload_of(results, reach)},
                  {"arms", arms}};
  return fmt::format(fmt::runtime(asset("arm_view.html")), fmt::arg("name", safe(model.name())),
                     fmt::arg("end", end), fmt::arg("shown", shown(results, end)),
                     fmt::arg("data", embedded(data)), fmt::arg("script", asset("arm_view.js")));
}

}  // namespace ulna::cli
