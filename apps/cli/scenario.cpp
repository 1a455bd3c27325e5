#include "scenario.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "states.hpp"

namespace ulna::cli {
namespace {

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
    throw UsageError(fmt::format("{}: '{}' is no time: give @BEGIN or @BEGIN..END", option, text));
  return {numbers(text.substr(0, at), option), span};
}

constexpr double ball_radius = 0.05;  // m

}  // namespace

void schedule_payload(Schedule& schedule, const Model& model, const std::string& text) {
  auto [p, span] = parts_of(text, "--payload");
  if (p.size() == 1) p.resize(4, 0.0);
  if (p.size() != 4 || !(p[0] > 0.0))
    throw UsageError(
        "--payload: give a mass above 0 in kg, or a mass and a place, and when: 2,0,0,0.1@1.5");
  if (model.joint_count() == 0) throw UsageError("--payload: the robot has no link that moves");
  const Frame at{"payload", model.joint_count(), {}};
  const Inertia<double> ball = Transform<double>::from_translation({p[1], p[2], p[3]}) *
                               solid_sphere(ball_radius).with_mass(p[0]);
  schedule.at(span.begin, [=](Plant<double>& plant) { add_payload(plant, at, ball); });
  if (span.end)
    schedule.at(*span.end, [=](Plant<double>& plant) { remove_payload(plant, at, ball); });
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

class Nothing : public TorqueSource {
 public:
  void torque(const Simulation&, Eigen::VectorXd& tau) override { tau.setZero(); }
};

/// Bases that move freely have no drives.
void free_the_base(const Model& model, Eigen::VectorXd& tau) {
  for (const Joint& j : model.joints())
    if (j.parent == 0 && j.type == JointType::floating)
      tau.segment(j.v, velocity_size(j.type)).setZero();
}

/// g(q) + M(q) (w² (target - q) - 2 w v), or only the first of it.
class Posture : public TorqueSource {
 public:
  Posture(const Plant<double>& believed, const Eigen::VectorXd& target, double bandwidth)
      : plant_(believed),
        at_(believed.model()),
        ws_(believed.model()),
        M_(believed.model().nv(), believed.model().nv()),
        target_(target),
        error_(believed.model().nv()),
        bandwidth_(bandwidth) {}

  void torque(const Simulation& now, Eigen::VectorXd& tau) override {
    const Model& model = plant_.model();
    at_.set(now.q());
    gravity_torque<double>(plant_, at_, ws_, tau);
    if (bandwidth_ > 0.0) {
      difference<double>(model, now.q(), target_, error_);
      error_ = bandwidth_ * (bandwidth_ * error_ - 2.0 * now.v());
      mass_matrix<double>(plant_, at_, ws_, M_);
      tau.noalias() += M_.lazyProduct(error_);
    }
    free_the_base(model, tau);
  }

 private:
  Plant<double> plant_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  Eigen::MatrixXd M_;
  Eigen::VectorXd target_, error_;
  double bandwidth_;
};

/// Torques of a table, each held until the next; none before the first.
class TorqueTable : public TorqueSource {
 public:
  TorqueTable(std::istream& in, const std::string& file, const Model& model) {
    CsvReader reader(in, file);
    const TrajectoryColumns at = trajectory_columns(model, reader.names(), file);
    if (at.t < 0) throw CsvError({file, 1, 0}, "there is no column of time: t");
    if (at.tau.empty() && model.nv() > 0)
      throw CsvError({file, 1, 0}, fmt::format("there are no columns for tau: {}",
                                               fmt::join(trajectory_names(model, "tau"), ", ")));
    std::vector<double> row(reader.names().size());
    while (reader.next(row)) {
      const double t = row[static_cast<std::size_t>(at.t)];
      if (!times_.empty() && t <= times_.back())
        throw CsvError({file, reader.line(), 0}, "the time does not go on");
      times_.push_back(t);
      for (const int column : at.tau) torques_.push_back(row[static_cast<std::size_t>(column)]);
      if (torques_.size() > most_numbers)
        throw CsvError({file, reader.line(), 0},
                       fmt::format("more than {} torques are too many", most_numbers));
    }
    if (times_.empty()) throw CsvError({file, 1, 0}, "there are no rows");
  }

  void torque(const Simulation& now, Eigen::VectorXd& tau) override {
    // a row that rounding puts just behind its time is in time
    while (next_ < times_.size() && times_[next_] <= now.time() + 1e-9) ++next_;
    if (next_ == 0)
      tau.setZero();
    else
      tau = Eigen::Map<const Eigen::VectorXd>(
          torques_.data() + (next_ - 1) * static_cast<std::size_t>(tau.size()), tau.size());
  }

 private:
  static constexpr std::size_t most_numbers = 50'000'000;
  std::vector<double> times_, torques_;
  std::size_t next_ = 0;  ///< row that is not yet due
};

}  // namespace

std::unique_ptr<TorqueSource> torque_source(const std::string& name, const Plant<double>& believed,
                                            const Eigen::VectorXd& target, double bandwidth) {
  if (name == "zero") return std::make_unique<Nothing>();
  if (name == "gravity") return std::make_unique<Posture>(believed, target, 0.0);
  if (name == "pd") return std::make_unique<Posture>(believed, target, bandwidth);
  if (name == "-") return std::make_unique<TorqueTable>(std::cin, "<stdin>", believed.model());
  std::ifstream in(name, std::ios::binary);
  std::error_code error;
  if (!in || std::filesystem::is_directory(name, error))
    throw std::runtime_error(fmt::format(
        "--torque: '{}' is neither zero, gravity, pd nor a table that can be read", name));
  return std::make_unique<TorqueTable>(in, name, believed.model());
}

}  // namespace ulna::cli
