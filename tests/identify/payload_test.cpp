#include "ulna/identify/payload/payload.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "excited.hpp"
#include "ulna/identify/identify.hpp"
#include "ulna/identify/payload/payload_gains.hpp"

// What a link carries, from logs without it and with it.
namespace ulna::test {
namespace {

using namespace identify;
using State = LinkPayload::State;
using V3 = Vec3<double>;

constexpr double per_second = 50.0;

Eigen::VectorXd usual_of(const Eigen::MatrixXd& rows) {
  return rows.rowwise().norm() / std::sqrt(double(rows.cols()));
}

/// A robot that is heavier or lighter than described, its friction, and a motion without and another one with a payload.
struct LoadedRobot {
  Model robot;
  TorqueModel model;
  BaseParameters base;
  std::string link;
  Eigen::VectorXd truth, usual;
  Inertia<double> payload;  ///< in the link's frame
  TorqueData without, with;

  struct Settings {
    double mass = 2.0;
    double seconds = 20.0;
    double warmer = 0.2;    ///< standard deviation of the change of friction
    double stribeck = 0.0;  ///< by which share of itself dry friction grows towards rest
    double dry = 1.0;       ///< by which dry friction is larger than usual
    double noise = 0.02;    ///< of the usual torque
    bool same_motion = false;
  };

  LoadedRobot(const char* name, std::string on, std::uint64_t seed, const Settings& how)
      : robot(load_robot(name).model),
        model(robot, plain_friction),
        base(find_base_parameters(model)),
        link(std::move(on)) {
    Random random(seed);
    truth = model.nominal();
    for (int b = 0; b < robot.joint_count(); ++b)
      truth.segment<10>(10 * b) *= random.real(0.8, 1.3);
    const int count = int(how.seconds * per_second);
    usual = usual_of(Excited(robot, plain_friction, truth, 400, 20.0, random).data.tau);
    for (int i = 0; i < robot.nv(); ++i) {
      truth(model.at(i, 0)) = random.real(0.02, 0.08) * usual(i);
      truth(model.at(i, 1)) = how.dry * random.real(0.05, 0.15) * usual(i);
      truth(model.at(i, 2)) = random.real(-0.02, 0.02) * usual(i);
    }
    const Vec3<double> com(random.real(-0.05, 0.05), random.real(-0.05, 0.05),
                           random.real(0.02, 0.12));
    const Vec3<double> box(random.real(0.002, 0.006), random.real(0.002, 0.006), 0.004);
    payload =
        Inertia<double>::about_com(how.mass, com, how.mass * box.asDiagonal().toDenseMatrix());
    Eigen::VectorXd loaded = truth;
    const Frame& frame = robot.frame(link);
    loaded.segment<10>(10 * (frame.body - 1)) += (frame.X_BF * payload).parameters();
    std::normal_distribution<double> normal;
    std::mt19937_64 numbers(seed);
    for (int i = 0; i < robot.nv(); ++i)
      for (int k = 0; k < 2; ++k)
        loaded(model.at(i, k)) *= std::max(0.1, 1.0 + how.warmer * normal(numbers));
    Random motion(seed + 1000), again(seed + 1000);
    without = recorded(truth, count, motion, how, numbers);
    with = recorded(loaded, count, how.same_motion ? again : motion, how, numbers);
  }

  TorqueData recorded(const Eigen::VectorXd& z, int count, Random& random, const Settings& how,
                      std::mt19937_64& numbers) const {
    TorqueData data = Excited(robot, plain_friction, z, count, per_second, random).data;
    for (Eigen::Index k = 0; k < data.size(); ++k)
      for (int i = 0; i < robot.nv(); ++i)
        data.tau(i, k) += how.stribeck * z(model.at(i, 1)) *
                          std::exp(-std::pow(data.v(i, k) / 0.1, 2)) * sign_of(data.v(i, k));
    add_noise(data.tau, how.noise * usual, numbers);
    return data;
  }
  Estimate identified() const { return estimate(model, base, without); }
  LinkPayload weighed() const { return weigh_payload(model, link, identified(), without, with); }
};

/// How many of the mass and the three coordinates of the centre of mass are within two deviations.
struct Coverage {
  int mass = 0, com = 0, seeds = 0;
  void add(const LoadedRobot& c, const LinkPayload& p) {
    ++seeds;
    mass += std::abs(p.mass - c.payload.mass()) < 2.0 * p.mass_deviation;
    for (int i = 0; i < 3; ++i)
      com += std::abs(p.com(i) - c.payload.com()(i)) < 2.0 * p.com_deviation(i);
  }
};

TEST(LinkPayload, mass_and_centre_of_mass_are_found_within_their_deviations) {
  for (const auto& [name, link] :
       {std::pair{"ur5e", "wrist_3_link"}, std::pair{"panda", "panda_link8"}})
    for (const bool same : {false, true}) {
      SCOPED_TRACE(std::string(name) + (same ? ", the same motion twice" : ""));
      Coverage coverage;
      double error = 0.0, stated = 0.0;
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const LoadedRobot c(name, link, seed, {.same_motion = same});
        const LinkPayload p = c.weighed();
        ASSERT_EQ(p.state, State::found) << "seed " << seed;
        coverage.add(c, p);
        error += std::pow(p.mass - 2.0, 2), stated += p.mass_deviation;
        EXPECT_TRUE(check_consistency(Inertia<double>(p.added)).ok());
        EXPECT_NEAR(p.mass, 2.0, 0.1) << "seed " << seed;
      }
      EXPECT_GE(coverage.mass, 0.9 * coverage.seeds);
      EXPECT_GE(coverage.com, 0.9 * 3 * coverage.seeds);
      // not by being vague
      EXPECT_LT(stated / coverage.seeds, 3.0 * std::sqrt(error / coverage.seeds));
    }
}

TEST(LinkPayload, friction_that_the_model_has_not_is_counted) {
  for (const auto& [name, link] :
       {std::pair{"ur5e", "wrist_3_link"}, std::pair{"panda", "panda_link8"}}) {
    SCOPED_TRACE(name);
    Coverage coverage;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const LoadedRobot c(name, link, seed, {.stribeck = 0.5, .noise = 0.005});
      const LinkPayload p = c.weighed();
      coverage.add(c, p);
      EXPECT_NEAR(p.mass, 2.0, 0.1) << "seed " << seed;
    }
    EXPECT_GE(coverage.mass, 0.9 * coverage.seeds);
    EXPECT_GE(coverage.com, 0.9 * 3 * coverage.seeds);
  }
}

TEST(LinkPayload, nothing_is_called_none) {
  for (const auto& [name, link] :
       {std::pair{"ur5e", "wrist_3_link"}, std::pair{"panda", "panda_link8"}})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const LoadedRobot c(name, link, seed, {.mass = 0.0, .stribeck = seed % 2 ? 0.5 : 0.0});
      const LinkPayload p = c.weighed();
      EXPECT_EQ(p.state, State::none)
          << name << ", seed " << seed << ": " << p.mass << " +- " << p.mass_deviation;
      EXPECT_TRUE(p.added.isZero(0.0));
    }
}

TEST(LinkPayload, a_robot_that_is_known_badly_weighs_badly) {
  const LoadedRobot rich("ur5e", "wrist_3_link", 3, {}),
      poor("ur5e", "wrist_3_link", 3, {.seconds = 2.0});
  const LinkPayload well = rich.weighed(),
                    badly = weigh_payload(rich.model, rich.link, poor.identified(), poor.without,
                                          rich.with);
  EXPECT_GT(badly.mass_deviation, 1.5 * well.mass_deviation);
  EXPECT_LT(std::abs(badly.mass - 2.0), 3.0 * badly.mass_deviation);
}

TEST(LinkPayload, friction_may_have_changed_by_as_much_as_is_said) {
  const LoadedRobot c("ur5e", "wrist_3_link", 4, {.warmer = 0.0});
  const Estimate robot = c.identified();
  const auto off = [&](double change) {
    return weigh_payload(c.model, c.link, robot, c.without, c.with, {}, {.friction_change = change})
        .mass_deviation;
  };
  EXPECT_LT(off(0.0), 1.05 * off(0.2));
  EXPECT_LT(off(0.2), 1.05 * off(2.0));
  EXPECT_LT(off(0.0), off(2.0));
  EXPECT_THROW((void)off(-1.0), std::invalid_argument);
  EXPECT_THROW((void)weigh_payload(c.model, "base_link", robot, c.without, c.with),
               std::invalid_argument);
}

// One log and the numbers of a description: as good as that is said to be.
TEST(LinkPayload, of_one_log_the_robot_counts_as_well_as_it_is_known) {
  Coverage coverage;
  double stated = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    LoadedRobot c("ur5e", "wrist_3_link", seed, {});
    // the file of the identified robot
    const TorqueModel file(c.model.identified(c.identified().z), plain_friction);
    const LinkPayload p = weigh_payload(file, c.link, estimate(file, c.base, c.with), {}, c.with);
    ASSERT_EQ(p.state, State::found) << p.mass << " +- " << p.mass_deviation;
    coverage.add(c, p);
    stated += p.mass_deviation;
    EXPECT_NEAR(p.mass, 2.0, 0.3);
  }
  EXPECT_GE(coverage.mass, 0.9 * coverage.seeds);
  EXPECT_LT(stated / coverage.seeds, 0.4);
}

/// The case with the motion with the payload replaced by one in which only some joints move, about where the log was.
LoadedRobot with_motion_of(LoadedRobot c, const std::vector<int>& moving, double noise) {
  const Eigen::VectorXd middle = c.with.q.rowwise().mean();
  TorqueData& d = c.with;
  for (int i = 0; i < c.robot.nv(); ++i) {
    if (std::ranges::count(moving, i)) continue;
    d.q.row(i).setConstant(middle(i)), d.v.row(i).setZero(), d.a.row(i).setZero();
  }
  Eigen::VectorXd loaded = c.truth;
  const Frame& frame = c.robot.frame(c.link);
  loaded.segment<10>(10 * (frame.body - 1)) += (frame.X_BF * c.payload).parameters();
  d.x = c.model.features_of(d.v, d.a, 0.0 * d.a);
  d.tau = c.model.torques(loaded, d.q, d.v, d.a, d.x);
  std::mt19937_64 numbers(5);
  add_noise(d.tau, noise * c.usual, numbers);
  return c;
}

TEST(LinkPayload, what_the_motion_does_not_show_is_said_with_what_would_show_it) {
  // what joints that rest hold may be friction
  const LoadedRobot c =
      with_motion_of(LoadedRobot("ur5e", "wrist_3_link", 6, {.mass = 0.2, .dry = 3.0}), {}, 0.05);
  const LinkPayload p = c.weighed();
  ASSERT_EQ(p.state, State::unseen) << p.mass << " +- " << p.mass_deviation;
  ASSERT_GE(p.reasons.size(), 2u);
  EXPECT_NE(p.reasons[0].find("joints 'shoulder_pan_joint', 'shoulder_lift_joint'"),
            std::string::npos)
      << p.reasons[0];
  ASSERT_GE(p.helpful.size(), 2u);
  // the axis of the base is vertical
  EXPECT_NE(p.helpful[0].joint, "shoulder_pan_joint");
  EXPECT_LT(p.helpful[0].mass_deviation, 0.5 * p.mass_deviation);
  for (const PayloadMotion& m : p.helpful) EXPECT_LT(m.mass_deviation, p.mass_deviation);
}

TEST(LinkPayload, arms_whose_axes_are_vertical_do_not_carry_their_payload) {
  const LoadedRobot c =
      with_motion_of(LoadedRobot("scara", "outer_arm", 7, {.mass = 0.5}), {0, 1}, 1.0);
  const LinkPayload p = c.weighed();
  EXPECT_EQ(p.state, State::unseen) << p.mass << " +- " << p.mass_deviation;
  EXPECT_TRUE(std::ranges::any_of(p.reasons, [](const std::string& reason) {
    return reason.find("no joint works against its weight") != std::string::npos;
  }));
}

TEST(LinkPayload, what_is_promised_of_a_motion_holds) {
  const LoadedRobot c =
      with_motion_of(LoadedRobot("ur5e", "wrist_3_link", 8, {.mass = 0.2, .dry = 3.0}), {}, 0.05);
  const LinkPayload before = c.weighed();
  ASSERT_FALSE(before.helpful.empty());
  const PayloadMotion& best = before.helpful.front();
  const std::vector<std::string> joints = c.robot.velocity_names();
  const auto i = std::ranges::find(joints, best.joint) - joints.begin();
  ASSERT_LT(i, c.robot.nv());
  // the log, and as much again of that motion
  LoadedRobot more = c;
  TorqueData& d = more.with;
  const Eigen::Index n = d.size();
  for (Eigen::MatrixXd* x : {&d.q, &d.v, &d.a, &d.tau, &d.x})
    x->conservativeResize(Eigen::NoChange, 2 * n);
  d.breaks = {0, n};
  const Eigen::VectorXd middle = c.with.q.rowwise().mean();
  for (Eigen::Index k = 0; k < n; ++k) {
    const double w = 2.0 * M_PI * 0.2, u = w * double(k) / per_second,
                 size = 0.5 * (best.high - best.low);
    d.q.col(n + k) = middle, d.v.col(n + k).setZero(), d.a.col(n + k).setZero();
    d.q(i, n + k) = 0.5 * (best.high + best.low) + size * std::sin(u);
    d.v(i, n + k) = size * w * std::cos(u), d.a(i, n + k) = -size * w * w * std::sin(u);
  }
  more = with_motion_of(more, {int(i)}, 0.05);
  // of the others, both parts are where the log was on average
  const LinkPayload after = more.weighed();
  EXPECT_LT(after.mass_deviation, 0.6 * before.mass_deviation);
  EXPECT_LT(std::abs(std::log(after.mass_deviation / best.mass_deviation)), std::log(3.0));
}

/// As a table of the robot's joints by number.
std::string csv_of(const Model& robot, const TorqueData& data) {
  std::ostringstream text;
  text.precision(12);
  text << "t";
  for (const char* name : {"q", "qd", "tau"})
    for (int i = 1; i <= robot.nv(); ++i) text << "," << name << i;
  for (Eigen::Index k = 0; k < data.size(); ++k) {
    text << "\n" << double(k) / per_second;
    for (const Eigen::MatrixXd* x : {&data.q, &data.v, &data.tau})
      for (int i = 0; i < robot.nv(); ++i) text << "," << (*x)(i, k);
  }
  return text.str() + "\n";
}

TEST(LinkPayload, offline_weighs_it_from_logs_without_and_with) {
  const LoadedRobot c("ur5e", "wrist_3_link", 9, {.seconds = 30.0});
  std::istringstream without(csv_of(c.robot, c.without)), with(csv_of(c.robot, c.with));
  const Identification found =
      offline(c.robot, {.fit = {{"without.csv", &without}}, .loaded = {{"with.csv", &with}}},
              {.filter_hz = 5.0, .choose = false, .payload = "wrist_3_link"});
  ASSERT_TRUE(found.payload);
  EXPECT_EQ(found.payload->state, State::found);
  EXPECT_NEAR(found.payload->mass, 2.0, 0.1);
  EXPECT_LT(std::abs(found.payload->mass - 2.0), 3.0 * found.payload->mass_deviation);
  // the robot is that of the log without
  EXPECT_FALSE(found.has_findings());
  EXPECT_LT(found.chosen.fit.total_percent, 5.0);
  EXPECT_LT(found.payload->percent, 5.0);
  EXPECT_GT(found.payload->without_percent, 10.0);
  ASSERT_EQ(found.logs.size(), 2u);
  EXPECT_EQ(found.logs[1].use, "payload");
}

TEST(LinkPayload, logs_that_are_interchanged_or_of_two_robots_are_noticed) {
  const LoadedRobot c("ur5e", "wrist_3_link", 10, {.seconds = 30.0});
  const auto found = [&](const TorqueData& first, const TorqueData& second) {
    std::istringstream without(csv_of(c.robot, first)), with(csv_of(c.robot, second));
    return offline(c.robot, {.fit = {{"a.csv", &without}}, .loaded = {{"b.csv", &with}}},
                   {.filter_hz = 5.0, .choose = false, .payload = "wrist_3_link"});
  };
  const Identification swapped = found(c.with, c.without);
  ASSERT_TRUE(swapped.payload);
  EXPECT_NE(swapped.payload->state, State::found);
  const auto has = [](const Identification& id, const char* words) {
    return std::ranges::any_of(
        id.remarks, [&](const Remark& r) { return r.text.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(has(swapped, "interchanged"));
  TorqueData other = c.with;
  other.tau *= -1.0;
  const Identification wrong = found(c.without, other);
  EXPECT_TRUE(wrong.has_findings());
  EXPECT_TRUE(has(wrong, "of the torque with the payload is not explained"));
}

// Currents alone have no scale: a robot twice as heavy with gains twice as large has the same. One mass that was weighed has.
TEST(GainsByPayload, are_found_whatever_the_description_weighs) {
  for (const auto& [name, link] :
       {std::pair{"ur5e", "wrist_3_link"}, std::pair{"panda", "panda_link8"}}) {
    int inside = 0, all = 0;
    double worst = 0.0, by_description = 0.0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      LoadedRobot c(name, link, seed, {.mass = 3.0, .noise = 0.01});
      Random random(seed);
      Eigen::VectorXd gains(c.robot.nv());
      for (double& g : gains) g = random.real(5.0, 15.0);
      for (TorqueData* d : {&c.without, &c.with}) {
        d->tau = gains.cwiseInverse().asDiagonal() * d->tau;
        d->x = c.model.features_of(d->v, d->a, d->tau);
      }
      const KnownPayload payload{c.link, c.payload.mass(), c.payload.com()};
      const std::vector<DriveGain> found = gains_by_payload(c.model, payload, c.without, c.with);
      Eigen::VectorXd z = c.model.nominal();
      z.tail(c.model.unknowns() - c.model.inertial_size()).setZero();
      const std::vector<DriveGain> described =
          estimate_gains(c.model.torques(z, c.without.q, c.without.v, c.without.a, c.without.x),
                         c.without.tau, c.without.v);
      for (int i = 0; i < gains.size(); ++i) {
        const DriveGain& g = found[std::size_t(i)];
        if (g.determined < 0.5) continue;
        ++all, inside += std::abs(g.gain - gains(i)) < 2.0 * g.deviation;
        worst = std::max(worst, std::abs(g.gain / gains(i) - 1.0));
        by_description =
            std::max(by_description, std::abs(described[std::size_t(i)].gain / gains(i) - 1.0));
      }
    }
    EXPECT_GE(inside, 0.9 * all) << name << ": " << inside << " of " << all;
    EXPECT_GE(all, 50) << name;
    EXPECT_LT(worst, 0.01) << name;
    EXPECT_GT(by_description, 0.1) << name;
  }
}

TEST(GainsByPayload, offline_finds_them_and_weighs_the_payload_again) {
  LoadedRobot c("ur5e", "wrist_3_link", 3, {.mass = 3.0, .seconds = 30.0, .noise = 0.005});
  Eigen::VectorXd gains(6);
  gains << 12.0, 11.0, 10.0, 9.0, 8.0, 7.0;
  for (TorqueData* d : {&c.without, &c.with}) d->tau = gains.cwiseInverse().asDiagonal() * d->tau;
  const auto currents = [&](const TorqueData& data) {
    std::string text = csv_of(c.robot, data);
    for (std::size_t at; (at = text.find("tau")) != std::string::npos;) text.replace(at, 3, "i");
    return text;
  };
  std::istringstream without(currents(c.without)), with(currents(c.with));
  const V3 com = c.payload.com();
  const Eigen::Vector4d known(3.0, com.x(), com.y(), com.z());
  const Identification found =
      offline(c.robot, {.fit = {{"without.csv", &without}}, .loaded = {{"with.csv", &with}}},
              {.filter_hz = 5.0,
               .features = plain_friction,
               .choose = false,
               .find_gains = true,
               .payload = "wrist_3_link",
               .known_payload = known});
  ASSERT_EQ(found.gains.size(), 6u);
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(found.gains[std::size_t(i)].gain, gains(i), 0.05 * gains(i)) << i;
  ASSERT_TRUE(found.payload);
  EXPECT_NEAR(found.payload->mass, 3.0, 0.15);
  EXPECT_THROW((void)offline(c.robot, {.fit = {{"a.csv"}}}, {.known_payload = known}),
               std::invalid_argument);
}

TEST(LinkPayload, options_that_contradict_each_other_are_refused) {
  const Model robot = load_robot("ur5e").model;
  EXPECT_THROW((void)offline(robot, {.fit = {{"a.csv"}}, .loaded = {{"b.csv"}}}, {}),
               std::invalid_argument);
  EXPECT_THROW((void)offline(robot, {.fit = {{"a.csv"}}, .loaded = {{"b.csv"}}},
                             {.method = Method::ols, .payload = "wrist_3_link"}),
               std::invalid_argument);
  EXPECT_THROW((void)online(robot, {.fit = {{"a.csv"}}, .loaded = {{"b.csv"}}}, {}),
               std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
