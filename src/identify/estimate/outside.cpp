#include "identify/estimate/outside.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "identify/estimate/measurements.hpp"
#include "ulna/derivatives/derivatives.hpp"

namespace ulna::identify {
namespace {

/// An effect is there if it is more than so many of its deviations.
constexpr double deviations_there = 3.0;

/// Rates of change per sample, within each piece.
Matrix rate_of(const Matrix& x, const std::vector<Range>& pieces) {
  Matrix rate = Matrix::Zero(x.rows(), x.cols());
  for (const Range& piece : pieces)
    for (Index k = piece.begin + 1; k + 1 < piece.end; ++k)
      rate.col(k) = 0.5 * (x.col(k + 1) - x.col(k - 1));
  return rate;
}

/// Torques by effects of size 1: some of each joint alone, and springs, which all joints feel.
class EffectColumns {
 public:
  EffectColumns(const TorqueModel& model, const TorqueData& data, const Vector& z)
      : model_(model), nv_(model.model().nv()) {
    const Index stride = std::max<Index>(1, data.size() / 4000);
    for (Index k = stride / 2; k < data.size(); k += stride) samples_.push_back(k);
    const Matrix tau = model.torques(z, data.q, data.v, data.a, data.x);
    const std::vector<Range> pieces = pieces_of(data.breaks, data.size());
    const Matrix rate = rate_of(tau, pieces), bend = rate_of(rate, pieces);
    for (int k = 0; k < model.feature_count(); ++k)
      has_load_ |= model.features()[std::size_t(k)] == Feature::load;
    some_ = some_of(data, samples_, {0});
    const bool springs = data.rate_hz > 0.0;
    own_ = has_load_ ? 3 : 4;
    factors_ = model.feature_count() + own_ + (springs ? nv_ : 0);
    x_.setZero(Index(factors_) * nv_, some_.size());
    const int features = model.feature_count();
    for (int i = 0; i < nv_; ++i) {
      const double slow = std::max(0.1 * rms(data.v.row(i))(0), 1e-9);
      x_.middleRows(Index(factors_) * i, features) =
          some_.x.middleRows(Index(features) * i, features);
      for (Index s = 0; s < some_.size(); ++s) {
        const Index at = samples_[std::size_t(s)];
        const double v = data.v(i, at);
        double* const own = &x_(Index(factors_) * i + features, s);
        const double direction = sign_of(v) * (data.sliding.size() ? data.sliding(i, at) : 1.0);
        own[0] = direction * std::exp(-std::abs(v) / slow);
        own[1] = v * std::abs(v);
        own[2] = rate(i, at);
        if (!has_load_) own[3] = direction * std::abs(tau(i, at));
      }
    }
    if (springs) add_springs(z, tau, data.rate_hz * rate, data.rate_hz * data.rate_hz * bend);
  }

  const std::vector<Index>& samples() const { return samples_; }
  const TorqueData& some() const { return some_; }
  int count() const { return own_ * nv_ + (factors_ - model_.feature_count() - own_); }

  /// Sums over unknowns and effects.
  Sums sums(const Vector& weights, const Matrix& W) const {
    NormalEquations equations(model_.model(), factors_);
    equations.add(some_.q, some_.v, some_.a, some_.tau, x_, W);
    const int inertial = model_.inertial_size(), features = model_.feature_count(),
              unknowns = model_.unknowns();
    std::vector<int> to;
    for (int k = 0; k < inertial; ++k) to.push_back(k);
    for (int i = 0; i < nv_; ++i)
      for (int f = 0; f < factors_; ++f)
        to.push_back(f < features          ? model_.at(i, f)
                     : f < features + own_ ? unknowns + own_ * i + f - features
                                           : unknowns + own_ * nv_ + f - features - own_);
    Sums wide, all;
    equations.assemble(weights, wide.G, wide.g, wide.size);
    const int size = unknowns + count();
    all.G.setZero(size, size), all.g.setZero(size), all.size = wide.size;
    for (Index c = 0; c < wide.G.cols(); ++c) {
      all.g(to[std::size_t(c)]) += wide.g(c);
      for (Index r = 0; r < wide.G.rows(); ++r)
        all.G(to[std::size_t(r)], to[std::size_t(c)]) += wide.G(r, c);
    }
    return all;
  }

 private:
  /// Encoders are at the motors: links are behind by the torque times a compliance.
  void add_springs(const Vector& z, const Matrix& tau, const Matrix& rate, const Matrix& bend) {
    const Model& model = model_.model();
    Plant<double> plant(model);
    plant.set_inertial(z.head(model_.inertial_size()));
    plant.remove_friction();
    plant.armature.setZero();
    Kinematics<double> at(model);
    DerivativeWorkspace<double> ws(model);
    InverseDynamicsDerivatives<double> d(model);
    const Index first = model_.feature_count() + own_;
    for (Index s = 0; s < some_.size(); ++s) {
      const Index k = samples_[std::size_t(s)];
      at.set(some_.q.col(s), some_.v.col(s), some_.a.col(s));
      inverse_dynamics_derivatives<double>(plant, at, ws, d);
      for (int j = 0; j < nv_; ++j)
        for (int i = 0; i < nv_; ++i)
          x_(Index(factors_) * i + first + j, s) =
              -d.dq(i, j) * tau(j, k) - d.dv(i, j) * rate(j, k) - d.da(i, j) * bend(j, k);
    }
  }

  const TorqueModel& model_;
  int nv_, own_ = 0, factors_ = 0;
  bool has_load_ = false;
  std::vector<Index> samples_;
  TorqueData some_;
  Matrix x_;
};

/// Effects that are there, with their most likely size and its covariance, by sparse Bayesian learning [Tipping, Faul 2003]: an effect
/// has a prior around zero as wide as makes the data likeliest, and is left out if that is not clearly wide.
struct Sparse {
  std::vector<int> there;
  Vector size;
  Matrix covariance;

  Sparse(const Matrix& C, const Vector& r) {
    const Index n = r.size();
    Vector precision = Vector::Zero(n);  // 0: left out
    for (int step = 0; step < 4 * int(n); ++step) {
      settle(C, r, precision);
      double most = 0.01;
      Index best = -1;
      double best_precision = 0.0;
      for (Index k = 0; k < n; ++k) {
        Vector beside(Index(there.size()));
        for (std::size_t j = 0; j < there.size(); ++j) beside(Index(j)) = C(there[j], k);
        double S = C(k, k), Q = r(k);
        if (!there.empty()) {
          S -= beside.dot(covariance * beside);
          Q -= beside.dot(size);
        }
        const double own = precision(k);
        const double s = own > 0.0 ? own * S / std::max(own - S, 1e-300) : S,
                     q = own > 0.0 ? own * Q / std::max(own - S, 1e-300) : Q;
        if (!(s > 1e-9 * C(k, k)) || !(C(k, k) > 0.0)) continue;
        const double t = q * q / s;
        const double wanted = t > deviations_there * deviations_there ? s * s / (q * q - s) : 0.0;
        const auto likelihood = [&](double a) {
          return a > 0.0 ? 0.5 * (std::log(a / (a + s)) + q * q / (a + s)) : 0.0;
        };
        double gain = likelihood(wanted) - likelihood(own);
        if (wanted == 0.0 && own > 0.0) gain = 1e3;
        if (gain > most) most = gain, best = k, best_precision = wanted;
      }
      if (best < 0) break;
      precision(best) = best_precision;
    }
    settle(C, r, precision);
  }

 private:
  void settle(const Matrix& C, const Vector& r, const Vector& precision) {
    there.clear();
    for (Index k = 0; k < r.size(); ++k)
      if (precision(k) > 0.0) there.push_back(int(k));
    if (there.empty()) return;
    const Matrix own = C(there, there);
    covariance = inverse_of(own + Matrix(precision(there).asDiagonal()));
    size = covariance * r(there);
  }
};

}  // namespace

Matrix outside_the_model(const TorqueModel& model, const TorqueData& data, const Weighted& found) {
  const Index n = Index(found.free.size());
  const Matrix nothing = Matrix::Zero(n, n);
  if (model.loops() || model.feature_count() == 0) return nothing;
  const EffectColumns columns(model, data, found.z);
  Matrix W;
  if (found.rests.size() > 0) W = found.rests(Eigen::all, columns.samples());
  const double share = double(data.size()) / double(columns.some().size());
  const Sums all = columns.sums(share * found.weights, W);
  std::vector<int> effects;
  for (int k = 0; k < columns.count(); ++k) effects.push_back(model.unknowns() + k);
  // what is left unexplained, along the effects, and these beside the parameters
  Vector whole = Vector::Zero(all.g.size());
  whole.head(model.unknowns()) = found.z;
  const Vector left = (all.g - all.G * whole)(effects);
  const Matrix B = all.G(found.free, effects), taken = found.covariance * B;
  const Matrix C = all.G(effects, effects) - B.transpose() * taken;
  const Sparse sparse(0.5 * (C + C.transpose()), left);
  if (sparse.there.empty()) return nothing;
  const Matrix by_effect = taken(Eigen::all, sparse.there);
  const Vector shift = by_effect * sparse.size;
  return shift * shift.transpose() + by_effect * sparse.covariance * by_effect.transpose();
}

}  // namespace ulna::identify
