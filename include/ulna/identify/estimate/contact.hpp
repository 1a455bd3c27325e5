#pragma once

#include "ulna/identify/estimate/estimate.hpp"

/// Stretches of logs in which more than the robot itself made its torques.
namespace ulna::identify {

/// A stretch in which torques are far from what explains all others: something touched the robot.
struct Contact {
  int log = 0;                    ///< as of Piece
  double begin = 0.0, end = 0.0;  ///< s, on the clock of that log
  int joint = 0;        ///< the degree of freedom that is farthest off for its usual torque
  double torque = 0.0;  ///< by how much at most, Nm or N
};

/// Stretches in which at least one joint is off by eight times its usual error, a tenth of its usual torque and twice its dry
/// friction for as long as the filter remembers, and still is when ordinary least squares fit them like all others: otherwise they
/// are motion that the others do not show. None unless together they are less than 30 % of the samples, and what is unexplained is
/// halved without them.
std::vector<Contact> find_contacts(const TorqueModel& model, const BaseParameters& base,
                                   const Prepared& samples);

/// All samples but those.
Prepared without(const Prepared& samples, const std::vector<Contact>& contacts);

}  // namespace ulna::identify
