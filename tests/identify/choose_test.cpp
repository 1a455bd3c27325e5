#include "ulna/identify/choose/choose.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "choose/exhaustive.hpp"
#include "identify/choose/lattice.hpp"
#include "support/random.hpp"
#include "ulna/identify/data/filter.hpp"

namespace ulna::test {
namespace {

using namespace identify;

Identification identified(const bench::ChooseCase& made, Options options = {}) {
  std::istringstream log(made.log);
  return offline(made.described, {.fit = {{"run.csv", &log}}}, options);
}

bool has(const Identification& found, Feature feature) {
  return std::ranges::count(found.torques.features(), feature) > 0;
}

class ChosenModel : public testing::TestWithParam<std::pair<const char*, unsigned>> {};

TEST_P(ChosenModel, predicts_fresh_motion_within_5_percent_of_the_best_set_by_hand) {
  const auto [name, seed] = GetParam();
  const bench::ChooseCase made = bench::choose_case(name, seed, 12.0);
  Identification found{TorqueModel(made.described, {})};
  const double chosen = bench::fresh_percent(made, {}, &found);
  ASSERT_TRUE(found.choice);
  const double cut_offs[] = {5.0, 10.0};
  const bench::HandMade best = bench::best_by_hand(made, cut_offs);
  EXPECT_LT(chosen, 1.05 * best.percent) << best.model;
}

INSTANTIATE_TEST_SUITE_P(Robots, ChosenModel,
                         testing::Values(std::pair{"harmonic", 2u}, std::pair{"late", 2u},
                                         std::pair{"slow", 2u}),
                         [](const auto& which) { return std::string(which.param.first); });

TEST(Choose, finds_friction_by_load_and_rotors_and_says_what_each_gained) {
  const bench::ChooseCase made = bench::choose_case("harmonic", 1, 12.0);
  const Identification found = identified(made);
  ASSERT_TRUE(found.choice);
  EXPECT_TRUE(has(found, Feature::load));
  EXPECT_TRUE(has(found, Feature::armature));
  EXPECT_EQ(found.choice->filter_hz, found.filter_hz);
  for (const char* model : {"with load", "with armature"}) {
    const auto taken = std::ranges::find_if(found.choice->tried, [&](const Tried& tried) {
      return tried.model == model && tried.taken;
    });
    ASSERT_NE(taken, found.choice->tried.end()) << model;
    EXPECT_GT(taken->gain, taken->deviation);
  }
}

TEST(Choose, keeps_what_is_given) {
  const bench::ChooseCase made = bench::choose_case("harmonic", 1, 8.0);
  const std::vector<Feature> given{Feature::viscous, Feature::coulomb};
  const Identification found = identified(
      made, {.filter_hz = 6.0, .features = given, .rotors = false, .torque_delay = 0.001});
  EXPECT_EQ(found.torques.features(), given);
  EXPECT_EQ(found.filter_hz, 6.0);
  EXPECT_EQ(found.effects.torque_delay.value, 0.001);
  const Identification usual = identified(made, {.choose = false});
  EXPECT_FALSE(usual.choice);
  EXPECT_EQ(usual.filter_hz, 10.0);
  EXPECT_FALSE(usual.effects.changes_samples());
}

TEST(Choose, finds_a_motor_that_turns_with_the_joint_before) {
  const bench::ChooseCase made = bench::choose_case("coupled", 1, 12.0);
  const Identification found = identified(made);
  ASSERT_EQ(found.effects.couplings.size(), 1u);
  const Coupling& c = found.effects.couplings.front();
  EXPECT_EQ(c.motor, 5);
  EXPECT_EQ(c.joint, 4);
  EXPECT_EQ(c.sign, 1);
  EXPECT_NEAR(c.viscous.value, 0.62, 0.05 * 0.62);
  EXPECT_NEAR(c.coulomb.value, 1.95, 0.05 * 1.95);
}

TEST(Choose, finds_how_late_torques_are) {
  const bench::ChooseCase made = bench::choose_case("late", 1, 12.0);
  const Found delay = identified(made).effects.torque_delay;
  EXPECT_NEAR(delay.value, 0.008, std::max(0.0005, 3.0 * delay.deviation));
}

TEST(Effects, links_are_where_springs_leave_them) {
  const bench::ChooseCase made = bench::choose_case("elastic", 1, 5.0);
  Diagnostics found;
  std::istringstream table(made.fresh);
  Log log = read_log(table, "fresh.csv", made.described, {}, found);
  Prepared motors = prepare({&log, 1}, {.filter_hz = 10.0}, found), links = motors;
  rid_of(made.effects, links);
  // of torques alone, as there is no friction
  const Piece &before = motors.pieces.front(), &after = links.pieces.front();
  for (int i = 0; i < before.q.rows(); ++i) {
    const double give = made.effects.compliance[std::size_t(i)].value;
    const Eigen::VectorXd left = before.q.row(i) - after.q.row(i) - give * before.tau.row(i);
    EXPECT_LT(left.cwiseAbs().maxCoeff(), 1e-12);
  }
  EXPECT_EQ(after.v, before.v);
}

TEST(Effects, that_no_robot_can_have_are_refused) {
  const Model robot = load_robot("panda").model;
  std::istringstream empty("t\n");
  const auto refusal = [&](const Effects& effects) {
    try {
      (void)offline(robot, {.fit = {{"run.csv", &empty}}}, {.effects = effects});
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    } catch (const LogError&) {
    }
    return std::string();
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.compliance = std::vector<Found>(7)}), "");
  EXPECT_NE(refusal({.compliance = std::vector<Found>(6)}).find("6 springs"), std::string::npos);
  for (const double x : {-1e-4, double(NAN), double(INFINITY)}) {
    EXPECT_NE(refusal({.compliance = std::vector<Found>(7, {x, 0.0})}), "") << x;
    EXPECT_NE(refusal({.couplings = {{.motor = 6, .joint = 5, .viscous = {x, 0.0}}}}), "") << x;
  }
  EXPECT_EQ(refusal({.couplings = {{.motor = 6, .joint = 5, .sign = -1}}}), "");
  EXPECT_NE(refusal({.couplings = {{.motor = 6, .joint = 5, .sign = 2}}}), "");
  for (const auto& [motor, joint] : {std::pair{7, 5}, {6, -1}, {5, 5}})
    EXPECT_NE(refusal({.couplings = {{.motor = motor, .joint = joint}}}), "")
        << motor << " " << joint;
}

TEST(Band, ends_where_motion_no_longer_shows) {
  Random random(1);
  constexpr double rate = 100.0;
  const Eigen::Index n = 6000;
  Eigen::MatrixXd predicted(1, n), noise(1, n);
  for (Eigen::Index k = 0; k < n; ++k)
    predicted(k) = random.real(-1.0, 1.0), noise(k) = random.real(-0.1, 0.1);
  for (const double hz : {2.0, 5.0}) {
    Eigen::MatrixXd slow = predicted;
    zero_phase(LowPass(hz, rate, 8), slow);
    const double band = band_of(slow + noise, slow, {0}, rate, 20.0);
    EXPECT_GT(band, 0.8 * hz);
    EXPECT_LT(band, 1.6 * hz);
  }
}

// A wrist whose sensor has nothing but noise says nothing about how fast the others move.
TEST(Band, is_not_narrowed_by_joints_that_are_all_noise) {
  Random random(3);
  constexpr double rate = 100.0, hz = 6.0;
  const Eigen::Index n = 6000;
  Eigen::MatrixXd predicted = Eigen::MatrixXd::Zero(7, n), noise = predicted;
  for (Eigen::Index k = 0; k < n; ++k) {
    predicted(0, k) = random.real(-1.0, 1.0);
    for (double& x : noise.col(k)) x = random.real(-0.1, 0.1);
  }
  zero_phase(LowPass(hz, rate, 8), predicted);
  // noise itself moves the other joints a little, in the model
  for (int i = 1; i < 7; ++i)
    for (Eigen::Index k = 0; k < n; ++k) predicted(i, k) = random.real(-0.01, 0.01);
  const Eigen::MatrixXd measured = predicted + noise;
  const double alone = band_of(measured.topRows(1), predicted.topRows(1), {0}, rate, 20.0),
               all = band_of(measured, predicted, {0}, rate, 20.0);
  EXPECT_GT(alone, 0.8 * hz);
  EXPECT_NEAR(all, alone, 0.1 * alone);
}

TEST(Period, is_that_of_motion_which_repeats_itself) {
  Piece piece;
  piece.rate_hz = 100.0, piece.t = Eigen::VectorXd::LinSpaced(3000, 0.0, 29.99);
  piece.q.resize(2, 3000);
  const auto move = [&](double period, double drift) {
    for (int k = 0; k < 3000; ++k) {
      const double u = 2.0 * M_PI * piece.t(k) / period;
      piece.q.col(k) << std::sin(u) + 0.3 * std::sin(3.0 * u),
          std::cos(2.0 * u) + drift * piece.t(k);
    }
    Prepared motion;
    motion.pieces.push_back(piece);
    return period_of(motion);
  };
  EXPECT_NEAR(move(9.0, 0.0), 9.0, 0.1);
  EXPECT_NEAR(move(18.0, 0.0), 18.0, 0.1);
  EXPECT_EQ(move(9.0, 0.2), 0.0);
}

TEST(Residuals, name_what_they_follow) {
  Random random(2);
  const Eigen::Index n = 6000;
  Eigen::MatrixXd q(1, n), v(1, n), predicted(1, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double t = 0.01 * double(k);
    q(k) = std::sin(1.3 * t), v(k) = 1.3 * std::cos(1.3 * t),
    predicted(k) = 5.0 * std::sin(0.7 * t);
  }
  const auto strongest = [&](auto effect) {
    Eigen::MatrixXd measured = predicted;
    for (Eigen::Index k = 0; k < n; ++k) measured(k) += effect(k) + random.real(-0.02, 0.02);
    const ResidualInput piece{100.0, 0.0, q, v, measured, predicted};
    const Residuals found = residuals_of({&piece, 1}, 10.0);
    const auto& patterns = found.joints.front().patterns;
    const auto best = std::ranges::max_element(patterns, {}, &Pattern::share);
    return best->share > 0.3 ? best->against : std::string("nothing");
  };
  EXPECT_EQ(strongest([&](Eigen::Index) { return 0.0; }), "nothing");
  EXPECT_EQ(strongest([&](Eigen::Index k) { return 0.2 * std::cos(8.0 * q(k)); }), "position");
  EXPECT_EQ(strongest([&](Eigen::Index k) { return 0.2 * std::cos(6.0 * v(k)); }), "velocity");
  EXPECT_EQ(strongest([&](Eigen::Index k) { return 0.02 * std::abs(predicted(k)) * predicted(k); }),
            "load");
  EXPECT_EQ(
      strongest([&](Eigen::Index k) { return 0.2 * std::cos(0.05 * double(k) * 0.01 * M_PI); }),
      "time");
  // a joint that warms up: the mean of the residual itself is about zero at any time
  EXPECT_EQ(strongest([&](Eigen::Index k) {
              return 0.2 * (0.5 - double(k) / double(n)) * (v(k) > 0.0 ? 1.0 : -1.0);
            }),
            "friction");
  // friction that is as wrong at the end as at the beginning does not change
  EXPECT_EQ(strongest([&](Eigen::Index k) { return v(k) > 0.0 ? 0.2 : -0.2; }), "direction");
}

}  // namespace
}  // namespace ulna::test
