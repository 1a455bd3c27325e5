#include "identification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/model/configuration.hpp"

namespace ulna::cli {
namespace {

/// Base parameters are found among 13 or so columns a joint: more joints than robots have would take
/// minutes.
constexpr int most_joints = 64;

Log read(const std::string& file, const Model& model, Diagnostics& found) {
  return file == "-" ? read_log(std::cin, "<stdin>", model, {}, found)
                     : load_log(file, model, {}, found);
}

/// Currents become torques. A log that has only currents is of no use without gains.
void make_torques(Log& log, const Eigen::VectorXd& gains) {
  if (gains.size() > 0) {
    if (log.current.size() == 0)
      throw std::runtime_error(
          fmt::format("{}: gains are given, but the log has no currents; leave --gain out to use "
                      "its torques",
                      log.file));
    apply_gains(log, gains);
  } else if (log.tau.size() == 0) {
    throw std::runtime_error(fmt::format(
        "{}: the log has motor currents and no torques; give the drives' gains in Nm/A, --gain k1,"
        "k2,... for {} joints",
        log.file, log.joints.size()));
  }
}

/// Reads, screens and mends logs one by one. Throws LogError if one is refused.
std::vector<Log> load(const std::vector<std::string>& files, const char* use, const Model& model,
                      const IdentifySettings& settings, Identification& result) {
  std::vector<Log> logs;
  for (const std::string& file : files) {
    Log log = read(file, model, result.found);
    if (log.empty() && !result.found.has_errors())
      result.found.add(log_rules::too_short, {file == "-" ? "<stdin>" : file, 0, 0}, "",
                       "the log has no usable row");
    if (result.found.has_errors()) throw LogError(result.found);
    make_torques(log, settings.gains);
    LogSummary summary{log.file, use, {}, {}};
    summary.figures = screen(log, model, {.filter_hz = settings.filter_hz}, result.found);
    if (result.found.has_errors()) throw LogError(result.found);
    if (log.v.size()) summary.clock = repair_clock(log, result.found);
    result.logs.push_back(std::move(summary));
    logs.push_back(std::move(log));
  }
  return logs;
}

Prepared prepared_of(std::span<const Log> logs, const IdentifySettings& settings,
                     double torque_delay, Diagnostics& found) {
  Prepared prepared =
      prepare(logs, {.filter_hz = settings.filter_hz, .torque_delay = torque_delay}, found);
  if (found.has_errors()) throw LogError(found);
  return prepared;
}

/// What is fitted and what is held out.
struct Samples {
  Prepared prepared, other;  ///< of the logs, and of those to validate on
  double end = 1.0;          ///< the share of each piece where fitting ends
  TorqueData data, held_out;

  Samples(std::span<const Log> logs, std::span<const Log> others, const TorqueModel& torques,
          const IdentifySettings& settings, double torque_delay, Diagnostics& found)
      : prepared(prepared_of(logs, settings, torque_delay, found)),
        other(prepared_of(others, settings, torque_delay, found)),
        end(settings.split > 0.0 ? settings.split : 1.0),
        data(gather(torques, prepared, 0.0, end)),
        held_out(settings.split > 0.0 ? gather(torques, prepared, end, 1.0)
                                      : gather(torques, other)) {}
};

/// What the prior predicts, held against what each log measured.
void compare_with_prior(const std::vector<Log>& logs, const Prepared& prepared,
                        const TorqueModel& torques, const Eigen::VectorXd& prior,
                        Diagnostics& found) {
  for (std::size_t i = 0; i < logs.size(); ++i) {
    Prepared own;
    own.filter_hz = prepared.filter_hz;
    for (const Piece& piece : prepared.pieces)
      if (piece.log == static_cast<int>(i)) own.pieces.push_back(piece);
    const TorqueData data = gather(torques, own);
    if (data.size() == 0) continue;
    screen_torques(logs[i], torques.torques(prior, data.q, data.v, data.a, data.x), data.tau,
                   found);
  }
}

/// All unknowns but the inertia of the body that carries a link, and the joints' features.
std::vector<int> all_but(const TorqueModel& torques, const std::string& link) {
  if (link.empty()) return {};
  const int body = torques.model().frame(link).body;
  if (body == 0)
    throw std::runtime_error(
        fmt::format("link '{}' is part of the base, of which no torque tells", link));
  std::vector<int> known;
  for (int k = 0; k < torques.inertial_size(); ++k)
    if (k / 10 != body - 1) known.push_back(k);
  return known;
}

std::vector<Consistency> check_bodies(const TorqueModel& torques, const Eigen::VectorXd& z) {
  std::vector<Consistency> list;
  for (int b = 0; b < torques.model().joint_count(); ++b)
    list.push_back(check_consistency(Inertia<double>(z.segment<10>(10 * b))));
  return list;
}

/// Percent of random configurations at which the mass matrix is not positive definite.
double indefinite_percent(const TorqueModel& torques, const Eigen::VectorXd& z) {
  constexpr int tries = 2000;
  const Model& model = torques.model();
  Plant<double> plant(model);
  torques.set(z, plant);
  Configuration<double> at(model);
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

/// `numbers` are those of the estimate, or a refinement that has more.
template <typename Numbers>
void judge(const TorqueModel& torques, const Samples& samples, const Numbers& numbers,
           Judged& judged) {
  judged.fit = fit_of(torques, numbers, samples.data);
  if (samples.held_out.size() > 0) judged.validation = fit_of(torques, numbers, samples.held_out);
  const Eigen::VectorXd& z = judged.estimate.z;
  judged.bodies = check_bodies(torques, z);
  judged.indefinite_percent = indefinite_percent(torques, z);
}

/// The pieces of motion with their torques, cut where fitting ends.
void add_traces(const Prepared& prepared, std::span<const Log> logs, double split, bool validation,
                Identification& result) {
  const TorqueModel& torques = result.torques;
  for (const Piece& piece : prepared.pieces) {
    Eigen::MatrixXd predicted =
        torques.torques(result.chosen.estimate.z, piece.q, piece.v, piece.a,
                        torques.features_of(piece.v, piece.a, piece.tau, piece.direction));
    if (result.refined) predicted += stribeck_torques(*result.refined, piece.v, piece.direction);
    const Eigen::Index n = piece.size(),
                       cut = split > 0.0 ? std::llround(split * static_cast<double>(n)) : n;
    const auto add = [&](Eigen::Index from, Eigen::Index to, bool held_out) {
      if (to > from)
        result.traces.push_back({logs[static_cast<std::size_t>(piece.log)].file, held_out,
                                 piece.rate_hz, piece.t.segment(from, to - from),
                                 piece.tau.middleCols(from, to - from),
                                 predicted.middleCols(from, to - from)});
    };
    add(0, cut, validation);
    add(cut, n, true);
  }
}

/// How much of the motion held out goes where fitted motion went, just as fast: within 5 % of how far
/// joints range and how fast they turn.
double repeated_percent(const TorqueData& fitted, const TorqueData& held_out) {
  constexpr Eigen::Index most_fitted = 20000, most_tried = 200;
  constexpr double near = 0.05;
  if (fitted.size() == 0 || held_out.size() == 0) return 0.0;
  const Eigen::Index n = fitted.q.rows();
  Eigen::VectorXd scale(2 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    scale(i) = fitted.q.row(i).maxCoeff() - fitted.q.row(i).minCoeff();
    scale(n + i) = 2.0 * fitted.v.row(i).cwiseAbs().maxCoeff();
  }
  scale = scale.cwiseMax(1e-9).cwiseInverse();
  const auto states = [&](const TorqueData& data, Eigen::Index most) {
    const Eigen::Index stride = (data.size() + most - 1) / most;
    Eigen::MatrixXd x(2 * n, data.size() / stride);
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
      x.col(k).head(n) = data.q.col(k * stride);
      x.col(k).tail(n) = data.v.col(k * stride);
    }
    return Eigen::MatrixXd(scale.asDiagonal() * x);
  };
  const Eigen::MatrixXd known = states(fitted, most_fitted), tried = states(held_out, most_tried);
  Eigen::Index repeated = 0;
  for (Eigen::Index k = 0; k < tried.cols(); ++k)
    if ((known.colwise() - tried.col(k)).cwiseAbs().colwise().maxCoeff().minCoeff() < near)
      ++repeated;
  return 100.0 * static_cast<double>(repeated) / static_cast<double>(tried.cols());
}

/// How much later torques are measured than motion, by what the estimate predicts.
Delay delay_of(const std::vector<Trace>& traces) {
  constexpr double longest = 0.05;
  // one piece, the longest: a delay shifts samples past each other
  const Trace* most = nullptr;
  for (const Trace& trace : traces)
    if (!trace.validation && (!most || trace.t.size() > most->t.size())) most = &trace;
  if (!most || static_cast<double>(most->t.size()) < 8.0 * longest * most->rate_hz) return {};
  // a minute is enough to tell
  const Eigen::Index n = std::min<Eigen::Index>(most->t.size(), std::lround(60.0 * most->rate_hz));
  return estimate_delay(most->predicted.leftCols(n), most->measured.leftCols(n), most->rate_hz,
                        longest);
}

bool badly_explained(const Fit& fit) {
  return !(fit.total_percent <= too_much_unexplained &&
           fit.per_joint_percent.maxCoeff() <= too_much_of_a_joint);
}

void remark_on(const IdentifySettings& settings, Identification& result) {
  const Judged& chosen = result.chosen;
  const Estimate& estimate = chosen.estimate;
  const auto remark = [&](bool finding, std::string text) {
    result.remarks.push_back({finding, std::move(text)});
  };
  if (!estimate.consistent) {
    std::string why = "a friction or a rotor is negative";
    for (std::size_t b = 0; b < chosen.bodies.size(); ++b)
      if (!chosen.bodies[b].ok()) {
        why =
            fmt::format("link '{}': {}", result.torques.model().body_name(static_cast<int>(b) + 1),
                        chosen.bodies[b].explanation());
        break;
      }
    remark(true,
           fmt::format("the estimate is not physical: {}; --method consistent keeps it so", why));
  }
  if (result.found.find(log_rules::torque_swapped))
    remark(true,
           "torques look swapped between joints; nothing here can be trusted until that is "
           "settled");
  const auto unexplained = [&](const Fit& fit, const char* of) {
    if (!(fit.total_percent <= too_much_unexplained))
      remark(true, fmt::format("{:.3g} % of the torque is not explained {}; check columns, signs, "
                               "units, gains and the robot's description",
                               fit.total_percent, of));
  };
  unexplained(chosen.fit, "by the fit");
  if (chosen.validation) unexplained(*chosen.validation, "in validation");
  const std::vector<std::string> joints = result.torques.model().velocity_names();
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (const double percent = chosen.fit.per_joint_percent(static_cast<Eigen::Index>(i));
        percent > too_much_of_a_joint)
      remark(false, fmt::format("joint '{}': {:.3g} % of its torque is not explained by the fit; "
                                "what is told of it means little",
                                joints[i], percent));
  if (const std::optional<Exchange>& e = result.exchange)
    remark(true, fmt::format("joints '{}' and '{}' look swapped: with their columns exchanged, "
                             "{:.3g} % instead of {:.3g} % of a joint's torque is unexplained",
                             joints[static_cast<std::size_t>(e->one)],
                             joints[static_cast<std::size_t>(e->other)], e->after_percent,
                             e->before_percent));
  int estimated = 0;
  for (int k = 0; k < result.torques.unknowns(); ++k)
    if (result.state(k) == "estimated") ++estimated;
  if (estimated == 0) remark(true, "nothing was learnt: every parameter is as the prior has it");
  const Excitation& excitation = estimate.excitation;
  if (excitation.rank < result.base.size())
    remark(false, fmt::format("the motion tells of {} of {} base parameters; of the others, the "
                              "numbers are the prior's",
                              excitation.rank, result.base.size()));
  if (chosen.validation && chosen.validation->total_percent > 2.0 * chosen.fit.total_percent &&
      chosen.validation->total_percent <= too_much_unexplained)
    remark(false, fmt::format("held-out motion is predicted {:.2g} times worse than fitted motion: "
                              "record motion more like that which matters",
                              chosen.validation->total_percent / chosen.fit.total_percent));
  if (chosen.validation && result.repeated_percent > 50.0)
    remark(false, fmt::format("{:.0f} % of the motion held out repeats motion that was fitted: it "
                              "says little of how far the estimate carries",
                              result.repeated_percent));
  if (result.refined) {
    const RefineStatus status = result.refined->status;
    const Judged& start = *result.start;
    const double before = (start.validation ? *start.validation : start.fit).total_percent,
                 after = (chosen.validation ? *chosen.validation : chosen.fit).total_percent;
    if (status == RefineStatus::failed)
      remark(false,
             "refinement found no step that helps: the numbers are those of the consistent "
             "estimate it began with");
    else if (status != RefineStatus::converged)
      remark(false, fmt::format("refinement ended by its {} before it had converged: the numbers "
                                "are the best it had come to",
                                to_string(status)));
    if (after > before)
      remark(false, fmt::format("refined for simulated motion, the numbers predict {} torques "
                                "worse, {:.3g} % off instead of {:.3g} %; --method consistent "
                                "keeps the latter",
                                chosen.validation ? "held-out" : "the", after, before));
  }
  if (settings.validate.empty() && settings.split == 0.0 && !settings.online)
    remark(
        false,
        "nothing was held out: --validate LOG or --split 0.5 tells how far the estimate carries");
}

}  // namespace

std::string_view Identification::state(int unknown) const {
  if (std::find(base.known.begin(), base.known.end(), unknown) != base.known.end()) return "known";
  return chosen.estimate.learned(unknown) >= learned_enough ? "estimated" : "prior";
}

bool Identification::has_findings() const {
  return std::any_of(remarks.begin(), remarks.end(), [](const Remark& r) { return r.finding; });
}

int Identification::inertial_base() const {
  return static_cast<int>(std::count_if(base.independent.begin(), base.independent.end(),
                                        [&](int k) { return k < torques.inertial_size(); }));
}

Model with_prior_of(const Model& robot, const Model& prior) {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error(fmt::format(
        "--prior: robot '{}' is not built as '{}': {}; the prior must be the same robot "
        "with other numbers",
        prior.name(), robot.name(), why));
  };
  if (prior.joint_count() != robot.joint_count())
    refuse(fmt::format("{} moving joints, not {}", prior.joint_count(), robot.joint_count()));
  for (int b = 1; b <= robot.joint_count(); ++b) {
    const Joint &one = robot.joint(b), &other = prior.joint(b);
    const double off = (one.X_PJ.translation() - other.X_PJ.translation()).norm() +
                       (one.X_PJ.rotation().matrix() - other.X_PJ.rotation().matrix()).norm() +
                       (one.R_BC.matrix() - other.R_BC.matrix()).norm();
    if (one.type != other.type || one.parent != other.parent || one.mimics != other.mimics ||
        !(off < 1e-3))
      refuse(fmt::format("joint '{}' differs from '{}'", prior.joint_name(b), robot.joint_name(b)));
  }
  const std::vector<Feature> all{Feature::viscous, Feature::coulomb_positive,
                                 Feature::coulomb_negative, Feature::armature};
  return TorqueModel(robot, all).identified(TorqueModel(prior, all).nominal());
}

Identification identify_robot(const Model& model, const IdentifySettings& settings,
                              const std::function<void(int, const std::string&)>& step) {
  if (model.nv() > most_joints)
    throw std::runtime_error(fmt::format("robot '{}' has {} degrees of freedom; {} are the most",
                                         model.name(), model.nv(), most_joints));
  Identification result(TorqueModel(model, settings.features));
  const TorqueModel& torques = result.torques;
  const std::vector<int> known = all_but(torques, settings.payload);
  result.filter_hz = settings.filter_hz;

  step(0, "reading logs");
  const std::vector<Log> logs =
      load(settings.logs, settings.split > 0.0 ? "both" : "fit", model, settings, result);
  const std::vector<Log> others = load(settings.validate, "validation", model, settings, result);

  step(2, "filtering");
  const Samples samples(logs, others, torques, settings, 0.0, result.found);
  const TorqueData& data = samples.data;
  result.filter = samples.prepared.str();
  result.samples = data.size();
  result.validation_samples = samples.held_out.size();
  const Eigen::VectorXd described = torques.nominal();
  if (settings.prior.from_robot)
    compare_with_prior(logs, samples.prepared, torques, described, result.found);

  step(3, "finding base parameters");
  result.base = find_base_parameters(torques, known);

  const Eigen::VectorXd typical = (data.tau.rowwise().squaredNorm() /
                                   static_cast<double>(std::max<Eigen::Index>(1, data.size())))
                                      .cwiseSqrt();
  result.prior = make_prior(torques, typical, settings.prior).center();
  for (const int k : known) result.prior(k) = described(k);

  step(4, "estimating");
  std::optional<Samples> shifted;
  if (settings.online) {
    identify_online(
        logs, settings,
        [&](double share) { step(4, fmt::format("learning, {:.0f} %", 100.0 * share)); }, result);
  } else {
    result.chosen.estimate =
        estimate(torques, result.base, data, {settings.method, settings.prior});
    const Excitation& excitation = result.chosen.estimate.excitation;
    const bool prior_helps =
        settings.method == Method::consistent || settings.method == Method::ridge;
    if (!prior_helps && excitation.rank < result.base.size())
      throw std::runtime_error(fmt::format(
          "the motion tells of {} of {} base parameters only, and method {} has nothing to say of "
          "the others; use --method consistent, or a richer motion",
          excitation.rank, result.base.size(), to_string(settings.method)));
    if (settings.refine) {
      result.start = result.chosen;
      refine_estimate(samples.prepared.part(0.0, samples.end), settings, step, result);
      Diagnostics again;  // what there is to say of the logs was said
      if (settings.delay) {
        shifted.emplace(logs, others, torques, settings, result.refined->delay, again);
        result.filter = shifted->prepared.str();
      }
    }
    add_traces((shifted ? *shifted : samples).prepared, logs, settings.split, false, result);
  }
  add_traces((shifted ? *shifted : samples).other, others, 0.0, true, result);

  step(6, "judging");
  if (result.refined) {
    judge(torques, shifted ? *shifted : samples, *result.refined, result.chosen);
    judge(torques, samples, result.start->estimate.z, *result.start);
  } else {
    judge(torques, samples, result.chosen.estimate.z, result.chosen);
  }
  if (settings.method != Method::ols) {
    result.plain.emplace();
    result.plain->estimate = estimate(torques, result.base, data, {Method::ols, settings.prior});
    judge(torques, samples, result.plain->estimate.z, *result.plain);
  }
  result.repeated_percent = repeated_percent(data, samples.held_out);
  if (!settings.delay) result.delay = delay_of(result.traces);
  if (badly_explained(result.chosen.fit))
    result.exchange = find_exchange(torques, result.base, data);
  remark_on(settings, result);
  return result;
}

}  // namespace ulna::cli
