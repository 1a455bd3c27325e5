#include "identify_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "report.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

/// Joints' motion, as shares of their limits.
struct MotionUse {
  double range = 0.0, speed = 0.0;  ///< 0 to 1
};
std::vector<MotionUse> motion_of(const Identification& r) {
  const Model& model = r.torques.model();
  std::vector<MotionUse> all;
  for (int i = 0; i < model.nv() && model.nq() == model.nv(); ++i) {
    double low = INFINITY, high = -INFINITY, fast = 0.0;
    for (const Trace& t : r.traces)
      if (!t.validation && t.q.size() > 0) {
        low = std::min(low, t.q.row(i).minCoeff()), high = std::max(high, t.q.row(i).maxCoeff());
        fast = std::max(fast, t.v.row(i).cwiseAbs().maxCoeff());
      }
    if (!(high >= low)) return {};
    const bool turns = model.joint_of_coordinate(i).type != JointType::prismatic;
    const double range = model.upper_limit()(i) - model.lower_limit()(i),
                 limit = model.velocity_limit()(i);
    const double usual = turns ? 2.0 * M_PI : 1.0;
    all.push_back(
        {(high - low) / (std::isfinite(range) && range > 0.0 ? std::min(range, usual) : usual),
         fast / (std::isfinite(limit) && limit > 0.0 ? limit : 2.0)});
  }
  return all;
}

/// Of a body's ten parameters, those that come from the logs.
std::string bodies_in_words(const Identification& r) {
  std::vector<std::string> bodies;
  for (int b = 1; b < r.torques.model().body_count(); ++b) {
    int learned = 0;
    for (int k = 0; k < 10; ++k) learned += r.state(10 * (b - 1) + k) == "estimated";
    bodies.push_back(fmt::format("{} {}", r.torques.model().body_name(b), learned));
  }
  return fmt::format("{}", fmt::join(bodies, ", "));
}

/// "a, b and 3 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  const auto first = std::span(names).first(std::min(most, names.size()));
  const std::string text = fmt::format("{}", fmt::join(first, ", "));
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

/// What is odd about joints, the oddest first.
class JointSuspicions {
 public:
  explicit JointSuspicions(const Identification& r)
      : r_(r), joints_(r.torques.model().velocity_names()) {
    look_at_held_out();
    for (std::size_t i = 0; i < r.residuals.joints.size(); ++i) look_at_residual(i);
    for (const auto& [against, group] : groups_)
      add(group.weight, fmt::format("{}: {}; {} would show it", some_of(group.joints),
                                    cause_of(group.pattern), motion_that_shows(group.pattern)));
    if (!alike_.joints.empty())
      add(alike_.weight,
          fmt::format("{}: what is unexplained lasts for {} s and more, which noise does not: an "
                      "effect that "
                      "the model lacks; the same motion twice would show what of it repeats",
                      some_of(alike_.joints), figure(shortest_, 2)));
    std::ranges::sort(all_, std::greater{}, &std::pair<double, std::string>::first);
  }
  const std::vector<std::pair<double, std::string>>& all() const { return all_; }

 private:
  struct Group {
    double weight = 0.0;  ///< of the heaviest joint: what is odd, in percent of its torque
    std::vector<std::string> joints = {};
    Pattern pattern = {};
  };
  void add(double weight, std::string text) { all_.emplace_back(weight, std::move(text)); }

  /// Joints that are explained in the fitted motion and not in other motion.
  void look_at_held_out() {
    constexpr double much_worse = 3.0, much = 5.0, of_it = 0.7;
    if (!r_.chosen.validation) return;
    const Fit &fit = r_.chosen.fit, &held = *r_.chosen.validation;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const auto at = Eigen::Index(i);
      const double percent = held.per_joint_percent(at);
      if (!(percent > much) || !(held.rms(at) > much_worse * fit.rms(at))) continue;
      double sum = 0.0, count = 0.0;
      for (const Trace& t : r_.traces)
        if (t.validation)
          sum += (t.measured.row(at) - t.predicted.row(at)).sum(), count += double(t.t.size());
      const double mean = count > 0.0 ? sum / count : 0.0;
      add(percent,
          fmt::format("{}: {} % of its torque is unexplained where it was held out, {} % where it "
                      "was fitted{}",
                      joints_[i], figure(percent, 2), figure(fit.per_joint_percent(at), 2),
                      std::abs(mean) > of_it * held.rms(at)
                          ? fmt::format(": off by {} on average, as with another zero of its "
                                        "sensor or another load",
                                        figure(mean, 2))
                          : "; fit motion like that too"));
    }
  }

  void look_at_residual(std::size_t i) {
    // less than this share of its torque is nobody's concern, in percent
    constexpr double little = 1.0;
    const JointResidual& residual = r_.residuals.joints[i];
    const double unexplained = r_.chosen.fit.per_joint_percent(Eigen::Index(i));
    bool named = false;
    for (const Pattern& p : residual.patterns) {
      const double percent = std::sqrt(p.share) * unexplained;
      if (p.meaning.empty() || percent < little) continue;
      named = true;
      Group& group = groups_[p.against];
      group.pattern = p, group.weight = std::max(group.weight, percent);
      group.joints.push_back(fmt::format("{} ({} % of its torque follows its {})", joints_[i],
                                         figure(percent, 2), p.against));
    }
    for (const std::string& m : residual.meanings)
      if (m.starts_with("the residual has a peak") && unexplained > little)
        add(unexplained, fmt::format("{}: {}", joints_[i], m)), named = true;
    if (named || unexplained < 2.0 * little || residual.correlated_seconds < 3.0 / r_.filter_hz)
      return;
    alike_.weight = std::max(alike_.weight, unexplained);
    alike_.joints.push_back(
        fmt::format("{} ({} % of its torque)", joints_[i], figure(unexplained, 2)));
    shortest_ = std::min(shortest_, residual.correlated_seconds);
  }

  const Identification& r_;
  std::vector<std::string> joints_;
  std::map<std::string, Group> groups_;
  Group alike_;
  double shortest_ = INFINITY;
  std::vector<std::pair<double, std::string>> all_;
};

std::vector<std::string> suspicions(const Identification& r) {
  constexpr std::size_t most = 5;
  std::vector<std::string> all;
  for (const Remark& remark : r.remarks)
    if (remark.finding) all.push_back(remark.text);
  // what joints do follows from that
  if (!all.empty()) return all;
  const JointSuspicions joints(r);
  for (const auto& [weight, text] : joints.all())
    if (all.size() < most) all.push_back(text);
  return all;
}

/// Base parameters that are hardly known, and where most of them are.
struct Vague {
  int count = 0;
  std::string most;
};
Vague vague_of(const Identification& r) {
  Vague vague;
  std::map<std::string, int> of;
  const std::vector<std::string> names = r.torques.names();
  for (int i = 0; i < r.base.size(); ++i) {
    if (r.chosen.estimate.base_deviation(i) < 0.5 * std::abs(r.chosen.estimate.base(i))) continue;
    ++vague.count;
    // "link.mass", "joint.viscous"
    const std::string& name = names[std::size_t(r.base.independent[std::size_t(i)])];
    ++of[name.substr(0, name.rfind('.'))];
  }
  if (!of.empty())
    vague.most =
        std::ranges::max_element(of, {}, &std::pair<const std::string, int>::second)->first;
  return vague;
}

std::vector<std::string> next_steps(const Identification& r, const std::string& robot) {
  std::vector<std::string> all;
  if (r.has_findings())
    all.emplace_back("settle what is suspicious before the parameters are used");
  const std::vector<std::string> joints = r.torques.model().velocity_names();
  const std::vector<MotionUse> motion = motion_of(r);
  constexpr double little = 0.15, slow = 0.2;
  std::vector<std::string> still;
  for (std::size_t i = 0; i < motion.size(); ++i)
    if (motion[i].range < little || motion[i].speed < slow)
      still.push_back(fmt::format("{} ({:.0f} % of its range, {:.0f} % of its speed)", joints[i],
                                  100.0 * motion[i].range, 100.0 * motion[i].speed));
  const Vague vague = vague_of(r);
  if (r.torques.model().nq() != r.torques.model().nv()) {
    if (3 * vague.count > r.base.size())
      all.emplace_back(
          "record motion in which the base turns about all axes and each leg swings in the air, "
          "too");
  } else if (!still.empty() || r.chosen.estimate.excitation.rank < r.base.size() ||
             3 * vague.count > r.base.size())
    all.push_back(fmt::format(
        "record the motion of 'ulna excite {} -o motion.csv', too{}{}", robot,
        vague.count ? fmt::format(": {} of {} base parameters are known to half of their size or "
                                  "worse, most of {}",
                                  vague.count, r.base.size(), vague.most)
                    : "",
        still.empty() ? "" : fmt::format("; move {} more", fmt::join(still, ", "))));
  if (!r.chosen.validation && !r.online)
    all.emplace_back(
        "hold motion out (--split 0.5, or --validate LOG), to see how well other motion is "
        "predicted");
  else if (r.repeated_percent > 50.0)
    all.emplace_back(
        "validate on another motion (--validate LOG): what was held out repeats what was fitted");
  if (all.empty()) all.push_back("write the robot (-o identified.urdf) and use it");
  return all;
}

}  // namespace

std::string model_in_words(const Identification& r) {
  std::vector<std::string> features;
  for (const Feature f : r.torques.features())
    features.emplace_back(f == Feature::armature ? "rotors" : to_string(f));
  std::string text = features.empty() ? "rigid bodies alone"
                                      : fmt::format("rigid bodies, {}", fmt::join(features, ", "));
  for (const std::string& effect : r.effects.in_words(r.torques.model())) text += "; " + effect;
  text += fmt::format("; below {} Hz", figure(r.filter_hz));
  if (r.choice)
    text += fmt::format(
        ". Chosen among {}, each by {} parts of {} s that it predicts from the others{}",
        counted(r.choice->tried.size(), "model"), r.choice->parts,
        figure(r.choice->part_seconds, 2),
        r.choice->period > 0.0
            ? fmt::format(" (motion repeats every {} s, which is in the same part)",
                          figure(r.choice->period, 3))
            : "");
  return text;
}

std::vector<SummaryLine> explanation_of(const Identification& r, const std::string& robot) {
  const Estimate& e = r.chosen.estimate;
  int well = 0, roughly = 0;
  for (int i = 0; i < r.base.size(); ++i) {
    const double off = e.base_deviation(i) / std::abs(e.base(i));
    well += off < 0.1, roughly += off >= 0.1 && off < 0.5;
  }
  std::vector<SummaryLine> lines{
      {"known",
       fmt::format("{} of {} base parameters within 10 % (standard deviation), {} within 50 %; "
                   "of the ten numbers of each link, so many come from the logs: {}",
                   well, r.base.size(), roughly, bodies_in_words(r))}};
  const std::vector<std::string> suspicious = suspicions(r);
  for (std::size_t i = 0; i < suspicious.size(); ++i)
    lines.emplace_back(i == 0 ? "suspicious" : "", suspicious[i]);
  const std::vector<std::string> next = next_steps(r, robot);
  for (std::size_t i = 0; i < next.size(); ++i) lines.emplace_back(i == 0 ? "next" : "", next[i]);
  return lines;
}

std::string choice_table(const Choice& choice, const Stream& out) {
  Table table(1, {"tried", ">held out [%]", ">gain [nats]", out.either(">±", ">+-"), "taken"});
  for (const Tried& t : choice.tried)
    table.row({t.model, fixed(t.percent, 3), fixed(t.gain, 1), fixed(t.deviation, 1),
               t.taken ? "yes" : ""},
              t.taken ? Style::bold : Style::plain);
  return table.str(out);
}

}  // namespace ulna::cli
