#pragma once

#include <map>
#include <optional>

#include "identify/choose/lattice.hpp"
#include "ulna/identify/estimate/consistent.hpp"

/// How models are compared: each is fitted to all parts of the motion but one, and predicts that one.
namespace ulna::identify {

/// Which parts of the lattice a model has.
using Active = std::vector<char>;

/// A model, and how well it predicts.
struct Scored {
  Active active;
  Vector z;        ///< of all motion
  Matrix squares;  ///< not explained, held out: degrees of freedom x parts
  Vector held_out() const { return squares.rowwise().sum(); }
};

/// The motion of all logs in parts, at the cut-offs that are asked for, and what models leave of it.
class Comparison {
 public:
  /// Refers to all of them.
  Comparison(const Model& model, std::span<const Log> logs, const ChooseOptions& options);

  const Lattice& lattice() const { return lattice_; }
  /// Cut-offs that the logs' rates allow, or the one that is given.
  const std::vector<double>& cut_offs() const { return cut_offs_; }
  double highest_hz() const { return highest_hz_; }
  double nearest(double hz) const;

  /// Into parts that are predicted from each other; false if there is too little motion.
  bool divide(double hz);
  int parts() const { return parts_; }
  double part_seconds() const { return part_seconds_; }
  double period() const { return period_; }

  CutOff& at(double hz);
  /// What depends on a model follows that of these numbers: friction by load, and springs where the model has them.
  void follow(const Vector& z, bool springs);
  /// Torques are measured so much later, s; it is compensated from now on.
  void shift(double later);
  double late() const { return late_; }

  /// Cut-offs of what is fitted and of the torques that are predicted.
  double fit_hz() const { return fit_; }
  double target_hz() const { return target_; }
  void fit_below(double hz) { fit_ = hz; }
  void predict_below(double hz) { target_ = hz; }
  /// Joints count by what is left unexplained of them, by a model that is fitted with joints that count by their torques, or by a
  /// model's numbers. `evenness` as of Choice.
  void weigh_first(const Active& active);
  void weigh(const Vector& z, double evenness);
  const Vector& joint_weights() const { return joint_weights_; }

  /// The numbers of a model by all parts, from where those of another are.
  Vector solved(const Active& active, const Vector& from);
  /// The same, and each part predicted by what all others give.
  Scored score(const Active& active, const Vector& from);
  /// Standard deviations of all unknowns, of a model that was fitted to all parts; zero of those that it has not.
  Vector deviations(const Scored& scored);

  /// Of what was held out: its error in percent of the torque, of all joints and of each.
  double percent(const Scored& scored);
  Vector per_joint_percent(const Scored& scored);
  /// The log likelihood of what was held out by one model over that by another, and its deviation by leaving out a part at a time.
  std::pair<double, double> gain(const Scored& from, const Scored& to);
  /// How many torques there are that say something of their own.
  double independent();

  /// Torques are not linear in motion: those of bodies whose motion passes a filter are not the filtered torques of the bodies. By how
  /// much that moves an estimate at most, over what noise moves it; both squared.
  double distortion(double hz, const Scored& scored);

 private:
  class Equations;
  /// Motion without a pause.
  struct Stretch {
    int log;
    double begin, seconds, before;  ///< `before`: seconds of the stretches before it
  };

  Prepared prepared(double hz) const;
  int part_of(int log, double t) const;
  std::vector<int> unknowns_of(const Active& active) const;
  Vector known() const;
  std::vector<Sums> totals();
  Vector target_size();

  Lattice lattice_;
  std::span<const Log> logs_;
  const ChooseOptions& options_;
  Vector known_;
  std::vector<double> cut_offs_;
  double highest_hz_ = 0.0;
  double share_ = 1.0;  ///< of each log that is looked at
  double late_ = 0.0;   ///< s, compensated already
  int decimation_ = 1;
  int parts_ = 0;
  double part_seconds_ = 0.0, period_ = 0.0;
  std::vector<Stretch> stretches_;
  std::optional<PhysicalPrior> prior_;
  std::map<double, CutOff> at_;
  double fit_ = 0.0, target_ = 0.0;
  Vector weights_, alike_, joint_weights_;
  Vector followed_;  ///< what columns are linearised about
  bool springs_ = false;
};

}  // namespace ulna::identify
