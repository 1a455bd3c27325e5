#include "world/events.hpp"

#include <cmath>
#include <numeric>

namespace ulna {

namespace {

/// What touches without a force may sink so deep before it is looked at again, m.
constexpr double idle_depth = 2e-9;
/// m: farther away is another point, unless it is of the same features.
constexpr double another_point = 1e-3;
/// s, where nothing is faster than 1 rad/s: for differences of fourth order.
constexpr double difference_step = 1e-3;
/// Directions of sliding begin anew when they have turned so far (cosine), displacements when a joint has, rad.
constexpr double same_way = 0.8, turned_far = 0.5;
/// Segments that are shorter, s, get nowhere; so many of them in a row, and so many segments in a second, are a crowd.
constexpr double no_progress = 1e-10;
constexpr int most_without_progress = 200;
constexpr double most_segments = 1e5;
constexpr long most_steps_of_segment = 200000;
/// m/s: what slides back no faster has not turned round.
constexpr double rounding = 1e-12;
/// s: shorter than any flight after an impact, so that root finding sees that bodies have left each other.
constexpr double first_step = 1e-7;

}  // namespace

World::Events::Events(State& state, const AdaptiveOptions& options)
    : s_(state),
      solver_({.tolerance = 1e-11}),
      y_(numbers_of(state)),
      arkode_(numbers_of(state), options) {
  for (std::size_t r = 0; r < s_.robots.size(); ++r) {
    const Model& model = s_.robots[r].model();
    for (const Joint& j : model.joints()) {
      if (j.mimics || velocity_size(j.type) != 1) continue;
      for (const double way : {1.0, -1.0}) {
        const double limit = way > 0.0 ? model.lower_limit()(j.q) : model.upper_limit()(j.q);
        if (std::isfinite(limit)) stops_.push_back({static_cast<int>(r), j.q, j.v, limit, way});
      }
    }
  }
  q0_.resize(s_.robots.size());
  reach_.resize(s_.shapes.size()), placed_.resize(s_.shapes.size());
  for (const int object : s_.segment_object) {
    const State::Object& o = s_.objects[object];
    nu_ += o.loose >= 0 ? 6 : s_.robots[o.robot].model().nv();
  }
  all_.resize(static_cast<std::size_t>(nu_));
  std::iota(all_.begin(), all_.end(), 0);
}

/// Of a loose body: orientation, centre of mass, angular and linear velocity; of a robot: displacement and velocity; and work of
/// torques, wrenches, damping, friction of joints and of contacts.
int World::Events::numbers_of(const State& state) {
  int sum = 5;
  for (const int object : state.segment_object) {
    const State::Object& o = state.objects[object];
    sum += o.loose >= 0 ? 13 : 2 * state.robots[o.robot].model().nv();
  }
  return sum;
}

void World::Events::write(double* y) const {
  for (const int object : s_.segment_object) {
    const State::Object& o = s_.objects[object];
    if (o.loose >= 0) {
      const detail::Loose& b = s_.loose[o.loose];
      Eigen::Map<Vec4<double>> turn(y);
      turn = b.orientation().coefficients();
      Eigen::Map<V3>(y + 4) = b.center();
      Eigen::Map<V3>(y + 7) = b.spin();
      Eigen::Map<V3>(y + 10) = b.center_velocity();
      y += 13;
    } else {
      const detail::Articulation& r = s_.robots[o.robot];
      std::fill_n(y, r.v.size(), 0.0);
      y = std::copy(r.v.begin(), r.v.end(), y + r.v.size());
    }
  }
  std::fill_n(y, 5, 0.0);
}

bool World::Events::read(const double* y) {
  for (Eigen::Index i = 0; i < y_.size(); ++i)
    if (!std::isfinite(y[i])) return false;
  for (const int object : s_.segment_object) {
    const State::Object& o = s_.objects[object];
    if (o.loose >= 0) {
      const Quaternion<double> turn{y[0], y[1], y[2], y[3]};
      if (!(turn.squared_norm() > 0.25)) return false;
      s_.loose[o.loose].set_motion(turn, Eigen::Map<const V3>(y + 4), Eigen::Map<const V3>(y + 7),
                                   Eigen::Map<const V3>(y + 10));
      y += 13;
    } else {
      detail::Articulation& r = s_.robots[o.robot];
      const Eigen::Index n = r.v.size();
      integrate<double>(r.model(), q0_[o.robot], Eigen::Map<const Vector>(y, n), r.q);
      r.v = Eigen::Map<const Vector>(y + n, n);
      y += 2 * n;
    }
  }
  s_.place_shapes();
  return true;
}

bool World::Events::set_free_acceleration() {
  ConeProblem& p = s_.problem;
  p.clear();
  for (const int object : s_.segment_object) {
    const State::Object& o = s_.objects[object];
    const int segment =
        p.add_segment(o.loose >= 0 ? 6 : static_cast<int>(s_.robots[o.robot].v.size()));
    double* const a = p.velocity.data() + p.segment_at(segment);
    if (o.loose >= 0)
      s_.loose[o.loose].free_acceleration(s_.options.gravity, a);
    else if (!s_.robots[o.robot].free_acceleration(a))
      return false;
  }
  free_ = Eigen::Map<const Vector>(p.velocity.data(), nu_);
  return true;
}

void World::Events::get_velocities(std::vector<double>& u) const {
  u.resize(static_cast<std::size_t>(nu_));
  double* to = u.data();
  for (const int object : s_.segment_object) {
    const State::Object& o = s_.objects[object];
    if (o.loose >= 0)
      s_.loose[o.loose].get_velocity(to), to += 6;
    else
      s_.robots[o.robot].velocity_to_unit(to), to += s_.robots[o.robot].v.size();
  }
}

void World::Events::set_velocities(const std::vector<double>& u) {
  s_.from_unit(u, physical_);
  const double* from = physical_.data();
  for (const int object : s_.segment_object) {
    const State::Object& o = s_.objects[object];
    if (o.loose >= 0) {
      detail::Loose& b = s_.loose[o.loose];
      b.set_motion(b.orientation(), b.center(), Eigen::Map<const V3>(from),
                   Eigen::Map<const V3>(from + 3));
      from += 6;
    } else {
      detail::Articulation& r = s_.robots[o.robot];
      r.v = Eigen::Map<const Vector>(from, r.v.size());
      from += r.v.size();
    }
  }
  s_.place_shapes();
}

World::Events::V3 World::Events::velocity_of(const State::Shape& shape, const V3& point) const {
  const State::Object& o = s_.objects[shape.object];
  if (!shape.moves) return V3::Zero();
  return o.loose >= 0 ? s_.loose[o.loose].velocity_at(point)
                      : s_.robots[o.robot].velocity_at(shape.body, point);
}

bool World::Events::look(Hold& h) const {
  if (h.kind == Kind::contact) {
    State::Touch& t = h.touch;
    const State::Shape &a = s_.shapes[t.first], &b = s_.shapes[t.second];
    ContactPoint points[max_contact_points];
    const int n = contact_points(a.shape, a.X_WS, b.shape, b.X_WS, 1e-2, points);
    const ContactPoint* same = nullptr;
    double nearest = infinity;
    for (const ContactPoint& c : std::span(points, static_cast<std::size_t>(n))) {
      const double distance =
          c.feature == t.feature ? 0.0 : (c.position - t.at.position).squaredNorm();
      if (distance < nearest) nearest = distance, same = &c;
    }
    if (!same || nearest > another_point * another_point) return false;
    t.at = *same;
    // tangents follow the normal without a jump
    t.tangent[0] = (t.tangent[0] - t.tangent[0].dot(t.at.normal) * t.at.normal).normalized();
    t.tangent[1] = cross(t.at.normal, t.tangent[0]);
    const V3 v = velocity_of(b, t.at.position) - velocity_of(a, t.at.position);
    h.w = V3(v.dot(t.at.normal), v.dot(t.tangent[0]), v.dot(t.tangent[1]));
    h.gap = t.at.gap;
  } else if (h.kind == Kind::loop) {
    h.w.x() = s_.robots[h.robot].loops()->rate()(h.coordinate);
    h.gap = s_.robots[h.robot].loops()->gap()(h.coordinate);
  } else {
    h.w.x() = h.sign * s_.robots[h.robot].v(h.coordinate);
  }
  return true;
}

void World::Events::look_at_all() {
  for (detail::Articulation& r : s_.robots)
    if (r.loops()) r.loops()->set(r.q, r.v);
  for (Hold& h : holds_) h.lost = !look(h);
}

/// (dJ/dt) v: how the velocities where things touch change while everything goes on as it does. Loops know theirs.
void World::Events::find_drifts() {
  double fastest = 1.0;
  bool any = false;
  for (Hold& h : holds_) {
    h.drift.setZero();
    any |= h.kind == Kind::contact;
    if (h.kind == Kind::loop)
      h.drift.x() = s_.robots[h.robot].loops()->acceleration()(h.coordinate);
  }
  if (!any) return;
  for (const detail::Loose& b : s_.loose) fastest = std::max(fastest, b.spin().norm());
  for (const detail::Articulation& r : s_.robots)
    fastest = std::max(fastest, r.v.lpNorm<Eigen::Infinity>());
  const double step = difference_step / fastest;
  const std::vector<detail::Loose> loose = s_.loose;
  std::vector<Vector> q;
  for (const detail::Articulation& r : s_.robots) q.push_back(r.q);
  for (const auto& [ahead, weight] :
       {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
    for (detail::Loose& b : s_.loose) b.coast(ahead * step);
    for (std::size_t r = 0; r < q.size(); ++r)
      integrate<double>(s_.robots[r].model(), q[r], Vector(ahead * step * s_.robots[r].v),
                        s_.robots[r].q);
    s_.place_shapes();
    for (Hold& h : holds_) {
      if (h.kind != Kind::contact) continue;
      Hold there = h;
      if (look(there))
        h.drift += weight / (12.0 * step) * there.w;
      else
        h.lost = true;
    }
    s_.loose = loose;
    for (std::size_t r = 0; r < q.size(); ++r) s_.robots[r].q = q[r];
  }
  s_.place_shapes();
}

/// J of all holds, in unit coordinates.
void World::Events::set_rows() {
  ConeProblem& p = s_.problem;
  int rows = 0;
  for (Hold& h : holds_) {
    h.row = rows, rows += h.rows;
    const int segment = h.robot < 0 ? -1 : s_.robot_segment(h.robot);
    if (h.kind == Kind::contact) {
      s_.add_cone_rows(h.touch);
    } else if (h.kind == Kind::loop) {
      p.add_equality();
      s_.robots[h.robot].add_loop_row(p, segment, h.coordinate);
    } else {
      // no impulse of dry friction: it is a force
      h.kind == Kind::stop ? p.add_positive() : p.add_box(0.0, 0.0);
      s_.robots[h.robot].add_coordinate_row(p, segment, h.coordinate, h.sign);
    }
  }
  J_.setZero(rows, nu_);
  for (std::size_t i = 0; i < holds_.size(); ++i) {
    const ConeProblem::Block& b = p.block(static_cast<int>(i));
    for (const ConeProblem::Piece& piece : p.pieces(b)) {
      const int* columns = p.columns(piece);
      for (int k = 0; k < b.rows; ++k)
        for (int c = 0; c < piece.size; ++c)
          J_(holds_[i].row + k, columns ? columns[c] : piece.at + c) +=
              p.data()[piece.J + static_cast<std::size_t>(k * piece.size + c)];
    }
  }
}

detail::EventSystem::Rate World::Events::rate(const double* y, double* dy) {
  if (!read(y)) return Rate::too_far;
  if (!accelerate()) {
    possible_ = false;
    return Rate::impossible;
  }
  u_.assign(a_.begin(), a_.end());
  s_.from_unit(u_, physical_);
  const double* a = physical_.data();
  double torques = 0.0, wrenches = 0.0, damping = 0.0, rubbed = 0.0, friction = 0.0;
  for (const int object : s_.segment_object) {
    const State::Object& o = s_.objects[object];
    if (o.loose >= 0) {
      const detail::Loose& b = s_.loose[o.loose];
      const Quaternion<double> spin{0.0, b.spin().x(), b.spin().y(), b.spin().z()};
      // of the numbers, which are not of unit length to the last bit
      const Quaternion<double> turn = spin * Quaternion<double>{y[0], y[1], y[2], y[3]};
      Eigen::Map<Vec4<double>> to(dy);
      to = 0.5 * turn.coefficients();
      Eigen::Map<V3>(dy + 4) = b.center_velocity();
      std::copy_n(a, 6, dy + 7);
      wrenches += b.wrench_power();
      y += 13, dy += 13, a += 6;
    } else {
      const detail::Articulation& r = s_.robots[o.robot];
      const Eigen::Index n = r.v.size();
      detail::displacement_rates(r.model(), y, r.v.data(), dy);
      std::copy_n(a, n, dy + n);
      torques += r.tau.dot(r.v), wrenches += r.wrench_power();
      damping += r.plant.damping.cwiseMax(0.0).dot(r.v.cwiseAbs2());
      y += 2 * n, dy += 2 * n, a += n;
    }
  }
  for (const Hold& h : holds_) {
    if (h.mode != Mode::slide) continue;
    if (h.kind == Kind::rub) rubbed -= h.force.x() * h.w.x();
    if (h.kind == Kind::contact) friction -= h.force.tail<2>().dot(h.w.tail<2>());
  }
  dy[0] = torques, dy[1] = wrenches, dy[2] = damping, dy[3] = rubbed, dy[4] = friction;
  return Rate::good;
}

/// Of the points of a pair that nothing holds, the nearest.
double World::Events::watched_gap(const BroadPhase::Pair& pair) const {
  const State::Shape &a = s_.shapes[pair.first], &b = s_.shapes[pair.second];
  ContactPoint points[max_contact_points];
  const int n = contact_points(a.shape, a.X_WS, b.shape, b.X_WS, infinity, points);
  double least = 1.0;
  for (const ContactPoint& c : std::span(points, static_cast<std::size_t>(n))) {
    double gap = c.gap;
    for (const Hold& h : holds_)
      if (h.kind == Kind::contact && h.touch.first == pair.first && h.touch.second == pair.second &&
          h.touch.feature == c.feature)
        gap = h.mode == Mode::open ? c.gap + idle_depth : 1.0;
    least = std::min(least, gap);
  }
  return least;
}

detail::EventSystem::Rate World::Events::roots(const double* y, double* distance) {
  if (!read(y)) return Rate::too_far;
  for (const BroadPhase::Pair& pair : watched_) *distance++ = watched_gap(pair);
  for (const Stop& stop : stops_) {
    double gap = stop.gap(s_);
    for (const Hold& h : holds_)
      if (h.kind == Kind::stop && h.robot == stop.robot && h.coordinate == stop.v &&
          h.sign == stop.way)
        gap = h.mode == Mode::open ? gap + idle_depth : 1.0;
    *distance++ = gap;
  }
  double turned = 0.0, out_of_reach = 1.0, way = 1.0;
  for (const int object : s_.segment_object) {
    const State::Object& o = s_.objects[object];
    if (o.robot >= 0)
      turned = std::max(turned, detail::largest_turn(s_.robots[o.robot].model(), y));
    y += o.loose >= 0 ? 13 : 2 * s_.robots[o.robot].v.size();
  }
  for (std::size_t i = 0; i < s_.shapes.size(); ++i) {
    const State::Shape& shape = s_.shapes[i];
    if (!shape.moves) continue;
    const double moved =
        (shape.X_WS.translation() - placed_[i].translation()).norm() +
        shape.shape.bounding_radius() *
            (shape.X_WS.rotation().matrix() - placed_[i].rotation().matrix()).norm();
    out_of_reach = std::min(out_of_reach, reach_[i] - moved);
  }
  if (!accelerate()) return Rate::impossible;
  for (const Hold& h : holds_) {
    double holds = 1.0, goes_on = 1.0;
    if ((h.kind == Kind::contact || h.kind == Kind::stop) && h.mode != Mode::open)
      holds = h.lost ? -1.0 : h.force.x();
    if (h.kind == Kind::contact && h.mode == Mode::stick)
      goes_on = h.touch.friction * h.force.x() - h.force.tail<2>().norm();
    if (h.kind == Kind::contact && h.mode == Mode::slide) {
      const Eigen::Vector2d slip = h.w.tail<2>();
      goes_on = slip.dot(h.way) + rounding;
      if (slip.norm() > 1e3 * at_rest)
        way = std::min(way, slip.dot(h.way) / slip.norm() - same_way);
    }
    if (h.kind == Kind::rub)
      goes_on = h.mode == Mode::slide ? h.w.x() * h.way.x() + rounding
                                      : std::min(h.upper - h.force.x(), h.force.x() - h.lower);
    *distance++ = holds, *distance++ = goes_on;
  }
  distance[0] = turned_far - turned, distance[1] = out_of_reach, distance[2] = way;
  return Rate::good;
}

/// Contacts as users see them.
void World::Events::show() {
  s_.contacts.clear(), s_.last_touches.clear();
  for (const Hold& h : holds_) {
    if (h.kind != Kind::contact) continue;
    const State::Touch& t = h.touch;
    const State::Shape &a = s_.shapes[t.first], &b = s_.shapes[t.second];
    const auto along = [&](const V3& x) {
      return V3(x.x() * t.at.normal + x.y() * t.tangent[0] + x.z() * t.tangent[1]);
    };
    s_.contacts.push_back({a.object, b.object, a.body, b.body, t.at.position, t.at.normal, t.at.gap,
                           along(h.force), V3::Zero(), along(h.w), t.friction});
    s_.report.deepest = std::max(s_.report.deepest, -t.at.gap);
  }
  s_.report.contacts = static_cast<int>(s_.contacts.size());
}

WorldStatus World::Events::go(double duration) {
  double left = duration;
  int stalled = 0;
  s_.place_shapes();
  if (!set_free_acceleration()) return WorldStatus::not_physical;
  for (double segments = 0.0; left > 1e-14 * std::max(duration, s_.time); ++segments) {
    if (segments > most_segments * std::max(1.0, duration) || stalled > most_without_progress)
      return WorldStatus::crowded;
    find_holds();
    if (meets()) {
      impact();
      find_holds();
    }
    if (!decide()) return WorldStatus::undecided;
    for (std::size_t r = 0; r < s_.robots.size(); ++r) q0_[r] = s_.robots[r].q;
    write(y_.data());
    const int roots = static_cast<int>(watched_.size() + stops_.size() + 2 * holds_.size()) + 3;
    double gone = 0.0;
    possible_ = true;
    const detail::Arkode::Result result =
        arkode_.go(*this, roots, y_.data(), std::min(left, longest_segment),
                   {first_step, longest_step(), most_steps_of_segment}, gone);
    if (result == detail::Arkode::Result::failed || !read(y_.data()))
      return possible_ ? WorldStatus::not_finite : WorldStatus::not_physical;
    const double* const done = y_.data() + y_.size() - 5;
    s_.work.torques += done[0], s_.work.wrenches += done[1], s_.work.damping += done[2];
    s_.work.joint_friction += done[3], s_.work.friction += done[4];
    close();
    left -= gone, s_.time += gone;
    stalled = gone > no_progress ? 0 : stalled + 1;
    if (result == detail::Arkode::Result::root) ++s_.report.events;
    if (result == detail::Arkode::Result::tired) return WorldStatus::crowded;
  }
  find_holds();
  if (meets()) {
    impact();
    find_holds();
  }
  if (!decide() || !accelerate()) return WorldStatus::undecided;
  show();
  for (detail::Articulation& r : s_.robots) r.set_state(Vector(r.q), Vector(r.v));
  return WorldStatus::moved;
}

std::string World::refused_by_adaptive() const {
  for (const State::Shape& shape : state_->shapes) {
    const ContactMaterial& m = shape.material;
    const std::string& who = state_->objects[shape.object].name;
    if (m.torsion > 0.0 || m.rolling > 0.0)
      return "'" + who + "' has torsional or rolling friction, which only fixed steps model";
    if (m.compliance.stiffness < infinity || m.compliance.time_constant > 0.0)
      return "'" + who + "' gives way where it is touched, which only fixed steps model";
  }
  for (const State::Object& o : state_->objects)
    if (o.robot >= 0 && state_->robots[o.robot].has_drives())
      return "'" + o.name + "' has springs or coupled motors, which only fixed steps model";
  return {};
}

WorldStatus World::advance(double duration, const AdaptiveOptions& options) {
  if (!(std::isfinite(duration) && duration >= 0.0))
    throw std::invalid_argument("world: a duration must be a number from 0 on");
  if (const std::string refused = refused_by_adaptive(); !refused.empty())
    throw std::invalid_argument("world: " + refused);
  for (const detail::Articulation& r : state_->robots)
    if (!r.tau.allFinite()) return WorldStatus::not_finite;
  return Events(*state_, options).go(duration);
}

}  // namespace ulna
