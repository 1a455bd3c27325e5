#include "scenario.hpp"

namespace ulna::cli {
namespace {

/// From when on, and until when: "@1.5" or "@1.5..3". No end is none given.
struct Span {
  double begin = 0.0;
  std::optional<double> end;
};

/// "2,0,0,0.1@1.5..3" in its parts.
std::pair<std::vector<double>, Span> parts_of(const std::string& text, const std::string& option) {
  const std::size_t at = text.find('@');
  Span span;
  if (at != std::string::npos) {
    const std::string when = text.substr(at + 1);
    const std::size_t dots = when.find("..");
    span.begin = numbers(when.substr(0, dots), option).at(0);
    if (dots != std::string::npos) span.end = numbers(when.substr(dots + 2), option).at(0);
  }
  if (span.begin < 0.0 || (span.end && *span.end < span.begin))
    throw UsageError("{}: '{}' is no time: give @BEGIN or @BEGIN..END", option, text);
  return {numbers(text.substr(0, at), option), span};
}

}  // namespace

void schedule_payload(Schedule& schedule, const Model& model, const std::string& text) {
  const auto [p, span] = parts_of(text, "--payload");
  const Inertia<double> load = ball(p, ", and when: 2,0,0,0.1@1.5");
  if (model.joint_count() == 0) throw UsageError("--payload: the robot has no link that moves");
  const Frame at{"payload", model.joint_count(), {}};
  schedule.at(span.begin, [=](Plant<double>& plant) { add_payload(plant, at, load); });
  if (span.end)
    schedule.at(*span.end, [=](Plant<double>& plant) { remove_payload(plant, at, load); });
}

void schedule_friction(Schedule& schedule, const Plant<double>& usual, const std::string& text) {
  const auto [p, span] = parts_of(text, "--friction-scale");
  if (p.size() != 1 || !(p[0] >= 0.0))
    throw UsageError("--friction-scale: give a factor of 0 or more, and when: 2@1..3");
  const double factor = p[0];
  schedule.during(span.begin, span.end.value_or(span.begin),
                  [usual, factor](Plant<double>& plant, double share) {
                    scale_friction(plant, usual, 1.0 + share * (factor - 1.0));
                  });
}

namespace {

/// Bases that move freely have no drives.
void free_the_base(const Model& model, Eigen::VectorXd& tau) {
  for (const Joint& j : model.joints())
    if (j.parent == 0 && j.type == JointType::floating)
      tau.segment(j.v, velocity_size(j.type)).setZero();
}

/// g(q) + M(q) (w² (target - q) - 2 w v), or only the first of it.
struct Posture {
  Plant<double> plant;
  Eigen::VectorXd target;
  double bandwidth;
  Kinematics<double> at{plant.model()};
  Workspace<double> ws{plant.model()};
  Eigen::VectorXd error = Eigen::VectorXd::Zero(plant.model().nv());
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(error.size(), error.size());

  void operator()(const Simulation& now, Eigen::VectorXd& tau) {
    at.set(now.q());
    gravity_torque<double>(plant, at, ws, tau);
    if (bandwidth > 0.0) {
      difference<double>(plant.model(), now.q(), target, error);
      error = bandwidth * (bandwidth * error - 2.0 * now.v());
      mass_matrix<double>(plant, at, ws, M);
      tau.noalias() += M.lazyProduct(error);
    }
    free_the_base(plant.model(), tau);
  }
};

/// Torques of a table, each held until the next; none before the first.
class TorqueTable {
 public:
  TorqueTable(InputFile in, const Model& model) {
    const std::string& file = in.name();
    CsvReader reader(in.stream(), file);
    const TrajectoryColumns at = trajectory_columns(model, reader.names(), file);
    if (at.t < 0) throw CsvError({file, 1, 0}, "there is no column of time: t");
    require_columns(model, "tau", at.tau, file);
    std::vector<double> row(reader.names().size());
    while (reader.next(row)) {
      if (!times_.empty() && row[at.t] <= times_.back())
        throw CsvError({file, reader.line(), 0}, "the time does not go on");
      times_.push_back(row[at.t]);
      for (const int column : at.tau) torques_.push_back(row[column]);
      if (torques_.size() > most_numbers)
        throw CsvError({file, reader.line(), 0},
                       fmt::format("more than {} torques are too many", most_numbers));
    }
    if (times_.empty()) throw CsvError({file, 1, 0}, "there are no rows");
  }

  void operator()(const Simulation& now, Eigen::VectorXd& tau) {
    // a row that rounding puts just behind its time is in time
    while (next_ < times_.size() && times_[next_] <= now.time() + 1e-9) ++next_;
    if (next_ == 0)
      tau.setZero();
    else
      tau =
          Eigen::Map<const Eigen::VectorXd>(torques_.data() + (next_ - 1) * tau.size(), tau.size());
  }

 private:
  static constexpr std::size_t most_numbers = 50'000'000;
  std::vector<double> times_, torques_;
  std::size_t next_ = 0;  ///< row that is not yet due
};

}  // namespace

TorqueSource torque_source(const std::string& name, const Plant<double>& believed,
                           const Eigen::VectorXd& target, double bandwidth) {
  if (name == "zero") return [](const Simulation&, Eigen::VectorXd& tau) { tau.setZero(); };
  if (name == "gravity") return Posture{believed, target, 0.0};
  if (name == "pd") return Posture{believed, target, bandwidth};
  return TorqueTable(
      InputFile(name, "--torque: '{}' is neither zero, gravity, pd nor a table that can be read"),
      believed.model());
}

}  // namespace ulna::cli
