#include <iostream>
#include <ulna/ulna.hpp>

int main() {
  const ulna::Model model = ulna::load_robot("panda").model;
  const Eigen::VectorXd tau = ulna::gravity_torque(model, ulna::neutral(model));

  std::cout << "torque that holds the arm: " << tau.transpose() << " Nm\n";
  return tau.allFinite() && tau.norm() > 1.0 ? 0 : 1;
}
