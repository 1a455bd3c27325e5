#include <algorithm>
#include <numbers>
#include <stdexcept>

#include "identify/messages.hpp"
#include "identify/pipeline.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/identify/drives/drive_estimate.hpp"
#include "ulna/model/inspect.hpp"

namespace ulna::identify {
namespace {

void require_drives_identifiable(const Model& model, const Options& options) {
  const auto refuse = [&](bool refused, const char* what) {
    if (refused)
      throw std::runtime_error(
          message("robot '", model.name(), "' has springs or coupled motors: ", what));
  };
  refuse(options.method != Method::consistent,
         "its drives are identified by Options::method = consistent");
  refuse(!options.payload.empty() || options.refine || options.folds > 0 || options.essential ||
             options.find_gains,
         "Options::payload, refine, folds, essential and gains to be found are for robots without; "
         "leave them out");
  refuse(std::ranges::count(*options.features, Feature::load) > 0,
         "friction by load is not looked for; leave 'load' out");
  refuse(model.has_mimics() || !model.description().loops.empty(),
         "those with mimicking joints or loops are not identified");
  refuse(!model.drives().mounts.empty(),
         "rotors that links carry are not identified; leave the carriers out");
}

/// Springs that the motion did not show, and numbers that are hardly in the unit that they should be.
void remark_on_springs(const Options& options, Identification& result) {
  constexpr double far = 20.0;
  const Estimate& found = result.chosen.estimate;
  const std::vector<std::string> joints = result.torques.model().velocity_names();
  for (std::size_t k = 0; k < result.torques.drives().size(); ++k) {
    const DriveUnknown& u = result.torques.drives()[k];
    if (u.kind != DriveUnknown::Kind::stiffness) continue;
    const int at = result.torques.drive_at(int(k));
    const double K = found.z(at), factor = K / found.prior(at);
    const auto remark = [&](const auto&... parts) {
      result.remarks.push_back(
          {false, message("joint '", joints[std::size_t(u.at)], "': ", parts...)});
    };
    if (result.state(at) != "estimated" || found.deviation(at) > 0.5 * K)
      remark("the motion does not show its stiffness: its link would vibrate at ",
             number(link_frequencies(Plant<double>(result.model()))(u.at), 3),
             " Hz if its motor stood still; move it at a quarter of that or faster, let more "
             "torque act on it (a payload), measure the links' positions, or take a higher "
             "cut-off than Options::filter_hz = ",
             number(*options.filter_hz, 3));
    else if (factor > far || factor < 1.0 / far)
      remark("a stiffness of ", number(K), " Nm/rad is found, ", number(factor, 3),
             " times the described one: check its unit (Nm/rad)");
  }
}

class DriveRun {
 public:
  DriveRun(const Model& model, const LogInputs& inputs, const Options& options)
      : result(TorqueModel(model, *options.features)),
        options_(options),
        end_(options.split > 0.0 ? options.split : 1.0) {
    require_drives_identifiable(model, options);
    result.filter_hz = *options.filter_hz;
    step(0, "reading logs");
    std::vector<RecordedLog> fitted, others;
    logs_ =
        load_logs(inputs.fit, options.split > 0.0 ? "both" : "fit", options, {}, fitted, result);
    others_ = load_logs(inputs.validation, "validation", options, fitted, others, result);
    const bool elastic = !model.drives().elastic.empty();
    const DriveSensors sensors{elastic && logs_.front().link_encoders,
                               elastic && logs_.front().link_tau.size() > 0};
    result.torques = TorqueModel(model, *options.features,
                                 drive_unknowns(model, *options.features, sensors, options.ratios));
    step(2, "filtering");
    const Prepared all = prepared(logs_);
    result.filter = all.str();
    data_ = gather_drives(result.torques, all.part(0.0, end_));
    const Prepared held = options.split > 0.0 ? all.part(end_, 1.0) : prepared(others_);
    if (held.size() > 0) held_out_ = gather_drives(result.torques, held);
    result.samples = data_.size(), result.validation_samples = held_out_.size();
    step(3, "finding base parameters");
    result.base = drive_base_parameters(result.torques);
  }

  void estimate() {
    step(4, "estimating");
    result.chosen.estimate = estimate_drives(result.torques, result.base, data_, options_.prior);
    step(6, "assessing");
    Assessment& chosen = result.chosen;
    chosen.fit = fit(data_, false);
    if (held_out_.size() > 0) chosen.validation = fit(held_out_, true);
    check_bodies(result.torques, chosen);
    result.delay = delay_of(result.traces);
    add_remarks(options_, result);
    remark_on_springs(options_, result);
  }

  Identification result;

 private:
  void step(int at, const std::string& what) const {
    if (options_.progress) options_.progress(at, what);
  }

  Prepared prepared(const std::vector<Log>& logs) {
    Prepared all =
        prepare(logs, {.filter_hz = *options_.filter_hz, .torque_delay = *options_.torque_delay},
                result.found);
    if (result.found.has_errors()) throw LogError(result.found);
    return all;
  }

  /// Of the motors' torques; adds a trace for reports.
  Fit fit(const DriveData& data, bool validation) {
    const Matrix measured = measured_torques(data),
                 predicted = motor_torques(result.torques, result.chosen.estimate.z, data);
    Trace trace{validation && !others_.empty() ? others_.front().file : logs_.front().file,
                validation,
                data.rate_hz,
                Vector(data.size()),
                measured,
                predicted};
    // even samples of the first piece tell the rate
    if (data.size() > 1) trace.rate_hz = data.rate_hz / double(data.used[1] - data.used[0]);
    for (Index i = 0; i < data.size(); ++i)
      trace.t(i) = double(data.used[std::size_t(i)]) / data.rate_hz;
    result.traces.push_back(std::move(trace));
    return fit_of(measured - predicted, measured);
  }

  const Options& options_;
  double end_;
  std::vector<Log> logs_, others_;
  DriveData data_, held_out_;
};

}  // namespace

Vector mean_inertias(const Plant<double>& plant, const Matrix& Q) {
  const Model& model = plant.model();
  Kinematics<double> at(model);
  Workspace<double> ws(model);
  Matrix M(model.nv(), model.nv());
  Vector mean = Vector::Zero(model.nv());
  for (const auto& q : Q.colwise()) {
    at.set(q);
    mass_matrix<double>(plant, at, ws, M);
    mean += M.diagonal() / double(Q.cols());
  }
  return mean;
}

Vector link_frequencies(const Plant<double>& plant, const Matrix& Q) {
  const Model& model = plant.model();
  const Vector inertia = mean_inertias(plant, Q.cols() > 0 ? Q : Matrix(neutral(model)));
  Vector hz = Vector::Constant(model.nv(), infinity);
  for (const int c : model.drives().elastic)
    hz(c) = std::sqrt(plant.drives.stiffness(c) / std::max(inertia(c), 1e-12)) /
            (2.0 * std::numbers::pi);
  return hz;
}

Identification identify_drives(const Model& model, const LogInputs& inputs,
                               const Options& options) {
  DriveRun run(model, inputs, options);
  run.estimate();
  return std::move(run.result);
}

}  // namespace ulna::identify
