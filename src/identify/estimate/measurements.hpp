#pragma once

#include <memory>

#include "identify/data/ranges.hpp"
#include "ulna/identify/estimate/estimate.hpp"

/// What estimates are made from, whatever was measured.
namespace ulna::identify {

/// Sums over equations Y z = y: Y'Y, Y'y and y'y.
struct Sums {
  Eigen::MatrixXd G;
  Eigen::VectorXd g;
  double size = 0.0;
};

/// Equations linear in the unknowns, of several channels: torques of joints, or components of wrenches.
class Measurements {
 public:
  virtual ~Measurements() = default;
  virtual Eigen::Index size() const = 0;        ///< samples
  virtual Eigen::VectorXd typical() const = 0;  ///< root mean square per channel
  virtual double correlated() const = 0;
  virtual void assemble(const Eigen::VectorXd& weights, Sums& sums) const = 0;
  /// Weighs each equation, channels x samples.
  virtual void weigh(const Eigen::MatrixXd& W) = 0;
  virtual Eigen::MatrixXd errors(const Eigen::VectorXd& z) const = 0;
  /// The same of some samples, and where their pieces begin.
  virtual Eigen::MatrixXd some_errors(const Eigen::VectorXd& z) const = 0;
  virtual const std::vector<Eigen::Index>& some_breaks() const = 0;
};

/// The samples of some ranges, each a piece of its own.
TorqueData taken(const TorqueData& data, std::vector<Range> ranges);

/// Both refer to what they are made of.
std::unique_ptr<Measurements> measurements_of(const TorqueModel& model, const TorqueData& data);
std::unique_ptr<Measurements> measurements_of(const Model& model, const WrenchData& data);

}  // namespace ulna::identify
