#pragma once

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/kinematics.hpp"

/// The dynamics of a robot with its drives (docs/drives.md): motors that are coupled, and springs between motors and
/// links [Spong 1987; De Luca, Tomei 1996]. With theta the joints' positions on the motors' side, e = theta - q of
/// elastic joints and e = 0 of rigid ones,
///
///     M(q) a + c(q, v) + g(q) + friction(v) = s        s = K e + H e³ + D de/dt of elastic joints
///     N'(J phi'' + friction(phi')) + s = N' tau         phi = N theta, tau the torques of the motors
namespace ulna {

/// Motors' positions and speeds as they are seen at the joints: theta and its derivative, nv each. Where a
/// joint is rigid, its numbers are not read: they are those of q and v.
template <Scalar T>
struct DriveState {
  VecX<T> theta, omega;

  explicit DriveState(const Model& model)
      : theta(VecX<T>::Zero(model.nv())), omega(VecX<T>::Zero(model.nv())) {}
};

/// A motion of the links with as many derivatives as the torques of motors behind springs need: v is the
/// velocity, a, jerk and snap its derivatives.
template <Scalar T>
class DriveMotion {
 public:
  explicit DriveMotion(Model model);

  void set(In<T> q, In<T> v, In<T> a, In<T> jerk, In<T> snap);
  /// The deflection e of joints whose springs are damped (nv; others are not read): it follows from the past of
  /// a motion, D de/dt = s - K e - H e³. Without it, it is what it is when the motion is slow beside D/K, to
  /// second order. Counts until set is called again.
  void set_deflection(In<T> e);

  const Motion<T>& motion() const { return motion_; }
  const VecX<T>& jerk() const { return jerk_; }
  const VecX<T>& snap() const { return snap_; }
  const VecX<T>* deflection() const { return deflected_ ? &deflection_ : nullptr; }

  // --- for algorithms: as those of Motion ---
  detail::Skeleton<T>& skeleton() { return motion_.skeleton(); }
  const T* tree_jerk() const { return tree_jerk_.size() ? tree_jerk_.data() : jerk_.data(); }
  const T* tree_snap() const { return tree_snap_.size() ? tree_snap_.data() : snap_.data(); }

 private:
  Motion<T> motion_;
  VecX<T> jerk_, snap_, tree_jerk_, tree_snap_, deflection_;
  bool deflected_ = false;
};

/// Torques of a motion, and what the motors do.
template <Scalar T>
struct DriveTorques {
  VecX<T> motor;  ///< tau of the motors, nv, in the order of DriveTrain::motor_names
  VecX<T> link, link_rate,
      link_rate2;  ///< s, with its derivatives: of rigid joints, what the link needs
  VecX<T> theta, omega,
      alpha;  ///< theta and its derivatives; of joints of several coordinates: 0, v, a

  explicit DriveTorques(const Model& model);
};

/// Scratch, made once per thread.
template <Scalar T>
class DriveWorkspace {
 public:
  explicit DriveWorkspace(const Model& model);

  /// A body in the recursion: as Workspace::Link, with derivatives of all, in the body's own axes.
  struct Link {
    lanes::Turn<T> R;
    lanes::V3<T> p;
    lanes::V3<T> w[4];  ///< angular velocity and its derivatives
    lanes::V3<T> a[3];  ///< acceleration of the origin and its derivatives
    lanes::M3<T> U[3];  ///< [w1] + [w0][w0] and its derivatives
    lanes::V3<T> f[3], n[3];
    lanes::V3<T> dp[2];  ///< derivatives of p
  };

  Workspace<T> links;
  std::vector<Link> bodies;
  VecX<T> tree_tau[3];
  VecX<T> tau, load;   ///< of coordinates, or of motors
  VecX<T> motor_rate;  ///< dphi/dt
  MatX<T>
      B;  ///< inertia of rotors: of elastic coordinates, then of coupled ones; where it is no diagonal
  MatX<T> x;  ///< B_ee^-1 of the elastic coordinates' load, and of B_er
  MatX<T> M;  ///< where rigid joints are coupled
};

/// Torques of the springs of elastic joints; the other numbers of s are left as they are. Writes s (nv).
template <Scalar T>
void spring_torque(const Plant<T>& plant, const Kinematics<T>& at, const DriveState<T>& drives,
                   Out<T> s);

/// Motors' torques of a motion of the links: Newton-Euler with first and second derivatives in time, O(n)
/// [Buondonno, De Luca 2015; Müller 2021]. Throws std::invalid_argument for robots whose rotors are carried by
/// links (DriveTrain::mounts): their torques depend on derivatives of higher order.
template <Scalar T>
void drive_inverse_dynamics(const Plant<T>& plant, const DriveMotion<T>& motion,
                            DriveWorkspace<T>& ws, DriveTorques<T>& out);

/// Accelerations of the links, a, and of the motors as they are seen at the joints, alpha (nv each; of rigid joints, a),
/// under the motors' torques. By articulated bodies, O(n); by the mass matrix where rigid joints are coupled or joints mimic
/// others. False, and results untouched, where there is no solution.
template <Scalar T>
[[nodiscard]] bool drive_forward_dynamics(const Plant<T>& plant, const Kinematics<T>& at,
                                          const DriveState<T>& drives, In<T> motor_tau,
                                          DriveWorkspace<T>& ws, Out<T> a, Out<T> alpha,
                                          ExternalWrenches<T> wrenches = {});

/// Energy that springs and the rotors of separate motors hold.
template <Scalar T>
T spring_energy(const Plant<T>& plant, const Kinematics<T>& at, const DriveState<T>& drives);
template <Scalar T>
T rotor_energy(const Plant<T>& plant, const Kinematics<T>& at, const DriveState<T>& drives);

}  // namespace ulna
