#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/paths.hpp"
#include "support/random.hpp"
#include "ulna/io/import.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/model/edit.hpp"
#include "ulna/robot/robot.hpp"

/// The robots of tests/io/robots: SDF, MJCF and xacro as people write them, of robots that are also there as URDF.
namespace ulna::test {

/// The files in one format, by name.
inline std::vector<std::filesystem::path> robot_files(const std::string& format) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(project_path("tests/io/robots/" + format)))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The same robot as URDF: embedded, or one of the tests.
inline Model urdf_of(const std::string& name) {
  for (const EmbeddedRobot& robot : embedded_robots())
    if (robot.name == name) return import_robot(robot.text, std::string(robot.file_name)).model;
  return load_robot(project_path("tests/io/robots/urdf/" + name + ".urdf")).model;
}

/// The robot as SDF has it: without rotors and what balls resist with, and with friction that is the same both ways.
inline Model as_in_sdf(const Model& model) {
  Description d = model.description();
  for (JointDescription& j : d.joints) {
    j.dynamics.armature = 0.0, j.dynamics.friction_negative = j.dynamics.friction;
    if (j.type == JointType::ball) j.dynamics = {}, j.limits = {};
  }
  return Builder(std::move(d)).build();
}

/// The robot as MJCF has it: actuators push and pull alike, and so does friction; balls have no actuators.
inline Model as_in_mjcf(const Model& model) {
  Description d = model.description();
  for (JointDescription& j : d.joints) {
    j.dynamics.friction_negative = j.dynamics.friction;
    if (j.type == JointType::ball) j.limits = {};
  }
  return Builder(std::move(d)).build();
}

/// Where the coordinates of one robot are in another that has the same names.
inline Eigen::VectorXi places(const std::vector<std::string>& of,
                              const std::vector<std::string>& in) {
  Eigen::VectorXi places(of.size());
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto found = std::find(in.begin(), in.end(), of[i]);
    EXPECT_NE(found, in.end()) << of[i];
    places(static_cast<Eigen::Index>(i)) =
        found == in.end() ? 0 : static_cast<int>(found - in.begin());
  }
  return places;
}

inline void expect_near(const Eigen::VectorXd& a, const Eigen::VectorXd& b, const char* what,
                        double tolerance = 1e-12) {
  for (Eigen::Index i = 0; i < a.size(); ++i)
    EXPECT_TRUE(a(i) == b(i) || std::abs(a(i) - b(i)) <= tolerance * (1.0 + std::abs(a(i))))
        << what << " " << i << ": " << a(i) << " and " << b(i);
}

/// The same mass matrix, bias torques, limits, damping and friction, whatever the order of the joints.
inline void expect_same_robot(const Model& expected, const Model& found, bool velocity_limits) {
  ASSERT_EQ(expected.nv(), found.nv());
  ASSERT_EQ(expected.nq(), found.nq());
  const Eigen::VectorXi q_at = places(expected.configuration_names(), found.configuration_names()),
                        v_at = places(expected.velocity_names(), found.velocity_names());
  Robot first(expected), second(found);
  Random random(11);
  std::mt19937_64 engine(11);
  for (int i = 0; i < 3; ++i) {
    const Eigen::VectorXd q = random_configuration(expected, engine);
    const Eigen::VectorXd v =
        Eigen::VectorXd::NullaryExpr(expected.nv(), [&] { return random.real(-1.0, 1.0); });
    Eigen::VectorXd p(q.size()), u(v.size());
    p(q_at) = q, u(v_at) = v;
    const Eigen::MatrixXd M = first.mass_matrix(q), N = second.mass_matrix(p)(v_at, v_at);
    EXPECT_LT((M - N).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + M.cwiseAbs().maxCoeff()));
    const Eigen::VectorXd c = first.bias_torque(q, v), d = second.bias_torque(p, u)(v_at);
    EXPECT_LT((c - d).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + c.cwiseAbs().maxCoeff()));
  }
  expect_near(expected.lower_limit(), found.lower_limit()(q_at), "lower limit");
  expect_near(expected.upper_limit(), found.upper_limit()(q_at), "upper limit");
  expect_near(expected.effort_limit(), found.effort_limit()(v_at), "effort limit");
  if (velocity_limits)
    expect_near(expected.velocity_limit(), found.velocity_limit()(v_at), "velocity limit");
  expect_near(expected.damping(), found.damping()(v_at), "damping");
  expect_near(expected.friction(), found.friction()(v_at), "friction");
  expect_near(expected.friction_negative(), found.friction_negative()(v_at), "friction");
  expect_near(expected.armature(), found.armature()(v_at), "armature");
}

}  // namespace ulna::test
