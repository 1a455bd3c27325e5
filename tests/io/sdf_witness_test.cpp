#include <gtest/gtest.h>

#include "support/robot_files.hpp"

#ifdef ULNA_WITH_SDFORMAT
#include <sdf/sdf.hh>
#endif

namespace ulna::test::sdf_witness {
namespace {

#ifndef ULNA_WITH_SDFORMAT

TEST(Sdf, of_robots_is_read_as_libsdformat_does) { GTEST_SKIP() << "there is no libsdformat"; }

#else

Vec3<double> to_ulna(const ignition::math::Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }
Mat3<double> to_ulna(const ignition::math::Matrix3d& m) {
  Mat3<double> made;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) made(static_cast<int>(i), static_cast<int>(j)) = m(i, j);
  return made;
}
Transform<double> to_ulna(const ignition::math::Pose3d& p) {
  const auto& q = p.Rot();
  return {Rotation<double>::from_quaternion({q.W(), q.X(), q.Y(), q.Z()}), to_ulna(p.Pos())};
}
std::string text_of(const sdf::Errors& errors) {
  std::string text;
  for (const sdf::Error& e : errors) text += e.Message() + "\n";
  return text;
}
Transform<double> resolved(const sdf::SemanticPose& pose, const std::string& to) {
  ignition::math::Pose3d made;
  const sdf::Errors errors = pose.Resolve(made, to);
  EXPECT_TRUE(errors.empty()) << text_of(errors);
  return to_ulna(made);
}

/// Compares a model and those in it with a robot whose joints are at zero.
class Witness {
 public:
  explicit Witness(const Model& model)
      : robot_(model), description_(model.description()), q_(neutral(model)) {
    // as it is described, also where limits do not allow that
    for (const Joint& j : model.joints())
      if (configuration_size(j.type) == 1 && !j.mimics) q_(j.q) = 0.0;
  }

  /// X_WM: where the model is in that of the robot.
  void expect_same(const sdf::Model& model, const Transform<double>& X_WM,
                   const std::string& scope) {
    for (std::uint64_t i = 0; i < model.LinkCount(); ++i) link(*model.LinkByIndex(i), X_WM, scope);
    for (std::uint64_t i = 0; i < model.JointCount(); ++i)
      joint(*model.JointByIndex(i), X_WM, scope);
    for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
      const sdf::Model& inner = *model.ModelByIndex(i);
      expect_same(inner, X_WM * resolved(inner.SemanticPose(), "__model__"),
                  scope + inner.Name() + "::");
    }
  }
  int links = 0, joints = 0;

 private:
  void link(const sdf::Link& theirs, const Transform<double>& X_WM, const std::string& scope) {
    SCOPED_TRACE("link " + scope + theirs.Name());
    const auto ours =
        std::ranges::find(description_.links, scope + theirs.Name(), &LinkDescription::name);
    ASSERT_NE(ours, description_.links.end());
    ++links;
    // libsdformat gives what has no inertial 1 kg, and says so nowhere
    if (!theirs.Element()->HasElement("inertial")) return;
    const Transform<double> X_WL = X_WM * resolved(theirs.SemanticPose(), "__model__");
    const auto& inertial = theirs.Inertial();
    const Transform<double> X_WC = X_WL * to_ulna(inertial.Pose());
    const Transform<double> X_WB = robot_.pose(q_, ours->name);
    EXPECT_NEAR(ours->inertial->mass, inertial.MassMatrix().Mass(), 1e-15);
    EXPECT_LT((X_WB * ours->inertial->com - X_WC.translation()).norm(), 1e-12);
    const auto turned = [](const Transform<double>& X, const Mat3<double>& I) -> Mat3<double> {
      return X.rotation().matrix() * I * X.rotation().matrix().transpose();
    };
    EXPECT_LT(
        (turned(X_WB, ours->inertial->inertia) - turned(X_WC, to_ulna(inertial.MassMatrix().Moi())))
            .cwiseAbs()
            .maxCoeff(),
        1e-12);
  }

  void joint(const sdf::Joint& theirs, const Transform<double>& X_WM, const std::string& scope) {
    SCOPED_TRACE("joint " + scope + theirs.Name());
    const Transform<double> X_WJ = X_WM * resolved(theirs.SemanticPose(), "__model__");
    ++joints;
    const std::string name = scope + theirs.Name();
    const auto loop = std::ranges::find(description_.loops, name, &LoopDescription::name);
    if (loop != description_.loops.end()) {
      EXPECT_LT((robot_.pose(q_, loop->link2) * loop->origin2.xyz - X_WJ.translation()).norm(),
                1e-9);
      return;
    }
    const auto ours = std::ranges::find(description_.joints, name, &JointDescription::name);
    ASSERT_NE(ours, description_.joints.end());
    if (theirs.Type() == sdf::JointType::FIXED) return;
    const Transform<double> X_WB = robot_.pose(q_, ours->child);
    EXPECT_LT((X_WB.translation() - X_WJ.translation()).norm(), 1e-12);
    const sdf::JointAxis* axis = theirs.Axis(0);
    if (!axis) return;
    ignition::math::Vector3d xyz;
    const sdf::Errors errors = axis->ResolveXyz(xyz, "__model__");
    EXPECT_TRUE(errors.empty()) << text_of(errors);
    EXPECT_LT((X_WB.rotation().matrix() * ours->axis.normalized() -
               X_WM.rotation().matrix() * to_ulna(xyz))
                  .norm(),
              1e-12);
    const auto limit = [](double x) {
      return std::abs(x) >= 1e16 ? std::copysign(infinity, x) : x;
    };
    const bool turns = theirs.Type() == sdf::JointType::CONTINUOUS;
    if (!turns) {
      EXPECT_EQ(ours->limits.lower, limit(axis->Lower()));
      EXPECT_EQ(ours->limits.upper, limit(axis->Upper()));
    }
    const auto most = [](double x) { return x < 0.0 ? infinity : x; };
    EXPECT_EQ(ours->limits.effort, most(axis->Effort()));
    EXPECT_EQ(ours->limits.velocity, most(axis->MaxVelocity()));
    EXPECT_EQ(ours->dynamics.damping, axis->Damping());
    EXPECT_EQ(ours->dynamics.friction, axis->Friction());
  }

  Robot robot_;
  const Description& description_;
  Eigen::VectorXd q_;
};

const sdf::Model* moving_model(const sdf::Root& root) {
  if (root.Model()) return root.Model();
  const sdf::World* world = root.WorldByIndex(0);
  for (std::uint64_t i = 0; world && i < world->ModelCount(); ++i)
    if (!world->ModelByIndex(i)->Static()) return world->ModelByIndex(i);
  return nullptr;
}

/// Where the model is in ulna's world: that has the base in its origin, unless a joint holds it.
Transform<double> origin_of(const sdf::Model& theirs, const Model& ours) {
  const sdf::Link* base = theirs.LinkByName(std::string(ours.body_name(0)));
  return base ? resolved(base->SemanticPose(), "__model__").inverse() : Transform<double>();
}

TEST(Sdf, of_robots_is_read_as_libsdformat_does) {
  int links = 0, joints = 0;
  for (const auto& file : robot_files("sdf")) {
    SCOPED_TRACE(file.filename());
    sdf::ParserConfig config;
    config.SetFindCallback(
        [&](const std::string& name) { return (file.parent_path() / name).string(); });
    sdf::Root root;
    const sdf::Errors errors = root.Load(file.string(), config);
    ASSERT_TRUE(errors.empty()) << text_of(errors);
    const sdf::Model* theirs = moving_model(root);
    ASSERT_TRUE(theirs);
    const Model ours = load_robot(file.string()).model;
    Witness witness(ours);
    // the base of a robot that no joint holds is the origin of ulna's world
    witness.expect_same(*theirs, origin_of(*theirs, ours), "");
    links += witness.links, joints += witness.joints;
  }
  std::printf("%d links and %d joints compared\n", links, joints);
}

#endif

}  // namespace
}  // namespace ulna::test::sdf_witness
