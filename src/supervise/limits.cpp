#include "ulna/supervise/limits.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "num/message.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna::supervise {
namespace {

using Vector = Eigen::VectorXd;

void require_single_coordinates(const Model& model) {
  messages::require(model.nv() > 0, "robot '", model.name(), "' has no joints that move");
  for (int b = 1; b < model.body_count(); ++b)
    messages::require(velocity_size(model.joint(b).type) == 1, "robot '", model.name(),
                      "': joint '", model.joint_name(b), "' is ", to_string(model.joint(b).type),
                      "; supervision is for joints of one coordinate: supervise the robot without "
                      "it (sub_chain, lock_joints)");
}

/// A joint that mimics another has limits of its own, which bound the other too.
void follow_mimics(const Model& model, Limits& limits) {
  for (const JointDescription& description : model.description().joints) {
    const auto body = model.find_joint(description.name);
    if (!body || *body == 0) continue;
    const Joint& j = model.joint(*body);
    if (!j.mimics || j.multiplier == 0.0) continue;
    const double a = (description.limits.lower - j.offset) / j.multiplier;
    const double b = (description.limits.upper - j.offset) / j.multiplier;
    limits.lower(j.v) = std::max(limits.lower(j.v), std::min(a, b));
    limits.upper(j.v) = std::min(limits.upper(j.v), std::max(a, b));
    limits.speed(j.v) =
        std::min(limits.speed(j.v), description.limits.velocity / std::abs(j.multiplier));
  }
}

/// The largest gravity torques, inertias and inverse inertias that were found, number by number.
struct Loads {
  Vector weight;
  Eigen::MatrixXd inertia, mobility;

  explicit Loads(const Model& model)
      : weight(Vector::Zero(model.nv())),
        inertia(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
        mobility(inertia) {
    const Plant<double> plant(model);
    Kinematics<double> at(model);
    Workspace<double> ws(model);
    Eigen::MatrixXd M(model.nv(), model.nv());
    Vector g(model.nv());
    std::mt19937_64 random(1);
    Vector q = neutral(model);
    for (int n = 0; n <= 64; ++n, q = random_configuration(model, random)) {
      at.set(q);
      mass_matrix<double>(plant, at, ws, M);
      gravity_torque<double>(plant, at, ws, g);
      messages::require(ws.factor.factor(M), "robot '", model.name(),
                        "' has a joint that moves nothing with inertia; give its link a mass, or "
                        "the joint a rotor (armature)");
      weight = weight.cwiseMax(g.cwiseAbs());
      inertia = inertia.cwiseMax(M.cwiseAbs());
      ws.factor.inverse(M);
      mobility = mobility.cwiseMax(M.cwiseAbs());
    }
  }
};

}  // namespace

Limits::Limits(const Model& model, const LimitDefaults& defaults) {
  require_single_coordinates(model);
  lower = model.lower_limit(), upper = model.upper_limit();
  speed = model.velocity_limit(), torque = model.effort_limit();
  follow_mimics(model, *this);
  const Loads loads(model);
  weight = loads.weight;
  acceleration = braking = torque_rate = Vector::Zero(model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    const bool slides = model.joint_of_coordinate(i).type == JointType::prismatic;
    if (!(std::isfinite(speed(i)) && speed(i) > 0.0))
      speed(i) = slides ? defaults.sliding : defaults.turning;
    acceleration(i) = speed(i) / defaults.speed_up;
    if (!(std::isfinite(torque(i)) && torque(i) > 0.0))
      torque(i) = 2.0 * weight(i) + loads.inertia(i, i) * acceleration(i);
    torque_rate(i) = torque(i) / defaults.torque_rise;
  }
  // what the drives can do beside holding the robot
  const Vector left = defaults.torque_share * torque - weight;
  for (int i = 0; i < model.nv(); ++i) {
    double most = infinity;
    for (int k = 0; k < model.nv(); ++k)
      if (k != i) most = std::min(most, defaults.coupling_share * left(k) / loads.inertia(k, i));
    const double gentle = speed(i) / defaults.slow_down, own = loads.inertia(i, i);
    braking(i) = std::max(std::min({gentle, most, left(i) / own}), defaults.braking_share * gentle);
    const double light =
        std::min(defaults.light_share * torque(i) / own, speed(i) / defaults.light_speed_up);
    acceleration(i) = std::max(braking(i), std::min(most, std::max(acceleration(i), light)));
  }
  if (defaults.trusted_planner)
    acceleration = acceleration.cwiseMax(loads.mobility * (torque + weight));
}

}  // namespace ulna::supervise
