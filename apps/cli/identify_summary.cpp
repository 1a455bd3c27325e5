#include "identify_summary.hpp"

#include <algorithm>
#include <cmath>

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

std::vector<std::string> suspicions(const Identification& r) {
  constexpr std::size_t most = 4;
  std::vector<std::string> all;
  for (const Remark& remark : r.remarks)
    if (remark.finding) all.push_back(remark.text);
  const std::vector<std::string> joints = r.torques.model().velocity_names();
  // the joints with the largest share of torque unexplained first
  std::vector<std::size_t> order(r.residuals.joints.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto& percent =
      (r.chosen.validation ? *r.chosen.validation : r.chosen.fit).per_joint_percent;
  std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return percent(Eigen::Index(i)); });
  for (const std::size_t i : order)
    if (const auto& m = r.residuals.joints[i].meanings; !m.empty() && all.size() < most)
      all.push_back(fmt::format("{}: {}", joints[i], m.front()));
  return all;
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
  int vague = 0;
  for (int i = 0; i < r.base.size(); ++i)
    vague += !(r.chosen.estimate.base_deviation(i) < 0.5 * std::abs(r.chosen.estimate.base(i)));
  if (r.torques.model().nq() != r.torques.model().nv()) {
    if (3 * vague > r.base.size())
      all.emplace_back(
          "record motion in which the base turns about all axes and each leg swings in the air, "
          "too");
  } else if (!still.empty() || r.chosen.estimate.excitation.rank < r.base.size() ||
             3 * vague > r.base.size())
    all.push_back(fmt::format(
        "record the motion of 'ulna excite {} -o motion.csv'{}", robot,
        still.empty() ? "" : fmt::format(": more motion of {}", fmt::join(still, ", "))));
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
                   "parameters by the logs, of 10 a link: {}",
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

Json choice_json(const Choice& choice, const Model& model) {
  Json tried = Json::array(), effects = tried;
  for (const Tried& t : choice.tried)
    tried.push_back(ULNA_FIELDS(t, model, percent, per_joint_percent, gain, deviation, taken));
  for (const std::string& effect : choice.effects.in_words(model)) effects.push_back(effect);
  return merged({ULNA_FIELDS(choice, filter_hz, band_hz, highest_hz, parts, part_seconds, period,
                             evenness, percent),
                 {{"features", list_of(choice.features, [](Feature f) { return to_string(f); })},
                  {"effects", effects},
                  {"tried", tried}}});
}

Json residuals_json(const Identification& r) {
  if (r.residuals.joints.empty()) return {};
  Json joints = Json::array();
  for (const JointResidual& j : r.residuals.joints) {
    Json patterns = Json::array();
    for (const Pattern& p : j.patterns)
      patterns.push_back(ULNA_FIELDS(p, against, x, mean, deviation, share, meaning));
    joints.push_back(merged({ULNA_FIELDS(j, rms, torque_density, density, autocorrelation,
                                         correlated_seconds, meanings),
                             {{"patterns", patterns}}}));
  }
  return {{"hz", r.residuals.hz}, {"lag", r.residuals.lag}, {"joints", joints}};
}

}  // namespace ulna::cli
