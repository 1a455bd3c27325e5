#pragma once

#include <gtest/gtest.h>

#include <limits>

#include "support/random_model.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/rules.hpp"

/// A description with nothing wrong about it, and what the Builder reports of its variants.
namespace ulna::test {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline Inertial body() { return Inertial(solid_sphere(0.1).with_mass(1.0)); }
inline Inertial brick() { return Inertial(solid_box(Vec3<double>(0.1, 0.2, 0.3)).with_mass(1.0)); }

using Strings = std::vector<std::string>;

inline Strings joint_names(const Model& model) {
  Strings names;
  for (int b = 1; b < model.body_count(); ++b) names.emplace_back(model.joint_name(b));
  return names;
}

/// base - 'turn' - arm: nothing is wrong with it. Lines as if it were read from a file.
inline Description plain() {
  Builder b("plain");
  b.link("base", body()).link("arm", body());
  b.joint("turn", JointType::revolute, "base", "arm", Pose({0, 0, 1}), {0, 1, 0});
  Description d = b.description();
  d.file = "plain.urdf";
  d.links[0].line = 10, d.links[1].line = 20, d.joints[0].line = 30;
  return d;
}

inline JointDescription joint(const std::string& name, const std::string& parent,
                              const std::string& child, int line) {
  JointDescription j;
  j.name = name, j.parent = parent, j.child = child, j.line = line;
  j.type = JointType::revolute;
  return j;
}

/// plain with a second arm on the base, moved by 'follow'.
inline Description two_arms() {
  Description d = plain();
  d.links.push_back({"arm2", body(), {}, {}, 40});
  d.joints.push_back(joint("follow", "base", "arm2", 50));
  return d;
}

/// What is said about a description, built or refused; and what it was repaired to.
struct Outcome {
  Diagnostics diagnostics;
  std::optional<Model> model;
};

inline Outcome outcome(const Description& d, bool strict = false) {
  Outcome o{Diagnostics(strict), {}};
  try {
    o.model = Builder(d).build(o.diagnostics);
  } catch (const ModelError& e) {
    // the error carries what the list has
    EXPECT_EQ(e.diagnostics().list().size(), o.diagnostics.list().size());
    o.diagnostics = e.diagnostics();
  }
  EXPECT_EQ(o.model.has_value(), !o.diagnostics.has_errors());
  return o;
}

/// Exactly one thing is said, and it is this. A warning leaves a model, and none when strict.
inline Outcome expect_said(const Description& d, const Rule& rule, Severity severity,
                           const std::string& text) {
  const Outcome o = outcome(d);
  EXPECT_EQ(o.diagnostics.list().size(), 1u);
  const Diagnostic* said = o.diagnostics.find(rule);
  if (!said) {
    ADD_FAILURE() << "[" << rule.name << "] is not said";
    for (const Diagnostic& other : o.diagnostics.list()) ADD_FAILURE() << "but: " << other.str();
    return o;
  }
  EXPECT_EQ(said->severity, severity);
  EXPECT_EQ(said->str(), text);
  EXPECT_EQ(o.model.has_value(), severity != Severity::error);
  EXPECT_EQ(said->assumed.empty(), severity == Severity::error);

  const Outcome strictly = outcome(d, true);
  EXPECT_FALSE(strictly.model);
  const Diagnostic* refused = strictly.diagnostics.find(rule);
  EXPECT_TRUE(refused && refused->severity == Severity::error);
  EXPECT_THROW(Builder(d).build(true), ModelError);
  return o;
}

inline void expect_error(const Description& d, const Rule& rule, const std::string& text) {
  EXPECT_FALSE(expect_said(d, rule, Severity::error, text).model);
}
/// Hands over the model with the repair.
inline Model expect_warning(const Description& d, const Rule& rule, const std::string& text) {
  const Outcome o = expect_said(d, rule, Severity::warning, text);
  return o.model ? *o.model : Builder(plain()).build();
}

}  // namespace ulna::test
