#include <algorithm>
#include <cmath>
#include <random>

#include "identify/messages.hpp"
#include "identify/pipeline.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/model/configuration.hpp"

namespace ulna::identify {
namespace {

/// Above this many percent of the torque unexplained, nothing that was found can be trusted.
constexpr double too_much_unexplained = 25.0;
/// And of one joint, which may be small beside the others: above this many, its columns are suspected.
constexpr double too_much_of_a_joint = 50.0;

/// Percent of random configurations at which the mass matrix is not positive definite.
double indefinite_percent(const TorqueModel& torques, const Eigen::VectorXd& z) {
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

/// Collects the remarks on a result.
class Remarks {
 public:
  explicit Remarks(Identification& result) : r_(result) {}

  void on_consistency() {
    if (r_.chosen.estimate.consistent) return;
    std::string why = "a friction or a rotor is negative";
    const auto& bodies = r_.chosen.bodies;
    const auto bad = std::find_if(bodies.begin(), bodies.end(), [](auto& c) { return !c.ok(); });
    if (bad != bodies.end())
      why = "link '" + std::string(r_.torques.model().body_name(int(bad - bodies.begin()) + 1)) +
            "': " + bad->explanation();
    finding("the estimate is not physical: " + why + "; Options::method = consistent keeps it so");
  }

  void on_torques() {
    if (r_.found.find(log_rules::torque_swapped))
      finding(
          "torques look swapped between joints; nothing here can be trusted until that is settled");
    const auto unexplained = [&](const Fit& fit, const char* of) {
      if (!(fit.total_percent <= too_much_unexplained))
        finding(number(fit.total_percent, 3) + " % of the torque is not explained " + of +
                "; check columns, signs, units, gains and the robot's description");
    };
    unexplained(r_.chosen.fit, "by the fit");
    if (r_.chosen.validation) unexplained(*r_.chosen.validation, "in validation");
    const std::vector<std::string> joints = r_.torques.model().velocity_names();
    for (std::size_t i = 0; i < joints.size(); ++i)
      if (const double percent = r_.chosen.fit.per_joint_percent(i); percent > too_much_of_a_joint)
        remark(
            "joint '" + joints[i] + "': " + number(percent, 3) +
            " % of its torque is not explained by the fit; what is estimated of it means little");
    if (const std::optional<Exchange>& e = r_.exchange)
      finding("joints '" + joints[e->one] + "' and '" + joints[e->other] +
              "' look swapped: with their columns exchanged, " + number(e->after_percent, 3) +
              " % instead of " + number(e->before_percent, 3) +
              " % of a joint's torque is unexplained");
  }

  void on_excitation() {
    bool any = false;
    for (int k = 0; k < r_.torques.unknowns(); ++k) any |= r_.state(k) == "estimated";
    if (!any) finding("nothing was learned: every parameter is as the prior has it");
    const int rank = r_.chosen.estimate.excitation.rank;
    if (rank < r_.base.size())
      remark("the motion excites " + std::to_string(rank) + " of " +
             std::to_string(r_.base.size()) +
             " base parameters; the others are as the prior has them");
  }

  void on_validation() {
    if (!r_.chosen.validation) return;
    const double fit = r_.chosen.fit.total_percent, held = r_.chosen.validation->total_percent;
    if (held > 2.0 * fit && held <= too_much_unexplained)
      remark("held-out motion is predicted " + number(held / fit, 2) +
             " times worse than fitted motion: record motion more like that which matters");
    if (r_.repeated_percent > 50.0)
      remark(number(std::round(r_.repeated_percent)) +
             " % of the motion held out repeats motion that was fitted: it shows little of how far "
             "the estimate carries");
  }

  void on_nothing_held_out() {
    if (!r_.chosen.validation && !r_.online)
      remark(
          "nothing was held out: LogInputs::validation or Options::split = 0.5 shows how far the "
          "estimate carries");
  }

  void on_refinement() {
    if (!r_.refined) return;
    const RefineStatus status = r_.refined->status;
    const auto off = [](const Assessment& a) {
      return (a.validation ? *a.validation : a.fit).total_percent;
    };
    const double before = off(*r_.start), after = off(r_.chosen);
    if (status == RefineStatus::failed)
      remark(
          "refinement found no step that helps: the parameters are those of the consistent "
          "estimate "
          "it began with");
    else if (status != RefineStatus::converged)
      remark("refinement ended by its " + std::string(to_string(status)) +
             " before it had converged: the parameters are the best it had come to");
    if (after > before)
      remark("refined for simulated motion, the parameters predict " +
             std::string(r_.chosen.validation ? "held-out" : "the") + " torques worse, " +
             number(after, 3) + " % off instead of " + number(before, 3) +
             " %; Options::method = consistent keeps the latter");
  }

 private:
  void finding(std::string text) { r_.remarks.push_back({true, std::move(text)}); }
  void remark(std::string text) { r_.remarks.push_back({false, std::move(text)}); }

  Identification& r_;
};

}  // namespace

void check_bodies(const TorqueModel& torques, Assessment& assessment) {
  const Eigen::VectorXd& z = assessment.estimate.z;
  for (int b = 0; b < torques.model().joint_count(); ++b)
    assessment.bodies.push_back(check_consistency(Inertia<double>(z.segment<10>(10 * b))));
  assessment.indefinite_percent = indefinite_percent(torques, z);
}

double repeated_percent(const TorqueData& fitted, const TorqueData& held_out) {
  constexpr Eigen::Index most_fitted = 20000, most_tried = 200;
  constexpr double near = 0.05;
  if (fitted.size() == 0 || held_out.size() == 0) return 0.0;
  const Eigen::Index n = fitted.q.rows();
  Eigen::VectorXd scale(2 * n);
  scale << fitted.q.rowwise().maxCoeff() - fitted.q.rowwise().minCoeff(),
      2.0 * fitted.v.cwiseAbs().rowwise().maxCoeff();
  scale = scale.cwiseMax(1e-9).cwiseInverse();
  const auto states = [&](const TorqueData& data, Eigen::Index most) -> Eigen::MatrixXd {
    const Eigen::Index stride = (data.size() + most - 1) / most;
    const auto some = Eigen::seqN(0, data.size() / stride, stride);
    Eigen::MatrixXd x(2 * n, data.size() / stride);
    x << data.q(Eigen::all, some), data.v(Eigen::all, some);
    return scale.asDiagonal() * x;
  };
  const Eigen::MatrixXd known = states(fitted, most_fitted), tried = states(held_out, most_tried);
  Eigen::Index repeated = 0;
  for (const auto& state : tried.colwise())
    if ((known.colwise() - state).cwiseAbs().colwise().maxCoeff().minCoeff() < near) ++repeated;
  return 100.0 * double(repeated) / double(tried.cols());
}

Delay delay_of(const std::vector<Trace>& traces) {
  constexpr double longest = 0.05;
  // one piece, the longest: a delay shifts samples past each other
  const Trace* most = nullptr;
  for (const Trace& trace : traces)
    if (!trace.validation && (!most || trace.t.size() > most->t.size())) most = &trace;
  if (!most || double(most->t.size()) < 8.0 * longest * most->rate_hz) return {};
  // a minute is enough
  const Eigen::Index n = std::min<Eigen::Index>(most->t.size(), std::lround(60.0 * most->rate_hz));
  return estimate_delay(most->predicted.leftCols(n), most->measured.leftCols(n), most->rate_hz,
                        longest);
}

bool badly_explained(const Fit& fit) {
  return !(fit.total_percent <= too_much_unexplained &&
           fit.per_joint_percent.maxCoeff() <= too_much_of_a_joint);
}

void add_remarks(Identification& result) {
  Remarks remarks(result);
  remarks.on_consistency();
  remarks.on_torques();
  remarks.on_excitation();
  remarks.on_validation();
  remarks.on_refinement();
  remarks.on_nothing_held_out();
}

std::string_view Identification::state(int unknown) const {
  if (std::find(base.known.begin(), base.known.end(), unknown) != base.known.end()) return "known";
  return chosen.estimate.learned(unknown) >= learned_enough ? "estimated" : "prior";
}

bool Identification::has_findings() const {
  return std::any_of(remarks.begin(), remarks.end(), [](const Remark& r) { return r.finding; });
}

int Identification::inertial_base() const {
  return int(std::count_if(base.independent.begin(), base.independent.end(),
                           [&](int k) { return k < torques.inertial_size(); }));
}

}  // namespace ulna::identify
