#pragma once

#include <string>
#include <vector>

#include "ulna/dynamics/kinematics.hpp"

namespace ulna {

/// Joints that close loops, which a tree of bodies does not have [Featherstone 2008, ch. 8]. Each is some
/// equations φ(q) = 0, its rows, and with J = dφ/dq and forces λ through the joint
///
///     M a + c = tau + J'λ,     J v = 0.
///
///     Loops loops(model, model.description().loops, neutral(model));
///     loops.set(q);
///     tau = bias - loops.J().transpose() * lambda;
///
/// Rows are in the axes that the joint has on its first link, turned so that z is its axis: how far
/// the second link is apart along them, in metres, and the sines of the angles by which it is turned about
/// them. λ are newtons and newton metres on the second link; on the first acts the opposite.
class Loops {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  /// Links may be named by any frame on them. Rows that depend on others where the loops are closed are left
  /// out: of a hinge that closes a planar four-bar, three of five. The loops have to close near a
  /// configuration. Throws std::invalid_argument or std::out_of_range with the reason.
  Loops(const Model& model, const std::vector<LoopDescription>& joints, In<double> closed_at);

  const Model& model() const { return at_.model(); }
  int size() const { return static_cast<int>(rows_.size()); }
  /// "loop 'closure', apart along x"
  const std::string& name(int row) const { return rows_[row].name; }
  /// Names of rows that depend on others.
  const std::vector<std::string>& ignored() const { return ignored_; }
  /// Where the loops are closed, near the configuration given.
  const Vector& closed_at() const { return closed_at_; }

  /// From here on, at q; with v, and with a. What is not given is zero.
  void set(In<double> q);
  void set(In<double> q, In<double> v);
  void set(In<double> q, In<double> v, In<double> a);
  /// The tree there, for the functions of the dynamics.
  const Kinematics<double>& at() const { return at_; }
  const Vector& gap() const { return gap_; }    ///< φ
  const Matrix& J() const { return J_; }        ///< size x nv
  const Vector& rate() const { return rate_; }  ///< dφ/dt = J v
  /// d²φ/dt² = J a + dJ/dt v: with a = 0, what the velocities alone contribute.
  const Vector& acceleration() const { return acceleration_; }
  /// How J'λ changes with q: nv x nv.
  void torque_slope(In<double> lambda, OutMatrix<double> slope) const;
  /// How J v changes with q: size x nv.
  void rate_slope(In<double> v, OutMatrix<double> slope) const;
  /// How acceleration() changes with q and with v: size x nv each. Its slope by a is J.
  void acceleration_slopes(OutMatrix<double> by_q, OutMatrix<double> by_v);

  /// Moves q to where the loops are closed, not far from there. False, with q the best found, if they do not.
  [[nodiscard]] bool close(Out<double> q) const;
  /// Throws std::invalid_argument unless gaps are within a tolerance.
  void require_closed(In<double> q, double tolerance) const;
  /// And unless their rates are, and unless J has independent rows there.
  void require_closed(In<double> q, In<double> v, double tolerance) const;

 private:
  struct Row {
    int joint;
    int a, b;     ///< axes on the first link and on the second: how far they are from a right angle
    double sign;  ///< 0: the distance along a instead
    std::string name;
  };
  /// A joint, where it is: axes in the world, and the second origin from that of the configuration.
  struct Place {
    Frame first, second;
    Transform<double> X_C1, X_C2;  ///< the two in the canonical frames of their bodies
    Mat3<double> A, B;
    Vec3<double> apart, p;
    Twist<double> V1, V2, A1,
        A2;  ///< velocities and accelerations of the two, at their own origins
  };
  /// How the two sides of a joint move with q and v, for slopes: 6 x nv each.
  struct SideSlopes {
    Matrix J, V_dq, A_dq, A_dv;
  };
  /// A direction of the configuration that moves the two sides of a joint against each other.
  struct Mover {
    std::size_t direction;
    double side;  ///< 1: it moves the second, -1: the first
  };
  /// How one side of a joint moves: its angular velocity and the velocity of its origin, and accelerations.
  template <Scalar T>
  struct Moving {
    Vec3<T> w, u, dw, du;
  };
  /// Both sides, and the axes that a row compares: what d²φ/dt² consists of.
  template <Scalar T>
  struct Pair {
    Vec3<T> a, b, apart;
    Moving<T> first, second;
  };
  Pair<double> pair(const Row& row) const;
  template <Scalar T>
  static T second_rate(const Pair<T>& x, double sign);
  void place_rows();
  Wrench<double> wrench(const Row& row) const;
  Wrench<double> wrench_slope(const Row& row, const Twist<double>& S, double side) const;
  /// Calls use(row, d, k, how J(row, d) changes along k) for coordinates d and k.
  template <class F>
  void each_curvature(F use) const;
  void add_joint(const LoopDescription& description);
  void add_rows(const LoopDescription& description);
  void keep_independent();
  void refuse_open(const Vector& x, double tolerance, const char* verb, const char* unit) const;

  Kinematics<double> at_;
  std::vector<Row> rows_;
  std::vector<Place> places_;
  std::vector<std::vector<Mover>> movers_;  ///< by joint
  std::vector<std::string> ignored_;
  Vector closed_at_, gap_, rate_, acceleration_;
  Matrix J_;
  SideSlopes slopes_[2];
};

}  // namespace ulna
