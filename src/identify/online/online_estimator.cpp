#include "ulna/identify/online/online_estimator.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "identify/dense.hpp"
#include "identify/messages.hpp"

namespace ulna::identify {
namespace {

/// What changes at once: inertias of bodies that carry no other, and what joints resist with.
std::vector<int> changeable(const TorqueModel& model, bool joints) {
  std::vector<int> unknowns;
  const Model& robot = model.model();
  for (int b = 1; b < robot.body_count(); ++b) {
    bool carries = false;
    for (int c = b + 1; c < robot.body_count(); ++c) carries |= robot.joint(c).parent == b;
    for (int k = 0; k < 10 && !carries; ++k) unknowns.push_back(10 * (b - 1) + k);
  }
  for (int i = 0; joints && i < robot.nv(); ++i)
    for (int k = 0; k < model.feature_count(); ++k)
      if (model.features()[k] != Feature::armature) unknowns.push_back(model.at(i, k));
  return unknowns;
}

/// The prior of the robot, and of gravity where that is unknown.
PhysicalPrior online_prior(const TorqueModel& model, const Vector& noise,
                           const OnlineOptions& options) {
  const PhysicalPrior robot = make_prior(model, 30.0 * noise, options.prior);
  if (options.gravity == 0.0) return robot;
  PhysicalPrior prior = robot.extended(3);
  for (int k = 0; k < 3; ++k) prior.add_around(robot.size() + k, 0.0, options.gravity);
  return prior;
}

/// A mean direction below: the joint has rested or turned round for most of what the filter remembers. Its dry friction would be
/// magnified by the inverse of it.
constexpr double one_way = 0.3;

bool has_direction(Feature feature) {
  return terms_of(feature).direction != 0.0 || terms_of(feature).load != 0.0;
}

/// Beyond a million no robot's numbers are measurements.
bool sound(std::initializer_list<OnlineEstimator::In> all) {
  return std::all_of(all.begin(), all.end(), [](auto& x) { return (x.array().abs() < 1e6).all(); });
}

}  // namespace

void OnlineEstimator::Measured::leave_out(Index i) {
  surprised(i) = 0;
  whitened.col(i).setZero();
  weighed(i) = 0.0;
}

OnlineEstimator::OnlineEstimator(const TorqueModel& model, const Vector& noise,
                                 const OnlineOptions& options)
    : model_(model),
      prior_(online_prior(model, noise, options)),
      options_(options),
      at_(model.model()),
      ws_(model.model()),
      plant_(model.model()),
      weights_(model.model()),
      solver_(prior_.size()),
      R_(Matrix::Zero(prior_.size(), prior_.size())),
      r_(Vector::Zero(prior_.size())),
      z_(prior_.center()),
      torques_{Matrix::Zero(prior_.size(), noise.size()), noise, options.correlated},
      wrench_{Matrix::Zero(prior_.size(), 6), Vector::Ones(6), 1.0},
      wrench_surprised_(Eigen::MatrixXi::Zero(6, model.model().body_count())),
      least_noise_(0.01 * noise),
      sign_(Vector::Zero(noise.size())),
      dry_(std::any_of(model.features().begin(), model.features().end(), has_direction)),
      changing_(options.changing.value_or(changeable(model, options.wander == 0.0))),
      before_{R_, r_, z_, noise, prior_},
      first_(before_) {
  require(noise.allFinite() && noise.minCoeff() > 0.0,
          "online estimator: noise must be positive, for each joint");
  require(options.rate_hz > 0.0 && options.memory > 0.0 && options.correlated >= 1.0 &&
              options.outlier > 0.0 && options.patience >= 0 && options.wander >= 0.0 &&
              options.noise_memory >= 0.0 && options.gravity >= 0.0,
          "online estimator: rate, memory and outlier must be positive, patience, wander, noise "
          "memory and gravity not negative, and correlated at least 1");
  if (options.least_change.size() > 0) {
    require(options.least_change.size() == noise.size(), "online estimator: least_change has ",
            options.least_change.size(), " numbers, the robot ", noise.size(), " joints");
    torques_.least_change = options.least_change;
  }
  require_unknowns(changing_);
  solver_.step(R_, r_, prior_, z_);  // where the prior is least: it starts from the prior
  first_.z = z_;
}

void OnlineEstimator::set_rows(const In& q, const In& v, const In& a, const In& direction,
                               const In& tau) {
  if (loops_)
    close(q, v, a);
  else
    at_.set(q, v, a);
  model_.regressor(at_, ws_, tau, direction, torques_.rows.topRows(model_.unknowns()).transpose());
  if (gravity_size() > 0) set_weights();
  if (loops_) reduce_rows();
}

/// A filter leaves loops open a little: what follows is where the others have it.
void OnlineEstimator::close(const In& q, const In& v, const In& a) {
  (void)loops_->follow(q, closed_q_);
  loops_->gather(v, rate_), loops_->gather(a, rate_rate_);
  loops_->move(rate_, rate_rate_, closed_v_, closed_a_);
  at_.set(closed_q_, closed_v_, closed_a_);
}

/// Rows are columns here: N' of them, as of TorqueModel.
void OnlineEstimator::reduce_rows() {
  const Matrix& N = loops_->N();
  for (int k = 0; k < loops_->size(); ++k)
    for (const int d : loops_->dependent())
      torques_.rows.col(loops_->independent()[k]) += N(d, k) * torques_.rows.col(d);
  for (const int d : loops_->dependent()) torques_.rows.col(d).setZero();
}

/// What torques gain from gravity along each axis, by the bodies of now: torques are linear in both, and in their product.
void OnlineEstimator::set_weights() {
  plant_.set_inertial(z_.head(model_.inertial_size()));
  for (int k = 0; k < 3; ++k) {
    plant_.gravity = Vec3<double>::Unit(k);
    gravity_torque<double>(plant_, at_, weights_, seen_.head(model_.model().nv()));
    torques_.rows.row(model_.unknowns() + k) = seen_.head(model_.model().nv());
  }
}

void OnlineEstimator::write(const Vector& z, Plant<double>& plant) const {
  model_.set(z, plant);
  plant.gravity = model_.model().gravity();
  if (gravity_size() > 0) plant.gravity += z.tail<3>();
}

void OnlineEstimator::set_features(int dof, double v, double a, double tau, double direction) {
  for (int k = 0; k < model_.feature_count(); ++k)
    torques_.rows(model_.at(dof, k), dof) = feature_of(model_.features()[k], v, a, tau, direction);
}

void OnlineEstimator::predict(const In& q, const In& v, const In& a, const In& direction,
                              Eigen::Ref<Vector> tau) {
  tau.setZero();
  set_rows(q, v, a, direction, tau);
  tau.noalias() = torques_.rows.transpose() * z_;
  // friction by load goes by the torque it is part of
  for (int k = 0; k < model_.feature_count(); ++k)
    if (model_.features()[k] == Feature::load)
      for (int i = 0; i < tau.size(); ++i)
        tau(i) += feature_of(Feature::load, v(i), a(i), tau(i), direction(i)) * z_(model_.at(i, k));
}

void OnlineEstimator::predict(const In& q, const In& v, const In& a, Eigen::Ref<Vector> tau) {
  sign_ = v.cwiseSign();
  predict(q, v, a, sign_, tau);
}

OnlineEstimator::Outcome OnlineEstimator::update(const In& q, const In& v, const In& a,
                                                 const In& tau) {
  sign_ = v.cwiseSign();
  return update(q, v, a, sign_, tau);
}

OnlineEstimator::Outcome OnlineEstimator::update(const In& q, const In& v, const In& a,
                                                 const In& direction, const In& measured) {
  if (!sound({q, v, a, direction, measured})) {
    ++ignored_;
    return Outcome::ignored;
  }
  set_rows(q, v, a, direction, measured);
  measured_ = measured;
  if (loops_) loops_->reduce(measured_);
  const Vector& tau = measured_;
  for (int i = 0; i < tau.size(); ++i) {
    held_(i) = 0.0;
    // it shows nothing
    turning_[std::size_t(i)] = !counts(i);
    if (!counts(i)) continue;
    const bool rests = dry_ && std::abs(v(i)) < options_.slow;
    turning_[std::size_t(i)] =
        dry_ && options_.slow > 0.0 && !rests && std::abs(direction(i)) < one_way;
    if (!rests) continue;
    // dry friction holds against whatever else there is
    set_features(i, v(i), a(i), tau(i), 0.0);
    held_(i) = sign_of(tau(i) - torques_.rows.col(i).dot(z_));
    set_features(i, v(i), a(i), tau(i), held_(i));
  }
  if (explained_before(tau)) {
    restore();
    before_.known = false, disturbed_ = 0;
    ++restored_, ++samples_;
    return Outcome::restored;
  }
  if (disturbed_ > 0) {
    --disturbed_, ++samples_;
    return Outcome::doubted;
  }
  // what a filter makes of a change is of neither robot until it has passed
  if (settling_ > 0) {
    --settling_, ++samples_;
    return Outcome::doubted;
  }
  torques_.whitened = torques_.rows;
  solver_.variances(torques_.whitened, torques_.variance);
  Outcome outcome = Outcome::learned;
  for (int i = 0; i < tau.size(); ++i) {
    const double error = tau(i) - torques_.rows.col(i).dot(z_);
    // a joint that rests shows that its dry friction is at least what it holds against: that is news
    // only if it is more than it is taken for, by more than noise
    if (held_(i) != 0.0 && error * held_(i) < 3.0 * torques_.noise(i)) {
      torques_.leave_out(i);
      continue;
    }
    if (held_(i) != 0.0) {
      hold(i, tau(i));
      continue;
    }
    outcome = std::max(outcome, weigh(torques_, i, tau(i), error));
    if (slides(i))
      learn_noise(i, error);
    else
      torques_.whitened.col(i).setZero(), torques_.weighed(i) = 0.0;
  }
  if (const int joint = only_surprised(); outcome == Outcome::changed && joint >= 0) {
    forget_features(joint);
    outcome = Outcome::learned;
  }
  // torques take turns in forgetting
  const auto turn = samples_ % tau.size();
  if (torques_.surprised(turn) == 0 && torques_.weighed(turn) != 0.0)
    forget_along(torques_.rows.col(turn));
  if (options_.wander > 0.0) wander();
  take_in(torques_, outcome == Outcome::changed);
  ++samples_;
  return outcome;
}

OnlineEstimator::Outcome OnlineEstimator::update_wrench(int body, const In& q, const In& v,
                                                        const In& a, const In& wrench,
                                                        const In& noise) {
  if (!sound({q, v, a, wrench}) || !(noise.minCoeff() > 0.0)) {
    ++ignored_;
    return Outcome::ignored;
  }
  at_.set(q, v, a);
  wrench_regressor<double>(at_, body, ws_,
                           wrench_.rows.topRows(model_.inertial_size()).transpose());
  wrench_.noise = noise, wrench_.surprised = wrench_surprised_.col(body);
  wrench_.whitened = wrench_.rows;
  solver_.variances(wrench_.whitened, wrench_.variance);
  Outcome outcome = Outcome::learned;
  for (int i = 0; i < 6; ++i)
    outcome =
        std::max(outcome, weigh(wrench_, i, wrench(i), wrench(i) - wrench_.rows.col(i).dot(z_)));
  wrench_surprised_.col(body) = wrench_.surprised;
  take_in(wrench_, outcome == Outcome::changed);
  return outcome;
}

double OnlineEstimator::misfit(const Vector& z) const {
  double sum = 0.0;
  int moved = 0;
  for (Index i = 0; i < measured_.size(); ++i)
    if (slides(i)) {
      const double error = (measured_(i) - torques_.rows.col(i).dot(z)) / torques_.noise(i);
      sum += error * error;
      ++moved;
    }
  return moved > 0 ? sum / moved : 0.0;
}

void OnlineEstimator::errors(Eigen::Ref<Vector> error) const {
  for (Index i = 0; i < measured_.size(); ++i)
    error(i) = slides(i) ? (measured_(i) - torques_.rows.col(i).dot(z_)) / torques_.noise(i) : 0.0;
}

void OnlineEstimator::add_evidence(TorqueEvidence& evidence) {
  Matrix& rows = torques_.whitened;
  for (Index i = 0; i < measured_.size(); ++i) {
    const double weight = slides(i) ? 1.0 / torques_.noise(i) : 0.0, tau = weight * measured_(i);
    rows.col(i) = weight * torques_.rows.col(i);
    evidence.r += tau * rows.col(i);
    evidence.square += tau * tau, evidence.count += slides(i);
  }
  detail::add_squares(rows, evidence.R);
}

void OnlineEstimator::believe(Belief& belief) {
  belief.z = z_;
  belief.information.triangularView<Eigen::Lower>() = R_;
  seen_.setZero();
  prior_.add_derivatives(z_, seen_, belief.information);
}

/// Whether what was known before the last change explains torques again, for long enough, and at first what the numbers of now did not.
/// Where both have explained them all the time, as while the joints rest that show what is carried, nothing follows.
bool OnlineEstimator::explained_before(const In& tau) {
  constexpr int enough = 5;  // patiences
  if (!before_.known) return false;
  bool better = disturbed_ > 0;  // then the numbers of now are those of before
  for (int i = 0; i < tau.size(); ++i) {
    if (held_(i) != 0.0) continue;
    const double off = std::max(3.0 * before_.noise(i), 0.5 * torques_.least_change(i));
    if (std::abs(tau(i) - torques_.rows.col(i).dot(before_.z)) > off) {
      before_.fits = before_.better = 0;
      return false;
    }
    better |= std::abs(tau(i) - torques_.rows.col(i).dot(z_)) > off;
  }
  before_.better += better;
  return ++before_.fits > enough * options_.patience && before_.better >= options_.patience;
}

void OnlineEstimator::restore() {
  R_ = before_.R, r_ = before_.r, z_ = before_.z, prior_ = before_.prior;
  torques_.noise = before_.noise;
  torques_.surprised.setZero(), settling_ = 0;
}

void OnlineEstimator::reject_change() {
  constexpr double doubted_for = 5.0;  // s
  if (!before_.known) return;
  restore();
  before_.fits = before_.better = 0;
  disturbed_ = std::lround(doubted_for * options_.rate_hz);
}

/// A joint that is held against more than expected: its own friction is larger, and nothing else is.
void OnlineEstimator::hold(Index dof, double tau) {
  // what it was thought to be, from when it held against less, was a bound too
  for (int k = 0; k < model_.feature_count(); ++k)
    if (has_direction(model_.features()[k]) && torques_.rows(model_.at(int(dof), k), dof) != 0.0) {
      const int unknown = model_.at(int(dof), k);
      forget(std::span(&unknown, 1));
    }
  auto row = torques_.rows.col(dof);
  auto inertial = row.head(model_.inertial_size());
  const double rest = tau - inertial.dot(z_.head(model_.inertial_size()));
  inertial.setZero();
  const double weight = 1.0 / (torques_.noise(dof) * std::sqrt(torques_.correlated));
  torques_.surprised(dof) = 0;
  torques_.whitened.col(dof) = weight * row;
  torques_.weighed(dof) = weight * rest;
}

/// A change that one joint alone shows, while all others are as expected, is not of what the tip carries but of how that joint
/// resists. -1: there is no such joint, the robot has too few to say so, or what is carried acts along that joint alone, as on the vertical
/// axis of a gantry.
int OnlineEstimator::only_surprised() const {
  const Index joints = loops_ ? loops_->size() : torques_.surprised.size();
  if (model_.feature_count() == 0 || joints < 3) return -1;
  int joint = -1;
  for (int i = 0; i < torques_.surprised.size(); ++i) {
    if (torques_.surprised(i) == 0) continue;
    if (joint >= 0) return -1;
    joint = i;
  }
  return joint >= 0 && carries_alone(joint) ? -1 : joint;
}

/// Whether the weight of what bodies may carry hardly shows in any other joint, by what is noticed there.
bool OnlineEstimator::carries_alone(Index joint) const {
  constexpr double hardly = 0.05;
  const auto shows = [&](int mass, Index i) {
    return std::abs(torques_.rows(mass, i)) / std::max(torques_.least_change(i), torques_.noise(i));
  };
  for (const int k : changing_) {
    if (k >= model_.inertial_size() || k % 10 != 0 || shows(k, joint) == 0.0) continue;
    bool alone = true;
    for (Index i = 0; i < torques_.noise.size(); ++i)
      alone &= i == joint || shows(k, i) < hardly * shows(k, joint);
    if (alone) return true;
  }
  return false;
}

void OnlineEstimator::forget_features(int dof) {
  for (int k = 0; k < model_.feature_count(); ++k) {
    const int unknown = model_.at(dof, k);
    forget(std::span(&unknown, 1));
  }
  torques_.surprised(dof) = 0;
}

/// What is far off now and then is an outlier; what stays there is news, until it is expected.
OnlineEstimator::Outcome OnlineEstimator::weigh(Measured& measured, Index i, double value,
                                                double error) {
  const double noise = measured.noise(i),
               far = std::abs(error) / std::sqrt(noise * noise + measured.variance(i));
  int& surprised = measured.surprised(i);
  const bool far_off = far > options_.outlier && std::abs(error) > measured.least_change(i);
  surprised = far_off ? std::min(surprised + 1, options_.patience + 2) : 0;
  const bool believed = surprised == 0 || surprised > options_.patience;
  const double weight = believed ? 1.0 / (noise * std::sqrt(measured.correlated)) : 0.0;
  measured.whitened.col(i) = weight * measured.rows.col(i);
  measured.weighed(i) = weight * value;
  // what was forgotten a moment ago is still being learned
  const bool settled = !before_.known || double(samples_ - last_change_) > 0.3 * options_.rate_hz;
  if (surprised > options_.patience && settled) return Outcome::changed;
  return believed ? Outcome::learned : Outcome::doubted;
}

void OnlineEstimator::take_in(const Measured& measured, bool changed) {
  if (changed) {
    // changes that follow each other at once are one; one that has held for longer is over, and what is known with it is what was before the next
    constexpr double at_once = 1.0;  // s
    if (!before_.known || double(samples_ - last_change_) > at_once * options_.rate_hz) {
      before_.R = R_, before_.r = r_, before_.z = z_, before_.prior = prior_;
      before_.noise = torques_.noise;
      before_.known = true, before_.better = 0;
    }
    before_.fits = 0, last_change_ = samples_;
    ++changes_;
    settling_ = int(std::lround(2.0 * measured.correlated));
    forget_changing();
  } else {
    detail::add_squares(measured.whitened, R_);
    r_.noalias() += measured.whitened * measured.weighed;
  }
  step();
}

/// Towards the minimum of information and prior. Information that rounding has spoilt has none: then all is learned anew.
void OnlineEstimator::step() {
  constexpr double patience = 1.0;  // s
  const bool finite = r_.allFinite() && R_.diagonal().allFinite();
  const bool solved = finite && solver_.step(R_, r_, prior_, z_) >= 0.0 && z_.allFinite();
  unsolved_ = solved ? 0 : unsolved_ + 1;
  if (!finite || !z_.allFinite() || unsolved_ > patience * options_.rate_hz) restart();
}

void OnlineEstimator::restart() {
  R_ = first_.R, r_ = first_.r, z_ = first_.z, prior_ = first_.prior;
  torques_.noise = first_.noise;
  torques_.surprised.setZero(), wrench_surprised_.setZero();
  before_.known = false;
  settling_ = 0, disturbed_ = 0, unsolved_ = 0;
  ++restarts_;
}

/// The median of errors that are normal is 0.6745 deviations: the level goes up a little where one is
/// above, and down where it is below. Errors a thousand times too large push no more than others.
void OnlineEstimator::learn_noise(Index dof, double error) {
  if (options_.noise_memory == 0.0) return;
  const double expected =
                   std::sqrt(torques_.noise(dof) * torques_.noise(dof) + torques_.variance(dof)),
               rate = 1.0 / (options_.noise_memory * options_.rate_hz);
  torques_.noise(dof) *= std::abs(error) > 0.6745 * expected ? 1.0 + rate : 1.0 / (1.0 + rate);
  torques_.noise(dof) = std::max(torques_.noise(dof), least_noise_(dof));
}

void OnlineEstimator::forget_along(const Eigen::Ref<const Vector>& row) {
  // a sample's torque has one direction among as many as there are unknowns
  const double share = std::min(0.5, double(r_.size()) / (options_.memory * options_.rate_hz));
  seen_.noalias() = R_.selfadjointView<Eigen::Lower>() * row;
  const double known = row.dot(seen_);
  if (!(known > 0.0)) return;
  take_away(share / known, row.dot(r_));
}

void OnlineEstimator::see_column(const Matrix& lower, int k) {
  seen_.head(k) = lower.row(k).head(k).transpose();
  seen_.tail(r_.size() - k) = lower.col(k).tail(r_.size() - k);
}

void OnlineEstimator::take_away(double share, double along) {
  r_ -= (share * along) * seen_;
  R_.selfadjointView<Eigen::Lower>().rankUpdate(seen_, -share);
}

/// What a joint resists with is a little less certain than a sample ago, one number at a time in turn.
void OnlineEstimator::wander() {
  const int k = turn(samples_);
  if (k < 0) return;
  see_column(R_, k);
  take_away(1.0 / (seen_(k) + 1.0 / wandered(k, 1.0 / options_.rate_hz)), r_(k));
}

void OnlineEstimator::wander(Belief& belief, long step, double seconds) {
  const int k = turn(step);
  if (k < 0 || options_.wander == 0.0) return;
  see_column(belief.information, k);
  belief.information.selfadjointView<Eigen::Lower>().rankUpdate(
      seen_, -1.0 / (seen_(k) + 1.0 / wandered(k, seconds)));
}

/// Which of the numbers that joints resist with is next, of all of them; -1: there are none.
int OnlineEstimator::turn(long step) const {
  const int first = model_.inertial_size(), count = model_.unknowns() - first;
  return count > 0 ? first + int(step % count) : -1;
}

/// By how much its variance grows between two turns, of steps of so many seconds.
double OnlineEstimator::wandered(int unknown, double step) const {
  const int first = model_.inertial_size(), count = model_.unknowns() - first,
            joint = (unknown - first) / model_.feature_count();
  const double far = options_.wander * std::max(std::abs(z_(unknown)), torques_.noise(joint));
  return far * far * count * step;
}

void OnlineEstimator::require_unknowns(std::span<const int> unknowns) const {
  for (const int k : unknowns)
    require(k >= 0 && k < r_.size(), "online estimator: there is no unknown ", k,
            " to forget, only 0 .. ", r_.size() - 1);
}

void OnlineEstimator::forget(std::span<const int> unknowns) {
  require_unknowns(unknowns);
  // one after the other: information about the others with it integrated out, and none about it
  for (const int k : unknowns) {
    see_column(R_, k);
    if (seen_(k) > 0.0) take_away(1.0 / seen_(k), r_(k));
    R_.row(k).head(k).setZero();
    R_.col(k).tail(r_.size() - k).setZero();
    r_(k) = 0.0;
  }
}

void OnlineEstimator::forget_changing() {
  forget(changing_);
  // the numbers of now are as good a guess as any until the next samples move them
  prior_.expect(z_, changing_);
}

void OnlineEstimator::deviations(Eigen::Ref<Vector> deviation) {
  inverse_.triangularView<Eigen::Lower>() = R_;
  seen_.setZero();
  prior_.add_derivatives(z_, seen_, inverse_);
  Eigen::LLT<Eigen::Ref<Matrix>> factor(inverse_);
  for (Index i = 0; i < deviation.size(); ++i) {
    seen_.setZero();
    seen_(i) = 1.0;
    factor.matrixL().solveInPlace(seen_);
    deviation(i) = seen_.norm();
  }
}

}  // namespace ulna::identify
