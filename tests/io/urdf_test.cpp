#include <gtest/gtest.h>

#include "support/bad_input.hpp"
#include "support/close.hpp"
#include "support/random_model.hpp"

namespace ulna::test {
namespace {

constexpr double half_pi = 1.5707963267948966;

Imported read_robot(std::string_view inside) {
  return import_urdf(
      "<robot name='r' xmlns:ulna='https://ulna.dev/urdf'>\n" + std::string(inside) + "\n</robot>",
      "r.urdf");
}

/// Two links and a joint between them, with these attributes and children.
Imported read_joint(std::string_view type, std::string_view children = "") {
  return read_robot(
      "<link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
      "iyy='1' iyz='0' izz='1'/></inertial></link>\n"
      "<joint name='j' type='" +
      std::string(type) + "'><parent link='a'/><child link='b'/>" + std::string(children) +
      "</joint>");
}

LinkDescription read_link(std::string_view children) {
  return read_robot("<link name='a'>" + std::string(children) + "</link>")
      .model.description()
      .links[0];
}

/// The line on which a rule is told, 0 if it is not.
int line_told(std::string_view text, const Rule& rule) {
  const auto line = [&](const Diagnostics& found) {
    return found.find(rule) ? found.find(rule)->source.line : 0;
  };
  try {
    return line(import_urdf(text, "r.urdf").diagnostics);
  } catch (const ModelError& e) {
    return line(e.diagnostics());
  }
}

// --- robot, poses ---

TEST(Urdf, robot_name_and_gravity_are_read) {
  const Model model = read_robot("<link name='a'/><ulna:gravity xyz='1 2 3'/>").model;
  EXPECT_EQ(model.name(), "r");
  EXPECT_EQ(model.gravity(), Vec3<double>(1, 2, 3));
  EXPECT_EQ(read_robot("<link name='a'/>").model.gravity(), Vec3<double>(0, 0, -9.81));
}

TEST(Urdf, origin_is_the_identity_where_nothing_is_given) {
  for (const char* origin : {"", "<origin/>", "<origin xyz='0 0 0'/>", "<origin rpy='0 0 0'/>"})
    EXPECT_EQ(joint_of(read_joint("fixed", origin).model, "j").origin, Pose());
  EXPECT_EQ(joint_of(read_joint("fixed", "<origin xyz='1 2 3'/>").model, "j").origin,
            Pose({1, 2, 3}));
  EXPECT_EQ(joint_of(read_joint("fixed", "<origin rpy='1 2 3'/>").model, "j").origin,
            Pose({0, 0, 0}, {1, 2, 3}));
}

TEST(Urdf, rpy_turns_about_fixed_axes_x_then_y_then_z) {
  const Model model = read_joint("fixed", "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/>").model;
  using R = Rotation<double>;
  expect_close(model.frame("b").X_BF.rotation().matrix(),
               (R::about_z(0.3) * R::about_y(0.2) * R::about_x(0.1)).matrix(), 1e-15);
  EXPECT_EQ(model.frame("b").X_BF.translation(), Vec3<double>(1, 2, 3));
}

TEST(Urdf, quat_xyzw_is_an_orientation_with_w_last) {
  const double h = std::sqrt(0.5);
  const std::string text =
      "<origin quat_xyzw='0 0 " + std::to_string(h) + " " + std::to_string(h) + "'/>";
  expect_close(read_joint("fixed", text).model.frame("b").X_BF.rotation().matrix(),
               Rotation<double>::about_z(half_pi).matrix(), 1e-6);
  for_each_seed([](Random& random) {
    const Rotation<double> R = random_rotation<double>(random);
    const auto q = R.quaternion();
    char origin[200];
    std::snprintf(origin, sizeof origin, "<origin quat_xyzw='%.17g %.17g %.17g %.17g'/>", q.x, q.y,
                  q.z, q.w);
    expect_close(read_joint("fixed", origin).model.frame("b").X_BF.rotation().matrix(), R.matrix(),
                 1e-14);
  });
}

// --- links ---

TEST(Urdf, inertial_is_read_about_its_own_frame_and_kept_in_the_axes_of_the_link) {
  const LinkDescription link =
      read_link("<inertial><origin xyz='1 2 3' rpy='0 0 " + std::to_string(half_pi) +
                "'/><mass value='5'/>"
                "<inertia ixx='1' ixy='0.1' ixz='0.2' iyy='1.5' iyz='0.3' izz='2'/></inertial>");
  EXPECT_EQ(link.inertial->mass, 5.0);
  EXPECT_EQ(link.inertial->com, Vec3<double>(1, 2, 3));
  // a quarter turn about z: x becomes y, y becomes -x
  Mat3<double> I;
  I << 1.5, -0.1, -0.3, -0.1, 1, 0.2, -0.3, 0.2, 2;
  expect_close(link.inertial->inertia, I, 1e-6);
}

TEST(Urdf, inertial_in_a_turned_frame_is_the_same_body) {
  for_each_seed([](Random& random) {
    const Pose pose = random_pose(random);
    const Inertia<double> body = random_inertia<double>(random);
    const Mat3<double> I = body.rotational_about_com();
    char text[600];
    std::snprintf(
        text, sizeof text,
        "<inertial><origin xyz='%.17g %.17g %.17g' rpy='%.17g %.17g %.17g'/><mass value='%.17g'/>"
        "<inertia ixx='%.17g' ixy='%.17g' ixz='%.17g' iyy='%.17g' iyz='%.17g' "
        "izz='%.17g'/></inertial>",
        pose.xyz.x(), pose.xyz.y(), pose.xyz.z(), pose.rpy.x(), pose.rpy.y(), pose.rpy.z(),
        body.mass(), I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2));
    const Inertia<double> expected =
        pose.transform() * Inertia<double>::about_com(body.mass(), Vec3<double>::Zero(), I);
    expect_close(read_link(text).inertial->in_link_frame(), expected, 1e-13);
  });
}

TEST(Urdf, elements_may_stand_in_any_order) {
  const LinkDescription a = read_link(
      "<inertial><inertia izz='3' iyz='0' iyy='2' ixz='0' ixy='0' ixx='2'/><mass "
      "value='5'/><origin xyz='1 0 0'/></inertial>");
  const LinkDescription b = read_link(
      "<inertial><origin xyz='1 0 0'/><mass value='5'/><inertia ixx='2' ixy='0' ixz='0' iyy='2' "
      "iyz='0' izz='3'/></inertial>");
  EXPECT_EQ(a, b);
  const Model model = read_robot(
                          "<joint name='j' type='fixed'><child link='b'/><origin xyz='1 0 "
                          "0'/><parent link='a'/></joint><link name='b'/><link name='a'/>")
                          .model;
  EXPECT_EQ(model.body_name(0), "a");
}

TEST(Urdf, shapes_are_read_with_their_sizes) {
  const LinkDescription link = read_link(
      "<visual name='v'><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><geometry><box size='1 2 "
      "3'/></geometry></visual>"
      "<visual><geometry><cylinder radius='1' length='2'/></geometry></visual>"
      "<visual><geometry><sphere radius='3'/></geometry></visual>"
      "<visual><geometry><capsule radius='4' length='5'/></geometry></visual>"
      "<visual><geometry><mesh filename='a.stl'/></geometry></visual>"
      "<collision name='c'><geometry><mesh filename='package://p/a.dae' scale='1 -1 "
      "0.001'/></geometry></collision>");
  ASSERT_EQ(link.visuals.size(), 5u);
  EXPECT_EQ(link.visuals[0].name, "v");
  EXPECT_EQ(link.visuals[0].origin, Pose({1, 2, 3}, {0.1, 0.2, 0.3}));
  EXPECT_EQ(link.visuals[0].geometry, Geometry(Box{{1, 2, 3}}));
  EXPECT_EQ(link.visuals[1].geometry, Geometry(Cylinder{1, 2}));
  EXPECT_EQ(link.visuals[2].geometry, Geometry(Sphere{3}));
  EXPECT_EQ(link.visuals[3].geometry, Geometry(Capsule{4, 5}));
  EXPECT_EQ(link.visuals[4].geometry, Geometry(Mesh{"a.stl", Vec3<double>::Ones()}));
  ASSERT_EQ(link.collisions.size(), 1u);
  EXPECT_EQ(link.collisions[0].name, "c");
  EXPECT_EQ(link.collisions[0].geometry,
            Geometry(Mesh{"package://p/a.dae", Vec3<double>(1, -1, 0.001)}));
}

TEST(Urdf, material_is_found_whether_it_is_declared_before_or_after_its_use) {
  const std::string use =
      "<link name='a'><visual><geometry><sphere radius='1'/></geometry><material "
      "name='m'/></visual></link>";
  const std::string declaration =
      "<material name='m'><color rgba='0.1 0.2 0.3 0.4'/><texture filename='t.png'/></material>";
  for (const std::string& text : {declaration + use, use + declaration}) {
    const Material m = read_robot(text).model.description().links[0].visuals[0].material;
    EXPECT_EQ(m.name, "m");
    EXPECT_EQ(m.rgba, Vec4<double>(0.1, 0.2, 0.3, 0.4));
    EXPECT_EQ(m.texture, "t.png");
  }
}

TEST(Urdf, material_is_found_that_another_visual_declares) {
  const auto visual = [](const char* material) {
    return "<visual><geometry><sphere radius='1'/></geometry>" + std::string(material) +
           "</visual>";
  };
  const Description d =
      read_robot("<link name='a'>" + visual("<material name='m'/>") +
                 visual("<material name='m'><color rgba='1 0 0 1'/></material>") +
                 visual("<material name='other'/>") +
                 visual("<material><color rgba='0 1 0 1'/></material>") + "</link>")
          .model.description();
  EXPECT_EQ(d.links[0].visuals[0].material.rgba, Vec4<double>(1, 0, 0, 1));
  EXPECT_FALSE(d.links[0].visuals[2].material.rgba);
  EXPECT_EQ(d.links[0].visuals[2].material.name, "other");
  EXPECT_EQ(d.links[0].visuals[3].material.rgba, Vec4<double>(0, 1, 0, 1));
}

// --- joints ---

TEST(Urdf, joint_kinds_have_their_coordinates) {
  const std::tuple<const char*, JointType, int, int> kinds[] = {
      {"fixed", JointType::fixed, 0, 0},
      {"revolute", JointType::revolute, 1, 1},
      {"continuous", JointType::continuous, 1, 1},
      {"prismatic", JointType::prismatic, 1, 1},
      {"planar", JointType::planar, 3, 3},
      {"floating", JointType::floating, 7, 6},
      {"ball", JointType::ball, 4, 3},
      {"helical", JointType::helical, 1, 1}};
  for (const auto& [name, type, nq, nv] : kinds) {
    const Model model = read_joint(name, "<axis xyz='0 0 1' ulna:pitch='0.02'/>").model;
    EXPECT_EQ(joint_of(model, "j").type, type) << name;
    EXPECT_EQ(model.nq(), nq) << name;
    EXPECT_EQ(model.nv(), nv) << name;
    EXPECT_EQ(joint_of(model, "j").pitch, type == JointType::helical ? 0.02 : 0.0);
  }
}

TEST(Urdf, every_joint_moves_its_child_about_the_axis_that_is_written) {
  for (const char* type :
       {"revolute", "continuous", "prismatic", "helical", "planar", "ball", "floating"})
    for_each_seed(
        [&](Random& random) {
          const Model model = read_joint(type,
                                         "<origin xyz='1 2 3' rpy='0.4 0.5 0.6'/><axis xyz='0.48 "
                                         "0.6 0.64' ulna:pitch='0.1'/>")
                                  .model;
          const Eigen::VectorXd q = random_q(model, random);
          expect_same_poses(described_poses(model, q), frame_poses(model, q));
        },
        3);
}

TEST(Urdf, limits_are_read) {
  const Imported r = read_joint(
      "revolute", "<axis xyz='0 0 1'/><limit lower='-1' upper='2' effort='3' velocity='4'/>");
  EXPECT_TRUE(r.diagnostics.list().empty());
  EXPECT_EQ(r.model.lower_limit()(0), -1.0);
  EXPECT_EQ(r.model.upper_limit()(0), 2.0);
  EXPECT_EQ(r.model.effort_limit()(0), 3.0);
  EXPECT_EQ(r.model.velocity_limit()(0), 4.0);
}

TEST(Urdf, limits_that_are_not_given_are_zero_beside_one_that_is_and_infinite_otherwise) {
  const auto limits = [](const char* type, const char* text) {
    return joint_of(
               read_joint(type, "<axis xyz='0 0 1' ulna:pitch='1'/>" + std::string(text)).model,
               "j")
        .limits;
  };
  EXPECT_EQ(limits("revolute", "<limit effort='3' velocity='4'/>"),
            (Limits{-infinity, infinity, 4.0, 3.0}));
  EXPECT_EQ(limits("prismatic", "<limit upper='1'/>"), (Limits{0.0, 1.0, infinity, infinity}));
  EXPECT_EQ(limits("prismatic", "<limit lower='-1'/>"), (Limits{-1.0, 0.0, infinity, infinity}));
  EXPECT_EQ(limits("revolute", ""), Limits());
  EXPECT_EQ(limits("helical", ""), Limits());
}

TEST(Urdf, continuous_joint_has_effort_and_velocity_limits_but_no_range) {
  const Imported r = read_joint(
      "continuous", "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='3' velocity='4'/>");
  EXPECT_EQ(joint_of(r.model, "j").limits, (Limits{-infinity, infinity, 4.0, 3.0}));
}

TEST(Urdf, joint_of_several_coordinates_has_its_effort_limit_in_each) {
  const Model model = read_joint("ball", "<limit effort='3' velocity='4'/>").model;
  EXPECT_EQ(model.effort_limit(), Eigen::VectorXd::Constant(3, 3.0));
  EXPECT_EQ(model.velocity_limit(), Eigen::VectorXd::Constant(3, 4.0));
}

TEST(Urdf, dynamics_is_read_with_its_extensions) {
  const auto dynamics = [](const char* text) {
    return joint_of(read_joint("continuous", "<axis xyz='0 0 1'/>" + std::string(text)).model, "j")
        .dynamics;
  };
  EXPECT_EQ(dynamics(""), JointDynamics());
  EXPECT_EQ(dynamics("<dynamics/>"), JointDynamics());
  EXPECT_EQ(dynamics("<dynamics damping='1' friction='2'/>"), (JointDynamics{1, 2, 2, 0}));
  EXPECT_EQ(
      dynamics("<dynamics damping='1' friction='2' ulna:friction_negative='3' ulna:armature='4'/>"),
      (JointDynamics{1, 2, 3, 4}));
}

TEST(Urdf, mimic_has_multiplier_one_and_offset_zero_by_default) {
  const std::string three =
      "<link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='j' type='continuous'><axis xyz='0 0 1'/><parent link='a'/><child "
      "link='b'/></joint>"
      "<joint name='k' type='continuous'><axis xyz='0 0 1'/><parent link='b'/><child link='c'/>";
  EXPECT_EQ(joint_of(read_robot(three + "<mimic joint='j'/></joint>").model, "k").mimic,
            (Mimic{"j", 1.0, 0.0}));
  const Model model =
      read_robot(three + "<mimic joint='j' multiplier='-2' offset='0.5'/></joint>").model;
  EXPECT_EQ(joint_of(model, "k").mimic, (Mimic{"j", -2.0, 0.5}));
  EXPECT_EQ(model.nv(), 1);
  EXPECT_EQ(model.joint(2).mimics, 1);
}

TEST(Urdf, joints_are_numbered_depth_first_in_the_order_of_the_file) {
  const std::string axis = "<axis xyz='0 0 1'/>";
  const auto joint = [&](const char* name, const char* parent, const char* child) {
    return "<joint name='" + std::string(name) + "' type='continuous'>" + axis + "<parent link='" +
           parent + "'/><child link='" + child + "'/></joint>";
  };
  const Model model =
      read_robot(
          "<link name='e'/><link name='d'/><link name='c'/><link name='b'/><link name='a'/>" +
          joint("second", "b", "c") + joint("fourth", "a", "e") + joint("first", "a", "b") +
          joint("third", "c", "d"))
          .model;
  std::vector<std::string> names;
  for (int b = 1; b < model.body_count(); ++b) names.emplace_back(model.joint_name(b));
  EXPECT_EQ(names, (std::vector<std::string>{"fourth", "first", "second", "third"}));
}

TEST(Urdf, frames_and_loops_are_read) {
  const auto d =
      read_robot(
          "<link name='a'/><link name='b'/><joint name='j' type='continuous'><axis xyz='0 0 "
          "1'/><parent link='a'/><child link='b'/></joint>"
          "<ulna:frame name='f' link='b'><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/></ulna:frame>"
          "<ulna:loop name='l' type='revolute' link1='a' link2='b'><origin1 xyz='1 0 0'/><origin2 "
          "xyz='0 1 0'/><axis xyz='0 0 2'/></ulna:loop>"
          "<ulna:loop name='m' type='ball' link1='a' link2='b'/>")
          .model.description();
  ASSERT_EQ(d.frames.size(), 1u);
  EXPECT_EQ(d.frames[0], (FrameDescription{"f", "b", Pose({1, 2, 3}, {0.1, 0.2, 0.3}), 0}));
  ASSERT_EQ(d.loops.size(), 2u);
  EXPECT_EQ(d.loops[0], (LoopDescription{"l", JointType::revolute, "a", "b", Pose({1, 0, 0}),
                                         Pose({0, 1, 0}), Vec3<double>::UnitZ(), 0}));
  EXPECT_EQ(d.loops[1].type, JointType::ball);
}

TEST(Urdf, what_means_nothing_to_dynamics_is_skipped_with_a_note) {
  const Imported r = read_robot(
      "<link name='a'><self_collide>true</self_collide></link>\n<gazebo reference='a'><joint "
      "name='x'/><mass/></gazebo>\n<transmission name='t'><joint "
      "name='x'/></transmission>\n<gazebo/>");
  EXPECT_EQ(r.diagnostics.count(Severity::warning), 0u);
  ASSERT_EQ(r.diagnostics.count(Severity::note), 3u);
  EXPECT_EQ(r.diagnostics.list()[1].str(),
            "r.urdf:3: note: <gazebo>: skipped, here and 1 more times [tag-ignored]");
  EXPECT_EQ(
      read_joint("continuous",
                 "<axis xyz='0 0 1'/><safety_controller k_velocity='1'/><calibration rising='1'/>")
          .diagnostics.count(Severity::note),
      2u);
}

// --- lines ---

TEST(Urdf, number_is_told_on_the_line_of_its_attribute) {
  const std::string text =
      "<robot name='r'>\n<link name='a'>\n<inertial>\n<mass\n value='1'/>\n<inertia\n ixx='1'\n "
      "ixy='0'\n ixz='x'\n iyy='1' iyz='0' izz='1'/>\n</inertial></link></robot>";
  EXPECT_EQ(line_told(text, rules::number_invalid), 9);
  EXPECT_EQ(line_told(replaced(text, "value='1'", "value='nan'"), rules::number_invalid), 5);
}

TEST(Urdf, lines_are_counted_through_comments_declarations_and_all_line_ends) {
  const std::string start =
      "<?xml version='1.0'?>\n<!-- one\n two\n three -->\n<robot name='r'>\n\n<link "
      "name='a'>\n<inertial><mass value='x'/>";
  EXPECT_EQ(line_told(start + "</inertial></link></robot>", rules::number_invalid), 8);
  std::string crlf;
  for (const char c : start) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(line_told(crlf + "</inertial></link></robot>", rules::number_invalid), 8);
  EXPECT_EQ(line_told("\xEF\xBB\xBF" + start + "</inertial></link></robot>", rules::number_invalid),
            8);
}

TEST(Urdf, missing_attribute_is_told_on_the_line_of_its_element) {
  EXPECT_EQ(
      line_told(
          "<robot name='r'>\n<link name='a'>\n<inertial>\n<mass/>\n</inertial></link></robot>",
          rules::attribute_missing),
      4);
}

// --- what real files contain ---

TEST(RealFiles, hang_on_a_world_that_nobody_declares) {
  const Imported r = read_robot(
      "<link name='base'/><joint name='fix' type='fixed'><parent link='world'/><child "
      "link='base'/></joint>");
  EXPECT_EQ(r.model.body_name(0), "world");
  EXPECT_NE(r.diagnostics.find(rules::link_undeclared), nullptr);
}

TEST(RealFiles, have_zero_axes_on_fixed_joints) {
  EXPECT_TRUE(read_joint("fixed", "<axis xyz='0 0 0'/>").diagnostics.list().empty());
}

TEST(RealFiles, have_effort_zero_and_so_no_effort_limit) {
  const Imported r =
      read_joint("continuous", "<axis xyz='0 0 1'/><limit effort='0' velocity='0'/>");
  EXPECT_EQ(r.model.effort_limit()(0), infinity);
  EXPECT_EQ(r.model.velocity_limit()(0), infinity);
  EXPECT_NE(r.diagnostics.find(rules::effort_zero), nullptr);
}

TEST(RealFiles, have_links_that_move_and_weigh_nothing) {
  const Imported r = read_robot(
      "<link name='a'/><link name='b'/><link name='c'><inertial><mass value='1'/><inertia ixx='1' "
      "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
      "<joint name='j' type='continuous'><axis xyz='0 0 1'/><parent link='a'/><child "
      "link='b'/></joint>"
      "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>");
  EXPECT_NE(r.diagnostics.find(rules::inertial_missing), nullptr);
  EXPECT_EQ(r.diagnostics.find(rules::body_massless), nullptr);
  EXPECT_EQ(r.model.inertias()[1].mass(), 1.0);
}

TEST(RealFiles, keep_an_inertia_that_no_body_has) {
  const Imported r = read_robot(
      "<link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
      "iyy='1' iyz='0' izz='3'/></inertial></link>"
      "<joint name='j' type='continuous'><axis xyz='0 0 1'/><parent link='a'/><child "
      "link='b'/></joint>");
  EXPECT_NE(r.diagnostics.find(rules::inertia_triangle), nullptr);
  EXPECT_EQ(r.model.inertias()[1].rotational()(2, 2), 3.0);
}

TEST(RealFiles, carry_properties_that_xacro_left_behind) {
  const Imported r = read_robot(
      "<link name='a'/><xacro:property name='pi' value='3.14'/><xacro:arg name='x' default='1'/>");
  EXPECT_NE(r.diagnostics.find(rules::xacro_leftover), nullptr);
}

}  // namespace
}  // namespace ulna::test
