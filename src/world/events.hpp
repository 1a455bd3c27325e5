#pragma once

#include <Eigen/LU>

#include "simulate/arkode.hpp"
#include "world/state.hpp"

namespace ulna {

/// A motion from event to event. What holds at the moment is decided once by the laws of contact for accelerations, and stays so
/// until a force or a velocity says otherwise: then all is smooth, and the integrator keeps its order.
///
///     a = a_free + J'λ,     stick: J a + (dJ/dt) v = 0,     slide: the same along the normal, λt = -mu λn wt/|wt|
///
/// (dJ/dt) v of contacts is found by differences of the velocities where they touch along the present motion, so that it is right
/// whatever the shapes are; all else is exact.
struct World::Events final : detail::EventSystem {
  using V3 = Vec3<double>;
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  /// m and m/s: closer and slower is touching and at rest.
  static constexpr double closed_gap = 1e-9, at_rest = 1e-9;
  /// m/s across the way of what slides: slower is straight on.
  static constexpr double straight = 1e-10;
  /// s: after which segments begin anew.
  static constexpr double longest_segment = 0.1;

  enum class Kind { contact, stop, rub, loop };  ///< rub: dry friction of a joint
  enum class Mode { open, stick, slide };
  struct Hold {
    Kind kind;
    int rows = 1;
    int robot = -1, coordinate = -1;  ///< of a joint; of a loop, its row
    double sign = 1.0;                ///< of a stop: the way that is free
    double lower = 0.0, upper = 0.0;  ///< of dry friction
    State::Touch touch = {};
    Mode mode = Mode::open;
    Eigen::Vector2d way = Eigen::Vector2d::Zero();  ///< in which a contact slides, or x of a joint
    double gap = 0.0;
    V3 w = V3::Zero(), drift = w, force = w;
    V3 decided =
        w;        ///< forces: of rows that depend on each other, those nearest to these are taken
    int row = 0;  ///< in J_
    bool lost = false;  ///< there is no such point any more
  };
  struct Stop {
    int robot, q, v;
    double limit, way;
    double gap(const State& s) const { return way * (s.robots[robot].q(q) - limit); }
  };

  Events(State& state, const AdaptiveOptions& options);
  WorldStatus go(double duration);

  Rate rate(const double* y, double* dy) override;
  Rate roots(const double* y, double* distance) override;

 private:
  static int numbers_of(const State& state);
  void write(double* y) const;
  bool read(const double* y);
  /// Velocities as they are in unit coordinates, mass matrices factored. False: not positive definite.
  bool set_free_acceleration();
  void get_velocities(std::vector<double>& u) const;
  void set_velocities(const std::vector<double>& u);

  V3 velocity_of(const State::Shape& shape, const V3& point) const;
  /// The point and the velocities of a hold where everything is now. False: there is no such point any more.
  bool look(Hold& hold) const;
  void look_at_all();
  void find_drifts();
  void set_rows();
  /// A quarter of the smallest shape's size in a step at most, so that nothing passes through another unseen.
  double longest_step() const;

  void find_holds();
  bool meets();  ///< whether anything is faster towards what it touches than rounding
  void impact();
  bool decide();
  void set_mode(Hold& hold) const;
  /// Accelerations and forces as decided.
  bool accelerate();
  /// Against which friction of a contact that slides acts.
  static Eigen::Vector2d friction_way(const Hold& hold);
  Eigen::Vector2d way_of(const Hold& hold) const;
  bool solve(Matrix& W, const Vector& near, Vector& x);
  void close();
  double watched_gap(const BroadPhase::Pair& pair) const;
  void show();

  State& s_;
  int nu_ = 0;
  std::vector<Stop> stops_;
  std::vector<Hold> holds_, before_;  ///< before: of the last segment
  std::vector<BroadPhase::Pair> watched_;
  std::vector<double> reach_;  ///< of each shape, in which watched_ is all that it can meet
  std::vector<Transform<double>> placed_;  ///< where shapes were
  std::vector<Vector> q0_;                 ///< of robots, where displacements begin
  Matrix J_, K_, A_;
  Vector free_, a_, unknown_, near_, left_;
  std::vector<double> u_, physical_;
  ConeProblem laws_;
  ConeSolver solver_;
  std::vector<int> all_;
  Vector y_;
  detail::Arkode arkode_;
  bool possible_ = true;
};

}  // namespace ulna
