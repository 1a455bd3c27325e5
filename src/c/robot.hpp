#pragma once

#include <memory>
#include <string>
#include <vector>

#include "c/call.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/dynamics/workspace.hpp"
#include "ulna/model/configuration.hpp"

struct ulna_robot : ulna::c::Object {
  static constexpr auto is = ulna::c::Kind::robot;

  explicit ulna_robot(const ulna::Plant<double>& with)
      : Object(is),
        plant(with),
        motion(with.model()),
        at(with.model()),
        ws(with.model()),
        joint_names(with.model().velocity_names()),
        neutral(ulna::neutral(with.model())),
        q(neutral),
        q_out(neutral),
        v(Eigen::VectorXd::Zero(with.model().nv())),
        a(v),
        out(v),
        M(v.size(), v.size()),
        J(6, v.size()),
        pi(plant.inertial_size()) {
    for (const ulna::Frame& frame : with.model().frames()) frame_names.emplace_back(frame.name);
  }
  const ulna::Model& robot_model() const { return plant.model(); }

  ulna::Plant<double> plant;
  ulna::Motion<double> motion;
  ulna::Kinematics<double> at;
  ulna::Workspace<double> ws;
  std::vector<std::string> joint_names, frame_names;
  Eigen::VectorXd neutral;
  /// Arguments and results: those of callers may overlap, and need not be aligned as Eigen likes it.
  Eigen::VectorXd q, q_out, v, a, out;
  Eigen::MatrixXd M, J;
  Eigen::VectorXd pi;
};

namespace ulna::c {

/// A 4 x 4 matrix by rows, and back. Throws std::invalid_argument for a matrix that is no pose.
void write_pose(const Transform<double>& X, double* to);
Transform<double> read_pose(const double* from);

}  // namespace ulna::c
