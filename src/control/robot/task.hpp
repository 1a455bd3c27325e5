#pragma once

#include <Eigen/Cholesky>

#include "num/message.hpp"
#include "ulna/control/robot/robot_problem.hpp"

namespace ulna::control::detail {

/// By how much loops may be open at the start, in m or rad, as measured states are.
inline constexpr double nearly_closed = 1e-3;

/// What holds a robot still: the torques, and forces through loops that leave least for the torques to do,
/// by their weights, and nothing for those of joints that have none.
class Holding {
 public:
  Holding(const Model& model, const std::optional<Loops>& loops);

  void operator()(const Plant<double>& plant, In<double> q, const MotionWeights& weights,
                  const MotionLimits& limits);

  Eigen::VectorXd tau, lambda;

 private:
  Motion<double> motion_;
  Workspace<double> ws_;
  std::optional<Loops> loops_;
  Eigen::MatrixXd weighted_, normal_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
};

/// What a robot's problem is about: what its terms have in common.
struct Task {
  struct Reference {
    Eigen::VectorXd q, v, tau;
    bool holds = true;     ///< tau is what holds the robot still at q,
    bool current = false;  ///< and has been computed
    std::vector<std::optional<Transform<double>>> frames;  ///< by task
    double press = 0.0;                                    ///< N, along the normal
    bool contact_current = false;                          ///< what follows has been computed:
    Vec3<double> push = Vec3<double>::Zero();              ///< the force per newton of press,
    Eigen::VectorXd along;                                 ///< acceleration along the normal by a,
    double drift = 0.0;                                    ///< and by velocities
  };

  /// Throws std::invalid_argument for options that contradict each other.
  Task(Plant<double> p, const RobotProblemOptions& options);

  const Model& model() const { return plant.model(); }
  /// Of the state: all coordinates of the robot, or those that move the others.
  int nv() const { return closed ? closed->size() : model().nv(); }
  int nq() const { return closed ? closed->size() : model().nq(); }
  /// Those of all joints.
  void gather(In<double> all, Eigen::VectorXd& own) const;
  void set_weights(const MotionWeights& all);
  void set_limits(const MotionLimits& all);
  /// Moves the closed robot to where a node has it, near where it was there before. False: it cannot be reached. Nothing to be done
  /// without closed dynamics.
  [[nodiscard]] bool place(int node, In<double> q);
  int inputs(int node) const {
    return node < steps ? nv() + 2 * loop_rows() + (contact ? 1 : 0) : 0;
  }
  int states() const { return 2 * nv() + (timed ? 1 : 0); }
  int loop_rows() const { return loops ? loops->size() : 0; }
  /// Whether some position, or some velocity, of a node is not given.
  bool has_free_positions(int node) const { return node > 0 || free_positions > 0; }
  bool has_free_velocities(int node) const { return node > 0 || int(free.size()) > free_positions; }
  bool has_free_states(int node) const { return node > 0 || !free.empty(); }
  double duration(int node) const { return durations[node]; }
  Reference& reference(int node) { return references[node]; }

  /// Of the contact at references: its force per newton along the normal, against the way in which a reference slides, and how
  /// its frame accelerates along the normal.
  void update_contacts();

  /// q ⊟ q_r at a node, and where `slope` is given, how it changes when q is displaced: the blocks of curved
  /// joints, which is all that is written of nv x nv; elsewhere it is one.
  void position_error(int node, In<double> q, Eigen::VectorXd& error, Eigen::MatrixXd* slope);

  /// The torques of references follow plant, weights and limits when they are used next.
  void outdate_torques();
  void update_torques();

  Plant<double> plant;
  std::vector<double> durations;
  double total;  ///< their sum
  int steps;
  bool timed;              ///< the final time is free
  bool flat;               ///< states are plain vectors
  std::vector<int> free;   ///< degrees of freedom of the first state that are,
  std::vector<int> given;  ///< and those of the last that are not
  int free_positions = 0;
  std::optional<ClosedDynamics> closed;  ///< LoopForm::coordinates
  std::optional<Loops> loops;            ///< LoopForm::rows
  /// A wall, the frame that touches it, and where the robot is.
  struct Contact {
    Contact(const Model& model, const ContactTask& t)
        : task(t),
          frame(model.frame(t.frame)),
          at(model),
          J(Eigen::MatrixXd::Zero(6, model.nv())) {}
    ContactTask task;
    Frame frame;
    Kinematics<double> at;
    Eigen::MatrixXd J;
  };
  std::optional<Contact> contact;
  std::optional<Capsules> capsules;
  MotionWeights all_weights;  ///< of all joints
  MotionLimits all_limits;
  MotionWeights weights;  ///< of the state's
  MotionLimits limits;
  Eigen::MatrixXd motors;  ///< RobotProblemOptions::motors
  Holding holding;
  Eigen::VectorXd all_at_rest;              ///< v = 0, of all joints
  Eigen::VectorXd at_rest;                  ///< and of the state's
  Eigen::VectorXd torque_before = at_rest;  ///< the first node,
  double until_first = infinity;            ///< and for how long it has to change until then
  std::vector<Reference> references;
  Eigen::MatrixXd closed_q;  ///< of all joints of the closed robot, a column for each node
};

}  // namespace ulna::control::detail
