#include "simulate/held_dynamics.hpp"

#include <utility>

namespace ulna::detail {
namespace {

constexpr signed char at_lower = 1, at_upper = 2;
/// Below it, rad/s or m/s, a joint leans on its stop rather than hits it.
constexpr double speed_of_a_hit = 1e-2;
// Loops: gaps that are small enough, and too large after all, m or rad; what rounding leaves of a velocity by its size
constexpr double closed = 1e-13, still_open = 1e-7;
constexpr int most_corrections = 10;
constexpr double rounding = 1e-12;
/// Of joints that loops connect with one at rest: what is no acceleration, and what is rest, rad/s² and rad/s.
constexpr double no_acceleration = 1e-9, resting = 1e-9;
/// By which the velocity may change when a joint at rest is made exact: more, and it only turns back.
constexpr double small_change = 1e-7;

}  // namespace

HeldDynamics::HeldDynamics(const RotorBodies& rotors, bool stops, const Loops* loops)
    : springs_(rotors),
      bare_(rotors.model()),
      at_(model()),
      ws_(model()),
      loops_(loops ? std::optional(*loops) : std::nullopt),
      problem_(model().nv(), (loops ? loops->size() : 0) + int(rotors.rows().size())),
      nv_(model().nv()),
      chosen_(nv_),
      slides_(nv_, 0),
      held_(nv_, 0) {
  const Eigen::Index first = problem_.J.rows() - std::ssize(rotors.rows());
  for (Eigen::Index i = first; i < problem_.J.rows(); ++i)
    for (const auto& [q, v, factor] : rotors.rows()[i - first].parts) problem_.J(i, v) += factor;
  if (loops_) {
    loop_ws_.emplace(*loops_);
    lambda_.setZero(loops_->size());
  }
  if (!stops) return;
  for (const Joint& j : model().joints()) {
    if (j.mimics || velocity_size(j.type) != 1) continue;
    const double lower = model().lower_limit()(j.q), upper = model().upper_limit()(j.q);
    if (lower > -infinity) stops_.push_back({j.q, j.v, lower, 1});
    if (upper < infinity) stops_.push_back({j.q, j.v, upper, -1});
  }
}

void HeldDynamics::act(const Plant<double>& plant, const DriveParameters<double>& springs,
                       const Eigen::VectorXd& tau, ExternalWrenches<double> wrenches) {
  bare_ = plant;
  springs_.act(springs, plant);
  couples_ = springs_.couples();
  friction_ = plant.friction, friction_negative_ = plant.friction_negative;
  bare_.friction.setZero(), bare_.friction_negative.setZero();
  tau_ = tau;
  wrenches_ = wrenches;
}

void HeldDynamics::set_rows(const Eigen::VectorXd* drift) {
  if (!loops_) return;
  problem_.J.topRows(loops_->size()) = loops_->J();
  problem_.drift.setZero();
  if (drift) problem_.drift.head(loops_->size()) = *drift;
}

const Kinematics<double>& HeldDynamics::place(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  if (loops_) return loops_->set(q, v), loops_->at();
  return at_.set(q, v), at_;
}

void HeldDynamics::set_problem(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const Kinematics<double>& at = place(q, v);
  mass_matrix<double>(bare_, at, ws_, problem_.M);
  inverse_dynamics<double>(bare_, at, ws_, problem_.f, wrenches_);
  problem_.f = drive_ - problem_.f;
  springs_.push(q, v, problem_.f);
  springs_.load_rotors(problem_.M);
  springs_.load_springs(problem_.M);
  set_rows(loops_ ? &loops_->acceleration() : nullptr);
}

void HeldDynamics::set_change(const Eigen::VectorXd& q) {
  spare_.setZero();
  mass_matrix<double>(bare_, place(q, spare_), ws_, problem_.M);
  springs_.load_rotors(problem_.M);
  set_rows(nullptr);
  problem_.drift.setZero();
}

void HeldDynamics::set_bounds(int i, int n, double duration) {
  problem_.lower(n) = at_stop_[i] & at_upper ? -infinity : -duration * friction_(i);
  problem_.upper(n) = at_stop_[i] & at_lower ? infinity : duration * friction_negative_(i);
  chosen_[n] = i;
}

void HeldDynamics::find_stops(const Eigen::VectorXd& q) {
  std::ranges::fill(at_stop_, 0);
  for (const Stop& s : stops_)
    if (s.distance(q) <= 0.0) at_stop_[s.v] |= s.way > 0 ? at_lower : at_upper;
}

bool HeldDynamics::hit(const Eigen::VectorXd& q, Eigen::VectorXd& v, double least_away,
                       double& energy_lost, long& hits) {
  find_stops(q);
  int n = 0;
  bool runs = false;
  for (int i = 0; i < nv_; ++i) {
    const bool low = at_stop_[i] & at_lower, high = at_stop_[i] & at_upper;
    if (!low && !high) continue;
    const double speed = low && high ? std::abs(v(i)) : low ? -v(i) : v(i);
    hits += speed > speed_of_a_hit && away_(i) > least_away;
    away_(i) = 0.0;
    runs |= speed > 0.0;
    problem_.lower(n) = high ? -infinity : 0.0;
    problem_.upper(n) = low ? infinity : 0.0;
    chosen_[n++] = i;
  }
  if (!runs) return true;
  set_change(q);
  problem_.f.noalias() = problem_.M.lazyProduct(v);
  if (!solve(n)) return false;
  // what loops bring to rest with the joint that was hit rests exactly
  if (has_rows())
    for (double& x : problem_.a)
      if (std::abs(x) <= rounding * v.cwiseAbs().maxCoeff()) x = 0.0;
  // what is inelastic loses the energy of the change of velocity
  spare_ = problem_.a - v;
  energy_lost += 0.5 * spare_.dot(problem_.M.lazyProduct(spare_));
  v = problem_.a;
  return true;
}

bool HeldDynamics::at_stop(int i, const Eigen::VectorXd& q) const {
  return std::ranges::any_of(stops_,
                             [&](const Stop& s) { return s.v == i && s.distance(q) <= 0.0; });
}

bool HeldDynamics::decide(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  find_stops(q);
  stop_load_.setZero();
  held_count_ = 0;
  int n = 0;
  for (int i = 0; i < nv_; ++i) {
    held_[i] = 0;
    slides_[i] = v(i) > 0.0 ? 1 : v(i) < 0.0 ? -1 : 0;
    drive_(i) = tau_(i) - sliding_friction(i);
    if (v(i) != 0.0 || !(has_friction(i) || at_stop_[i])) continue;
    set_bounds(i, n++);
  }
  if (n == 0) return true;

  set_problem(q, v);
  if (!problem_.f.allFinite() || !solve(n)) return false;
  const double none =
      has_rows() ? no_acceleration * std::max(1.0, problem_.a.cwiseAbs().maxCoeff()) : -1.0;
  for (int k = 0; k < n; ++k) {
    const int i = chosen_[k];
    // where loops connect it with others that hold, a joint may rest with all its friction in use
    if (problem_.side[k] == BoxComplementarity::Side::between || std::abs(problem_.a(i)) <= none) {
      held_[i] = 1, ++held_count_;
      const double x = problem_.x(k);
      if (at_stop_[i])
        stop_load_(i) = std::max({0.0, x - friction_negative_(i), -x - friction_(i)});
    } else {
      slides_[i] = problem_.side[k] == BoxComplementarity::Side::lower ? 1 : -1;
      drive_(i) = tau_(i) - sliding_friction(i);
    }
  }
  return true;
}

bool HeldDynamics::accelerate(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                              Eigen::VectorXd& a) {
  // otherwise by the mass matrix
  const bool sparse = held_count_ == 0 && !couples_ && !springs_.in_step();
  if (sparse) {
    pushed_ = drive_;
    springs_.push(q, v, pushed_);
  }
  if (sparse && loops_) {
    loops_->set(q, v);
    factored_ =
        constrained_forward_dynamics(bare_, *loops_, pushed_, *loop_ws_, a, lambda_, wrenches_)
            .status != ConstraintReport::Status::not_physical;
    return factored_;
  }
  if (sparse) {
    at_.set(q, v);
    return forward_dynamics<double>(bare_, at_, pushed_, ws_, a, wrenches_);
  }
  // the forces that leave those that hold without acceleration
  const int n = fix([&](int i) { return held(i); });
  set_problem(q, v);
  if (!solve(n)) return false;
  a = problem_.a;
  return true;
}

template <class Fixed>
int HeldDynamics::fix(Fixed fixed) {
  int n = 0;
  for (int i = 0; i < nv_; ++i)
    if (fixed(i)) {
      problem_.lower(n) = -infinity, problem_.upper(n) = infinity;
      chosen_[n++] = i;
    }
  return n;
}

bool HeldDynamics::close(Eigen::VectorXd& q, Eigen::VectorXd& v) {
  if (!has_rows()) return true;
  if (!loops_) return set_change(q), close_velocities(v), true;
  // what has reached its stop stays there
  find_stops(q);
  if (held_count_ == 0 && std::ranges::none_of(at_stop_, [](auto at) { return at != 0; }) &&
      std::exchange(factored_, false) && close_freely(q, v))
    return true;
  set_change(q);
  for (int k = 0; k < most_corrections && loops_->gap().cwiseAbs().maxCoeff() > closed; ++k) {
    problem_.f.setZero();
    set_rows(&loops_->gap());
    if (!solve(fix([&](int i) { return held(i) || at_stop_[i]; }))) return false;
    integrate<double>(model(), q, problem_.a, next_);
    if (!next_.allFinite()) return false;
    q = next_;
    loops_->set(q);
  }
  set_rows(nullptr);
  close_velocities(v);
  return loops_->gap().cwiseAbs().maxCoeff() < still_open;
}

// Newton's method with M and J of the step's last stage, which are off by what the step moves: each round leaves that
// share of a gap.
bool HeldDynamics::close_freely(Eigen::VectorXd& q, Eigen::VectorXd& v) {
  const auto correct = [&](const Eigen::VectorXd& left, Eigen::VectorXd& change) {
    lambda_ = -left;
    loop_ws_->delassus.solve(lambda_);
    change.noalias() = loop_ws_->X.lazyProduct(lambda_);
  };
  // what gets on slowly is left to Newton's method with M and J of now
  loops_->set(q);
  for (double before = infinity;;) {
    const double gap = loops_->gap().cwiseAbs().maxCoeff();
    if (gap <= closed) break;
    if (!(gap < 0.5 * before)) return false;
    before = gap;
    correct(loops_->gap(), closing_);
    integrate<double>(model(), q, closing_, next_);
    if (!next_.allFinite()) return false;
    q = next_;
    loops_->set(q);
  }
  for (int i = 0; i < nv_; ++i)
    if (just_rests(i, v)) return false;
  const double enough = 0.1 * rounding * (1.0 + v.cwiseAbs().maxCoeff());
  for (double before = infinity;;) {
    problem_.drift.noalias() = loops_->J().lazyProduct(v);
    const double opening = problem_.drift.cwiseAbs().maxCoeff();
    if (opening <= enough) return true;
    if (!(opening < 0.5 * before)) return false;
    before = opening;
    correct(problem_.drift, closing_);
    v += closing_;
  }
}

void HeldDynamics::close_velocities(Eigen::VectorXd& v) {
  const auto project = [&](auto fixed) {
    problem_.drift.setZero();
    problem_.f.noalias() = problem_.M.lazyProduct(v);
    return solve(fix(fixed));
  };
  if (!project([&](int i) { return held(i); })) return;
  closing_ = problem_.a;
  // Where a joint just rests, either the loop comes to rest with it, and stays so exactly, or the joint turns back,
  // carried on by others, as a rocker does.
  bool rests = false;
  for (int i = 0; i < nv_; ++i) rests |= just_rests(i, v);
  if (!rests) {
    v = closing_;
    return;
  }
  const bool exact = project([&](int i) { return held(i) || just_rests(i, v); }) &&
                     (problem_.a - closing_).cwiseAbs().maxCoeff() <= small_change;
  for (int i = 0; i < nv_; ++i)
    if (exact)
      v(i) = has_friction(i) && std::abs(problem_.a(i)) <= resting ? 0.0 : problem_.a(i);
    else
      v(i) = just_rests(i, v) && !(slides_[i] * closing_(i) < 0.0) ? -rounding * slides_[i]
                                                                   : closing_(i);
}

bool HeldDynamics::holds(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  int n = 0;
  for (int i = 0; i < nv_; ++i)
    if (held(i)) set_bounds(i, n++);
  set_problem(q, v);
  if (!solve(n)) return true;
  const double none = no_acceleration * std::max(1.0, problem_.a.cwiseAbs().maxCoeff());
  for (int k = 0; k < n; ++k)
    if (std::abs(problem_.a(chosen_[k])) > none) return false;
  return true;
}

SimulationStatus HeldDynamics::step_over(Eigen::VectorXd& q, Eigen::VectorXd& v, double h,
                                         SimulationWork& work) {
  // springs that act as they are would make it unstable
  const bool springs = !springs_.empty() && !springs_.in_step();
  if (springs) springs_.begin(q, v, h);
  find_stops(q);
  int n = 0;
  for (int i = 0; i < nv_; ++i) {
    slides_[i] = 0, drive_(i) = tau_(i);
    if (has_friction(i) || at_stop_[i]) set_bounds(i, n++, h);
  }
  // (M + h D) v+ = M v + h (forces without damping) + impulses
  set_problem(q, v);
  spare_ = bare_.damping.cwiseMax(0.0);
  problem_.f = h * (problem_.f + spare_.cwiseProduct(v)) + problem_.M.lazyProduct(v);
  problem_.M.diagonal() += h * spare_;
  problem_.drift.setZero();
  if (!problem_.f.allFinite()) return SimulationStatus::diverged;
  if (!solve(n)) return SimulationStatus::plant_not_physical;
  v = problem_.a;
  work.add(power(q, v), h);
  if (springs) work.damping += springs_.end(v);
  for (int k = 0; k < n; ++k) work.friction -= problem_.x(k) * v(chosen_[k]);
  spare_ = h * v;
  integrate<double>(model(), q, spare_, next_);
  q = next_;
  for (const Stop& s : stops_)
    if (s.distance(q) < 0.0) q(s.q) = s.at;
  return SimulationStatus::moved;
}

double HeldDynamics::reserve(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  // forces through loops may share a load among joints in many ways
  if (has_rows() && held_count_ > 0) return holds(q, v) ? 1.0 : -1.0;
  if (held_count_ == 0 || !accelerate(q, v, spare_)) return 1.0;
  double least = infinity;
  for (int k = 0; k < held_count_; ++k) {
    const int i = chosen_[k];
    const signed char stop = at_stop_[i];
    if (!(stop & at_upper)) least = std::min(least, problem_.x(k) + friction_(i));
    if (!(stop & at_lower)) least = std::min(least, friction_negative_(i) - problem_.x(k));
  }
  return std::min(least, 1.0);
}

SimulationWork HeldDynamics::power(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  SimulationWork p;
  p.torques = tau_.dot(v);
  p.friction = (tau_ - drive_).dot(v);
  p.damping = bare_.damping.dot(v.cwiseAbs2()) + springs_.damping_power(v);
  if (!wrenches_.empty()) {
    at_.set(q, v);
    for (const ExternalWrench<double>& w : wrenches_)
      p.wrenches += dot(frame_velocity(at_, *w.frame, w.axes), w.wrench);
  }
  return p;
}

bool HeldDynamics::expected(int event, const Eigen::VectorXd& q) const {
  if (!is_stop(event)) return sliding_friction(event) != 0.0;
  // a joint that begins beyond a stop does not reach it
  return !held(stop_of(event).v) && stop_of(event).distance(q) >= 0.0;
}

double HeldDynamics::distance(int event, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  return is_stop(event) ? stop_of(event).distance(q) : slides_[event] * v(event);
}

void HeldDynamics::make_exact(int event, Eigen::VectorXd& q, Eigen::VectorXd& v) const {
  if (is_stop(event))
    q(stop_of(event).q) = stop_of(event).at;
  else
    v(event) = 0.0;
}

}  // namespace ulna::detail
