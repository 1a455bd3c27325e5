#include <numeric>

#include "world/movers.hpp"

namespace ulna::detail {

namespace {

using V3 = Vec3<double>;
using Vector = Eigen::VectorXd;
/// rad in a step.
constexpr double fast_turn = 0.2;
/// m and rad: gaps of loops that are none; how often they are closed again in a step at most.
constexpr double closed = 1e-13;
/// Gaps of which a correction leaves nothing but rounding: what is left is as their squares.
constexpr double almost_closed = 1e-9;
constexpr int most_corrections = 10;

}  // namespace

Articulation::Articulation(const Model& model, const Vector& at, const RobotOptions& options)
    : plant(model),
      X_WR(options.X_WR),
      q(at),
      v(Vector::Zero(model.nv())),
      tau(v),
      limited_(options.torque_limits),
      at_origin_(X_WR.rotation().matrix().isIdentity(0.0) && X_WR.translation().isZero(0.0)),
      at_(model),
      predicted_(model),
      ws_(model),
      unit_(model),
      M_(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
      everything_(static_cast<std::size_t>(model.nv())),
      v_free_(v),
      v_before_(v),
      bias_(v),
      wrench_(v),
      column_(v),
      displacement_(v),
      q_ahead_(at),
      warm_friction_(v),
      warm_stop_(Vector::Zero(2 * model.nv())) {
  std::iota(everything_.begin(), everything_.end(), 0);
  at_.set(q, v);
  if (!model.description().loops.empty()) {
    loops_.emplace(model, model.description().loops, at);
    q = loops_->closed_at();
    warm_loop_ = gap_ = Vector::Zero(loops_->size());
    closing_.emplace(loops_->size());
    loop_rows_.setZero(model.nv(), loops_->size());
    delassus_.setZero(loops_->size(), loops_->size());
    at_.set(q, v);
  }
  joint_rows_.reserve(static_cast<std::size_t>(3 * model.nv() + (loops_ ? loops_->size() : 0)));
}

void Articulation::add_rows(int body, std::span<const ContactRow> rows, const V3& point,
                            double sign, int segment, ConeProblem& problem) const {
  const auto own = at_.directions(body);
  const auto all = at_.directions();
  if (own.empty()) return;
  // of joints that others follow, no coordinate is between a body and the base alone
  const int last = model().has_mimics() ? static_cast<int>(v.size()) - 1 : own.back().dof;
  const std::span<const int> path = unit_.path(last);
  const std::size_t n = path.size();
  double* const J = problem.add_unit_piece(segment, path);
  const V3 r = X_WR.inverse_apply(point) - at_.origin();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const V3 d = sign * X_WR.rotation().inverse_apply(rows[i].along);
    const V3 moment = rows[i].turns ? d : cross(r, d), force = rows[i].turns ? V3(V3::Zero()) : d;
    double* const to = J + i * n;
    std::size_t place = n;
    for (int k = static_cast<int>(&own.back() - all.data()); k >= 0; k = all[k].above) {
      // with mimics a path is all coordinates in their order
      place = model().has_mimics() ? static_cast<std::size_t>(all[k].dof) : place - 1;
      to[place] += all[k].w.vec().dot(moment) + all[k].v.vec().dot(force);
    }
    if (rows.size() != 3) unit_.row_to_unit(path, to);
  }
  if (rows.size() == 3) unit_.rows_to_unit(path, J);
}

void Articulation::add_torque(int body, const V3& force, const V3& moment, const V3& point,
                              Vector& to) const {
  const V3 f = X_WR.rotation().inverse_apply(force);
  const V3 r = X_WR.inverse_apply(point) - at_.origin();
  const V3 m = X_WR.rotation().inverse_apply(moment) + cross(r, f);
  const auto own = at_.directions(body);
  const auto all = at_.directions();
  for (int k = own.empty() ? -1 : static_cast<int>(&own.back() - all.data()); k >= 0;
       k = all[k].above)
    to(all[k].dof) += all[k].w.vec().dot(m) + all[k].v.vec().dot(f);
}

void Articulation::add_wrench(int body, const V3& force, const V3& moment, const V3& point) {
  add_torque(body, force, moment, point, wrench_);
}

bool Articulation::free_velocity(double h, double* now, double* free) {
  // bias at the velocity that is expected half-way: with the present one, gyroscopic torques would add energy
  column_ = v + 0.5 * (v - v_before_);
  predicted_.set(q, column_);
  bias_torque<double>(plant, predicted_, ws_, bias_);
  mass_matrix<double>(plant, at_, ws_, M_);
  M_.diagonal() += h * plant.damping.cwiseMax(0.0);
  if (!unit_.factor(M_)) return false;
  unit_.velocity_to_unit(v.data(), now);
  if (h * v.cwiseAbs().maxCoeff() > fast_turn) {
    turn_fast(h, v_free_);
    unit_.velocity_to_unit(v_free_.data(), free);
    return true;
  }
  column_ = h * (tau - bias_ - plant.damping.cwiseMax(0.0).cwiseProduct(v) + wrench_);
  unit_.force_to_unit(column_.data());
  for (int i = 0; i < v.size(); ++i) free[i] = now[i] + column_(i);
  unit_.velocity_from_unit(free, v_free_.data());
  return true;
}

bool Articulation::free_acceleration(double* u) {
  predicted_.set(q, v);
  bias_torque<double>(plant, predicted_, ws_, bias_);
  mass_matrix<double>(plant, at_, ws_, M_);
  if (!unit_.factor(M_)) return false;
  column_ = tau - bias_ - plant.damping.cwiseMax(0.0).cwiseProduct(v) + wrench_;
  unit_.force_to_unit(column_.data());
  std::copy(column_.begin(), column_.end(), u);
  return true;
}

V3 Articulation::velocity_at(int body, const V3& point) const {
  const V3 r = X_WR.inverse_apply(point) - at_.origin();
  return X_WR.rotation() * V3(at_.u(body).vec() + cross(at_.w(body).vec(), r));
}

/// Where joints turn so fast that no step follows them: centrifugal and Coriolis torques do no work, so that what the
/// step makes of them is scaled to the energy that was there.
void Articulation::turn_fast(double h, Vector& free) {
  predicted_.set(q);
  gravity_torque<double>(plant, predicted_, ws_, displacement_);
  column_ = h * (displacement_ - bias_);
  unit_.solve(column_);
  column_ += v;
  const double now = 0.5 * column_.dot(M_.lazyProduct(column_));
  if (kinetic_ >= 0.0 && now > kinetic_) column_ *= std::sqrt(kinetic_ / now);
  free = h * (tau - displacement_ - plant.damping.cwiseMax(0.0).cwiseProduct(v) + wrench_);
  unit_.solve(free);
  free += column_;
}

void Articulation::add_coordinate_row(ConeProblem& problem, int segment, int coordinate,
                                      double sign) const {
  const std::span<const int> path = unit_.path(coordinate);
  double* const J = problem.add_unit_piece(segment, path);
  J[path.size() - 1] = sign;
  unit_.row_to_unit(path, J);
}

void Articulation::add_loop_row(ConeProblem& problem, int segment, int row) const {
  double* const J = problem.add_unit_piece(segment, everything_);
  Eigen::Map<Vector>(J, v.size()) = loops_->J().row(row);
  unit_.force_to_unit(J);
}

void Articulation::add_joint_rows(double h, int segment, ConeProblem& problem) {
  joint_rows_.clear();
  for (int i = 0; i < v.size(); ++i) {
    if (!(plant.friction(i) > 0.0 || plant.friction_negative(i) > 0.0)) continue;
    const int b = problem.add_box(-h * plant.friction(i), h * plant.friction_negative(i));
    add_coordinate_row(problem, segment, i, 1.0);
    joint_rows_.push_back({b, i, 0.0, 0.0, &warm_friction_(i)});
  }
  for (const Joint& j : model().joints()) {
    if (j.mimics || velocity_size(j.type) != 1) continue;
    for (const double way : {1.0, -1.0}) {
      const double limit = way > 0.0 ? model().lower_limit()(j.q) : model().upper_limit()(j.q);
      const double gap = way * (q(j.q) - limit);
      if (!(gap < 2.0 * h * std::max(std::abs(v(j.v)), std::abs(v_free_(j.v))) + 1e-6)) continue;
      const int b = problem.add_positive();
      problem.offset[problem.block(b).row] = std::max(gap, 0.0) / h;
      add_coordinate_row(problem, segment, j.v, way);
      joint_rows_.push_back({b, j.v, way, gap, &warm_stop_(2 * j.v + (way < 0.0))});
    }
  }
  // linear about where the present velocity leads, so that gaps are of the order of accelerations, not of velocities
  if (loops_) {
    displacement_ = h * v;
    integrate<double>(model(), q, displacement_, q_ahead_);
    loops_->set(q_ahead_);
  }
  for (int i = 0; loops_ && i < loops_->size(); ++i) {
    const int b = problem.add_equality();
    problem.offset[problem.block(b).row] = loops_->gap()(i) / h - loops_->J().row(i).dot(v);
    add_loop_row(problem, segment, i);
    joint_rows_.push_back({b, -1, 0.0, loops_->gap()(i), &warm_loop_(i)});
  }
  for (const JointRow& r : joint_rows_) problem.lambda[problem.block(r.block).row] = *r.warm;
}

void Articulation::remember(const ConeProblem& problem) {
  warm_stop_.setZero();
  for (const JointRow& r : joint_rows_) *r.warm = problem.lambda[problem.block(r.block).row];
}

void Articulation::add_work(double h, const ConeProblem& problem, const double* mean_unit,
                            const double* end_velocity, WorldWork& work) const {
  const Eigen::Map<const Vector> end(end_velocity, v.size());
  const auto mean = 0.5 * (v + end);
  work.torques += h * tau.dot(mean);
  work.wrenches += h * wrench_.dot(mean);
  work.damping += h * plant.damping.cwiseMax(0.0).cwiseProduct(end).dot(mean);
  for (const JointRow& r : joint_rows_) {
    const ConeProblem::Block& b = problem.block(r.block);
    if (problem.lambda[b.row] == 0.0) continue;
    const double done = problem.lambda[b.row] * problem.rate(0, b, mean_unit);
    if (b.kind == ConeProblem::Kind::box) work.joint_friction -= done;
    if (b.kind == ConeProblem::Kind::positive) work.stops -= done;
    if (b.kind == ConeProblem::Kind::equality) work.loops += done;
  }
}

double Articulation::lift(const double* shift) {
  predicted_.set(q);
  gravity_torque<double>(plant, predicted_, ws_, column_);
  return column_.dot(Eigen::Map<const Vector>(shift, v.size()));
}

void Articulation::move(double h, const double* velocity, bool touched, const double* shift) {
  const Eigen::Map<const Vector> end(velocity, v.size());
  displacement_ = h * end;
  if (!touched) displacement_ = 0.5 * h * (v + end);
  if (shift) displacement_ += h * Eigen::Map<const Vector>(shift, v.size());
  integrate<double>(model(), q, displacement_, q);
  if (loops_) close_loops();
  // an impact says nothing about the next acceleration
  const bool smooth = (end - v).cwiseAbs().maxCoeff() < 0.5;
  v_before_ = end;
  if (smooth) v_before_ = v;
  v = end;
  kinetic_ = -1.0;
  if (h * v.cwiseAbs().maxCoeff() > 0.5 * fast_turn) kinetic_ = 0.5 * v.dot(M_.lazyProduct(v));
}

/// The step keeps loops closed to first order. Newton's method for what is left, the shortest way by the mass matrix of the step;
/// velocities stay as they are.
void Articulation::close_loops() {
  for (int k = 0; k < most_corrections; ++k) {
    loops_->set(q);
    const double gap = loops_->gap().cwiseAbs().maxCoeff();
    if (gap <= closed) return;
    loop_rows_ = loops_->J().transpose();
    for (int i = 0; i < loop_rows_.cols(); ++i) unit_.force_to_unit(loop_rows_.col(i).data());
    delassus_.noalias() = loop_rows_.transpose().lazyProduct(loop_rows_);
    if (!closing_->factor(delassus_)) return;
    gap_ = -loops_->gap();
    closing_->solve(gap_);
    column_.noalias() = loop_rows_.lazyProduct(gap_);
    unit_.velocity_from_unit(column_.data(), displacement_.data());
    integrate<double>(model(), q, displacement_, q_ahead_);
    if (!q_ahead_.allFinite()) return;
    q = q_ahead_;
    if (gap <= almost_closed) return;
  }
}

double Articulation::kinetic_energy() {
  at_.set(q, v);
  return ulna::kinetic_energy<double>(plant, at_, ws_);
}
double Articulation::energy() {
  const double kinetic = kinetic_energy();
  const double potential = potential_energy<double>(plant, at_, ws_);
  // about the world's origin rather than the robot's
  return kinetic + potential -
         total_mass<double>(plant) *
             plant.gravity.dot(X_WR.rotation().inverse_apply(X_WR.translation()));
}
Wrench<double> Articulation::momentum() {
  at_.set(q, v);
  return X_WR * ulna::momentum<double>(plant, at_, ws_);
}

}  // namespace ulna::detail
