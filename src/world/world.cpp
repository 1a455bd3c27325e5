#include "ulna/world/world.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/model/configuration.hpp"
#include "world/state.hpp"

namespace ulna {

namespace {

using V3 = Vec3<double>;

/// Of all but the solver in a step, as multiplications, roughly: for a number of the velocity of what is loose, and of a robot.
constexpr double effort_of_loose = 80.0, effort_of_robots = 600.0;

void require(bool good, const std::string& subject, const char* what) {
  if (!good) throw std::invalid_argument(subject + ": " + what);
}

void check_material(const std::string& name, const ContactMaterial& m) {
  const auto at_least_zero = [](double x) { return std::isfinite(x) && x >= 0.0; };
  require(at_least_zero(m.friction), name, "friction must be a number from 0 on");
  require(at_least_zero(m.torsion), name, "torsional friction must be a length from 0 on");
  require(at_least_zero(m.rolling), name, "rolling friction must be a length from 0 on");
  require(m.restitution >= 0.0 && m.restitution <= 1.0, name, "restitution must be from 0 to 1");
  const Compliance& c = m.compliance;
  require(c.stiffness > 0.0, name, "stiffness must be positive");
  require(at_least_zero(c.damping), name, "damping must be a number from 0 on");
  require(at_least_zero(c.time_constant), name, "a time constant must be a number from 0 on");
  require(std::isfinite(c.damping_ratio) && c.damping_ratio > 0.0, name,
          "a damping ratio must be positive");
}

bool finite(const Transform<double>& X) {
  return X.translation().allFinite() && X.rotation().matrix().allFinite();
}

}  // namespace

const char* to_string(WorldStatus status) {
  constexpr const char* names[] = {"moved", "not finite", "not physical", "crowded", "undecided"};
  return names[static_cast<int>(status)];
}

World::World(WorldOptions options) {
  require(std::isfinite(options.step) && options.step > 0.0, "step", "must be a positive duration");
  require(options.gravity.allFinite(), "gravity", "must be three numbers");
  require(options.overlap >= 0.0 && options.correction_speed >= 0.0, "overlap and correction speed",
          "must not be negative");
  state_ = std::make_unique<State>(options);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

void World::State::add_shape(int object, int body, const CollisionShape& shape,
                             const Transform<double>& X_BS, const ContactMaterial& material,
                             bool moves) {
  shapes.push_back({object, body, shape, X_BS, material, moves});
  const int n = static_cast<int>(shapes.size()) - 1;
  broad.resize(n + 1);
  // group 0 is all that stands still; other bodies have one each
  if (!moves) {
    broad.set_group(n, 0);
    shapes.back().X_WS = X_BS;
    broad.set_box(n, shape.box(X_BS).grown(options.overlap));
    return;
  }
  int group = n + 1;
  for (int i = 0; i < n; ++i)
    if (shapes[i].object == object && shapes[i].body == body) {
      group = i + 1;
      break;
    }
  broad.set_group(n, group);
}

int World::add_fixed(std::string name, const CollisionShape& shape, const Transform<double>& X_WS,
                     const ContactMaterial& material) {
  check_material(name, material);
  require(finite(X_WS), name, "its pose is not finite");
  const int object = object_count();
  state_->objects.push_back({std::move(name)});
  state_->add_shape(object, 0, shape, X_WS, material, false);
  return object;
}

int World::add_body(const LooseBody& body, const Transform<double>& X_WB) {
  State& s = *state_;
  check_material(body.name, body.material);
  require(finite(X_WB), body.name, "its pose is not finite");
  require(std::isfinite(body.inertia.mass()) && body.inertia.mass() > 0.0, body.name,
          "its mass must be positive");
  const Mat3<double> I = body.inertia.rotational_about_com();
  require(I.allFinite() && principal_axes<double>(I).moments.minCoeff() > 0.0, body.name,
          "its moments of inertia must be positive");
  const int object = object_count();
  s.objects.push_back(
      {body.name, static_cast<int>(s.loose.size()), -1, static_cast<int>(s.segment_object.size())});
  s.segment_object.push_back(object);
  s.loose.emplace_back(body.inertia, X_WB);
  s.other_effort += 6.0 * effort_of_loose;
  for (const PlacedShape& p : body.shapes) {
    require(p.shape.is_convex() && !p.shape.is_unbounded(), body.name,
            "planes, meshes and height fields cannot move; use a hull");
    s.add_shape(object, 0, p.shape, p.X_BS, body.material, true);
  }
  return object;
}

int World::add_robot(const Model& model, const Eigen::VectorXd& q, const RobotOptions& options) {
  State& s = *state_;
  const std::string name = options.name.empty() ? model.name() : options.name;
  check_material(name, options.material);
  require(finite(options.X_WR), name, "its pose is not finite");
  require(q.size() == model.nq() && q.allFinite(), name,
          "its configuration has the wrong size or is not finite");
  const int object = object_count();
  s.objects.push_back(
      {name, -1, static_cast<int>(s.robots.size()), static_cast<int>(s.segment_object.size())});
  s.segment_object.push_back(object);
  s.robots.emplace_back(model, q, options);
  s.other_effort += model.nv() * effort_of_robots;
  s.robots.back().set_gravity(s.options.gravity);
  RobotShapes found = robot_shapes(model, options.shapes);
  s.diagnostics.push_back(found.diagnostics);
  if (!options.contact) return object;
  const int first = static_cast<int>(s.shapes.size());
  for (const BodyShape& b : found.shapes) {
    const bool moves = b.body > 0;
    s.add_shape(object, b.body, b.shape, moves ? b.X_CS : options.X_WR * b.X_CS, options.material,
                moves);
  }
  if (options.self_contact) {
    for (const LeftOut& pair : left_out_pairs(model, found.shapes))
      s.broad.exclude(first + pair.first, first + pair.second);
  } else {
    const int last = static_cast<int>(s.shapes.size());
    for (int i = first; i < last; ++i) {
      if (s.shapes[i].moves) s.broad.set_group(i, first + 1);
      for (int j = i + 1; j < last; ++j)
        if (s.shapes[i].moves != s.shapes[j].moves) s.broad.exclude(i, j);
    }
  }
  return object;
}

int World::object_count() const { return static_cast<int>(state_->objects.size()); }
const std::string& World::name(int object) const { return state_->objects.at(object).name; }
bool World::is_robot(int object) const { return state_->objects.at(object).robot >= 0; }
bool World::is_fixed(int object) const { return !state_->objects.at(object).moves(); }
const WorldOptions& World::options() const { return state_->options; }

namespace {

detail::Articulation& robot_of(std::vector<detail::Articulation>& robots, int index,
                               const std::string& name) {
  if (index < 0) throw std::invalid_argument("'" + name + "' is no robot");
  return robots[static_cast<std::size_t>(index)];
}

}  // namespace

Inertia<double> World::inertia(int object) const {
  const int body = state_->objects.at(object).loose;
  require(body >= 0, name(object), "is no loose body");
  return state_->loose[body].inertia();
}
Plant<double>& World::plant(int object) {
  return robot_of(state_->robots, state_->objects.at(object).robot, name(object)).plant;
}
const Plant<double>& World::plant(int object) const {
  return robot_of(state_->robots, state_->objects.at(object).robot, name(object)).plant;
}
Transform<double> World::base(int object) const {
  return robot_of(state_->robots, state_->objects.at(object).robot, name(object)).X_WR;
}
const Diagnostics& World::shape_diagnostics(int object) const {
  robot_of(state_->robots, state_->objects.at(object).robot, name(object));
  return state_->diagnostics[state_->objects[object].robot];
}

Eigen::VectorXd World::q(int object) const {
  const State::Object& o = state_->objects.at(object);
  if (o.robot >= 0) {
    const detail::Articulation& r = state_->robots[o.robot];
    return r.q.head(r.model().nq());
  }
  Eigen::VectorXd q(o.moves() ? 7 : 0), v(6);
  if (o.moves()) state_->loose[o.loose].get_state(q.data(), v.data());
  return q;
}
Eigen::VectorXd World::v(int object) const {
  const State::Object& o = state_->objects.at(object);
  if (o.robot >= 0) {
    const detail::Articulation& r = state_->robots[o.robot];
    return r.v.head(r.model().nv());
  }
  Eigen::VectorXd q(7), v(o.moves() ? 6 : 0);
  if (o.moves()) state_->loose[o.loose].get_state(q.data(), v.data());
  return v;
}

void World::set_state(int object, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const State::Object& o = state_->objects.at(object);
  require(o.moves(), o.name, "it stands still and has no state");
  const Eigen::Index nq = o.robot >= 0 ? state_->robots[o.robot].model().nq() : 7;
  const Eigen::Index nv = o.robot >= 0 ? state_->robots[o.robot].model().nv() : 6;
  require(q.size() == nq && v.size() == nv, o.name, "a state of the wrong size");
  require(q.allFinite() && v.allFinite(), o.name, "a state that is not finite");
  if (o.robot >= 0) {
    state_->robots[o.robot].set_state(q, v);
  } else {
    require(q.head(4).squaredNorm() > 0.0, o.name, "a quaternion of no length");
    state_->loose[o.loose].set_state(q.data(), v.data());
  }
  state_->last_touches.clear(), state_->contacts.clear();
}

Eigen::VectorXd World::theta(int object) const {
  return robot_of(state_->robots, state_->objects.at(object).robot, name(object)).motors().theta;
}
Eigen::VectorXd World::omega(int object) const {
  return robot_of(state_->robots, state_->objects.at(object).robot, name(object)).motors().omega;
}
void World::set_motors(int object, const Eigen::VectorXd& theta, const Eigen::VectorXd& omega) {
  detail::Articulation& r =
      robot_of(state_->robots, state_->objects.at(object).robot, name(object));
  require(theta.size() == r.tau.size() && omega.size() == r.tau.size(), name(object),
          "motors of the wrong size");
  require(theta.allFinite() && omega.allFinite(), name(object), "motors that are not finite");
  r.set_motors(theta, omega);
}
Eigen::VectorXd World::link_torque(int object) const {
  return robot_of(state_->robots, state_->objects.at(object).robot, name(object)).link_torque();
}

double World::time() const { return state_->time; }

Transform<double> World::pose(int object, int body) const {
  const State::Object& o = state_->objects.at(object);
  if (o.robot >= 0) {
    detail::Articulation& r = state_->robots[o.robot];
    r.place();
    return r.X_WR * r.at().pose(body);
  }
  if (o.moves()) return state_->loose[o.loose].pose();
  return std::ranges::find(state_->shapes, object, &State::Shape::object)->X_WS;
}

Twist<double> World::velocity(int object, int body) const {
  const State::Object& o = state_->objects.at(object);
  if (!o.moves()) return Twist<double>::zero();
  if (o.loose >= 0) {
    const detail::Loose& b = state_->loose[o.loose];
    return {b.spin(), b.velocity_at(b.pose().translation())};
  }
  detail::Articulation& r = state_->robots[o.robot];
  r.place();
  const Twist<double> V = r.at().V(body).at(V3(r.at().pose(body).translation() - r.at().origin()));
  return {r.X_WR.rotation() * V.angular, r.X_WR.rotation() * V.linear};
}

void World::set_torque(int object, const Eigen::VectorXd& tau) {
  detail::Articulation& r =
      robot_of(state_->robots, state_->objects.at(object).robot, name(object));
  require(tau.size() == r.tau.size(), name(object), "a torque vector of the wrong size");
  r.set_torque(tau);
}
const Eigen::VectorXd& World::torque(int object) const {
  return robot_of(state_->robots, state_->objects.at(object).robot, name(object)).tau;
}

void World::set_wrench(int object, int body, const V3& force, const V3& moment, const V3& point) {
  const State::Object& o = state_->objects.at(object);
  require(o.moves(), o.name, "it stands still: a wrench on it does nothing");
  if (o.loose >= 0) return state_->loose[o.loose].add_wrench(force, moment, point);
  detail::Articulation& r = state_->robots[o.robot];
  require(body >= 0 && body < r.model().body_count(), o.name, "it has no such body");
  r.place();
  r.add_wrench(body, force, moment, point);
}
void World::clear_wrenches() {
  for (detail::Loose& b : state_->loose) b.clear_wrench();
  for (detail::Articulation& r : state_->robots) r.clear_wrench();
}

std::span<const WorldContact> World::contacts() const { return state_->contacts; }

Wrench<double> World::contact_wrench(int object) const {
  Wrench<double> sum;
  for (const WorldContact& c : state_->contacts) {
    Wrench<double> F = Wrench<double>::force_at(c.force, c.position);
    F.moment += c.moment;
    if (c.second == object) sum += F;
    if (c.first == object) sum -= F;
  }
  return sum;
}

double World::kinetic_energy() const {
  double sum = 0.0;
  for (const detail::Loose& b : state_->loose) sum += b.kinetic_energy();
  for (detail::Articulation& r : state_->robots) sum += r.kinetic_energy();
  return sum;
}
double World::energy() const {
  double sum = 0.0;
  for (const detail::Loose& b : state_->loose)
    sum += b.kinetic_energy() - b.mass() * state_->options.gravity.dot(b.center());
  for (detail::Articulation& r : state_->robots) sum += r.energy();
  return sum;
}
Wrench<double> World::momentum() const {
  Wrench<double> sum;
  for (const detail::Loose& b : state_->loose) {
    sum += Wrench<double>::force_at(b.mass() * b.center_velocity(), b.center());
    sum.moment += b.spin_momentum();
  }
  for (detail::Articulation& r : state_->robots) sum += r.momentum();
  return sum;
}
const WorldWork& World::work() const { return state_->work; }
const WorldReport& World::report() const { return state_->report; }

std::vector<WorldShape> World::shapes() const {
  state_->place_shapes();
  std::vector<WorldShape> all;
  for (const State::Shape& s : state_->shapes) all.push_back({s.object, s.body, &s.shape, s.X_WS});
  return all;
}

double World::clearance(int object) {
  State& s = *state_;
  s.place_shapes();
  double least = infinity;
  for (const State::Shape& a : s.shapes)
    for (const State::Shape& b : s.shapes)
      if (a.object == object && a.moves && !b.moves && b.object != object)
        least = std::min(least, distance(a.shape, a.X_WS, b.shape, b.X_WS));
  return least;
}

std::vector<World::Overlap> World::overlaps() {
  State& s = *state_;
  s.place_shapes();
  s.find_touches(0.0);
  std::vector<Overlap> found;
  for (const State::Touch& t : s.touches) {
    if (-t.at.gap <= s.options.overlap) continue;
    const int a = s.shapes[t.first].object, b = s.shapes[t.second].object;
    const auto same = std::ranges::find_if(
        found, [&](const Overlap& o) { return o.first == a && o.second == b; });
    if (same == found.end())
      found.push_back({a, b, -t.at.gap});
    else
      same->depth = std::max(same->depth, -t.at.gap);
  }
  std::ranges::stable_sort(found, std::greater{}, &Overlap::depth);
  return found;
}

}  // namespace ulna
