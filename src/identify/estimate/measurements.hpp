#pragma once

#include <memory>

#include "identify/data/ranges.hpp"
#include "identify/estimate/uncertainty.hpp"
#include "ulna/identify/estimate/estimate.hpp"

/// What estimates are made from, whatever was measured.
namespace ulna::identify {

/// Sums over equations Y z = y: Y'Y, Y'y and y'y.
struct Sums {
  Matrix G;
  Vector g;
  double size = 0.0;
};

/// Equations linear in the unknowns, of several channels: torques of joints, or components of wrenches.
class Measurements {
 public:
  virtual ~Measurements() = default;
  virtual Sums sums(const Vector& weights) const = 0;
  /// Weighs each equation, channels x samples.
  virtual void weigh(const Matrix& W) = 0;
  virtual Matrix errors(const Vector& z) const = 0;
  /// The same of some samples, whose pieces begin at `breaks`.
  virtual Matrix some_errors(const Vector& z) const { return errors(z); }

  Index size = 0;  ///< samples
  Vector typical;  ///< root mean square per channel
  double correlated = 1.0;
  std::vector<Index> breaks;

 protected:
  template <class Data>
  Measurements(const Data& data, const Matrix& measured)
      : size(data.size()),
        typical(rms(measured)),
        correlated(data.correlated),
        breaks(data.breaks) {}
};

/// Some samples, in pieces that begin at `breaks`.
TorqueData some_of(const TorqueData& data, const std::vector<Index>& samples,
                   std::vector<Index> breaks);
/// The samples of some ranges, each a piece of its own.
TorqueData taken(const TorqueData& data, const std::vector<Range>& ranges);

/// Both refer to what they are made of.
std::unique_ptr<Measurements> measurements_of(const TorqueModel& model, const TorqueData& data);
std::unique_ptr<Measurements> measurements_of(const Model& model, const WrenchData& data);

}  // namespace ulna::identify
