#pragma once

#include <span>

#include "identify/estimate/measurements.hpp"
#include "ulna/identify/choose/choose.hpp"

/// The widest model of a robot's torques, and its sums of squares, of which those of all smaller models are blocks.
namespace ulna::identify {

/// Unknowns: those of a TorqueModel with all features that are linear and not the same in other words; behind them the delay of torques, three
/// numbers of each motor that may be coupled, and a compliance per joint.
class Lattice {
 public:
  explicit Lattice(const Model& model);

  /// Something that a model has or has not, with its unknowns.
  struct Part {
    std::string name;
    std::vector<int> unknowns;
  };
  /// Those of features in their order, the delay, coupled motors, springs.
  const std::vector<Part>& parts() const { return parts_; }
  int feature_part(Feature feature) const;
  int delay_part() const { return int(torques_.features().size()); }
  int coupling_part(std::size_t k) const { return delay_part() + 1 + int(k); }
  int spring_part() const { return int(parts_.size()) - 1; }

  const TorqueModel& torques() const { return torques_; }
  const std::vector<Coupling>& couplings() const { return couplings_; }
  int size() const { return torques_.unknowns() + 1 + 3 * int(couplings_.size()) + nv(); }
  int delay_at() const { return torques_.unknowns(); }
  int coupling_at(std::size_t k) const { return delay_at() + 1 + 3 * int(k); }
  int spring_at(int dof) const { return coupling_at(couplings_.size()) + dof; }
  int nv() const { return torques_.model().nv(); }

  PhysicalPrior prior(const Vector& typical, const PriorOptions& options) const;

 private:
  TorqueModel torques_;
  std::vector<Coupling> couplings_;
  std::vector<Part> parts_;
};

/// Motion at one cut-off, in parts that are predicted from each other: samples, and sums of squares of each part and degree of freedom.
class CutOff {
 public:
  /// Refers to the lattice. `part_of(log, time)` is the part that a sample belongs to.
  CutOff(const Lattice& lattice, Prepared prepared, int parts,
         const std::function<int(int log, double t)>& part_of);

  double hz() const { return prepared_.filter_hz; }
  double rate_hz() const { return data_.correlated * hz(); }
  Index size() const { return data_.size(); }
  const TorqueData& data() const { return data_; }

  /// Friction by load is by the torques that these numbers predict: by those that were measured it would know when friction
  /// changes its sign, however wrong the model. Columns of springs, where they are asked for, are those of a robot with these numbers.
  void follow(const Vector& z, bool springs);

  const Sums& of(int part, int dof) const { return sums_[std::size_t(part * lattice_.nv() + dof)]; }
  Index samples(int part) const { return samples_[std::size_t(part)]; }
  Matrix predicted(const Vector& z) const;
  /// Torques of the bodies alone.
  Matrix bodies(const Vector& z) const;

 private:
  void add_up();
  void predict_loads(const Vector& z);
  void linearise_springs(const Vector& z);
  Matrix with_effects(const Piece& piece) const;

  const Lattice& lattice_;
  Prepared prepared_;
  TorqueData data_;
  Matrix x_;  ///< all factors of each degree of freedom, one degree of freedom after the other
  std::vector<int> part_;  ///< of each sample
  std::vector<Index> samples_;
  std::vector<Sums> sums_;
  int parts_, factors_;
};

/// Below which frequency motion shows in torques, by the coherence of measured and predicted torques [Bendat, Piersol 2010]: there what is
/// explained above it and what is not explained below it are least together. NaN if there is too little motion for a spectrum.
double band_of(const Matrix& measured, const Matrix& predicted, const std::vector<Index>& breaks,
               double rate_hz, double highest_hz);

/// After how many seconds motion repeats itself; 0 if it does not.
double period_of(const Prepared& prepared);

}  // namespace ulna::identify
