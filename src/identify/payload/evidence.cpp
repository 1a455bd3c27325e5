#include "identify/payload/evidence.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numbers>

#include "identify/messages.hpp"
#include "ulna/dynamics/kinematics.hpp"

namespace ulna::identify {
namespace {

/// The degrees of freedom that move a body.
std::vector<Index> movers_of(const Model& model, int body) {
  Kinematics<double> at(model);
  at.set(neutral(model));
  std::vector<Index> movers;
  for (int b = body; b > 0; b = model.joint(b).parent)
    for (const auto& d : at.directions(b))
      if (!std::ranges::count(movers, Index(d.dof))) movers.push_back(d.dof);
  std::ranges::sort(movers);
  return movers;
}

/// From the base to a body, by all joints between.
double reach_of(const Model& model, int body) {
  double sum = extent(model, body);
  for (int b = body; b > 0; b = model.joint(b).parent)
    sum += model.joint(b).X_PJ.translation().norm();
  return sum;
}

}  // namespace

PayloadEvidence::PayloadEvidence(const TorqueModel& model, int body, const Estimate& robot,
                                 const TorqueData& without, const TorqueData& with,
                                 const EstimateOptions& how, const PayloadOptions& options)
    : model_(model),
      body_(body),
      with_(with),
      z_(robot.z),
      reach_(reach_of(model.model(), body)),
      before_(model, without),
      loaded_(model, with),
      joint_weights_(how.joint_weights.size() ? how.joint_weights
                                              : Vector(Vector::Ones(model.model().nv()))) {
  const Index n = model.unknowns();
  for (int k = 0; k < n; ++k) at_.push_back(k);
  if (without.size() > 0) changing_ = features_that_change(model);
  at_.insert(at_.end(), changing_.begin(), changing_.end());
  for (int k = 0; k < 10; ++k) at_.push_back(10 * (body - 1) + k);
  set_prior(how, options);

  const Vector least = 1e-12 * rms(with.tau).cwiseAbs2();
  weights_before_ = robot.noise.cwiseAbs2()
                        .cwiseProduct(robot.correlated)
                        .cwiseMax(least)
                        .cwiseMax(1e-300)
                        .cwiseInverse()
                        .cwiseProduct(joint_weights_);
  weights_ = weights_before_;
  for (const auto& part : before_.measured) old_.push_back(part->sums(weights_before_));
}

void PayloadEvidence::set_prior(const EstimateOptions& how, const PayloadOptions& options) {
  const Index n = model_.unknowns(), size = Index(at_.size());
  const Vector typical = rms(before_.data.empty() ? with_.tau : before_.data.front().tau);
  PriorOptions believed = how.prior;
  if (before_.data.empty())
    believed.deviation = options.robot_deviation, believed.from_robot = true;
  const PhysicalPrior prior = make_prior(model_, typical.cwiseMax(1e-6), believed);
  // numbers of a description are those that the prior has: those of bodies that can exist
  if (before_.data.empty()) z_ = prior.center();
  prior_ = Matrix::Zero(size, size);
  prior_.topLeftCorner(n, n) = prior.information(prior.inside(z_) ? z_ : prior.center());

  const Vector change = feature_changes(model_, z_, typical, options.friction_change);
  for (std::size_t c = 0; c < changing_.size(); ++c)
    prior_(n + Index(c), n + Index(c)) = 1.0 / (change(Index(c)) * change(Index(c)));
  // so little that it decides only what nothing else does
  double mass = 0.0;
  for (int b = 0; b < model_.model().joint_count(); ++b) mass += std::abs(z_(10 * b));
  const double most = 3.0 * std::max(mass, 1e-3);
  for (int k = 0; k < 10; ++k) {
    const double deviation = most * (k == 0 ? 1.0 : k < 4 ? reach_ : reach_ * reach_);
    prior_(size - 10 + k, size - 10 + k) = 1.0 / (deviation * deviation);
  }
}

Vector PayloadEvidence::numbers(const Vector& y) const {
  Vector z = z_;
  for (std::size_t k = 0; k < at_.size(); ++k) z(at_[k]) += y(Index(k));
  return z;
}

/// By what is not explained of the motion with the payload.
void PayloadEvidence::weigh(const Vector& y) {
  const Matrix errors = errors_of(model_, numbers(y), with_);
  const Vector alike = correlation(errors, with_.breaks, 5.0 * with_.correlated);
  const double count = double(with_.size());
  for (Index i = 0; i < errors.rows(); ++i) {
    const double fitted = 10.0 / double(errors.rows()) * alike(i);
    const double variance = errors.row(i).squaredNorm() / std::max(count - fitted, 0.1 * count),
                 least = 1e-12 * with_.tau.row(i).squaredNorm() / count;
    weights_(i) = joint_weights_(i) / std::max({variance * alike(i), least, 1e-300});
  }
}

Matrix PayloadEvidence::spread(const Matrix& information) const { return information(at_, at_); }

void PayloadEvidence::add_up() {
  const Index n = model_.unknowns();
  information_ = prior_;
  right_ = Vector::Zero(Index(at_.size()));
  for (const Sums& part : old_) information_.topLeftCorner(n, n) += part.G;
  now_.clear();
  const Matrix W = weights_at_rest(model_, z_, with_, weights_);
  Index from = 0;
  for (std::size_t k = 0; k < loaded_.data.size(); ++k) {
    Measurements& part = *loaded_.measured[k];
    part.weigh(W.middleCols(from, loaded_.data[k].size()));
    from += loaded_.data[k].size();
    now_.push_back(part.sums(weights_));
    information_ += spread(now_.back().G);
    right_ += (now_.back().g - now_.back().G * z_)(at_);
  }
}

PayloadEvidence::Solution PayloadEvidence::solve() {
  const Index n = model_.unknowns(), size = Index(at_.size());
  constexpr int passes = 3;
  Vector y;
  for (int pass = 0; pass < passes; ++pass) {
    if (pass > 0) weigh(y);
    add_up();
    y = inverse_scaled(information_) * right_;
  }
  const Matrix covariance = inverse_scaled(information_);

  // what the payload would be without one stretch or the other [jackknife; Efron 1982]
  Eigen::Matrix<double, 10, 1> variance = Eigen::Matrix<double, 10, 1>::Zero();
  const auto leave_out = [&](const std::vector<Sums>& parts, bool loaded) {
    if (parts.size() < 2) return;
    const double share = double(parts.size() - 1) / double(parts.size());
    for (const Sums& part : parts) {
      Matrix rest = information_;
      Vector right = right_;
      const Vector pull = part.g - part.G * z_;
      if (loaded) {
        rest -= spread(part.G), right -= pull(at_);
      } else {
        rest.topLeftCorner(n, n) -= part.G, right.head(n) -= pull;
      }
      const Vector scale = rest.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
      const Matrix unit = scale.asDiagonal() * rest * scale.asDiagonal();
      const Vector without = scale.cwiseProduct(unit.ldlt().solve(scale.cwiseProduct(right)));
      variance += share * (without - y).tail<10>().cwiseAbs2();
    }
  };
  leave_out(old_, false);
  leave_out(now_, true);

  Solution found;
  found.added = y.tail<10>();
  found.covariance = covariance.bottomRightCorner<10, 10>();
  const Eigen::Matrix<double, 10, 1> wider =
      variance.cwiseQuotient(found.covariance.diagonal()).cwiseMax(1.0).cwiseSqrt();
  found.covariance = wider.asDiagonal() * found.covariance * wider.asDiagonal();
  found.feature_changes = Vector::Zero(n - model_.inertial_size());
  for (std::size_t c = 0; c < changing_.size(); ++c)
    found.feature_changes(changing_[c] - model_.inertial_size()) = y(n + Index(c));
  found.z = numbers(y);
  require(y.allFinite() && covariance.bottomRightCorner(size - n, size - n).allFinite(),
          "payload: the samples have numbers that are too large");
  return found;
}

std::vector<Index> PayloadEvidence::rests() const {
  constexpr double still = 0.02;  // rad or m
  std::vector<Index> rest;
  if (model_.model().nq() != model_.model().nv()) return rest;
  for (const Index i : movers_of(model_.model(), body_))
    if (with_.q.row(i).maxCoeff() - with_.q.row(i).minCoeff() < still) rest.push_back(i);
  return rest;
}

void PayloadEvidence::explain(LinkPayload& payload) const {
  const Model& model = model_.model();
  const std::vector<std::string> joints = model.velocity_names();
  const auto named = [&](const std::vector<Index>& which) {
    std::string s;
    for (const Index i : which) s += (s.empty() ? "'" : ", '") + joints[std::size_t(i)] + "'";
    return s;
  };
  const std::vector<Index> rest = rests();
  if (!rest.empty())
    payload.reasons.push_back(message(rest.size() == 1 ? "joint " : "joints ", named(rest),
                                      rest.size() == 1 ? " rests" : " rest"));
  // torques that a kilogram at the link's origin takes where the robot was
  constexpr Index looks = 60;
  const Index stride = std::max<Index>(1, with_.size() / looks);
  Kinematics<double> at(model);
  RegressorWorkspace<double> ws(model);
  RowMatX<double> Y(model.nv(), model_.inertial_size());
  Matrix weight(model.nv(), (with_.size() + stride - 1) / stride);
  const Vector still = Vector::Zero(model.nv());
  for (Index s = 0; s < weight.cols(); ++s) {
    at.set(with_.q.col(s * stride), still, still);
    torque_regressor<double>(at, ws, Y);
    weight.col(s) = Y.col(10 * (body_ - 1));
  }
  const double gravity = model.gravity().norm();
  const Vector usual = rms(weight);
  const double most = usual.maxCoeff();
  if (!(most > 0.01 * gravity * std::min(1.0, reach_))) {
    payload.reasons.push_back(
        gravity > 0.0 ? "no joint works against its weight, as their axes are vertical: it shows "
                        "where it is accelerated only"
                      : "there is no gravity: it shows where it is accelerated only");
  } else {
    Matrix varying = weight;
    varying.colwise() -= Vector(weight.rowwise().mean());
    const double share = rms(varying).maxCoeff() / most;
    if (share < 0.1)
      payload.reasons.push_back(
          message("the torque of its weight varies by ", number(100.0 * share, 2),
                  " % only, and what does not vary looks like an offset or friction"));
  }
  if (payload.reasons.empty())
    payload.reasons.emplace_back(
        "the motion is too short, too slow or too small for the noise of its torques");
  suggest(payload);
}

/// Where joints go between limits, to and fro, as long as the motion was: q, and v and a.
Matrix PayloadEvidence::to_and_fro(Index dof, const Vector& center, double low, double high,
                                   Matrix& V, Matrix& A) const {
  constexpr Index samples = 200;
  constexpr double seconds = 10.0;
  const double most = model_.model().velocity_limit()(dof), size = 0.5 * (high - low);
  double w = 2.0 * std::numbers::pi * 0.3;
  if (std::isfinite(most) && most > 0.0) w = std::min(w, 0.7 * most / std::max(size, 1e-9));
  Matrix Q = center.replicate(1, samples);
  V = A = Matrix::Zero(center.size(), samples);
  for (Index s = 0; s < samples; ++s) {
    const double u = w * seconds * double(s) / double(samples);
    Q(dof, s) = 0.5 * (low + high) + size * std::sin(u);
    V(dof, s) = size * w * std::cos(u);
    A(dof, s) = -size * w * w * std::sin(u);
  }
  return Q;
}

/// The information on y of as many samples as there were, spread over a motion.
Matrix PayloadEvidence::seen_along(const Matrix& Q, const Matrix& V, const Matrix& A) const {
  const Vector z = z_;
  Matrix tau = Matrix::Zero(V.rows(), V.cols());
  TorqueData data{Q, V, A, tau, model_.features_of(V, A, tau), {0}, with_.correlated};
  data.tau = model_.torques(z, Q, V, A, data.x);
  data.x = model_.features_of(V, A, data.tau);
  const double count = double(with_.size()) / double(Q.cols());
  return count * spread(measurements_of(model_, data)->sums(weights_).G);
}

void PayloadEvidence::suggest(LinkPayload& payload) const {
  const Model& model = model_.model();
  // configurations along loops are not one joint's affair
  if (model.nq() != model.nv() || model_.loops()) return;
  const std::vector<std::string> joints = model.velocity_names();
  const Vector center = with_.q.rowwise().mean();
  const auto deviations_with = [&](const Matrix& more, PayloadMotion& motion) {
    const Matrix own = inverse_scaled(information_ + more).bottomRightCorner<10, 10>();
    motion.mass_deviation = std::sqrt(own(0, 0));
    const double mass = std::max(payload.mass, 1e-9);
    // of h = m c, with c near where it is believed to be
    Eigen::Matrix<double, 3, 10> slope = Eigen::Matrix<double, 3, 10>::Zero();
    slope.col(0) = -payload.unconstrained.segment<3>(1) / (mass * mass);
    slope.middleCols<3>(1) = Mat3<double>::Identity() / mass;
    const Mat3<double> com = slope * own * slope.transpose();
    motion.com_deviation = std::sqrt(std::max(
        0.0,
        Eigen::SelfAdjointEigenSolver<Mat3<double>>(com, Eigen::EigenvaluesOnly).eigenvalues()(2)));
  };
  const bool by_mass =
      payload.state != LinkPayload::State::found || payload.mass_deviation > 0.1 * payload.mass;
  Matrix all = Matrix::Zero(information_.rows(), information_.cols());
  for (const Index i : movers_of(model, body_)) {
    const bool turns = model.joint_of_coordinate(int(i)).type != JointType::prismatic;
    const double wide = turns ? 1.0 : 0.3, share = 0.9;  // rad or m either way
    double low = center(i) - wide, high = center(i) + wide;
    const double middle = 0.5 * (model.lower_limit()(i) + model.upper_limit()(i)),
                 half = 0.5 * share * (model.upper_limit()(i) - model.lower_limit()(i));
    if (std::isfinite(half) && half > 0.0) {
      low = std::clamp(low, middle - half, middle + half);
      high = std::clamp(high, middle - half, middle + half);
    }
    if (!(high > low)) continue;
    Matrix V, A;
    const Matrix Q = to_and_fro(i, center, low, high, V, A);
    const Matrix more = seen_along(Q, V, A);
    all += more;
    PayloadMotion motion{joints[std::size_t(i)], low, high, 0.0, 0.0};
    deviations_with(more, motion);
    payload.helpful.push_back(motion);
  }
  const auto worth = [&](const PayloadMotion& m) {
    return by_mass ? m.mass_deviation : m.com_deviation;
  };
  std::ranges::sort(payload.helpful, {}, worth);
  if (payload.helpful.size() > 1) {
    PayloadMotion together{"", 0.0, 0.0, 0.0, 0.0};
    deviations_with(all, together);
    payload.helpful.resize(std::min<std::size_t>(payload.helpful.size(), 2));
    payload.helpful.push_back(together);
  }
}

}  // namespace ulna::identify
