#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "ulna/identify/types.hpp"

/// Filters for logs: resampling at even times, a Butterworth low-pass that is run forwards and backwards and so shifts nothing,
/// differences that are exact for polynomials, and a causal filter for use while the robot moves.
/// A row of a matrix is a channel, a column a sample.
///
/// The equation of motion is linear in torque and parameters: it stays true of filtered signals if all
/// of them pass the same filter, however much of each is lost [Swevers, Verdonck, De Schutter 2007].
namespace ulna::identify {

/// One section of second order: y = b0 x + b1 x' + b2 x'' - a1 y' - a2 y''.
struct Biquad {
  double b0 = 1.0, b1 = 0.0, b2 = 0.0, a1 = 0.0, a2 = 0.0;
};

/// Butterworth, by the bilinear transform with the cut-off kept in its place: |H(cutoff)|² = 1/2, and
/// |H(f)|² = 1 / (1 + (tan(π f / rate) / tan(π cutoff / rate))^(2 order)).
class LowPass {
 public:
  static constexpr int max_order = 8;

  /// Throws std::invalid_argument unless 0 < cutoff < rate / 2 and 1 <= order <= max_order.
  LowPass(double cutoff_hz, double rate_hz, int order = 4);

  double cutoff_hz() const { return cutoff_; }
  double rate_hz() const { return rate_; }
  int order() const { return order_; }
  std::span<const Biquad> sections() const { return sections_; }

  /// |H| of one pass; forwards and backwards it is the square.
  double gain(double hz) const;
  /// By how many seconds one pass delays slow signals.
  double delay() const;

 private:
  double cutoff_, rate_;
  int order_;
  std::vector<Biquad> sections_;
};

/// A low-pass over samples of several channels, one after the other. Allocates in its constructor only.
class Cascade {
 public:
  Cascade(const LowPass& filter, Index channels);

  /// As if x had always been.
  void start(const Eigen::Ref<const Eigen::ArrayXd>& x);
  /// Replaces the next sample by what the filter makes of it.
  void pass(Eigen::Ref<Eigen::ArrayXd> x);

 private:
  std::vector<Biquad> sections_;
  Eigen::ArrayXXd s1_, s2_;  ///< sections x channels
};

/// Runs the filter forwards and backwards over each row: a sine below the cut-off comes out where it
/// was, |H|² times as large. Beyond its ends the signal is continued by turning it about its end
/// points, which keeps value and slope. Throws std::invalid_argument if a number is not finite.
void zero_phase(const LowPass& filter, Matrix& x);

/// The derivative of each row with respect to time, by differences over nine samples (fewer if there
/// are fewer), one-sided at the ends. Exact for polynomials of degree 8; of a sine with w radians per
/// sample, at least four samples away from the ends, the share w^8 / 630 is lost at most.
Matrix derivative(const Matrix& x, double rate_hz);

/// How many even samples a stretch of so many seconds holds, both ends included.
inline Index even_samples(double seconds, double rate_hz) {
  return Index(std::floor(seconds * rate_hz * (1.0 + 1e-12))) + 1;
}

/// Values at even times from samples at uneven ones, t strictly increasing. Between two samples a cubic
/// is laid through them and one neighbour on each side (at the ends, two on one side): cubic
/// polynomials are reproduced whatever the clock does. Neighbours nearer than half the median step are
/// passed over, because the noise of samples that almost coincide would be blown up.
class Resampler {
 public:
  enum class Kind { linear, cubic };

  /// For the times begin + k / rate_hz, k = 0 .. count - 1. Throws std::invalid_argument if t does not
  /// increase or the times reach beyond it.
  Resampler(const Vector& t, double begin, double rate_hz, Index count, Kind kind = Kind::cubic);

  /// Rows are channels.
  Matrix operator()(const Matrix& x) const;

 private:
  struct Stencil {
    Index sample[4];
    double weight[4];
  };
  std::vector<Stencil> stencils_;
  Index samples_;
};

/// Filters a robot's motion and torques while they are measured, sample by sample, without allocation.
/// All that comes out is late by the same time, so that it belongs together.
///
///     MotionFilter filter(7, LowPass(20.0, 1000.0, 2), MotionFilter::Velocity::measured);
///     if (filter.update(q, v, tau) && filter.settled()) learn(filter.q(), filter.v(), ...);
///
/// Derivatives are (x - x') / h; what is not differentiated is averaged, (x + x') / 2, and so waits the
/// same half sample. Together they differentiate as the bilinear transform does: of a sine with w
/// radians per sample, the rate comes out tan(w/2) / (w/2) times too large.
class MotionFilter {
 public:
  enum class Velocity { measured, from_position };

  /// Joints are degrees of freedom with one coordinate each.
  MotionFilter(int joints, const LowPass& filter, Velocity velocity);

  /// Takes a sample. A number that is not finite is replaced by the one before it, and the result is
  /// then false: what comes out is finite, but not measured. With Velocity::from_position, v is not
  /// looked at and may be empty. Throws std::invalid_argument if a size is wrong.
  bool update(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v,
              const Eigen::Ref<const Vector>& tau);
  /// Forgets everything: the next sample is taken for rest. For gaps.
  void reset() { samples_ = 0; }

  const Vector& q() const { return q_; }
  const Vector& v() const { return v_; }
  const Vector& a() const { return a_; }
  const Vector& tau() const { return tau_; }
  /// What the filter makes of the sign of the velocity, as it makes it of the dry friction in tau.
  const Vector& direction() const { return direction_; }

  /// By how many seconds slow signals come out late: all of them by the same.
  double delay() const {
    return filter_.delay() + (velocity_ == Velocity::measured ? 0.5 : 1.0) / filter_.rate_hz();
  }
  /// Whether the beginning has been forgotten: ten delays have passed.
  bool settled() const { return samples_ > settling_; }

 private:
  int joints_;
  LowPass filter_;
  Velocity velocity_;
  long samples_ = 0, settling_ = 0;
  Eigen::ArrayXd input_;  ///< q, v, tau, direction: the last finite numbers
  /// Low-passed, and the same a sample and two samples ago.
  Eigen::ArrayXd now_ = input_, last_ = input_, before_last_ = input_, mean_ = input_;
  Cascade cascade_;
  Vector q_ = Vector::Zero(joints_), v_ = q_, a_ = q_, tau_ = q_, direction_ = q_;
};

}  // namespace ulna::identify
