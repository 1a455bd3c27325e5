#pragma once

#include "ulna/identify/estimate/torque_model.hpp"

namespace ulna::identify {

/// The combinations of unknowns that torques depend on at all: the base parameters, each one
/// independent unknown with the multiples of dependent ones that always come with it [Gautier 1991;
/// Mayeda, Yoshida, Osuka 1990].
struct BaseParameters {
  std::vector<int> independent;  ///< as positions in z; their number is the rank
  std::vector<int> dependent;    ///< torques depend on them together with independent ones only
  std::vector<int> idle;         ///< no torque ever depends on them
  std::vector<int> known;        ///< not to be estimated
  Matrix shares;                 ///< independent x dependent
  int unknowns = 0;              ///< the size of z

  int size() const { return int(independent.size()); }
  /// β = z_independent + shares z_dependent, as a matrix: β = map z.
  Matrix map() const;
  Vector of(const Vector& z) const;
  /// "link1.Izz + link2.Ixx + 0.1 link3.m"
  std::string name(int i, const std::vector<std::string>& names) const;
  /// All unknowns but those that are known.
  std::vector<int> free() const;
};

/// Those of the robot and the model's features, by its kinematics: from the regressors of random
/// states, to which a column either adds a direction or does not. Unknowns of bodies near the base are
/// kept before those of bodies far from it, and features come last: a rotor that cannot be separated from
/// its link is a dependent one. Those that are known are left out.
BaseParameters find_base_parameters(const TorqueModel& model, const std::vector<int>& known = {});

/// Those of W π, the wrenches at some bodies' joints: the same for six-axis sensors.
BaseParameters find_base_parameters(const Model& model, const std::vector<int>& sensor_bodies);

/// How well data determine base parameters.
struct Excitation {
  int rank = 0;
  double condition = 0.0;  ///< of the regressor, columns scaled to the same length
  double log_det = 0.0;    ///< of the information in those columns
  Vector singular_values;  ///< scaled, descending
};
/// From the sum of squares of the regressor's rows, Y'Y.
Excitation excitation(const Matrix& squares);

}  // namespace ulna::identify
