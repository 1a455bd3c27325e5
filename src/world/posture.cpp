#include "ulna/world/posture.hpp"

#include <algorithm>

#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/dynamics/spring_force.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/edit.hpp"

namespace ulna {

namespace {

/// With rotors and friction of motors at the joints, the inertias being those in use.
Plant<double> rigid(const Plant<double>& plant) {
  if (plant.model().drives().plain()) return plant;
  Plant<double> made(with_plain_drives(plant.model()));
  for (int b = 0; b < plant.model().body_count(); ++b) made.set_body(b, plant.body(b));
  made.gravity = plant.gravity;
  return made;
}

}  // namespace

Posture::Posture(const World& world, int robot, const Eigen::VectorXd& target, Options options)
    : robot_(robot),
      options_(options),
      X_WR_(world.base(robot)),
      plant_(rigid(world.plant(robot))),
      at_(plant_.model()),
      ws_(plant_.model()),
      stand_(plant_.model()),
      target_(target),
      error_(Eigen::VectorXd::Zero(plant_.model().nv())),
      gain_(error_),
      inertia_(error_),
      M_(Eigen::MatrixXd::Zero(error_.size(), error_.size())),
      floats_(std::ranges::any_of(plant_.model().joints(), [](const Joint& j) {
        return j.parent == 0 && j.type == JointType::floating;
      })) {
  if (target.size() != plant_.model().nq())
    throw std::invalid_argument("a posture of " + std::to_string(target.size()) +
                                " numbers, robot '" + plant_.model().name() + "' has " +
                                std::to_string(plant_.model().nq()));
  // what holds it still must not depend on the sign of a velocity that is nearly zero
  plant_.remove_friction();
}

/// The inertia a joint has to move: its own links', or where feet stand, the whole robot's about its axis, shared by the feet.
void Posture::set_gains() {
  mass_matrix<double>(plant_, at_, ws_, M_);
  inertia_ = M_.diagonal();
  if (supports_.empty()) return;
  gain_.setZero();
  for (const auto& d : at_.directions())
    for (int b = 1; b < plant_.model().body_count(); ++b) {
      const auto& body = plant_.body(b);
      if (!(body.mass > 0.0)) continue;
      const Vec3<double> c = at_.p(b).vec() + at_.R(b).mat() * body.first.vec() / body.mass;
      gain_(d.dof) += body.mass * (d.v.vec() + cross(d.w.vec(), c)).squaredNorm();
    }
  inertia_ = inertia_.cwiseMax(gain_ / static_cast<double>(supports_.size()));
}

void Posture::see(const World& world, const Eigen::VectorXd& tau) {
  q_ = world.q(robot_), v_ = world.v(robot_);
  const Plant<double>& driven = world.plant(robot_);
  const DriveTrain& train = driven.model().drives();
  if (train.elastic.empty()) return;
  const Eigen::VectorXd theta = world.theta(robot_), omega = world.omega(robot_);
  for (const int c : train.elastic) {
    q_(train.position(c)) = theta(c) - detail::spring_deflection<double>(driven.drives, c, tau(c));
    v_(c) = omega(c);
  }
}

void Posture::torque(const World& world, Eigen::VectorXd& tau) {
  tau.resize(error_.size());
  at_.set(world.q(robot_));
  supports_.clear();
  for (const WorldContact& c : world.contacts()) {
    const bool is_first = c.first == robot_, is_second = c.second == robot_;
    if (is_first == is_second || c.force.dot(c.normal) <= 0.0) continue;
    supports_.push_back(
        {is_first ? c.first_body : c.second_body, X_WR_.inverse_apply(c.position),
         X_WR_.rotation().inverse_apply(Vec3<double>(is_first ? -c.normal : c.normal)),
         c.friction});
  }
  if (forces_.size() < supports_.size()) forces_.resize(2 * supports_.size());
  if (floats_ && !supports_.empty()) {
    stands_ = stand_(plant_, at_, ws_, supports_, tau, std::span(forces_).first(supports_.size()));
  } else {
    gravity_torque<double>(plant_, at_, ws_, tau);
    stands_ = !floats_;
  }
  if (!floats_) supports_.clear();
  set_gains();
  see(world, tau);
  difference<double>(plant_.model(), q_, target_, error_);
  const double w = options_.bandwidth;
  for (int i = 0; i < tau.size(); ++i) {
    const double damping = std::min(2.0 * w * inertia_(i), 0.5 * M_(i, i) / options_.period);
    tau(i) += w * w * inertia_(i) * error_(i) - damping * v_(i);
  }
  for (const Joint& j : plant_.model().joints())
    if (j.parent == 0 && j.type == JointType::floating) tau.segment<6>(j.v).setZero();
}

}  // namespace ulna
