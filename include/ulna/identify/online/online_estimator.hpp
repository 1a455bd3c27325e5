#pragma once

#include <span>

#include "ulna/derivatives/regressor.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/identify/estimate/consistent.hpp"

namespace ulna::identify {

/// What is known at a moment: numbers, and the inverse of their covariance by samples and prior; its lower half.
struct Belief {
  explicit Belief(Index unknowns)
      : z(Vector::Zero(unknowns)), information(Matrix::Zero(unknowns, unknowns)) {}
  Vector z;
  Matrix information;
};

/// What samples show of all numbers by least squares, torques in deviations of their noise: information R z = r, R's lower half,
/// the squares of what was measured, and of how many torques.
struct TorqueEvidence {
  explicit TorqueEvidence(Index unknowns) : R(Matrix::Zero(unknowns, unknowns)), r(R.col(0)) {}
  Matrix R;
  Vector r;
  double square = 0.0, count = 0.0;

  void forget(double share);
  void clear() { forget(1.0); }
  /// The squares of what some numbers leave.
  double left(const Vector& z) const;
};

/// What was added to a body's inertia since a moment, by what was known then and what was measured since. A body's inertia
/// is known together with all other numbers only: where those were uncertain at that moment, so is what was added, and what samples
/// since show of them counts. Made once, it allocates no more.
class AddedBody {
 public:
  using Vector10 = Eigen::Matrix<double, 10, 1>;

  AddedBody(Index unknowns, int body);

  /// `correlated`: how many torques say no more than one.
  void find(const Belief& before, const TorqueEvidence& since, double correlated);

  const Vector10& inertia() const { return x_; }  ///< as ten numbers
  /// The standard deviation of its mass; infinite, and all zero, where samples do not determine it.
  double mass_deviation() const { return mass_deviation_; }

 private:
  bool factorise(const Belief& before, const TorqueEvidence& since, double weight);

  Index at_;  ///< of the body, in z
  Matrix A_;  ///< of (z, what was added): information, then its factor; rows filled up
  Vector scale_, solution_, now_, rest_;
  Eigen::VectorXi first_;
  Vector10 x_ = Vector10::Zero();
  double mass_deviation_ = infinity;
};

struct OnlineOptions {
  double rate_hz = 1000.0;
  double memory = 10.0;     ///< s of motion that excites everything: how long what was seen counts
  double correlated = 1.0;  ///< samples over which the filter makes noise alike
  double outlier = 5.0;  ///< deviations, of noise and ignorance: beyond, a torque is not believed
  /// s over which noise is learned too: the level that half of the errors stay below, ignorance
  /// allowed for. 0: it stays as given.
  double noise_memory = 0.0;
  int patience = 100;  ///< samples in a row beyond: then the robot has changed
  /// Torques that are off by less, per degree of freedom, are learned from in the usual way, however certain the
  /// expected ones were: friction is never quite what a model of it says. Empty: 0.
  Vector least_change = {};
  /// What is forgotten then, as positions in z; by default the bodies that carry no other, which is
  /// where payload is, and what joints resist with.
  std::optional<std::vector<int>> changing = {};
  /// By which share of itself what a joint resists with may have changed in a second, as a random walk;
  /// of noise, where that is more. Then it is not forgotten at once with what was picked up.
  double wander = 0.0;
  /// rad/s or m/s below which a joint rests: its dry friction is not known to be more than what it holds
  /// against, and nothing else follows from the joint.
  double slow = 0.0;
  PriorOptions prior = {};
  /// m/s² by which gravity, in the base's axes, may well differ from the model's, as on a base that is tilted: then it is
  /// three unknowns more. 0: it does not.
  double gravity = 0.0;
};

/// Identifies a robot while it moves: takes a sample at a time, and its numbers are those of a real
/// robot after each. Made once, it allocates no more, and every sample takes the same time.
///
///     OnlineEstimator estimator(torque_model, noise);
///     estimator.predict(q, v, a, tau_expected);       // before
///     estimator.update(q, v, a, tau_measured);
///     torque_model.set(estimator.z(), plant);         // what a controller computes with
///
/// Samples are kept as information, R z = r, beside the prior. The old is forgotten only in the
/// directions of a new sample [Cao, Schwartz 2000]: a robot that stands still forgets nothing. What
/// changes all at once, as a payload does, is seen by torques that stay far off, and forgotten at
/// once; when torques are again as they were before, as after a push, what was known then is restored. A Newton step per sample follows the minimum of both.
class OnlineEstimator {
 public:
  enum class Outcome {
    learned,
    doubted,   ///< a torque was far from what was expected, and did not count
    changed,   ///< torques stayed far off: what may have changed is forgotten, to be learned anew
    ignored,   ///< a number was not finite, or absurd: nothing changed
    restored,  ///< torques are again as before the last change: so are the numbers
  };
  using In = Eigen::Ref<const Vector>;

  /// noise: how far off the torques of the right numbers are, per degree of freedom (`estimate`).
  OnlineEstimator(const TorqueModel& model, const Vector& noise, const OnlineOptions& options = {});

  /// The torque that the numbers of now ask for, in the direction that dry friction acts in, which is the
  /// sign of v or what a filter made of it.
  void predict(const In& q, const In& v, const In& a, const In& direction, Eigen::Ref<Vector> tau);
  Outcome update(const In& q, const In& v, const In& a, const In& direction, const In& tau);

  void predict(const In& q, const In& v, const In& a, Eigen::Ref<Vector> tau);
  Outcome update(const In& q, const In& v, const In& a, const In& tau);

  /// How far off the torques of the last sample are by some numbers: mean square over the joints that moved, in
  /// deviations of noise.
  double misfit(const Vector& z) const;

  /// How far off they are by the numbers of now, in deviations of noise; zero of joints that show nothing.
  void errors(Eigen::Ref<Vector> error) const;
  /// Adds what the last sample shows.
  void add_evidence(TorqueEvidence& evidence);
  void believe(Belief& belief);  ///< what is known now
  /// By a step of so many seconds, what a joint resists with is less certain, one number at a time in turn.
  void wander(Belief& belief, long step, double seconds);

  /// Learns from a six-axis sensor in the joint of a body, where friction does not show: moment and
  /// force as of wrench_regressor, not filtered, and deviations.
  Outcome update_wrench(int body, const In& q, const In& v, const In& a, const In& wrench,
                        const In& noise);

  /// Numbers such as z, in a plant.
  void write(const Vector& z, Plant<double>& plant) const;

  const TorqueModel& model() const { return model_; }
  const PhysicalPrior& prior() const { return prior_; }
  /// As the torque model has them; where gravity is unknown, then by how much it differs from the model's.
  const Vector& z() const { return z_; }
  const Vector& noise() const { return torques_.noise; }  ///< as given, or as learned
  /// Of the samples: the inverse of the covariance they alone would leave; its lower half.
  const Matrix& information() const { return R_; }
  long samples() const { return samples_; }    ///< learned from
  long changes() const { return changes_; }    ///< of the robot, noticed
  long restored() const { return restored_; }  ///< changes that were undone
  long ignored() const { return ignored_; }
  /// How many times it had to begin anew from the prior, because its numbers were none any more or their minimum was not found for
  /// a while.
  long restarts() const { return restarts_; }

  /// Forgets the information about some unknowns, and keeps that about the others: when a
  /// gripper closes, say. For `changing`, it is called by update.
  void forget(std::span<const int> unknowns);

  /// The same of `changing`, whose numbers are then believed loosely: when something is about to change.
  void forget_changing();

  /// The last change was none of the robot: what was known before it is restored, and nothing is learned until that explains
  /// torques again, or for some seconds.
  void reject_change();
  /// Whether that is so now.
  bool is_disturbed() const { return disturbed_ > 0; }

  /// Standard deviations of z, from data and prior together. Takes longer than an update.
  void deviations(Eigen::Ref<Vector> deviation);

 private:
  /// Measurements that are taken in together.
  struct Measured {
    Matrix rows;   ///< unknowns x measurements: what each is made of
    Vector noise;  ///< deviations
    double correlated;
    Matrix whitened = rows;                       ///< the same over deviations
    Vector weighed = Vector::Zero(noise.size());  ///< what was measured over deviations
    Vector variance = weighed;                    ///< as the numbers of now are uncertain
    Vector least_change = weighed;
    Eigen::VectorXi surprised = Eigen::VectorXi::Zero(noise.size());  ///< samples in a row

    void leave_out(Index i);
  };
  /// What was known before a change: a push ends, a payload is put down, and it is right again.
  struct Before {
    Matrix R;
    Vector r, z, noise;
    PhysicalPrior prior;
    bool known = false;
    int fits = 0;    ///< samples in a row that it explains
    int better = 0;  ///< of these, samples that the numbers of now do not
  };
  bool explained_before(const In& tau);
  void step();
  bool slides(Index i) const { return held_(i) == 0.0 && !turning_[std::size_t(i)]; }
  void restart();
  void restore();
  int only_surprised() const;
  bool carries_alone(Index joint) const;
  void forget_features(int dof);
  void require_unknowns(std::span<const int> unknowns) const;
  void wander();
  int turn(long step) const;
  double wandered(int unknown, double step) const;
  void set_weights();
  void learn_noise(Index dof, double error);
  void forget_along(const Eigen::Ref<const Vector>& row);
  void set_rows(const In& q, const In& v, const In& a, const In& direction, const In& tau);
  int gravity_size() const { return int(z_.size()) - model_.unknowns(); }
  /// Whether a degree of freedom has a torque of its own: where loops are closed, those that follow others do not.
  bool counts(Index i) const { return !loops_ || loops_->is_independent(int(i)); }
  void close(const In& q, const In& v, const In& a);
  void reduce_rows();
  void set_features(int dof, double v, double a, double tau, double direction);
  void hold(Index dof, double tau);
  Outcome weigh(Measured& measured, Index i, double value, double error);
  void take_in(const Measured& measured, bool changed);
  /// seen_ = the column of an unknown, of a matrix by its lower half.
  void see_column(const Matrix& lower, int k);
  /// R -= share seen_ seen_', r -= share along seen_.
  void take_away(double share, double along);

  TorqueModel model_;
  std::optional<LoopCoordinates> loops_ = model_.loops();  ///< where the last sample is
  PhysicalPrior prior_;
  OnlineOptions options_;
  Kinematics<double> at_;
  RegressorWorkspace<double> ws_;
  Plant<double> plant_;  ///< of z
  Workspace<double> weights_;
  ConsistentSolver solver_;
  Matrix R_;  ///< lower half
  Vector r_, z_;
  Measured torques_, wrench_;
  Eigen::MatrixXi wrench_surprised_;  ///< 6 x bodies
  Vector least_noise_;
  Vector sign_;          ///< of v
  Vector held_ = sign_;  ///< where a joint that rests is driven to, else 0
  /// Joints that move now, but in the filter's memory have rested or moved the other way too: of how their dry friction acted
  /// meanwhile nothing is known.
  std::vector<char> turning_ = std::vector<char>(sign_.size(), 0);
  Vector measured_ = sign_;  ///< torques of the last sample
  /// Of the last sample where loops are closed.
  Vector closed_q_ = loops_ ? loops_->loops().closed_at() : sign_, closed_v_ = sign_,
         closed_a_ = sign_, rate_ = Vector::Zero(loops_ ? loops_->size() : 0), rate_rate_ = rate_;
  Vector seen_ = r_;  ///< R times a row
  Matrix inverse_ = R_;
  bool dry_;  ///< some feature depends on the direction of motion
  std::vector<int> changing_;
  Before before_, first_;  ///< before the last change, and before any sample
  int unsolved_ = 0;       ///< steps in a row that found no minimum
  long restarts_ = 0;
  long samples_ = 0, ignored_ = 0, changes_ = 0, restored_ = 0;
  long last_change_ = 0;  ///< samples_ then
  int settling_ = 0;      ///< samples that a filter still needs after it
  long disturbed_ = 0;    ///< samples without learning that are left, of a change that was none
};

}  // namespace ulna::identify
