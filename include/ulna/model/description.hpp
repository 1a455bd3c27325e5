#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ulna/model/line_map.hpp"
#include "ulna/spatial/inertia.hpp"

/// A robot as its author describes it: plain data, in the author's frames and words. Importers fill
/// it, the Builder makes a Model of it, and writers write it.
namespace ulna {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Position and roll, pitch, yaw: kept as written, so that what is read can be written again.
struct Pose {
  Vec3<double> xyz = Vec3<double>::Zero();
  Vec3<double> rpy = Vec3<double>::Zero();

  Pose() = default;
  Pose(const Vec3<double>& position, const Vec3<double>& roll_pitch_yaw = Vec3<double>::Zero())
      : xyz(position), rpy(roll_pitch_yaw) {}
  explicit Pose(const Transform<double>& X);
  Transform<double> transform() const;
  bool operator==(const Pose&) const = default;
};

// --- shapes: kept for viewers and collision checks; dynamics does not use them ---

struct Box {
  Vec3<double> size;
  bool operator==(const Box&) const = default;
};
struct Cylinder {
  double radius, length;
  bool operator==(const Cylinder&) const = default;
};
struct Sphere {
  double radius;
  bool operator==(const Sphere&) const = default;
};
/// The length is without the round ends.
struct Capsule {
  double radius, length;
  bool operator==(const Capsule&) const = default;
};
/// The file is never opened by an importer.
struct Mesh {
  std::string file;
  Vec3<double> scale = Vec3<double>::Ones();
  bool operator==(const Mesh&) const = default;
};
using Geometry = std::variant<Box, Cylinder, Sphere, Capsule, Mesh>;

struct Material {
  std::string name;
  std::optional<Vec4<double>> rgba;
  std::string texture;
  bool operator==(const Material&) const = default;
};

struct Shape {
  std::string name;
  Pose origin;
  Geometry geometry;
  Material material;
  bool operator==(const Shape&) const = default;
};

// --- links ---

/// Mass, centre of mass, and inertia about the centre of mass in the link's axes.
struct Inertial {
  double mass = 0.0;
  Vec3<double> com = Vec3<double>::Zero();
  Mat3<double> inertia = Mat3<double>::Zero();

  Inertial() = default;
  Inertial(double m, const Vec3<double>& c, const Mat3<double>& I) : mass(m), com(c), inertia(I) {}
  Inertial(const Inertia<double>& body);  // NOLINT: the same thing in another form
  Inertia<double> in_link_frame() const;
  bool operator==(const Inertial&) const = default;
};

struct LinkDescription {
  std::string name;
  std::optional<Inertial> inertial{};
  std::vector<Shape> visuals{}, collisions{};
  int line = 0;  ///< where it was read; not part of what it is

  bool operator==(const LinkDescription& other) const;
};

// --- joints ---

enum class JointType { fixed, revolute, continuous, prismatic, helical, planar, ball, floating };
inline constexpr std::string_view joint_type_names[] = {
    "fixed", "revolute", "continuous", "prismatic", "helical", "planar", "ball", "floating"};
constexpr std::string_view to_string(JointType t) { return joint_type_names[static_cast<int>(t)]; }
constexpr std::optional<JointType> joint_type_from_string(std::string_view name) {
  for (int i = 0; i < int(std::size(joint_type_names)); ++i)
    if (joint_type_names[i] == name) return static_cast<JointType>(i);
  return {};
}
/// How many numbers a joint of this type has in q, and in the velocity.
constexpr int configuration_size(JointType t) {
  constexpr int sizes[] = {0, 1, 1, 1, 1, 3, 4, 7};
  return sizes[static_cast<int>(t)];
}
constexpr int velocity_size(JointType t) {
  constexpr int sizes[] = {0, 1, 1, 1, 1, 3, 3, 6};
  return sizes[static_cast<int>(t)];
}
inline bool has_axis(JointType t) {
  return t != JointType::fixed && t != JointType::ball && t != JointType::floating;
}

struct Limits {
  double lower = -infinity, upper = infinity;
  double velocity = infinity, effort = infinity;
  bool operator==(const Limits&) const = default;
};

/// What a joint itself resists with: torque = damping v + Coulomb level by the sign of v
/// + armature a.
struct JointDynamics {
  double damping = 0.0;
  double friction = 0.0;           ///< Coulomb level for v > 0
  double friction_negative = 0.0;  ///< its magnitude for v < 0
  double armature = 0.0;           ///< inertia of the rotor, seen at the joint
  bool operator==(const JointDynamics&) const = default;
  JointDynamics& operator+=(const JointDynamics& more);
};

/// What gives way between a joint's motor and its link: with the motor's position theta as it is seen at the joint
/// and e = theta - q, the torque on the link is stiffness e + hardening e³ + damping de/dt.
struct Spring {
  double stiffness = 0.0;
  double hardening = 0.0;
  double damping = 0.0;
  bool operator==(const Spring&) const = default;
};

/// q = multiplier * q_joint + offset
struct Mimic {
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;
  bool operator==(const Mimic&) const = default;
};

struct JointDescription {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent{}, child{};
  Pose origin{};                              ///< of the joint, and so of the child at q = 0
  Vec3<double> axis = Vec3<double>::UnitX();  ///< in the joint's frame; a plane's normal
  double pitch = 0.0;                         ///< of a helical joint, metres per radian
  Limits limits{};
  JointDynamics dynamics{};
  std::optional<Mimic> mimic{};
  std::optional<Spring> spring{};  ///< none: the drive is rigid
  int line = 0;

  bool operator==(const JointDescription& other) const;
};

/// A frame of interest, fixed to a link.
struct FrameDescription {
  std::string name, link;
  Pose origin;
  int line = 0;

  bool operator==(const FrameDescription& other) const;
};

/// A joint that closes a loop between two links of the tree.
struct LoopDescription {
  std::string name;
  JointType type = JointType::revolute;
  std::string link1, link2;
  Pose origin1, origin2;  ///< of the joint in each link
  Vec3<double> axis = Vec3<double>::UnitX();
  int line = 0;

  bool operator==(const LoopDescription& other) const;
};

/// A motor's part in moving a joint.
struct Gear {
  std::string joint;
  double ratio = 1.0;
  bool operator==(const Gear&) const = default;
};

/// A link that carries the rotor of a motor, and the direction of its axis in that link.
struct RotorMount {
  std::string link;
  Vec3<double> axis = Vec3<double>::UnitZ();
  bool operator==(const RotorMount&) const = default;
};

/// A motor. It turns by the sum of ratio * position over its gears; several gears couple joints. What it is
/// made of counts at its shaft, before the gears.
struct MotorDescription {
  std::string name;
  std::vector<Gear> gears{};
  double inertia = 0.0;  ///< of the rotor about its axis
  double damping = 0.0;
  double friction = 0.0;           ///< Coulomb level where it turns forward
  double friction_negative = 0.0;  ///< its magnitude where it turns backward
  std::optional<RotorMount> mount{};
  int line = 0;

  bool operator==(const MotorDescription& other) const;
  /// What the motor resists with, as a joint meets it that it moves by a ratio: inertia and damping by its square, friction by its magnitude.
  JointDynamics at_joint(double ratio) const;
};

struct Description {
  std::string name = "robot";
  std::string file;                      ///< where it was read; not part of what it is
  std::shared_ptr<const LineMap> lines;  ///< the same, if it was put together from files
  Vec3<double> gravity{0.0, 0.0, -9.81};
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  std::vector<FrameDescription> frames;
  std::vector<LoopDescription> loops;
  /// Joints that no motor names are driven directly, as by a motor without inertia and ratio 1.
  std::vector<MotorDescription> motors;

  bool operator==(const Description& other) const;
  /// Of a line of a link, joint, ...
  Source source(int line) const { return lines ? lines->at(line) : Source{file, line, 0}; }
};

}  // namespace ulna
