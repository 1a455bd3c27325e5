#pragma once

#include <functional>

#include "drive/contact_data.hpp"
#include "ulna/drive/first_contact.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"

namespace ulna::drive {

/// How far data are from what the model predicts, if the robot is wired in some way; in units of what is tolerated.
class ContactMisfit {
 public:
  using Vector = Eigen::VectorXd;

  ContactMisfit(const Model& model, const ContactData& data);

  /// Root mean square over all that is compared.
  double operator()(const rig::Wiring& wiring);

  /// What the last call compared, by the model's joints.
  Vector q, gravity, holding;
  Vector friction, damping;  ///< that fit best
  Vector sensor_gain;        ///< measured torque of a push, as a share of it
  Vector sensor_deficit;     ///< what sensors do not see of a push whatever its size,
  Vector deficit_noise;      ///< and its standard deviation
  Vector
      response;  ///< torque that accelerates in a joint's last push, over what the model needs for that

 private:
  void predict_holding(const rig::Wiring& wiring, double& sum, double& count);
  void predict_pushes(const rig::Wiring& wiring, double& sum, double& count);
  void fit_friction(Eigen::Index joint);
  void predict_sensors(const rig::Wiring& wiring, double& sum, double& count);

  const ContactData& data_;
  Plant<double> plant_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  double gravity_scale_;
  Vector most_damping_;
  Eigen::MatrixXd mass_;
  /// A column per push, by joints: accelerations, velocities, and the torques that are missing: push less inertia.
  Eigen::MatrixXd acceleration_, velocity_, missing_;
};

/// A mistake that a robot may have, as the change of the wiring that undoes it.
struct ContactMistake {
  std::string name;
  std::vector<int> joints;
  std::string text;
  rig::Wiring wiring;  ///< with the mistake undone
  double misfit = 0.0;
};

/// Adds one mistake after the other to those undone in `wiring`, the one that explains most each time, until the data fit.
std::vector<ContactMistake> find_mistakes(const Model& model, ContactMisfit& misfit,
                                          rig::Wiring& wiring);

}  // namespace ulna::drive
