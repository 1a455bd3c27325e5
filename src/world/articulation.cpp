#include "world/movers.hpp"

namespace ulna::detail {

namespace {

using V3 = Vec3<double>;
using Vector = Eigen::VectorXd;
/// rad in a step.
constexpr double fast_turn = 0.2;

}  // namespace

Articulation::Articulation(const Model& model, const Vector& at, const RobotOptions& options)
    : plant(model),
      X_WR(options.X_WR),
      q(at),
      v(Vector::Zero(model.nv())),
      tau(v),
      limited_(options.torque_limits),
      at_(model),
      predicted_(model),
      ws_(model),
      factor_(model),
      M_(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
      M_inverse_(M_),
      v_before_(v),
      bias_(v),
      wrench_(v),
      column_(v),
      displacement_(v),
      q_ahead_(at),
      warm_friction_(v),
      warm_stop_(Vector::Zero(2 * model.nv())) {
  at_.set(q, v);
  if (!model.description().loops.empty()) {
    loops_.emplace(model, model.description().loops, at);
    q = loops_->closed_at();
    warm_loop_ = Vector::Zero(loops_->size());
    at_.set(q, v);
  }
  joint_rows_.reserve(static_cast<std::size_t>(3 * model.nv() + (loops_ ? loops_->size() : 0)));
}

void Articulation::add_row(int body, const ContactRow& row, const V3& point, double sign, double* J,
                           double* K) const {
  const V3 d = sign * X_WR.rotation().inverse_apply(row.along);
  const V3 r = X_WR.inverse_apply(point) - at_.origin();
  const V3 moment = row.turns ? d : cross(r, d), force = row.turns ? V3(V3::Zero()) : d;
  const auto own = at_.directions(body);
  const auto all = at_.directions();
  const int nv = model().nv();
  for (int k = 0; k < nv; ++k) J[k] = 0.0;
  for (int k = own.empty() ? -1 : static_cast<int>(&own.back() - all.data()); k >= 0;
       k = all[k].above)
    J[all[k].dof] += all[k].w.vec().dot(moment) + all[k].v.vec().dot(force);
  if (!K) return;
  // only the joints between the body and the base have a share in J
  Eigen::Map<Vector> x(K, nv);
  x.setZero();
  for (int k = 0; k < nv; ++k)
    if (J[k] != 0.0) x += J[k] * M_inverse_.col(k);
}

void Articulation::add_wrench(int body, const V3& force, const V3& moment, const V3& point) {
  add_row(body, {force, false}, point, 1.0, column_.data(), nullptr);
  wrench_ += column_;
  add_row(body, {moment, true}, point, 1.0, column_.data(), nullptr);
  wrench_ += column_;
}

bool Articulation::free_velocity(double h, double* to) {
  // bias at the velocity that is expected half-way: with the present one, gyroscopic torques would add energy
  column_ = v + 0.5 * (v - v_before_);
  predicted_.set(q, column_);
  bias_torque<double>(plant, predicted_, ws_, bias_);
  mass_matrix<double>(plant, at_, ws_, M_);
  M_.diagonal() += h * plant.damping.cwiseMax(0.0);
  if (!factor_.factor(M_)) return false;
  factor_.inverse(M_inverse_);
  Eigen::Map<Vector> free(to, v.size());
  if (h * v.cwiseAbs().maxCoeff() > fast_turn) {
    turn_fast(h, free);
    return true;
  }
  free = h * (tau - bias_ - plant.damping.cwiseMax(0.0).cwiseProduct(v) + wrench_);
  factor_.solve(free);
  free += v;
  return true;
}

/// Where joints turn so fast that no step follows them: centrifugal and Coriolis torques do no work, so that what the
/// step makes of them is scaled to the energy that was there.
void Articulation::turn_fast(double h, Eigen::Map<Vector> free) {
  predicted_.set(q);
  gravity_torque<double>(plant, predicted_, ws_, displacement_);
  column_ = h * (displacement_ - bias_);
  factor_.solve(column_);
  column_ += v;
  const double now = 0.5 * column_.dot(M_.lazyProduct(column_));
  if (kinetic_ >= 0.0 && now > kinetic_) column_ *= std::sqrt(kinetic_ / now);
  free = h * (tau - displacement_ - plant.damping.cwiseMax(0.0).cwiseProduct(v) + wrench_);
  factor_.solve(free);
  free += column_;
}

void Articulation::add_coordinate_row(ConeProblem& problem, int segment, int coordinate,
                                      double sign) const {
  const ConeProblem::Columns c = problem.add_piece(segment);
  c.J[coordinate] = sign;
  Eigen::Map<Vector>(c.K, v.size()) = sign * M_inverse_.col(coordinate);
}

void Articulation::add_joint_rows(double h, int segment, ConeProblem& problem) {
  joint_rows_.clear();
  const double* free = problem.velocity.data() + problem.segment_at(segment);
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
      if (!(gap < 2.0 * h * std::max(std::abs(v(j.v)), std::abs(free[j.v])) + 1e-6)) continue;
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
    const ConeProblem::Columns c = problem.add_piece(segment);
    Eigen::Map<Vector>(c.J, v.size()) = loops_->J().row(i);
    Eigen::Map<Vector>(c.K, v.size()).noalias() = M_inverse_.lazyProduct(loops_->J().row(i).transpose());
    joint_rows_.push_back({b, -1, 0.0, loops_->gap()(i), &warm_loop_(i)});
  }
  for (const JointRow& r : joint_rows_) problem.lambda[problem.block(r.block).row] = *r.warm;
}

void Articulation::remember(const ConeProblem& problem) {
  warm_stop_.setZero();
  for (const JointRow& r : joint_rows_) *r.warm = problem.lambda[problem.block(r.block).row];
}

void Articulation::add_work(double h, const ConeProblem& problem, int segment,
                            WorldWork& work) const {
  const Eigen::Map<const Vector> end(problem.velocity.data() + problem.segment_at(segment),
                                     v.size());
  const auto mean = 0.5 * (v + end);
  work.torques += h * tau.dot(mean);
  work.wrenches += h * wrench_.dot(mean);
  work.damping += h * plant.damping.cwiseMax(0.0).cwiseProduct(end).dot(mean);
  for (const JointRow& r : joint_rows_) {
    const ConeProblem::Block& b = problem.block(r.block);
    double rate = 0.0;
    const ConeProblem::Piece& p = problem.pieces(b)[0];
    const double* J = problem.data() + p.J;
    for (int k = 0; k < p.size; ++k) rate += 0.5 * J[k] * (v(k) + end(k));
    const double done = problem.lambda[b.row] * rate;
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
  // an impact says nothing about the next acceleration
  const bool smooth = (end - v).cwiseAbs().maxCoeff() < 0.5;
  v_before_ = end;
  if (smooth) v_before_ = v;
  v = end;
  kinetic_ = 0.5 * v.dot(M_.lazyProduct(v));
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
