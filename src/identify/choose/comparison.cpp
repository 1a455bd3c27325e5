#include "identify/choose/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "identify/data/screen_parts.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/data/filter.hpp"

namespace ulna::identify {
namespace {

/// Cut-offs that are tried, Hz.
constexpr double all_cut_offs[] = {2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0};
constexpr double slowest = all_cut_offs[0];
constexpr int most_parts = 6, fewest_parts = 3;
constexpr double least_part = 0.5, least_motion = 4.0, most_motion = 600.0;  // s

Sums sum_of(const std::vector<Sums>& parts) {
  Sums all = parts.front();
  for (std::size_t p = 1; p < parts.size(); ++p) all.G += parts[p].G, all.g += parts[p].g;
  return all;
}

}  // namespace

/// The most likely numbers of a model by some parts.
class Comparison::Equations {
 public:
  Equations(const Comparison& all, const Active& active)
      : all_(all),
        kept_(all.unknowns_of(active)),
        prior_(all.prior_->restricted(kept_)),
        solver_(int(kept_.size())) {}

  Vector solve(const Matrix& G, const Vector& g, const Vector& from) {
    constexpr int most = 60;
    constexpr double tolerance = 1e-5;  // nats
    const Vector known = all_.known();
    const Matrix own = G(kept_, kept_);
    const Vector right = (g - G * known)(kept_);
    Vector z = prior_.center();
    if (from.size() > 0) {
      z = from(kept_);
      // what was not in the other model is where the prior has it
      for (std::size_t k = 0; k < kept_.size(); ++k)
        if (z(Index(k)) == 0.0) z(Index(k)) = prior_.center()(Index(k));
    }
    bool settled = false;
    if (prior_.inside(z))
      for (int i = 0; i < most && !settled; ++i) {
        const double rest = solver_.step(own, right, prior_, z);
        if (rest < 0.0) break;
        settled = rest < tolerance;
      }
    if (!settled) settled = solver_.solve(own, right, prior_, z, 200, tolerance);
    Vector all = known;
    all(kept_) = z;
    return all;
  }
  const std::vector<int>& kept() const { return kept_; }
  const PhysicalPrior& prior() const { return prior_; }

 private:
  const Comparison& all_;
  std::vector<int> kept_;
  PhysicalPrior prior_;
  ConsistentSolver solver_;
};

Comparison::Comparison(const Model& model, std::span<const Log> logs, const ChooseOptions& options)
    : lattice_(model), logs_(logs), options_(options), known_(lattice_.torques().nominal()) {
  double rate = infinity, seconds = 0.0;
  for (const Log& log : logs_) {
    const double own = natural_rate(log);
    rate = std::min(rate, own), seconds += double(log.size()) / own;
  }
  share_ = std::min(options_.share, most_motion / seconds);
  highest_hz_ =
      options_.filter_hz.value_or(std::min(rate / 5.0, all_cut_offs[std::size(all_cut_offs) - 1]));
  decimation_ = std::max(1, int(rate / (8.0 * highest_hz_)));
  for (const double hz : all_cut_offs)
    if (hz <= highest_hz_) cut_offs_.push_back(hz);
  if (options_.filter_hz || cut_offs_.empty()) cut_offs_ = {highest_hz_};
}

double Comparison::nearest(double hz) const {
  return *std::ranges::min_element(cut_offs_, {},
                                   [&](double c) { return std::abs(std::log(c / hz)); });
}

Prepared Comparison::prepared(double hz) const {
  Diagnostics ignored;
  PrepareOptions how{.filter_hz = hz,
                     .decimation = decimation_,
                     .torque_delay = options_.torque_delay.value_or(late_),
                     .trim = 0.5 / std::min(slowest, cut_offs_.front())};
  Prepared all = prepare(logs_, how, ignored);
  if (options_.effects) rid_of(*options_.effects, all);
  return all.part(0.0, share_);
}

bool Comparison::divide(double hz) {
  const Prepared motion = prepared(hz);
  double seconds = 0.0;
  for (const Piece& piece : motion.pieces) {
    if (piece.size() == 0) continue;
    const double own = double(piece.size()) / piece.rate_hz;
    stretches_.push_back({piece.log, piece.t(0), own, seconds});
    seconds += own;
  }
  if (seconds < least_motion) return false;
  if (logs_.size() == 1) period_ = period_of(motion);
  const double length = period_ > 0.0 ? period_ : seconds;
  parts_ = std::min(most_parts, int(length / least_part));
  if (parts_ < fewest_parts) return false;
  part_seconds_ = length / parts_;
  return true;
}

int Comparison::part_of(int log, double t) const {
  double along = t - logs_[std::size_t(log)].t(0);
  if (period_ > 0.0)
    along = std::fmod(along, period_);
  else
    for (const Stretch& s : stretches_)
      if (s.log == log && (s.begin <= t || &s == &stretches_.front()))
        along = s.before + std::clamp(t - s.begin, 0.0, s.seconds);
  return std::clamp(int(along / part_seconds_), 0, parts_ - 1);
}

CutOff& Comparison::at(double hz) {
  const auto found = at_.find(hz);
  if (found != at_.end()) return found->second;
  CutOff& made = at_.try_emplace(hz, lattice_, prepared(hz), parts_,
                                 [&](int log, double t) { return part_of(log, t); })
                     .first->second;
  if (!prior_) prior_.emplace(lattice_.prior(rms(made.data().tau), options_.prior));
  if (followed_.size() > 0) made.follow(followed_, springs_);
  return made;
}

void Comparison::follow(const Vector& z, bool springs) {
  followed_ = z, springs_ = springs;
  for (auto& [hz, motion] : at_) motion.follow(z, springs);
}

void Comparison::shift(double later) {
  late_ += later;
  at_.clear();
}

void Comparison::weigh_first(const Active& active) {
  const TorqueData& data = at(fit_).data();
  const Vector typical = rms(data.tau);
  alike_ = Vector::Constant(lattice_.nv(), data.correlated);
  weights_ = (typical.array() > 0.0).select(typical.cwiseAbs2().cwiseInverse(), 0.0);
  for (int pass = 0; pass < 2; ++pass) weigh(solved(active, {}), 0.0);
}

void Comparison::weigh(const Vector& z, double evenness) {
  const CutOff& motion = at(fit_);
  const Vector typical = rms(motion.data().tau);
  const Matrix errors = motion.data().tau - motion.predicted(z);
  alike_ = correlation(errors, motion.data().breaks, 5.0 * motion.data().correlated);
  const Vector variance =
      rms(errors).cwiseAbs2().cwiseMax(1e-12 * typical.cwiseAbs2()).cwiseMax(1e-300);
  weights_ = variance.cwiseProduct(alike_).cwiseInverse();
  weights_ = (typical.array() > 0.0).select(weights_, 0.0);
  joint_weights_ = Vector::Ones(lattice_.nv());
  if (evenness == 0.0) return;
  // joints count at most as by their noise
  double least = infinity;
  for (const double w : weights_)
    if (w > 0.0) least = std::min(least, w);
  for (Index i = 0; i < weights_.size(); ++i)
    if (weights_(i) > 0.0) joint_weights_(i) = std::pow(least / weights_(i), evenness);
  weights_ = weights_.cwiseProduct(joint_weights_);
}

/// Weighted sums of each part of the motion that is fitted.
std::vector<Sums> Comparison::totals() {
  const CutOff& motion = at(fit_);
  std::vector<Sums> parts;
  for (int part = 0; part < parts_; ++part) {
    Sums sum{Matrix::Zero(lattice_.size(), lattice_.size()), Vector::Zero(lattice_.size())};
    for (int i = 0; i < lattice_.nv(); ++i) {
      const Sums& own = motion.of(part, i);
      sum.G += weights_(i) * own.G, sum.g += weights_(i) * own.g;
    }
    parts.push_back(std::move(sum));
  }
  return parts;
}

std::vector<int> Comparison::unknowns_of(const Active& active) const {
  std::vector<int> all;
  for (int k = 0; k < lattice_.torques().inertial_size(); ++k)
    if (!std::ranges::count(options_.known, k)) all.push_back(k);
  std::vector<int> more;
  for (std::size_t p = 0; p < active.size(); ++p)
    if (active[p])
      more.insert(more.end(), lattice_.parts()[p].unknowns.begin(),
                  lattice_.parts()[p].unknowns.end());
  std::ranges::sort(more);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Vector Comparison::known() const {
  Vector z = Vector::Zero(lattice_.size());
  for (const int k : options_.known) z(k) = known_(k);
  return z;
}

Vector Comparison::solved(const Active& active, const Vector& from) {
  const Sums all = sum_of(totals());
  return Equations(*this, active).solve(all.G, all.g, from);
}

Scored Comparison::score(const Active& active, const Vector& from) {
  const std::vector<Sums> parts = totals();
  const Sums all = sum_of(parts);
  Equations equations(*this, active);
  const CutOff& target = at(target_);
  Scored scored{active, equations.solve(all.G, all.g, from), Matrix::Zero(lattice_.nv(), parts_)};
  for (int part = 0; part < parts_; ++part) {
    if (target.samples(part) == 0) continue;
    const Vector z = equations.solve(all.G - parts[std::size_t(part)].G,
                                     all.g - parts[std::size_t(part)].g, scored.z);
    for (int i = 0; i < lattice_.nv(); ++i) {
      const Sums& own = target.of(part, i);
      scored.squares(i, part) = std::max(0.0, own.size + z.dot(own.G * z) - 2.0 * own.g.dot(z));
    }
  }
  return scored;
}

Vector Comparison::deviations(const Scored& scored) {
  const Sums all = sum_of(totals());
  const Equations equations(*this, scored.active);
  const std::vector<int>& kept = equations.kept();
  const Matrix covariance =
      inverse_of(all.G(kept, kept) + equations.prior().information(scored.z(kept)));
  Vector deviations = Vector::Zero(lattice_.size());
  deviations(kept) = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  return deviations;
}

double Comparison::percent(const Scored& scored) {
  return 100.0 * std::sqrt(scored.squares.sum()) / target_size().norm();
}

Vector Comparison::per_joint_percent(const Scored& scored) {
  return 100.0 * scored.held_out().cwiseSqrt().cwiseQuotient(target_size().cwiseMax(1e-300));
}

/// Root of the sum of squares per degree of freedom.
Vector Comparison::target_size() {
  Vector size = Vector::Zero(lattice_.nv());
  for (int i = 0; i < lattice_.nv(); ++i)
    for (int part = 0; part < parts_; ++part) size(i) += at(target_).of(part, i).size;
  return size.cwiseSqrt();
}

std::pair<double, double> Comparison::gain(const Scored& from, const Scored& to) {
  const CutOff& target = at(target_);
  const auto over = [&](int left_out) {
    double sum = 0.0;
    for (int i = 0; i < lattice_.nv(); ++i) {
      double before = 0.0, after = 0.0, samples = 0.0;
      for (int part = 0; part < parts_; ++part) {
        if (part == left_out) continue;
        before += from.squares(i, part), after += to.squares(i, part);
        samples += double(target.samples(part));
      }
      if (before > 0.0 && after > 0.0 && weights_(i) > 0.0)
        sum += 0.5 * samples / alike_(i) * std::log(before / after);
    }
    return sum;
  };
  std::vector<double> without;
  for (int part = 0; part < parts_; ++part)
    if (target.samples(part) > 0) without.push_back(over(part));
  const auto each = Vector::Map(without.data(), Index(without.size()));
  const double n = double(each.size()), spread = (each.array() - each.mean()).square().sum();
  return {over(-1), std::sqrt(spread * (n - 1.0) / n)};
}

double Comparison::independent() {
  double samples = 0.0, sum = 0.0;
  for (int part = 0; part < parts_; ++part) samples += double(at(target_).samples(part));
  for (int i = 0; i < lattice_.nv(); ++i)
    if (weights_(i) > 0.0) sum += samples / alike_(i);
  return sum;
}

double Comparison::distortion(double hz, const Scored& scored) {
  const CutOff &wide = at(cut_offs_.back()), &narrow = at(hz);
  if (!(hz < wide.hz()) || wide.size() != narrow.size()) return 0.0;
  const Matrix filtered_motion = narrow.bodies(scored.z);
  Matrix filtered_torque = wide.bodies(scored.z);
  const double rate = wide.rate_hz();
  const LowPass low_pass(hz, rate, 4);
  // where pieces end, the filter has only one side to go by
  const Index ends = Index(rate / hz);
  double squares = 0.0;
  for (const Range& piece : pieces_of(wide.data().breaks, wide.size())) {
    const Index inner = piece.size() - 2 * ends;
    if (inner <= 0) continue;
    Matrix torque = filtered_torque.middleCols(piece.begin, piece.size());
    zero_phase(low_pass, torque);
    const Matrix off =
        torque.middleCols(ends, inner) - filtered_motion.middleCols(piece.begin + ends, inner);
    squares += weights_.dot(off.rowwise().squaredNorm());
  }
  // noise moves an estimate by one deviation for each unknown that is found
  const Sums all = sum_of(totals());
  const Equations equations(*this, scored.active);
  const Matrix G = all.G(equations.kept(), equations.kept()),
               prior = equations.prior().information(scored.z(equations.kept()));
  const double found = (inverse_of(G + prior) * G).trace();
  return squares / std::max(found, 1.0);
}

}  // namespace ulna::identify
