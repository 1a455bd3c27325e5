#include <algorithm>
#include <cmath>

#include "world/state.hpp"

namespace ulna {

namespace {

using V3 = Vec3<double>;

/// Along the normal, m/s: faster is an impact and not a lasting contact.
constexpr double speed_of_an_impact = 1e-2;
/// m/s and rad/s: what is faster is no motion any more.
constexpr double fastest = 1e12;
/// Of an overlap, how much is undone in a step.
constexpr double corrected_share = 0.2;

/// Of a solution, for a block of its rows, at least: of what is usual nothing is known before the first bodies meet.
constexpr double effort_of_block = 400.0;
/// How many times the usual effort a solution may take, so that the time of a step is bounded.
constexpr double most_times = 80.0;
/// Where bodies are deep inside each other, all of a step's: some milliseconds. Or, if that is more, so many times the least.
constexpr double most_effort_deep = 5e6, most_times_deep = 20.0;

bool moderate(const std::vector<double>& velocity) {
  return std::ranges::all_of(velocity, [](double x) { return std::abs(x) < fastest; });
}

}  // namespace

/// Velocities without impulses, and all rows. False: a mass matrix is not positive definite.
bool World::State::begin() {
  const double h = options.step;
  place_shapes();
  problem.clear();
  for (const int object : segment_object)
    problem.add_segment(objects[object].loose >= 0 ? 6 : robots[objects[object].robot].tree().nv());
  before.resize(problem.velocity.size());
  for (std::size_t s = 0; s < segment_object.size(); ++s) {
    const Object& o = objects[segment_object[s]];
    double* const velocity = problem.velocity.data() + problem.segment_at(static_cast<int>(s));
    double* const now = before.data() + problem.segment_at(static_cast<int>(s));
    if (o.loose >= 0) {
      loose[o.loose].get_velocity(now);
      loose[o.loose].free_velocity(h, options.gravity, velocity);
    } else {
      if (!robots[o.robot].free_velocity(h, now, velocity)) return false;
    }
  }
  free = problem.velocity;
  for (std::size_t s = 0; s < segment_object.size(); ++s)
    if (const int r = objects[segment_object[s]].robot; r >= 0)
      robots[r].add_joint_rows(h, static_cast<int>(s), problem);
  find_touches(1.0);
  for (Touch& t : touches) add_touch(t);
  warm_start();
  return true;
}

void World::State::from_unit(const std::vector<double>& u, std::vector<double>& v) const {
  v.resize(u.size());
  for (std::size_t s = 0; s < segment_object.size(); ++s) {
    const Object& o = objects[segment_object[s]];
    const int at = problem.segment_at(static_cast<int>(s));
    if (o.loose >= 0)
      loose[o.loose].velocity_from_unit(u.data() + at, v.data() + at);
    else
      robots[o.robot].velocity_from_unit(u.data() + at, v.data() + at);
  }
}

/// Displacements, in `shift` as velocities, that undo a part of what overlaps. They leave velocities as they are: no kinetic energy
/// comes of it. False: there is nothing to do.
bool World::State::moved_apart() {
  const double h = options.step;
  const auto needed = [&](double gap) {
    return std::min(corrected_share * (-gap - 0.5 * options.overlap) / h, options.correction_speed);
  };
  bool any = false;
  for (const Touch& t : touches)
    any |= t.at.gap < -options.overlap && problem.compliance[problem.block(t.cone).row] == 0.0;
  for (const detail::Articulation& r : robots)
    for (const auto& j : r.joint_rows()) any |= j.way != 0.0 && j.gap < -options.overlap;
  if (!any) return false;
  shift.assign(problem.velocity.size(), 0.0);
  std::swap(shift, problem.velocity);
  keep(saved_lambda, problem.lambda), keep(saved_offset, problem.offset), keep(saved_w, problem.w);
  std::ranges::fill(problem.lambda, 0.0), std::ranges::fill(problem.offset, 0.0);
  for (const Touch& t : touches) {
    ConeProblem::Block& b = problem.block(t.cone);
    b.coefficient = 0.0;
    if (t.torsion >= 0) problem.block(t.torsion).coefficient = 0.0;
    if (t.rolling >= 0) problem.block(t.rolling).coefficient = 0.0;
    problem.offset[b.row] = t.at.gap > 0.0                ? t.at.gap / h
                            : t.at.gap < -options.overlap ? -needed(t.at.gap)
                                                          : 0.0;
  }
  for (const detail::Articulation& r : robots)
    for (const auto& j : r.joint_rows()) {
      ConeProblem::Block& b = problem.block(j.block);
      if (b.kind == ConeProblem::Kind::box) b.lower = b.upper = 0.0;
      if (j.way != 0.0)
        problem.offset[b.row] = j.gap > 0.0                ? j.gap / h
                                : j.gap < -options.overlap ? -needed(j.gap)
                                                           : 0.0;
    }
  // displacements need fewer figures than velocities
  const ConeOptions exact = solver.options;
  solver.options.tolerance = std::max(exact.tolerance, 1e-6);
  solver.options.sweeps = 10;
  solver.options.method = ConeMethod::gauss_seidel;
  solver.solve(problem);
  solver.options = exact;
  std::swap(shift, problem.velocity);
  problem.lambda = saved_lambda, problem.offset = saved_offset, problem.w = saved_w;
  from_unit(shift, shift);
  return moderate(shift);
}

/// Energy by its causes: an impulse does the work λ (w before + w after)/2.
void World::State::account() {
  const double h = options.step;
  mean.resize(before.size());
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = 0.5 * (before[i] + problem.velocity[i]);
  for (std::size_t s = 0; s < segment_object.size(); ++s) {
    const Object& o = objects[segment_object[s]];
    const int at = problem.segment_at(static_cast<int>(s));
    if (o.loose >= 0)
      work.wrenches += loose[o.loose].wrench_work(h, end.data() + at);
    else
      robots[o.robot].add_work(h, problem, mean.data(), end.data() + at, work);
  }
  double w[3];
  const auto lost = [&](int block, int row) {
    return -problem.lambda[problem.block(block).row + row] * w[row];
  };
  for (const Touch& t : touches) {
    problem.rates(problem.block(t.cone), mean.data(), w);
    (t.approach > speed_of_an_impact ? work.impacts : work.contact) += lost(t.cone, 0);
    work.friction += lost(t.cone, 1) + lost(t.cone, 2);
    for (const int disc : {t.torsion, t.rolling}) {
      if (disc < 0) continue;
      problem.rates(problem.block(disc), mean.data(), w);
      for (int k = 0; k < problem.block(disc).rows; ++k) work.friction += lost(disc, k);
    }
  }
}

/// Contacts as users see them, and everything at its new place.
void World::State::finish(bool shifted) {
  const double h = options.step;
  contacts.clear();
  touched.assign(segment_object.size(), 0);
  for (Touch& t : touches) {
    const double* l = problem.lambda.data() + problem.block(t.cone).row;
    t.impulse = l[0] * t.at.normal + l[1] * t.tangent[0] + l[2] * t.tangent[1];
    V3 moment = V3::Zero();
    if (t.torsion >= 0) t.torsion_impulse = problem.lambda[problem.block(t.torsion).row];
    moment += t.torsion_impulse * t.at.normal;
    if (t.rolling >= 0) {
      const double* r = problem.lambda.data() + problem.block(t.rolling).row;
      t.rolling_impulse = r[0] * t.tangent[0] + r[1] * t.tangent[1];
      moment += t.rolling_impulse;
    }
    const Shape &a = shapes[t.first], &b = shapes[t.second];
    double w[3];
    problem.rates(problem.block(t.cone), problem.velocity.data(), w);
    const V3 velocity = w[0] * t.at.normal + w[1] * t.tangent[0] + w[2] * t.tangent[1];
    contacts.push_back({a.object, b.object, a.body, b.body, t.at.position, t.at.normal, t.at.gap,
                        t.impulse / h, moment / h, velocity, t.friction});
    report.deepest = std::max(report.deepest, -t.at.gap);
    if (l[0] == 0.0) continue;
    for (const ConeProblem::Piece& p : problem.pieces(problem.block(t.cone)))
      touched[p.segment] = 1;
  }
  for (std::size_t s = 0; s < segment_object.size(); ++s) {
    const Object& o = objects[segment_object[s]];
    const int at = problem.segment_at(static_cast<int>(s));
    const double* velocity = end.data() + at;
    const double* shifts = shifted ? shift.data() + at : nullptr;
    if (o.loose >= 0) {
      if (shifts)
        work.correction -=
            h * loose[o.loose].mass() * options.gravity.dot(Eigen::Map<const V3>(shifts + 3));
      loose[o.loose].move(h, velocity, touched[s], shifts);
    } else {
      detail::Articulation& r = robots[o.robot];
      if (shifts) work.correction += h * r.lift(shifts);
      r.remember(problem);
      for (const auto& j : r.joint_rows())
        touched[s] |=
            problem.block(j.block).kind != ConeProblem::Kind::box && !j.is_smooth && *j.warm != 0.0;
      r.move(h, velocity, touched[s], shifts);
    }
  }
}

WorldStatus World::step() noexcept {
  State& s = *state_;
  for (const detail::Articulation& r : s.robots)
    if (!r.tau.allFinite()) return WorldStatus::not_finite;
  if (!s.begin()) return WorldStatus::not_physical;
  if (!moderate(s.free)) return WorldStatus::not_finite;
  const double least = effort_of_block * s.problem.block_count();
  double& effort = s.solver.options.effort;
  effort = most_times * (s.other_effort + std::max(s.usual_effort.median(), least));
  if (s.deep) effort = std::min(effort, std::max(most_effort_deep, most_times_deep * least));
  s.report.cones = s.solver.solve(s.problem);
  s.rebound();
  s.restrain();
  s.usual_effort.add(s.report.cones.effort);
  s.from_unit(s.problem.velocity, s.end);
  if (!moderate(s.end)) return WorldStatus::not_finite;
  s.account();
  const bool shifted = s.moved_apart();
  s.finish(shifted);
  std::swap(s.touches, s.last_touches);
  s.time += s.options.step;
  ++s.report.steps;
  s.report.contacts = static_cast<int>(s.contacts.size());
  s.report.worst_residual = std::max(s.report.worst_residual, s.report.cones.residual);
  s.report.unconverged += !s.report.cones.converged;
  return WorldStatus::moved;
}

}  // namespace ulna
