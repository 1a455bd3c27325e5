#pragma once

#include <map>
#include <utility>

#include "support/spatial.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/spatial/solid.hpp"

/// Random robots, and their poses computed the long way round: from the description, in the frames
/// its author uses.
namespace ulna::test {

inline const std::vector<JointType> moving_kinds{
    JointType::revolute, JointType::continuous, JointType::prismatic, JointType::helical,
    JointType::planar,   JointType::ball,       JointType::floating};
inline const std::vector<JointType> single_kinds{JointType::revolute, JointType::continuous,
                                                 JointType::prismatic, JointType::helical};

struct RandomModelOptions {
  int joints = 14;                              ///< that move; followers count
  std::vector<JointType> kinds = moving_kinds;  ///< each occurs before any occurs again
  double branching = 0.3;  ///< chance that a joint hangs on any link instead of the last one
  double fixed = 0.4;      ///< chance that a link, a joint and a frame are fixed in between
  double mimic = 0.25;     ///< chance that a joint of one coordinate follows an earlier one
  bool limits = true;      ///< without them: none at all
  bool dynamics = true;    ///< damping, friction and armature
};

template <class X>
void shuffle(Random& random, std::vector<X>& list) {
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1],
              list[static_cast<std::size_t>(random.real(0.0, static_cast<double>(i)))]);
}

inline Pose random_pose(Random& random) { return Pose(random_transform<double>(random)); }

/// A solid of some shape, somewhere in the link's frame.
inline Inertial random_body(Random& random) {
  const Vec3<double> size(random.real(0.1, 0.5), random.real(0.1, 0.5), random.real(0.1, 0.5));
  const Solid<double> solid = [&] {
    switch (static_cast<int>(random.real(0.0, 4.0))) {
      case 0:
        return solid_box(size);
      case 1:
        return solid_cylinder(size.x(), size.y());
      case 2:
        return solid_ellipsoid(size);
      default:
        return solid_capsule(size.x(), size.y());
    }
  }();
  return Inertial(random_transform<double>(random) * solid.with_mass(random.real(0.5, 5.0)));
}

/// Links and joints stand in random order, as in any file. Joints are named j1, j2, ... (fixed ones
/// f1, ...), links l0, l1, ... (p1, ...), frames e1, ...
inline Description random_description(Random& random, const RandomModelOptions& options = {}) {
  Description d;
  d.name = "random";
  d.links.push_back({"l0", random_body(random), {}, {}, 0});
  std::vector<JointType> kinds = options.kinds;
  std::vector<std::string> singles;
  for (int i = 1; i <= options.joints; ++i) {
    const std::string number = std::to_string(i);
    const auto turn = static_cast<std::size_t>(i - 1) % kinds.size();
    if (turn == 0) shuffle(random, kinds);
    const bool branches = random.real(0.0, 1.0) < options.branching;
    const double count = static_cast<double>(d.links.size());
    std::string parent =
        d.links[branches ? static_cast<std::size_t>(random.real(0.0, count)) : d.links.size() - 1]
            .name;

    if (random.real(0.0, 1.0) < options.fixed) {
      JointDescription fixed;
      fixed.name = "f" + number;
      fixed.parent = std::exchange(parent, "p" + number), fixed.child = parent;
      fixed.origin = random_pose(random);
      d.joints.push_back(fixed);
      d.links.push_back({parent, random_body(random), {}, {}, 0});
      d.frames.push_back({"e" + number, parent, random_pose(random), 0});
    }

    JointDescription j;
    j.name = "j" + number;
    j.type = kinds[turn];
    j.parent = parent, j.child = "l" + number;
    j.origin = random_pose(random);
    j.axis = random_direction<double>(random);
    if (j.type == JointType::helical) j.pitch = random.real(0.05, 0.5);
    if (options.limits && j.type != JointType::continuous) {
      const double middle = random.real(-1.0, 1.0);
      if (velocity_size(j.type) == 1)
        j.limits.lower = middle - random.real(0.1, 2.0),
        j.limits.upper = middle + random.real(0.1, 2.0);
      j.limits.velocity = random.real(0.5, 3.0), j.limits.effort = random.real(1.0, 100.0);
    }
    if (options.dynamics)
      j.dynamics = {random.real(0.0, 1.0), random.real(0.0, 1.0), random.real(0.0, 1.0),
                    random.real(0.0, 0.1)};
    if (velocity_size(j.type) == 1) {
      if (!singles.empty() && random.real(0.0, 1.0) < options.mimic) {
        const auto master =
            static_cast<std::size_t>(random.real(0.0, static_cast<double>(singles.size())));
        j.mimic = Mimic{singles[master], with_sign(random.real(0.3, 1.5), random.real()),
                        random.real(-0.5, 0.5)};
      }
      singles.push_back(j.name);
    }
    d.links.push_back({j.child, random_body(random), {}, {}, 0});
    d.joints.push_back(j);
  }
  shuffle(random, d.links);
  shuffle(random, d.joints);
  shuffle(random, d.frames);
  return d;
}

/// Built strictly: nothing about it is in need of repair.
inline Model random_model(std::uint64_t seed, const RandomModelOptions& options = {}) {
  Random random(seed);
  return Builder(random_description(random, options)).build(true);
}

/// Runs a law on random models; a failure tells the seed.
template <class Law>
void for_each_model(Law law, const RandomModelOptions& options = {}, std::uint64_t count = 20) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE("random_model(" + std::to_string(seed) + ")");
    Random random(seed + 1000);
    law(random_model(seed, options), random);
  }
}

/// Within the limits, followers or not.
inline Eigen::VectorXd random_q(const Model& model, Random& random) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(random.real(0.0, 0x1p53)));
  return random_configuration(model, engine);
}

inline Eigen::VectorXd random_v(const Model& model, Random& random, double size = 1.0) {
  Eigen::VectorXd v(model.nv());
  for (double& x : v) x = random.real(-size, size);
  return v;
}

/// How a joint moves its child, in the joint's own frame, about the axis as it was given.
inline Transform<double> described_motion(const JointDescription& j, const double* q) {
  using R = Rotation<double>;
  using X = Transform<double>;
  switch (j.type) {
    case JointType::fixed:
      break;
    case JointType::revolute:
    case JointType::continuous:
      return X::from_rotation(R::about(j.axis, q[0]));
    case JointType::prismatic:
      return X::from_translation(q[0] * j.axis);
    case JointType::helical:
      return {R::about(j.axis, q[0]), j.pitch * q[0] * j.axis};
    // the directions of x and y are those of a frame whose z is tilted into the normal
    case JointType::planar:
      return {R::about(j.axis, q[0]), R::z_to(j.axis) * Vec3<double>(q[1], q[2], 0.0)};
    case JointType::ball:
      return X::from_rotation(R::from_quaternion({q[0], q[1], q[2], q[3]}));
    case JointType::floating:
      return {R::from_quaternion({q[0], q[1], q[2], q[3]}), {q[4], q[5], q[6]}};
  }
  return {};
}

using Poses = std::map<std::string, Transform<double>, std::less<>>;

/// The poses of all links and frames in the base link, from the description alone. Of the model
/// only the place of each joint in q is asked for.
inline Poses described_poses(const Model& model, const Eigen::VectorXd& q) {
  const Description& d = model.description();
  std::map<std::string_view, const JointDescription*> joint, above;
  for (const JointDescription& j : d.joints) joint[j.name] = above[j.child] = &j;

  const auto motion = [&](const JointDescription& j) {
    if (j.type == JointType::fixed) return Transform<double>();
    double multiplier = 1.0, offset = 0.0;
    const JointDescription* at = &j;
    for (; at->mimic; at = joint.at(at->mimic->joint)) {
      offset += multiplier * at->mimic->offset;
      multiplier *= at->mimic->multiplier;
    }
    const double* own = q.data() + model.joint(model.joint_index(at->name)).q;
    const double following = multiplier * own[0] + offset;
    return described_motion(j, j.mimic ? &following : own);
  };

  Poses poses;
  for (const LinkDescription& link : d.links) {
    Transform<double> X;
    for (auto j = above.find(link.name); j != above.end(); j = above.find(j->second->parent))
      X = j->second->origin.transform() * motion(*j->second) * X;
    poses[link.name] = X;
  }
  for (const FrameDescription& f : d.frames)
    poses[f.name] = poses.at(f.link) * f.origin.transform();
  return poses;
}

/// The poses of the bodies' canonical frames in the base, by the model's joints.
inline std::vector<Transform<double>> canonical_poses(const Model& model,
                                                      const Eigen::VectorXd& q) {
  std::vector<Transform<double>> X_0C(static_cast<std::size_t>(model.body_count()));
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    const double following = j.multiplier * q(j.q) + j.offset;
    const double* own = j.mimics ? &following : q.data() + j.q;
    X_0C[static_cast<std::size_t>(b)] =
        X_0C[static_cast<std::size_t>(j.parent)] * j.X_PJ * joint_pose(j.type, j.pitch, own);
  }
  return X_0C;
}

/// The poses of all links and frames in the base, by the model's joints and frames.
inline Poses frame_poses(const Model& model, const Eigen::VectorXd& q) {
  const auto X_0C = canonical_poses(model, q);
  Poses poses;
  for (const Frame& f : model.frames()) {
    const auto X_CB = Transform<double>::from_rotation(model.joint(f.body).R_BC.inverse());
    poses[std::string(f.name)] = X_0C[static_cast<std::size_t>(f.body)] * X_CB * f.X_BF;
  }
  return poses;
}

/// Fails unless every pose of `some` is among `all`, and the same there.
inline void expect_same_poses(const Poses& some, const Poses& all, double tolerance = 1e-13,
                              const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  for (const auto& [name, X] : some) {
    SCOPED_TRACE("frame '" + name + "'");
    const auto found = all.find(name);
    if (found == all.end())
      ADD_FAILURE_AT(file, line) << "is missing";
    else
      expect_close(X, found->second, tolerance, file, line);
  }
}

}  // namespace ulna::test
