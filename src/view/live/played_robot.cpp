#include "view/live/played_robot.hpp"

#include <algorithm>

#include "num/message.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/simulate/changes.hpp"

namespace ulna::view {
namespace {

using Eigen::VectorXd;
using messages::require;

mpc::ControllerOptions with_payload(mpc::ControllerOptions control, const Frame& tip) {
  control.payload_body = tip.body;
  return control;
}

/// Of ways to goals, which come on top of the usual motion: a third of what the robot can.
VectorXd speeds(const Model& model) {
  const VectorXd& limit = model.velocity_limit();
  return limit.array().isFinite().select(limit / 3.0, 1.0);
}

/// A supervisor that only stops the robot for reasons of its sensors: to be pushed is what it is here for.
std::optional<supervise::Supervisor> supervisor_of(const Player& player) {
  if (!player.supervise || !player.model.description().loops.empty()) return {};
  supervise::Options options;
  options.rate_hz = player.control.rate_hz;
  options.reaction = supervise::Reaction::report;
  options.limits.emplace(player.model, supervise::LimitDefaults{.trusted_planner = true});
  return supervise::Supervisor(player.model, options);
}

double moving_mass(const Model& model) {
  double mass = 0.0;
  for (int b = 1; b < model.body_count(); ++b) mass += model.inertias()[std::size_t(b)].mass();
  return mass;
}

constexpr std::size_t remembered_steps = 2000;
constexpr double payload_density = 500.0;  // half that of water

}  // namespace

PlayedRobot::PlayedRobot(Player player)
    : player_(std::move(player)),
      usual_(player_.model),
      rig_(player_.model, player_.rig),
      controller_(player_.model, with_payload(player_.control, rig::tip_frame(player_.model))),
      motion_(player_.motion, speeds(player_.model)),
      supervisor_(supervisor_of(player_)),
      reading_(player_.model),
      tip_(rig::tip_frame(player_.model)),
      at_(player_.model),
      q_reference_(player_.model.nq()),
      v_reference_(player_.model.nv()),
      tau_(VectorXd::Zero(player_.model.nv())),
      load_(tau_),
      hold_fast_(VectorXd::Constant(tau_.size(), 100.0 * rig::nominal_efforts(model()).sum())),
      values_(4 * tau_.size()),
      blinded_(std::size_t(tau_.size()), 0),
      weight_(9.81 * std::max(0.1, moving_mass(player_.model))) {
  if (supervisor_) {
    reentry_.emplace([this](double t, Vector& q, Vector& v) { motion_(t, q, v); },
                     supervisor_->limits().speed, supervisor_->limits().braking);
    controller_.follow([this](double t, Vector& q, Vector& v) { (*reentry_)(t, q, v); });
  } else {
    controller_.follow([this](double t, Vector& q, Vector& v) { motion_(t, q, v); });
  }
  motion_(0.0, q_reference_, v_reference_);
  if (player_.differs) rig_.change(player_.differs);
  usual_ = rig_.plant();
  rig_.start(player_.q0.size() ? player_.q0 : q_reference_);
  squares_.assign(std::size_t(std::lround(player_.control.rate_hz)), 0.0);
  durations_.reserve(remembered_steps);
}

bool PlayedRobot::step() {
  if (!began_) {
    began_ = true;
    Workspace<double> ws(model());
    at_.set(rig_.q());
    gravity_torque<double>(rig_.plant(), at_, ws, tau_);
    (void)rig_.preload(tau_);
  }
  drive();
  pull_now();
  motion_(time(), q_reference_, v_reference_);
  squares_[steps_ % squares_.size()] = (q_reference_ - q()).squaredNorm() / double(q().size());
  step_us_ = controller_.act_us() + controller_.update_us();
  if (durations_.size() < remembered_steps)
    durations_.push_back(float(step_us_));
  else
    durations_[steps_ % remembered_steps] = float(step_us_);
  ++steps_;
  return rig_.advance(period()) == SimulationStatus::moved;
}

void PlayedRobot::drive() {
  rig_.read(reading_);
  for (std::size_t i = 0; i < blinded_.size(); ++i)
    if (blinded_[i]) reading_.q(Eigen::Index(i)) = std::nan("");
  const Vector& wanted = controller_.act(time(), reading_.time, reading_.q, reading_.v);
  if (supervisor_) {
    follow_supervisor(time(), wanted);
  } else {
    controller_.learn(identify_);
    tau_ = wanted;
  }
  (void)rig_.write(tau_);
  controller_.update(time(), reading_.q, reading_.v, reading_.tau);
}

/// As an operator would who waits for half a second, and mechanical brakes do.
void PlayedRobot::follow_supervisor(double time, const Vector& wanted) {
  constexpr double reset_after = 0.5;  // s
  tau_ = supervisor_->filter(controller_.plant(), time, reading_.time, reading_.q, reading_.v,
                             reading_.tau, wanted);
  const bool runs = supervisor_->state() == supervise::State::run;
  if (!runs)
    reentry_->stay(supervisor_->q());
  else if (reentry_->stays())
    reentry_->join(time, supervisor_->q(), supervisor_->v());
  stopped_for_ = runs ? 0.0 : stopped_for_ + period();
  if (stopped_for_ > reset_after) (void)supervisor_->reset();
  if (supervisor_->brake() != braked_) {
    braked_ = supervisor_->brake();
    const Plant<double>& plant = rig_.plant();
    if (braked_)
      rig_.mechanism().set_dry_friction(hold_fast_, hold_fast_);
    else
      rig_.mechanism().set_dry_friction(plant.friction, plant.friction_negative);
  }
  controller_.sent(tau_);
  controller_.learn(identify_ && runs);
}

void PlayedRobot::pull_now() {
  if (!pull_) return;
  at_.set(q(), rig_.v());
  const Frame& frame = model().frame(model().description().links[std::size_t(pull_->link)].name);
  const Transform<double> X = at_.pose(frame);
  force_.point = X * pull_->point;
  const Vec3<double> arm = force_.point - X.translation();
  const Twist<double> V = frame_velocity<double>(at_, frame, Axes::aligned);
  // a quarter of a metre pulls with the robot's weight; damped as a tenth of its mass would have it
  const double stiffness = weight_ / 0.25, most = 1.5 * weight_;
  const double damping = 2.0 * std::sqrt(stiffness * 0.1 * weight_ / 9.81);
  Vec3<double> force = stiffness * (pull_->to - force_.point);
  if (force.norm() > most) force *= most / force.norm();
  force -= damping * (V.linear + cross(V.angular, arm));
  force_.force = force;
  load_.setZero();
  add_wrench_torque<double>(at_, {&frame, {cross(arm, force), force}, Axes::aligned}, load_);
  rig_.mechanism().load(load_);
}

void PlayedRobot::carry(double mass) {
  require(mass >= 0.0 && mass <= 1000.0, "mass: ", mass, " is not from 0 to 1000 kg");
  const auto box = [](double m) {
    const double edge = std::cbrt(m / payload_density), moment = m * edge * edge / 6.0;
    return Inertia<double>::about_com(m, {0.0, 0.0, 0.5 * edge}, moment * Mat3<double>::Identity());
  };
  rig_.change([&](Plant<double>& plant) {
    if (payload_ > 0.0) remove_payload(plant, tip_, box(payload_));
    if (mass > 0.0) add_payload(plant, tip_, box(mass));
  });
  payload_ = mass;
}

void PlayedRobot::pull(int link, const Vec3<double>& point, const Vec3<double>& to) {
  require(link >= 0 && link < std::ssize(model().description().links), "there is no link ", link);
  require(point.allFinite() && to.allFinite() && point.norm() < 1e3 && to.norm() < 1e6,
          "a point is too far away");
  pull_ = {link, point, to};
}

void PlayedRobot::release() {
  pull_.reset();
  load_.setZero();
  rig_.mechanism().load(load_);
}

void PlayedRobot::set_friction(double factor) {
  require(factor >= 0.0 && factor <= 100.0, "factor: ", factor, " is not from 0 to 100");
  rig_.change([&](Plant<double>& plant) { scale_friction(plant, usual_, factor); });
  friction_ = factor;
  braked_ = false;
}

void PlayedRobot::blind(int joint, bool on) {
  const auto found = std::ranges::find(joints_, joint, &Series::joint);
  require(found != joints_.end(), "joint ", joint, " has no sensor");
  blinded_[std::size_t(found - joints_.begin())] = on;
}

void PlayedRobot::go_to(const std::optional<Vector>& goal) {
  if (goal) {
    require(goal->size() == model().nq() && goal->allFinite(), "a goal needs ", model().nq(),
            " numbers");
    const Vector inside = goal->cwiseMax(model().lower_limit()).cwiseMin(model().upper_limit());
    return motion_.go_to(time(), inside);
  }
  motion_.go_to(time(), std::nullopt);
}

Cast PlayedRobot::cast() const {
  return {{.model = model(), .q = q()},
          {.model = model(), .name = "reference", .ghost = true, .q = q_reference_}};
}

std::vector<SeriesGroup> PlayedRobot::channels() const {
  return {{"tracking error", "mrad", joints_},
          {"torque", "Nm", joints_},
          {"torque expected", "Nm", joints_},
          {"torque not explained", "Nm", joints_}};
}

const PlayedRobot::Vector& PlayedRobot::values() {
  const Eigen::Index n = tau_.size();
  values_.segment(0, n) = 1e3 * (q() - q_reference_);
  values_.segment(n, n) = reading_.tau;
  values_.segment(2 * n, n) = tau_ - controller_.disturbance();
  values_.segment(3 * n, n) = controller_.disturbance();
  return values_;
}

std::optional<Arrow> PlayedRobot::pull_force() const {
  return pull_ ? std::optional(force_) : std::nullopt;
}

std::span<const Vec3<double>> PlayedRobot::trail() {
  trail_.clear();
  for (const Vector& x : controller_.plan().x) {
    if (x.size() < model().nq() || !x.allFinite()) break;
    at_.set(x.head(model().nq()));
    trail_.push_back(at_.pose(tip_).translation());
  }
  return trail_;
}

Json PlayedRobot::report() {
  const auto finite = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
  // takes too long for a period of a robot of many joints
  const bool certain = deviations_.size() <= 150;
  if (certain) {
    estimator_ = controller_.estimator();
    estimator_.deviations(deviations_);
  }
  Json masses = Json::array();
  for (int b = 1; b < model().body_count(); ++b)
    masses.push_back({{"link", model().body_name(b)},
                      {"true", rig_.plant().body(b).mass},
                      {"estimate", controller_.plant().body(b).mass},
                      {"deviation", certain ? finite(deviations_(10 * (b - 1))) : Json()}});
  const mpc::Payload found = controller_.payload();
  auto share = [sorted = durations_](double p) mutable {
    if (sorted.empty()) return 0.0f;
    const auto at = sorted.begin() + std::ptrdiff_t(p * double(sorted.size() - 1));
    std::ranges::nth_element(sorted, at);
    return *at;
  };
  double square = 0.0;
  for (const double s : squares_) square += s;
  Json blinded = Json::array(), findings = Json::array();
  for (std::size_t i = 0; i < blinded_.size(); ++i)
    if (blinded_[i]) blinded.push_back(joints_[i].joint);
  if (supervisor_ && supervisor_->state() != supervise::State::run)
    findings.push_back(supervisor_->report());
  if (controller_.fault() != mpc::ActionFault::none)
    findings.push_back(std::string("controller: ") + to_string(controller_.fault()));
  return {{"time", time()},
          {"period_ms", 1e3 * period()},
          {"identify", identify_},
          {"blinded", std::move(blinded)},
          {"friction", friction_},
          {"payload",
           {{"true", payload_},
            {"estimate", std::isfinite(found.deviation) ? finite(found.mass) : Json()},
            {"deviation", finite(found.deviation)},
            {"frame", tip_.name},
            {"density", payload_density}}},
          {"masses", std::move(masses)},
          {"tracking_mrad",
           1e3 * std::sqrt(square /
                           double(std::min(squares_.size(), std::max<std::size_t>(1, steps_))))},
          {"step_us", {{"p50", share(0.5)}, {"p99", share(0.99)}}},
          {"state", supervisor_ ? to_string(supervisor_->state()) : "run"},
          {"findings", std::move(findings)}};
}

}  // namespace ulna::view
