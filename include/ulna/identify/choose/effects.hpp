#pragma once

#include <string>
#include <vector>

#include "ulna/identify/data/prepare.hpp"
#include "ulna/identify/estimate/torque_model.hpp"

namespace ulna::identify {

/// A number that was found, and its standard deviation.
struct Found {
  double value = 0.0, deviation = 0.0;
};

/// A motor that turns with the joint before its own, too, as motors of wrists often do: by q_motor + sign q_joint. Its
/// rotor and friction, seen at its joint, act on both.
struct Coupling {
  int motor = 0, joint = 0;  ///< degrees of freedom
  int sign = 1;
  Found rotor = {}, viscous = {}, coulomb = {};
};

/// What is between the motion that was logged and the torques of a robot of rigid joints, beside friction: effects of drives and of
/// measuring, which have no parameter in TorqueModel. Samples are rid of them before parameters are estimated.
struct Effects {
  Found torque_delay = {};  ///< s by which torques are measured later than motion
  std::vector<Found> compliance =
      {};  ///< rad/Nm per joint: positions are measured before a spring that has this torque; empty: rigid
  std::vector<Coupling> couplings = {};

  bool changes_samples() const { return !compliance.empty() || !couplings.empty(); }
  /// "torques 4.1 ± 0.3 ms late", ...
  std::vector<std::string> in_words(const Model& model) const;
};

/// Throws std::invalid_argument for effects that a robot with so many degrees of freedom cannot have.
void require_valid(const Effects& effects, int nv);

/// Links as they are behind the springs, torques without those of the coupled motors. The delay is a matter of preparation
/// (PrepareOptions::torque_delay).
void rid_of(const Effects& effects, Prepared& prepared);

/// Torques (nv x N) that coupled motors take beside the other features: three columns of factors each, of rotor, viscous and Coulomb friction.
struct CouplingColumns {
  Matrix rotor, viscous, coulomb;
};
CouplingColumns columns_of(const Coupling& coupling, const Piece& piece, double filter_hz,
                           int filter_order);

}  // namespace ulna::identify
