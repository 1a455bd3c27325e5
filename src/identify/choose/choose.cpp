#include "ulna/identify/choose/choose.hpp"

#include <algorithm>

#include "identify/choose/comparison.hpp"
#include "identify/messages.hpp"

namespace ulna::identify {
namespace {

/// The cut-off that is looked at first: motion of most arms is slower.
constexpr double usual_hz = 10.0;
constexpr int most_joints = 20;
/// A model is taken instead of another if parts held out are more likely by so many nats and by as much as its deviation, and their
/// error is smaller by this share, on the whole and in no other sense larger.
constexpr double nats = 5.0, deviations_more = 2.0, share_less = 0.003;
/// What is there is left out if it is worth less than this share of that.
constexpr double still_worth = 0.5;
/// Cut-offs whose errors differ by less are alike.
constexpr double alike_cut_offs = 0.01;
/// What a filter does to motion may move an estimate by this share of what noise does, squared: together they are 5 % more than noise.
constexpr double most_distortion = 0.1;

/// From the usual model to that which predicts best: parts of the lattice, then the cut-off, then how joints count.
class Search {
 public:
  Search(const Model& model, std::span<const Log> logs, const ChooseOptions& options)
      : options_(options), motion_(model, logs, options), lattice_(motion_.lattice()) {}

  std::optional<Choice> run() {
    const double first = motion_.nearest(std::min(usual_hz, motion_.highest_hz()));
    if (!motion_.divide(first)) return {};
    begin(first);
    choose_band();
    step("comparing models");
    search();
    look_for_springs();
    choose_cut_off();
    choose_weights();
    conclude();
    return choice_;
  }

 private:
  bool step(const std::string& what) {
    if (options_.go_on && !options_.go_on(what)) choice_.stopped = true;
    return !choice_.stopped;
  }

  /// Where the search begins: what is given, or usual.
  void begin(double hz) {
    motion_.fit_below(hz), motion_.predict_below(hz);
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
    motion_.weigh_first(active_);
    motion_.follow(motion_.solved(active_, {}), false);
  }

  Tried& record(const std::string& name, const Scored& before, const Scored& after) {
    const auto [better, deviation] = motion_.gain(before, after);
    choice_.tried.push_back(
        {name, motion_.percent(after), motion_.per_joint_percent(after), better, deviation, false});
    return choice_.tried.back();
  }
  /// Whether a model that has more is worth it; `tried` is against the one that has less.
  bool is_worth(const Tried& tried, const Scored& less) {
    return gains(tried, 1.0) && tried.percent < (1.0 + share_less) * motion_.percent(less);
  }
  /// Whether there is anything of an effect: a number of it that is more than its uncertainty.
  bool is_there(std::size_t part, const Scored& model) {
    const Vector deviation = motion_.deviations(model);
    return std::ranges::any_of(lattice_.parts()[part].unknowns, [&](int k) {
      return std::abs(model.z(k)) > deviations_more * deviation(k);
    });
  }
  bool gains(const Tried& tried, double share) {
    return tried.gain > share * std::max(nats, deviations_more * tried.deviation) &&
           tried.gain > share * share_less * motion_.independent();
  }

  /// Adds or leaves out one part after the other, the best of all each time, until none is worth it.
  void search() {
    now_ = motion_.score(active_, {});
    for (int round = 0; round < 2 * int(free_.size()); ++round) {
      std::optional<Scored> best;
      std::size_t best_at = 0;
      double most = -infinity;
      for (std::size_t p = 0; p < free_.size(); ++p) {
        if (!free_[p] || !step("comparing models")) continue;
        Active other = active_;
        other[p] = !other[p];
        const Scored scored = motion_.score(other, now_.z);
        const bool more = other[p];
        const Tried tried =
            record((more ? "with " : "without ") + lattice_.parts()[p].name, now_, scored);
        bool better = more && is_worth(tried, now_) && is_there(p, scored);
        if (!more) {
          // what is left out must not be missed
          const auto [worse, deviation] = motion_.gain(scored, now_);
          better = !gains({"", motion_.percent(now_), {}, worse, deviation, false}, still_worth);
        }
        // parts that go do so before others come
        const double by = more ? tried.gain : 1e12 + tried.gain;
        if (better && by > most) best = scored, best_at = choice_.tried.size() - 1, most = by;
      }
      if (!best) break;
      choice_.tried[best_at].taken = true;
      active_ = best->active;
      now_ = *best;
      motion_.follow(now_.z, has(lattice_.spring_part()));
      if (has(lattice_.delay_part())) compensate();
      motion_.weigh(now_.z, 0.0);
      now_ = motion_.score(active_, now_.z);
    }
  }

  /// Prepares motion anew with the delay that was found, so that what is left of it is small and linear.
  void compensate() {
    constexpr double settled = 2e-5;  // s
    const int delay = lattice_.delay_at();
    free_[std::size_t(lattice_.delay_part())] = 0;
    for (int pass = 0; pass < 4 && std::abs(now_.z(delay)) > settled; ++pass) {
      const double later = std::exchange(now_.z(delay), 0.0);
      motion_.shift(later);
      motion_.follow(now_.z, has(lattice_.spring_part()));
      now_.z = motion_.solved(active_, now_.z);
    }
  }

  /// The band in which motion shows, by the widest model that has no effects.
  void choose_band() {
    if (options_.filter_hz) return;
    Active wide = active_;
    for (const Feature f : {Feature::load, Feature::armature}) {
      const int part = lattice_.feature_part(f);
      if (free_[std::size_t(part)]) wide[std::size_t(part)] = 1;
    }
    const Vector z = motion_.solved(wide, {});
    step("spectra");
    const double highest = motion_.cut_offs().back();
    const CutOff& motion = motion_.at(highest);
    const double band = band_of(motion.data().tau, motion.predicted(z), motion.data().breaks,
                                motion.rate_hz(), highest);
    if (!std::isfinite(band)) return;
    motion_.fit_below(motion_.nearest(band)), motion_.predict_below(motion_.nearest(band));
    motion_.weigh_first(active_);
  }

  void look_for_springs() {
    const auto part = std::size_t(lattice_.spring_part());
    if (options_.effects || !step("looking for springs")) return;
    motion_.at(motion_.fit_hz()).follow(now_.z, true);
    const Active others = std::exchange(free_, Active(free_.size(), 0));
    free_[part] = 1;
    search();
    free_ = others;
    free_[part] = 0;
    if (active_[part]) search();
  }

  /// A band in which filtered motion has other torques than the filtered ones is too narrow, however little shows above it: models would be
  /// praised for explaining what the filter did.
  void widen_band() {
    const std::vector<double>& all = motion_.cut_offs();
    const double narrow = motion_.fit_hz();
    auto band = std::ranges::find(all, narrow);
    while (band + 1 != all.end() && motion_.distortion(*band, now_) > most_distortion) ++band;
    if (*band == narrow || !step("comparing models")) return;
    motion_.fit_below(*band), motion_.predict_below(*band);
    motion_.weigh(now_.z, 0.0);
    now_ = motion_.score(active_, now_.z);
  }

  /// By how well what is fitted below each cut-off predicts torques below the band, which is the same for all.
  void choose_cut_off() {
    if (motion_.cut_offs().size() < 2) return;
    widen_band();
    const double band = motion_.fit_hz();
    const Scored before = now_;
    struct Candidate {
      double hz;
      Scored scored;
      std::size_t tried;
    };
    std::vector<Candidate> all;
    for (const double hz : motion_.cut_offs()) {
      if (hz < 0.45 * band || hz > 2.2 * band) continue;
      if (!step(message("comparing cut-offs, ", hz, " Hz"))) break;
      if (motion_.at(hz).size() != motion_.at(band).size()) continue;
      fit(hz, before.z, 0.0);
      Scored scored = motion_.score(active_, before.z);
      fit(band, before.z, 0.0);
      record(message("cut-off ", hz, " Hz"), before, scored);
      all.push_back({hz, std::move(scored), choice_.tried.size() - 1});
    }
    if (all.empty()) return;
    // of those that predict as well, the one nearest to the band
    double least = infinity;
    for (const Candidate& c : all) least = std::min(least, motion_.percent(c.scored));
    const Candidate* best = nullptr;
    for (const Candidate& c : all)
      if (motion_.percent(c.scored) <= (1.0 + alike_cut_offs) * least &&
          (!best || std::abs(std::log(c.hz / band)) < std::abs(std::log(best->hz / band))))
        best = &c;
    choice_.tried[best->tried].taken = true;
    now_ = best->scored;
    fit(best->hz, now_.z, 0.0);
  }
  void fit(double hz, const Vector& z, double evenness) {
    motion_.fit_below(hz);
    motion_.weigh(z, evenness);
  }

  /// By their noise joints count as they should if there is nothing but noise. Errors of the model are not noise: where the error of
  /// all joints together is smaller by that share with joints that count more alike, they do so.
  void choose_weights() {
    const Scored before = now_;
    std::vector<std::pair<double, Scored>> all{{0.0, before}};
    for (const double evenness : {0.5, 1.0}) {
      if (!step("comparing weights of joints")) break;
      motion_.weigh(before.z, evenness);
      all.emplace_back(evenness, motion_.score(active_, before.z));
      motion_.weigh(before.z, 0.0);
      record(evenness < 1.0 ? "joints weighted more alike" : "joints weighted alike", before,
             all.back().second);
    }
    double least = infinity;
    for (const auto& [evenness, scored] : all) least = std::min(least, motion_.percent(scored));
    const auto best = std::ranges::find_if(all, [&](const auto& a) {
      return motion_.percent(a.second) <= (1.0 + share_less) * least;
    });
    if (best == all.begin()) return;
    choice_.tried[choice_.tried.size() - all.size() + std::size_t(best - all.begin())].taken = true;
    choice_.evenness = best->first, now_ = best->second;
    motion_.weigh(now_.z, choice_.evenness);
  }

  void conclude() {
    choice_.highest_hz = motion_.highest_hz(), choice_.filter_hz = motion_.fit_hz();
    choice_.parts = motion_.parts(), choice_.part_seconds = motion_.part_seconds();
    choice_.period = motion_.period();
    choice_.joint_weights = motion_.joint_weights();
    choice_.band_hz = motion_.target_hz();
    choice_.percent = motion_.percent(now_);
    for (const Feature f : lattice_.torques().features())
      if (has(lattice_.feature_part(f))) choice_.features.push_back(f);
    if (options_.features) {
      choice_.features = *options_.features;
      std::erase(choice_.features, Feature::armature);
      if (has(lattice_.feature_part(Feature::armature)))
        choice_.features.push_back(Feature::armature);
    }
    // deviations of effects beside everything else
    const Vector deviation = motion_.deviations(now_);
    const auto found = [&](int unknown) -> Found { return {now_.z(unknown), deviation(unknown)}; };
    Effects& effects = choice_.effects;
    if (options_.effects) effects = *options_.effects;
    effects.torque_delay = {options_.torque_delay.value_or(0.0), 0.0};
    if (has(lattice_.delay_part())) effects.torque_delay = found(lattice_.delay_at());
    effects.torque_delay.value += motion_.late();
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

  bool has(int part) const { return active_[std::size_t(part)] != 0; }

  const ChooseOptions& options_;
  Choice choice_;
  Comparison motion_;
  const Lattice& lattice_;
  Active active_, free_;
  Scored now_;
};

}  // namespace

std::optional<Choice> choose(const Model& model, std::span<const Log> logs,
                             const ChooseOptions& options) {
  if (options.effects) require_valid(*options.effects, model.nv());
  if (model.nv() > most_joints || !model.description().loops.empty() || !model.drives().plain() ||
      logs.empty())
    return {};
  return Search(model, logs, options).run();
}

}  // namespace ulna::identify
