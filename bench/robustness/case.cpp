#include <algorithm>
#include <cmath>

#include "rows.hpp"
#include "ulna/num/random.hpp"

namespace robustness {

using Eigen::VectorXd;
using namespace ulna;

namespace {

/// Where a joint moves: its range, of long ones the part about zero.
std::pair<double, double> usual_range(const Model& model, int i) {
  const double low = model.lower_limit()(i), high = model.upper_limit()(i);
  const double middle = std::clamp(0.0, low, high);
  const double most = model.joint_of_coordinate(i).type == JointType::prismatic ? 0.5 : 3.0;
  return {std::max(low, middle - most), std::min(high, middle + most)};
}

}  // namespace

VectorXd efforts(const Model& model) {
  const VectorXd& limit = model.effort_limit();
  // torques are weighed by the inverse squares of what the controller takes for the drives' torques
  const VectorXd needed = mpc::motion_weights(model).torque.cwiseInverse().cwiseSqrt();
  return limit.array().isFinite().select(limit, 2.0 * needed);
}

Task::Task(const Model& model) : start(model.nv()), goal(start), amplitude(start), hz(start) {
  constexpr double peak = 1.875;  // of the velocity on the way, over the mean
  for (int i = 0; i < model.nv(); ++i) {
    const auto [low, high] = usual_range(model, i);
    start(i) = 0.5 * (low + high);
    goal(i) = start(i) + 0.15 * (high - low) * (i % 2 ? 1.0 : -1.0);
    hz(i) = 0.23 + 0.041 * ((3 * i) % 7);
    const double fast = model.velocity_limit()(i);
    amplitude(i) =
        std::min(0.12 * (high - low), std::isfinite(fast) ? 0.5 * fast / (6.2832 * hz(i)) : 0.4);
  }
  if (model.name() == "panda") {
    start << 0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785;
    goal << 0.5, -0.485, -0.4, -1.856, 0.3, 1.571, 1.185;
  }
  const double needed =
      (peak / 0.8 * (goal - start).cwiseAbs().cwiseQuotient(model.velocity_limit())).maxCoeff();
  if (needed > reach) goal = start + reach / needed * (goal - start);
}

mpc::MotionReference Task::reference() const {
  return mpc::reach_and_wave(start, goal, reach, amplitude, hz);
}

Case::Case(const Model& robot, std::uint64_t seed) : model(robot), task(robot), random(seed) {
  for (double& x : task.com) x += 0.04 * (uniform(random) - 0.5);
  trial.plant = rig::PlantKind::mujoco;
  trial.duration = task.duration;
  trial.q0 = task.start;
  trial.sensors.position.noise = 1e-5;
  trial.sensors.velocity.noise = 2e-3;
  trial.sensors.torque.noise = 4e-4 * efforts(robot).maxCoeff();
  trial.sensors.seed = trial.reality.seed = seed;
  trial.control.payload_body = rig::tip_frame(robot).body;
  trial.reset_after = 0.2;
  trial.count_from = {task.picks_up_at, task.picks_up_at + 1.0};
}

double Case::about(double time) { return time + uniform(random) - 0.5; }

double Case::disturb(double from, double seconds) {
  disturbed_from = from;
  trial.count_from.push_back(from + seconds + 0.5);
  return from + seconds;
}

mpc::TrialResult Case::run(const std::function<bool(double)>& progress) {
  const VectorXd effort = efforts(model);
  trial.changes.at(0.0, [&](Plant<double>& plant) {
    plant.damping += viscous * effort;
    plant.friction += dry * effort, plant.friction_negative += dry * effort;
  });
  const double I = task.mass * task.edge * task.edge / 6.0;
  const auto box = Inertia<double>::about_com(task.mass, task.com, I * Eigen::Matrix3d::Identity());
  if (payload)
    trial.changes.at(task.picks_up_at, [this, box](Plant<double>& plant) {
      add_payload(plant, rig::tip_frame(model), box);
    });
  return mpc::run_trial(model, task.reference(), trial, progress);
}

}  // namespace robustness
