#include <gtest/gtest.h>

#include <sstream>

#include "driven.hpp"
#include "excited.hpp"
#include "support/logs.hpp"
#include "ulna/identify/data/log_rules.hpp"
#include "ulna/identify/identify.hpp"

// Springs, rotors, friction of motors and couplings from logs.
namespace ulna::test {
namespace {

using Kind = DriveUnknown::Kind;

constexpr double held = 5e-4;  // torques of a simulation are held for 1 ms: they act 0.5 ms later

struct Found {
  TorqueModel model;
  BaseParameters base;
  Estimate estimate;
  Eigen::VectorXd truth;

  /// The largest error of a kind of numbers, in percent.
  double worst_percent(Kind kind) const {
    double worst = 0.0;
    for (std::size_t k = 0; k < model.drives().size(); ++k)
      if (const int at = model.drive_at(int(k)); model.drives()[k].kind == kind)
        worst = std::max(worst, 100.0 * std::abs(estimate.z(at) / truth(at) - 1.0));
    return worst;
  }
  /// The largest deviation, likewise.
  double widest_percent(Kind kind) const {
    double widest = 0.0;
    for (std::size_t k = 0; k < model.drives().size(); ++k)
      if (const int at = model.drive_at(int(k)); model.drives()[k].kind == kind)
        widest = std::max(widest, 100.0 * estimate.deviation(at) / truth(at));
    return widest;
  }
};

Found found_from(const Model& believed, const Model& truth, const Log& log, double filter_hz) {
  Diagnostics said;
  const Prepared prepared =
      prepare({&log, 1}, {.filter_hz = filter_hz, .torque_delay = -held}, said);
  EXPECT_FALSE(said.has_errors());
  const DriveSensors sensors{log.link_encoders, log.link_tau.size() > 0};
  const std::vector<Feature> features{Feature::viscous, Feature::offset};
  TorqueModel model(believed, features, drive_unknowns(believed, features, sensors));
  BaseParameters base = drive_base_parameters(model);
  Estimate estimate = estimate_drives(model, base, gather_drives(model, prepared));
  EXPECT_TRUE(estimate.converged);
  EXPECT_TRUE(estimate.consistent);
  const Eigen::VectorXd right = TorqueModel(truth, features, model.drives()).nominal();
  return {model, base, estimate, right};
}

/// Ten seconds of the elastic iiwa with a tool. `fast`: the size of the sines from 4 to 14 Hz.
Found found_iiwa(std::uint64_t seed, const DriveSensors& sensors, double filter_hz,
                 double fast = 6e-4) {
  const Model truth = iiwa_with_tool();
  Random random(seed);
  Eigen::VectorXd torque(7), link(7), size(7);
  torque << 0.5, 0.5, 0.3, 0.3, 0.2, 0.1, 0.1;
  link << 0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05;
  size << 1.0, 1.0, 1.0, 1.0, 1.5, 2.0, 2.0;
  const Sines sines(truth, random, 0.25, fast * size, 4.0, 14.0);
  const Log log = simulated_log(truth, sines, 10.0, sensors, {5e-6, torque, link}, seed);
  return found_from(believed(truth, random), truth, log, filter_hz);
}

// With 20 seeds: docs/drives.md.
TEST(Drives, springs_of_an_iiwa_are_found_by_motor_encoders_and_torque_sensors) {
  for (const std::uint64_t seed : {1, 2}) {
    SCOPED_TRACE(seed);
    const Found found = found_iiwa(seed, {.torque_sensors = true}, 30.0);
    EXPECT_LT(found.worst_percent(Kind::stiffness), 3.0);
    EXPECT_LT(found.worst_percent(Kind::damping), 20.0);
    EXPECT_LT(found.worst_percent(Kind::rotor), 1.0);
  }
}

TEST(Drives, springs_of_an_iiwa_are_found_by_encoders_on_both_sides) {
  const Found found = found_iiwa(1, {.link_encoders = true}, 30.0);
  EXPECT_LT(found.worst_percent(Kind::stiffness), 1.0);
  EXPECT_LT(found.worst_percent(Kind::damping), 10.0);
  EXPECT_LT(found.worst_percent(Kind::rotor), 1.0);
}

TEST(Drives, stiffness_of_an_iiwa_is_found_by_motor_encoders_alone) {
  const Found found = found_iiwa(1, {}, 25.0);
  EXPECT_LT(found.worst_percent(Kind::stiffness), 10.0);
  EXPECT_LT(found.worst_percent(Kind::rotor), 5.0);
}

TEST(Drives, faster_motion_shows_stiffness_better) {
  const DriveSensors sensors{.torque_sensors = true};
  EXPECT_GT(found_iiwa(1, sensors, 30.0, 0.0).widest_percent(Kind::stiffness),
            10.0 * found_iiwa(1, sensors, 30.0).widest_percent(Kind::stiffness));
}

// Two deviations hold 95 %: of base parameters of links, rotors and springs, by both ways that are not biased.
TEST(Drives, deviations_are_those_of_the_errors) {
  int within = 0, all = 0;
  for (const bool link_encoders : {false, true})
    for (const std::uint64_t seed : {4, 5}) {
      const Found found = found_iiwa(seed, {link_encoders, !link_encoders}, 30.0);
      const Eigen::VectorXd right = found.base.of(found.truth);
      for (int i = 0; i < found.base.size(); ++i, ++all)
        within +=
            std::abs(found.estimate.base(i) - right(i)) < 2.0 * found.estimate.base_deviation(i);
    }
  EXPECT_GT(within, 0.90 * all) << within << " of " << all;
}

/// A motion of the arm with the coupled wrist, half of which is fitted.
struct CoupledArm {
  Model truth = load_robot("tx40_like").model, believed;
  std::vector<Feature> features{Feature::viscous, Feature::coulomb, Feature::offset,
                                Feature::armature};
  Log log;
  Eigen::MatrixXd motor_tau;

  explicit CoupledArm(std::uint64_t seed, double ratio_off = 1.0)
      : believed(edited(truth, [&](Description& d) {
          for (MotorDescription& m : d.motors) {
            m.inertia *= 1.3, m.damping *= 0.7, m.friction *= 0.7;
            m.friction_negative = m.friction;
          }
          d.motors.back().gears.front().ratio *= ratio_off;
        })) {
    Random random(seed);
    const Sines sines(truth, random, 0.3, Eigen::VectorXd::Constant(6, 0.02), 0.8, 2.0, 2);
    Eigen::VectorXd noise(6);
    noise << 0.3, 0.3, 0.15, 0.06, 0.06 / 45.0, 0.03 / 32.0;
    const CoupledLog run(truth, sines, 20.0, 500.0, noise, seed);
    log = run.log, motor_tau = run.motor_tau;
    log.tau.setZero();
    for (const auto& [motor, joint, ratio] : believed.drives().gears)
      log.tau.row(joint) += ratio * motor_tau.row(motor);
  }

  Prepared prepared(const Log& of) const {
    Diagnostics said;
    return prepare({&of, 1}, {.filter_hz = 10.0}, said);
  }
};

TEST(Drives, a_declared_coupling_explains_the_wrist_that_is_not_explained_without) {
  const CoupledArm arm(1);
  const Prepared by_motors = arm.prepared(arm.log);
  const TorqueModel model(arm.believed, arm.features,
                          drive_unknowns(arm.believed, arm.features, {}));
  const BaseParameters base = drive_base_parameters(model);
  const Estimate found =
      estimate_drives(model, base, gather_drives(model, by_motors.part(0.0, 0.5)));
  const DriveData held_out = gather_drives(model, by_motors.part(0.5, 1.0));
  const Eigen::MatrixXd measured = measured_torques(held_out);
  const Fit with = fit_of(measured - motor_torques(model, found.z, held_out), measured);

  // each motor's torque taken for that of the joint it belongs to
  Log naive = arm.log;
  naive.tau = own_ratios(arm.truth.drives()).asDiagonal() * arm.motor_tau;
  const TorqueModel plain(with_plain_drives(arm.believed), arm.features);
  const BaseParameters plain_base = find_base_parameters(plain);
  const Prepared by_joints = arm.prepared(naive);
  const Estimate found_plain = estimate(plain, plain_base, gather(plain, by_joints.part(0.0, 0.5)));
  const Fit without = fit_of(plain, found_plain.z, gather(plain, by_joints.part(0.5, 1.0)));
  for (const int joint : {4, 5})
    EXPECT_GT(without.per_joint_percent(joint), 4.0 * with.per_joint_percent(joint)) << joint;

  // the figures of the real arm: 0.0096 kg m², 0.62 Nm s/rad, 1.95 Nm
  const Eigen::VectorXd right = TorqueModel(arm.truth, arm.features, model.drives()).nominal();
  for (std::size_t k = 0; k < model.drives().size(); ++k) {
    const int at = model.drive_at(int(k));
    EXPECT_NEAR(found.z(at), right(at), 0.05 * right(at)) << model.names()[std::size_t(at)];
  }
}

TEST(Drives, ratios_of_coupled_motors_are_found) {
  const CoupledArm arm(1, 0.9);
  const TorqueModel model(arm.believed, arm.features,
                          drive_unknowns(arm.believed, arm.features, {}, true));
  const Estimate found = estimate_drives(model, drive_base_parameters(model),
                                         gather_drives(model, arm.prepared(arm.log)));
  const auto last = int(model.drives().size()) - 1;
  ASSERT_EQ(model.names()[std::size_t(model.drive_at(last))], "motor6.ratio_joint5");
  EXPECT_NEAR(found.prior(model.drive_at(last)), 28.8, 1e-9);
  EXPECT_NEAR(found.z(model.drive_at(last)), 32.0, 0.2);
  // and written
  EXPECT_EQ(model.identified(found.z).description().motors.back().gears.front().ratio,
            found.z(model.drive_at(last)));
}

/// Two elastic joints, the second one's motor turning with the first, too.
Model coupled_springs() {
  return edited(load_robot("twolink_elastic").model, [](Description& d) {
    const double ratios[] = {50.0, 40.0};
    int k = 0;
    for (JointDescription& j : d.joints) {
      if (!j.spring) continue;
      const double ratio = ratios[k++];
      MotorDescription motor{"motor" + std::to_string(k), {{j.name, ratio}}};
      motor.inertia = std::exchange(j.dynamics.armature, 0.0) / (ratio * ratio);
      motor.damping = 0.2 / (ratio * ratio);
      d.motors.push_back(motor);
    }
    d.motors.back().gears.push_back({d.motors.front().gears.front().joint, 12.0});
  });
}

TEST(Drives, springs_and_rotors_of_coupled_motors_are_found_together) {
  const Model truth = coupled_springs();
  ASSERT_FALSE(truth.drives().diagonal);
  ASSERT_EQ(truth.drives().elastic.size(), 2u);
  const Model wrong = edited(truth, [](Description& d) {
    for (JointDescription& j : d.joints)
      if (j.spring) j.spring->stiffness *= 1.4, j.spring->damping *= 0.6;
    for (MotorDescription& m : d.motors) m.inertia *= 1.3, m.damping *= 0.7;
  });
  for (const auto& [sensors, stiffness, rotor] :
       {std::tuple{DriveSensors{.torque_sensors = true}, 1.0, 1.0},
        {DriveSensors{.link_encoders = true}, 1.0, 1.0},
        {DriveSensors{}, 3.0, 3.0}})
    for (const std::uint64_t seed : {1, 2}) {
      SCOPED_TRACE(std::to_string(sensors.torque_sensors) + std::to_string(sensors.link_encoders) +
                   ", seed " + std::to_string(seed));
      Random random(seed);
      const Sines sines(truth, random, 0.2, Eigen::Vector2d(0.01, 0.01), 1.0, 6.0);
      const Log log =
          simulated_log(truth, sines, 10.0, sensors,
                        {1e-5, Eigen::Vector2d(0.02, 0.01), Eigen::Vector2d(0.02, 0.01)}, seed);
      const Found found = found_from(wrong, truth, log, 20.0);
      EXPECT_LT(found.worst_percent(Kind::stiffness), stiffness);
      EXPECT_LT(found.worst_percent(Kind::rotor), rotor);
      EXPECT_LT(found.worst_percent(Kind::viscous), 5.0);
      EXPECT_LT(found.worst_percent(Kind::damping), 20.0);
    }
}

/// A log as a table.
std::string table_of(const Log& log, const Model& model, bool link_tau = true) {
  std::ostringstream text;
  text.precision(12);
  text << "t";
  for (const char* name : {"theta_", "tau_", "q_", "tau_link_"})
    if ((link_tau || name != std::string("tau_link_")) &&
        (log.link_encoders || name != std::string("q_")))
      for (const std::string& joint : model.velocity_names()) text << "," << name << joint;
  for (Eigen::Index k = 0; k < log.size(); ++k) {
    text << "\n" << log.t(k);
    for (const Eigen::MatrixXd* m : {&log.theta, &log.tau, &log.q, &log.link_tau})
      if ((m != &log.link_tau || link_tau) && (m != &log.q || log.link_encoders))
        for (Eigen::Index i = 0; i < m->rows(); ++i) text << "," << (*m)(i, k);
  }
  return text.str() + "\n";
}

struct TwoLinks {
  Model truth = load_robot("twolink_elastic").model;
  Log log;
  explicit TwoLinks(const DriveSensors& sensors = {.torque_sensors = true}) {
    Random random(1);
    const Sines sines(truth, random, 0.2, Eigen::Vector2d(0.01, 0.01), 1.0, 6.0);
    log = simulated_log(truth, sines, 10.0, sensors,
                        {1e-5, Eigen::Vector2d(0.02, 0.01), Eigen::Vector2d(0.02, 0.01)}, 1);
  }
};

TEST(Drives, from_a_log_to_a_robot_with_springs) {
  const TwoLinks two;
  const Model believed = edited(two.truth, [](Description& d) {
    for (JointDescription& j : d.joints)
      if (j.spring)
        j.spring->stiffness *= 1.5, j.spring->damping *= 0.5, j.dynamics.armature *= 1.3;
  });
  std::istringstream log(table_of(two.log, two.truth));
  const Identification found = offline(believed, {.fit = {{"run.csv", &log}}},
                                       {.split = 0.7,
                                        .filter_hz = 20.0,
                                        .features = std::vector{Feature::viscous, Feature::offset},
                                        .torque_delay = -held});
  EXPECT_FALSE(found.has_findings());
  ASSERT_TRUE(found.chosen.validation);
  EXPECT_LT(found.chosen.validation->total_percent, 1.0);
  const Model written = import_urdf(to_urdf(found.model()), "written.urdf").model;
  const DriveTrain &is = written.drives(), &right = two.truth.drives();
  for (const int c : {0, 1}) {
    EXPECT_NEAR(is.stiffness(c), right.stiffness(c), 0.02 * right.stiffness(c));
    EXPECT_NEAR(is.spring_damping(c), right.spring_damping(c), 0.2 * right.spring_damping(c));
    EXPECT_NEAR(is.rotor(c), right.rotor(c), 0.02 * right.rotor(c));
  }
}

TEST(Drives, links_behind_springs_are_learned_sample_by_sample) {
  const Options how{.filter_hz = 10.0, .features = std::vector{Feature::viscous, Feature::offset}};
  for (const DriveSensors& sensors : {DriveSensors{.torque_sensors = true},
                                      {.link_encoders = true},
                                      {.link_encoders = true, .torque_sensors = true}}) {
    SCOPED_TRACE(std::to_string(sensors.torque_sensors) + std::to_string(sensors.link_encoders));
    const TwoLinks two(sensors);
    const Model believed = edited(two.truth, [](Description& d) {
      for (LinkDescription& l : d.links)
        if (l.inertial) l.inertial->mass *= 1.4, l.inertial->inertia *= 1.4;
    });
    std::istringstream log(table_of(two.log, two.truth, sensors.torque_sensors));
    const Identification found = online(believed, {.fit = {{"run.csv", &log}}}, how);
    ASSERT_TRUE(found.online);
    EXPECT_TRUE(found.online->always_consistent);
    EXPECT_LT(found.online->second_half.total_percent, 0.1 * found.online->prior_percent);
    // springs and rotors are as they were, and base parameters of the links those of the robot
    const Model model = found.model();
    EXPECT_EQ(model.drives().stiffness, two.truth.drives().stiffness);
    EXPECT_EQ(model.drives().rotor, two.truth.drives().rotor);
    const TorqueModel right(two.truth, *how.features);
    const Eigen::VectorXd base = found.base.of(right.nominal()),
                          is = found.base.of(found.chosen.estimate.z);
    for (int i = 0; i < found.inertial_base(); ++i)
      EXPECT_NEAR(is(i), base(i), 0.03 * std::abs(base(i)) + 2e-3)
          << found.base.name(i, right.names());
  }
}

TEST(Drives, links_that_no_sensor_sees_are_not_learned_sample_by_sample) {
  const TwoLinks two(DriveSensors{});
  std::istringstream log(table_of(two.log, two.truth, false));
  try {
    (void)online(two.truth, {.fit = {{"run.csv", &log}}}, {.filter_hz = 20.0});
    ADD_FAILURE() << "not refused";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("give tau_link_<joint>"), std::string::npos) << e.what();
  }
}

/// What is said of a log that is refused.
std::string refusal_of(const Model& model, const std::string& table) {
  std::istringstream log(table);
  try {
    (void)offline(model, {.fit = {{"run.csv", &log}}}, {.filter_hz = 20.0});
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(Drives, logs_without_motors_are_refused_with_the_columns_that_are_missing) {
  const Model model = load_robot("twolink_elastic").model;
  const std::string said =
      refusal_of(model, "t,q_joint1,q_joint2,tau_joint1,tau_joint2\n0,0,0,0,0\n");
  EXPECT_NE(said.find("theta_joint1, theta_joint2"), std::string::npos) << said;
  EXPECT_NE(said.find("log-columns"), std::string::npos) << said;
  EXPECT_NE(refusal_of(model, "t,theta_joint1,tau_joint1,tau_joint2\n0,0,0,0\n")
                .find("theta is given in part: columns are missing: 'theta_joint2'"),
            std::string::npos);
}

TEST(Drives, robots_that_stand_still_are_refused) {
  TwoLinks two;
  for (Eigen::Index k = 0; k < two.log.size(); ++k) two.log.theta.col(k) = two.log.theta.col(0);
  const std::string said = refusal_of(two.truth, table_of(two.log, two.truth));
  EXPECT_NE(said.find("log-no-motion"), std::string::npos) << said;
}

TEST(Drives, angles_of_motors_before_their_gears_are_refused) {
  TwoLinks two;
  Screened result;
  two.log.q = two.log.theta, two.log.link_encoders = true;
  two.log.theta *= 100.0;
  screen(two.log, two.truth, {.filter_hz = 20.0}, result.found);
  EXPECT_NE(result.says(log_rules::motor_position).find("100 times less"), std::string::npos)
      << result.all();
}

TEST(Drives, a_stiffness_in_another_unit_is_found_and_mentioned) {
  const TwoLinks two;
  const Model believed = edited(two.truth, [](Description& d) {
    for (JointDescription& j : d.joints)
      if (j.spring) j.spring->stiffness *= 1e3;  // Nm/mrad
  });
  std::istringstream log(table_of(two.log, two.truth));
  const Identification found = offline(believed, {.fit = {{"run.csv", &log}}},
                                       {.filter_hz = 20.0,
                                        .features = std::vector{Feature::viscous, Feature::offset},
                                        .torque_delay = -held});
  EXPECT_TRUE(std::ranges::any_of(found.remarks, [](const Remark& r) {
    return r.text.find("check its unit (Nm/rad)") != std::string::npos;
  }));
  EXPECT_NEAR(found.model().drives().stiffness(0), 300.0, 30.0);
}

TEST(Drives, what_is_not_supported_is_refused_with_the_reason) {
  const Model model = load_robot("twolink_elastic").model;
  std::istringstream log("t\n");
  EXPECT_THROW((void)online(load_robot("tx40_like").model, {.fit = {{"run.csv", &log}}}),
               std::invalid_argument);
  EXPECT_THROW((void)offline(model, {.fit = {{"run.csv", &log}}}, {.method = Method::ols}),
               std::runtime_error);
}

}  // namespace
}  // namespace ulna::test
