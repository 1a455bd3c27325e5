#include "ulna/constraints/contact_inverse_dynamics.hpp"

#include <gtest/gtest.h>

#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/configuration.hpp"

namespace ulna {
namespace {

using V3 = Vec3<double>;

/// The quadruped on its four feet, as its file says it stands.
struct StandingQuadruped {
  Model model = load_robot("quadruped").model;
  Plant<double> plant{model};
  Kinematics<double> at{model};
  Workspace<double> ws{model};
  Eigen::VectorXd q = neutral(model), tau = Eigen::VectorXd::Zero(model.nv());
  std::vector<Support> feet;
  std::vector<V3> forces = std::vector<V3>(4);

  StandingQuadruped() {
    q(6) = 0.438;
    for (const char* leg : {"FL", "FR", "RL", "RR"}) {
      const std::string name(leg);
      q(model.joint(model.joint_index(name + "_thigh_joint")).q) = 0.8;
      q(model.joint(model.joint_index(name + "_knee_joint")).q) = -1.6;
    }
    at.set(q);
    for (const char* leg : {"FL_foot", "FR_foot", "RL_foot", "RR_foot"}) {
      const Frame& foot = model.frame(leg);
      const V3 p = at.pose(foot).translation();
      feet.push_back({foot.body, V3(p.x(), p.y(), 0.0)});
    }
  }
  /// M a + c - tau - Σ J'F, which has to vanish.
  Eigen::VectorXd lacking() {
    Eigen::VectorXd needed(model.nv());
    inverse_dynamics<double>(plant, at, ws, needed);
    needed -= tau;
    for (std::size_t i = 0; i < feet.size(); ++i) {
      const Frame body{"", feet[i].body, {}};
      const V3 arm = feet[i].point - at.pose(body).translation();
      add_wrench_torque<double>(
          at, {&body, {cross(arm, V3(-forces[i])), -forces[i]}, Axes::aligned}, needed);
    }
    return needed;
  }
  /// Σ (tau/limit)²
  double effort(const Eigen::VectorXd& torques) const {
    return torques.tail(12).cwiseQuotient(model.effort_limit().tail(12)).squaredNorm();
  }
  double weight() { return total_mass<double>(plant) * 9.81; }
};

TEST(ContactInverseDynamics, a_quadruped_at_rest_is_carried_by_its_feet) {
  StandingQuadruped robot;
  ContactInverseDynamics stand(robot.model);
  ASSERT_TRUE(stand(robot.plant, robot.at, robot.ws, robot.feet, robot.tau, robot.forces))
      << stand.residual();
  EXPECT_LT(robot.lacking().cwiseAbs().maxCoeff(), 1e-6 * robot.weight());
  EXPECT_EQ(robot.tau.head(6).cwiseAbs().maxCoeff(), 0.0);
  V3 sum = V3::Zero();
  for (const V3& f : robot.forces) {
    EXPECT_LE(f.head(2).norm(), 0.8 * f.z() * (1 + 1e-9));
    sum += f;
  }
  EXPECT_NEAR(sum.z(), robot.weight(), 1e-6 * robot.weight());
  // left and right are mirror images
  EXPECT_NEAR(robot.forces[0].z(), robot.forces[1].z(), 1e-5 * robot.weight());
  EXPECT_NEAR(robot.forces[2].y(), -robot.forces[3].y(), 1e-5 * robot.weight());
}

TEST(ContactInverseDynamics, no_forces_within_the_cones_need_less_effort) {
  StandingQuadruped robot;
  Eigen::VectorXd a = Eigen::VectorXd::Zero(robot.model.nv());
  a(3) = 1.0, a(5) = 0.5, a(1) = 0.3;
  robot.at.set(robot.q, Eigen::VectorXd::Zero(robot.model.nv()), a);
  ContactInverseDynamics stand(robot.model);
  ASSERT_TRUE(stand(robot.plant, robot.at, robot.ws, robot.feet, robot.tau, robot.forces));
  const double least = robot.effort(robot.tau);
  // pulling feet apart along lines between them changes torques but not the balance of the base
  const std::vector<V3> best = robot.forces;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      for (const double pull : {-1.0, 1.0}) {
        const V3 line = (robot.feet[i].point - robot.feet[j].point).normalized();
        robot.forces = best;
        robot.forces[i] += pull * line, robot.forces[j] -= pull * line;
        robot.tau.setZero();
        const Eigen::VectorXd tau = robot.lacking();
        EXPECT_LT(tau.head(6).cwiseAbs().maxCoeff(), 1e-5 * robot.weight());
        bool within = true;
        for (const V3& f : robot.forces) within &= f.head(2).norm() <= 0.8 * f.z();
        if (within) {
          EXPECT_GT(robot.effort(tau), least);
        }
      }
}

TEST(ContactInverseDynamics, without_friction_feet_push_along_their_normals_only) {
  StandingQuadruped robot;
  for (Support& foot : robot.feet) foot.friction = 0.0;
  ContactInverseDynamics stand(robot.model);
  ASSERT_TRUE(stand(robot.plant, robot.at, robot.ws, robot.feet, robot.tau, robot.forces));
  for (const V3& f : robot.forces) EXPECT_EQ(f.head(2).norm(), 0.0);
}

TEST(ContactInverseDynamics, what_feet_cannot_do_is_refused) {
  StandingQuadruped robot;
  Eigen::VectorXd a = Eigen::VectorXd::Zero(robot.model.nv());
  a(5) = -30.0;  // down faster than it would fall
  robot.at.set(robot.q, Eigen::VectorXd::Zero(robot.model.nv()), a);
  ContactInverseDynamics stand(robot.model);
  EXPECT_FALSE(stand(robot.plant, robot.at, robot.ws, robot.feet, robot.tau, robot.forces));
  EXPECT_GT(stand.residual(), 0.1 * robot.weight());
}

}  // namespace
}  // namespace ulna
