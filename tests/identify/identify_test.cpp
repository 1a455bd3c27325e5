#include "ulna/identify/identify.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "excited.hpp"
#include "ulna/identify/data/log_rules.hpp"

namespace ulna::test {
namespace {

using namespace identify;

/// Ten seconds of a robot whose parameters are not those of its description, as tables.
struct Recording {
  Model model = load_robot("modern_robotics_3r").model;
  Excited run;

  Recording() : Recording(TorqueModel(load_robot("modern_robotics_3r").model, plain_friction)) {}

  /// With torques, or with the currents of drives with these gains.
  std::string table(const Eigen::VectorXd& gains = {}) const {
    return gains.size() ? table_of("i", gains.cwiseInverse())
                        : table_of("tau", Eigen::VectorXd::Ones(model.nv()));
  }
  /// With torques in another unit or of another sign.
  std::string table_of(const char* last, const Eigen::VectorXd& factors) const {
    std::ostringstream text;
    text.precision(12);
    text << "t";
    for (const char* name : {"q", "qd", last})
      for (int i = 1; i <= model.nv(); ++i) text << "," << name << i;
    for (Eigen::Index s = 0; s < run.data.size(); ++s) {
      text << "\n" << 0.01 * double(s);
      for (int i = 0; i < model.nv(); ++i) text << "," << run.data.q(i, s);
      for (int i = 0; i < model.nv(); ++i) text << "," << run.data.v(i, s);
      for (int i = 0; i < model.nv(); ++i) text << "," << run.data.tau(i, s) * factors(i);
    }
    return text.str() + "\n";
  }

 private:
  explicit Recording(const TorqueModel& torques)
      : run([&] {
          Random random(7);
          Eigen::VectorXd z = torques.nominal();
          z.head(torques.inertial_size()) *= 1.1;
          for (int i = 0; i < torques.model().nv(); ++i)
            z(torques.at(i, 0)) = 0.4, z(torques.at(i, 1)) = 0.3, z(torques.at(i, 2)) = -0.1;
          return Excited(torques.model(), torques.features(), z, 1000, 100.0, random);
        }()) {}
};

/// What a call throws, or "".
template <typename Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(Identification, from_a_log_to_a_robot_that_predicts_motion_held_out) {
  const Recording recording;
  std::istringstream log(recording.table());
  const Identification found =
      offline(recording.model, {.fit = {{"run.csv", &log}}}, {.split = 0.5, .folds = 3});
  ASSERT_TRUE(found.chosen.validation);
  EXPECT_LT(found.chosen.validation->total_percent, 1.0);
  EXPECT_TRUE(found.chosen.estimate.consistent);
  EXPECT_FALSE(found.has_findings());
  EXPECT_EQ(found.base.size(), found.chosen.estimate.excitation.rank);
  // each part of the fitted half from the others
  ASSERT_TRUE(found.cross_validation);
  EXPECT_LT(found.cross_validation->total_percent, 2.0);
  EXPECT_GE(found.cross_validation->total_percent, 0.9 * found.chosen.fit.total_percent);
  const TorqueModel identified(found.model(), plain_friction);
  EXPECT_LT((found.base.of(identified.nominal()) - found.base.of(found.chosen.estimate.z))
                .head(found.inertial_base())
                .norm(),
            1e-6);
}

TEST(Identification, the_prior_that_is_reported_is_that_of_the_description) {
  const Recording recording;
  std::istringstream log(recording.table());
  const Identification found = offline(recording.model, {.fit = {{"run.csv", &log}}});
  const TorqueModel torques(recording.model, plain_friction);
  const int inertial = torques.inertial_size();
  const Eigen::VectorXd prior = found.chosen.estimate.prior.head(inertial),
                        described = torques.nominal().head(inertial);
  expect_close(prior, described, 1e-9);
  ASSERT_TRUE(found.plain);
  expect_close(found.plain->estimate.prior, found.chosen.estimate.prior, 1e-12);
}

TEST(Identification, online_predicts_ever_better_and_stays_physical) {
  const Recording recording;
  std::istringstream log(recording.table());
  const Identification found = identify::online(recording.model, {.fit = {{"run.csv", &log}}});
  ASSERT_TRUE(found.online);
  EXPECT_TRUE(found.online->always_consistent);
  EXPECT_LT(found.online->second_half.total_percent, found.online->run.total_percent);
  EXPECT_LT(found.online->second_half.total_percent, 0.5 * found.online->prior_percent);
  Eigen::Index samples = 0;
  for (const Trace& trace : found.traces) samples += trace.t.size();
  EXPECT_EQ(found.online->updates(), samples);
}

TEST(Identification, gains_that_are_found_make_the_torques_of_those_that_are_given) {
  const Recording recording;
  const Eigen::Vector3d gains(2.0, 4.0, 0.5);
  std::istringstream log(recording.table(gains)), again(recording.table(gains));
  const Identification found =
      offline(recording.model, {.fit = {{"run.csv", &log}}}, {.find_gains = true});
  ASSERT_EQ(found.gains.size(), 3u);
  // bodies are 10 % heavier than they are described, which a gain cannot be told from
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(found.gains[i].gain, gains(i) / 1.1, 0.05 * gains(i)) << "joint " << i + 1;
  Eigen::VectorXd same(3);
  for (int i = 0; i < 3; ++i) same(i) = found.gains[i].gain;
  const Identification given =
      offline(recording.model, {.fit = {{"run.csv", &again}}}, {.gains = same});
  EXPECT_TRUE(given.gains.empty());
  expect_close(found.chosen.estimate.z, given.chosen.estimate.z, 1e-9);
}

TEST(Identification, essential_parameters_are_some_of_the_base_parameters) {
  const Recording recording;
  std::istringstream log(recording.table());
  const Identification found =
      offline(recording.model, {.fit = {{"run.csv", &log}}}, {.essential = true});
  ASSERT_TRUE(found.essential);
  EXPECT_GT(found.essential->kept.size(), 0u);
  EXPECT_EQ(found.essential->kept.size() + found.essential->dropped.size(),
            std::size_t(found.base.size()));
}

TEST(Identification, that_is_stopped_ends_with_what_was_found_so_far) {
  const Recording recording;
  for (const bool sample_by_sample : {false, true}) {
    int refusals = 0, partial = 0, folds = 0;
    bool whole = false;
    for (int last = 0; !whole; ++last) {
      ASSERT_LT(last, 100);
      std::istringstream log(recording.table());
      const LogInputs logs{.fit = {{"run.csv", &log}}};
      int calls = 0;
      Options options{.folds = sample_by_sample ? 0 : 5, .essential = !sample_by_sample};
      options.progress = [&](int, const std::string&) { return calls++ < last; };
      try {
        const Identification found = sample_by_sample
                                         ? identify::online(recording.model, logs, options)
                                         : offline(recording.model, logs, options);
        whole = !found.stopped;
        partial += found.stopped;
        EXPECT_TRUE(found.chosen.estimate.consistent) << last;
        EXPECT_TRUE(found.chosen.estimate.noise.allFinite()) << last;
        EXPECT_TRUE(std::isfinite(found.chosen.fit.total_percent)) << last;
        // what is missing is missing from the end on
        EXPECT_EQ(found.cross_validation.has_value(), found.folds > 0) << last;
        if (found.cross_validation) {
          EXPECT_LT(found.cross_validation->total_percent, 5.0) << last;
        }
        EXPECT_GE(found.folds, folds);
        folds = found.folds;
        if (found.essential) {
          EXPECT_EQ(found.folds, 5);
        }
        if (found.plain) {
          EXPECT_TRUE(whole);
        }
      } catch (const Stopped&) {
        EXPECT_EQ(partial, 0) << last;
        ++refusals;
      }
    }
    EXPECT_GE(refusals, 4);
    EXPECT_GE(partial, sample_by_sample ? 2 : 7);
    EXPECT_EQ(folds, sample_by_sample ? 0 : 5);
  }
}

/// Everything that is found to be wrong.
std::string findings_of(const Identification& found) {
  std::string text;
  for (const Remark& remark : found.remarks)
    if (remark.finding) text += remark.text + "\n";
  return text;
}

TEST(Identification, torques_in_other_units_or_of_other_sign_are_findings_that_name_the_cause) {
  const Recording recording;
  const std::tuple<Eigen::Vector3d, const char*> cases[] = {
      {{1e3, 1e3, 1e3}, "check the unit of the torques"},
      {{1e-3, 1e-3, 1e-3}, "check the unit of the torques"},
      {{-1.0, -1.0, -1.0}, "the torques of all joints look negated"},
      {{1.0, -1.0, 1.0}, "the torque of joint 'joint2' looks negated"},
      {{1.0, 1.0, 1e3},
       "'joint3' looks to be in another unit or of another gain: multiplied by 0.001"},
  };
  for (const bool described : {true, false})
    for (const auto& [factors, cause] : cases) {
      std::istringstream log(recording.table_of("tau", factors));
      const Identification found = offline(recording.model, {.fit = {{"run.csv", &log}}},
                                           {.prior = {.from_robot = described}});
      const std::string findings = findings_of(found);
      // heavy or light bodies if these explain the torques, otherwise the factor that lets them
      const bool scaled = factors.minCoeff() == factors.maxCoeff() && factors(0) > 0.0 &&
                          findings.find("the torques of all joints look") != std::string::npos;
      EXPECT_TRUE(scaled || findings.find(cause) != std::string::npos)
          << factors.transpose() << (described ? "" : " without a prior") << ":\n"
          << findings;
      EXPECT_TRUE(found.chosen.estimate.z.allFinite());
      EXPECT_TRUE(found.chosen.estimate.consistent) << "the best so far is physical";
    }
}

TEST(Identification, a_log_of_another_robot_or_in_another_unit_is_a_finding_that_names_the_scale) {
  // the first two could also be robots that are built alike, of other masses
  const Recording recording;
  for (const double factor : {2.5, 0.4, 0.01, 100.0, 1e3}) {
    std::istringstream log(recording.table_of("tau", Eigen::Vector3d::Constant(factor)));
    const Identification found = offline(recording.model, {.fit = {{"run.csv", &log}}});
    EXPECT_TRUE(found.has_findings());
    EXPECT_NE(findings_of(found).find("times those of the robot as it is described"),
              std::string::npos)
        << factor << ":\n"
        << findings_of(found);
    // bodies are 10 % heavier than described
    EXPECT_NEAR(found.described_scale / factor, 1.1, 0.1);
    EXPECT_GT(found.described_correlation, 0.8);
  }
  // no description, no scale; and its own log is no finding
  std::istringstream log(recording.table_of("tau", Eigen::Vector3d::Constant(2.5))),
      own(recording.table());
  const Identification free =
      offline(recording.model, {.fit = {{"run.csv", &log}}}, {.prior = {.from_robot = false}});
  EXPECT_EQ(free.described_scale, 0.0);
  EXPECT_EQ(findings_of(free), "");
  EXPECT_EQ(findings_of(offline(recording.model, {.fit = {{"run.csv", &own}}})), "");
}

TEST(Identification, a_log_of_a_larger_robot_of_the_same_kind_is_a_finding) {
  // lengths and masses of links as of the next size of its maker's robots: 1.4 and 1.6 times
  const Model smaller = load_robot("ur5e").model;
  Description d = smaller.description();
  for (JointDescription& joint : d.joints) joint.origin.xyz *= 1.4;
  for (LinkDescription& link : d.links)
    if (link.inertial) {
      link.inertial->mass *= 1.6, link.inertial->com *= 1.4;
      link.inertial->inertia *= 1.6 * 1.4 * 1.4;
    }
  const Model larger = Builder(std::move(d)).build();
  const TorqueModel torques(larger, plain_friction);
  Random random(5);
  const Excited run(larger, plain_friction, true_numbers(torques, random), 1000, 100.0, random);
  std::ostringstream table;
  table.precision(12);
  table << "t";
  for (const char* name : {"q", "qd", "tau"})
    for (int i = 1; i <= 6; ++i) table << "," << name << i;
  for (Eigen::Index k = 0; k < run.data.size(); ++k) {
    table << "\n" << 0.01 * double(k);
    for (const Eigen::MatrixXd* x : {&run.data.q, &run.data.v, &run.data.tau})
      for (int i = 0; i < 6; ++i) table << "," << (*x)(i, k);
  }
  const auto identified = [&](const Model& robot) {
    std::istringstream log(table.str() + "\n");
    return offline(robot, {.fit = {{"run.csv", &log}}}, {.choose = false});
  };
  const Identification wrong = identified(smaller), right = identified(larger);
  EXPECT_NE(findings_of(wrong).find("this is the log of another robot"), std::string::npos)
      << findings_of(wrong);
  EXPECT_EQ(findings_of(right), "");
}

TEST(Identification, a_log_that_is_given_again_counts_once) {
  const Recording recording;
  const auto identified = [&](int times, bool to_validate) {
    std::vector<std::istringstream> streams(static_cast<std::size_t>(times));
    LogInputs logs;
    for (std::istringstream& stream : streams) {
      stream.str(recording.table());
      (to_validate && !logs.fit.empty() ? logs.validation : logs.fit)
          .push_back({"run" + std::to_string(&stream - streams.data()), &stream});
    }
    return offline(recording.model, logs);
  };
  const Identification once = identified(1, false), often = identified(4, false),
                       validated = identified(2, true);
  EXPECT_FALSE(once.found.find(log_rules::repeated));
  ASSERT_TRUE(often.found.find(log_rules::repeated));
  EXPECT_EQ(often.samples, once.samples);
  expect_close(often.chosen.estimate.deviation, once.chosen.estimate.deviation, 0.0);
  ASSERT_EQ(often.logs.size(), 4u);
  EXPECT_EQ(often.logs.front().use, "fit");
  EXPECT_EQ(often.logs.back().use, "none");
  EXPECT_TRUE(validated.found.find(log_rules::repeated));
  EXPECT_EQ(validated.validation_samples, once.samples) << "is used all the same";
}

TEST(Identification, a_log_that_is_given_again_counts_once_whatever_the_repair_of_its_clock_drops) {
  const Recording recording;
  // every fifth row is written twice, under a later time and with a torque that was read again
  std::istringstream rows(recording.table());
  std::string table, row;
  std::getline(rows, row);
  table = row + "\n";
  for (int k = 0; std::getline(rows, row); ++k) {
    const std::size_t comma = row.find(',');
    table += row + "\n";
    if (k % 5 == 4)
      table += std::to_string(std::stod(row.substr(0, comma)) + 0.004) + row.substr(comma) +
               "1\n";  // another digit of the last torque
  }
  const auto identified = [&](int times) {
    std::vector<std::istringstream> streams(static_cast<std::size_t>(times));
    LogInputs logs;
    for (std::istringstream& stream : streams) {
      stream.str(table);
      logs.fit.push_back({"run" + std::to_string(&stream - streams.data()), &stream});
    }
    return offline(recording.model, logs);
  };
  const Identification once = identified(1), twice = identified(2);
  EXPECT_EQ(twice.samples, once.samples);
  ASSERT_EQ(twice.logs.size(), 2u);
  EXPECT_EQ(twice.logs.back().use, "none");
}

TEST(Identification, torques_that_are_measured_late_are_a_finding_with_the_delay) {
  const Recording recording;
  for (const double late : {0.2, 0.1, -0.1}) {
    // each row has the torques of an earlier one
    std::istringstream rows(recording.table());
    std::vector<std::string> motions, torques;
    std::string row, table;
    std::getline(rows, table);
    while (std::getline(rows, row)) {
      std::size_t cut = row.size();
      for (int i = 0; i < recording.model.nv(); ++i) cut = row.rfind(',', cut - 1);
      motions.push_back(row.substr(0, cut)), torques.push_back(row.substr(cut));
    }
    const int shift = int(std::lround(100.0 * late)), n = int(motions.size());
    for (int k = std::max(0, shift); k < std::min(n, n + shift); ++k)
      table += "\n" + motions[k] + torques[k - shift];
    std::istringstream log(table + "\n"), again(table + "\n");
    const Identification found =
        offline(recording.model, {.fit = {{"run.csv", &log}}}, {.choose = false});
    const std::string findings = findings_of(found);
    EXPECT_NE(
        findings.find(late > 0.0 ? " ms later than the motion" : " ms earlier than the motion"),
        std::string::npos)
        << late << ":\n"
        << findings;
    EXPECT_NEAR(found.delay.delay, late, 0.01);
    // it is compensated where the model is chosen
    const Identification chosen = offline(recording.model, {.fit = {{"run.csv", &again}}});
    EXPECT_NEAR(chosen.effects.torque_delay.value, late, 0.01);
    EXPECT_LT(chosen.chosen.fit.total_percent, 0.5 * found.chosen.fit.total_percent);
  }
}

TEST(Identification, gains_that_currents_do_not_determine_are_findings_that_name_the_joint) {
  const Recording recording;
  // the last joint's current is mostly that of friction which varies as it likes
  std::istringstream rows(recording.table(Eigen::Vector3d(2.0, 4.0, 0.5)));
  std::string row, table;
  std::getline(rows, table);
  Random random(3);
  double largest = 0.0;
  for (Eigen::Index k = 0; k < recording.run.data.size(); ++k)
    largest = std::max(largest, std::abs(recording.run.data.tau(2, k)));
  double drift = 0.0;
  while (std::getline(rows, row)) {
    const std::size_t cut = row.rfind(',');
    drift += 0.05 * (20.0 * largest * random.real() - drift);
    table +=
        "\n" + row.substr(0, cut) + "," + std::to_string(std::stod(row.substr(cut + 1)) + drift);
  }
  std::istringstream log(table + "\n");
  const Identification found =
      offline(recording.model, {.fit = {{"run.csv", &log}}}, {.find_gains = true});
  const std::string findings = findings_of(found);
  EXPECT_NE(findings.find("joint 'joint3': its gain of "), std::string::npos) << findings;
  EXPECT_EQ(findings.find("joint 'joint1': its gain"), std::string::npos) << findings;
  EXPECT_LT(found.gains[2].determined, 0.5);
  EXPECT_GT(found.gains[0].determined, 0.9);
}

TEST(Identification, refuses_options_by_their_names_and_names_no_flags) {
  const Recording recording;
  const auto refused = [&](const Options& options, const std::string& table,
                           bool sample_by_sample) {
    return refusal([&] {
      std::istringstream log(table);
      const LogInputs logs{.fit = {{"run.csv", &log}}};
      (void)(sample_by_sample ? identify::online(recording.model, logs, options)
                              : offline(recording.model, logs, options));
    });
  };
  const std::string torques = recording.table(),
                    currents = recording.table(Eigen::Vector3d::Ones());
  const std::tuple<Options, const std::string*, bool, const char*> cases[] = {
      {{.split = 1.5}, &torques, false, "Options::split"},
      {{.filter_hz = 0.0}, &torques, false, "Options::filter_hz"},
      {{.folds = 1}, &torques, false, "Options::folds"},
      {{.delay = true}, &torques, false, "Options::delay"},
      {{.stribeck = true}, &torques, false, "Options::stribeck"},
      {{.method = Method::ols, .refine = true}, &torques, false, "Options::refine"},
      {{.gains = Eigen::Vector3d::Zero()}, &torques, false, "Options::gains"},
      {{.gains = Eigen::Vector3d::Ones()}, &torques, false, "Options::gains"},
      {{}, &currents, false, "Options::gains"},
      {{.split = 0.5}, &torques, true, "Options::split"},
      {{.payload = "nowhere"}, &torques, false, "nowhere"},
  };
  for (const auto& [options, table, sample_by_sample, named] : cases) {
    const std::string text = refused(options, *table, sample_by_sample);
    EXPECT_NE(text.find(named), std::string::npos) << named << ": " << text;
    EXPECT_EQ(text.find("--"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace ulna::test
