#include "ulna/identify/excite/excitation_problem.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "identify/messages.hpp"
#include "ulna/identify/estimate/physical_prior.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::identify {
namespace {

constexpr double sharpness = 100.0;       ///< of the smooth maximum
constexpr int samples_per_period = 24;    ///< of the fastest harmonic
constexpr double torque_accuracy = 0.01;  ///< of what a joint can do
constexpr double most_slopes = 5e6;       ///< numbers in one matrix
constexpr double slow = 0.02;             ///< share of the velocity at which a direction is certain

void require_free_joints(const Model& model) {
  const int compound = compound_joint(model);
  require(compound == 0, "joint '", model.joint_name(compound),
          "' has several coordinates; excitation supports only joints with one: lock it");
  require(model.description().loops.empty(), "robot '", model.name(),
          "' has closed loops, which excitation does not support");
  require(model.nv() > 0, "robot '", model.name(), "' has no joint that moves");
}

/// Largest torques of any use: what joints can do, or without limits what they need to hold the robot.
Vector typical_torques(const Model& model, const Vector& effort) {
  Vector typical = Vector::Zero(model.nv());
  std::mt19937_64 random(1);
  Plant<double> plant(model);
  Motion<double> motion(model);
  Workspace<double> ws(model);
  Vector tau(model.nv());
  for (int k = 0; k < 200; ++k) {
    motion.set(random_configuration(model, random));
    gravity_torque<double>(plant, motion, ws, tau);
    typical = typical.cwiseMax(tau.cwiseAbs());
  }
  const double largest = std::max(typical.maxCoeff(), 1e-6);
  for (Index i = 0; i < typical.size(); ++i)
    typical(i) = std::isfinite(effort(i)) && effort(i) > 0.0 ? effort(i)
                                                             : std::max(typical(i), 0.05 * largest);
  return typical;
}

/// L with L L' the covariance of base parameters before any data.
Matrix prior_factor(const TorqueModel& model, const BaseParameters& base, const Vector& typical) {
  const std::vector<int> free = base.free();
  const PhysicalPrior prior = make_prior(model, 0.1 * typical, {}).restricted(free);
  const Matrix map = base.map()(Eigen::all, free);
  return (map * prior.information(prior.center()).ldlt().solve(map.transpose())).llt().matrixL();
}

}  // namespace

ExcitationLimits excitation_limits(const Model& model, double share) {
  require_free_joints(model);
  require(share > 0.0 && share <= 1.0, "the share of limits to use must be above 0 and at most 1");
  ExcitationLimits limits{model.lower_limit(),    model.upper_limit(),
                          model.velocity_limit(), Vector::Constant(model.nv(), infinity),
                          model.effort_limit(),   {}};
  const std::vector<std::string> names = model.velocity_names();
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& joint = model.joint(b);
    if (joint.mimics) continue;
    const int i = joint.v;
    const bool slides = joint.type == JointType::prismatic;
    const char* const unit = slides ? " m" : " rad";
    const auto note = [&](const auto&... parts) {
      limits.notes.push_back(message("joint '", names[i], "' has no limit", parts...));
    };
    if (!std::isfinite(limits.lower(i)) || !std::isfinite(limits.upper(i))) {
      const double reach = slides ? 0.5 : std::numbers::pi;
      // beside one limit, as far as that from it
      if (std::isfinite(limits.lower(i)))
        limits.upper(i) = limits.lower(i) + 2.0 * reach;
      else if (std::isfinite(limits.upper(i)))
        limits.lower(i) = limits.upper(i) - 2.0 * reach;
      else
        limits.lower(i) = -reach, limits.upper(i) = reach;
      note("s of position: it is moved from ", limits.lower(i), " to ", limits.upper(i), unit);
    }
    if (!std::isfinite(limits.velocity(i)) || limits.velocity(i) <= 0.0) {
      limits.velocity(i) = slides ? 0.5 : 2.0;
      note(" of velocity: it is moved at up to ", limits.velocity(i), unit, "/s");
    }
    if (!std::isfinite(limits.effort(i)) || limits.effort(i) <= 0.0) {
      limits.effort(i) = infinity;
      note(" of effort: its torque is not limited");
    }
  }
  const Vector middle = 0.5 * (limits.lower + limits.upper),
               half = 0.5 * share * (limits.upper - limits.lower);
  limits.lower = middle - half, limits.upper = middle + half;
  limits.velocity *= share, limits.effort *= share;
  return limits;
}

ExcitationProblem::ExcitationProblem(const TorqueModel& model, const BaseParameters& base,
                                     const Vector& parameters, const ExcitationLimits& limits,
                                     const Capsules::Options& capsules, const MotionBasis& basis)
    : model_((require_free_joints(model.model()), model)),
      base_(base),
      parameters_(parameters),
      limits_(limits),
      capsules_(model.model(), capsules),
      basis_(basis),
      plant_(model.model()),
      probe_(model.model()),
      at_(model.model()),
      regressor_ws_(model.model()),
      slope_ws_(model.model()),
      slope_(model.model()),
      Y_(model.model().nv(), model.unknowns()) {
  ulna::detail::require_size("parameters", parameters.size(), model.unknowns(), model.model());
  for (const Feature f : model.features())
    require(f != Feature::load,
            "excitation does not support load-dependent friction: leave it out");
  for (Plant<double>* plant : {&plant_, &probe_}) {
    plant->remove_friction();
    plant->armature.setZero();
  }
  plant_.set_inertial(parameters.head(model.inertial_size()));
  spans_ = 2 * basis.harmonics();
  const auto watch = [&](int first, const Vector& limit) {
    for (int i = 0; i < joints(); ++i)
      if (std::isfinite(limit(i))) watched_.push_back(first + i);
  };
  watch(0, limits.upper - limits.lower), watch(joints(), limits.velocity);
  watch(2 * joints(), limits.acceleration), watch(3 * joints(), limits.effort);
  require(double(constraints()) * variables() <= most_slopes, joints(), " joints with ",
          basis.harmonics(), " harmonics are too many at once: take fewer harmonics");
  const Index count = samples_per_period * basis.harmonics() + 1;
  grid_ = grid_of(count), fine_ = grid_of(4 * count + 1);
  const Vector typical = typical_torques(model.model(), model.model().effort_limit());
  weight_ = (torque_accuracy * typical).cwiseInverse();
  turn_ = slow * limits.velocity;
  prior_ = prior_factor(model, base, typical);
}

ExcitationProblem::Grid ExcitationProblem::grid_of(Index count) const {
  const Vector t = Vector::LinSpaced(count, 0.0, basis_.duration());
  return {t, basis_.at(t, 0), basis_.at(t, 1), basis_.at(t, 2)};
}

ExcitingMotion ExcitationProblem::motion(const Vector& coefficients) const {
  return {basis_, Eigen::Map<const Matrix>(coefficients.data(), joints(), basis_.size())};
}

void ExcitationProblem::bounds(Matrix& low, Matrix& high) const {
  low.resize(joints(), basis_.size()), high = low;
  if (basis_.kind() == MotionKind::fourier) {
    // the mean square of a velocity is at most that of its limit, and half of all its coefficients'
    high.colwise() = std::numbers::sqrt2 * limits_.velocity;
    low = -high;
    low.col(0) = limits_.lower, high.col(0) = limits_.upper;
  } else {
    // control points can lie outside of what they control, though not far
    const Vector range = limits_.upper - limits_.lower;
    low.colwise() = limits_.lower - 2.0 * range, high.colwise() = limits_.upper + 2.0 * range;
    low.col(0) = limits_.lower, high.col(0) = limits_.upper;
    low.rightCols(1) = limits_.lower, high.rightCols(1) = limits_.upper;
  }
}

Matrix ExcitationProblem::directions(const Matrix& V) const {
  return (turn_.cwiseInverse().asDiagonal() * V).array().tanh();
}

ExcitationProblem::FrictionSlope ExcitationProblem::friction_slope(const Vector& z, int r,
                                                                   Index s) const {
  // of the direction: tanh(v / v0)
  const double d = directions_(r, s), steep = (1.0 - d * d) / turn_(r);
  FrictionSlope slope;
  for (int f = 0; f < model_.feature_count(); ++f) {
    const FeatureTerms& by = terms_of(model_.features()[f]);
    const double number = z(model_.at(r, f));
    slope.v += number * (by.v + by.direction * steep), slope.a += number * by.a;
  }
  return slope;
}

Matrix ExcitationProblem::torques(const Matrix& Q, const Matrix& V, const Matrix& A) {
  const Matrix X = model_.features_of(V, A, Matrix::Zero(V.rows(), V.cols()), directions(V));
  return model_.torques(parameters_, Q, V, A, X);
}

Matrix ExcitationProblem::shares(const Grid& grid, const Matrix& C) {
  const int n = joints();
  const Matrix Q = C * grid.value, V = C * grid.rate, A = C * grid.curve;
  Matrix shares(quantities(), grid.t.size());
  const Vector middle = 0.5 * (limits_.lower + limits_.upper),
               half = 0.5 * (limits_.upper - limits_.lower);
  shares.topRows(n) = half.cwiseInverse().asDiagonal() * (Q.colwise() - middle);
  shares.middleRows(n, n) = limits_.velocity.cwiseInverse().asDiagonal() * V;
  shares.middleRows(2 * n, n) = limits_.acceleration.cwiseInverse().asDiagonal() * A;
  shares.middleRows(3 * n, n) = limits_.effort.cwiseInverse().asDiagonal() * torques(Q, V, A);
  Vector distance(capsules_.size());
  const double scale = capsules_.required() + capsules_.radius();
  for (Index s = 0; s < grid.t.size(); ++s) {
    capsules_.distances(Q.col(s), distance);
    shares.col(s).tail(capsules_.size()) = 1.0 - (distance.array() - capsules_.required()) / scale;
  }
  return shares;
}

void ExcitationProblem::evaluate(const Vector& coefficients) {
  const Matrix C = motion(coefficients).coefficients;
  Q_ = C * grid_.value, V_ = C * grid_.rate, A_ = C * grid_.curve;
  directions_ = directions(V_);
  shares_ = shares(grid_, C);
  peak = peaks(shares_);
  use.resize(constraints());
  int at = 0;
  for (int i = 0; i < spans_; ++i) {
    const Index first = span(i), count = span(i + 1) - first;
    for (const int k : watched_) {
      const auto part = shares_.row(k).segment(first, count).array();
      const double most = part.abs().maxCoeff();
      use(at++) = most + std::log((sharpness * (part - most)).exp().sum() +
                                  (sharpness * (-part - most)).exp().sum()) /
                             sharpness;
    }
    if (capsules_.size() == 0) continue;
    const auto near = shares_.block(4 * joints(), first, capsules_.size(), count).array();
    const double most = near.maxCoeff();
    use(at++) = most + std::log((sharpness * (near - most)).exp().sum()) / sharpness;
  }
  gather_information();
}

int ExcitationProblem::joint_of(int constraint) const {
  const auto k = std::size_t(constraint % per_span());
  return k < watched_.size() && watched_[k] < 3 * joints() ? watched_[k] % joints() : -1;
}

Vector ExcitationProblem::peaks(const Matrix& shares) const {
  Vector most(quantities());
  for (int k = 0; k < quantities(); ++k)
    most(k) = k < 4 * joints() ? shares.row(k).cwiseAbs().maxCoeff() : shares.row(k).maxCoeff();
  return most;
}

Vector ExcitationProblem::fine_peak(const Vector& coefficients) {
  return peaks(shares(fine_, motion(coefficients).coefficients));
}

Matrix ExcitationProblem::scaled_information() const {
  return Matrix::Identity(G_.rows(), G_.rows()) + prior_.transpose() * G_ * prior_;
}

void ExcitationProblem::gather_information() {
  const int n = joints(), b = base_.size();
  rows_.resize(n * samples(), b);
  for (Index s = 0; s < samples(); ++s) {
    at_.set(Q_.col(s), V_.col(s), A_.col(s));
    model_.regressor(at_, regressor_ws_, Vector::Zero(n), directions_.col(s), Y_);
    rows_.middleRows(s * n, n) = weight_.asDiagonal() * Y_(Eigen::all, base_.independent);
  }
  G_.setZero(b, b);
  G_.selfadjointView<Eigen::Lower>().rankUpdate(rows_.transpose(), each());
  G_ = Matrix(G_.selfadjointView<Eigen::Lower>());
  log_det = 2.0 * Matrix(scaled_information().llt().matrixL()).diagonal().array().log().sum();
}

void ExcitationProblem::differentiate() {
  differentiate_information();
  differentiate_use();
}

void ExcitationProblem::differentiate_information() {
  const int n = joints();
  const Matrix inverse = prior_ * scaled_information().llt().solve(prior_.transpose());
  const RowMatX<double> held = 2.0 * each() * rows_ * inverse;
  Matrix q = Matrix::Zero(n, samples()), v = q, a = q;
  Vector z = Vector::Zero(model_.unknowns());
  for (Index s = 0; s < samples(); ++s) {
    at_.set(Q_.col(s), V_.col(s), A_.col(s));
    for (int r = 0; r < n; ++r) {
      z(base_.independent) = weight_(r) * held.row(s * n + r);
      const FrictionSlope friction = friction_slope(z, r, s);
      v(r, s) += friction.v, a(r, s) += friction.a;
      probe_.set_inertial(z.head(model_.inertial_size()));
      inverse_dynamics_derivatives(probe_, at_, slope_ws_, slope_);
      q.col(s) += slope_.dq.row(r).transpose();
      v.col(s) += slope_.dv.row(r).transpose();
      a.col(s) += slope_.da.row(r).transpose();
    }
  }
  const Matrix slope =
      q * grid_.value.transpose() + v * grid_.rate.transpose() + a * grid_.curve.transpose();
  log_det_slope = Eigen::Map<const Vector>(slope.data(), slope.size());
}

void ExcitationProblem::differentiate_use() {
  const int n = joints(), pairs = capsules_.size();
  const double scale = capsules_.required() + capsules_.radius();
  const Vector half = 0.5 * (limits_.upper - limits_.lower);
  const Vector* const limit_of[] = {&half, &limits_.velocity, &limits_.acceleration};
  const Matrix* const functions_of[] = {&grid_.value, &grid_.rate, &grid_.curve};
  use_slope.setZero(constraints(), variables());
  Matrix away(pairs, n), together(n, samples());
  Vector distance(pairs);
  // slopes of the efforts by q, v and a, at the samples of a span
  std::vector<std::array<Matrix, 3>> effort(static_cast<std::size_t>(n));
  for (int i = 0; i < spans_; ++i) {
    const Index first = span(i), count = span(i + 1) - first;
    const Index row = i * per_span(), last = row + per_span() - 1;
    for (auto& of_joint : effort)
      for (Matrix& slope : of_joint) slope.resize(n, count);
    for (Index s = 0; s < count; ++s) {
      at_.set(Q_.col(first + s), V_.col(first + s), A_.col(first + s));
      inverse_dynamics_derivatives(plant_, at_, slope_ws_, slope_);
      for (int r = 0; r < n; ++r) {
        auto& [q, v, a] = effort[r];
        q.col(s) = slope_.dq.row(r), v.col(s) = slope_.dv.row(r), a.col(s) = slope_.da.row(r);
        const FrictionSlope friction = friction_slope(parameters_, r, first + s);
        v(r, s) += friction.v, a(r, s) += friction.a;
      }
      if (pairs == 0) continue;
      capsules_.distances(Q_.col(first + s), distance, away);
      const auto near = shares_.col(first + s).tail(pairs).array();
      together.col(s) = away.transpose() * (sharpness * (near - use(last))).exp().matrix() / -scale;
    }

    // a smooth maximum changes as its samples do, each by how near the maximum it is
    for (std::size_t w = 0; w < watched_.size(); ++w) {
      const int kind = watched_[w] / n, r = watched_[w] % n;
      const Index at = row + Index(w);
      const auto part = shares_.row(watched_[w]).segment(first, count).array();
      const Eigen::RowVectorXd near = (sharpness * (part - use(at))).exp().matrix() -
                                      (sharpness * (-part - use(at))).exp().matrix();
      const auto functions = [&](int derivative) {
        return functions_of[derivative]->middleCols(first, count).transpose();
      };
      if (kind < 3) {
        use_slope.row(at)(Eigen::seqN(r, basis_.size(), n)) =
            near * functions(kind) / (*limit_of[kind])(r);
        continue;
      }
      Matrix slope = Matrix::Zero(n, basis_.size());
      for (int d = 0; d < 3; ++d) slope += effort[r][d] * near.asDiagonal() * functions(d);
      use_slope.row(at) = slope.reshaped().transpose() / limits_.effort(r);
    }
    if (pairs == 0) continue;
    const Matrix slope =
        together.leftCols(count) * grid_.value.middleCols(first, count).transpose();
    use_slope.row(last) = slope.reshaped().transpose();
  }
}

}  // namespace ulna::identify
