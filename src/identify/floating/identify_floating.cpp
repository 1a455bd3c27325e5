#include <algorithm>
#include <stdexcept>

#include "identify/estimate/uncertainty.hpp"
#include "identify/messages.hpp"
#include "identify/pipeline.hpp"
#include "ulna/identify/floating/floating_base.hpp"

namespace ulna::identify {
namespace {

constexpr int base_size = 6;

void require_identifiable(const Model& model, const Options& options) {
  const auto refuse = [&](bool refused, const char* what) {
    if (refused)
      throw std::runtime_error(message("the base of robot '", model.name(), "' floats: ", what));
  };
  refuse(options.method != Method::consistent, "it is identified by Options::method = consistent");
  refuse(!options.payload.empty() || options.refine || options.folds > 0 || options.essential ||
             options.find_gains || options.ratios,
         "Options::payload, refine, folds, essential, ratios and gains to be found are for robots "
         "whose base stands; leave them out");
  refuse(!model.drives().plain(),
         "drives are not identified with it; take the robot without springs and couplings");
  refuse(!model.description().loops.empty() || model.has_mimics(),
         "those with mimicking joints or loops are not identified");
}

/// The equations that the logs have: all joints by their torques, the base's by forces from outside.
class FloatingRun {
 public:
  FloatingRun(const Model& model, const LogInputs& inputs, const Options& options)
      : result(TorqueModel(model, *options.features)),
        options_(options),
        end_(options.split > 0.0 ? options.split : 1.0) {
    require_identifiable(model, options);
    result.filter_hz = *options.filter_hz;
    result.effects.torque_delay.value = *options.torque_delay;
    step(0, "reading logs");
    std::vector<RecordedLog> fitted, others;
    logs_ =
        load_logs(inputs.fit, options.split > 0.0 ? "both" : "fit", options, {}, fitted, result);
    others_ = load_logs(inputs.validation, "validation", options, fitted, others, result);
    decide_rows();
    step(2, "filtering");
    const Prepared all = prepared(logs_);
    fitted_ = all.part(0.0, end_);
    held_ = options.split > 0.0 ? all.part(end_, 1.0) : prepared(others_);
    result.filter = all.str();
    data_ = gather(result.torques, fitted_);
    result.samples = data_.size(), result.validation_samples = held_.size();
    step(3, "finding base parameters");
    result.base = find_base_parameters(result.torques, known());
  }

  void estimate() {
    step(4, "estimating");
    Assessment& chosen = result.chosen;
    chosen.estimate = identify::estimate(result.torques, result.base, data_,
                                         {.method = options_.method,
                                          .prior = options_.prior,
                                          .joint_weights = rows_,
                                          .least_noise = least_noise()});
    step(6, "assessing");
    chosen.fit = fit(data_);
    if (held_.size() > 0) chosen.validation = fit(gather(result.torques, held_));
    add_traces(fitted_, logs_, false);
    add_traces(held_, options_.split > 0.0 ? logs_ : others_, true);
    check_bodies(result.torques, chosen);
    add_remarks(options_, result);
    add_own_remarks();
  }

  Identification result;

 private:
  void step(int at, const std::string& what) const {
    if (options_.progress && !options_.progress(at, what)) throw Stopped();
  }
  const Model& robot() const { return result.torques.model(); }

  /// Which equations count: 1 or 0 per degree of freedom.
  void decide_rows() {
    const auto every = [&](auto has) {
      return std::ranges::all_of(logs_, has) && std::ranges::all_of(others_, has);
    };
    const auto none = [&](auto has) {
      return std::ranges::none_of(logs_, has) && std::ranges::none_of(others_, has);
    };
    const auto stands = [](const Log& log) { return log.base_stands; };
    const auto forced = [](const Log& log) { return log.outside.size() > 0; };
    const auto driven = [](const Log& log) { return log.tau.size() > 0; };
    if (!every(stands) && !none(stands))
      throw std::runtime_error(
          "some logs have the motion of the base and others have not; identify them separately");
    if (!every(driven) && !none(driven))
      throw std::runtime_error(
          "some logs have torques of joints and others have not; identify them separately");
    stands_ = every(stands);
    if (stands_ && !every(forced))
      throw std::runtime_error(message(
          "the logs have neither the motion of the base (q_", robot().configuration_names()[0],
          ", ...) nor forces on it (f_<link>_x, ...): without a floating base, it is the robot "
          "whose base stands"));
    rows_ = Vector::Ones(robot().nv());
    if (options_.base_held) rows_.head(base_size).setZero();
    // a zero on the right is explained best by bodies without mass: joints' torques are to have the say
    constexpr double little = 0.01;
    if (!options_.base_held && none(forced)) rows_.head(base_size).setConstant(little);
    if (none(driven)) rows_.tail(robot().nv() - base_size).setZero();
    if (rows_.isZero(0.0))
      throw std::runtime_error(
          "the logs have no torques of joints, and forces on the base are not to count: nothing "
          "is left to identify from");
  }
  bool counts_base() const { return rows_(0) > 0.0; }
  bool counts_joints() const { return rows_(robot().nv() - 1) > 0.0; }

  /// Nothing resists the base; a base that stands has no inertia that shows, and a plate under it may have offsets.
  std::vector<int> known() const {
    const TorqueModel& torques = result.torques;
    std::vector<int> known;
    // what hangs on the base alone: its own ten
    if (stands_ || !counts_base())
      for (int k = 0; k < 10; ++k) known.push_back(k);
    for (int i = 0; i < robot().nv(); ++i)
      for (int k = 0; k < torques.feature_count(); ++k) {
        const bool offset = torques.features()[std::size_t(k)] == Feature::offset;
        const bool shows = i < base_size ? stands_ && offset && counts_base() : counts_joints();
        if (!shows) known.push_back(torques.at(i, k));
      }
    return known;
  }

  /// Where nothing acts on the base its equations have a zero on the right, which bodies without mass explain best: they count no more than
  /// by what the described robot leaves unexplained of them.
  Vector least_noise() const {
    Vector least = Vector::Zero(robot().nv());
    if (std::ranges::any_of(logs_, [](const Log& log) { return log.outside.size() > 0; }))
      return least;
    const Matrix errors = errors_of(result.torques, result.torques.nominal(), data_);
    least.head(base_size) = rms(errors).head(base_size);
    return least;
  }

  Prepared prepared(const std::vector<Log>& logs) {
    std::vector<Log> whole;
    for (const Log& log : logs) whole.push_back(with_base(robot(), log));
    Prepared all =
        prepare(whole, {.filter_hz = *options_.filter_hz, .torque_delay = *options_.torque_delay},
                result.found);
    if (result.found.has_errors()) throw LogError(result.found);
    settle_base(all);
    return all;
  }

  /// Joints by their torques; of the base, forces by the robot's weight, and moments by its weight on a lever of a tenth of a metre.
  Fit fit(const TorqueData& data) const {
    constexpr double lever = 0.1;
    const Matrix errors = errors_of(result.torques, result.chosen.estimate.z, data);
    Fit fit = fit_of(errors, data.tau);
    double mass = 0.0;
    for (int b = 0; b < robot().joint_count(); ++b) mass += result.chosen.estimate.z(10 * b);
    const double weight = mass * std::max(robot().gravity().norm(), 1.0);
    for (int i = 0; i < base_size; ++i)
      fit.per_joint_percent(i) =
          counts_base() ? 100.0 * fit.rms(i) / (i < 3 ? lever * weight : weight) : 0.0;
    const Index joints = robot().nv() - base_size;
    if (counts_joints())
      fit.total_percent =
          100.0 * errors.bottomRows(joints).norm() / data.tau.bottomRows(joints).norm();
    else
      fit.per_joint_percent.tail(joints).setZero(),
          fit.total_percent = fit.per_joint_percent.head(base_size).segment<3>(3).norm();
    return fit;
  }

  void add_traces(const Prepared& prepared, const std::vector<Log>& logs, bool validation) {
    const TorqueModel& torques = result.torques;
    for (const Piece& piece : prepared.pieces)
      result.traces.push_back(
          {logs[std::size_t(piece.log)].file, validation, piece.rate_hz, piece.t, piece.tau,
           torques.torques(result.chosen.estimate.z, piece.q, piece.v, piece.a,
                           torques.features_of(piece.v, piece.a, piece.tau, piece.direction))});
  }

  void add_own_remarks() {
    const auto remark = [&](const auto&... parts) {
      result.remarks.push_back({false, message(parts...)});
    };
    if (!counts_base())
      remark("the base's own equations do not count (Options::base_held): of '",
             robot().body_name(1),
             "' nothing is learned, nor the scale of what it carries but by "
             "the joints' torques");
    else if (stands_)
      remark("the base stands: of '", robot().body_name(1),
             "' itself nothing shows but its weight, which looks like an offset of the sensor");
    if (!counts_joints()) remark("the logs have no torques of joints: friction does not show");
  }

  const Options& options_;
  double end_;
  std::vector<Log> logs_, others_;
  bool stands_ = false;
  Vector rows_;
  Prepared fitted_, held_;
  TorqueData data_;
};

}  // namespace

Identification identify_floating(const Model& model, const LogInputs& inputs,
                                 const Options& options) {
  FloatingRun run(model, inputs, options);
  run.estimate();
  return std::move(run.result);
}

}  // namespace ulna::identify
