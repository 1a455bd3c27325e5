#include <iostream>
#include <random>
#include <ulna/ulna.hpp>

// Compiled for the processor at hand, beside a library that was not: both must find everything at the same
// place, whichever of them made it.
using namespace ulna;

int main() {
  const Model model = load_robot("panda").model;
  const Plant<double> plant(model);
  Kinematics<double> at(model);
  Workspace<double> ws(model);
  RegressorWorkspace<double> regressor_ws(model);
  DerivativeWorkspace<double> derivative_ws(model);
  InverseDynamicsDerivatives<double> derivatives(model);
  const int n = model.nv();
  Eigen::VectorXd parameters(plant.inertial_size()), tau(n), a(n);
  plant.get_inertial(parameters);
  RowMatX<double> Y(n, parameters.size()), W(6, parameters.size());
  Eigen::MatrixXd M(n, n);
  std::vector<Wrench<double>> wrenches(model.body_count());
  std::mt19937_64 random(1);
  double worst = 0.0;
  const auto compare = [&](const auto& x, const auto& y) {
    worst = std::max(worst, (x - y).norm() / y.norm());
  };
  for (int k = 0; k < 5; ++k) {
    const Eigen::VectorXd q = random_configuration(model, random), v = Eigen::VectorXd::Random(n),
                          given = Eigen::VectorXd::Random(n);
    at.set(q, v, given);
    inverse_dynamics<double>(plant, at, ws, tau, wrenches);
    torque_regressor<double>(at, regressor_ws, Y);
    compare(Y * parameters, tau);
    wrench_regressor<double>(at, n, regressor_ws, W);
    compare(W * parameters, wrenches[n].vector());
    inverse_dynamics_derivatives(plant, at, derivative_ws, derivatives);
    compare(derivatives.tau, tau);
    mass_matrix(plant, at, ws, M);
    compare(derivatives.da, M);
    if (!forward_dynamics(plant, at, tau, ws, a)) return 1;
    compare(a, given);
  }
  std::cout << "largest difference: " << worst << "\n";
  return worst < 1e-9 ? 0 : 1;
}
