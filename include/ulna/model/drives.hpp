#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/num/scalar.hpp"
#include "ulna/spatial/vector.hpp"

/// What lies between motors and links (docs/drives.md).
namespace ulna {

/// The drives of a robot as algorithms see them. There are as many motors as velocities. Motors turn by
///
///     phi = N theta
///
/// theta being the joints' positions on the motors' side: of a joint with a spring, a coordinate of its own;
/// of a rigid one, q. At a constant ratio phi and theta are counted from where q = 0.
///
/// The inertia and friction of a motor that drives one rigid joint is that joint's armature, damping and friction
/// (Model::armature), as before. Motors that are coupled, or behind a spring, are *separate*: no algorithm
/// but those of dynamics/drive_dynamics.hpp includes them.
struct DriveTrain {
  /// Motor `motor` turns `ratio` times as far as coordinate `coordinate` moves: an entry of N.
  struct Entry {
    int motor, coordinate;
    double ratio;
  };
  /// The rotor of a separate motor, and the body that carries it.
  struct Mount {
    int motor, body;
    Vec3<double> axis;  ///< in the body's canonical frame
  };

  std::vector<std::string> motor_names;  ///< nv
  std::vector<Entry> gears;              ///< N
  std::vector<Entry> shares;             ///< N^-T: torque of a motor per torque of a coordinate
  std::vector<bool> separate;            ///< per motor
  std::vector<Entry> separate_gears;     ///< of N, those of separate motors
  std::vector<int> elastic;              ///< coordinates with a spring
  std::vector<int> coupled;              ///< rigid coordinates that separate motors move
  /// Whether no separate motor moves two coordinates: the rotors' inertia is diagonal then.
  bool diagonal = true;
  std::vector<Mount> mounts;

  // --- numbers of the model; those in use are Plant::drives ---

  Eigen::VectorXd inertia, damping, friction,
      friction_negative;  ///< of the motors; 0 unless separate
  Eigen::VectorXd
      rotor;  ///< armature of elastic joints, which is on the motor's side; 0 for the others
  Eigen::VectorXd stiffness, hardening, spring_damping;  ///< per coordinate; 0 where rigid

  std::vector<int> positions;  ///< of coordinates in q; -1 for those of joints of several

  /// Where a coordinate stands in q, or -1.
  int position(int coordinate) const { return positions[static_cast<std::size_t>(coordinate)]; }
  /// The gear of a motor that has one.
  const Entry& gear_of(int motor) const {
    std::size_t i = 0;
    while (gears[i].motor != motor) ++i;
    return gears[i];
  }
  /// Whether algorithms that do not know drives have all of the robot.
  bool plain() const { return elastic.empty() && coupled.empty(); }
};

/// The numbers of a robot's drives, which identification may replace: as in DriveTrain. Empty if they are plain.
template <Scalar T>
struct DriveParameters {
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  DriveParameters() = default;
  explicit DriveParameters(const DriveTrain& train) {
    if (train.plain()) return;
    inertia = train.inertia.template cast<T>(), damping = train.damping.template cast<T>();
    friction = train.friction.template cast<T>();
    friction_negative = train.friction_negative.template cast<T>();
    rotor = train.rotor.template cast<T>(), stiffness = train.stiffness.template cast<T>();
    hardening = train.hardening.template cast<T>();
    spring_damping = train.spring_damping.template cast<T>();
  }

  Vector inertia, damping, friction, friction_negative;  ///< per motor, at its shaft
  Vector rotor, stiffness, hardening, spring_damping;    ///< per coordinate
};

}  // namespace ulna
