#include "ulna/identify/excite/excitation_problem.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "identify/messages.hpp"
#include "ulna/identify/estimate/physical_prior.hpp"

namespace ulna::identify {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double sharpness = 100.0;       ///< of the smooth maximum
constexpr int samples_per_period = 24;    ///< of the fastest harmonic
constexpr double torque_accuracy = 0.01;  ///< of what a joint can do
constexpr double most_slopes = 5e6;       ///< numbers in one matrix
constexpr double slow = 0.02;             ///< share of the velocity at which a direction is certain

void require_free_joints(const Model& model) {
  for (int b = 1; b < model.body_count(); ++b) {
    const JointType type = model.joint(b).type;
    if (type == JointType::ball || type == JointType::floating || type == JointType::planar)
      throw std::invalid_argument(
          "joint '" + std::string(model.joint_name(b)) +
          "' has several coordinates, and excitation moves joints with one; lock it");
  }
  if (!model.description().loops.empty())
    throw std::invalid_argument("robot '" + model.name() +
                                "' has closed loops, and excitation moves its joints freely");
  if (model.nv() == 0)
    throw std::invalid_argument("robot '" + model.name() + "' has no joint that moves");
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
  for (Eigen::Index i = 0; i < typical.size(); ++i)
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

/// What a feature changes by per unit of velocity and acceleration, a direction changing by `steep`.
struct FeatureSlope {
  double v = 0.0, a = 0.0;
};
FeatureSlope slope_of(Feature feature, double steep) {
  switch (feature) {
    case Feature::viscous:
      return {1.0, 0.0};
    case Feature::coulomb:
      return {steep, 0.0};
    case Feature::coulomb_positive:
    case Feature::coulomb_negative:
      return {0.5 * steep, 0.0};
    case Feature::armature:
      return {0.0, 1.0};
    case Feature::offset:
    case Feature::load:
      break;
  }
  return {};
}

}  // namespace

ExcitationLimits excitation_limits(const Model& model, double share) {
  require_free_joints(model);
  if (!(share > 0.0) || !(share <= 1.0))
    throw std::invalid_argument("the share of limits to use must be above 0 and at most 1");
  const int n = model.nv();
  ExcitationLimits limits;
  limits.lower = model.lower_limit(), limits.upper = model.upper_limit();
  limits.velocity = model.velocity_limit(), limits.effort = model.effort_limit();
  limits.acceleration = Vector::Constant(n, infinity);
  const std::vector<std::string> names = model.velocity_names();
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& joint = model.joint(b);
    if (joint.mimics) continue;
    const int i = joint.v;
    const bool slides = joint.type == JointType::prismatic;
    const std::string name = "joint '" + names[i] + "' ", unit = slides ? " m" : " rad";
    if (!std::isfinite(limits.lower(i)) || !std::isfinite(limits.upper(i))) {
      const double reach = slides ? 0.5 : std::numbers::pi;
      // beside one limit, as far as that from it
      if (std::isfinite(limits.lower(i)))
        limits.upper(i) = limits.lower(i) + 2.0 * reach;
      else if (std::isfinite(limits.upper(i)))
        limits.lower(i) = limits.upper(i) - 2.0 * reach;
      else
        limits.lower(i) = -reach, limits.upper(i) = reach;
      limits.notes.push_back(name + "has no limits of position: it is moved from " +
                             number(limits.lower(i)) + " to " + number(limits.upper(i)) + unit);
    }
    if (!std::isfinite(limits.velocity(i)) || limits.velocity(i) <= 0.0) {
      limits.velocity(i) = slides ? 0.5 : 2.0;
      limits.notes.push_back(name + "has no limit of velocity: it is moved at up to " +
                             number(limits.velocity(i)) + unit + "/s");
    }
    if (!std::isfinite(limits.effort(i)) || limits.effort(i) <= 0.0) {
      limits.effort(i) = infinity;
      limits.notes.push_back(name + "has no limit of effort: none is kept");
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
      Y_(model.model().nv(), model.inertial_size()) {
  detail::require_size("parameters", parameters.size(), model.unknowns(), model.model());
  for (const Feature f : model.features())
    if (f == Feature::load)
      throw std::invalid_argument("friction by load cannot be designed for: leave it out");
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
  if (double(constraints()) * variables() > most_slopes)
    throw std::invalid_argument(std::to_string(joints()) + " joints with " +
                                std::to_string(basis.harmonics()) +
                                " harmonics are too many at once: take fewer harmonics");
  const Eigen::Index count = samples_per_period * basis.harmonics() + 1;
  grid_ = grid_of(count), fine_ = grid_of(4 * count + 1);
  const Vector typical = typical_torques(model.model(), model.model().effort_limit());
  weight_ = (torque_accuracy * typical).cwiseInverse();
  turn_ = slow * limits.velocity;
  prior_ = prior_factor(model, base, typical);
}

ExcitationProblem::Grid ExcitationProblem::grid_of(Eigen::Index count) const {
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

Matrix ExcitationProblem::torques(const Matrix& Q, const Matrix& V, const Matrix& A) {
  const Matrix directions = Matrix::NullaryExpr(
      V.rows(), V.cols(),
      [&](Eigen::Index i, Eigen::Index s) { return direction(V(i, s), int(i)); });
  const Matrix X = model_.features_of(V, A, Matrix::Zero(V.rows(), V.cols()), directions);
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
  for (Eigen::Index s = 0; s < grid.t.size(); ++s) {
    capsules_.distances(Q.col(s), distance);
    shares.col(s).tail(capsules_.size()) = 1.0 - (distance.array() - capsules_.required()) / scale;
  }
  return shares;
}

void ExcitationProblem::evaluate(const Vector& coefficients) {
  const Matrix C = motion(coefficients).coefficients;
  Q_ = C * grid_.value, V_ = C * grid_.rate, A_ = C * grid_.curve;
  shares_ = shares(grid_, C);
  peak = peaks(shares_);
  use.resize(constraints());
  int at = 0;
  for (int i = 0; i < spans_; ++i) {
    const Eigen::Index first = span(i), count = span(i + 1) - first;
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
    most(k) = two_sided(k) ? shares.row(k).cwiseAbs().maxCoeff() : shares.row(k).maxCoeff();
  return most;
}

Vector ExcitationProblem::fine_peak(const Vector& coefficients) {
  return peaks(shares(fine_, motion(coefficients).coefficients));
}

void ExcitationProblem::gather_information() {
  const int n = joints(), b = base_.size(), inertial = model_.inertial_size(),
            features = std::max(1, model_.feature_count());
  rows_.resize(n * samples(), b);
  for (Eigen::Index s = 0; s < samples(); ++s) {
    at_.set(Q_.col(s), V_.col(s), A_.col(s));
    torque_regressor<double>(at_, regressor_ws_, Y_);
    for (int r = 0; r < n; ++r)
      for (int i = 0; i < b; ++i) {
        const int k = base_.independent[i];
        double x = 0.0;
        if (k < inertial)
          x = Y_(r, k);
        else if ((k - inertial) / features == r)
          x = feature_of(model_.features()[(k - inertial) % features], V_(r, s), A_(r, s), 0.0,
                         direction(V_(r, s), r));
        rows_(s * n + r, i) = weight_(r) * x;
      }
  }
  // a motion that is measured a hundred times a second, whatever the grid
  const double each = 100.0 * basis_.duration() / double(samples());
  G_.setZero(b, b);
  G_.selfadjointView<Eigen::Lower>().rankUpdate(rows_.transpose(), each);
  G_ = Matrix(G_.selfadjointView<Eigen::Lower>());
  const Matrix scaled = Matrix::Identity(b, b) + prior_.transpose() * G_ * prior_;
  log_det = 2.0 * Matrix(scaled.llt().matrixL()).diagonal().array().log().sum();
}

void ExcitationProblem::differentiate() {
  differentiate_information();
  differentiate_use();
}

void ExcitationProblem::differentiate_information() {
  const int n = joints(), b = base_.size(), inertial = model_.inertial_size(),
            features = std::max(1, model_.feature_count());
  const double each = 100.0 * basis_.duration() / double(samples());
  const Matrix scaled = Matrix::Identity(b, b) + prior_.transpose() * G_ * prior_;
  const Matrix inverse = prior_ * scaled.llt().solve(prior_.transpose());
  const RowMatX<double> held = 2.0 * each * rows_ * inverse;
  Matrix q = Matrix::Zero(n, samples()), v = q, a = q;
  Vector pi(inertial);
  for (Eigen::Index s = 0; s < samples(); ++s) {
    at_.set(Q_.col(s), V_.col(s), A_.col(s));
    for (int r = 0; r < n; ++r) {
      pi.setZero();
      for (int i = 0; i < b; ++i) {
        const int k = base_.independent[i];
        const double u = weight_(r) * held(s * n + r, i);
        if (k < inertial) {
          pi(k) = u;
        } else if ((k - inertial) / features == r) {
          const FeatureSlope f =
              slope_of(model_.features()[(k - inertial) % features], steep(V_(r, s), r));
          v(r, s) += u * f.v, a(r, s) += u * f.a;
        }
      }
      probe_.set_inertial(pi);
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
  const Vector half = 0.5 * (limits_.upper - limits_.lower);
  const double scale = capsules_.required() + capsules_.radius();
  use_slope.setZero(constraints(), variables());
  Matrix away(pairs, n), together(n, samples());
  Vector distance(pairs);
  // slopes of the joints' shares by q, v and a, at the samples of a span
  std::vector<Matrix> q(std::size_t(4 * n)), v = q, a = q;
  for (int i = 0; i < spans_; ++i) {
    const Eigen::Index first = span(i), count = span(i + 1) - first;
    const Eigen::Index row = i * per_span(), last = row + per_span() - 1;
    for (std::size_t k = 0; k < q.size(); ++k)
      q[k].setZero(n, count), v[k].setZero(n, count), a[k].setZero(n, count);
    for (Eigen::Index s = 0; s < count; ++s) {
      const auto Q = Q_.col(first + s), V = V_.col(first + s);
      at_.set(Q, V, A_.col(first + s));
      inverse_dynamics_derivatives(plant_, at_, slope_ws_, slope_);
      for (int r = 0; r < n; ++r) {
        q[r](r, s) = 1.0 / half(r), v[n + r](r, s) = 1.0 / limits_.velocity(r);
        a[2 * n + r](r, s) = 1.0 / limits_.acceleration(r);
        const double effort = limits_.effort(r);
        const int k = 3 * n + r;
        q[k].col(s) = slope_.dq.row(r) / effort, v[k].col(s) = slope_.dv.row(r) / effort;
        a[k].col(s) = slope_.da.row(r) / effort;
        for (int f = 0; f < model_.feature_count(); ++f) {
          const FeatureSlope of = slope_of(model_.features()[f], steep(V(r), r));
          const double number = parameters_(model_.at(r, f)) / effort;
          v[k](r, s) += number * of.v, a[k](r, s) += number * of.a;
        }
      }
      if (pairs == 0) continue;
      capsules_.distances(Q, distance, away);
      const auto near = shares_.col(first + s).tail(pairs).array();
      together.col(s) = away.transpose() * (sharpness * (near - use(last))).exp().matrix() / -scale;
    }

    // a smooth maximum changes as its samples do, each by how near the maximum it is
    const auto put = [&](Eigen::Index at, const Matrix& slope) {
      use_slope.row(at) = Eigen::Map<const Eigen::RowVectorXd>(slope.data(), slope.size());
    };
    for (std::size_t w = 0; w < watched_.size(); ++w) {
      const int k = watched_[w];
      const Eigen::Index at = row + Eigen::Index(w);
      const auto part = shares_.row(k).segment(first, count).array();
      const Eigen::RowVectorXd near = (sharpness * (part - use(at))).exp().matrix() -
                                      (sharpness * (-part - use(at))).exp().matrix();
      const auto along = [&](const Matrix& functions) {
        return near.asDiagonal() * functions.middleCols(first, count).transpose();
      };
      put(at, q[k] * along(grid_.value) + v[k] * along(grid_.rate) + a[k] * along(grid_.curve));
    }
    if (pairs > 0)
      put(last, together.leftCols(count) * grid_.value.middleCols(first, count).transpose());
  }
}

}  // namespace ulna::identify
