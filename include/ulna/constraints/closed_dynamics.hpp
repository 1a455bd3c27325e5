#pragma once

#include <Eigen/Cholesky>

#include "ulna/constraints/loop_coordinates.hpp"
#include "ulna/derivatives/derivatives.hpp"

namespace ulna {

/// Dynamics of a robot whose loops are closed along its independent coordinates y, as if it were a robot of these alone:
///
///     M(y) y'' + c(y, y') = tau_y,     M(y) = N'MN,     tau_y = N' tau.
///
/// It remembers where the robot is, from where it follows y along the loops. Made once, no call allocates.
///
///     ClosedDynamics closed(Loops(model, model.description().loops, neutral(model)));
///     if (!closed.set(y, rate, acceleration)) ...                // out of reach
///     closed.inverse_dynamics(plant, tau);
///
/// Of robots whose joints have one coordinate each: throws std::invalid_argument for others.
class ClosedDynamics {
 public:
  explicit ClosedDynamics(const Loops& loops);

  const LoopCoordinates& coordinates() const { return at_; }
  const Model& model() const { return at_.loops().model(); }
  int size() const { return at_.size(); }

  /// Goes on from another place, where the loops are closed to 0.01 m or rad, as by readings of all joints: from here
  /// on there, at rest. False, and nothing changed, if they are not.
  [[nodiscard]] bool start(In<double> q);
  /// From here on, with what is not given zero. False, and still where it was, if y cannot be reached.
  [[nodiscard]] bool set(In<double> y);
  [[nodiscard]] bool set(In<double> y, In<double> rate);
  [[nodiscard]] bool set(In<double> y, In<double> rate, In<double> acceleration);
  /// Where it is, with another motion. False if that is not finite.
  [[nodiscard]] bool move(In<double> rate, In<double> acceleration);
  /// The next `set` follows from q, where the loops were closed before.
  void resume(In<double> q);
  /// Of all joints.
  const Eigen::VectorXd& q() const { return q_; }
  const Eigen::VectorXd& v() const { return v_; }
  const Eigen::VectorXd& a() const { return a_; }
  const Eigen::MatrixXd& N() const { return at_.N(); }  ///< v = N y'

  /// tau_y of this motion: size() numbers.
  void inverse_dynamics(const Plant<double>& plant, Out<double> tau);
  /// N'MN.
  void mass_matrix(const Plant<double>& plant, OutMatrix<double> M);
  /// The acceleration of y under tau_y, at y and its rate, from where on it is that of this motion. False, and nothing
  /// written, if the robot is not physical.
  [[nodiscard]] bool forward_dynamics(const Plant<double>& plant, In<double> tau,
                                      Out<double> acceleration);

  /// tau_y and how it changes with y, its rate and its acceleration: size() x size() each.
  struct Slopes {
    explicit Slopes(int size);
    Eigen::VectorXd tau;
    Eigen::MatrixXd dy, dv, da;
  };
  /// By differentiating the loops: J dv = -d(Jv), and N' d(tau - J'λ) with the λ that leaves no torque on dependent joints.
  void differentiate(const Plant<double>& plant, Slopes& slopes);

 private:
  LoopCoordinates at_;
  Workspace<double> ws_;
  DerivativeWorkspace<double> derivative_ws_;
  InverseDynamicsDerivatives<double> tree_;
  Eigen::VectorXd q_, v_, a_ = v_, to_ = q_, tau_ = v_, lambda_;
  Eigen::VectorXd none_, y_, rate_;                                 ///< of independent coordinates
  Eigen::MatrixXd M_, MN_, reduced_;                                ///< of the tree, and N'MN
  Eigen::MatrixXd by_q_, by_v_, rate_slope_, curve_;                ///< of the loops
  Eigen::MatrixXd rows_, dependent_;                                ///< loops.size() x size()
  Eigen::MatrixXd v_dy_, a_dy_ = v_dy_, a_dv_ = v_dy_, f_ = v_dy_;  ///< nv x size()
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace ulna
