#include <cmath>
#include <random>

#include "pages.hpp"
#include "ulna/identify/refine/refine.hpp"
#include "ulna/ulna.hpp"

using namespace ulna::test;
using ulna::identify::Feature;

namespace {

const char* const robot = "modern_robotics_3r";
constexpr int joints = 3;

/// A motion of sines with torques of the robot made 20 % heavier, with friction and noise.
struct Motion {
  Eigen::VectorXd t;
  Eigen::MatrixXd q, v, tau;

  explicit Motion(int seed = 1, double seconds = 8.0, double rate = 100.0, int still = -1,
                  double noise = 0.02) {
    const ulna::Model model = ulna::load_robot(robot).model;
    const ulna::identify::TorqueModel torques(
        model, {Feature::viscous, Feature::coulomb, Feature::offset});
    const auto count = static_cast<Eigen::Index>(seconds * rate);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    std::normal_distribution<double> normal;
    t.resize(count), q = Eigen::MatrixXd::Zero(joints, count), v = q;
    Eigen::MatrixXd a = q;
    for (Eigen::Index s = 0; s < count; ++s) t(s) = static_cast<double>(s) / rate;
    for (int i = 0; i < joints; ++i)
      for (int k = 1; k <= 3; ++k) {
        const double w = 2.0 * M_PI * (0.25 * k + 0.1 * unit(random)), phase = 6.0 * unit(random),
                     size = i == still ? 0.0 : 0.5 / k;
        for (Eigen::Index s = 0; s < count; ++s) {
          const double u = w * t(s) + phase;
          q(i, s) += size * std::sin(u);
          v(i, s) += size * w * std::cos(u);
          a(i, s) -= size * w * w * std::sin(u);
        }
      }
    Eigen::VectorXd z = torques.nominal();
    z.head(torques.inertial_size()) *= 1.2;
    for (int i = 0; i < joints; ++i) {
      z(torques.at(i, 0)) = 0.4, z(torques.at(i, 1)) = 0.3, z(torques.at(i, 2)) = -0.1;
    }
    tau = torques.torques(z, q, v, a, torques.features_of(v, a, a));
    for (Eigen::Index s = 0; s < count; ++s)
      for (int i = 0; i < joints; ++i) tau(i, s) += noise * normal(random);
  }

  void swap(Eigen::MatrixXd& m) const { m.row(0).swap(m.row(1)); }

  /// As a table; the last columns are tau, or currents of them by these gains.
  std::vector<std::string> lines(const std::vector<double>& gains = {}) const {
    std::vector<std::string> all(1, "t");
    for (const char* name : {"q", "qd", gains.empty() ? "tau" : "i"})
      for (int i = 1; i <= joints; ++i) all[0] += std::string(",") + name + std::to_string(i);
    for (Eigen::Index s = 0; s < t.size(); ++s) {
      std::ostringstream row;
      row.precision(10);
      row << t(s);
      for (const Eigen::MatrixXd* m : {&q, &v})
        for (int i = 0; i < joints; ++i) row << ',' << (*m)(i, s);
      for (int i = 0; i < joints; ++i)
        row << ',' << tau(i, s) / (gains.empty() ? 1.0 : gains[static_cast<std::size_t>(i)]);
      all.push_back(row.str());
    }
    return all;
  }
  std::string csv(const std::vector<double>& gains = {}) const { return joined(lines(gains)); }

  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
};

/// The log on standard input.
RunResult identify(const std::string& log, std::vector<std::string> more = {}) {
  std::vector<std::string> line{"identify", robot, "-", "--json"};
  line.insert(line.end(), more.begin(), more.end());
  return run_cli(line, {.input = log});
}

json result(const std::string& log, std::vector<std::string> more = {}) {
  const RunResult r = identify(log, std::move(more));
  EXPECT_EQ(r.status, 0) << r.err << r.out;
  return document(r, "ulna.identify/1");
}

bool has_rule(const json& d, const std::string& rule) {
  for (const json& one : d["diagnostics"])
    if (one["rule"] == rule) return true;
  return false;
}

json parameter(const json& d, const std::string& end) {
  for (const json& one : d["parameters"])
    if (one["name"].get<std::string>().ends_with(end)) return one;
  ADD_FAILURE() << "no parameter " << end;
  return {};
}

TEST(IdentifyVerb, json_has_what_was_promised) {
  const json d = result(
      Motion().csv(), {"--split", "0.5", "--filter", "10", "--friction", "viscous,coulomb,offset"});
  EXPECT_EQ(d["parameters"].size(), 39u);
  EXPECT_EQ(d["residuals"]["joints"].size(), 3u);
  for (const json& p : d["parameters"]) {
    EXPECT_EQ(keys(p), (std::set<std::string>{"name", "unit", "value", "deviation", "prior",
                                              "learned", "state"}));
    EXPECT_TRUE(p["value"].is_number() && p["deviation"].is_number() && p["prior"].is_number());
    // said to be an estimate if and only if data told of it
    EXPECT_EQ(p["state"], p["learned"].get<double>() < 0.1 ? "prior" : "estimated") << p;
  }
  ASSERT_EQ(d["base_parameters"].size(), d["excitation"]["base_parameters"].get<std::size_t>());
  for (const json& b : d["base_parameters"])
    EXPECT_EQ(keys(b), (std::set<std::string>{"expression", "unit", "value", "deviation"}));
  EXPECT_EQ(d["consistent"], true);
  for (const char* part : {"fit", "validation"}) {
    EXPECT_EQ(d[part]["per_joint_percent"].size(), 3u);
    EXPECT_EQ(d[part]["filter_hz"], 10.0);
    EXPECT_GT(d[part]["total_percent"], 0.0);
    EXPECT_LT(d[part]["total_percent"], 1.0);
  }
  EXPECT_EQ(d["excitation"]["rank"], d["excitation"]["base_parameters"]);
  // little more than what was added: where direction changes, Coulomb friction falls between samples
  for (const json& noise : d["noise"]) {
    EXPECT_GT(noise, 0.005);
    EXPECT_LT(noise, 0.06);
  }
  EXPECT_EQ(d["logs"][0]["rows"], 800);
  EXPECT_EQ(d["bodies"].size(), 3u);
  for (const json& body : d["bodies"]) EXPECT_GT(body["margin"], 0.0);
  EXPECT_EQ(d["indefinite_percent"], 0.0);
}

TEST(IdentifyVerb, finds_the_numbers_the_log_was_made_with) {
  const json d = result(Motion().csv());
  for (const char* joint : {"joint1", "joint2", "joint3"})
    for (const auto& [what, truth] :
         std::map<std::string, double>{{"viscous", 0.4}, {"coulomb", 0.3}, {"offset", -0.1}}) {
      const json p = parameter(d, std::string(joint) + "." + what);
      EXPECT_EQ(p["state"], "estimated");
      EXPECT_NEAR(p["value"], truth, 4.0 * p["deviation"].get<double>() + 0.005) << p;
    }
}

TEST(IdentifyVerb, chooses_what_is_not_given_and_lists_what_was_tried) {
  const json d = result(Motion().csv());
  ASSERT_TRUE(d["choice"].is_object());
  EXPECT_EQ(d["choice"]["filter_hz"], d["filter_hz"]);
  EXPECT_EQ(d["choice"]["features"], d["friction"]);
  ASSERT_GT(d["choice"]["tried"].size(), 5u);
  for (const json& tried : d["choice"]["tried"]) EXPECT_GT(tried["percent"], 0.0) << tried;
  const RunResult r = run_cli({"identify", robot, "-", "--all"}, {.input = Motion().csv()});
  for (const char* part : {"model ", "known ", "next ", "tried ", "with load"})
    EXPECT_TRUE(has(r.out, part)) << part << r.out;
}

TEST(IdentifyVerb, has_usual_values_and_says_that_nothing_was_held_out) {
  const json d = result(Motion().csv(), {"--usual"});
  EXPECT_TRUE(d["choice"].is_null());
  EXPECT_EQ(d["method"], "consistent");
  EXPECT_EQ(d["friction"], (json{"viscous", "coulomb", "offset"}));
  EXPECT_EQ(d["filter_hz"], 10.0);
  EXPECT_TRUE(d["validation"].is_null());
  EXPECT_TRUE(d["online"].is_null());
  ASSERT_EQ(d["remarks"].size(), 1u);
  EXPECT_TRUE(has(d["remarks"][0], "nothing was held out"));
}

TEST(IdentifyVerb, has_effects_in_numbers) {
  const json d = result(Motion().csv(), {"--usual", "--late", "5"}), effects = d["effects"];
  EXPECT_EQ(keys(effects), (std::set<std::string>{"torque_delay", "compliance", "couplings"}));
  EXPECT_EQ(effects["torque_delay"], (json{{"value", 0.005}, {"deviation", 0.0}}));
  EXPECT_EQ(effects["compliance"], json::array());
  // the cut-off is that to which results are compared
  EXPECT_EQ(d["reference"]["total_percent"], d["fit"]["total_percent"]);
}

TEST(IdentifyVerb, states_the_filter_it_was_told) {
  const RunResult r = run_cli({"identify", robot, "-", "--filter", "5"}, {.input = Motion().csv()});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "5 Hz zero-phase low-pass"));
  EXPECT_TRUE(has(r.out, "torque error in percent of the torque, 5 Hz"));
  EXPECT_LE(widest_line(r.out), 80u);
}

TEST(IdentifyVerb, validates_on_other_logs) {
  const Folder folder;
  const std::string one = folder.write("1.csv", Motion(1).csv()),
                    two = folder.write("2.csv", Motion(2).csv()),
                    test = folder.write("3.csv", Motion(3).csv());
  const json d = document(run_cli({"identify", robot, one, two, "--validate", test, "--json"}),
                          "ulna.identify/1");
  ASSERT_EQ(d["logs"].size(), 3u);
  EXPECT_EQ(d["logs"][1]["use"], "fit");
  EXPECT_EQ(d["logs"][2]["use"], "validation");
  EXPECT_LT(d["validation"]["total_percent"], 1.0);
  EXPECT_NEAR(d["fit"]["samples"].get<double>(), 2.0 * d["validation"]["samples"].get<double>(), 2);
}

TEST(IdentifyVerb, tells_when_validation_repeats_the_fitted_motion) {
  const Folder folder;
  const std::string one = folder.write("1.csv", Motion(1).csv()),
                    two = folder.write("2.csv", Motion(2).csv());
  const auto validated = [&](const std::string& test) {
    return document(run_cli({"identify", robot, one, "--validate", test, "--json"}),
                    "ulna.identify/1");
  };
  const json same = validated(one), other = validated(two);
  EXPECT_EQ(same["validation"]["repeated_percent"], 100.0);
  ASSERT_EQ(same["remarks"].size(), 1u);
  EXPECT_TRUE(has(same["remarks"][0], "repeats motion"));
  EXPECT_LT(other["validation"]["repeated_percent"], 20.0);
  EXPECT_EQ(other["remarks"].size(), 0u);
}

TEST(IdentifyVerb, currents_by_gains_are_torques) {
  const Motion motion;
  const json torques = result(motion.csv()),
             currents = result(motion.csv({2.0, 4.0, 0.5}), {"--gain", "2,4,0.5"});
  EXPECT_NEAR(torques["fit"]["total_percent"], currents["fit"]["total_percent"], 1e-4);
  const RunResult none = identify(motion.csv({2.0, 4.0, 0.5}));
  EXPECT_EQ(none.status, 3);
  EXPECT_TRUE(has(none.out, "--gain"));
  EXPECT_EQ(identify(motion.csv(), {"--gain", "2,4,0.5"}).status, 3);
  for (const char* wrong : {"2,4", "2,4,0", "a,b,c"})
    EXPECT_EQ(identify(motion.csv({1, 1, 1}), {"--gain", wrong}).status, 2) << wrong;
}

TEST(IdentifyVerb, gains_folds_and_essential_parameters_are_found_if_asked_for) {
  const Motion motion;
  const json d = result(motion.csv({2.0, 4.0, 0.5}),
                        {"--gain", "find", "--folds", "3", "--essential", "--friction", "none"});
  ASSERT_EQ(d["gains"].size(), 3u);
  EXPECT_GT(d["gains"][1]["gain"], d["gains"][0]["gain"]);
  EXPECT_GT(d["gains"][0]["deviation"], 0.0);
  EXPECT_GT(d["cross_validation"]["total_percent"], 0.0);
  EXPECT_EQ(d["cross_validation"]["per_joint_percent"].size(), 3u);
  EXPECT_LE(d["essential_parameters"].size(), d["base_parameters"].size());
  EXPECT_FALSE(d["essential_parameters"][0]["expression"].get<std::string>().empty());
  const json plain = result(motion.csv());
  for (const char* field : {"gains", "cross_validation", "essential_parameters"})
    EXPECT_TRUE(plain[field].is_null()) << field;
}

TEST(IdentifyVerb, friction_is_what_was_asked_for) {
  const std::string log = Motion().csv();
  const json none = result(log, {"--friction", "none"});
  EXPECT_EQ(none["parameters"].size(), 30u);
  EXPECT_GT(none["fit"]["total_percent"], 1.0);
  const json rich = result(log, {"--friction", "viscous,asymmetric", "--armature"});
  EXPECT_EQ(rich["friction"],
            (json{"viscous", "coulomb_positive", "coulomb_negative", "armature"}));
  EXPECT_EQ(result(log, {"--no-armature"})["friction"], result(log)["friction"]);
  EXPECT_EQ(identify(log, {"--armature", "--no-armature"}).status, 2);
  EXPECT_EQ(identify(log, {"--friction", "viscous,magic"}).status, 2);
  EXPECT_EQ(identify(log, {"--friction", "coulomb,asymmetric"}).status, 2);
}

TEST(IdentifyVerb, an_unmoved_joint_is_reported_as_prior) {
  const json d = result(Motion(1, 8.0, 100.0, 0).csv());
  EXPECT_TRUE(has_rule(d, "log-still"));
  EXPECT_LT(d["excitation"]["rank"], d["excitation"]["base_parameters"]);
  for (const char* what : {"joint1.viscous", "joint1.coulomb"}) {
    const json p = parameter(d, what);
    EXPECT_EQ(p["state"], "prior") << p;
    EXPECT_NEAR(p["value"], p["prior"], 0.5 * std::abs(p["prior"].get<double>()) + 1e-3);
  }
  EXPECT_EQ(parameter(d, "joint3.viscous")["state"], "estimated");
  // plain least squares has no prior to fall back on
  const RunResult plain = identify(Motion(1, 8.0, 100.0, 0).csv(), {"--method", "ols"});
  EXPECT_EQ(plain.status, 3);
  EXPECT_TRUE(has(plain.out, "--method consistent"));
}

TEST(IdentifyVerb, what_is_not_physical_is_a_finding_and_is_not_written) {
  const Folder folder;
  const std::string log = Motion(1, 4.0, 100.0, -1, 2.0).csv();
  const RunResult r = identify(log, {"--method", "ols"});
  const json d = document(r, "ulna.identify/1");
  ASSERT_EQ(d["consistent"], false);
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(d["findings"][0], "not physical"));
  EXPECT_EQ(identify(log, {"--method", "ols", "-o", folder.path("out.urdf")}).status, 1);
  EXPECT_TRUE(folder.names().empty());
  for (const char* method : {"wls", "irls", "tls", "ridge"}) {
    const RunResult other = identify(log, {"--method", method});
    const json o = document(other, "ulna.identify/1");
    EXPECT_EQ(other.status, o["consistent"] == true ? 0 : 1) << method;
    EXPECT_LT(o["fit"]["total_percent"], 5.0) << method;
  }
}

// --- refinement ----------------------------------------------------------------------------------

TEST(IdentifyVerb, refines_by_simulation_and_says_what_it_did) {
  const std::string log = Motion(1, 4.0).csv();
  const RunResult r = identify(log, {"--method", "refine", "--split", "0.6"});
  if (!ulna::identify::can_refine()) {
    EXPECT_EQ(r.status, 2);
    EXPECT_TRUE(has(r.err, "built without Ceres"));
    GTEST_SKIP() << "built without Ceres";
  }
  EXPECT_EQ(r.status, 0) << r.err;
  const json d = document(r, "ulna.identify/1");
  EXPECT_EQ(d["method"], "refine");
  EXPECT_EQ(d["consistent"], true);
  const json& f = d["refinement"];
  EXPECT_GT(f["iterations"], 0);
  // of the fitted part alone
  EXPECT_LT(f["windows"].get<double>() * f["window"].get<double>(), 0.6 * 4.0);
  EXPECT_LT(f["velocity_after"][2], f["velocity_before"][2]);
  EXPECT_TRUE(f["stribeck"].is_null() && f["delay"].is_null());
  EXPECT_LT(d["validation"]["total_percent"], 1.0);
  // what is worse than before is told
  const bool worse = d["validation"]["total_percent"] > f["start_validation_percent"].get<double>();
  EXPECT_EQ(d["remarks"].dump().find("--method consistent keeps the latter") != std::string::npos,
            worse)
      << d["remarks"];
  EXPECT_TRUE(result(log)["refinement"].is_null());
}

TEST(IdentifyVerb, refinement_finds_stribeck_friction_and_a_delay) {
  if (!ulna::identify::can_refine()) GTEST_SKIP() << "built without Ceres";
  const Folder folder;
  Motion m(1, 6.0);
  // torques are logged 20 ms late
  m.tau.rightCols(m.tau.cols() - 2) = Eigen::MatrixXd(m.tau.leftCols(m.tau.cols() - 2));
  const json d =
      result(m.csv(), {"--method", "refine", "--delay", "--friction",
                       "viscous,coulomb,stribeck,offset", "--report", folder.path("r.html")});
  EXPECT_EQ(d["friction"], (json{"viscous", "coulomb", "offset"}));
  EXPECT_NEAR(d["refinement"]["delay"]["value"], 0.02, 0.002) << d["refinement"];
  ASSERT_EQ(d["refinement"]["stribeck"].size(), 3u);
  for (const json& one : d["refinement"]["stribeck"]) EXPECT_GT(one["level"]["value"], 0.0);
  EXPECT_TRUE(has(d["filter"], "ms compensated"));
  EXPECT_LT(d["fit"]["total_percent"], 0.5 * d["refinement"]["start_fit_percent"].get<double>());
  const std::string page = read_file(folder.path("r.html"));
  EXPECT_TRUE(has(page, "Stribeck velocity"));
  EXPECT_TRUE(has(page, "all figures allow for it"));
}

// --- bad logs ------------------------------------------------------------------------------------

struct BadLog {
  const char* name;
  std::function<std::string()> text;
  int status;
  const char* said;  ///< a rule or a part of a finding
};

class BadLogs : public testing::TestWithParam<BadLog> {};

std::string with_row(std::size_t at, const std::string& row) {
  std::vector<std::string> lines = Motion().lines();
  lines[at] = row;
  return Motion::joined(lines);
}

TEST_P(BadLogs, get_a_clear_message) {
  const RunResult r = identify(GetParam().text());
  EXPECT_EQ(r.status, GetParam().status) << r.out << r.err;
  const json d = document(r, "ulna.identify/1");
  EXPECT_TRUE(has(d.dump(), GetParam().said));
  if (r.status < 3) {
    // what there is of numbers is sound
    EXPECT_EQ(d["consistent"], true);
    if (r.status == 0) {
      EXPECT_LT(d["fit"]["total_percent"], 1.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    IdentifyVerb, BadLogs,
    testing::Values(
        BadLog{"nan", [] { return with_row(100, "1,nan,0,0,0,0,0,0,0,0"); }, 0, "log-row-corrupt"},
        BadLog{"huge", [] { return with_row(100, "0.99,1e293,0,0,0,0,0,0,0,0"); }, 0,
               "log-outlier"},
        BadLog{"truncated", [] { return with_row(100, "0.99,0.1,0"); }, 0, "log-row-corrupt"},
        BadLog{"wrong_columns", [] { return std::string("t,x1,x2,x3\n0,1,2,3\n"); }, 3,
               "log-columns"},
        BadLog{"empty", [] { return std::string(); }, 3, "log-unreadable"},
        BadLog{"three_rows",
               [] {
                 std::vector<std::string> lines = Motion().lines();
                 lines.resize(4);
                 return Motion::joined(lines);
               },
               3, "log-too-short"},
        BadLog{"constant",
               [] {
                 Motion m;
                 m.q.colwise() = m.q.col(0).eval();
                 m.v.setZero();
                 m.tau.colwise() = m.tau.col(0).eval();
                 return m.csv();
               },
               3, "log-no-motion"},
        BadLog{"time_backwards",
               [] {
                 Motion m;
                 for (Eigen::Index s = 200; s < 204; ++s) m.t(s) -= 0.5;
                 return m.csv();
               },
               0, "log-time-backwards"},
        BadLog{"time_reversed",
               [] {
                 Motion m;
                 m.t.reverseInPlace();
                 return m.csv();
               },
               3, "log-"},
        BadLog{"velocities_swapped",
               [] {
                 Motion m;
                 m.swap(m.v);
                 return m.csv();
               },
               3, "log-swapped"},
        BadLog{"torques_swapped",
               [] {
                 Motion m;
                 m.swap(m.tau);
                 return m.csv();
               },
               1, "not explained"},
        BadLog{"joints_swapped",
               [] {
                 Motion m;
                 m.swap(m.q), m.swap(m.v), m.swap(m.tau);
                 return m.csv();
               },
               1, "look swapped"},
        BadLog{"mixed_rates",
               [] {
                 std::vector<std::string> lines = Motion(1, 12.0, 200.0).lines(), kept;
                 for (std::size_t k = 0; k < lines.size(); ++k)
                   if (k < 1200 || k % 2 == 0) kept.push_back(lines[k]);
                 return Motion::joined(kept);
               },
               0, "log-mixed-rates"}),
    [](const auto& one) { return one.param.name; });

// --- files ---------------------------------------------------------------------------------------

TEST(IdentifyVerb, the_urdf_reads_back_without_a_word) {
  const Folder folder;
  const std::string log = folder.write("log.csv", Motion().csv()), out = folder.path("out.urdf");
  const json d =
      document(run_cli({"identify", robot, log, "--json", "-o", out}), "ulna.identify/1");
  const RunResult check = run_cli({"check", "--strict", out});
  EXPECT_EQ(check.status, 0) << check.out;
  // its numbers are those that were told
  const json again = document(run_cli({"identify", out, log, "--json"}), "ulna.identify/1");
  for (std::size_t k = 0; k < 30; ++k)
    EXPECT_NEAR(again["parameters"][k]["prior"], d["parameters"][k]["value"],
                1e-6 * (1.0 + std::abs(d["parameters"][k]["value"].get<double>())));
  EXPECT_EQ(run_cli({"identify", robot, log, "-o", out}).status, 3);
  EXPECT_EQ(run_cli({"identify", robot, log, "-o", out, "--force"}).status, 0);
  // and it can be the prior of the robot as it was
  const json prior =
      document(run_cli({"identify", robot, log, "--prior", out, "--json"}), "ulna.identify/1");
  EXPECT_NEAR(prior["parameters"][0]["prior"], d["parameters"][0]["value"], 1e-6);
  EXPECT_EQ(run_cli({"identify", robot, log, "--prior", "panda"}).status, 3);
  EXPECT_EQ(run_cli({"identify", robot, log, "--prior", "none"}).status, 0);
}

TEST(IdentifyVerb, the_report_has_all_that_was_found_and_needs_nothing_else) {
  const Folder folder;
  const std::string log = folder.write("a<b>&.csv", Motion().csv());
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--split", "0.6"}, {"--online"}, {"--validate", log}}) {
    std::vector<std::string> line{"identify", robot, log, "-f", "--report", folder.path("r.html"),
                                  "--filter", "10"};
    line.insert(line.end(), more.begin(), more.end());
    EXPECT_EQ(run_cli(line).status, 0);
    const json data = data_of(folder.path("r.html")), report = message(data, "report");
    EXPECT_EQ(message(data, "hello")["mode"], "report");
    EXPECT_TRUE(has(report.dump(), "a<b>&.csv")) << "names are data, and need no escapes";
    for (const char* wrong : {"nan", "inf "}) EXPECT_TRUE(lacks(report.dump(), wrong)) << wrong;
    for (const char* part : {"held out", "What can be identified", "Singular values", "10 Hz"})
      EXPECT_TRUE(has(report.dump(), part)) << part << more[0];
    // a row of plots for each joint: torque, residual, spectrum, histogram, autocorrelation, what the residual follows
    std::vector<json> rows;
    for (const json& plots : blocks_of(report, "plots"))
      if (plots["size"] == "row") rows.push_back(plots);
    ASSERT_EQ(rows.size(), 3u);
    const json groups = message(data, "channels")["groups"];
    const std::vector<PageTrack> values = tracks_of(data, 6);
    ASSERT_EQ(values.size(), 1u);
    EXPECT_EQ(values[0].rows[0].size(), 9u) << "measured, predicted, residual of three joints";
    for (const json& row : rows) {
      ASSERT_GE(row["plots"].size(), 5u);
      EXPECT_EQ(row["plots"][2]["title"], "spectral density");
      EXPECT_NEAR(row["plots"][4]["lines"][0]["y"][0], 1.0, 1e-3) << "of a signal with itself";
      EXPECT_EQ(groups[row["plots"][1]["group"].get<std::size_t>()]["name"], "residual");
      double bins = 0.0;  // of a density over eight deviations
      for (const double y : row["plots"][3]["lines"][0]["y"]) bins += 8.0 / 41.0 * y;
      EXPECT_NEAR(bins, 1.0, 0.01);
    }
    // every torque, and the kind of every parameter
    const std::vector<json> structure = blocks_of(report, "matrix");
    ASSERT_EQ(structure.size(), 1u);
    EXPECT_EQ(structure[0]["cells"].size(), 4u);
    std::size_t columns = 0;
    for (const json& group : structure[0]["groups"]) columns += group["size"].get<std::size_t>();
    for (const std::string cells : structure[0]["cells"]) EXPECT_EQ(cells.size(), columns);
    EXPECT_LT(read_file(folder.path("r.html")).size(), 1'000'000u);
    // where one log ends and another begins, there is no line
    const auto gap = [](const std::vector<float>& row) {
      return std::ranges::all_of(row, [](float x) { return std::isnan(x); });
    };
    EXPECT_EQ(std::ranges::count_if(values[0].rows, gap) > 0, more[0] == "--validate") << more[0];
  }
}

TEST(IdentifyVerb, the_report_shows_what_residuals_follow_and_the_models_that_were_tried) {
  const Folder folder;
  // a cable at the second joint that the model does not know
  Motion motion(1, 14.0);
  motion.tau.row(1) += 0.3 * (6.0 * motion.q.row(1).array()).cos().matrix();
  const std::string log = folder.write("log.csv", motion.csv()), page = folder.path("r.html");
  const RunResult r =
      run_cli({"identify", robot, log, "--split", "0.5", "--report", page, "--json"});
  ASSERT_EQ(r.status, 0) << r.err;
  const json d = document(r, "ulna.identify/1"), report = message(data_of(page), "report");
  const std::string text = report.dump();
  // the lead says what is not explained
  EXPECT_TRUE(has(report["lead"], "held out")) << report["lead"];
  // the pattern that explains most of the second joint's residual is drawn with what it means
  std::vector<json> noted;
  for (const json& plots : blocks_of(report, "plots"))
    for (const json& plot : plots["plots"])
      if (plot.contains("note")) noted.push_back(plot);
  const json& joint = d["residuals"]["joints"][1];
  const auto found = std::ranges::find_if(
      noted, [](const json& plot) { return plot["title"] == "residual against position"; });
  ASSERT_NE(found, noted.end()) << joint["meanings"];
  EXPECT_TRUE(has((*found)["note"], "follows the joint's position"));
  EXPECT_EQ((*found)["bands"], json::parse("[[1, 2]]"));
  // a share for each joint and quantity; all models
  std::size_t shares = 0, models = 0;
  for (const json& table : blocks_of(report, "table"))
    for (const json& row : table["rows"]) {
      if (table["columns"][1]["name"] == "position") shares += row["cells"].size() - 2;
      if (table["columns"][0]["name"] == "model") models += row.contains("cells");
    }
  EXPECT_EQ(shares, 18u);
  EXPECT_EQ(models, d["choice"]["tried"].size());
  EXPECT_GT(models, 5u);
}

// --- the rest ------------------------------------------------------------------------------------

TEST(IdentifyVerb, learns_online_and_stays_physical) {
  const json d = result(Motion(1, 12.0, 200.0).csv(), {"--online"});
  const json& o = d["online"];
  EXPECT_EQ(d["method"], "online");
  EXPECT_EQ(o["consistent_at_every_step"], true);
  EXPECT_LT(o["second_half"]["total_percent"], 2.0);
  EXPECT_GT(o["prior_percent"], 5.0 * o["second_half"]["total_percent"].get<double>());
  EXPECT_GT(o["median_us"], 0.0);
  EXPECT_GE(o["percentile_99_us"], o["median_us"]);
  EXPECT_GT(o["filter_delay"], 0.0);
  for (const json& b : d["base_parameters"]) EXPECT_GT(b["deviation"], 0.0);
}

TEST(IdentifyVerb, shares_have_one_percent_sign) {
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--online"}, {"--folds", "3", "--split", "0.5"}}) {
    std::vector<std::string> line{"identify", robot, "-"};
    line.insert(line.end(), more.begin(), more.end());
    const RunResult r = run_cli(line, {.input = Motion(1, 12.0, 200.0).csv()});
    EXPECT_TRUE(has(r.out, " % ")) << r.err;
    EXPECT_TRUE(lacks(r.out, "% %"));
  }
}

TEST(IdentifyVerb, a_log_that_is_too_short_to_learn_from_online_is_refused_with_a_remedy) {
  const RunResult r =
      run_cli({"identify", robot, "-", "--online"}, {.input = Motion(1, 0.4, 1000.0).csv()});
  EXPECT_EQ(r.status, 3) << r.out;
  EXPECT_TRUE(has(r.err, "give longer ones, or a higher --filter")) << r.err;
}

TEST(IdentifyVerb, of_a_payload_only_one_body_is_unknown) {
  const json whole = result(Motion().csv());
  const std::string name = whole["parameters"][20]["name"];
  const json d = result(Motion().csv(), {"--payload", name.substr(0, name.find('.'))});
  for (std::size_t k = 0; k < 30; ++k) {
    const json& p = d["parameters"][k];
    EXPECT_EQ(p["state"] == "known", k < 20) << p;
    if (k < 20) {
      EXPECT_EQ(p["value"], p["prior"]);
    }
  }
  EXPECT_EQ(identify(Motion().csv(), {"--payload", "nothing"}).status, 2);
}

/// A log of the robot with 1 kg more on its last link.
std::string loaded_csv(int seed) {
  const ulna::Model model = ulna::load_robot(robot).model;
  const ulna::Inertia<double> ball = ulna::Inertia<double>::about_com(
      1.0, {0.05, 0.0, 0.1}, 2e-3 * ulna::Mat3<double>::Identity());
  const ulna::identify::TorqueModel torques(model, {});
  Motion motion(seed, 12.0);
  Eigen::MatrixXd a = 0.0 * motion.q;
  for (Eigen::Index s = 1; s + 1 < a.cols(); ++s)
    a.col(s) = 50.0 * (motion.v.col(s + 1) - motion.v.col(s - 1));
  Eigen::VectorXd z = Eigen::VectorXd::Zero(torques.unknowns());
  z.tail<10>() = ball.parameters();
  motion.tau += torques.torques(z, motion.q, motion.v, a, torques.features_of(motion.v, a, a));
  return motion.csv();
}

TEST(IdentifyVerb, weighs_a_payload_from_logs_without_and_with_it) {
  const Folder folder;
  const std::string with = folder.write("with.csv", loaded_csv(2)),
                    link = result(Motion().csv())["parameters"][20]["name"];
  const std::string name = link.substr(0, link.find('.'));
  const json d = result(Motion(1, 12.0).csv(), {"--payload", name, "--loaded", with, "--usual"});
  const json& payload = d["payload"];
  EXPECT_EQ(payload["state"], "found");
  EXPECT_NEAR(payload["mass"], 1.0, 3.0 * payload["mass_deviation"].get<double>() + 1e-3);
  EXPECT_LT(payload["mass_deviation"].get<double>(), 0.2);
  EXPECT_EQ(d["logs"][1]["use"], "payload");
  // the robot is that of the log without: nothing of it is known beforehand
  EXPECT_EQ(d["parameters"][0]["state"] == "known", false);
  const RunResult text =
      run_cli({"identify", robot, "-", "--payload", name, "--loaded", with, "--usual"},
              {.input = Motion(1, 12.0).csv()});
  EXPECT_TRUE(has(text.out, "payload")) << text.out;
  EXPECT_TRUE(has(text.out, "1 more with the payload")) << text.out;
  EXPECT_TRUE(result(Motion().csv())["payload"].is_null());
  EXPECT_EQ(identify(Motion().csv(), {"--loaded", with}).status, 2);
  EXPECT_EQ(identify(Motion().csv(), {"--payload", name, "--loaded", with, "--online"}).status, 2);
  EXPECT_EQ(
      identify(Motion().csv(), {"--payload", name, "--loaded", with, "--method", "ols"}).status, 2);
  EXPECT_EQ(
      identify(Motion().csv(), {"--payload", name, "--loaded", with, "--known-payload", "1,0,0,0"})
          .status,
      2);
  EXPECT_EQ(identify(Motion().csv(), {"--base-held"}).status, 2);
}

TEST(IdentifyVerb, refuses_what_makes_no_sense) {
  const std::string log = Motion().csv();
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--split", "1.5"},
                                             {"--split", "0.5", "--validate", "x.csv"},
                                             {"--filter", "0"},
                                             {"--filter", "nan"},
                                             {"--method", "magic"},
                                             {"--folds", "1"},
                                             {"--online", "--folds", "3"},
                                             {"--online", "--split", "0.5"},
                                             {"--online", "--method", "ols"},
                                             {"--online", "--method", "refine"},
                                             {"--delay"},
                                             {"--friction", "viscous,coulomb,stribeck"},
                                             {"--method", "refine", "--friction", "stribeck"},
                                             {"--validate", "-"}}) {
    const RunResult r = identify(log, more);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(more) << r.err;
    EXPECT_TRUE(has(r.err, "--help shows how"));
  }
  EXPECT_EQ(run_cli({"identify", robot, "nowhere.csv"}).status, 3);
  EXPECT_EQ(run_cli({"identify", robot}).status, 2);
  EXPECT_EQ(run_cli({"identify", "quadruped", "-"}, {.input = log}).status, 3);
  EXPECT_EQ(run_cli({"identify", "chain:100", "-"}, {.input = log}).status, 3);
}

TEST(IdentifyVerb, has_no_colours_where_none_are_wanted) {
  const Folder folder;
  const std::string log = folder.write("log.csv", Motion().csv());
  const std::vector<std::string> line{"identify", robot, log};
  const RunResult plain = run_cli(line, {.environment = {{"NO_COLOR", "1"}}, .terminal = true}),
                  coloured = run_cli(line, {.environment = {{"TERM", "xterm"}}, .terminal = true});
  EXPECT_TRUE(lacks(plain.out, "\x1b[1m"));
  EXPECT_TRUE(has(coloured.out, "\x1b[1m"));
  // progress is for people
  EXPECT_TRUE(has(plain.out, "reading logs"));
  EXPECT_TRUE(lacks(run_cli(line).err, "reading logs"));
}

}  // namespace
