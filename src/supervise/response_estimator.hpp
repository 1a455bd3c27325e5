#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

namespace ulna::supervise {

/// Drives that follow what they are sent with a lag of first order.
class LaggingDrives {
 public:
  using Vector = Eigen::VectorXd;

  explicit LaggingDrives(Eigen::Index joints) : driven_(Vector::Zero(joints)), acted_(driven_) {}
  /// Torques that act already.
  void start(const Vector& tau) { driven_ = acted_ = tau; }
  /// A period goes by: returns the mean of the torques that acted.
  const Vector& send(const Eigen::Ref<const Vector>& tau, double lag, double period) {
    if (lag == 0.0) return acted_ = driven_ = tau;
    const double kept = std::exp(-period / lag);
    acted_ = tau + lag / period * (1.0 - kept) * (driven_ - tau);
    driven_ = tau + kept * (driven_ - tau);
    return acted_;
  }

 private:
  Vector driven_, acted_;  ///< at the end of the last period, and on average
};

/// How late one signal follows another: by a delay of whole samples and a lag of first order, those of a grid with which
/// the two correlate best. They are compared without their slow parts and up to a gain that all channels share, so that
/// offsets, friction and the gain of a sensor do not count. Another choice is made only where nearly all of the
/// effect is explained by it, and clearly more than by the choice of before. Allocates in its constructor only.
class ResponseEstimator {
 public:
  using Vector = Eigen::VectorXd;
  using In = const Eigen::Ref<const Vector>&;

  struct Caution {
    double least = 0.0;   ///< root mean square of an effect that counts, in units of the scale
    double after = 0.05;  ///< s of signals before a choice
    double enough = 1.0;  ///< a choice that explains this share of the effect is not left
    double memory = 0.5;  ///< s over which signals count
  };

  /// `scale`: of each channel, by which it counts. `lags` in seconds, rising from 0; delays are 0 .. most_delay samples.
  ResponseEstimator(const Vector& scale, double period, const std::vector<double>& lags,
                    int most_delay, const Caution& caution)
      : caution_(caution),
        least_(caution.least * caution.least * double(scale.size())),
        weight_(scale.cwiseInverse()),
        lags_(lags),
        delays_(most_delay + 1),
        forget_(period / caution.memory),
        slow_share_(1.0 - std::exp(-2.0 * double(EIGEN_PI) * slow_hz * period)),
        lagged_(Eigen::MatrixXd::Zero(scale.size(), Eigen::Index(lags.size()))),
        slow_(lagged_),
        past_(Eigen::MatrixXd::Zero(scale.size(), lagged_.cols() * delays_)),
        all_(Vector::Ones(scale.size())),
        effect_(Vector::Zero(scale.size())),
        slow_effect_(effect_),
        xy_(Eigen::MatrixXd::Zero(delays_, lagged_.cols())),
        xx_(xy_) {
    for (const double lag : lags) share_.push_back(lag > 0.0 ? 1.0 - std::exp(-period / lag) : 1.0);
  }

  /// The cause of a sample: goes through all lags.
  void cause(In x) {
    if (samples_ == 0) lagged_.colwise() = x, slow_.colwise() = x, past_.setZero();
    now_ = (now_ + 1) % delays_;
    for (Eigen::Index c = 0; c < lagged_.cols(); ++c) {
      lagged_.col(c) += share_[std::size_t(c)] * (x - lagged_.col(c));
      slow_.col(c) += slow_share_ * (lagged_.col(c) - slow_.col(c));
      past_.col(column(int(c), 0)) = weight_.cwiseProduct(lagged_.col(c) - slow_.col(c));
    }
    ++samples_;
  }

  /// What it had as effect: after `cause`, of the same sample. True: delay or lag are others than before.
  bool effect(In y) { return effect(y, all_); }
  /// The same of channels that count, 1, and others, 0.
  bool effect(In y, In counts) {
    if (samples_ <= 1) slow_effect_ = y;
    slow_effect_ += slow_share_ * (y - slow_effect_);
    effect_ = counts.cwiseProduct(weight_.cwiseProduct(y - slow_effect_));
    if (!effect_.allFinite()) return reset(), false;
    yy_ += forget_ * (effect_.squaredNorm() - yy_);
    for (int c = 0; c < lagged_.cols(); ++c)
      for (int d = 0; d < delays_; ++d) {
        const auto x = past_.col(column(c, d));
        xy_(d, c) += forget_ * (x.dot(effect_) - xy_(d, c));
        xx_(d, c) += forget_ * (x.cwiseAbs2().dot(counts) - xx_(d, c));
      }
    const double least = lag_ > 0 ? 0.5 * least_ : least_;
    return double(samples_) * forget_ * caution_.memory > caution_.after && yy_ > least && choose();
  }

  /// Signals begin anew; what was chosen stays.
  void reset() { samples_ = 0, yy_ = 0.0, xy_.setZero(), xx_.setZero(), past_.setZero(); }

  /// The choice too.
  void restart() { reset(), delay_ = lag_ = 0; }

  int delay() const { return delay_; }                             ///< samples
  double lag() const { return lags_[std::size_t(lag_)]; }          ///< s
  auto lagged() const { return lagged_.col(lag_); }                ///< the cause, by the chosen lag
  double explained() const { return explained_by(delay_, lag_); }  ///< share of the effect

 private:
  static constexpr double slow_hz = 4.0;
  // shares of what is to be explained, and left
  static constexpr double enough = 0.8, better = 0.25, finer = 0.95, as_good = 1.25;

  Eigen::Index column(int lag, int delay) const {
    return Eigen::Index(lag) * delays_ + (now_ + delays_ - delay) % delays_;
  }

  /// The square of the correlation; none where it is negative.
  double explained_by(int delay, int lag) const {
    const double xy = xy_(delay, lag), all = xx_(delay, lag) * yy_;
    return xy > 0.0 && all > 0.0 ? xy * xy / all : 0.0;
  }

  /// The delay that explains most with a lag.
  int best_delay(int lag) const {
    int best = 0;
    for (int d = 1; d < delays_; ++d)
      if (explained_by(d, lag) > explained_by(best, lag)) best = d;
    return best;
  }

  bool choose() {
    // the share that is not; rounding may make a correlation more than 1
    for (int c = 0; c < xy_.cols(); ++c) {
      best_delay_(c) = best_delay(c);
      left_(c) = std::max(0.0, 1.0 - explained_by(best_delay_(c), c));
    }
    const double least_left = left_.minCoeff();
    // where signals do not distinguish lags, the shortest of those that explain about as much; what is sent from then on does
    const bool first = lag_ == 0;
    int lag = 0;
    while (left_(lag) > (first ? as_good : 1.0) * least_left) ++lag;
    const int delay = best_delay_(lag);
    const double now = explained();
    const bool refines = !first && lag > 0;
    if ((delay == delay_ && lag == lag_) || 1.0 - least_left < enough ||
        (!refines && now > caution_.enough) ||
        !(least_left < (refines ? finer : better) * (1.0 - now)))
      return false;
    delay_ = delay, lag_ = lag;
    return true;
  }

  Caution caution_;
  double least_;  ///< mean square of an effect that counts
  Vector weight_;
  std::vector<double> lags_, share_;
  int delays_;
  double forget_, slow_share_;
  Eigen::MatrixXd lagged_, slow_;  ///< a column for each lag
  Eigen::MatrixXd past_;           ///< fast parts, a ring of delays for each lag
  Vector all_, effect_, slow_effect_;
  Eigen::MatrixXd xy_, xx_;  ///< means of products: delays x lags
  Eigen::VectorXi best_delay_ = Eigen::VectorXi::Zero(xy_.cols());  ///< of each lag,
  Vector left_ = Vector::Ones(xy_.cols());                          ///< and what it leaves
  double yy_ = 0.0;
  int now_ = 0, delay_ = 0, lag_ = 0;
  long samples_ = 0;
};

}  // namespace ulna::supervise
