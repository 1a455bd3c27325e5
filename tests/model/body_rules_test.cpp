#include "descriptions.hpp"

namespace ulna::test {
namespace {

Description with_inertial(const std::optional<Inertial>& inertial) {
  Description d = plain();
  d.joints[0].dynamics.armature = 0.1;  // so that the joint has something to move
  d.links[1].inertial = inertial;
  return d;
}

Inertial moments(double mass, double x, double y, double z) {
  return {mass, Vec3<double>(0.1, 0.2, 0.3), Vec3<double>(x, y, z).asDiagonal()};
}

TEST(BodyRules, a_moving_link_without_an_inertial_is_taken_as_massless) {
  const Model model = expect_warning(
      with_inertial({}), rules::inertial_missing,
      "plain.urdf:20: warning: link 'arm': no inertial; taken as massless [inertial-missing]");
  EXPECT_EQ(model.inertias()[1].parameters(), Inertia<double>().parameters());
}

TEST(BodyRules, the_base_and_links_that_are_fixed_need_no_inertial) {
  Description d = plain();
  d.links[0].inertial.reset();
  d.links.push_back({"sticker", {}, {}, {}, 40});
  d.joints.push_back(joint("glue", "arm", "sticker", 50));
  d.joints[1].type = JointType::fixed;
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(BodyRules, mass_and_inertia_are_finite) {
  const std::string text =
      "plain.urdf:20: error: link 'arm': mass, centre of mass or inertia is not finite "
      "[number-invalid]";
  expect_error(with_inertial(moments(nan, 1, 1, 1)), rules::number_invalid, text);
  expect_error(with_inertial(moments(1, 1, infinity, 1)), rules::number_invalid, text);
  Inertial off = moments(1, 1, 1, 1);
  off.com.z() = nan;
  expect_error(with_inertial(off), rules::number_invalid, text);
}

TEST(BodyRules, a_mass_is_not_negative) {
  expect_error(with_inertial(moments(-2.5, 1, 1, 1)), rules::mass_negative,
               "plain.urdf:20: error: link 'arm': mass -2.5 kg is negative [mass-negative]");
}

TEST(BodyRules, inertia_without_mass_is_used_as_it_is) {
  const Model model = expect_warning(
      with_inertial(moments(0.0, 1, 2, 2)), rules::mass_zero,
      "plain.urdf:20: warning: link 'arm': inertia without mass; used as it is [mass-zero]");
  EXPECT_EQ(model.inertias()[1].mass(), 0.0);
  EXPECT_EQ(model.inertias()[1].rotational(), Mat3<double>(Vec3<double>(1, 2, 2).asDiagonal()));
}

TEST(BodyRules, an_inertia_that_is_not_positive_is_used_as_it_is) {
  const Model model =
      expect_warning(with_inertial(moments(1.0, -0.5, 2, 2)), rules::inertia_not_positive,
                     "plain.urdf:20: warning: link 'arm': inertia is not positive definite: "
                     "principal moment -0.5 kg m^2; used as it is "
                     "[inertia-not-positive]");
  expect_close(model.inertias()[1].rotational_about_com(),
               Mat3<double>(Vec3<double>(-0.5, 2, 2).asDiagonal()), 1e-15);
}

TEST(BodyRules, an_inertia_against_the_triangle_inequality_is_used_as_it_is) {
  const Model model =
      expect_warning(with_inertial(moments(1.0, 0.1, 0.2, 0.35)), rules::inertia_triangle,
                     "plain.urdf:20: warning: link 'arm': triangle inequality: 0.35 > 0.1 + 0.2 by "
                     "0.05 kg m^2; used as it is [inertia-triangle]");
  expect_close(model.inertias()[1].rotational_about_com(),
               Mat3<double>(Vec3<double>(0.1, 0.2, 0.35).asDiagonal()), 1e-15);
}

TEST(BodyRules, mass_without_rotational_inertia_is_a_point_mass) {
  const Model model = expect_warning(with_inertial(moments(1.5, 0, 0, 0)), rules::inertia_zero,
                                     "plain.urdf:20: warning: link 'arm': mass 1.5 kg without "
                                     "rotational inertia; taken as a point mass [inertia-zero]");
  expect_close(model.inertias()[1], Inertia<double>::point_mass(1.5, {0.1, 0.2, 0.3}), 1e-15);
}

TEST(BodyRules, rods_and_plates_and_explicit_nothing_are_accepted) {
  EXPECT_TRUE(outcome(with_inertial(moments(1.0, 0.0, 0.2, 0.2)), true).model);
  EXPECT_TRUE(outcome(with_inertial(moments(1.0, 0.1, 0.2, 0.3)), true).model);
  EXPECT_TRUE(outcome(with_inertial(moments(0.0, 0.0, 0.0, 0.0)), true).model);
}

TEST(BodyRules, a_joint_that_moves_nothing_makes_the_mass_matrix_singular) {
  Description d = plain();
  d.links[1].inertial = moments(0, 0, 0, 0);
  expect_warning(d, rules::body_massless,
                 "plain.urdf:30: warning: joint 'turn': the links that it moves have no inertia; "
                 "the mass matrix is singular [body-massless]");
  d.joints[0].dynamics.armature = 0.1;
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(BodyRules, a_joint_moves_what_hangs_further_down) {
  Description d = two_arms();
  d.links[1].inertial = moments(0, 0, 0, 0);
  d.joints[1].parent = "arm";
  EXPECT_TRUE(outcome(d, true).model);
}

TEST(BodyRules, a_joint_moves_what_its_followers_move) {
  Description d = two_arms();
  d.links[1].inertial = moments(0, 0, 0, 0);
  d.joints[1].mimic = Mimic{"turn", 2.0, 0.0};
  EXPECT_TRUE(outcome(d, true).model);
  // unless they stand still
  d.joints[1].mimic->multiplier = 0.0;
  EXPECT_TRUE(outcome(d).diagnostics.find(rules::body_massless));
}

}  // namespace
}  // namespace ulna::test
