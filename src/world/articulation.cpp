#include <numeric>

#include "ulna/dynamics/spring_force.hpp"
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
      drives_(model.drives().plain() ? nullptr : std::make_unique<Drives>(model)),
      q(neutral(acting().model())),
      v(Vector::Zero(acting().model().nv())),
      tau(Vector::Zero(model.nv())),
      limited_(options.torque_limits),
      at_origin_(X_WR.rotation().matrix().isIdentity(0.0) && X_WR.translation().isZero(0.0)),
      limits_(model),
      at_(acting().model()),
      predicted_(tree()),
      ws_(tree()),
      unit_(tree(), has_drives()),
      M_(Eigen::MatrixXd::Zero(v.size(), v.size())),
      everything_(static_cast<std::size_t>(v.size())),
      v_free_(v),
      v_before_(v),
      bias_(v),
      wrench_(v),
      column_(v),
      displacement_(v),
      q_ahead_(q),
      driven_(v),
      pushed_(v),
      warm_friction_(v),
      warm_stop_(Vector::Zero(2 * model.nv())),
      warm_rotor_(Vector::Zero(drives_ ? std::ssize(drives_->rotors.rows()) : 0)) {
  std::iota(everything_.begin(), everything_.end(), 0);
  q.head(at.size()) = at;
  if (!model.description().loops.empty()) {
    loops_.emplace(tree(), model.description().loops, q);
    q = loops_->closed_at();
    warm_loop_ = gap_ = Vector::Zero(loops_->size());
    closing_.emplace(loops_->size());
    loop_rows_.setZero(v.size(), loops_->size());
    delassus_.setZero(loops_->size(), loops_->size());
  }
  begin();
  joint_rows_.reserve(
      static_cast<std::size_t>(3 * v.size() + warm_rotor_.size() + (loops_ ? loops_->size() : 0)));
}

void Articulation::act() {
  drives_->rotors.set(plant, drives_->plant);
  drives_->springs.act(plant.drives, drives_->plant);
}

void Articulation::begin() {
  kinetic_ = -1.0;
  if (drives_) {
    act();
    at_.set(q);
    gravity_torque<double>(acting(), at_, ws_, column_);
    DriveState<double>& motors = drives_->motors;
    motors.omega = v.head(model().nv());
    for (const SpringBetween& s : drives_->rotors.springs())
      motors.theta(s.c) = q(model().drives().position(s.c)) +
                          spring_deflection<double>(plant.drives, s.c, column_(s.c));
    drives_->rotors.set_motors(motors, q, v);
  }
  v_before_ = v;
  at_.set(q, v);
}

DriveState<double> Articulation::motors() const {
  DriveState<double> motors(model());
  motors.omega = v.head(model().nv());
  if (drives_) drives_->rotors.get_motors(q, v, motors);
  return motors;
}

void Articulation::set_motors(const Vector& theta, const Vector& omega) {
  if (!drives_) return;
  for (const int c : model().drives().elastic)
    drives_->motors.theta(c) = theta(c), drives_->motors.omega(c) = omega(c);
  drives_->rotors.set_motors(drives_->motors, q, v);
  v_before_ = v;
}

Vector Articulation::link_torque() {
  Vector torque = tau;
  place();
  for (std::size_t i = 0; drives_ && i < drives_->rotors.springs().size(); ++i)
    torque(drives_->rotors.springs()[i].c) = drives_->springs.force(i, q, v);
  return torque;
}

void Articulation::push(double h) {
  if (!drives_) {
    pushed_ = driven_ = tau;
    return;
  }
  drives_->rotors.set_torque(tau, driven_);
  pushed_ = driven_;
  drives_->springs.begin(q, v, h);
  drives_->springs.push(q, v, pushed_);
  drives_->springs.load_rotors(M_);
  drives_->springs.load_springs(M_);
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
      // a dense path is all coordinates in their order
      place = unit_.is_dense() ? static_cast<std::size_t>(all[k].dof) : place - 1;
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
  bias_torque<double>(acting(), predicted_, ws_, bias_);
  mass_matrix<double>(acting(), at_, ws_, M_);
  push(h);
  M_.diagonal() += h * acting().damping.cwiseMax(0.0);
  if (!unit_.factor(M_)) return false;
  unit_.velocity_to_unit(v.data(), now);
  if (h * fastest(v) > fast_turn) {
    turn_fast(h, v_free_);
    unit_.velocity_to_unit(v_free_.data(), free);
    return true;
  }
  column_ = h * (pushed_ - bias_ - acting().damping.cwiseMax(0.0).cwiseProduct(v) + wrench_);
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
  gravity_torque<double>(acting(), predicted_, ws_, displacement_);
  column_ = h * (displacement_ - bias_);
  unit_.solve(column_);
  column_ += v;
  const double now = 0.5 * column_.dot(M_.lazyProduct(column_));
  if (kinetic_ >= 0.0 && now > kinetic_) column_ *= std::sqrt(kinetic_ / now);
  free = h * (pushed_ - displacement_ - acting().damping.cwiseMax(0.0).cwiseProduct(v) + wrench_);
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
  const Plant<double>& robot = acting();
  for (int i = 0; i < v.size(); ++i) {
    if (!(robot.friction(i) > 0.0 || robot.friction_negative(i) > 0.0)) continue;
    const int b = problem.add_box(-h * robot.friction(i), h * robot.friction_negative(i));
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
    integrate<double>(tree(), q, displacement_, q_ahead_);
    loops_->set(q_ahead_);
  }
  for (int i = 0; loops_ && i < loops_->size(); ++i) {
    const int b = problem.add_equality();
    problem.offset[problem.block(b).row] = loops_->gap()(i) / h - loops_->J().row(i).dot(v);
    add_loop_row(problem, segment, i);
    joint_rows_.push_back({b, -1, 0.0, loops_->gap()(i), &warm_loop_(i)});
  }
  for (Eigen::Index i = 0; i < warm_rotor_.size(); ++i) {
    const int b = problem.add_equality();
    double* const J = problem.add_unit_piece(segment, everything_);
    for (const CoordinateSum::Part& part : drives_->rotors.rows()[std::size_t(i)].parts)
      J[part.v] += part.factor;
    unit_.force_to_unit(J);
    joint_rows_.push_back({b, -1, 0.0, 0.0, &warm_rotor_(i), true});
  }
  for (const JointRow& r : joint_rows_) problem.lambda[problem.block(r.block).row] = *r.warm;
}

void Articulation::remember(const ConeProblem& problem) {
  warm_stop_.setZero();
  for (const JointRow& r : joint_rows_) *r.warm = problem.lambda[problem.block(r.block).row];
}

void Articulation::add_work(double h, const ConeProblem& problem, const double* mean_unit,
                            const double* end_velocity, WorldWork& work) {
  const Eigen::Map<const Vector> end(end_velocity, v.size());
  const auto mean = 0.5 * (v + end);
  work.torques += h * driven_.dot(mean);
  work.wrenches += h * wrench_.dot(mean);
  work.damping += h * acting().damping.cwiseMax(0.0).cwiseProduct(end).dot(mean);
  if (drives_) work.damping += drives_->springs.end(column_ = end);
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
  gravity_torque<double>(acting(), predicted_, ws_, column_);
  return column_.dot(Eigen::Map<const Vector>(shift, v.size()));
}

void Articulation::move(double h, const double* velocity, bool touched, const double* shift) {
  const Eigen::Map<const Vector> end(velocity, v.size());
  displacement_ = h * end;
  if (!touched) displacement_ = 0.5 * h * (v + end);
  if (shift) displacement_ += h * Eigen::Map<const Vector>(shift, v.size());
  if (drives_) advance_springs(h, column_ = end);
  integrate<double>(tree(), q, displacement_, q);
  if (loops_) close_loops();
  if (drives_) place_motors();
  // an impact says nothing about the next acceleration
  const bool smooth = (end - v).head(model().nv()).cwiseAbs().maxCoeff() < 0.5;
  v_before_ = end;
  if (smooth) v_before_ = v;
  v = end;
  kinetic_ = -1.0;
  if (h * fastest(v) > 0.5 * fast_turn) kinetic_ = 0.5 * v.dot(M_.lazyProduct(v));
}

/// Springs go on by the mean of the velocities, as the midpoint rule has it, also where links move by those of the end.
void Articulation::advance_springs(double h, const Vector& end) {
  for (std::size_t i = 0; i < drives_->rotors.springs().size(); ++i)
    drives_->deflection(static_cast<Eigen::Index>(i)) =
        drives_->rotors.springs()[i].deflection.position(q) + drives_->springs.advance(i, h, end);
}

/// Motors where springs and rigid joints have them. Their velocities are those of the step, which keeps the momentum of rows that are
/// solved to a tolerance.
void Articulation::place_motors() {
  drives_->rotors.get_motors(q, v, drives_->motors);
  for (std::size_t i = 0; i < drives_->rotors.springs().size(); ++i) {
    const int c = drives_->rotors.springs()[i].c;
    drives_->motors.theta(c) =
        q(model().drives().position(c)) + drives_->deflection(static_cast<Eigen::Index>(i));
  }
  drives_->rotors.set_motors(drives_->motors, q, v);
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
    integrate<double>(tree(), q, displacement_, q_ahead_);
    if (!q_ahead_.allFinite()) return;
    q = q_ahead_;
    if (gap <= almost_closed) return;
  }
}

double Articulation::kinetic_energy() {
  place();
  const double links = ulna::kinetic_energy<double>(acting(), at_, ws_);
  return drives_ ? links + drives_->springs.kinetic_energy(v) : links;
}
double Articulation::energy() {
  const double kinetic = kinetic_energy();
  double potential = potential_energy<double>(acting(), at_, ws_);
  if (drives_) potential += drives_->springs.energy(q);
  // about the world's origin rather than the robot's
  return kinetic + potential -
         total_mass<double>(plant) *
             plant.gravity.dot(X_WR.rotation().inverse_apply(X_WR.translation()));
}
Wrench<double> Articulation::momentum() {
  place();
  return X_WR * ulna::momentum<double>(acting(), at_, ws_);
}

}  // namespace ulna::detail
