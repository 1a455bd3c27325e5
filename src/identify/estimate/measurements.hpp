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
  /// The same of some samples, the first `some` of which pieces begin at `breaks`.
  virtual Matrix some_errors(const Vector& z) const { return errors(z); }
  /// Of a matrix over all samples, those.
  virtual Matrix some_of(const Matrix& all) const { return all; }
  /// Signals of those samples that the equations' columns are alike to, row by row.
  virtual std::vector<const Matrix*> motion() const = 0;

  Index size = 0;  ///< samples
  Vector typical;  ///< root mean square per channel
  double correlated = 1.0;
  std::vector<Index> breaks;
  /// Where a joint rests, its dry friction is anything up to its level, and one thing as long as it rests. By how much an equation may be
  /// off, as a variance in squares of the level, times the samples in a row that share it; empty if none rests.
  Matrix at_rest;
  Matrix dry_friction;  ///< channels x unknowns: the level is this times z

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
