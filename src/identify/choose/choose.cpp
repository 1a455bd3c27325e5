#include "ulna/identify/choose/choose.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "identify/choose/lattice.hpp"
#include "identify/data/screen_parts.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/estimate/consistent.hpp"

namespace ulna::identify {
namespace {

/// Cut-offs that are tried, Hz.
constexpr double cut_offs[] = {2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0};
constexpr double slowest = cut_offs[0];
/// The first that is looked at: motion of most arms is slower.
constexpr double usual_hz = 10.0;
constexpr int most_joints = 20, most_parts = 6, fewest_parts = 3;
constexpr double least_part = 0.5, least_motion = 4.0, most_motion = 600.0;  // s
/// A model is taken instead of another if parts held out are more likely by so many nats and by as much as its deviation, and their
/// error is smaller by this share, on the whole and in no other sense larger.
constexpr double nats = 5.0, deviations_more = 2.0, share_less = 0.003;
/// What is there is left out if it is worth less than this share of that.
constexpr double still_worth = 0.5;
/// Cut-offs whose errors differ by less are alike.
constexpr double alike_cut_offs = 0.01;
/// And weights of joints.
constexpr double alike_weights = 0.015;

using Active = std::vector<char>;  ///< parts of the lattice

/// A model, and how well it predicts.
struct Scored {
  Active active;
  Vector z;        ///< of all motion
  Matrix squares;  ///< not explained, held out: degrees of freedom x parts
  Vector held_out() const { return squares.rowwise().sum(); }
};

class Search {
 public:
  Search(const Model& model, std::span<const Log> logs, const ChooseOptions& options)
      : lattice_(model), logs_(logs), options_(options), known_(lattice_.torques().nominal()) {
    double rate = infinity, seconds = 0.0;
    for (const Log& log : logs_) {
      const double own = natural_rate(log);
      rate = std::min(rate, own), seconds += double(log.size()) / own;
    }
    share_ = std::min(options_.share, most_motion / seconds);
    choice_.highest_hz =
        options_.filter_hz.value_or(std::min(rate / 5.0, cut_offs[std::size(cut_offs) - 1]));
    decimation_ = std::max(1, int(rate / (8.0 * choice_.highest_hz)));
    for (const double hz : cut_offs)
      if (hz <= choice_.highest_hz) candidates_.push_back(hz);
    if (options_.filter_hz || candidates_.empty()) candidates_ = {choice_.highest_hz};
  }

  std::optional<Choice> run() {
    const double first = nearest(std::min(usual_hz, choice_.highest_hz));
    if (!divide(first)) return {};
    begin(first);
    choose_band();
    step("comparing models");
    search();
    look_for_springs();
    choose_cut_off();
    choose_weights();
    compare_with_usual();
    conclude();
    return choice_;
  }

 private:
  bool step(const std::string& what) {
    if (options_.go_on && !options_.go_on(what)) choice_.stopped = true;
    return !choice_.stopped;
  }

  double nearest(double hz) const {
    return *std::ranges::min_element(candidates_, {},
                                     [&](double c) { return std::abs(std::log(c / hz)); });
  }

  Prepared prepared(double hz) const {
    Diagnostics ignored;
    PrepareOptions how{.filter_hz = hz,
                       .decimation = decimation_,
                       .torque_delay = options_.torque_delay.value_or(late_),
                       .trim = 0.5 / std::min(slowest, candidates_.front())};
    Prepared all = prepare(logs_, how, ignored);
    if (options_.effects) rid_of(*options_.effects, all);
    return all.part(0.0, share_);
  }

  /// Into parts that are predicted from each other; false if there is too little motion.
  bool divide(double hz) {
    const Prepared motion = prepared(hz);
    double seconds = 0.0;
    for (const Piece& piece : motion.pieces) {
      if (piece.size() == 0) continue;
      const double own = double(piece.size()) / piece.rate_hz;
      stretches_.push_back({piece.log, piece.t(0), own, seconds});
      seconds += own;
    }
    if (seconds < least_motion) return false;
    if (logs_.size() == 1) choice_.period = period_of(motion);
    const double length = choice_.period > 0.0 ? choice_.period : seconds;
    choice_.parts = std::min(most_parts, int(length / least_part));
    if (choice_.parts < fewest_parts) return false;
    choice_.part_seconds = length / choice_.parts;
    return true;
  }
  int part_of(int log, double t) const {
    double along = t - logs_[std::size_t(log)].t(0);
    if (choice_.period > 0.0)
      along = std::fmod(along, choice_.period);
    else
      for (const Stretch& s : stretches_)
        if (s.log == log && (s.begin <= t || &s == &stretches_.front()))
          along = s.before + std::clamp(t - s.begin, 0.0, s.seconds);
    return std::clamp(int(along / choice_.part_seconds), 0, choice_.parts - 1);
  }

  CutOff& at(double hz) {
    const auto found = at_.find(hz);
    if (found != at_.end()) return found->second;
    CutOff& made = at_.try_emplace(hz, lattice_, prepared(hz), choice_.parts,
                                   [&](int log, double t) { return part_of(log, t); })
                       .first->second;
    if (so_far_.size() > 0) linearise(made);
    return made;
  }

  /// What depends on a model follows the best so far.
  void linearise(CutOff& motion) const {
    motion.predict_loads(so_far_);
    if (active_[std::size_t(lattice_.spring_part())]) motion.linearise_springs(so_far_);
  }
  void go_on_from(const Vector& z) {
    so_far_ = z;
    for (auto& [hz, motion] : at_) linearise(motion);
  }

  /// Where the search begins: what is given, or usual.
  void begin(double hz) {
    fit_ = target_ = hz;
    const CutOff& motion = at(hz);
    prior_.emplace(lattice_.prior(rms(motion.data().tau), options_.prior));
    active_.assign(lattice_.parts().size(), 0);
    free_ = Active(lattice_.parts().size(), 1);
    const auto fix = [&](int part, bool there) { active_[part] = there, free_[part] = 0; };
    const auto has = [](const std::vector<Feature>& list, Feature f) {
      return std::ranges::count(list, f) > 0;
    };
    for (const Feature f : lattice_.torques().features()) {
      const int part = lattice_.feature_part(f);
      if (f == Feature::armature)
        active_[part] = has_rotors(lattice_.torques().model());
      else
        active_[part] = f != Feature::load;
      // nothing slides without friction: where there is little, little is found
      if (f == Feature::viscous || f == Feature::coulomb) free_[part] = 0;
      if (options_.features && f != Feature::armature) {
        // friction by direction is Coulomb friction and an offset
        const bool asymmetric = has(*options_.features, Feature::coulomb_positive) ||
                                has(*options_.features, Feature::coulomb_negative);
        fix(part, has(*options_.features, f) ||
                      (asymmetric && (f == Feature::coulomb || f == Feature::offset)));
      }
    }
    const int rotors = lattice_.feature_part(Feature::armature);
    if (options_.rotors) fix(rotors, *options_.rotors);
    if (options_.features && has(*options_.features, Feature::armature)) fix(rotors, true);
    if (options_.torque_delay) fix(lattice_.delay_part(), false);
    for (int part = lattice_.delay_part() + 1; part < int(lattice_.parts().size()); ++part)
      if (options_.effects) fix(part, false);
    free_[std::size_t(lattice_.spring_part())] = 0;  // until they are linearised
    usual_ = active_;
    weigh({});
    go_on_from(solved(active_, totals(), {}));
  }

  /// Unknowns of a model, in order.
  std::vector<int> unknowns_of(const Active& active) const {
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

  /// Weights of joints by what a model leaves unexplained; of none yet, by their torques.
  void weigh(const Vector& z) {
    const CutOff& motion = at(fit_);
    const Vector typical = rms(motion.data().tau);
    if (z.size() == 0) {
      alike_ = Vector::Constant(lattice_.nv(), motion.data().correlated);
      weights_ = (typical.array() > 0.0).select(typical.cwiseAbs2().cwiseInverse(), 0.0);
      for (int pass = 0; pass < 2; ++pass) weigh(solved(active_, totals(), {}));
      return;
    }
    const Matrix errors = motion.data().tau - motion.predicted(z);
    alike_ = correlation(errors, motion.data().breaks, 5.0 * motion.data().correlated);
    const Vector variance =
        rms(errors).cwiseAbs2().cwiseMax(1e-12 * typical.cwiseAbs2()).cwiseMax(1e-300);
    weights_ = variance.cwiseProduct(alike_).cwiseInverse();
    weights_ = (typical.array() > 0.0).select(weights_, 0.0);
    joint_weights_ = Vector::Ones(lattice_.nv());
    if (choice_.evenness == 0.0) return;
    // joints count at most as by their noise
    double least = infinity;
    for (const double w : weights_)
      if (w > 0.0) least = std::min(least, w);
    for (Index i = 0; i < weights_.size(); ++i)
      if (weights_(i) > 0.0) joint_weights_(i) = std::pow(least / weights_(i), choice_.evenness);
    weights_ = weights_.cwiseProduct(joint_weights_);
  }

  /// Weighted sums of each part of the motion that is fitted.
  std::vector<Sums> totals() {
    const CutOff& motion = at(fit_);
    std::vector<Sums> parts;
    for (int part = 0; part < choice_.parts; ++part) {
      Sums sum{Matrix::Zero(lattice_.size(), lattice_.size()), Vector::Zero(lattice_.size())};
      for (int i = 0; i < lattice_.nv(); ++i) {
        const Sums& own = motion.of(part, i);
        sum.G += weights_(i) * own.G, sum.g += weights_(i) * own.g;
      }
      parts.push_back(std::move(sum));
    }
    return parts;
  }

  Vector known() const {
    Vector z = Vector::Zero(lattice_.size());
    for (const int k : options_.known) z(k) = known_(k);
    return z;
  }

  /// The most likely numbers of a model by some parts, from where others are.
  class Equations {
   public:
    Equations(const Search& search, const Active& active)
        : search_(search),
          kept_(search.unknowns_of(active)),
          prior_(search.prior_->restricted(kept_)),
          solver_(int(kept_.size())) {}

    Vector solve(const Matrix& G, const Vector& g, const Vector& from) {
      constexpr int most = 60;
      constexpr double tolerance = 1e-5;  // nats
      const Vector known = search_.known();
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
    const Search& search_;
    std::vector<int> kept_;
    PhysicalPrior prior_;
    ConsistentSolver solver_;
  };

  static Sums sum_of(const std::vector<Sums>& parts) {
    Sums all = parts.front();
    for (std::size_t p = 1; p < parts.size(); ++p) all.G += parts[p].G, all.g += parts[p].g;
    return all;
  }
  Vector solved(const Active& active, const std::vector<Sums>& parts, const Vector& from) {
    const Sums all = sum_of(parts);
    return Equations(*this, active).solve(all.G, all.g, from);
  }

  /// Each part predicted from the others.
  Scored score(const Active& active, const std::vector<Sums>& parts, const Vector& from) {
    Equations equations(*this, active);
    const Sums all = sum_of(parts);
    const CutOff& target = at(target_);
    Scored scored{active, equations.solve(all.G, all.g, from),
                  Matrix::Zero(lattice_.nv(), choice_.parts)};
    for (int part = 0; part < choice_.parts; ++part) {
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

  /// Parts in which there is motion.
  std::vector<int> parts_with_motion() {
    std::vector<int> parts;
    for (int part = 0; part < choice_.parts; ++part)
      if (at(target_).samples(part) > 0) parts.push_back(part);
    return parts;
  }

  /// The log likelihood of what was held out by one model over that by another, and its deviation by leaving out a part at a time.
  std::pair<double, double> gain(const Scored& from, const Scored& to) {
    const CutOff& target = at(target_);
    const auto over = [&](int left_out) {
      double sum = 0.0;
      for (int i = 0; i < lattice_.nv(); ++i) {
        double before = 0.0, after = 0.0, samples = 0.0;
        for (int part = 0; part < choice_.parts; ++part) {
          if (part == left_out) continue;
          before += from.squares(i, part), after += to.squares(i, part);
          samples += double(target.samples(part));
        }
        if (before > 0.0 && after > 0.0 && weights_(i) > 0.0)
          sum += 0.5 * samples / alike_(i) * std::log(before / after);
      }
      return sum;
    };
    const std::vector<int> parts = parts_with_motion();
    const Index n = Index(parts.size());
    Vector without(n);
    for (Index k = 0; k < n; ++k) without(k) = over(parts[std::size_t(k)]);
    const double spread = (without.array() - without.mean()).square().sum();
    return {over(-1), std::sqrt(spread * double(n - 1) / double(n))};
  }

  double percent(const Scored& scored) {
    return 100.0 * std::sqrt(scored.squares.sum()) / target_size().norm();
  }
  /// Root of the sum of squares per degree of freedom.
  Vector target_size() {
    Vector size = Vector::Zero(lattice_.nv());
    for (int i = 0; i < lattice_.nv(); ++i)
      for (int part = 0; part < choice_.parts; ++part) size(i) += at(target_).of(part, i).size;
    return size.cwiseSqrt();
  }
  double independent() {
    double samples = 0.0;
    for (int part = 0; part < choice_.parts; ++part) samples += double(at(target_).samples(part));
    double sum = 0.0;
    for (int i = 0; i < lattice_.nv(); ++i)
      if (weights_(i) > 0.0) sum += samples / alike_(i);
    return sum;
  }

  Tried& record(const std::string& name, const Scored& before, const Scored& after) {
    const auto [better, deviation] = gain(before, after);
    choice_.tried.push_back(
        {name, percent(after),
         100.0 * after.held_out().cwiseSqrt().cwiseQuotient(target_size().cwiseMax(1e-300)), better,
         deviation, false});
    return choice_.tried.back();
  }
  /// Whether a model that has more is worth it; `tried` is against the one that has less.
  bool is_worth(const Tried& tried, const Scored& less) {
    return gains(tried, 1.0) && tried.percent < (1.0 + share_less) * percent(less);
  }
  bool gains(const Tried& tried, double share) {
    return tried.gain > share * std::max(nats, deviations_more * tried.deviation) &&
           tried.gain > share * share_less * independent();
  }

  /// Adds or leaves out one part after the other, the best of all each time, until none is worth it.
  void search() {
    std::vector<Sums> parts = totals();
    now_ = score(active_, parts, {});
    for (int round = 0; round < 2 * int(free_.size()); ++round) {
      std::optional<Scored> best;
      std::size_t best_at = 0;
      double most = -infinity;
      for (std::size_t p = 0; p < free_.size(); ++p) {
        if (!free_[p] || !step("comparing models")) continue;
        Active other = active_;
        other[p] = !other[p];
        const Scored scored = score(other, parts, now_.z);
        const bool more = other[p];
        const Tried tried =
            record((more ? "with " : "without ") + lattice_.parts()[p].name, now_, scored);
        bool better = more && is_worth(tried, now_);
        if (!more) {
          // what is left out must not be missed
          const auto [worse, deviation] = gain(scored, now_);
          better = !gains({"", percent(now_), {}, worse, deviation, false}, still_worth);
        }
        // parts that go do so before others come
        const double by = more ? tried.gain : 1e12 + tried.gain;
        if (better && by > most) best = scored, best_at = choice_.tried.size() - 1, most = by;
      }
      if (!best) break;
      choice_.tried[best_at].taken = true;
      active_ = best->active;
      now_ = *best;
      go_on_from(now_.z);
      if (active_[std::size_t(lattice_.delay_part())]) compensate();
      weigh(now_.z);
      parts = totals();
      now_ = score(active_, parts, now_.z);
    }
  }

  /// Prepares motion anew with the delay that was found, so that what is left of it is small and linear.
  void compensate() {
    constexpr double settled = 2e-5;  // s
    const int delay = lattice_.delay_at();
    free_[std::size_t(lattice_.delay_part())] = 0;
    for (int pass = 0; pass < 4 && std::abs(now_.z(delay)) > settled; ++pass) {
      late_ += now_.z(delay);
      now_.z(delay) = so_far_(delay) = 0.0;
      at_.clear();
      now_.z = solved(active_, totals(), now_.z);
    }
  }

  /// The band in which motion shows, by the widest model that has no effects.
  void choose_band() {
    Active wide = active_;
    for (const Feature f : {Feature::load, Feature::armature}) {
      const int part = lattice_.feature_part(f);
      if (free_[std::size_t(part)]) wide[std::size_t(part)] = 1;
    }
    const Vector z = solved(wide, totals(), {});
    choice_.band_hz = fit_;
    if (options_.filter_hz) return;
    step("spectra");
    const double highest = candidates_.back();
    const CutOff& motion = at(highest);
    const double rate = motion.data().correlated * highest;
    const double band =
        band_of(motion.data().tau, motion.predicted(z), motion.data().breaks, rate, highest);
    if (std::isfinite(band)) choice_.band_hz = nearest(band);
    fit_ = target_ = choice_.band_hz;
    weigh({});
  }

  void look_for_springs() {
    const auto part = std::size_t(lattice_.spring_part());
    if (options_.effects || !step("looking for springs")) return;
    at(fit_).linearise_springs(now_.z);
    free_[part] = 1;
    const Active others = std::exchange(free_, Active(free_.size(), 0));
    free_[part] = 1;
    search();
    free_ = others;
    free_[part] = 0;
    if (active_[part]) search();
  }

  /// By how well what is fitted below each cut-off predicts torques below the band, which is the same for all.
  void choose_cut_off() {
    if (candidates_.size() < 2) return;
    const double band = fit_;
    const Scored before = now_;
    struct Candidate {
      double hz;
      Scored scored;
      std::size_t tried;
    };
    std::vector<Candidate> all;
    for (const double hz : candidates_) {
      if (hz < 0.45 * band || hz > 2.2 * band) continue;
      if (!step(message("comparing cut-offs, ", hz, " Hz"))) break;
      if (at(hz).size() != at(band).size()) continue;
      fit_ = hz;
      weigh(before.z);
      Scored scored = score(active_, totals(), before.z);
      fit_ = band;
      weigh(before.z);
      record(message("cut-off ", hz, " Hz"), before, scored);
      all.push_back({hz, std::move(scored), choice_.tried.size() - 1});
    }
    if (all.empty()) return;
    // of those that predict as well, the one nearest to the band
    double least = infinity;
    for (Candidate& c : all) least = std::min(least, percent(c.scored));
    const Candidate* best = nullptr;
    for (const Candidate& c : all)
      if (percent(c.scored) <= (1.0 + alike_cut_offs) * least &&
          (!best || std::abs(std::log(c.hz / band)) < std::abs(std::log(best->hz / band))))
        best = &c;
    if (!best) return;
    choice_.tried[best->tried].taken = true;
    now_ = best->scored;
    fit_ = best->hz;
    weigh(now_.z);
  }

  /// By their noise joints count as they should if there is nothing but noise. Errors of the model are not noise: where the error of
  /// all joints together is clearly smaller with joints that count alike, they do so as far as it takes.
  void choose_weights() {
    const Scored before = now_;
    std::vector<std::pair<double, Scored>> all{{0.0, before}};
    for (const double evenness : {0.5, 1.0}) {
      if (!step("comparing weights of joints")) break;
      choice_.evenness = evenness;
      weigh(before.z);
      all.emplace_back(evenness, score(active_, totals(), before.z));
      choice_.evenness = 0.0;
      weigh(before.z);
      record(evenness < 1.0 ? "joints weighted more alike" : "joints weighted alike", before,
             all.back().second);
    }
    double least = infinity;
    for (const auto& [evenness, scored] : all) least = std::min(least, percent(scored));
    const auto best = std::ranges::find_if(
        all, [&](const auto& a) { return percent(a.second) <= (1.0 + alike_weights) * least; });
    if (best == all.begin() || best == all.end()) return;
    choice_.tried[choice_.tried.size() - all.size() + std::size_t(best - all.begin())].taken = true;
    choice_.evenness = best->first, now_ = best->second;
    weigh(now_.z);
  }

  /// A band may be found too narrow, as where much noise of one joint's sensor counts: where the usual model, fitted below the usual
  /// cut-off, predicts torques below that clearly better, it is used.
  void compare_with_usual() {
    constexpr double clearly = 0.98;
    const double usual = nearest(std::min(usual_hz, choice_.highest_hz));
    if (options_.filter_hz || fit_ == usual || !step("comparing with the usual model")) return;
    const std::tuple chosen(fit_, target_, choice_.evenness, active_);
    target_ = usual;
    const Scored own = score(active_, totals(), now_.z);
    fit_ = usual, choice_.evenness = 0.0, active_ = usual_;
    weigh(now_.z);
    const Scored other = score(active_, totals(), now_.z);
    Tried& tried = record(message("the usual model, below ", usual, " Hz"), own, other);
    tried.taken = percent(other) < clearly * percent(own);
    if (tried.taken)
      now_ = other;
    else
      std::tie(fit_, target_, choice_.evenness, active_) = chosen;
    weigh(now_.z);
  }

  void conclude() {
    choice_.joint_weights = joint_weights_;
    choice_.filter_hz = fit_;
    choice_.percent = percent(now_);
    const auto has = [&](int part) { return active_[std::size_t(part)] != 0; };
    for (const Feature f : lattice_.torques().features())
      if (has(lattice_.feature_part(f))) choice_.features.push_back(f);
    if (options_.features) {
      choice_.features = *options_.features;
      std::erase(choice_.features, Feature::armature);
      if (has(lattice_.feature_part(Feature::armature)))
        choice_.features.push_back(Feature::armature);
    }
    // deviations of effects beside everything else
    const Sums all = sum_of(totals());
    Equations equations(*this, active_);
    const std::vector<int>& kept = equations.kept();
    const Matrix covariance =
        inverse_of(all.G(kept, kept) + equations.prior().information(now_.z(kept)));
    const auto found = [&](int unknown) -> Found {
      const auto at = std::ranges::lower_bound(kept, unknown) - kept.begin();
      return {now_.z(unknown), std::sqrt(std::max(0.0, covariance(at, at)))};
    };
    Effects& effects = choice_.effects;
    if (options_.effects) effects = *options_.effects;
    effects.torque_delay = {options_.torque_delay.value_or(0.0), 0.0};
    if (has(lattice_.delay_part())) effects.torque_delay = found(lattice_.delay_at());
    effects.torque_delay.value += late_;
    for (std::size_t k = 0; k < lattice_.couplings().size(); ++k) {
      if (!has(lattice_.coupling_part(k))) continue;
      Coupling c = lattice_.couplings()[k];
      const int at = lattice_.coupling_at(k);
      c.rotor = found(at), c.viscous = found(at + 1), c.coulomb = found(at + 2);
      effects.couplings.push_back(c);
    }
    if (has(lattice_.spring_part()))
      for (int i = 0; i < lattice_.nv(); ++i)
        effects.compliance.push_back(found(lattice_.spring_at(i)));
  }

  Lattice lattice_;
  std::span<const Log> logs_;
  const ChooseOptions& options_;
  Choice choice_;
  /// Motion without a pause.
  struct Stretch {
    int log;
    double begin, seconds, before;  ///< `before`: seconds of the stretches before it
  };
  std::vector<Stretch> stretches_;
  Active usual_;  ///< what the search began with
  std::vector<double> candidates_;
  double share_ = 1.0;  ///< of each log that is looked at
  double late_ = 0.0;   ///< s, compensated already
  int decimation_ = 1;
  Vector known_;
  std::optional<PhysicalPrior> prior_;
  std::map<double, CutOff> at_;
  double fit_ = usual_hz,
         target_ = usual_hz;  ///< cut-offs of what is fitted, and of what is predicted
  Active active_, free_;
  Vector weights_, alike_, joint_weights_;
  Scored now_;
  Vector so_far_;  ///< what columns are linearised about
};

}  // namespace

std::optional<Choice> choose(const Model& model, std::span<const Log> logs,
                             const ChooseOptions& options) {
  if (model.nv() > most_joints || !model.description().loops.empty() || !model.drives().plain() ||
      logs.empty())
    return {};
  return Search(model, logs, options).run();
}

}  // namespace ulna::identify
