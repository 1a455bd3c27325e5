#include "ulna/identify/identify.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "identify/data/ranges.hpp"
#include "identify/messages.hpp"
#include "identify/pipeline.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/identify/estimate/contact.hpp"
#include "ulna/identify/floating/floating_base.hpp"
#include "ulna/identify/payload/payload_gains.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::identify {
namespace {

/// Base parameters are found among 13 or so columns a joint: of more joints it would take minutes.
constexpr int most_joints = 64;

/// What is fitted and what is held out.
struct Samples {
  Prepared prepared, other;  ///< of the logs, and of those to validate on
  Prepared fitted;           ///< of `prepared`, what is fitted
  TorqueData data, held_out;
};

/// All unknowns but the inertia of the body that carries a link, and the joints' features.
std::vector<int> all_but(const TorqueModel& torques, const std::string& link) {
  if (link.empty()) return {};
  const int body = torques.model().frame(link).body;
  if (body == 0)
    throw std::runtime_error("link '" + link + "' is part of the base, on which no torque depends");
  std::vector<int> known;
  for (int k = 0; k < torques.inertial_size(); ++k)
    if (k / 10 != body - 1) known.push_back(k);
  return known;
}

/// One run over logs: reads them, prepares samples, and collects results.
class Run {
 public:
  enum class Way { offline, online };
  Run(const Model& model, const LogInputs& inputs, const Options& options, Way way)
      : result(TorqueModel(model, *settled(options, model).features)),
        given_(options),
        options_(options),
        way_(way),
        end_(options.split > 0.0 ? options.split : 1.0) {
    if (!inputs.loaded.empty()) options_.payload.clear();
    if (model.nv() > most_joints)
      throw std::runtime_error(message("robot '", model.name(), "' has ", model.nv(),
                                       " degrees of freedom; ", most_joints, " are the most"));
    if (result.torques.loops() && options.refine)
      throw std::runtime_error(
          message("robot '", model.name(), "' has loops, which Options::refine does not support"));
    begin(0, "reading logs");
    std::vector<RecordedLog> fitted, others;
    logs_ =
        load_logs(inputs.fit, options.split > 0.0 ? "both" : "fit", options, {}, fitted, result);
    others_ = load_logs(inputs.validation, "validation", options, fitted, others, result);
    others.clear();
    loaded_ = load_logs(inputs.loaded, "payload", options, fitted, others, result);
    if (options.find_gains) find_gains();
    if (!model.drives().plain())
      for (std::vector<Log>* logs : {&logs_, &others_})
        for (Log& log : *logs) keep_links(model, log);
    choose_model();
    const std::vector<int> known = all_but(result.torques, options_.payload);
    begin(2, "filtering");
    samples_ = samples_of_all(*options_.torque_delay, result.found);
    result.samples = samples_.data.size();
    result.validation_samples = samples_.held_out.size();
    if (options.prior.from_robot) compare_with_prior();
    begin(3, "finding base parameters");
    result.base = find_base_parameters(result.torques, known);
    begin(4, "estimating");
  }

  void learn() {
    learn_online(logs_, options_, result, [&](const std::string& what) { return go_on(4, what); });
  }

  void estimate_offline() {
    const Method method = options_.method;
    leave_out_contacts();
    choose_prior();
    Estimate& found = result.chosen.estimate;
    found = estimate(result.torques, result.base, samples_.data, how_to_estimate());
    if (found.excitation.rank < result.base.size() && method != Method::consistent &&
        method != Method::ridge)
      throw std::runtime_error(
          message("the motion excites ", found.excitation.rank, " of ", result.base.size(),
                  " base parameters only, and method ", to_string(method),
                  " leaves the others undetermined; use Options::method = consistent, or a richer "
                  "motion"));
    if (options_.folds > 0) cross_validate_offline();
    if (options_.essential && go_on(5, "finding essential parameters"))
      result.essential = essential_parameters(result.torques, result.base, samples_.data);
    if (options_.refine) refine_offline();
    add_traces(best().prepared, logs_, end_, false);
  }

  void finish() {
    add_traces(best().other, others_, 1.0, true);
    go_on(6, "assessing");
    if (result.refined) {
      assess(best(), *result.refined, result.chosen);
      assess(samples_, result.start->estimate.z, *result.start);
    } else {
      assess(samples_, result.chosen.estimate.z, result.chosen);
    }
    compare_at_reference();
    look_at_residuals();
    // what follows compares with other estimates
    if (!go_on(7, "comparing")) return add_remarks(options_, result);
    if (options_.method != Method::ols) {
      result.plain.emplace();
      result.plain->estimate =
          estimate(result.torques, result.base, samples_.data, {Method::ols, options_.prior});
      assess(samples_, result.plain->estimate.z, *result.plain);
    }
    result.repeated_percent = repeated_percent(samples_.data, samples_.held_out);
    if (!options_.delay) result.delay = delay_of(result.traces);
    if (badly_explained(result.chosen.fit) || !result.chosen.estimate.converged) {
      result.exchange = find_exchange(result.torques, result.base, samples_.data);
      result.rescaling = find_rescaling(result.torques, result.base, samples_.data, options_.prior);
    }
    if (given_.filter_hz || !result.choice)
      remark_on_cut_off(logs_, *options_.filter_hz, end_, options_.prior, result);
    add_remarks(options_, result);
    if (options_.method == Method::consistent && !options_.refine) weigh();
  }

  Identification result;

 private:
  /// What the payload's link carries, by logs with it, or by a description of the robot without.
  void weigh() {
    if (given_.payload.empty() || result.online || !go_on(7, "weighing the payload")) return;
    TorqueData with = samples_.data;
    if (!loaded_.empty()) {
      Prepared all = prepared(loaded_, *options_.filter_hz, *options_.torque_delay, result.found);
      all = without(all, report_contacts(find_contacts(result.torques, result.base, all), loaded_));
      with = gather(result.torques, all);
    }
    result.payload = weigh_payload(result.torques, given_.payload, result.chosen.estimate,
                                   loaded_.empty() ? TorqueData() : samples_.data, with,
                                   how_to_estimate(), options_.weighing);
    result.weighing = options_.weighing;
    remark_on_payload(result);
  }

  /// Whether to go on; once stopped, never.
  bool go_on(int at, const std::string& what) {
    if (options_.progress && !options_.progress(at, what)) result.stopped = true;
    return !result.stopped;
  }
  /// The same before there is an estimate.
  void begin(int at, const std::string& what) {
    if (!go_on(at, what)) throw Stopped();
  }

  EstimateOptions how_to_estimate() const {
    return {.method = options_.method,
            .prior = options_.prior,
            .joint_weights = result.choice && options_.method != Method::ols
                                 ? result.choice->joint_weights
                                 : Vector(),
            .weigh_prior = weigh_prior_};
  }
  /// How far the description is wrong is taken from the logs where that predicts motion held out better: errors of the model may make a
  /// description seem better than it is.
  void choose_prior() {
    constexpr double worth = 0.003;  // of the error
    if (!result.choice || options_.method != Method::consistent || !go_on(4, "choosing the prior"))
      return;
    const auto error = [&](bool weigh) {
      weigh_prior_ = weigh;
      return cross_validate(result.torques, result.base, samples_.data, how_to_estimate())
          .total_percent;
    };
    weigh_prior_ = error(true) < (1.0 - worth) * error(false);
  }
  void cross_validate_offline() {
    const Fit fit = cross_validate(
        result.torques, result.base, samples_.data, how_to_estimate(), options_.folds,
        [&](int done) {
          result.folds = done;
          return go_on(5, message("cross-validating, part ", done + 1, " of ", options_.folds));
        });
    if (!result.stopped) result.folds = options_.folds;
    if (result.folds > 0) result.cross_validation = fit;
  }

  /// What was left to evidence.
  void choose_model() {
    const Model& model = result.torques.model();
    // refinement finds it; models that do not know it would make up for it by rotors or motors that are coupled
    if (options_.delay) options_.torque_delay = 0.0, options_.choose = false;
    // sample by sample, a lower cut-off is a longer delay: that is not for the logs to decide. The second half is of motion that
    // nobody has seen
    const bool online = way_ == Way::online;
    const double share = online ? 0.5 : end_;
    if (online) settle_filter();
    const bool nothing_left = options_.filter_hz && options_.features && options_.rotors &&
                              options_.torque_delay && options_.effects;
    if (options_.choose && !nothing_left && go_on(1, "comparing models"))
      result.choice = choose(model, logs_,
                             {.filter_hz = options_.filter_hz,
                              .features = options_.features,
                              .rotors = options_.rotors,
                              .torque_delay = options_.torque_delay,
                              .effects = options_.effects,
                              .prior = options_.prior,
                              .known = all_but(result.torques, options_.payload),
                              .share = share,
                              .go_on = [&](const std::string& what) { return go_on(1, what); }});
    if (result.stopped) throw Stopped();
    if (options_.effects) result.effects = *options_.effects;
    if (const std::optional<Choice>& found = result.choice) {
      options_.filter_hz = found->filter_hz, options_.features = found->features;
      options_.torque_delay = found->effects.torque_delay.value;
      options_.rotors = std::ranges::count(found->features, Feature::armature) > 0;
      result.effects = found->effects;
    }
    if (options_.choose && !nothing_left && !result.choice && model.description().loops.empty())
      result.remarks.push_back(
          {false,
           "models were not compared, for there is less than 4 s of motion, a period of less than "
           "1.5 s, or more than 20 joints: what is not given is as usual"});
    if (!result.choice) settle_filter();
    options_ = settled(std::move(options_), model);
    if (!result.choice) result.effects.torque_delay.value = *options_.torque_delay;
    result.filter_hz = *options_.filter_hz;
    result.torques = TorqueModel(model, *options_.features);
  }

  /// The usual cut-off, if none is given.
  void settle_filter() {
    for (const Log& log : logs_)
      if (!given_.filter_hz)
        options_.filter_hz = std::min(options_.filter_hz.value_or(infinity), usual_cut_off(log));
  }

  /// Against the torques of the robot as it is described, without friction, or by a payload that is known.
  void find_gains() {
    const TorqueModel& torques = result.torques;
    double filter_hz = given_.filter_hz.value_or(infinity);
    if (!given_.filter_hz)
      for (const Log& log : logs_) filter_hz = std::min(filter_hz, usual_cut_off(log));
    const auto samples = [&](const std::vector<Log>& logs) {
      return gather(torques,
                    prepared(logs, filter_hz, given_.torque_delay.value_or(0.0), result.found));
    };
    const TorqueData data = samples(logs_);
    if (const Vector& known = given_.known_payload; known.size() > 0) {
      result.gains = gains_by_payload(torques, {given_.payload, known(0), known.tail<3>()}, data,
                                      samples(loaded_), {.prior = given_.prior}, given_.weighing);
    } else {
      Vector z = torques.nominal();
      z.tail(torques.unknowns() - torques.inertial_size()).setZero();
      result.gains =
          estimate_gains(torques.torques(z, data.q, data.v, data.a, data.x), data.tau, data.v);
    }
    Vector gains(torques.model().nv());
    for (int i = 0; i < gains.size(); ++i) {
      if (!result.gains[i].found || result.gains[i].gain == 0.0)
        throw std::runtime_error("joint '" + torques.model().velocity_names()[i] +
                                 "': its current does not vary enough to find the gain");
      gains(i) = result.gains[i].gain;
    }
    for (std::vector<Log>* logs : {&logs_, &others_, &loaded_})
      for (Log& log : *logs) apply_gains(log, gains);
  }

  /// Samples of all logs, torques being measured `torque_delay` seconds late.
  Prepared prepared(const std::vector<Log>& logs, double filter_hz, double torque_delay,
                    Diagnostics& found) const {
    Prepared all = prepare(logs, {.filter_hz = filter_hz, .torque_delay = torque_delay}, found);
    if (found.has_errors()) throw LogError(found);
    rid_of(result.effects, all);
    return all;
  }
  Samples samples_of_all(double torque_delay, Diagnostics& found) {
    const double filter_hz = *options_.filter_hz;
    Samples samples{prepared(logs_, filter_hz, torque_delay, found),
                    prepared(others_, filter_hz, torque_delay, found),
                    {},
                    {},
                    {}};
    result.filter = samples.prepared.str();
    samples.fitted = without(samples.prepared.part(0.0, end_), contacts_);
    samples.data = gather(result.torques, samples.fitted);
    samples.held_out = gather(
        result.torques, options_.split > 0.0 ? samples.prepared.part(end_, 1.0) : samples.other);
    return samples;
  }

  std::vector<Contact> report_contacts(std::vector<Contact> contacts,
                                       const std::vector<Log>& logs) {
    for (const Contact& c : contacts)
      result.found.add(
          log_rules::contact, {logs[std::size_t(c.log)].file}, "",
          message("from ", number(c.begin, 5), " to ", number(c.end, 5), " s the torque of joint '",
                  result.torques.model().velocity_names()[std::size_t(c.joint)],
                  "' is off by up to ", number(c.torque, 3)),
          "left out");
    return contacts;
  }

  /// What touched the robot is no part of it.
  void leave_out_contacts() {
    contacts_ = report_contacts(find_contacts(result.torques, result.base, samples_.fitted), logs_);
    if (contacts_.empty()) return;
    samples_.fitted = without(samples_.fitted, contacts_);
    samples_.data = gather(result.torques, samples_.fitted);
    result.samples = samples_.data.size();
  }

  /// What the estimate leaves unexplained of what is held out, or of all, at the cut-off that all results have.
  void compare_at_reference() {
    if (result.refined || result.online) return;
    const bool held = result.chosen.validation.has_value();
    if (options_.filter_hz == Identification::reference_hz) {
      result.chosen.reference = held ? result.chosen.validation : result.chosen.fit;
      return;
    }
    for (const std::vector<Log>* logs : {&logs_, &others_})
      for (const Log& log : *logs)
        if (natural_rate(log) < 2.5 * Identification::reference_hz) return;
    Diagnostics ignored;
    Prepared all =
        prepare(held && !others_.empty() ? others_ : logs_,
                {.filter_hz = Identification::reference_hz, .torque_delay = *options_.torque_delay},
                ignored);
    if (ignored.has_errors()) return;
    rid_of(result.effects, all);
    if (options_.split > 0.0) all = all.part(held ? end_ : 0.0, held ? 1.0 : end_);
    if (!held) all = without(all, contacts_);
    if (all.size() == 0) return;
    result.chosen.reference =
        fit_of(result.torques, result.chosen.estimate.z, gather(result.torques, all));
  }
  void look_at_residuals() {
    std::vector<ResidualInput> pieces;
    for (const Trace& t : result.traces)
      if (t.q.size() > 0)
        pieces.push_back(
            {t.rate_hz, t.t(0) - result.traces.front().t(0), t.q, t.v, t.measured, t.predicted});
    if (!pieces.empty()) result.residuals = residuals_of(pieces, result.filter_hz);
  }

  /// With the delay that was found, or without.
  const Samples& best() const { return shifted_ ? *shifted_ : samples_; }

  /// Each log's torques against those that the prior predicts.
  void compare_with_prior() {
    const TorqueModel& torques = result.torques;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      Prepared own = samples_.prepared;
      std::erase_if(own.pieces, [&](const Piece& piece) { return piece.log != int(i); });
      const TorqueData data = gather(torques, own);
      if (data.size() > 0)
        screen_torques(logs_[i], torques.torques(torques.nominal(), data.q, data.v, data.a, data.x),
                       data.tau, result.found);
    }
    const TorqueData& data = samples_.data;
    const Matrix described = torques.torques(torques.nominal(), data.q, data.v, data.a, data.x);
    const double own = described.squaredNorm(), measured = data.tau.squaredNorm(),
                 both = described.cwiseProduct(data.tau).sum();
    if (!(own > 0.0 && measured > 0.0)) return;
    result.described_scale = both / own;
    result.described_correlation = both / std::sqrt(own * measured);
  }

  void refine_offline() {
    go_on(4, "refining");
    result.start = result.chosen;
    std::string so_far = "refining";
    RefineOptions how{.stribeck = options_.stribeck,
                      .delay = options_.delay,
                      .prior = options_.prior,
                      .progress =
                          [&](const RefineProgress& p) {
                            so_far = message("refining, iteration ", p.iteration, ", ",
                                             std::round(p.seconds), " s");
                            return go_on(5, so_far);
                          },
                      .go_on = [&] { return go_on(5, so_far); }};
    // a torque in each window would take the place of Stribeck friction and of a delay
    if (!how.stribeck && !how.delay)
      how.torques_noisy = true, how.window = 0.01, how.continuity = 0.3;
    result.refined =
        refine(result.torques, result.base, result.chosen.estimate, samples_.fitted, how);
    result.chosen.estimate = result.refined->estimate;
    Diagnostics again;  // what there is to report of the logs was reported
    if (how.delay) shifted_ = samples_of_all(result.refined->delay, again);
  }

  /// The pieces of motion with their torques, cut where fitting ends.
  void add_traces(const Prepared& prepared, const std::vector<Log>& logs, double end,
                  bool validation) {
    const TorqueModel& torques = result.torques;
    for (const Piece& piece : prepared.pieces) {
      Matrix predicted =
          torques.torques(result.chosen.estimate.z, piece.q, piece.v, piece.a,
                          torques.features_of(piece.v, piece.a, piece.tau, piece.direction));
      const Matrix measured = torques.reduced(piece.q, piece.tau);
      if (result.refined) predicted += stribeck_torques(*result.refined, piece.v, piece.direction);
      const auto add = [&](const Range& range, bool held_out) {
        if (range.size() > 0)
          result.traces.push_back({logs[piece.log].file, held_out, piece.rate_hz,
                                   piece.t.segment(range.begin, range.size()),
                                   measured.middleCols(range.begin, range.size()),
                                   predicted.middleCols(range.begin, range.size()),
                                   piece.q.middleCols(range.begin, range.size()),
                                   piece.v.middleCols(range.begin, range.size())});
      };
      add(share_of(piece.size(), 0.0, end), validation);
      add(share_of(piece.size(), end, 1.0), true);
    }
  }

  /// `parameters` are those of the estimate, or a refinement that has more.
  template <typename Parameters>
  void assess(const Samples& samples, const Parameters& parameters, Assessment& assessment) const {
    assessment.fit = fit_of(result.torques, parameters, samples.data);
    if (samples.held_out.size() > 0)
      assessment.validation = fit_of(result.torques, parameters, samples.held_out);
    check_bodies(result.torques, assessment);
  }

  const Options& given_;
  Options options_;  ///< with what was chosen
  Way way_;
  double end_;  ///< the share of each piece where fitting ends
  bool weigh_prior_ = true;
  std::vector<Log> logs_, others_, loaded_;
  std::vector<Contact> contacts_;  ///< of logs_
  Samples samples_;
  std::optional<Samples> shifted_;  ///< by the delay that was found
};

}  // namespace

Identification offline(const Model& model, const LogInputs& logs, const Options& options) {
  require_valid(logs, options);
  if (floats(model)) return identify_floating(model, logs, settled(options, model));
  if (options.effects) require_valid(*options.effects, model.nv());
  require(model.drives().plain() || !options.effects || !options.effects->changes_samples(),
          "Options::effects: robot '", model.name(), "' has drives of its own that have them");
  if (!model.drives().plain()) return identify_drives(model, logs, settled(options, model));
  Run run(model, logs, options, Run::Way::offline);
  run.estimate_offline();
  run.finish();
  return std::move(run.result);
}

Identification online(const Model& model, const LogInputs& logs, const Options& options) {
  require_valid(options);
  require(!floats(model), "robot '", model.name(),
          "' has a base that floats, which is identified from whole logs");
  require(model.drives().coupled.empty(), "robot '", model.name(),
          "' has rigid joints whose motors are coupled, which identification sample by sample does "
          "not know: identify whole logs, or with_plain_drives(model)");
  require(options.split == 0.0 && options.payload.empty() && logs.loaded.empty() &&
              !options.refine && options.method == Method::consistent && options.folds == 0 &&
              !options.essential,
          "identify::online: Options::split, payload, LogInputs::loaded, method, refine, folds and "
          "essential are for logs as a whole");
  require(!options.effects || !options.effects->changes_samples(),
          "identify::online: Options::effects other than a delay are for logs as a whole");
  Options rigid = options;
  rigid.effects.emplace();
  if (!model.drives().plain()) rigid.choose = false;
  Run run(model, logs, rigid, Run::Way::online);
  run.learn();
  run.finish();
  return std::move(run.result);
}

}  // namespace ulna::identify
