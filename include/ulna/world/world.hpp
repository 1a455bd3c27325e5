#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ulna/constraints/cones.hpp"
#include "ulna/geometry/robot_shapes.hpp"
#include "ulna/geometry/shape.hpp"
#include "ulna/model/plant.hpp"
#include "ulna/simulate/simulation.hpp"

/// Robots, loose bodies and what stands still, and what they do to each other where they touch.
namespace ulna {

/// How a surface gives way, by itself; surfaces that touch give way in series. Either as stiffness and damping, or
/// as the time constant and damping ratio of the two bodies on it, whatever their masses.
struct Compliance {
  double stiffness = infinity;  ///< N/m
  double damping = 0.0;         ///< N s/m
  double time_constant = 0.0;   ///< s; 0: stiffness and damping count
  double damping_ratio = 1.0;
};

/// What contact needs to know of a surface. Coefficients of two surfaces are combined by their geometric mean.
struct ContactMaterial {
  double friction = 0.8;     ///< Coulomb's, the same at rest and in motion
  double torsion = 0.0;      ///< m: of friction about the normal
  double rolling = 0.0;      ///< m: of friction against rolling
  double restitution = 0.0;  ///< 0 to 1
  Compliance compliance = {};
};

/// A shape on a body, in the body's frame.
struct PlacedShape {
  CollisionShape shape;
  Transform<double> X_BS = {};
};

/// A body that no joint holds.
struct LooseBody {
  std::string name;
  Inertia<double> inertia;
  std::vector<PlacedShape> shapes;
  ContactMaterial material = {};
};

struct RobotOptions {
  std::string name = {};  ///< what it is called; "": as its model
  ContactMaterial material = {};
  Transform<double> X_WR = {};  ///< where its base stands
  bool contact = true;          ///< else it touches nothing
  bool self_contact = true;  ///< of its own links, those left out that always meet (left_out_pairs)
  bool torque_limits = true;  ///< torques are cut off at the model's effort limits
  ShapeOptions shapes = {};
};

struct WorldOptions {
  double step = 1e-3;  ///< s
  Vec3<double> gravity = Vec3<double>(0.0, 0.0, -9.81);
  ConeOptions cones = {};
  double overlap = 1e-5;          ///< m that is tolerated; beyond it bodies are moved apart
  double correction_speed = 0.5;  ///< m/s at most while they are moved apart
};

enum class WorldStatus {
  moved,
  not_finite,    ///< a torque or the motion left the finite numbers; the world is as it was before
  not_physical,  ///< a robot's mass matrix is not positive definite
  crowded,       ///< of adaptive steps: events or steps without end
  undecided,     ///< of adaptive steps: no way in which contacts stick, slide or open was found
};
const char* to_string(WorldStatus status);

/// Where two bodies touch or are about to, with what the last step found.
struct WorldContact {
  int first, second;              ///< objects, by number
  int first_body, second_body;    ///< of robots: which body
  Vec3<double> position, normal;  ///< in the world; the normal from first to second
  double gap;                     ///< m, at the beginning of the step
  Vec3<double> force;             ///< N, on the second, mean over the step
  Vec3<double> moment;            ///< N m, of torsional and rolling friction
  Vec3<double> velocity;          ///< of the second from the first there, after the step
  double friction;                ///< coefficient
};

/// Where energy came from and went to, J. energy() grows by balance(), up to the error of the method.
struct WorldWork {
  double torques = 0.0;         ///< done by drives
  double wrenches = 0.0;        ///< done by wrenches from outside
  double damping = 0.0;         ///< lost in joints that are viscous,
  double joint_friction = 0.0;  ///< that rub,
  double stops = 0.0;           ///< and that hit their stops
  double loops = 0.0;           ///< done in joints that close loops
  double impacts = 0.0;         ///< lost where bodies hit each other
  double contact = 0.0;         ///< lost along the normals of lasting contacts
  double friction = 0.0;        ///< lost in friction between surfaces
  double correction = 0.0;      ///< brought in when bodies that overlapped were moved apart

  double balance() const {
    return torques + wrenches + loops + correction - damping - joint_friction - stops - impacts -
           contact - friction;
  }
};

/// A shape where it is now.
struct WorldShape {
  int object, body;
  const CollisionShape* shape;
  Transform<double> X_WS;
};

struct WorldReport {
  long steps = 0;
  ConeReport cones;             ///< of the last step
  double worst_residual = 0.0;  ///< of all steps, m/s
  long unconverged = 0;         ///< steps whose residual was above the tolerance
  int contacts = 0;             ///< in the last step, those about to touch included
  double deepest = 0.0;         ///< m: the deepest overlap so far
  long events = 0;              ///< of adaptive steps: touch, leave, stick, slide
};

/// Moves everything by steps of one length, semi-implicitly: contact, friction, stops and loops act with the velocity
/// at the end of the step [Moreau 1988; Stewart, Trinkle 1996],
///
///     (M + h D)(v+ - v) = h (f - D v) + J'λ,     0 <= λn,  Jn v+ + gap/h >= 0,
///
/// so that bodies touch at the end of a step and do not overlap. The same input gives the same bits; a step allocates
/// only when there are more contacts than ever before. See docs/contact.md.
///
///     World world;
///     world.add_fixed("ground", Plane{});
///     const int box = world.add_body({"box", inertia, {{Box{{.1, .1, .1}}}}}, X_WB);
///     const int robot = world.add_robot(model, q);
///     world.set_torque(robot, tau);
///     if (world.step() != WorldStatus::moved) ...
class World {
 public:
  explicit World(WorldOptions options = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // --- what is in it: objects are numbered as they are added. Bad numbers throw std::invalid_argument ---

  int add_fixed(std::string name, const CollisionShape& shape, const Transform<double>& X_WS = {},
                const ContactMaterial& material = {});
  int add_body(const LooseBody& body, const Transform<double>& X_WB);
  int add_robot(const Model& model, const Eigen::VectorXd& q, const RobotOptions& options = {});

  int object_count() const;
  const std::string& name(int object) const;
  bool is_robot(int object) const;
  bool is_fixed(int object) const;
  const WorldOptions& options() const;
  /// Of a loose body, in its frame.
  Inertia<double> inertia(int body) const;
  /// Of a robot. Its numbers may be changed between steps.
  Plant<double>& plant(int robot);
  const Plant<double>& plant(int robot) const;
  /// Where its base stands.
  Transform<double> base(int robot) const;
  /// Shapes of a robot that could not be made, and hulls in place of concave meshes.
  const Diagnostics& shape_diagnostics(int robot) const;
  /// Pairs of objects that overlap by more than the tolerance where they are now, deepest first.
  struct Overlap {
    int first, second;
    double depth;
  };
  std::vector<Overlap> overlaps();
  /// All shapes; valid until something is added.
  std::vector<WorldShape> shapes() const;
  /// How high the lowest point of an object is above what is fixed below it, m; infinite if there is nothing.
  double clearance(int object);

  // --- state. Of a loose body: as of a floating joint; see model/joint_motion.hpp ---

  Eigen::VectorXd q(int object) const;
  Eigen::VectorXd v(int object) const;
  /// Throws std::invalid_argument.
  void set_state(int object, const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// Of a robot's motors, as they are seen at the joints, nv each: where joints are elastic; of others, 0 and v.
  Eigen::VectorXd theta(int robot) const;
  Eigen::VectorXd omega(int robot) const;
  /// Moves the motors of elastic joints, which set_state puts where springs hold the links still; numbers of other joints
  /// are not read. Throws std::invalid_argument.
  void set_motors(int robot, const Eigen::VectorXd& theta, const Eigen::VectorXd& omega);
  /// What springs exert on the links, and of rigid joints the torque that acts; nv.
  Eigen::VectorXd link_torque(int robot) const;
  double time() const;
  /// Of a body's frame; of its centre of mass in world axes.
  Transform<double> pose(int object, int body = 0) const;
  /// In world axes, the linear part that of the body's origin.
  Twist<double> velocity(int object, int body = 0) const;

  // --- what acts from now on ---

  /// Of a robot, cut off at its limits: of springs and coupled motors (docs/drives.md), what motors exert, seen at the joints. Throws std::invalid_argument for a wrong size.
  void set_torque(int robot, const Eigen::VectorXd& tau);
  const Eigen::VectorXd& torque(int robot) const;
  /// A force at a point and a moment, both in world axes, on a body.
  void set_wrench(int object, int body, const Vec3<double>& force, const Vec3<double>& moment,
                  const Vec3<double>& point);
  void clear_wrenches();

  // --- steps ---

  WorldStatus step() noexcept;
  /// For studies of accuracy: on for a duration by adaptive steps, which end where bodies touch, leave each other, begin to slide or
  /// cease to; impacts are those of step(). Throws std::invalid_argument for what it does not model, which refused_by_adaptive()
  /// names (none: empty), and std::runtime_error without SUNDIALS. If it is not `moved`, it went up to time().
  WorldStatus advance(double duration, const AdaptiveOptions& options = {1e-10, 1e-12});
  std::string refused_by_adaptive() const;
  /// Of the last step, by pairs of objects.
  std::span<const WorldContact> contacts() const;
  /// What contact does to an object in the last step, about the world's origin.
  Wrench<double> contact_wrench(int object) const;
  /// Kinetic and potential, J.
  double energy() const;
  double kinetic_energy() const;
  /// Linear, and angular about the world's origin.
  Wrench<double> momentum() const;
  const WorldWork& work() const;
  const WorldReport& report() const;

 private:
  struct State;
  struct Events;
  std::unique_ptr<State> state_;
};

}  // namespace ulna
