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

  /// What the last call compared.
  Vector q, gravity, holding;  ///< by the model's joints
  Eigen::MatrixXd response;    ///< accelerations per torque
  Eigen::MatrixXd mass;        ///< matrix of the model there

 private:
  const ContactData& data_;
  Plant<double> plant_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  double gravity_scale_;
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
