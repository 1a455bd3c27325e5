#include "drive_assembly.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "names.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {

DriveAssembly::DriveAssembly(DriveTrain& to, int nv) : to_(to), joints_(nv), motors_(nv, nullptr) {
  to_.separate.assign(nv, false);
  to_.positions.assign(nv, -1);
  for (Eigen::VectorXd* v : {&to_.inertia, &to_.damping, &to_.friction, &to_.friction_negative,
                             &to_.rotor, &to_.stiffness, &to_.hardening, &to_.spring_damping})
    v->setZero(nv);
}

void DriveAssembly::spring(int coordinate, const Spring& spring, Eigen::VectorXd& armature) {
  to_.elastic.push_back(coordinate);
  to_.stiffness(coordinate) = spring.stiffness;
  to_.hardening(coordinate) = spring.hardening;
  to_.spring_damping(coordinate) = spring.damping;
  std::swap(to_.rotor(coordinate), armature(coordinate));
}

void DriveAssembly::motor(const MotorDescription& motor, std::vector<DriveTrain::Entry> gears) {
  std::ranges::sort(gears, {}, &DriveTrain::Entry::coordinate);
  given_.push_back({&motor, std::move(gears)});
}

void DriveAssembly::refuse(const Description& d, Diagnostics& out, const Motor& motor,
                           std::string seen) const {
  out.add(rules::motor_coupling, d.source(motor.given->line), quoted("motor", motor.given->name),
          std::move(seen));
}

/// A motor has the number of a coordinate that it moves. Those with fewer gears choose first.
bool DriveAssembly::number_motors(const Description& d, Diagnostics& out) {
  std::vector<const Motor*> order;
  for (const Motor& m : given_) order.push_back(&m);
  std::ranges::stable_sort(order, {}, [](const Motor* m) { return m->gears.size(); });
  std::vector<bool> moved(motors_.size(), false);
  for (const Motor* m : order) {
    const auto free = std::ranges::find_if(
        m->gears, [&](const DriveTrain::Entry& e) { return !motors_[e.coordinate]; });
    if (free == m->gears.end())
      return refuse(d, out, *m,
                    "there are more motors than joints that they move, as " +
                        quoted("joint", joints_[m->gears.front().coordinate])),
             false;
    motors_[free->coordinate] = m;
    for (const DriveTrain::Entry& e : m->gears) moved[e.coordinate] = true;
  }
  for (std::size_t i = 0; i < motors_.size(); ++i)
    if (moved[i] && !motors_[i]) {
      const auto by = std::ranges::find_if(given_, [&](const Motor& m) {
        return std::ranges::count(m.gears, static_cast<int>(i), &DriveTrain::Entry::coordinate);
      });
      return refuse(d, out, *by,
                    "there are fewer motors than joints that they move, as " +
                        quoted("joint", joints_[i])),
             false;
    }
  return true;
}

/// N^-T. Coordinates that coupled motors move are solved for together: their own motors move no others.
bool DriveAssembly::find_shares(const Description& d, Diagnostics& out) {
  std::vector<int> place(motors_.size(), -1),
      block;  // of coordinates, and of motors with their numbers
  const Motor* coupling = nullptr;
  for (const Motor& m : given_) {
    if (m.gears.size() == 1) continue;
    if (!coupling) coupling = &m;
    for (const DriveTrain::Entry& e : m.gears) {
      if (place[e.coordinate] >= 0) continue;
      place[e.coordinate] = static_cast<int>(block.size());
      block.push_back(e.coordinate);
    }
  }
  constexpr std::size_t most = 200;
  if (block.size() > most)
    return refuse(d, out, *coupling,
                  "motors couple " + std::to_string(block.size()) + " joints, more than " +
                      std::to_string(most)),
           false;
  const auto n = static_cast<Eigen::Index>(block.size());
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(n, n);
  for (const DriveTrain::Entry& e : to_.gears) {
    if (place[e.motor] < 0)
      to_.shares.push_back({e.motor, e.coordinate, 1.0 / e.ratio});
    else
      N(place[e.motor], place[e.coordinate]) = e.ratio;
  }
  if (n == 0) return true;
  // ratios of 1 and of 100 are both usual: each motor is measured by its own
  const Eigen::VectorXd largest = N.cwiseAbs().rowwise().maxCoeff();
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(largest.cwiseInverse().asDiagonal() * N);
  if (lu.matrixLU().diagonal().cwiseAbs().minCoeff() <= 1e-9 * lu.maxPivot())
    return refuse(d, out, *coupling, "its ratios are a combination of those of other motors"),
           false;
  const Eigen::MatrixXd share = lu.inverse().transpose();
  for (Eigen::Index m = 0; m < n; ++m)
    for (Eigen::Index c = 0; c < n; ++c)
      if (std::abs(share(m, c)) > 1e-12 * share.row(m).cwiseAbs().maxCoeff())
        to_.shares.push_back({block[m], block[c], share(m, c) / largest(m)});
  return true;
}

void DriveAssembly::finish(const Description& d, Diagnostics& out, Eigen::VectorXd& damping,
                           Eigen::VectorXd& friction, Eigen::VectorXd& friction_negative,
                           Eigen::VectorXd& armature) {
  if (!number_motors(d, out)) return;
  const int n = static_cast<int>(motors_.size());
  std::vector<bool> coupled(motors_.size(), false);
  for (int m = 0; m < n; ++m) {
    const Motor* motor = motors_[m];
    to_.motor_names.emplace_back(motor ? motor->given->name : joints_[m]);
    std::vector<DriveTrain::Entry> gears =
        motor ? motor->gears : std::vector{DriveTrain::Entry{m, m, 1.0}};
    for (DriveTrain::Entry& e : gears) e.motor = m, to_.gears.push_back(e);
    const bool separate = gears.size() > 1 || is_elastic(gears.front().coordinate);
    to_.separate[m] = separate;
    if (separate) {
      to_.diagonal = to_.diagonal && gears.size() == 1;
      to_.separate_gears.insert(to_.separate_gears.end(), gears.begin(), gears.end());
      for (const DriveTrain::Entry& e : gears)
        if (!is_elastic(e.coordinate)) coupled[e.coordinate] = true;
    }
    if (!motor) continue;
    const MotorDescription& given = *motor->given;
    const bool alone = separate && gears.size() == 1;
    if (given.mount && alone) mounts_.emplace_back(m, *given.mount);
    if (given.mount && !alone)
      out.add(rules::rotor_rigid, d.source(given.line), quoted("motor", given.name),
              quoted("its rotor is carried by link", given.mount->link),
              "only the rotor's own turning counts");
    if (separate) {
      to_.inertia(m) = given.inertia, to_.damping(m) = given.damping;
      to_.friction(m) = given.friction, to_.friction_negative(m) = given.friction_negative;
      continue;
    }
    const auto [_, c, ratio] = gears.front();
    const JointDynamics seen = given.at_joint(ratio);
    armature(c) += seen.armature, damping(c) += seen.damping;
    friction(c) += seen.friction, friction_negative(c) += seen.friction_negative;
  }
  for (int c = 0; c < n; ++c)
    if (coupled[c]) to_.coupled.push_back(c);
  if (!find_shares(d, out)) return;
  for (const int c : to_.elastic) {
    double inertia = to_.rotor(c);
    for (const DriveTrain::Entry& e : to_.gears)
      if (e.coordinate == c) inertia += to_.inertia(e.motor) * e.ratio * e.ratio;
    const auto at = std::ranges::find(d.joints, joints_[c], &JointDescription::name);
    if (inertia == 0.0)
      out.add(rules::spring_rotor, d.source(at->line), quoted("joint", joints_[c]),
              "has a spring, but no rotor behind it");
  }
}

}  // namespace ulna::detail
