#include "support/mjcf.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>

#include "support/robot_files.hpp"
#include "support/same_motion.hpp"
#include "support/told.hpp"
#include "support/xacro.hpp"

#ifdef ULNA_WITH_MUJOCO
#include <mujoco/mujoco.h>
#endif

namespace ulna::test::mjcf_files {
namespace {

constexpr double pi = 3.141592653589793;

Imported mjcf(std::string_view inside, const std::string& file = "m.xml") {
  return import_robot("<mujoco>\n" + std::string(inside) + "\n</mujoco>", file);
}
/// A body with a joint, in the world.
Model hinge(const std::string& attributes, const std::string& settings = "",
            const std::string& body = "") {
  return mjcf(settings + "<worldbody><body name='b' " + body + "><joint name='j' " + attributes +
              "/><inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/></body></worldbody>")
      .model;
}

TEST(Mjcf, is_the_robot_that_the_same_urdf_describes) {
  const Model from_mjcf = mjcf(R"(
    <compiler angle='degree'/>
    <worldbody>
      <body name='upper' pos='0 0 0.3' euler='0 0 90'>
        <joint name='shoulder' axis='0 1 0' range='-90 45' damping='0.5' frictionloss='0.2' armature='0.01'/>
        <inertial pos='0 0 0.1' mass='2' fullinertia='0.02 0.021 0.012 0.001 0 0'/>
        <body name='lower' pos='0.1 0 0.4'>
          <joint name='slide' type='slide' axis='0 0 2' limited='true' range='0 0.5'/>
          <inertial pos='0 0 0' mass='1' diaginertia='0.01 0.011 0.013'/>
        </body>
      </body>
    </worldbody>
    <actuator><motor joint='shoulder' gear='50' ctrlrange='-1 1'/></actuator>)")
                              .model;
  const Model from_urdf = import_urdf(R"(<robot name='r' xmlns:ulna='https://ulna.dev/urdf'>
    <link name='world'/>
    <link name='upper'><inertial><origin xyz='0 0 0.1'/><mass value='2'/>
      <inertia ixx='0.02' ixy='0.001' ixz='0' iyy='0.021' iyz='0' izz='0.012'/></inertial></link>
    <link name='lower'><inertial><mass value='1'/>
      <inertia ixx='0.01' ixy='0' ixz='0' iyy='0.011' iyz='0' izz='0.013'/></inertial></link>
    <joint name='shoulder' type='revolute'><origin xyz='0 0 0.3' rpy='0 0 1.5707963267948966'/>
      <parent link='world'/><child link='upper'/><axis xyz='0 1 0'/>
      <limit lower='-1.5707963267948966' upper='0.7853981633974483' effort='50'/>
      <dynamics damping='0.5' friction='0.2' ulna:armature='0.01'/></joint>
    <joint name='slide' type='prismatic'><origin xyz='0.1 0 0.4'/><parent link='upper'/><child link='lower'/>
      <axis xyz='0 0 1'/><limit lower='0' upper='0.5'/></joint>
    </robot>)",
                                      "r.urdf")
                              .model;
  expect_same_motion(from_mjcf, from_urdf);
  expect_same_limits(from_mjcf, from_urdf);
  EXPECT_EQ(from_mjcf.damping(), from_urdf.damping());
  EXPECT_EQ(from_mjcf.friction(), from_urdf.friction());
  EXPECT_EQ(from_mjcf.armature(), from_urdf.armature());
}

TEST(Mjcf, angles_are_degrees_unless_the_compiler_says_radians) {
  EXPECT_EQ(hinge("range='-90 180'").upper_limit()(0), 180 * (pi / 180));
  EXPECT_EQ(hinge("range='-1 2'", "<compiler angle='radian'/>").upper_limit()(0), 2.0);
  EXPECT_EQ(hinge("type='slide' range='-1 2'").upper_limit()(0), 2.0);
}

TEST(Mjcf, a_range_limits_unless_the_joint_says_otherwise) {
  EXPECT_EQ(hinge("range='-1 2' limited='false'").upper_limit()(0), infinity);
  EXPECT_EQ(hinge("").upper_limit()(0), infinity);
  EXPECT_EQ(hinge("range='-1 2' limited='true'", "<compiler autolimits='false'/>").upper_limit()(0),
            2 * (pi / 180));
}

TEST(Mjcf, orientations_are_given_in_five_ways) {
  const auto turn = [](const std::string& how, const std::string& settings = "") -> Mat3<double> {
    return joint_of(hinge("", settings, how), "j").origin.transform().rotation().matrix();
  };
  const Mat3<double> z90 = Rotation<double>::about_z(pi / 2).matrix();
  for (const char* how :
       {"quat='2 0 0 2'", "axisangle='0 0 1 90'", "euler='0 0 90'", "xyaxes='0 1 0 -2 0 0'"})
    EXPECT_LT((turn(how) - z90).norm(), 1e-15) << how;
  EXPECT_LT((turn("zaxis='1 0 0'") - Rotation<double>::about_y(pi / 2).matrix()).norm(), 1e-15);
  EXPECT_LT((turn("euler='10 20 30'") -
             (Rotation<double>::about_x(pi / 18) * Rotation<double>::about_y(pi / 9) *
              Rotation<double>::about_z(pi / 6))
                 .matrix())
                .norm(),
            1e-15);
  EXPECT_LT((turn("euler='10 20 30'", "<compiler eulerseq='XYZ'/>") -
             Rotation<double>::from_rpy(pi / 18, pi / 9, pi / 6).matrix())
                .norm(),
            1e-15);
}

TEST(Mjcf, defaults_are_those_of_the_class_and_of_the_classes_above) {
  const Model arm = import_robot(good_mjcf, "arm.xml").model;
  EXPECT_EQ(joint_of(arm, "shoulder").axis, Vec3<double>::UnitZ());
  EXPECT_EQ(joint_of(arm, "elbow").axis, Vec3<double>::UnitY());
  EXPECT_EQ(joint_of(arm, "shoulder").dynamics.armature, 0.02);
  EXPECT_EQ(joint_of(arm, "elbow").dynamics.armature, 0.01);
  EXPECT_EQ(joint_of(arm, "elbow").dynamics.damping, 0.5);
  EXPECT_EQ(joint_of(arm, "shoulder").limits.effort, 60.0);
  EXPECT_EQ(joint_of(arm, "elbow").limits.effort, 40.0);
  EXPECT_EQ(joint_of(arm, "roll").limits.effort, 7.0);
  EXPECT_NEAR(joint_of(arm, "shoulder").limits.upper, 2 * pi / 3, 1e-15);
}

TEST(Mjcf, geoms_are_drawn_by_their_group_and_touch_by_their_type) {
  const Model arm = import_robot(good_mjcf, "arm.xml").model;
  const LinkDescription& upper = link_of(arm, "upper");
  ASSERT_EQ(upper.visuals.size(), 2u);
  ASSERT_EQ(upper.collisions.size(), 1u);
  EXPECT_EQ(upper.visuals[0].name, "rod");
  EXPECT_EQ(std::get<Capsule>(upper.visuals[0].geometry), (Capsule{0.04, 0.4}));
  EXPECT_EQ(upper.visuals[0].origin.xyz, Vec3<double>(0, 0, 0.2));
  EXPECT_EQ(std::get<Mesh>(upper.visuals[1].geometry).file, "cover.stl");
  // a geom's own colour, by its class, stands before that of its material
  EXPECT_EQ(*upper.visuals[0].material.rgba, Vec4<double>(0.5, 0.5, 0.5, 1));
}

TEST(Mjcf, inertia_of_geoms_is_that_of_their_density) {
  const Imported arm = import_robot(good_mjcf, "arm.xml");
  const Inertial& upper = *link_of(arm.model, "upper").inertial;
  const double volume = pi * 0.04 * 0.04 * (0.4 + 4.0 / 3.0 * 0.04);
  EXPECT_NEAR(upper.mass, 800 * volume, 1e-12);
  EXPECT_LT((upper.com - Vec3<double>(0, 0, 0.2)).norm(), 1e-15);
  EXPECT_EQ(link_of(arm.model, "hand").inertial->mass, 0.7);
  EXPECT_TRUE(arm.diagnostics.find(rules::inertia_computed));
}

TEST(Mjcf, joints_of_one_body_move_it_one_after_the_other) {
  const Model arm = import_robot(good_mjcf, "arm.xml").model;
  EXPECT_EQ(joint_of(arm, "roll").child, "hand_1");
  EXPECT_EQ(joint_of(arm, "pinch").parent, "hand_1");
  EXPECT_EQ(joint_of(arm, "pinch").child, "hand");
  // the position at the reference is where the body is drawn
  Eigen::VectorXd q = Eigen::VectorXd::Zero(arm.nq());
  q(2) = 20 * pi / 180;
  const auto hand = Robot(arm).pose(q, "hand"), lower = Robot(arm).pose(q, "lower_frame");
  EXPECT_TRUE((lower.inverse() * hand)
                  .rotation()
                  .matrix()
                  .isApprox(Rotation<double>::about_z(pi).matrix(), 1e-12));
  EXPECT_LT(((lower.inverse() * hand).translation() - Vec3<double>(0, 0, 0.3)).norm(), 1e-12);
}

TEST(Mjcf, a_freejoint_has_no_defaults) {
  const Model m = mjcf(
                      "<default><joint damping='0.3' armature='0.2'/></default><worldbody><body "
                      "name='b'><freejoint name='f'/><inertial pos='0 0 1' mass='1' diaginertia='1 "
                      "1 1'/></body></worldbody>")
                      .model;
  EXPECT_TRUE(m.damping().isZero(0.0));
  EXPECT_TRUE(m.armature().isZero(0.0));
}

TEST(Mjcf, of_robots_with_loops_joints_without_actuators_have_no_drive) {
  const std::string body = "<inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/>",
                    arms = "<worldbody><body name='a'><joint name='x'/>" + body +
                           "</body><body name='b' pos='1 0 0'>"
                           "<joint name='y'/>" +
                           body + "</body></worldbody>",
                    drive = "<actuator><motor joint='x' ctrlrange='-3 3'/></actuator>",
                    loop = "<equality><connect body1='a' body2='b' anchor='0 1 0'/></equality>";
  const auto efforts = [](const std::string& text) { return mjcf(text).model.effort_limit(); };
  EXPECT_EQ(efforts(arms + loop + drive), Eigen::Vector2d(3.0, 0.0));
  EXPECT_EQ(efforts(arms + drive), Eigen::Vector2d(3.0, infinity));
  EXPECT_EQ(efforts(arms + loop), Eigen::Vector2d(infinity, infinity));
  // what several actuators can together
  EXPECT_EQ(efforts(arms + drive + drive)(0), 6.0);
}

TEST(Mjcf, equalities_of_joints_are_mimics_and_those_of_bodies_are_loops) {
  const Model m = mjcf(R"(<compiler angle='radian'/><worldbody>
      <body name='a'><joint name='x' ref='0.5'/><inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/>
        <body name='b' pos='0 0 1'><joint name='y' ref='0.25'/><inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/></body>
      </body></worldbody>
      <equality><joint joint1='y' joint2='x' polycoef='0.1 2'/><connect body1='b' anchor='0 0.2 1'/></equality>)")
                      .model;
  EXPECT_EQ(joint_of(m, "y").mimic->multiplier, 2.0);
  EXPECT_NEAR(joint_of(m, "y").mimic->offset, 0.1 + 0.25 - 2 * 0.5, 1e-15);
  ASSERT_EQ(m.description().loops.size(), 1u);
  EXPECT_EQ(m.description().loops[0].type, JointType::ball);
  EXPECT_LT((m.description().loops[0].origin2.xyz - Vec3<double>(0, 0.2, 2)).norm(), 1e-15);
}

TEST(Mjcf, includes_files_whose_findings_have_their_own_lines) {
  const Files files("mjcf");
  files.write(
      "parts/leg.xml",
      "<mujoco>\n<worldbody>\n<body name='leg'>\n<joint name='hip'/>\n<geom\n size='0.1m'/>\n"
      "</body>\n</worldbody>\n</mujoco>");
  const std::string robot =
      files.write("robot.xml", "<mujoco model='r'>\n<include file='parts/leg.xml'/>\n</mujoco>");
  const std::string what = told<ModelError>([&] { load_robot(robot); });
  EXPECT_NE(
      what.find(
          "parts/leg.xml:6: error: body 'leg': geom: size '0.1m': '0.1m' has something behind"),
      what.npos)
      << what;
  files.write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
  files.write("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
  EXPECT_NE(
      told<ModelError>([&] { load_robot(files.path("a.xml")); }).find("a.xml' includes itself"),
      std::string::npos);
}

TEST(Mjcf, included_files_together_are_not_nested_deeper_than_the_stack) {
  const Files files("deep_mjcf");
  for (const auto& [ending, include] :
       {std::pair{".xml", "<include file='"}, {".xacro", "<xacro:include filename='"}}) {
    const std::string root = ending == std::string(".xml") ? "mujoco" : "robot";
    for (int i = 0; i < 900; ++i)
      files.write("f" + std::to_string(i) + ending, "<" + root + " name='r'>" +
                                                        repeated("<a>", 90) + include + "f" +
                                                        std::to_string(i + 1) + ending + "'/>" +
                                                        repeated("</a>", 90) + "</" + root + ">");
    const std::string what =
        told<ModelError>([&] { load_robot(files.path("f0" + std::string(ending))); });
    EXPECT_NE(what.find("nested more than 1000 deep"), what.npos) << what;
  }
}

/// What MJCF can express.
bool fits(const Model& model) {
  bool fits = model.description().loops.empty() && model.drives().plain();
  for (const JointDescription& j : model.description().joints) {
    fits = fits && j.type != JointType::helical && j.type != JointType::planar && !j.spring;
    fits = fits && (velocity_size(j.type) <= 1 || !std::isfinite(j.limits.effort));
    fits = fits && j.dynamics.friction == j.dynamics.friction_negative;
  }
  return fits;
}

TEST(Mjcf, that_is_written_reads_as_the_same_robot) {
  int robots = 0;
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(robot.name);
    const Model model = import_robot(robot.text, std::string(robot.file_name)).model;
    Diagnostics lost;
    const std::string text = to_mjcf(model, lost);
    const Model again = import_robot(text, "again.xml").model;
    if (!fits(model)) {
      EXPECT_TRUE(lost.find(rules::dynamics_lost));
      continue;
    }
    expect_same_motion(model, again);
    expect_same_limits(model, again, false);
    EXPECT_EQ(again.description().gravity, model.description().gravity);
    EXPECT_EQ(again.name(), model.name());
    ++robots;
  }
  EXPECT_GE(robots, 15);
}

#ifdef ULNA_WITH_MUJOCO

/// MuJoCo's own compiler on a text.
class MujocoWitness {
 public:
  explicit MujocoWitness(const std::string& text) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(text.size()));
    std::copy(text.begin(), text.end(), static_cast<char*>(files->filedata[0]));
    load("robot.xml", files.get());
    mj_deleteVFS(files.get());
  }
  /// On a file, and those that it includes.
  explicit MujocoWitness(const std::filesystem::path& file) { load(file.c_str(), nullptr); }
  /// Where one joint has its coordinates.
  int q(std::string_view joint) const { return model->jnt_qposadr[id(joint)]; }
  int v(std::string_view joint) const { return model->jnt_dofadr[id(joint)]; }
  int id(std::string_view joint) const {
    return mj_name2id(model.get(), mjOBJ_JOINT, std::string(joint).c_str());
  }

  std::unique_ptr<mjModel, void (*)(mjModel*)> model{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data{nullptr, mj_deleteData};

 private:
  void load(const char* file, const mjVFS* files) {
    char error[500] = "";
    model.reset(mj_loadXML(file, files, error, sizeof error));
    if (!model) throw std::runtime_error(error);
    data.reset(mj_makeData(model.get()));
  }
};

/// Mass matrix and bias forces as MuJoCo computes them from the same description.
void expect_as_mujoco(const Model& model, MujocoWitness& mujoco, double tolerance) {
  mjModel& m = *mujoco.model;
  mjData& d = *mujoco.data;
  m.opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT | mjDSBL_PASSIVE;
  ASSERT_EQ(m.nv, model.nv());
  Robot robot(model);
  std::mt19937_64 engine(3);
  Random random(3);
  for (int i = 0; i < 5; ++i) {
    const Eigen::VectorXd q = random_configuration(model, engine);
    const Eigen::VectorXd v =
        Eigen::VectorXd::NullaryExpr(model.nv(), [&] { return random.real(-1.0, 1.0); });
    Eigen::MatrixXd to_ulna = Eigen::MatrixXd::Identity(model.nv(), model.nv());  // of velocities
    Eigen::VectorXd bias_shift = Eigen::VectorXd::Zero(model.nv());
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      const std::string_view name = model.joint_name(b);
      ASSERT_EQ(mujoco.v(name), j.v);
      double* at = d.qpos + mujoco.q(name);
      if (j.type == JointType::floating) {
        const Mat3<double> R =
            Rotation<double>::from_quaternion({q(j.q), q(j.q + 1), q(j.q + 2), q(j.q + 3)})
                .matrix();
        std::copy_n(q.data() + j.q + 4, 3, at);
        std::copy_n(q.data() + j.q, 4, at + 3);
        // MuJoCo: linear velocity in the world, then angular in the body
        to_ulna.block<6, 6>(j.v, j.v).setZero();
        to_ulna.block<3, 3>(j.v, j.v + 3).setIdentity();
        to_ulna.block<3, 3>(j.v + 3, j.v) = R.transpose();
        const Vec3<double> w = v.segment<3>(j.v), u = v.segment<3>(j.v + 3);
        // its derivative is not that of the body's: du = R' (dv - w x v)
        bias_shift.segment<3>(j.v + 3) = -cross(w, u);
      } else {
        std::copy_n(q.data() + j.q, configuration_size(j.type), at);
      }
    }
    const Eigen::VectorXd given = to_ulna.transpose() * v;
    std::copy_n(given.data(), model.nv(), d.qvel);
    mj_forward(&m, &d);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> full(model.nv(),
                                                                                model.nv());
    mj_fullM(&m, full.data(), d.qM);
    const Eigen::MatrixXd M = robot.mass_matrix(q), N = to_ulna * full * to_ulna.transpose();
    EXPECT_LT((M - N).cwiseAbs().maxCoeff(), tolerance * (1.0 + M.cwiseAbs().maxCoeff()));
    const Eigen::VectorXd bias = robot.bias_torque(q, v) + M * bias_shift,
                          expected = to_ulna * Eigen::Map<Eigen::VectorXd>(d.qfrc_bias, model.nv());
    EXPECT_LT((bias - expected).cwiseAbs().maxCoeff(),
              tolerance * (1.0 + bias.cwiseAbs().maxCoeff()));
    for (int k = 0; k < m.njnt; ++k) {
      if (m.jnt_type[k] != mjJNT_HINGE && m.jnt_type[k] != mjJNT_SLIDE) continue;
      const int at = m.jnt_dofadr[k];
      EXPECT_EQ(std::isfinite(model.lower_limit()(
                    model.joint(*model.find_joint(mj_id2name(&m, mjOBJ_JOINT, k))).q)),
                bool(m.jnt_limited[k]));
      EXPECT_EQ(model.armature()(at), m.dof_armature[at]);
      EXPECT_EQ(model.damping()(at), m.dof_damping[at]);
      EXPECT_EQ(model.friction()(at), m.dof_frictionloss[at]);
    }
  }
}

void expect_as_mujoco(const std::string& text, double tolerance) {
  MujocoWitness mujoco(text);
  expect_as_mujoco(import_robot(text, "robot.xml").model, mujoco, tolerance);
}

// MuJoCo finds the principal axes of an inertia to about 1e-8; where it is given them, it computes to rounding
TEST(Mjcf, is_compiled_as_mujoco_does) {
  const std::string inertial =
      "<inertial pos='0.1 0.02 0.3' mass='1.5' diaginertia='0.02 0.03 0.04' euler='10 20 30'/>";
  const std::string settings =
      "<compiler angle='degree' autolimits='true' inertiafromgeom='auto'/>";
  const std::pair<const char*, std::string> robots[] = {
      {"several joints of a body, with anchors and references",
       "<worldbody><body name='a' pos='0.1 0.2 0.3' euler='20 30 40'>"
       "<joint name='x' axis='1 0.2 0' pos='0.1 0 0.2' ref='15' range='-90 90' armature='0.3' "
       "damping='0.2'/>"
       "<joint name='y' axis='0 1 0.3' pos='0 0.3 0.2' frictionloss='0.1'/>"
       "<joint name='z' type='slide' axis='0.3 0 1' pos='1 2 3' ref='0.1' range='-1 1'/>" +
           inertial +
           "<body name='b' pos='0 0.3 0.4' quat='1 2 3 4'><joint name='w' pos='0.2 0.1 0' axis='1 "
           "1 1'/>" +
           inertial + "</body></body></worldbody>"},
      {"a free body with balls", "<worldbody><body name='a' pos='0 0 1'><freejoint name='free'/>" +
                                     inertial +
                                     "<body name='b' pos='0.3 0 0' axisangle='0 1 0 40'><joint "
                                     "name='ball' type='ball' pos='0.1 0 0' armature='0.1'/>" +
                                     inertial + "<body name='c' pos='0 0.2 0'><joint name='h'/>" +
                                     inertial + "</body></body></body></worldbody>"},
      {"geoms of all shapes",
       "<worldbody><body name='a'><joint name='x'/><geom type='sphere' size='0.1' pos='0.1 0 "
       "0'/></body>"
       "<body name='b'><joint name='y' axis='0 1 0'/><geom type='capsule' size='0.1 0.2' pos='0.3 "
       "0 0'/></body>"
       "<body name='c'><joint name='z' axis='0 1 0'/><geom type='box' size='0.1 0.2 0.3' mass='2' "
       "pos='0 0 0.1'/></body>"
       "<body name='d'><joint name='u' axis='1 0 0'/><geom type='cylinder' size='0.1 0.2' "
       "density='500'/></body>"
       "<body name='e'><joint name='v' axis='1 0 0'/><geom type='ellipsoid' size='0.1 0.2 0.3' "
       "pos='0 1 0'/></body>"
       "</worldbody>"},
      {"a fixed body between",
       "<option gravity='1 2 -5'/><default><default class='d'><joint axis='0 1 0' "
       "armature='0.2'/></default></default>"
       "<worldbody><body name='a' childclass='d'><joint name='x'/>" +
           inertial + "<body name='b' pos='0.1 0.2 0.3' xyaxes='0 1 0 0 0 1'>" + inertial +
           "<body name='c' pos='0 0 1' zaxis='1 2 3'><joint name='y'/>" + inertial +
           "</body></body></body></worldbody>"}};
  for (const auto& [name, text] : robots) {
    SCOPED_TRACE(name);
    expect_as_mujoco("<mujoco>" + settings + text + "</mujoco>", 1e-12);
  }
}

TEST(Mjcf, of_composed_geoms_and_lines_is_compiled_as_mujoco_does) {
  // principal axes are to be found here
  expect_as_mujoco(
      "<mujoco><compiler autolimits='true'/><worldbody><body name='a' euler='0 30 0'><joint "
      "name='x' axis='0 1 0'/>"
      "<geom type='capsule' fromto='0 0 0 0.1 0.2 0.4' size='0.04'/><geom type='box' fromto='0.1 "
      "0.2 0.4 0.3 0.1 0' size='0.02 0.03'/>"
      "<geom type='sphere' size='0.1' group='4' pos='0 1 1'/></body></worldbody></mujoco>",
      1e-7);
  std::string text(good_mjcf);
  text = replaced(text, "<mesh name='cover' file='cover.stl' scale='0.001 0.001 0.001'/>", "");
  text = replaced(text, "<geom type='mesh' mesh='cover' contype='0' conaffinity='0' density='0'/>",
                  "");
  text = replaced(text, "<compiler ", "<compiler autolimits='true' ");
  expect_as_mujoco(text, 1e-7);
}

TEST(Mjcf, that_is_written_of_each_embedded_robot_is_accepted_by_mujoco) {
  int robots = 0;
  for (const EmbeddedRobot& robot : embedded_robots()) {
    SCOPED_TRACE(robot.name);
    const Model model = import_robot(robot.text, std::string(robot.file_name)).model;
    const bool massive =
        std::ranges::all_of(model.description().links, [&](const LinkDescription& l) {
          return l.name == model.body_name(0) ||
                 (l.inertial &&
                  l.inertial->inertia.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff() >
                      1e-9);
        });
    const bool meshes =
        std::ranges::any_of(model.description().links, [](const LinkDescription& l) {
          return std::ranges::any_of(
              l.visuals, [](const Shape& s) { return std::holds_alternative<Mesh>(s.geometry); });
        });
    bool mimics = false;
    for (const Joint& j : model.joints()) mimics = mimics || j.mimics;
    if (!fits(model) || !massive || meshes || mimics) continue;
    Diagnostics lost;
    expect_as_mujoco(to_mjcf(model, lost), 1e-6);
    ++robots;
  }
  EXPECT_GE(robots, 8);
}

TEST(Mjcf, of_robots_is_compiled_as_mujoco_does) {
  for (const auto& file : robot_files("mjcf")) {
    SCOPED_TRACE(file.filename());
    ImportOptions options;
    options.independent_mimics = true;  // as in MuJoCo, which couples them softly
    MujocoWitness mujoco(file);
    expect_as_mujoco(load_robot(file.string(), options).model, mujoco, 1e-6);
  }
}

#else

TEST(Mjcf, is_compiled_as_mujoco_does) { GTEST_SKIP() << "there is no MuJoCo"; }
TEST(Mjcf, of_composed_geoms_and_lines_is_compiled_as_mujoco_does) {
  GTEST_SKIP() << "there is no MuJoCo";
}
TEST(Mjcf, that_is_written_of_each_embedded_robot_is_accepted_by_mujoco) {
  GTEST_SKIP() << "there is no MuJoCo";
}
TEST(Mjcf, of_robots_is_compiled_as_mujoco_does) { GTEST_SKIP() << "there is no MuJoCo"; }

#endif

}  // namespace
}  // namespace ulna::test::mjcf_files
