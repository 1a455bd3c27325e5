#include <gtest/gtest.h>

#include <cstdarg>

#include "support/bad_input.hpp"
#include "support/random_model.hpp"

namespace ulna::test {
namespace {

using R = Rotation<double>;
using X = Transform<double>;
constexpr double pi = 3.14159265358979323846;

X turned(const R& rotation) { return X::from_rotation(rotation); }
X moved(double x, double y, double z) { return X::from_translation({x, y, z}); }

std::string format(const char* pattern, ...) {
  char text[600];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

Model read_table(const std::string& text) { return import_table(text, "table.yaml").model; }

struct DhRow {
  bool slides;
  double theta, d, a, alpha;
};

std::vector<DhRow> random_rows(Random& random, int n = 6) {
  std::vector<DhRow> rows;
  for (int i = 0; i < n; ++i)
    rows.push_back({random.real() > 0.3, random.real(-3.0, 3.0), random.real(), random.real(),
                    random.real(-3.0, 3.0)});
  return rows;
}

std::string table(const char* kind, const std::vector<DhRow>& rows) {
  std::string text = "ulna: " + std::string(kind) +
                     "\nbase: {xyz: [0.1, 0.2, 0.3], rpy: [0.4, 0.5, 0.6]}\njoints:\n";
  for (const DhRow& row : rows)
    text += format("- {type: %s, theta: %.17g, d: %.17g, a: %.17g, alpha: %.17g}\n",
                   row.slides ? "prismatic" : "revolute", row.theta, row.d, row.a, row.alpha);
  return text + "tool: {name: tip, xyz: [1, 2, 3], rpy: [0.3, 0.2, 0.1]}\n";
}

const X base = Pose({0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}).transform();
const X tool = Pose({1, 2, 3}, {0.3, 0.2, 0.1}).transform();

// --- the textbooks ---

TEST(DhTable, places_frames_by_Rz_Tz_Tx_Rx) {
  for_each_seed([](Random& random) {
    const std::vector<DhRow> rows = random_rows(random);
    const Model model = read_table(table("dh", rows));
    const Eigen::VectorXd q = random_q(model, random);
    const Poses poses = frame_poses(model, q);
    X expected = base;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const DhRow& row = rows[i];
      const double theta = row.theta + (row.slides ? 0.0 : q(static_cast<int>(i))),
                   d = row.d + (row.slides ? q(static_cast<int>(i)) : 0.0);
      expected = expected * turned(R::about_z(theta)) * moved(0, 0, d) * moved(row.a, 0, 0) *
                 turned(R::about_x(row.alpha));
      expect_close(poses.at("link" + std::to_string(i + 1) + "_frame"), expected, 1e-13);
    }
    expect_close(poses.at("tip"), expected * tool, 1e-13);
  });
}

TEST(ModifiedDhTable, places_frames_by_Rx_Tx_Rz_Tz) {
  for_each_seed([](Random& random) {
    const std::vector<DhRow> rows = random_rows(random);
    const Model model = read_table(table("mdh", rows));
    const Eigen::VectorXd q = random_q(model, random);
    const Poses poses = frame_poses(model, q);
    X expected = base;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const DhRow& row = rows[i];
      const double theta = row.theta + (row.slides ? 0.0 : q(static_cast<int>(i))),
                   d = row.d + (row.slides ? q(static_cast<int>(i)) : 0.0);
      expected = expected * turned(R::about_x(row.alpha)) * moved(row.a, 0, 0) *
                 turned(R::about_z(theta)) * moved(0, 0, d);
      expect_close(poses.at("link" + std::to_string(i + 1)), expected, 1e-13);
    }
    expect_close(poses.at("tip"), expected * tool, 1e-13);
  });
}

TEST(ScrewTable, places_frames_by_the_product_of_exponentials) {
  for_each_seed([](Random& random) {
    std::vector<Twist<double>> screws;
    std::vector<Pose> homes;
    std::string text = "ulna: poe\njoints:\n";
    for (int i = 0; i < 6; ++i) {
      // revolute, prismatic and helical in turn
      const Vec3<double> w = random_direction<double>(random), at = random_vector<double>(random);
      const double pitch = i % 3 == 2 ? random.real(0.1, 0.5) : 0.0;
      const Twist<double> S = i % 3 == 1 ? Twist<double>{Vec3<double>::Zero(), w}
                                         : Twist<double>{w, Vec3<double>(cross(at, w) + pitch * w)};
      const Pose home = random_pose(random);
      screws.push_back(S);
      homes.push_back(home);
      text += format(
          "- {screw: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], link: {home: {xyz: [%.17g, %.17g, "
          "%.17g], rpy: [%.17g, %.17g, %.17g]}}}\n",
          S.angular.x(), S.angular.y(), S.angular.z(), S.linear.x(), S.linear.y(), S.linear.z(),
          home.xyz.x(), home.xyz.y(), home.xyz.z(), home.rpy.x(), home.rpy.y(), home.rpy.z());
    }
    text += "tool: {name: tip, home: {xyz: [1, 2, 3], rpy: [0.3, 0.2, 0.1]}}\n";
    const Model model = read_table(text);
    EXPECT_EQ(model.joint(1).type, JointType::revolute);
    EXPECT_EQ(model.joint(2).type, JointType::prismatic);
    EXPECT_EQ(model.joint(3).type, JointType::helical);
    const Eigen::VectorXd q = random_q(model, random);
    const Poses poses = frame_poses(model, q);
    X moved_by;
    for (std::size_t i = 0; i < screws.size(); ++i) {
      moved_by = moved_by * X::exp(q(static_cast<int>(i)) * screws[i]);
      expect_close(poses.at("link" + std::to_string(i + 1) + "_frame"),
                   moved_by * homes[i].transform(), 1e-12);
    }
    expect_close(poses.at("tip"), moved_by * tool, 1e-12);
  });
}

TEST(ScrewTable, body_frames_sit_on_their_axes) {
  const Model model = read_table(
      "ulna: poe\njoints:\n- {screw: [0, 0, 1, 0, -2, 0.25], link: {home: {xyz: [5, 6, 7]}}}\n");
  EXPECT_EQ(joint_of(model, "joint1").type, JointType::helical);
  EXPECT_NEAR(joint_of(model, "joint1").pitch, 0.25, 1e-15);
  // the axis passes through (2, 0): its point closest to (5, 6, 7) is (2, 0, 7)
  expect_close(joint_of(model, "joint1").origin.xyz, Vec3<double>(2, 0, 7), 1e-14);
}

// --- inertias ---

/// The inertia of a frame's body, carried into that frame.
Inertia<double> inertia_in(const Model& model, std::string_view frame) {
  const Frame& f = model.frame(frame);
  return f.X_BF.inverse() * model.inertias()[static_cast<std::size_t>(f.body)];
}

TEST(DhTable, carries_mass_and_inertia_from_the_table_frame_to_the_body) {
  for_each_seed([](Random& random) {
    const Inertia<double> body = random_inertia<double>(random);
    const Vec3<double> c = body.com();
    const Mat3<double> I = body.rotational_about_com();
    const std::string link = format(
        "link: {mass: %.17g, com: [%.17g, %.17g, %.17g], inertia: [%.17g, %.17g, %.17g, %.17g, "
        "%.17g, %.17g]}",
        body.mass(), c.x(), c.y(), c.z(), I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2));
    const std::string parameters =
        format("{theta: %.17g, d: %.17g, a: %.17g, alpha: %.17g, ", random.real(), random.real(),
               random.real(), random.real());
    expect_close(
        inertia_in(read_table("ulna: dh\njoints:\n- " + parameters + link + "}\n"), "link1_frame"),
        body, 1e-13);
    expect_close(
        inertia_in(read_table("ulna: mdh\njoints:\n- " + parameters + link + "}\n"), "link1"), body,
        1e-13);
    const std::string home = "home: {xyz: [1, 2, 3], rpy: [0.1, 0.2, 0.3]}, ";
    expect_close(inertia_in(read_table("ulna: poe\njoints:\n- {screw: [0.6, 0, 0.8, 1, 2, 3], " +
                                       std::string(link).insert(7, home) + "}\n"),
                            "link1_frame"),
                 body, 1e-12);
  });
}

TEST(DhTable, reflects_a_motor_by_its_gear_ratio) {
  for (const double gear : {60.0, -60.0}) {
    const Model model = read_table(
        format("ulna: dh\njoints:\n- {damping: 0.5, friction: [1, 2], armature: 0.25, motor: "
               "{inertia: 0.001, gear: %g, viscous: 0.002, coulomb: [0.1, 0.3]}}\n",
               gear));
    const JointDynamics& y = joint_of(model, "joint1").dynamics;
    EXPECT_DOUBLE_EQ(y.armature, 0.25 + 3600 * 0.001);
    EXPECT_DOUBLE_EQ(y.damping, 0.5 + 3600 * 0.002);
    EXPECT_DOUBLE_EQ(y.friction, 1 + 60 * 0.1);
    EXPECT_DOUBLE_EQ(y.friction_negative, 2 + 60 * 0.3);
  }
  const JointDynamics plain =
      joint_of(
          read_table("ulna: dh\njoints:\n- {friction: 1, motor: {inertia: 0.001, coulomb: 0.5}}\n"),
          "joint1")
          .dynamics;
  EXPECT_EQ(plain, (JointDynamics{0.0, 1.5, 1.5, 0.001}));
}

TEST(DhTable, draws_shapes_in_the_table_frame) {
  const Model model = read_table(
      "ulna: dh\njoints:\n- {a: 1, alpha: pi/2, link: {visual: [{shape: box, size: [1, 2, 3], xyz: "
      "[0.1, 0.2, 0.3], color: [0, 0.5, 1, 1]}, {shape: sphere, radius: 2},"
      " {shape: cylinder, radius: 1, length: 2}, {shape: capsule, radius: 1, length: 2}]}}\n");
  const auto& shapes = model.description().links[1].visuals;
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0].geometry, Geometry(Box{{1, 2, 3}}));
  EXPECT_EQ(shapes[0].material.rgba, Vec4<double>(0, 0.5, 1, 1));
  expect_close(shapes[0].origin.transform(),
               moved(1, 0, 0) * turned(R::about_x(pi / 2)) * moved(0.1, 0.2, 0.3), 1e-15);
  EXPECT_EQ(shapes[1].geometry, Geometry(Sphere{2}));
  EXPECT_EQ(shapes[2].geometry, Geometry(Cylinder{1, 2}));
  EXPECT_EQ(shapes[3].geometry, Geometry(Capsule{1, 2}));
}

// --- values and names ---

TEST(Table, angles_may_be_written_with_pi_or_in_degrees) {
  const std::pair<const char*, double> angles[] = {{"pi", pi},
                                                   {"-pi", -pi},
                                                   {"+pi", pi},
                                                   {"pi/2", pi / 2},
                                                   {"-pi/2", -pi / 2},
                                                   {"2*pi", 2 * pi},
                                                   {"-3*pi/4", -3 * pi / 4},
                                                   {"0.5*pi", pi / 2},
                                                   {"90deg", pi / 2},
                                                   {"-45 deg", -pi / 4},
                                                   {"1.5e0", 1.5},
                                                   {"\"1\"", 1.0}};
  for (const auto& [text, value] : angles) {
    const Model model = read_table(
        "ulna: dh\njoints:\n- {limits: {lower: -10, upper: " + std::string(text) + "}}\n");
    EXPECT_NEAR(joint_of(model, "joint1").limits.upper, value, 1e-15) << text;
  }
}

TEST(Table, names_are_given_where_none_are_written) {
  const Model model = read_table("ulna: dh\njoints:\n- {a: 1}\n- {a: 1}\ntool: {}\n");
  EXPECT_EQ(model.name(), "robot");
  EXPECT_EQ(model.body_name(0), "base");
  EXPECT_EQ(model.joint_name(2), "joint2");
  EXPECT_EQ(model.body_name(2), "link2");
  EXPECT_TRUE(model.find_frame("tool"));
  EXPECT_EQ(model.gravity(), Vec3<double>(0, 0, -9.81));
}

TEST(Table, limits_left_out_are_infinite) {
  const Model model =
      read_table("ulna: dh\njoints:\n- {limits: {upper: 1, effort: 2}}\n- {type: continuous}\n");
  EXPECT_EQ(joint_of(model, "joint1").limits, (Limits{-infinity, 1.0, infinity, 2.0}));
  EXPECT_EQ(joint_of(model, "joint2").type, JointType::continuous);
}

TEST(Table, is_told_with_file_line_and_joint) {
  try {
    import_table("ulna: dh\njoints:\n- name: elbow\n  a: 1\n  d: 1,5\n", "arm.yaml");
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_EQ(e.diagnostics().find(rules::number_invalid)->str(),
              "arm.yaml:5: error: joint 'elbow': d: '1,5' has a decimal comma [number-invalid]");
  }
}

// --- robots that are known otherwise ---

TEST(PandaTable, is_the_panda_of_the_urdf_link_for_link) {
  const Model panda = load_robot("panda").model, table = load_robot("panda_mdh").model;
  ASSERT_EQ(panda.nq(), table.nq());
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q = random_q(panda, random);
    const Poses of_urdf = frame_poses(panda, q), of_table = frame_poses(table, q);
    for (int i = 1; i <= 7; ++i) {
      const std::string name = "panda_link" + std::to_string(i);
      expect_close(of_urdf.at(name), of_table.at(name), 1e-12);
    }
  });
  for (int b = 1; b <= 7; ++b) {
    EXPECT_EQ(panda.joint_name(b), table.joint_name(b));
    expect_close(panda.inertias()[static_cast<std::size_t>(b)],
                 table.inertias()[static_cast<std::size_t>(b)], 1e-14);
  }
  EXPECT_EQ(panda.lower_limit(), table.lower_limit());
  EXPECT_EQ(panda.upper_limit(), table.upper_limit());
  EXPECT_EQ(panda.velocity_limit(), table.velocity_limit());
  EXPECT_EQ(panda.effort_limit(), table.effort_limit());
}

TEST(PumaTable, has_the_masses_and_inertias_of_the_literature_in_its_table_frames) {
  const Model puma = load_robot("puma560").model;
  double total = 0.0;
  for (int b = 1; b < puma.body_count(); ++b)
    total += puma.inertias()[static_cast<std::size_t>(b)].mass();
  EXPECT_NEAR(total, 17.4 + 4.8 + 0.82 + 0.34 + 0.09, 1e-12);
  const Inertia<double> link2 = inertia_in(puma, "link2_frame"),
                        link3 = inertia_in(puma, "link3_frame"),
                        link6 = inertia_in(puma, "link6_frame");
  expect_close(link2.com(), Vec3<double>(-0.3638, 0.006, 0.2275), 1e-14);
  expect_close(link3.com(), Vec3<double>(-0.0203, -0.0141, 0.07), 1e-14);
  expect_close(link6.com(), Vec3<double>(0, 0, 0.032), 1e-14);
  expect_close(link2.rotational_about_com(),
               Mat3<double>(Vec3<double>(0.13, 0.524, 0.539).asDiagonal()), 1e-14);
  expect_close(link3.rotational_about_com(),
               Mat3<double>(Vec3<double>(0.066, 0.086, 0.0125).asDiagonal()), 1e-14);
  expect_close(inertia_in(puma, "link1_frame").rotational(),
               Mat3<double>(Vec3<double>(0, 0.35, 0).asDiagonal()), 1e-14);
  EXPECT_NEAR(puma.armature()(0), 62.6111 * 62.6111 * 0.0002, 1e-12);
  EXPECT_NEAR(puma.damping()(5), 76.686 * 76.686 * 0.0000367, 1e-12);
  EXPECT_NEAR(puma.friction()(0), 62.6111 * 0.395, 1e-12);
  EXPECT_NEAR(puma.friction_negative()(0), 62.6111 * 0.435, 1e-12);
  EXPECT_NEAR(puma.upper_limit()(0), 160 * pi / 180, 1e-14);
}

TEST(PumaTable, reaches_where_the_literature_says) {
  // at q = 0 the arm is stretched along x, the shoulder offset along -y, the wrist above the elbow
  const Poses poses = frame_poses(load_robot("puma560").model, Eigen::VectorXd::Zero(6));
  expect_close(poses.at("link6_frame").translation(),
               Vec3<double>(0.4318 + 0.0203, -0.15005, 0.67183 + 0.4318), 1e-14);
  expect_close(poses.at("tool").translation(),
               Vec3<double>(0.4318 + 0.0203, -0.15005, 0.67183 + 0.4318 + 0.05625), 1e-14);
}

TEST(ScrewTable, of_Modern_Robotics_moves_its_tool_by_the_product_of_exponentials) {
  const Model model = load_robot("modern_robotics_3r").model;
  const double s = std::sqrt(0.5);
  const Twist<double> S1{{s, 0, s}, {0, s, 0}}, S2{{0, 1, 0}, {-0.089, 0, 0}},
      S3{{0, 1, 0}, {-0.089, 0, 0.425}};
  const X M = Pose({0.81725, 0.01615, 0.089159}, {0, pi / 2, 0}).transform();
  for_each_seed([&](Random& random) {
    const Eigen::VectorXd q = random_q(model, random);
    expect_close(frame_poses(model, q).at("tool"),
                 X::exp(q(0) * S1) * X::exp(q(1) * S2) * X::exp(q(2) * S3) * M, 1e-13);
  });
}

}  // namespace
}  // namespace ulna::test
