#pragma once

#include <memory>
#include <vector>

#include "simulate/spring_forces.hpp"
#include "ulna/constraints/loops.hpp"
#include "ulna/constraints/proximal_factor.hpp"
#include "ulna/dynamics/energy.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/dynamics/motor_limits.hpp"
#include "ulna/world/world.hpp"
#include "world/unit_coordinates.hpp"

namespace ulna::detail {

/// A row of a contact: a force, or a moment, along a direction at a point, both in the world.
struct ContactRow {
  Vec3<double> along;
  bool turns;
};

/// A body that no joint holds: velocities are (angular, that of the centre of mass) in world axes. Its angular
/// momentum is a variable of its own, so that nothing is lost of it when the body turns. In the cone problem velocities are in unit
/// coordinates, in which its energy is ½|u|².
class Loose {
 public:
  Loose(const Inertia<double>& inertia, const Transform<double>& X_WB);

  void set_state(const double* q, const double* v);
  void get_state(double* q, double* v) const;
  Transform<double> pose() const;
  const Vec3<double>& spin() const { return w_; }
  const Vec3<double>& center() const { return p_; }
  const Vec3<double>& center_velocity() const { return v_; }
  Vec3<double> velocity_at(const Vec3<double>& point) const {
    return v_ + cross(w_, Vec3<double>(point - p_));
  }
  const Vec3<double>& spin_momentum() const { return L_; }
  double mass() const { return mass_; }
  Inertia<double> inertia() const { return Inertia<double>::about_com(mass_, com_, I_); }
  double kinetic_energy() const { return 0.5 * (mass_ * v_.squaredNorm() + w_.dot(L_)); }

  void clear_wrench() { force_.setZero(), moment_.setZero(); }
  void add_wrench(const Vec3<double>& force, const Vec3<double>& moment, const Vec3<double>& at) {
    force_ += force, moment_ += moment, point_ = at, moment_ += cross(Vec3<double>(at - p_), force);
  }

  /// Of now, and without impulses, in unit coordinates.
  void get_velocity(double* u) const;
  void free_velocity(double h, const Vec3<double>& gravity, double* u) const;
  void velocity_from_unit(const double* u, double* v) const;
  void add_row(const ContactRow& row, const Vec3<double>& point, double sign, double* J) const;
  /// `after` not in unit coordinates.
  double wrench_work(double h, const double* after) const;

  // for adaptive steps, in world axes

  const Quaternion<double>& orientation() const { return orientation_; }
  void set_motion(const Quaternion<double>& orientation, const Vec3<double>& center,
                  const Vec3<double>& spin, const Vec3<double>& velocity);
  void free_acceleration(const Vec3<double>& gravity, double* u) const;
  /// Goes on with the velocities that it has, which stay.
  void coast(double time) { shift(time * w_, time * v_); }
  void shift(const Vec3<double>& turn, const Vec3<double>& way);
  double wrench_power() const { return moment_.dot(w_) + force_.dot(v_); }
  /// To the end of the step, with the velocity there; `shift` is a displacement besides.
  void move(double h, const double* v, bool touched, const double* shift);

 private:
  void turn();
  void velocity_to_unit(const Vec3<double>& w, const Vec3<double>& v, double* u) const;

  double mass_, root_mass_;
  Vec3<double> com_;            ///< in the body's frame
  Mat3<double> I_, I_inverse_;  ///< about it
  Mat3<double> C_, C_inverse_;  ///< I = C C'
  bool round_;                  ///< all moments of inertia are the same
  Quaternion<double> orientation_;
  Mat3<double> R_, W_inverse_;        ///< W: inertia in world axes
  Mat3<double> to_unit_, from_unit_;  ///< u = C'R'w, w = R C^-T u
  Vec3<double> p_, v_ = Vec3<double>::Zero(), w_ = v_, L_ = v_;
  Vec3<double> force_ = Vec3<double>::Zero(), moment_ = force_, point_ = force_;
};

/// A robot. Where it has springs or coupled motors, its rotors are bodies of their own, which are the last in q and v.
class Articulation {
 public:
  Articulation(const Model& model, const Eigen::VectorXd& q, const RobotOptions& options);

  Plant<double> plant;
  Transform<double> X_WR;

 private:
  /// What springs and coupled motors are made of. SpringForces points at the plant, and so acts anew with place().
  struct Drives {
    explicit Drives(const Model& model)
        : rotors(model), springs(rotors), plant(rotors.model()), motors(model) {}
    RotorBodies rotors;
    SpringForces springs;
    Plant<double> plant;        ///< with rotors
    DriveState<double> motors;  ///< where they are
    Eigen::VectorXd deflection = Eigen::VectorXd::Zero(std::ssize(rotors.springs()));
  };
  std::unique_ptr<Drives> drives_;  ///< if it has some

 public:
  Eigen::VectorXd q, v;
  Eigen::VectorXd tau;  ///< of the joints
  const Model& model() const { return plant.model(); }
  /// With its rotors.
  const Model& tree() const { return at_.model(); }
  bool has_drives() const { return drives_ != nullptr; }
  const Kinematics<double>& at() const { return at_; }
  /// Whether X_WR changes nothing.
  bool is_at_origin() const { return at_origin_; }

  void place() {
    if (drives_) act();
    at_.set(q, v);
  }
  /// Motors are where springs hold the links still, moving with them.
  void set_state(const Eigen::VectorXd& to_q, const Eigen::VectorXd& to_v) {
    q.head(to_q.size()) = to_q, v.head(to_v.size()) = to_v;
    normalize(tree(), q);
    begin();
  }
  /// Of elastic joints; of the others, 0 and v.
  DriveState<double> motors() const;
  void set_motors(const Eigen::VectorXd& theta, const Eigen::VectorXd& omega);
  /// What springs exert on the links, and of rigid joints the torque that acts.
  Eigen::VectorXd link_torque();
  /// Within the limits. What is not finite is kept, for the step to refuse.
  void set_torque(const Eigen::VectorXd& to) {
    tau = to;
    if (limited_ && tau.allFinite()) limits_.clip(tau);
  }
  void set_gravity(const Vec3<double>& gravity) {
    plant.gravity = X_WR.rotation().inverse_apply(gravity);
    begin();
  }
  void clear_wrench() { wrench_.setZero(); }
  void add_wrench(int body, const Vec3<double>& force, const Vec3<double>& moment,
                  const Vec3<double>& point);
  /// Velocities of now and without impulses, in unit coordinates; place() must have been called. False: M is not positive
  /// definite.
  bool free_velocity(double h, double* now, double* free);
  void velocity_from_unit(const double* u, double* to) const { unit_.velocity_from_unit(u, to); }
  /// Of adaptive steps, in unit coordinates; as free_velocity.
  bool free_acceleration(double* u);
  void velocity_to_unit(double* u) const { unit_.velocity_to_unit(v.data(), u); }
  double wrench_power() const { return wrench_.dot(v); }
  const Loops* loops() const { return loops_ ? &*loops_ : nullptr; }
  Loops* loops() { return loops_ ? &*loops_ : nullptr; }
  Vec3<double> velocity_at(int body, const Vec3<double>& point) const;
  /// Rows on a body, in unit coordinates, to the last block of the problem.
  void add_rows(int body, std::span<const ContactRow> rows, const Vec3<double>& point, double sign,
                int segment, ConeProblem& problem) const;
  /// Along a coordinate, and of a loop at loops()->set, likewise.
  void add_coordinate_row(ConeProblem& problem, int segment, int coordinate, double sign) const;
  void add_loop_row(ConeProblem& problem, int segment, int row) const;
  /// Dry friction, stops, loops, and motors that move with rigid joints.
  void add_joint_rows(double h, int segment, ConeProblem& problem);
  struct JointRow {
    int block, coordinate;
    double way;  ///< of a stop
    double gap;  ///< of a stop or a loop
    double* warm;
    bool is_smooth = false;  ///< it holds a motion on its way
  };
  std::span<const JointRow> joint_rows() const { return joint_rows_; }
  /// Remembers what the impulses were, to begin with the next time.
  void remember(const ConeProblem& problem);
  /// The mean velocity in unit coordinates, that of the end not.
  void add_work(double h, const ConeProblem& problem, const double* mean_unit, const double* end,
                WorldWork& work);
  /// The rise of potential energy in a displacement.
  double lift(const double* shift);
  void move(double h, const double* v, bool touched, const double* shift);
  double energy();
  double kinetic_energy();
  Wrench<double> momentum();

 private:
  /// What acts: the robot with its rotors.
  const Plant<double>& acting() const { return drives_ ? drives_->plant : plant; }
  void act();
  /// From here on as if it had always moved so.
  void begin();
  /// What drives exert on all coordinates in a step of h, springs included, whose inertias are added to M.
  void push(double h);
  void advance_springs(double h, const Eigen::VectorXd& end);
  void place_motors();
  /// How fast the fastest joint is.
  double fastest(const Eigen::VectorXd& velocity) const {
    return velocity.head(model().nv()).cwiseAbs().maxCoeff();
  }
  void close_loops();
  void turn_fast(double h, Eigen::VectorXd& free);
  /// A wrench on a body as a torque, added.
  void add_torque(int body, const Vec3<double>& force, const Vec3<double>& moment,
                  const Vec3<double>& point, Eigen::VectorXd& to) const;

  bool limited_, at_origin_;
  MotorLimits limits_;
  double kinetic_ = -1.0;  ///< after the last step; -1: not known
  Kinematics<double> at_;
  Motion<double> predicted_;
  Workspace<double> ws_;
  UnitCoordinates unit_;
  Eigen::MatrixXd M_;
  std::vector<int> everything_;  ///< all coordinates
  Eigen::VectorXd v_free_, v_before_, bias_, wrench_, column_, displacement_, q_ahead_;
  Eigen::VectorXd driven_, pushed_;  ///< torques of drives, and with springs
  std::optional<Loops> loops_;
  std::optional<ProximalFactor> closing_;
  Eigen::MatrixXd loop_rows_, delassus_;  ///< J' in unit coordinates, and its Delassus matrix
  Eigen::VectorXd gap_;
  std::vector<JointRow> joint_rows_;
  Eigen::VectorXd warm_friction_, warm_stop_, warm_loop_, warm_rotor_;
};

}  // namespace ulna::detail
