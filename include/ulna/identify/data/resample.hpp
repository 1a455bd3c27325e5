#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

namespace ulna::identify {

/// How many even samples a stretch of so many seconds holds, both ends included.
inline Eigen::Index even_samples(double seconds, double rate_hz) {
  return Eigen::Index(std::floor(seconds * rate_hz * (1.0 + 1e-12))) + 1;
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
  Resampler(const Eigen::VectorXd& t, double begin, double rate_hz, Eigen::Index count,
            Kind kind = Kind::cubic);

  /// Rows are channels.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& x) const;

 private:
  struct Stencil {
    Eigen::Index sample[4];
    double weight[4];
  };
  std::vector<Stencil> stencils_;
  Eigen::Index samples_;
};

}  // namespace ulna::identify
