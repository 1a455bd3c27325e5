#include "closed_robot.hpp"

#include "ulna/model/inspect.hpp"

namespace ulna::cli {
namespace {

/// m or rad, and per s: as measured states are.
constexpr double nearly_closed = 1e-3;

double largest_of_rows(const Eigen::VectorXd& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

ClosedRobot::ClosedRobot(const Plant<double>& plant)
    : plant_(plant),
      loops_(plant.model(), plant.model().description().loops, neutral(plant.model())),
      ws_(loops_),
      forces_(Eigen::VectorXd::Zero(loops_.size())) {}

void ClosedRobot::require_closed(const Eigen::VectorXd& q) const {
  try {
    loops_.require_closed(q, nearly_closed);
  } catch (const std::invalid_argument& e) {
    Eigen::VectorXd closed = q;
    const bool possible = loops_.close(closed);
    std::string near;
    for (const double x : closed) near += (near.empty() ? "" : ",") + figure(x, 9);
    throw Failure("{}; {}, or leave them open: --open-loops", e.what(),
                  possible ? "near q they close at --q " + near : "near q they cannot be closed");
  }
}

std::vector<ExternalWrench<double>> ClosedRobot::placed(const Robot::Wrenches& wrenches) const {
  std::vector<ExternalWrench<double>> list;
  for (const Robot::FrameWrench& w : wrenches)
    list.push_back({&plant_.model().frame(w.frame), w.wrench, w.axes});
  return list;
}

Eigen::VectorXd ClosedRobot::accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                           const Eigen::VectorXd& tau,
                                           const Robot::Wrenches& wrenches) {
  require_closed(q);
  loops_.set(q, qd);
  Eigen::VectorXd a(tau.size());
  const std::vector<ExternalWrench<double>> list = placed(wrenches);
  if (constrained_forward_dynamics(plant_, loops_, tau, ws_, a, forces_, list).status ==
      ConstraintReport::Status::not_physical)
    throw Failure(
        "the mass matrix is not positive definite; ulna check lists the links that lack inertia");
  loops_.set(q, qd, a);
  meaning_ = "qdd: the accelerations of the robot with its loops closed";
  return a;
}

Eigen::VectorXd ClosedRobot::torques(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                     const Eigen::VectorXd& qdd, const Robot::Wrenches& wrenches) {
  require_closed(q);
  loops_.set(q, qd, qdd);
  Eigen::VectorXd tau(qd.size());
  const std::vector<ExternalWrench<double>> list = placed(wrenches);
  const ConstraintReport report =
      constrained_inverse_dynamics(plant_, loops_, driven(plant_.model()), ws_, tau, forces_, list);
  if (report.status == ConstraintReport::Status::contradictory)
    throw Failure(
        "the joints that have a drive cannot make this motion: {} Nm or N are missing; joints "
        "whose "
        "effort limit is 0 have none",
        figure(report.residual, 3));
  // what weight, motion and wrenches need of the tree, of which rounding is a share
  Eigen::VectorXd tree(tau.size());
  inverse_dynamics<double>(plant_, loops_.at(), ws_.dynamics, tree, list);
  const double rounding = 1e-13 * std::max(largest_of_rows(tree), largest_of_rows(forces_));
  for (double& x : tau)
    if (std::abs(x) <= rounding) x = 0.0;
  meaning_ = "tau: the least torques, by their sum of squares, of the joints that have a drive";
  if (tau.isZero(0.0) && rounding > 0.0)
    meaning_ += "; none is needed: what acts on the robot does no work as the loops let it move";
  return tau;
}

void ClosedRobot::mention_opening(Console& console) const {
  const double rate = largest_of_rows(loops_.rate()),
               acceleration = largest_of_rows(loops_.acceleration());
  if (rate > nearly_closed)
    console.complain(
        fmt::format("the velocities open the loops at {} m/s or rad/s", figure(rate, 3)),
        Style::yellow);
  else if (acceleration > nearly_closed * std::max(1.0, largest_of_rows(loops_.at().a())))
    console.complain(fmt::format("the accelerations open the loops by {} m/s^2 or rad/s^2",
                                 figure(acceleration, 3)),
                     Style::yellow);
}

Json ClosedRobot::forces_json() const {
  Json list = Json::array();
  for (int i = 0; i < loops_.size(); ++i)
    list.push_back({{"name", loops_.name(i)}, {"force", forces_(i)}});
  return {{"loop_forces", list}};
}

std::string ClosedRobot::forces_text(const Stream& out) const {
  std::vector<std::string> names;
  for (int i = 0; i < loops_.size(); ++i) names.push_back(loops_.name(i));
  return matrix_text(out, "row", names, {">force [Nm, N]"}, forces_) + "\n" +
         hanging("", 0,
                 meaning_ + "; force: what the joint that closes a loop exerts on its second link",
                 out.width());
}

void for_each_row(const TableBlock& in, Eigen::MatrixXd& out,
                  const std::function<Eigen::VectorXd(Eigen::Index)>& compute) {
  for (Eigen::Index s = 0; s < in.q.cols(); ++s) try {
      out.col(s) = compute(s);
    } catch (const Failure& e) {
      in.refused[s] = e.what();
      return;  // nothing after it is printed
    }
}

void print_per_joint(Console& console, const Model& model, const Json& before, const char* field,
                     const char* unit, const Eigen::VectorXd& values,
                     const std::optional<ClosedRobot>& closed) {
  if (!closed) return print_per_joint(console, model, before, field, unit, values);
  closed->mention_opening(console);
  print_per_joint(console, model, merged({before, closed->forces_json()}), field, unit, values);
  if (!console.json()) console.out.print("\n" + closed->forces_text(console.out));
}

Eigen::VectorXd driven(const Model& model) {
  return (model.effort_limit().array() > 0.0).cast<double>();
}

TorqueSource by_drives(TorqueSource law, const Loops& loops) {
  return [law = std::move(law), at = Loops(loops), ws = LoopWorkspace(loops),
          drives = driven(loops.model()), lambda = Eigen::VectorXd(loops.gap())](
             const Simulation& now, Eigen::VectorXd& tau) mutable {
    law(now, tau);
    at.set(now.q());
    drive_torques(at, drives, ws, tau, lambda);
  };
}

std::optional<Eigen::VectorXd> by_moving_joints(const Model& model, const std::string& text,
                                                const std::string& option) {
  if (text.empty() || compound_joint(model)) return {};
  LoopCoordinates coordinates(Loops(model, model.description().loops, neutral(model)));
  const std::vector<std::string> names = model.velocity_names();
  Eigen::VectorXd q = coordinates.loops().closed_at(), to = q;
  if (is_named(text)) {
    for (const auto& [name, value] : named_numbers(text, option)) {
      const auto at = std::ranges::find(names, name) - names.begin();
      if (at == std::ssize(names) || !coordinates.is_independent(int(at))) return {};
      to(at) = value;
    }
  } else {
    const std::vector<double> given = numbers(text, option);
    if (std::ssize(given) != coordinates.size() || coordinates.size() == model.nv()) return {};
    coordinates.scatter(Eigen::Map<const Eigen::VectorXd>(given.data(), coordinates.size()), to);
  }
  if (!to.allFinite() || !coordinates.follow(to, q))
    throw UsageError("{}: the loops do not reach so far", option);
  return q;
}

IkConstraint keep_closed(LoopCoordinates& coordinates) {
  return {[&](const Eigen::VectorXd& q) {
            coordinates.loops().set(q);
            return coordinates.loops().J();
          },
          [&](const Eigen::VectorXd& from, Eigen::VectorXd& to) {
            Eigen::VectorXd q = from;
            if (!to.allFinite() || !coordinates.follow(to, q)) return false;
            to = q;
            return true;
          }};
}

void close_loops(Console& console, const Loops* loops, Eigen::VectorXd& q, const char* what) {
  if (!loops) return;
  const Eigen::VectorXd given = q;
  if (!loops->close(q)) throw UsageError("{}: the loops cannot be closed near it", what);
  const double moved = largest_of_rows(difference(loops->model(), given, q));
  if (moved > nearly_closed)
    console.complain(fmt::format("{} is moved by up to {} rad or m to where the loops are closed",
                                 what, figure(moved, 3)),
                     Style::yellow);
}

}  // namespace ulna::cli
