#include "ulna/view/page/recording.hpp"

#include "num/message.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/simulate/simulation.hpp"

namespace ulna::view {
namespace {

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
  std::vector<SeriesGroup> groups;
  const std::vector<Series> series = series_of_joints(model, robot);
  if (recording.v.size()) groups.push_back({"velocity", "rad/s", series});
  if (recording.tau.size()) groups.push_back({"torque", "Nm", series});
  return groups;
}

std::vector<Message> tracks_of(const Model& model, const Recording& recording, int robot) {
  std::vector<Message> out = track_messages(robot, model, recording.times, recording.q);
  Eigen::MatrixXd values(recording.v.rows() + recording.tau.rows(), recording.times.size());
  if (values.rows() == 0) return out;
  values << recording.v, recording.tau;
  for (Message& m : value_track_messages(recording.times, values)) out.push_back(std::move(m));
  return out;
}

}  // namespace ulna::view
