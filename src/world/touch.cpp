#include <algorithm>
#include <cmath>
#include <utility>

#include "world/state.hpp"

/// Where things touch in this step, and the rows of that.
namespace ulna {

namespace {

using V3 = Vec3<double>;

/// Slower, m/s, is no impact.
constexpr double least_impact = 1e-3;
/// Nearer, m, is touching: divided by the step, smaller gaps would be noise in the velocities of what rests.
constexpr double touching = 1e-8;
/// m/s: a spring that bodies begin deep inside of does not shoot them apart faster.
constexpr double fastest_release = 10.0;

/// Of the effort of a step, what is left for rebounds at least.
constexpr double least_share = 0.25;

/// m: points that are nearer to each other come and go with rounding.
constexpr double same_point = 1e-5;

/// Whether a point is where one before it is; that one takes over its gap.
bool repeats(std::span<ContactPoint> before, const ContactPoint& point, double distance) {
  for (ContactPoint& c : before)
    if ((c.position - point.position).squaredNorm() < distance * distance &&
        c.normal.dot(point.normal) > 0.999) {
      c.gap = std::min(c.gap, point.gap);
      return true;
    }
  return false;
}

/// Whether a point lies on the way between two others: where edges all but coincide, a patch has such corners, which come and go
/// with rounding and carry nothing that their neighbours do not.
bool lies_between(std::span<const ContactPoint> points, std::size_t i, double distance) {
  const auto far = [&](const V3& x) { return x.squaredNorm() > square(distance); };
  for (std::size_t a = 0; a < points.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (a == i || b == i) continue;
      const V3 along = points[b].position - points[a].position,
               to = points[i].position - points[a].position;
      const double length = along.squaredNorm(), t = along.dot(to) / length;
      if (!(t > 0.0 && t < 1.0) || far(to - t * along)) continue;
      // where surfaces are flat its gap is in between, too
      if (points[i].gap > points[a].gap + t * (points[b].gap - points[a].gap) - 1e-3 * distance)
        return true;
    }
  return false;
}

/// Two things are deep inside each other where their overlap is more than this share of the smaller one. No law says what happens
/// there. If both move, one point in the middle of the patch moves them apart: n bodies at one place are n²/2 pairs.
constexpr double deep_share = 0.2;

bool is_deep(std::span<const ContactPoint> points, double radius) {
  return std::ranges::any_of(points,
                             [&](const ContactPoint& p) { return p.gap < -deep_share * radius; });
}

ContactPoint middle_of(std::span<const ContactPoint> points) {
  ContactPoint middle = *std::ranges::min_element(points, {}, &ContactPoint::gap);
  middle.position.setZero();
  for (const ContactPoint& p : points) middle.position += p.position;
  middle.position /= static_cast<double>(points.size());
  middle.feature = 0;
  return middle;
}

double geometric_mean(double a, double b) { return a == b ? a : std::sqrt(a * b); }

/// Two directions at right angles to the normal and each other.
void set_tangents(const V3& n, V3* tangent) {
  int least;
  n.cwiseAbs().minCoeff(&least);
  tangent[0] = cross(n, V3(V3::Unit(least))).normalized();
  tangent[1] = cross(n, tangent[0]);
}

struct ContactSpring {
  double stiffness, damping;
};

/// Of a surface, where the two bodies together weigh so much along the normal.
ContactSpring spring(const Compliance& c, double mass) {
  if (c.time_constant == 0.0) return {c.stiffness, c.damping};
  const double rate = 1.0 / (c.time_constant * c.damping_ratio);
  return {mass * rate * rate, 2.0 * mass * c.damping_ratio * rate};
}

}  // namespace

void World::State::place_shapes() {
  const double h = options.step, falling = h * options.gravity.norm();
  for (detail::Articulation& r : robots) r.place();
  int object = -1, body = -1;
  Transform<double> X_WB;
  double w = 0.0, v = 0.0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Shape& shape = shapes[i];
    if (!shape.moves) continue;
    if (shape.object != object || shape.body != body) {
      object = shape.object, body = shape.body;
      const Object& o = objects[object];
      if (o.loose >= 0) {
        const detail::Loose& b = loose[o.loose];
        X_WB = b.pose();
        w = b.spin().norm(), v = b.velocity_at(X_WB.translation()).norm();
      } else {
        const detail::Articulation& r = robots[o.robot];
        const Kinematics<double>& at = r.at();
        const V3 p = at.p(body).vec(), spin = at.w(body).vec();
        X_WB = {Rotation<double>::from_matrix(at.R(body).mat()), at.origin() + p};
        if (!r.is_at_origin()) X_WB = r.X_WR * X_WB;
        w = spin.norm(), v = (at.u(body).vec() + cross(spin, p)).norm();
      }
    }
    shape.X_WS = X_WB * shape.X_BS;
    shape.speed = v + w * shape.reach + falling;
    broad.set_box(static_cast<int>(i),
                  shape.shape.box(shape.X_WS).grown(2.0 * h * shape.speed + options.overlap));
  }
}

/// All points of bodies that are so near that they may meet within the step.
void World::State::find_touches(double slack) {
  touches.clear();
  deep = false;
  ContactPoint points[max_contact_points];
  for (const BroadPhase::Pair& pair : broad.pairs()) {
    const Shape &a = shapes[pair.first], &b = shapes[pair.second];
    if (!a.moves && !b.moves) continue;
    const double margin = slack * (2.0 * options.step * (a.speed + b.speed)) + options.overlap;
    int n = contact_points(a.shape, a.X_WS, b.shape, b.X_WS, margin, points);
    const double radius = std::min(a.shape.bounding_radius(), b.shape.bounding_radius());
    const std::span<const ContactPoint> all(points, static_cast<std::size_t>(n));
    if (is_deep(all, radius)) {
      deep = true;
      if (a.moves && b.moves) points[0] = middle_of(all), n = 1;
    }
    const double same = std::min(same_point, 1e-4 * radius);
    for (int i = n; n > 4 && i-- > 0;)
      if (lies_between(std::span(points, static_cast<std::size_t>(n)), static_cast<std::size_t>(i),
                       same))
        std::copy(points + i + 1, points + n, points + i), --n;
    for (int i = 0; i < n; ++i) {
      if (repeats(std::span(points, static_cast<std::size_t>(i)), points[i], same)) continue;
      Touch t;
      t.first = pair.first, t.second = pair.second, t.feature = points[i].feature;
      t.at = points[i];
      touches.push_back(t);
    }
  }
}

void World::State::add_side(const Shape& shape, const V3& point, double sign,
                            std::span<const detail::ContactRow> rows) {
  const Object& o = objects[shape.object];
  if (!shape.moves) return;
  if (o.loose >= 0) {
    constexpr int all[] = {0, 1, 2, 3, 4, 5};
    double* const J = problem.add_unit_piece(o.segment, all);
    for (std::size_t i = 0; i < rows.size(); ++i)
      loose[o.loose].add_row(rows[i], point, sign, J + 6 * i);
  } else {
    robots[o.robot].add_rows(shape.body, rows, point, sign, o.segment, problem);
  }
}

/// A surface that gives way by k and d, implicitly: λ = -h (k (gap + h w) + d w), so that w + R λ + offset = 0 with
/// R = 1/(h²k + h d).
void World::State::set_compliance(const Touch& touch, const Compliance& a, const Compliance& b) {
  const double h = options.step;
  const int row = problem.block(touch.cone).row;
  problem.offset[row] = std::max(touch.at.gap - touching, 0.0) / h;
  const bool soft = a.stiffness < infinity || b.stiffness < infinity || a.time_constant > 0.0 ||
                    b.time_constant > 0.0;
  if (!soft) return;
  double inverse_mass = 0.0;
  for (const ConeProblem::Piece& p : problem.pieces(problem.block(touch.cone)))
    for (int k = 0; k < p.size; ++k)
      inverse_mass += problem.data()[p.J + k] * problem.data()[p.K + k];
  // in series: times that both need to give way add up
  double R = 0.0, back = 0.0;
  for (const Compliance& c : {a, b}) {
    const ContactSpring s = spring(c, 1.0 / inverse_mass);
    if (!(s.stiffness < infinity)) continue;
    R += 1.0 / (h * h * s.stiffness + h * s.damping);
    back = std::max(back, h * s.stiffness / (h * h * s.stiffness + h * s.damping));
  }
  problem.compliance[row] = R;
  problem.offset[row] =
      std::max(touch.at.gap * (touch.at.gap > 0.0 ? 1.0 / h : back), -fastest_release);
}

void World::State::set_surface(Touch& t) const {
  const ContactMaterial &m = shapes[t.first].material, &k = shapes[t.second].material;
  t.friction = geometric_mean(m.friction, k.friction);
  t.restitution = geometric_mean(m.restitution, k.restitution);
  set_tangents(t.at.normal, t.tangent);
}

void World::State::add_cone_rows(Touch& t) {
  const Shape &a = shapes[t.first], &b = shapes[t.second];
  const detail::ContactRow rows[] = {
      {t.at.normal, false}, {t.tangent[0], false}, {t.tangent[1], false}};
  t.cone = problem.add_cone(t.friction);
  add_side(a, t.at.position, -1.0, rows), add_side(b, t.at.position, 1.0, rows);
}

void World::State::add_touch(Touch& t) {
  const Shape &a = shapes[t.first], &b = shapes[t.second];
  const ContactMaterial &m = a.material, &k = b.material;
  set_surface(t);
  add_cone_rows(t);
  set_compliance(t, m.compliance, k.compliance);
  if (const double torsion = geometric_mean(m.torsion, k.torsion); torsion > 0.0) {
    const detail::ContactRow row[] = {{t.at.normal, true}};
    t.torsion = problem.add_disc(1, torsion, t.cone);
    add_side(a, t.at.position, -1.0, row), add_side(b, t.at.position, 1.0, row);
  }
  if (const double rolling = geometric_mean(m.rolling, k.rolling); rolling > 0.0) {
    const detail::ContactRow row[] = {{t.tangent[0], true}, {t.tangent[1], true}};
    t.rolling = problem.add_disc(2, rolling, t.cone);
    add_side(a, t.at.position, -1.0, row), add_side(b, t.at.position, 1.0, row);
  }
  t.approach = -row_rate(0, t.cone, before);
}

/// The contact of the last step that this one was: that of the same features, or else the nearest one that is not farther than
/// bodies move in a step. Both lists are in the order of pairs; `from` is where this pair begins.
World::State::Touch* World::State::earlier(const Touch& t, std::size_t& from) {
  const auto pair = [](const Touch& x) { return std::pair(x.first, x.second); };
  while (from < last_touches.size() && pair(last_touches[from]) < pair(t)) ++from;
  const double reach = 2.0 * options.step * (shapes[t.first].speed + shapes[t.second].speed) + 1e-3;
  double nearest = reach * reach;
  Touch* found = nullptr;
  for (std::size_t i = from; i < last_touches.size() && pair(last_touches[i]) == pair(t); ++i) {
    Touch& last = last_touches[i];
    if (last.taken) continue;
    // the same features may meet elsewhere where edges all but coincide
    const double distance =
        (last.feature == t.feature ? 1e-4 : 1.0) * (last.at.position - t.at.position).squaredNorm();
    if (distance < nearest) nearest = distance, found = &last;
  }
  return found;
}

/// Begins with the impulses of the last step.
void World::State::warm_start() {
  std::size_t from = 0;
  for (Touch& t : touches) {
    Touch* const last = earlier(t, from);
    if (!last) continue;
    last->taken = true;
    double* l = problem.lambda.data() + problem.block(t.cone).row;
    l[0] = std::max(0.0, last->impulse.dot(t.at.normal));
    l[1] = last->impulse.dot(t.tangent[0]), l[2] = last->impulse.dot(t.tangent[1]);
    if (t.torsion >= 0) problem.lambda[problem.block(t.torsion).row] = last->torsion_impulse;
    for (int k = 0; t.rolling >= 0 && k < 2; ++k)
      problem.lambda[problem.block(t.rolling).row + k] = last->rolling_impulse.dot(t.tangent[k]);
  }
}

/// What all impulses together add to the energy, from free velocities on.
double World::State::impulse_work() const {
  double sum = 0.0;
  for (int i = 0; i < problem.block_count(); ++i) {
    const ConeProblem::Block& b = problem.block(i);
    for (int k = 0; k < b.rows; ++k)
      sum += 0.5 * problem.lambda[b.row + k] *
             (row_rate(k, i, free) + row_rate(k, i, problem.velocity));
  }
  return sum;
}

/// Bodies that hit each other leave again with a share of their speed [Newton's law of restitution]. The speed asked for is that at
/// the end of the step, where they have risen from the surface, so that heights come out right. With friction that law
/// may add energy [Kane 1984]: then as much of the rebound is left out as would.
void World::State::rebound() {
  const double h = options.step;
  bool any = false;
  for (const Touch& t : touches) {
    const ConeProblem::Block& b = problem.block(t.cone);
    if (t.restitution == 0.0 || problem.lambda[b.row] <= 0.0) continue;
    const double pull = std::max(0.0, -row_rate(0, t.cone, free) - t.approach) / h;
    if (t.approach <= std::max(least_impact, 2.0 * h * pull)) continue;
    const double gap = std::max(t.at.gap, 0.0);
    const double hit2 = t.approach * t.approach + 2.0 * pull * gap;
    const double left2 = t.restitution * t.restitution * hit2 - 2.0 * pull * gap;
    if (left2 <= 0.0) continue;
    if (!any) keep(first_velocity, problem.velocity), keep(first_lambda, problem.lambda);
    any = true;
    problem.offset[b.row] = -(std::sqrt(left2 + h * h * pull * pull) - h * pull);
    problem.compliance[b.row] = 0.0;
  }
  if (!any) return;
  std::copy(free.begin(), free.end(), problem.velocity.begin());
  // what cannot be is not tried for long
  const ConeOptions usual = solver.options;
  solver.options.rounds = 2, solver.options.last_sweeps = 0;
  solver.options.effort = std::max(usual.effort - report.cones.effort, least_share * usual.effort);
  const ConeReport second = solver.solve(problem);
  solver.options = usual;
  report.cones.newton += second.newton, report.cones.sweeps += second.sweeps;
  report.cones.effort += second.effort;
  // what is held between others cannot leave them all as fast as it should: then it does not rebound
  if (!second.converged && second.residual > report.cones.residual) {
    std::copy(first_velocity.begin(), first_velocity.begin() + free.size(),
              problem.velocity.begin());
    std::copy(first_lambda.begin(), first_lambda.begin() + problem.lambda.size(),
              problem.lambda.begin());
    return;
  }
  report.cones.residual = std::max(report.cones.residual, second.residual);
  report.cones.converged &= second.converged;
  if (impulse_work() <= 0.0) return;
  const auto blend = [&](double share) {
    for (std::size_t i = 0; i < free.size(); ++i)
      problem.velocity[i] = first_velocity[i] + share * (problem.velocity[i] - first_velocity[i]);
    for (std::size_t i = 0; i < first_lambda.size(); ++i)
      problem.lambda[i] = first_lambda[i] + share * (problem.lambda[i] - first_lambda[i]);
  };
  for (int i = 0; i < 20 && impulse_work() > 0.0; ++i) blend(0.75);
}

/// Impulses that are not exact may add energy. As much of them is left out as does; what springs release is theirs to add. What is
/// scaled stays in its cone.
void World::State::restrain() {
  if (report.cones.converged) return;
  double released = 0.0, first = 0.0;  // of work = first s + second s²
  for (int i = 0; i < problem.block_count(); ++i)
    for (int k = 0; k < problem.block(i).rows; ++k) {
      const int row = problem.block(i).row + k;
      if (problem.lambda[row] == 0.0) continue;
      first += problem.lambda[row] * row_rate(k, i, free);
      released += std::abs(problem.lambda[row]) * std::max(0.0, -problem.offset[row]);
    }
  const double all = impulse_work();
  if (all <= released) return;
  const double share = std::clamp((released - first) / (all - first), 0.0, 1.0);
  for (double& l : problem.lambda) l *= share;
  for (std::size_t i = 0; i < free.size(); ++i)
    problem.velocity[i] = free[i] + share * (problem.velocity[i] - free[i]);
}

}  // namespace ulna
