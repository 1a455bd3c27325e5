#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "identify/messages.hpp"
#include "identify/pipeline.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/model/configuration.hpp"

namespace ulna::identify {
namespace {

/// Above this many percent of the torque unexplained, nothing that was found can be trusted.
constexpr double too_much_unexplained = 25.0, too_much_beside_limits = 10.0, well_explained = 2.0;
/// And of one joint, which may be small beside the others: above this many, its columns are suspected.
constexpr double too_much_of_a_joint = 50.0;
/// Percent of the motion held out that was fitted, above which it shows little.
constexpr double mostly_repeated = 50.0;
/// Beyond 100, no torque at all would be a better prediction.
constexpr double worse_than_nothing = 110.0;

/// Percent of random configurations at which the mass matrix is not positive definite.
double indefinite_percent(const TorqueModel& torques, const Vector& z) {
  constexpr int tries = 2000;
  const Model& model = torques.model();
  Plant<double> plant(model);
  torques.set(z, plant);
  Kinematics<double> at(model);
  Workspace<double> scratch(model);
  MassFactor<double> factor(model);
  std::mt19937_64 random(1);
  int bad = 0;
  for (int i = 0; i < tries; ++i) {
    at.set(random_configuration(model, random));
    if (!factor.factor(plant, at, scratch)) ++bad;
  }
  return 100.0 * bad / tries;
}

template <class Remark>
void remark_on_refinement(const Identification& result, const Remark& remark) {
  const RefineStatus status = result.refined->status;
  const auto off = [](const Assessment& a) {
    return (a.validation ? *a.validation : a.fit).total_percent;
  };
  const double before = off(*result.start), after = off(result.chosen);
  if (status == RefineStatus::failed)
    remark(
        "refinement found no step that helps: the parameters are those of the consistent estimate "
        "it began with");
  else if (status != RefineStatus::converged)
    remark(status == RefineStatus::stopped ? "refinement was stopped"
                                           : message("refinement ended by its ", to_string(status)),
           " before it had converged: the parameters are the best it had come to",
           result.refined->has_deviations
               ? ""
               : ", and their deviations those of the estimate it began with");
  if (after > 1.01 * before)
    remark("refined for simulated motion, the parameters predict ",
           result.chosen.validation ? "held-out" : "the", " torques worse, ", number(after, 3),
           " % off instead of ", number(before, 3),
           " %; Options::method = consistent keeps the latter");
}

/// Torques that are measured so late that the estimate suffers from it. Below, other effects look like a delay.
template <class Finding>
void remark_on_delay(const Delay& found, const Finding& finding) {
  constexpr double long_delay = 0.02, much_better = 0.5;
  if (!found.found || std::abs(found.delay) < std::max(long_delay, 5.0 * found.deviation) ||
      found.left > much_better)
    return;
  finding("the torques are measured ", number(1e3 * std::abs(found.delay), 3), " +- ",
          number(1e3 * found.deviation, 2), " ms ", found.delay > 0.0 ? "later" : "earlier",
          " than the motion: with them ", found.delay > 0.0 ? "earlier" : "later", " by that, ",
          number(100.0 * std::sqrt(found.left), 2),
          " % of the error is left; compensate it (Options::torque_delay), or shift the columns of "
          "the torques in the log");
}

/// Gains that the data do not determine.
template <class Finding>
void remark_on_gains(const Identification& result, const Finding& finding) {
  constexpr double determined = 0.5;
  const std::vector<std::string> joints = result.torques.model().velocity_names();
  for (std::size_t i = 0; i < result.gains.size(); ++i) {
    const DriveGain& g = result.gains[i];
    if (g.gain > 0.0 && g.determined >= determined) continue;
    finding(
        "joint '", joints[i], "': its gain of ", number(g.gain, 3), " +- ", number(g.deviation, 2),
        g.gain > 0.0
            ? message(" Nm/A is not determined: beside friction, ", number(100.0 * g.determined, 2),
                      " % of what its current does (squared correlation) is what the torques of "
                      "the described robot do")
            : message(" Nm/A is negative: its current has another sign than the described "
                      "robot's torques, or hardly depends on them"),
        "; give the gains of the drives, Options::gains");
  }
}

std::string text_of(const Rescaling& r, const std::vector<std::string>& joints) {
  const bool negated = r.factor < -0.8 && r.factor > -1.25;
  return message(r.joint < 0 ? "the torques of all joints look" : "the torque of joint '",
                 r.joint < 0 ? "" : joints[r.joint] + "' looks",
                 negated ? " negated: with the other sign"
                         : message(" to be in another unit or of another gain: multiplied by ",
                                   number(r.factor, 3)),
                 ", ", number(r.after_percent, 3), " % instead of ", number(r.before_percent, 3),
                 " % of a joint's torque is unexplained");
}

/// Masses that no robot has.
template <class Finding>
void remark_on_masses(const Identification& result, bool described, const Finding& finding) {
  // kg/m³ of a ball that reaches to the farthest joint of a body: more than tungsten, and so little that
  // not even tubes in it weigh less
  constexpr double densest = 20e3, lightest = 0.1;
  constexpr double heaviest_load = 2000.0;  // kg, of what a last link carries
  // times as much as described, or as little
  constexpr double much = 5.0;
  constexpr const char* advice =
      ": check the unit of the torques (Nm, forces in N), gains and gravity";
  const Model& model = result.torques.model();
  const Vector& z = result.chosen.estimate.z;
  double mass = 0.0, expected = 0.0, volume = 0.0;
  for (int b = 1; b < model.body_count(); ++b) {
    if (result.state(10 * (b - 1)) != "estimated") continue;
    const double own = z(10 * (b - 1)),
                 filled = 4.0 / 3.0 * std::numbers::pi * std::pow(extent(model, b), 3);
    mass += own, volume += filled;
    expected += result.chosen.estimate.prior(10 * (b - 1));
    const bool last = std::ranges::count(model.joints(), b, &Joint::parent) == 0;
    if (own > densest * filled && (!last || own > heaviest_load)) {
      finding("link '", model.body_name(b), "' would weigh ", number(own),
              " kg and be denser than any metal", advice);
      return;
    }
  }
  if (volume == 0.0) return;
  if (mass >= 0.0 && mass < lightest * volume)
    finding("the links that are estimated would weigh ", number(mass),
            " kg together, too little for their size", advice);
  else if (described && !(mass < much * expected && expected < much * mass))
    finding("the links that are estimated would weigh ", number(mass), " kg together, and ",
            number(expected), " kg as described", advice);
}

/// Torques like those of the robot as it is described, but much larger or smaller.
template <class Finding>
void remark_on_scale(const Identification& result, const Finding& finding) {
  constexpr double much = 1.7, alike = 0.8;
  const double scale = result.described_scale;
  if (result.described_correlation < alike || (scale < much && scale > 1.0 / much)) return;
  finding(
      "the torques are ", number(scale, 3),
      " times those of the robot as it is described (correlation ",
      number(result.described_correlation, 2),
      "): this is the log of another robot, or the torques have another unit or gain; if masses of "
      "the description are guesses, do not start from them (Options::prior)");
}

/// Where plain least squares predict other motion clearly better, what they do that bodies and friction cannot.
template <class Remark>
void remark_on_missing_physics(const Identification& result, const Remark& remark) {
  constexpr double clearly = 1.02, deviations_below = 3.0;
  if (!result.plain || !result.plain->validation || !result.chosen.validation) return;
  const double plain = result.plain->validation->total_percent,
               own = result.chosen.validation->total_percent;
  if (!(own > clearly * plain)) return;
  const Estimate& free = result.plain->estimate;
  const std::vector<std::string> names = result.torques.names();
  std::string why;
  int count = 0;
  for (int i = 0; i < result.base.size() && count < 3; ++i) {
    const int k = result.base.independent[std::size_t(i)];
    if (k < result.torques.inertial_size() || names[std::size_t(k)].ends_with("offset") ||
        !(free.base(i) < -deviations_below * free.base_deviation(i)))
      continue;
    why += message(count++ ? ", " : "", names[std::size_t(k)], " of ", number(free.base(i), 2));
  }
  if (count == 0) {
    int bodies = 0;
    for (const Consistency& body : result.plain->bodies) bodies += !body.ok();
    why = message(bodies, bodies == 1 ? " body" : " bodies", " that cannot exist");
  }
  remark(
      "plain least squares predict held-out motion better, ", number(plain, 3), " % instead of ",
      number(own, 3), " %, by ", why,
      result.repeated_percent > mostly_repeated
          ? ": that motion was fitted, too, with its errors; other motion shows which is better "
            "(LogInputs::validation)"
          : ": an effect is missing that these stand for; what the residual follows shows which");
}

}  // namespace

void check_bodies(const TorqueModel& torques, Assessment& assessment) {
  const Vector& z = assessment.estimate.z;
  for (int b = 0; b < torques.model().joint_count(); ++b)
    assessment.bodies.push_back(check_consistency(Inertia<double>(z.segment<10>(10 * b))));
  assessment.indefinite_percent = indefinite_percent(torques, z);
}

double repeated_percent(const TorqueData& fitted, const TorqueData& held_out) {
  constexpr Index most_fitted = 20000, most_tried = 200;
  constexpr double near = 0.05;
  if (fitted.size() == 0 || held_out.size() == 0) return 0.0;
  const Index n = fitted.q.rows();
  Vector scale(2 * n);
  scale << fitted.q.rowwise().maxCoeff() - fitted.q.rowwise().minCoeff(),
      2.0 * fitted.v.cwiseAbs().rowwise().maxCoeff();
  scale = scale.cwiseMax(1e-9).cwiseInverse();
  const auto states = [&](const TorqueData& data, Index most) -> Matrix {
    const Index stride = (data.size() + most - 1) / most;
    const auto some = Eigen::seqN(0, data.size() / stride, stride);
    Matrix x(2 * n, data.size() / stride);
    x << data.q(Eigen::all, some), data.v(Eigen::all, some);
    return scale.asDiagonal() * x;
  };
  const Matrix known = states(fitted, most_fitted), tried = states(held_out, most_tried);
  Index repeated = 0;
  for (const auto& state : tried.colwise())
    if ((known.colwise() - state).cwiseAbs().colwise().maxCoeff().minCoeff() < near) ++repeated;
  return 100.0 * double(repeated) / double(tried.cols());
}

Delay delay_of(const std::vector<Trace>& traces) {
  constexpr double longest = 0.5;
  // one piece, the longest: a delay shifts samples past each other
  const Trace* most = nullptr;
  for (const Trace& trace : traces)
    if (!trace.validation && (!most || trace.t.size() > most->t.size())) most = &trace;
  if (!most) return {};
  // a minute is enough
  const Index n = std::min<Index>(most->t.size(), std::lround(60.0 * most->rate_hz));
  // what is left to compare is many times longer than the delay
  const double searched = std::min(longest, (double(n) - 32.0) / (8.0 * most->rate_hz));
  if (searched * most->rate_hz < 2.0) return {};
  return estimate_delay(most->predicted.leftCols(n), most->measured.leftCols(n), most->rate_hz,
                        searched);
}

bool badly_explained(const Fit& fit) {
  return !(fit.total_percent <= too_much_unexplained &&
           fit.per_joint_percent.maxCoeff() <= too_much_of_a_joint);
}

void add_remarks(const Options& options, Identification& result) {
  const auto finding = [&](const auto&... parts) {
    result.remarks.push_back({true, message(parts...)});
  };
  const auto remark = [&](const auto&... parts) {
    result.remarks.push_back({false, message(parts...)});
  };
  const Assessment& chosen = result.chosen;
  const Model& model = result.torques.model();

  if (!chosen.estimate.consistent) {
    std::string why = "a friction or a rotor is negative";
    const auto& bodies = chosen.bodies;
    const auto bad = std::find_if(bodies.begin(), bodies.end(), [](auto& c) { return !c.ok(); });
    if (bad != bodies.end())
      why = message("link '", model.body_name(int(bad - bodies.begin()) + 1),
                    "': ", bad->explanation());
    finding("the estimate is not physical: ", why,
            options.method == Method::consistent
                ? "; the torques are too small for a robot: check their unit"
                : "; Options::method = consistent keeps it so");
  }

  // torques
  const bool swapped = result.found.find(log_rules::torque_swapped);
  if (swapped)
    finding(
        "torques look swapped between joints; nothing here can be trusted until that is settled");
  const std::vector<std::string> joints = model.velocity_names();
  // torques of other joints are badly explained in any unit
  if (result.rescaling && !swapped && !result.exchange) finding(text_of(*result.rescaling, joints));
  const bool refined = result.refined && result.refined->status == RefineStatus::converged;
  if (!chosen.estimate.converged && !refined && chosen.fit.total_percent < well_explained)
    remark("Newton's method ended before it had converged; the parameters are the best it came to");
  else if (!chosen.estimate.converged && !refined)
    finding(
        "Newton's method ended before it had converged: no bodies that can exist explain these "
        "torques; the parameters are the best it came to",
        result.rescaling || result.exchange
            ? ""
            : "; check signs and units of the torques, zero positions and gravity");
  if (has_rotors(model) && std::ranges::count(result.torques.features(), Feature::armature) == 0)
    remark(
        "the robot is described with rotors, which are taken to be none: its links stand for them");
  remark_on_delay(result.delay, finding);
  remark_on_gains(result, finding);
  const bool described = options.prior.from_robot && options.payload.empty();
  if (described) remark_on_scale(result, finding);
  remark_on_masses(result, described, finding);
  const auto unexplained = [&](const Fit& fit, const char* of) {
    if (!(fit.total_percent <= too_much_unexplained))
      finding(
          std::isfinite(fit.total_percent) ? number(fit.total_percent, 3) + " %" : "more than all",
          " of the torque is not explained ", of,
          "; check columns, signs, units, gains and the robot's description");
  };
  unexplained(chosen.fit, "by the fit");
  if (result.found.find(log_rules::torque_saturated) &&
      chosen.fit.total_percent > too_much_beside_limits)
    finding(
        number(chosen.fit.total_percent, 3),
        " % of the torque is not explained, and torques stay at effort limits: the log may have "
        "torques that were asked for and not those that acted");
  if (chosen.validation) unexplained(*chosen.validation, "in validation");
  constexpr double much_of_the_torque = 0.2;
  const Vector torque =
      100.0 * chosen.fit.rms.cwiseQuotient(chosen.fit.per_joint_percent.cwiseMax(1e-300));
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (const double percent = chosen.fit.per_joint_percent(i); percent > too_much_of_a_joint)
      result.remarks.push_back(
          {percent > worse_than_nothing || torque(i) > much_of_the_torque * torque.maxCoeff(),
           message("joint '", joints[i], "': ", number(percent, 3),
                   " % of its torque is not explained by the fit; what is estimated of it means "
                   "little")});
  if (const std::optional<Exchange>& e = result.exchange)
    finding(e->torques_only ? "the torques of joints '" : "joints '", joints[e->one], "' and '",
            joints[e->other], "' look swapped: with their columns exchanged, ",
            number(e->after_percent, 3), " % instead of ", number(e->before_percent, 3),
            " % of a joint's torque is unexplained");

  // excitation
  bool any = false;
  for (int k = 0; k < result.torques.unknowns(); ++k) any |= result.state(k) == "estimated";
  if (!any) finding("nothing was learned: every parameter is as the prior has it");
  if (const int rank = chosen.estimate.excitation.rank; rank < result.base.size())
    remark("the motion excites ", rank, " of ", result.base.size(),
           " base parameters; the others are as the prior has them");

  // validation
  if (chosen.validation) {
    const double fit = chosen.fit.total_percent, held = chosen.validation->total_percent;
    if (held > 2.0 * fit && held <= too_much_unexplained)
      remark("held-out motion is predicted ", number(held / fit, 2),
             " times worse than fitted motion: record motion more like that which matters");
    if (result.repeated_percent > mostly_repeated)
      remark(
          std::round(result.repeated_percent),
          " % of the motion held out repeats motion that was fitted: it shows little of how well "
          "the estimate predicts other motion");
  }
  remark_on_missing_physics(result, remark);
  if (result.refined) remark_on_refinement(result, remark);
  if (!chosen.validation && !result.cross_validation && !result.online)
    remark(
        "nothing was held out: LogInputs::validation or Options::split = 0.5 shows how well the "
        "estimate predicts other motion");
}

std::string_view Identification::state(int unknown) const {
  if (std::ranges::count(base.known, unknown)) return "known";
  return chosen.estimate.learned(unknown) >= learned_enough ? "estimated" : "prior";
}

bool Identification::has_findings() const {
  return std::ranges::count(remarks, true, &Remark::finding) > 0;
}

int Identification::inertial_base() const {
  const int inertial = torques.inertial_size();
  return int(std::ranges::count_if(base.independent, [&](int k) { return k < inertial; }));
}

}  // namespace ulna::identify
