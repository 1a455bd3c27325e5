#include "identify/refine/shooting.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "identify/data/ranges.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna::identify {
namespace {

/// Between samples: a cubic through the four around. Beyond the ends all stays as it is there.
struct Cubic {
  Index first;
  CubicWeights by{0.0};

  Cubic(Index count, double at) {
    const double inside = std::clamp(at, 0.0, double(count - 1));
    first = std::clamp<Index>(Index(inside) - 1, 0, count - 4);
    by = CubicWeights(inside - double(first) - 1.0);
    if (at != inside) by.slope.setZero();
  }
  auto around(const Matrix& samples) const { return samples.middleCols<4>(first); }
};

}  // namespace

MeasuredDrive::MeasuredDrive(const TorqueModel& model, const ShootingNumbers& layout)
    : model_(model),
      layout_(layout),
      at_(model.model()),
      ws_(model.model()),
      Y_(layout.nv, model.inertial_size()) {}

/// Torque, direction and Stribeck's shape are seen between samples alike: where the direction changes
/// they jump, and what friction there is in the torque must cancel.
void MeasuredDrive::measure(double share) {
  const Piece& piece = *window_->piece;
  const double at =
      double(window_->first) + (substep_ + share) * window_->stride / window_->substeps;
  const double delay = layout_.delay ? x_(layout_.delay_at()) : 0.0;
  const Cubic here(piece.size(), at), later(piece.size(), at + delay * piece.rate_hz);
  tau_ = later.around(piece.tau) * later.by.value;
  tau_rate_ = piece.rate_hz * (later.around(piece.tau) * later.by.slope);
  direction_ = here.around(piece.direction) * here.by.value;
  velocity_ = here.around(piece.v) * here.by.value;
  if (!layout_.stribeck) return;
  for (int i = 0; i < layout_.nv; ++i) {
    const double w = x_(layout_.velocity(i));
    bump_(i) = bump_by_velocity_(i) = 0.0;
    for (int k = 0; k < 4; ++k) {
      const double u = piece.v(i, here.first + k) / w;
      const double shape = here.by.value[k] * std::exp(-u * u) * piece.direction(i, here.first + k);
      bump_(i) += shape;
      bump_by_velocity_(i) += shape * 2.0 * u * u / w;
    }
  }
}

void MeasuredDrive::torque(double share, In<double>, In<double> v, Out<double> tau,
                           Out<double> tau_by_v) {
  measure(share);
  if (!layout_.measured_velocity) velocity_ = v;
  tau = tau_ + push_;
  tau_by_v.setZero();
  for (int i = 0; i < layout_.nv; ++i) {
    for (int k = 0; k < model_.feature_count(); ++k) {
      const Feature feature = model_.features()[k];
      const double number = x_(model_.at(i, k));
      // the plant has the rotors
      tau(i) -= number * feature_of(feature, velocity_(i), 0.0, tau_(i), direction_(i));
      if (!layout_.measured_velocity) tau_by_v(i) -= number * terms_of(feature).v;
    }
    if (layout_.stribeck) tau(i) -= x_(layout_.level(i)) * bump_(i);
  }
}

/// At the share of the last call of torque().
void MeasuredDrive::surplus_by_numbers(double, In<double> q, In<double> v, In<double> a,
                                       OutMatrix<double> D) {
  at_.set(q, v, a);
  torque_regressor<double>(at_, ws_, Y_);
  D.leftCols(Y_.cols()) = -Y_;
  D.rightCols(D.cols() - Y_.cols()).setZero();
  D.rightCols(layout_.nv).setIdentity();
  for (int i = 0; i < layout_.nv; ++i) {
    double load = 0.0;
    for (int k = 0; k < model_.feature_count(); ++k) {
      const Feature feature = model_.features()[k];
      D(i, model_.at(i, k)) = -feature_of(feature, velocity_(i), a(i), tau_(i), direction_(i));
      if (feature == Feature::load) load = x_(model_.at(i, k));
    }
    if (layout_.stribeck) {
      D(i, layout_.level(i)) = -bump_(i);
      D(i, layout_.velocity(i)) = -x_(layout_.level(i)) * bump_by_velocity_(i);
    }
    if (layout_.delay)
      D(i, layout_.delay_at()) = (1.0 - load * direction_(i) * sign_of(tau_(i))) * tau_rate_(i);
  }
}

Shooting::Shooting(const TorqueModel& model, const ShootingNumbers& layout)
    : model_(model),
      layout_(layout),
      plant_(model.model()),
      drive_(model, layout),
      step_(model.model(), Integrator::rk4, layout.size() + layout.nv) {}

void Shooting::set(const Vector& numbers) {
  plant_.armature.setZero();
  model_.set(numbers.head(layout_.unknowns), plant_);
  viscous_ = plant_.damping;
  plant_.remove_friction();
  drive_.set(numbers);
}

int Shooting::substeps(const Piece& piece, double seconds) {
  if (layout_.measured_velocity) return 1;  // nothing decays
  // explicit steps are stable as long as none is longer than 2.8 of the fastest decay, M^-1 D
  constexpr double longest = 1.5;
  constexpr int most = 64;
  Workspace<double> ws(plant_.model());
  Kinematics<double> at(plant_.model());
  Matrix M(layout_.nv, layout_.nv);
  double fastest = 0.0;
  for (int k = 0; k < 10; ++k) {
    at.set(piece.q.col(k * (piece.size() - 1) / 9));
    mass_matrix<double>(plant_, at, ws, M);
    // their sum, which is not smaller
    const Matrix inverse = M.llt().solve(Matrix::Identity(layout_.nv, layout_.nv));
    const double rates = inverse.diagonal().dot(viscous_);
    if (std::isfinite(rates)) fastest = std::max(fastest, rates);
  }
  return int(std::clamp(std::ceil(fastest * seconds / longest), 1.0, double(most)));
}

bool Shooting::operator()(const Window& window, const Vector& state, bool with_slopes) {
  const int n = layout_.nv;
  const auto count = std::size_t(window.steps) + 1;
  if (states.size() < count) states.resize(count), slopes.resize(count);
  if (!state.allFinite()) return false;
  states[0] = state.head(2 * n);
  drive_.push(state.tail(n));
  if (with_slopes) slopes[0].setIdentity(2 * n, 3 * n + layout_.size());
  const double h = window.step_seconds() / window.substeps;
  const double far = 100.0 * (1.0 + window.piece->q.cwiseAbs().maxCoeff()),
               fast = 100.0 * (1.0 + window.piece->v.cwiseAbs().maxCoeff());
  for (std::size_t k = 0; k + 1 < count; ++k) {
    states[k + 1] = states[k];
    if (with_slopes) slopes[k + 1] = slopes[k];
    for (int s = 0; s < window.substeps; ++s) {
      drive_.begin(window, int(k) * window.substeps + s);
      const auto q = states[k + 1].head(n), v = states[k + 1].tail(n);
      if (!step_(plant_, q, v, drive_, h, with_slopes)) return false;
      states[k + 1] << step_.step.q_next, step_.step.v_next;
      if (!with_slopes) continue;
      slopes[k + 1] = step_.A * slopes[k + 1];
      slopes[k + 1].rightCols(layout_.size()) += step_.B.leftCols(layout_.size());
      slopes[k + 1].middleCols(2 * n, n) += step_.B.rightCols(n);
    }
    if (states[k + 1].head(n).cwiseAbs().maxCoeff() > far ||
        states[k + 1].tail(n).cwiseAbs().maxCoeff() > fast)
      return false;
    if (with_slopes && !slopes[k + 1].allFinite()) return false;
  }
  return true;
}

}  // namespace ulna::identify
