#include "ulna/view/page/recording.hpp"

#include <algorithm>
#include <cmath>

#include "num/message.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/simulate/simulation.hpp"

namespace ulna::view {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// g(q), and with a bandwidth w, M(q) (w² (home - q) - 2 w v). A base that floats has no drives.
class HoldingTorque {
 public:
  HoldingTorque(const Model& model, const VectorXd& home, const RecordingOptions& options)
      : drive_(options.drive),
        w_(options.bandwidth),
        plant_(model),
        at_(model),
        ws_(model),
        home_(home),
        a_(VectorXd::Zero(model.nv())),
        M_(Eigen::MatrixXd::Zero(model.nv(), model.nv())) {}

  void operator()(const Simulation& now, VectorXd& tau) {
    tau.setZero();
    if (drive_ == Drive::none) return;
    at_.set(now.q());
    gravity_torque<double>(plant_, at_, ws_, tau);
    if (drive_ == Drive::pd) {
      mass_matrix<double>(plant_, at_, ws_, M_);
      difference<double>(plant_.model(), now.q(), home_, a_);
      a_ = w_ * (w_ * a_ - 2.0 * now.v());
      for_each_base([&](int v) { a_.segment<6>(v).setZero(); });
      tau.noalias() += M_ * a_;
    }
    for_each_base([&](int v) { tau.segment<6>(v).setZero(); });
  }

 private:
  template <class Use>
  void for_each_base(Use use) const {
    for (const Joint& j : plant_.model().joints())
      if (j.parent == 0 && j.type == JointType::floating) use(j.v);
  }

  Drive drive_;
  double w_;
  Plant<double> plant_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  VectorXd home_, a_;
  Eigen::MatrixXd M_;
};

/// Whether each velocity has a position of its own, which means the same.
bool plots_positions(const Model& model) {
  return model.nq() == model.nv() && std::ranges::none_of(model.joints(), [](const Joint& j) {
           return j.type == JointType::planar;
         });
}

/// What channels_of names, a row each.
MatrixXd plotted(const Model& model, const Recording& recording) {
  const Eigen::Index n = plots_positions(model) ? recording.q.rows() : 0;
  MatrixXd values(n + recording.v.rows() + recording.tau.rows(), recording.times.size());
  if (n > 0) values.topRows(n) = recording.q;
  if (recording.v.size()) values.middleRows(n, recording.v.rows()) = recording.v;
  if (recording.tau.size()) values.bottomRows(recording.tau.rows()) = recording.tau;
  return values;
}

/// Columns that are at some times, at others: between two by straight lines, NaN before and after all.
MatrixXd at_times(const VectorXd& own, const MatrixXd& values, const VectorXd& times) {
  MatrixXd out = MatrixXd::Constant(values.rows(), times.size(), std::nan(""));
  Eigen::Index k = 0;
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    while (k + 1 < own.size() && own(k + 1) <= times(i)) ++k;
    if (own.size() == 0 || times(i) < own(0) || times(i) > own(own.size() - 1)) continue;
    const double span = k + 1 < own.size() ? own(k + 1) - own(k) : 0.0;
    const double share = span > 0.0 ? (times(i) - own(k)) / span : 0.0;
    out.col(i) = values.col(k);
    if (share > 0.0) out.col(i) += share * (values.col(k + 1) - values.col(k));
  }
  return out;
}

}  // namespace

std::optional<Drive> drive_from_string(std::string_view name) {
  if (name == "none") return Drive::none;
  if (name == "gravity") return Drive::gravity;
  if (name == "pd") return Drive::pd;
  return {};
}

Recording record_simulation(const Model& model, const VectorXd& q, const VectorXd& v,
                            const RecordingOptions& o) {
  messages::require(
      o.seconds > 0.0 && o.hz > 0.0 && o.period > 0.0 && o.seconds * (o.hz + 1.0 / o.period) < 1e8,
      "a recording needs a duration, a rate and a period above 0");
  messages::require(o.seconds * o.hz * (model.nq() + 2.0 * model.nv()) < 5e7, "a recording of ",
                    o.seconds, " s of robot '", model.name(),
                    "' takes too much memory; record less");
  Simulation robot(model);
  robot.set_state(q, v);
  const auto most = Eigen::Index(o.seconds * o.hz) + 3;
  Recording out{VectorXd(most), Eigen::MatrixXd(model.nq(), most),
                Eigen::MatrixXd(model.nv(), most), Eigen::MatrixXd(model.nv(), most)};
  Eigen::Index count = 0;
  const auto add = [&] {
    if (count == most) return;
    out.times(count) = robot.time(), out.q.col(count) = robot.q();
    out.v.col(count) = robot.v(), out.tau.col(count++) = robot.tau();
  };
  const SimulationStatus status =
      robot.run(o.seconds, o.period, HoldingTorque(model, q, o), [&](const Simulation& now) {
        // rounding must not leave a moment out
        if (now.time() * o.hz >= double(count) - 1e-6) add();
        return !o.go_on || o.go_on();
      });
  add();
  if (status != SimulationStatus::moved) out.ended = to_string(status);
  out.times.conservativeResize(count);
  for (Eigen::MatrixXd* m : {&out.q, &out.v, &out.tau})
    m->conservativeResize(Eigen::NoChange, count);
  return out;
}

std::vector<SeriesGroup> channels_of(const Model& model, const Recording& recording, int robot) {
  int turning = 0, sliding = 0;
  for (const Joint& j : model.joints().subspan(1))
    if (!j.mimics) ++(j.type == JointType::prismatic ? sliding : turning);
  const auto unit = [&](const char* of_turning, const char* of_sliding) -> std::string {
    if (sliding == 0) return of_turning;
    return turning == 0 ? of_sliding : std::string(of_turning) + ", " + of_sliding;
  };
  std::vector<SeriesGroup> groups;
  const std::vector<Series> series = series_of_joints(model, robot);
  if (plots_positions(model)) groups.push_back({"position", unit("rad", "m"), series});
  if (recording.v.size()) groups.push_back({"velocity", unit("rad/s", "m/s"), series});
  if (recording.tau.size()) groups.push_back({"torque", unit("Nm", "N"), series});
  return groups;
}

std::vector<Message> tracks_of(const Model& model, const Recording& recording, int robot) {
  std::vector<Message> out = track_messages(robot, model, recording.times, recording.q);
  const MatrixXd values = plotted(model, recording);
  if (values.rows() == 0) return out;
  for (Message& m : value_track_messages(recording.times, values)) out.push_back(std::move(m));
  return out;
}

std::vector<Message> tracks_of(const Model& model, std::span<const Recording> recordings) {
  std::vector<Message> out;
  std::vector<double> all;
  std::vector<MatrixXd> values;
  Eigen::Index rows = 0;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const Recording& r = recordings[i];
    for (Message& m : track_messages(int(i), model, r.times, r.q)) out.push_back(std::move(m));
    all.insert(all.end(), r.times.begin(), r.times.end());
    rows += values.emplace_back(plotted(model, r)).rows();
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  const VectorXd times = VectorXd::Map(all.data(), Eigen::Index(all.size()));
  MatrixXd together(rows, times.size());
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const Eigen::Index count = values[i].rows();
    together.middleRows(row, count) = at_times(recordings[i].times, values[i], times);
    row += count;
  }
  if (rows == 0) return out;
  for (Message& m : value_track_messages(times, together)) out.push_back(std::move(m));
  return out;
}

}  // namespace ulna::view
