#include <cmath>
#include <utility>

#include "world/events.hpp"

/// What holds, from one event to the next.
namespace ulna {

namespace {

/// Of friction's bound: what is nearer to it slides.
constexpr double edge = 1e-10;
/// N: less is rounding.
constexpr double no_force = 1e-10;
/// Of a matrix of rows, added to its diagonal so that rows may depend on each other.
constexpr double proximal_share = 1e-9;
/// Forces along sliding directions are found one after the other.
constexpr int most_rounds = 200;

}  // namespace

double World::Events::longest_step() const {
  double least = longest_segment;
  for (const State::Shape& shape : s_.shapes)
    if (shape.moves)
      least = std::min(least, 0.25 * shape.shape.bounding_radius() / std::max(shape.speed, 1e-3));
  return std::max(least, 1e-4);
}

/// What touches and does not leave, joints at their stops, joints that rub, loops; and all that may meet within the segment.
void World::Events::find_holds() {
  std::swap(before_, holds_);
  holds_.clear();
  const double t = longest_segment;
  for (std::size_t i = 0; i < s_.shapes.size(); ++i) {
    const State::Shape& shape = s_.shapes[i];
    placed_[i] = shape.X_WS;
    reach_[i] = shape.moves ? 0.01 + t * shape.speed + t * t * s_.options.gravity.norm() : 0.0;
    s_.broad.set_box(static_cast<int>(i),
                     shape.shape.box(shape.X_WS).grown(reach_[i] + s_.options.overlap));
  }
  const auto pairs = s_.broad.pairs();
  watched_.assign(pairs.begin(), pairs.end());
  std::erase_if(watched_, [&](const BroadPhase::Pair& p) {
    return !s_.shapes[p.first].moves && !s_.shapes[p.second].moves;
  });
  s_.find_touches(0.0);
  for (const State::Touch& touch : s_.touches) {
    if (touch.at.gap > closed_gap) continue;
    Hold h{Kind::contact, 3};
    h.touch = touch;
    s_.set_surface(h.touch);
    holds_.push_back(h);
  }
  for (const Stop& stop : stops_)
    if (stop.gap(s_) <= closed_gap)
      holds_.push_back(
          {.kind = Kind::stop, .robot = stop.robot, .coordinate = stop.v, .sign = stop.way});
  for (std::size_t r = 0; r < s_.robots.size(); ++r) {
    const Plant<double>& plant = s_.robots[r].plant;
    const int robot = static_cast<int>(r);
    for (int i = 0; i < plant.friction.size(); ++i)
      if (plant.friction(i) > 0.0 || plant.friction_negative(i) > 0.0)
        holds_.push_back({.kind = Kind::rub,
                          .robot = robot,
                          .coordinate = i,
                          .lower = -plant.friction(i),
                          .upper = plant.friction_negative(i)});
    for (int i = 0; s_.robots[r].loops() && i < s_.robots[r].loops()->size(); ++i)
      holds_.push_back({.kind = Kind::loop, .robot = robot, .coordinate = i});
  }
  look_at_all();
  std::erase_if(holds_, [](const Hold& h) {
    return (h.kind == Kind::contact || h.kind == Kind::stop) && h.w.x() > at_rest;
  });
}

bool World::Events::meets() {
  return std::ranges::any_of(holds_, [](const Hold& h) {
    return (h.kind == Kind::contact || h.kind == Kind::stop) && h.w.x() < -at_rest;
  });
}

/// By the law of a step of no length.
void World::Events::impact() {
  set_free_acceleration();
  set_rows();
  get_velocities(s_.before);
  s_.free = s_.problem.velocity = s_.before;
  s_.touches.clear();
  for (const Hold& h : holds_) {
    if (h.kind != Kind::contact) continue;
    s_.touches.push_back(h.touch);
    s_.touches.back().approach = -h.w.x();
    s_.touches.back().at.gap = 0.0;
  }
  const ConeOptions exact = std::exchange(s_.solver.options, solver_.options);
  s_.report.cones = s_.solver.solve(s_.problem);
  s_.rebound();
  s_.restrain();
  s_.solver.options = exact;
  s_.report.worst_residual = std::max(s_.report.worst_residual, s_.report.cones.residual);
  for (std::size_t i = 0; i < holds_.size(); ++i) {
    const ConeProblem::Block& b = s_.problem.block(static_cast<int>(i));
    for (int k = 0; k < b.rows; ++k) {
      const double lost = -0.5 * s_.problem.lambda[b.row + k] *
                          (s_.row_rate(k, static_cast<int>(i), s_.before) +
                           s_.row_rate(k, static_cast<int>(i), s_.problem.velocity));
      if (holds_[i].kind == Kind::contact) (k ? s_.work.friction : s_.work.impacts) += lost;
      if (holds_[i].kind == Kind::stop) s_.work.stops += lost;
      if (holds_[i].kind == Kind::loop) s_.work.loops -= lost;
    }
  }
  set_velocities(s_.problem.velocity);
}

/// Which contacts stick, slide or open: Coulomb's law for accelerations of those that are at rest. Those that slide have friction along
/// their way, by how they are pressed together, which is found step by step.
bool World::Events::decide() {
  if (!set_free_acceleration()) return false;
  find_drifts();
  set_rows();
  laws_.clear();
  laws_.add_segment(nu_);
  for (Hold& h : holds_) {
    const Eigen::Vector2d slip = h.w.tail<2>();
    const bool slides = h.kind == Kind::contact && slip.norm() > 10.0 * at_rest;
    if (slides) h.way = way_of(h);
    if (h.kind == Kind::rub && std::abs(h.w.x()) > at_rest)
      h.way.x() = h.w.x() > 0.0 ? 1.0 : -1.0, h.mode = Mode::slide;
    else
      h.mode = slides ? Mode::slide : Mode::stick;
    int rows = 1;
    if (h.kind == Kind::contact && !slides)
      laws_.add_cone(h.touch.friction), rows = 3;
    else if (h.kind == Kind::contact || h.kind == Kind::stop)
      laws_.add_positive();
    else if (h.kind == Kind::loop)
      laws_.add_equality();
    else if (h.mode == Mode::slide)
      laws_.add_box(h.way.x() > 0.0 ? h.lower : h.upper, h.way.x() > 0.0 ? h.lower : h.upper);
    else
      laws_.add_box(h.lower, h.upper);
    const int row = laws_.block(laws_.block_count() - 1).row;
    Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(laws_.add_unit_piece(0, all_), rows,
                                                               nu_) = J_.middleRows(h.row, rows);
    for (int k = 0; k < rows; ++k) laws_.offset[row + k] = h.drift(k);
  }
  bool settled = false;
  for (int round = 0; round < most_rounds && !settled; ++round) {
    a_ = free_;
    for (const Hold& h : holds_)
      if (h.kind == Kind::contact && h.mode == Mode::slide)
        a_ -= h.touch.friction * h.force.x() * (J_.middleRows(h.row + 1, 2).transpose() * h.way);
    std::copy(a_.begin(), a_.end(), laws_.velocity.begin());
    const ConeReport report = solver_.solve(laws_);
    s_.report.cones = report;
    settled = true;
    for (std::size_t i = 0; i < holds_.size(); ++i) {
      Hold& h = holds_[i];
      const ConeProblem::Block& b = laws_.block(static_cast<int>(i));
      if (h.kind == Kind::contact && h.mode == Mode::slide)
        settled &= std::abs(laws_.lambda[b.row] - h.force.x()) <=
                   1e-12 * std::max(1.0, std::abs(h.force.x()));
      for (int k = 0; k < b.rows; ++k) h.force(k) = laws_.lambda[b.row + k];
    }
  }
  if (!settled) return false;
  a_ = Eigen::Map<const Vector>(laws_.velocity.data(), nu_);
  for (Hold& h : holds_) h.decided = h.force, set_mode(h);
  return true;
}

/// What slides straight on has the way that it had: of a slow slip, a new one would have few figures, and friction would turn.
Eigen::Vector2d World::Events::way_of(const Hold& h) const {
  const Eigen::Vector2d slip = h.w.tail<2>();
  for (const Hold& last : before_) {
    if (last.kind != Kind::contact || last.mode != Mode::slide ||
        last.touch.first != h.touch.first || last.touch.second != h.touch.second ||
        last.touch.feature != h.touch.feature)
      continue;
    const V3 along = last.way.x() * last.touch.tangent[0] + last.way.y() * last.touch.tangent[1];
    const Eigen::Vector2d way =
        Eigen::Vector2d(along.dot(h.touch.tangent[0]), along.dot(h.touch.tangent[1])).normalized();
    if (slip.dot(way) > 0.0 && std::abs(slip.x() * way.y() - slip.y() * way.x()) <= straight)
      return way;
  }
  return slip.normalized();
}

void World::Events::set_mode(Hold& h) const {
  if (h.kind == Kind::loop || h.mode == Mode::slide) {
    if (h.kind == Kind::contact && h.force.x() <= no_force) h.mode = Mode::open;
    return;
  }
  const Vector w = J_.middleRows(h.row, h.rows) * a_ + h.drift.head(h.rows);
  if (h.kind == Kind::rub) {
    const double room = edge * (h.upper - h.lower), x = h.force.x();
    if (x > h.lower + room && x < h.upper - room) return;
    h.mode = Mode::slide;
    h.way.x() = x <= h.lower + room ? 1.0 : -1.0;
    return;
  }
  if (h.force.x() <= no_force) {
    h.mode = Mode::open;
    return;
  }
  if (h.kind == Kind::stop) return;
  const double most = h.touch.friction * h.force.x();
  const Eigen::Vector2d friction = h.force.tail<2>();
  if (friction.norm() <= (1.0 - edge) * most) return;
  h.mode = Mode::slide;
  const Eigen::Vector2d gains = w.tail<2>();
  h.way = most > 0.0           ? Eigen::Vector2d(-friction.normalized())
          : gains.norm() > 0.0 ? Eigen::Vector2d(gains.normalized())
                               : Eigen::Vector2d::UnitX();
}

/// W x = x by the proximal point method, so that rows may depend on each other; of all x, one near to another.
bool World::Events::solve(Matrix& W, const Vector& near, Vector& x) {
  if (x.size() == 0) return true;
  left_ = x - W * near;
  const double share = proximal_share * W.diagonal().cwiseAbs().mean();
  const Matrix exact = W;
  W.diagonal().array() += share;
  const Eigen::PartialPivLU<Matrix> lu(W);
  const Vector rhs = x;
  x = near;
  for (int i = 0; i < 4; ++i) {
    x += lu.solve(left_);
    left_ = rhs - exact * x;
  }
  return x.allFinite();
}

bool World::Events::accelerate() {
  look_at_all();
  if (!set_free_acceleration()) return false;
  find_drifts();
  set_rows();
  int equations = 0;
  const auto count = [](const Hold& h) {
    if (h.mode == Mode::open || (h.kind == Kind::rub && h.mode == Mode::slide)) return 0;
    return h.mode == Mode::stick ? h.rows : 1;
  };
  for (const Hold& h : holds_) equations += count(h);
  A_.resize(equations, nu_), K_.resize(equations, nu_), unknown_.resize(equations);
  near_.resize(equations);
  a_ = free_;
  int row = 0;
  for (Hold& h : holds_) {
    const int n = count(h);
    const auto J = J_.middleRows(h.row, h.rows);
    if (h.kind == Kind::rub && h.mode == Mode::slide) {
      h.force.x() = h.way.x() > 0.0 ? h.lower : h.upper;
      a_ += h.force.x() * J.row(0).transpose();
    }
    A_.middleRows(row, n) = K_.middleRows(row, n) = J.topRows(n);
    if (h.kind == Kind::contact && h.mode == Mode::slide) {
      const Eigen::Vector2d way = friction_way(h);
      h.force.tail<2>() = way;
      K_.row(row) -= h.touch.friction * way.transpose() * J.bottomRows(2);
    }
    for (int k = 0; k < n; ++k) unknown_(row + k) = -h.drift(k), near_(row + k) = h.decided(k);
    row += n;
  }
  unknown_ -= A_ * a_;
  Matrix W = A_ * K_.transpose();
  if (!solve(W, near_, unknown_)) return false;
  a_ += K_.transpose() * unknown_;
  row = 0;
  for (Hold& h : holds_) {
    const int n = count(h);
    if (h.mode == Mode::open) h.force.setZero();
    if (n > 0) h.force.x() = unknown_(row);
    if (n == 3) h.force = unknown_.segment<3>(row);
    if (n == 1 && h.kind == Kind::contact) h.force.tail<2>() *= -h.touch.friction * h.force.x();
    row += n;
  }
  return true;
}

/// Friction turns with what slides, so fast that slow slips are stiff, by mu g/|slip| in a second: a block that begins to slide at
/// 1e-5 m/s² would take a million steps for nothing but rounding across its way. So what is that slow across it does not turn friction.
Eigen::Vector2d World::Events::friction_way(const Hold& h) {
  const Eigen::Vector2d slip = h.w.tail<2>(), side(-h.way.y(), h.way.x());
  const double along = slip.dot(h.way), across = slip.dot(side), off = std::abs(across) - straight;
  if (slip.norm() <= at_rest || off <= 0.0) return h.way;
  // beyond the moment at which it stops, friction goes on as it was: what is smooth is integrated, and the root is found
  return (along >= 0.0 ? 1.0 : -1.0) *
         (along * h.way + std::copysign(off, across) * side).normalized();
}

/// Takes what integration left of gaps, and of velocities that should be none.
void World::Events::close() {
  for (const bool velocities : {false, true}) {
    look_at_all();
    if (!set_free_acceleration()) return;
    set_rows();
    int n = 0;
    A_.resize(J_.rows(), nu_), unknown_.resize(J_.rows());
    for (const Hold& h : holds_) {
      if (h.mode == Mode::open || (h.kind == Kind::rub && (!velocities || h.mode == Mode::slide)))
        continue;
      for (int k = 0; k < (velocities && h.mode == Mode::stick ? h.rows : 1); ++k) {
        A_.row(n) = J_.row(h.row + k);
        // what began inside of another is not thrown out
        unknown_(n++) = velocities ? -h.w(k) : std::abs(h.gap) < 1e-7 ? -h.gap : 0.0;
      }
    }
    if (n == 0) continue;
    A_.conservativeResize(n, nu_), unknown_.conservativeResize(n);
    Matrix W = A_ * A_.transpose();
    if (!solve(W, Vector::Zero(n), unknown_)) return;
    get_velocities(u_);
    Eigen::Map<Vector> u(u_.data(), nu_);
    if (velocities) {
      u += A_.transpose() * unknown_;
      set_velocities(u_);
      continue;
    }
    u = A_.transpose() * unknown_;
    s_.from_unit(u_, physical_);
    const double* shift = physical_.data();
    for (const int object : s_.segment_object) {
      const State::Object& o = s_.objects[object];
      if (o.loose >= 0) {
        s_.loose[o.loose].shift(Eigen::Map<const V3>(shift), Eigen::Map<const V3>(shift + 3));
        shift += 6;
      } else {
        detail::Articulation& r = s_.robots[o.robot];
        const Vector from = r.q;
        integrate<double>(r.model(), from, Eigen::Map<const Vector>(shift, r.v.size()), r.q);
        shift += r.v.size();
      }
    }
    s_.place_shapes();
  }
}

}  // namespace ulna
