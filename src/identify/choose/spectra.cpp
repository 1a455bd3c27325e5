#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "identify/choose/lattice.hpp"

namespace ulna::identify {
namespace {

/// Spectra of two signals at even frequencies, and of both together, by windows that overlap by half [Welch 1967].
class CrossSpectra {
 public:
  CrossSpectra(double rate_hz, double seconds, double highest_hz)
      : rate_(rate_hz),
        length_(std::lround(seconds * rate_hz)),
        bins_(int(highest_hz * seconds)),
        xx_(Vector::Zero(bins_)),
        yy_(xx_),
        xy_(Eigen::VectorXcd::Zero(bins_)) {}

  void add(const Vector& x, const Vector& y) {
    for (Index from = 0; from + length_ <= x.size(); from += length_ / 2) {
      ++windows_;
      const Vector a = windowed(x.segment(from, length_)), b = windowed(y.segment(from, length_));
      for (int f = 0; f < bins_; ++f) {
        const std::complex<double> turn =
            std::polar(1.0, -2.0 * std::numbers::pi * double(f + 1) / double(length_));
        std::complex<double> phase = 1.0, p = 0.0, q = 0.0;
        for (Index k = 0; k < length_; ++k, phase *= turn) p += a(k) * phase, q += b(k) * phase;
        xx_(f) += std::norm(p), yy_(f) += std::norm(q), xy_(f) += std::conj(p) * q;
      }
    }
  }
  int bins() const { return bins_; }
  int windows() const { return windows_; }
  double hz(int f) const { return double(f + 1) * rate_ / double(length_); }
  /// Power of y, and the share of it that x explains, less what so few windows explain by chance.
  double power(int f) const { return yy_(f); }
  double explained(int f) const {
    const double both = xx_(f) * yy_(f);
    if (!(both > 0.0)) return 0.0;
    constexpr double independent = 0.6;  // of windows that overlap by half
    const double chance = std::min(0.5, 1.0 / (independent * windows_));
    return std::clamp((std::norm(xy_(f)) / both - chance) / (1.0 - chance), 0.0, 1.0);
  }

 private:
  Vector windowed(const Vector& x) const {
    const Vector centred = x.array() - x.mean();
    Vector w(length_);
    for (Index k = 0; k < length_; ++k)
      w(k) = centred(k) *
             (1.0 - std::cos(2.0 * std::numbers::pi * (double(k) + 0.5) / double(length_)));
    return w;
  }

  double rate_;
  Index length_;
  int bins_, windows_ = 0;
  Vector xx_, yy_;
  Eigen::VectorXcd xy_;
};

}  // namespace

double band_of(const Matrix& measured, const Matrix& predicted, const std::vector<Index>& breaks,
               double rate_hz, double highest_hz) {
  constexpr double longest = 4.0;
  const std::vector<Range> pieces = pieces_of(breaks, measured.cols());
  Index all = 0;
  for (const Range& piece : pieces) all += piece.size();
  const double seconds = std::min(longest, double(all) / rate_hz / 6.0);
  // what is lost by a cut-off above each frequency: explained torque above it, and the rest below it
  Vector lost;
  double resolution = 0.0;
  for (Index i = 0; i < measured.rows(); ++i) {
    CrossSpectra spectra(rate_hz, seconds, highest_hz);
    for (const Range& piece : pieces)
      spectra.add(predicted.row(i).segment(piece.begin, piece.size()),
                  measured.row(i).segment(piece.begin, piece.size()));
    if (spectra.windows() < 4) return std::numeric_limits<double>::quiet_NaN();
    if (lost.size() == 0) lost = Vector::Zero(spectra.bins());
    resolution = spectra.hz(0);
    double power = 0.0, explained = 0.0, change = 0.0;
    for (int f = 0; f < spectra.bins(); ++f)
      power += spectra.power(f), explained += spectra.power(f) * spectra.explained(f);
    if (!(power > 0.0)) continue;
    // a joint counts by the share of its torque that motion explains: one that is all noise has nothing to lose
    const double counts = explained / power;
    for (int f = 0; f < spectra.bins(); ++f) {
      change += counts * spectra.power(f) * (1.0 - 2.0 * spectra.explained(f)) / power;
      lost(f) += change;
    }
  }
  if (lost.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  Index least = 0;
  lost.minCoeff(&least);
  return resolution * double(least + 1);
}

double period_of(const Prepared& prepared) {
  constexpr double shortest = 1.0, same = 0.005, elsewhere = 0.2, most = 0.75;
  const auto longest = std::ranges::max_element(prepared.pieces, {}, &Piece::size);
  if (longest == prepared.pieces.end()) return 0.0;
  const auto stride = std::max<Index>(1, Index(longest->rate_hz / 20.0));
  const double rate = longest->rate_hz / double(stride);
  const Index n = longest->size() / stride;
  Matrix q = longest->q(Eigen::all, Eigen::seqN(0, n, stride));
  q.colwise() -= q.rowwise().mean().eval();
  const double size = q.squaredNorm() / double(std::max<Index>(n, 1));
  if (!(size > 0.0)) return 0.0;
  double before = 1.0, best = 0.0;
  bool away = false;
  for (auto lag = Index(shortest * rate); double(lag) < most * double(n); ++lag) {
    const double off =
        (q.rightCols(n - lag) - q.leftCols(n - lag)).squaredNorm() / double(n - lag) / (2.0 * size);
    away |= off > elsewhere;
    if (away && off < same && off < before) best = double(lag) / rate, before = off;
    // the first time that motion repeats itself, and not the second
    if (best > 0.0 && off > elsewhere) break;
  }
  return best;
}

}  // namespace ulna::identify
