#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ulna/constraints/loop_coordinates.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/dynamics/batch.hpp"
#include "ulna/identify/types.hpp"
#include "ulna/model/plant.hpp"

/// The unknowns of identification, and how torques depend on them.
namespace ulna::identify {

/// Terms of a joint's torque beside rigid bodies, each linear in one parameter of its own.
enum class Feature {
  viscous,           ///< v
  coulomb,           ///< the sign of v, which is also called its direction
  coulomb_positive,  ///< 1 where v > 0, 0 where v < 0: with the next, friction by direction
  coulomb_negative,  ///< -1 where v < 0, 0 where v > 0
  load,              ///< the sign of v times the magnitude of the torque
  offset,            ///< 1: of the sensor, of a spring
  armature,          ///< a: the rotor
};
std::string_view to_string(Feature feature);
std::optional<Feature> feature_from_string(std::string_view name);

/// What joints resist with: features, and Stribeck friction, which is not linear in its parameters.
struct Friction {
  std::vector<Feature> features;
  bool stribeck = false;
};
/// From a list such as "viscous,coulomb,offset,stribeck", or "none"; "asymmetric" is both halves of
/// Coulomb friction. Throws std::invalid_argument for any other name.
Friction friction_from_string(std::string_view list);

/// Whether a robot is described with rotors. Those of motors that are coupled or behind springs are numbers of its drives, not of its joints.
bool has_rotors(const Model& model);
/// These features, and rotor inertias if they are wanted or, where that is not said, if the robot has rotors: without them it would lose
/// these, and its links would have to stand for them.
std::vector<Feature> with_rotors(std::vector<Feature> features, const Model& model,
                                 std::optional<bool> wanted = {});

/// Throws std::invalid_argument if a feature stands twice, or coulomb beside one of its halves.
void require_compatible(const std::vector<Feature>& features);

/// How much of each signal the factor of a feature's parameter has; `load` is of direction |tau|.
struct FeatureTerms {
  double v = 0.0, direction = 0.0, a = 0.0, one = 0.0, load = 0.0;
};
const FeatureTerms& terms_of(Feature feature);

/// The factor of a feature's parameter in the torque of a joint that moves with v and a. The direction
/// is the sign of v, or what a filter made of it.
double feature_of(Feature feature, double v, double a, double tau, double direction);
inline double sign_of(double v) { return (v > 0.0) - (v < 0.0); }

/// A number of a robot's drives that is looked for (docs/drives.md#identification). Those of a motor are seen through its own gear,
/// that to the joint whose number it has.
struct DriveUnknown {
  enum class Kind {
    rotor,    ///< inertia of a motor
    viscous,  ///< and its friction
    coulomb,
    offset,
    stiffness,  ///< of a spring
    damping,
    hardening,
    deflection,  ///< that both encoders of a joint have between them
    ratio,       ///< of a motor's gear to a joint that is not its own
  };
  Kind kind;
  int at;               ///< motor, or coordinate of a spring
  int coordinate = -1;  ///< of a ratio
};

/// How far motors turn by their own gear: the diagonal of N.
Vector own_ratios(const DriveTrain& train);

/// tau = Y π + X φ, linear in the unknowns z = (π, φ): ten inertial parameters per moving body, then
/// the features' parameters, those of the first degree of freedom first.
///
/// Of a robot with loops, forces through them are not known. Then tau is what acts on the closed robot along its
/// independent coordinates, N' tau, and 0 for the others.
class TorqueModel {
 public:
  /// Throws as require_compatible does, and where loops cannot be closed.
  TorqueModel(const Model& model, std::vector<Feature> features,
              std::vector<DriveUnknown> drives = {});

  const Model& model() const { return model_; }
  const std::vector<Feature>& features() const { return features_; }
  /// To begin with; a copy can be set to where the robot is.
  const std::optional<LoopCoordinates>& loops() const { return loops_; }

  int unknowns() const { return drive_at(int(drives_.size())); }
  int inertial_size() const { return 10 * model_.joint_count(); }
  int feature_count() const { return int(features_.size()); }
  /// The position in z of a feature's parameter.
  int at(int dof, int feature) const { return inertial_size() + feature_count() * dof + feature; }

  /// Those of drives, behind all others; torques of links do not depend on them.
  const std::vector<DriveUnknown>& drives() const { return drives_; }
  int drive_at(int k) const { return inertial_size() + feature_count() * model_.nv() + k; }

  /// "link3.Ixy", "elbow.viscous", "elbow.stiffness", and their units.
  std::vector<std::string> names() const;
  std::vector<std::string> units() const;

  /// The parameters that the robot's description has.
  Vector nominal() const;

  /// X (features nv x N) of samples, as NormalEquations takes it; by directions, or the signs of V.
  Matrix features_of(const Matrix& V, const Matrix& A, const Matrix& Tau,
                     const Matrix& directions) const;
  Matrix features_of(const Matrix& V, const Matrix& A, const Matrix& Tau) const;
  /// rows (nv x unknowns) with rows z = tau at a state, for friction by load by these torques. Of the tree.
  void regressor(const Kinematics<double>& state, RegressorWorkspace<double>& ws,
                 const Eigen::Ref<const Vector>& tau, const Eigen::Ref<const Vector>& direction,
                 OutRows<double> rows) const;
  /// Torques of the tree as those of the closed robot, if there are loops.
  Matrix reduced(const Matrix& Q, Matrix Tau) const;
  /// Y π + X φ (nv x N).
  Matrix torques(const Vector& z, const Matrix& Q, const Matrix& V, const Matrix& A,
                 const Matrix& X) const;

  /// A plant takes inertias, friction and rotors; it has no offsets and no friction by load.
  void set(const Vector& z, Plant<double>& plant) const;
  /// The robot with these parameters: each body's inertia on the link that its joint carries, what is
  /// rigidly attached to it without mass of its own.
  Model identified(const Vector& z) const;

 private:
  Model model_;
  std::vector<Feature> features_;
  std::vector<DriveUnknown> drives_;
  std::optional<LoopCoordinates> loops_;
};

/// The robot's kinematics with the inertias, frictions and rotors of another description of the same
/// robot. Throws std::invalid_argument if that one is built differently.
Model with_parameters_of(const Model& robot, const Model& other);

}  // namespace ulna::identify
