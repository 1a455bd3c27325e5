#pragma once

#include "simulate/complementarity.hpp"
#include "simulate/spring_forces.hpp"
#include "ulna/constraints/loop_dynamics.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/simulate/simulation.hpp"

namespace ulna::detail {

/// Forward dynamics of a robot some of whose joints rest, held by dry friction or by their stops,
/// and others slide. Who does what is decided at one state and stays until an event: a joint comes
/// to rest or to its stop. Between events all is smooth, so integrators keep their order. Where loops are to be
/// closed, forces through them are in all of it.
///
/// Springs between motors and links are forces by where the coordinates are, or act in the middle of a step (SpringForces).
class HeldDynamics {
 public:
  /// Of the robot with its rotors. They must stay where they are.
  HeldDynamics(const RotorBodies& rotors, bool stops, const Loops* loops);

  /// What acts from now on, on the robot with its rotors. Springs and wrenches must stay where they are.
  void act(const Plant<double>& plant, const DriveParameters<double>& springs,
           const Eigen::VectorXd& tau, ExternalWrenches<double> wrenches);

  /// Time goes by, for what counts as a hit; infinite: what was at its stop before is not known.
  void pass(double duration) { away_.array() += duration; }
  /// Takes the velocity from joints that run into their stops. False if M is not positive definite. A joint hits its
  /// stop if it is fast and was away for longer than `least_away`, s: otherwise it leans on it still.
  [[nodiscard]] bool hit(const Eigen::VectorXd& q, Eigen::VectorXd& v, double least_away,
                         double& energy_lost, long& hits);
  /// Decides which joints hold and which way the others slide.
  [[nodiscard]] bool decide(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// As decided. Joints that hold have exactly no acceleration.
  [[nodiscard]] bool accelerate(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                Eigen::VectorXd& a);

  /// One step of h that nothing can make unstable: dry friction, damping and stops act with the velocity at
  /// its end, as impulses within their bounds [Stewart, Trinkle 1996]. Of first order: for crowds of events.
  [[nodiscard]] SimulationStatus step_over(Eigen::VectorXd& q, Eigen::VectorXd& v, double h,
                                           SimulationWork& work);

  /// Moves q and v by as little as can be, in kinetic energy, to where loops are closed and stay so; joints that
  /// hold stay. To be called after each step, before anything is decided anew. False if they cannot be closed.
  [[nodiscard]] bool close(Eigen::VectorXd& q, Eigen::VectorXd& v);

  /// By how much friction or stops that hold could be loaded more, Nm or N, at least: negative when one
  /// of them can hold no longer. 1 if nothing holds.
  double reserve(const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  /// What torques and wrenches do and friction takes, a second: W.
  SimulationWork power(const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  SpringForces& springs() { return springs_; }
  const SpringForces& springs() const { return springs_; }

  const Model& model() const { return bare_.model(); }
  /// What acts: the robot, its dry friction aside, and the torques of its drives.
  const Plant<double>& plant() const { return bare_; }
  const Eigen::VectorXd& torque() const { return tau_; }
  const Loops* loops() const { return loops_ ? &*loops_ : nullptr; }
  /// Whether the forces and inertias that were looked at last are numbers.
  bool finite() const { return problem_.f.allFinite() && problem_.M.allFinite(); }
  bool held(int i) const { return held_[i] != 0; }
  bool at_stop(int i, const Eigen::VectorXd& q) const;
  /// By which a stop holds coordinate i beyond its dry friction, as decided.
  double stop_load(int i) const { return stop_load_(i); }

  // events, numbered: the sliding joints, then the stops

  int event_count() const { return nv_ + int(stops_.size()); }
  /// Whether it can come, from q on.
  bool expected(int event, const Eigen::VectorXd& q) const;
  /// How far off it is: negative when it is past.
  double distance(int event, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// Makes it exact: the joint rests, or stands at its stop.
  void make_exact(int event, Eigen::VectorXd& q, Eigen::VectorXd& v) const;
  bool is_stop(int event) const { return event >= nv_; }

 private:
  struct Stop {
    int q, v;
    double at;
    int way;  ///< from which the joint is free to go: +1 of a lower stop, -1 of an upper

    double distance(const Eigen::VectorXd& position) const { return way * (position(q) - at); }
  };
  const Stop& stop_of(int event) const { return stops_[event - nv_]; }
  /// What dry friction takes from the drive of a joint that slides.
  double sliding_friction(int i) const {
    return slides_[i] > 0 ? friction_(i) : slides_[i] < 0 ? -friction_negative_(i) : 0.0;
  }
  bool has_friction(int i) const { return friction_(i) > 0.0 || friction_negative_(i) > 0.0; }
  const Kinematics<double>& place(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// Loops, or motors that move with rigid joints.
  bool has_rows() const { return problem_.J.rows() > 0; }
  /// Those of loops as they are, and of motors; of loops with this drift.
  void set_rows(const Eigen::VectorXd* drift);
  /// The mass matrix at q, and rows without drift, for changes of q or v.
  void set_change(const Eigen::VectorXd& q);
  /// Chooses coordinates that must not change; how many there are.
  template <class Fixed>
  int fix(Fixed fixed);
  void close_velocities(Eigen::VectorXd& v);
  /// A joint with dry friction whose velocity has just become zero.
  bool just_rests(int i, const Eigen::VectorXd& v) const {
    return v(i) == 0.0 && !held(i) && has_friction(i);
  }
  /// close() where no joint is held, by the factors of the last acceleration.
  [[nodiscard]] bool close_freely(Eigen::VectorXd& q, Eigen::VectorXd& v);
  /// Whether friction and stops hold all that they hold.
  bool holds(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// The bounds of what friction and stops can do at coordinate i, for place n of the problem.
  void set_bounds(int i, int n, double duration = 1.0);
  /// Sets at_stop_.
  void find_stops(const Eigen::VectorXd& q);
  /// The mass matrix and the forces without those that hold, for the problem.
  void set_problem(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// For forces at the first n of the chosen coordinates.
  [[nodiscard]] bool solve(int n) { return problem_.solve({chosen_.data(), std::size_t(n)}); }

  SpringForces springs_;
  bool couples_ = false;  ///< whether inertias of rotors couple coordinates

  Plant<double> bare_;  ///< without dry friction
  Eigen::VectorXd friction_ = model().friction(), friction_negative_ = model().friction_negative();
  Eigen::VectorXd spare_ = Eigen::VectorXd::Zero(model().nv());
  Eigen::VectorXd tau_ = spare_, drive_ = spare_;  ///< of the drives, and less dry friction
  Eigen::VectorXd pushed_ = spare_;                ///< and with springs
  Eigen::VectorXd stop_load_ = spare_;
  Eigen::VectorXd away_ = spare_.array() + infinity;  ///< since a joint was at its stop, s
  Eigen::VectorXd next_ = neutral(model());           ///< configuration
  ExternalWrenches<double> wrenches_;
  Kinematics<double> at_;
  Workspace<double> ws_;
  std::optional<Loops> loops_;
  std::optional<LoopWorkspace> loop_ws_;
  bool factored_ = false;  ///< whether its factors are of a configuration nearby
  Eigen::VectorXd lambda_, closing_ = spare_;
  BoxComplementarity problem_;
  int nv_;
  std::vector<int> chosen_;  ///< coordinates in the problem
  int held_count_ = 0;
  std::vector<signed char> slides_;  ///< +1 or -1: the way friction acts against; 0: it holds
  std::vector<signed char> at_stop_ = slides_;  ///< per coordinate of v: bit 1 lower, bit 2 upper
  std::vector<char> held_;
  std::vector<Stop> stops_;
};

}  // namespace ulna::detail
