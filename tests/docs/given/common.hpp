#pragma once

#include <ulna/codegen/differentiate.hpp>
#include <ulna/codegen/robot/robot_functions.hpp>
#include <ulna/derivatives/drive_derivatives.hpp>
#include <ulna/mpc/elastic_controller.hpp>
#include <ulna/ros2/dds_robot.hpp>
#include <ulna/ulna.hpp>

#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

/// A code block of the documents.
struct DocumentedBlock {
  const char* name;
  void (*run)();
};

/// What blocks take for granted: a Panda in motion, and functions of the reader's own.
namespace given {

using Eigen::MatrixXd, Eigen::VectorXd;

inline const ulna::Model model = ulna::load_robot("panda").model;
inline const int n = model.nv();
inline ulna::Plant<double> plant(model);
inline VectorXd q = (VectorXd(7) << 0, -0.785, 0, -2.356, 0, 1.571, 0.785).finished();
inline VectorXd v = VectorXd::Constant(n, 0.1), a = VectorXd::Zero(n), tau = VectorXd::Zero(n),
                tau_measured = tau;
inline MatrixXd M = MatrixXd::Zero(n, n), J = MatrixXd::Zero(6, n);
inline ulna::Kinematics<double> at(model);
inline double time = 0.0;

inline const auto reference = [](double, auto&& wanted_q, auto&& wanted_v) {
  wanted_q = q, wanted_v.setZero();
};
template <class... T>
void use(const T&...) {}
inline void drive(const VectorXd&) {}
inline void send(const VectorXd&) {}

}  // namespace given
