#include <gtest/gtest.h>
#include <ulna/ulna.h>

#include <bit>
#include <map>
#include <regex>

#include "support/run_cli.hpp"
#include "ulna/identify/data/filter.hpp"
#include "ulna/mpc/controller.hpp"
#include "ulna/rig/reality.hpp"
#include "ulna/robot/robot.hpp"
#include "ulna/supervise/supervisor.hpp"

// What a program in C gets (every_call.c) is what C++ computes, bit for bit; and what the shared library shows.
namespace ulna::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::string printed_by_c() {
  static const RunResult done = [] {
    const Folder folder;
    return test::run({C_PROGRAM}, {.folder = folder.path()});
  }();
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  return done.out;
}

/// Name by name.
const std::map<std::string, std::vector<double>>& from_c() {
  static const auto all = [] {
    std::map<std::string, std::vector<double>> found;
    std::istringstream lines(printed_by_c());
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string name, word;
      words >> name;
      while (words >> word) found[name].push_back(std::strtod(word.c_str(), nullptr));
    }
    return found;
  }();
  return all;
}

void expect_same_bits(const std::string& name, const Eigen::Ref<const VectorXd>& expected) {
  ASSERT_TRUE(from_c().contains(name)) << name;
  const std::vector<double>& x = from_c().at(name);
  ASSERT_EQ(std::ssize(x), expected.size()) << name;
  for (Eigen::Index i = 0; i < expected.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x[std::size_t(i)]),
              std::bit_cast<std::uint64_t>(expected(i)))
        << name << " " << i << ": " << x[std::size_t(i)] << ", " << expected(i);
}
VectorXd by_rows(const MatrixXd& A) { return A.transpose().reshaped(); }
VectorXd one(double x) { return VectorXd::Constant(1, x); }

TEST(C, dynamics_is_that_of_cpp) {
  Robot robot("panda");
  const Model& model = robot.model();
  expect_same_bits("lower", model.lower_limit()), expect_same_bits("upper", model.upper_limit());
  expect_same_bits("velocity", model.velocity_limit()),
      expect_same_bits("effort", model.effort_limit());
  VectorXd pi(70), q = neutral(model), v(7), a(7);
  robot.plant().get_inertial(pi);
  expect_same_bits("pi", pi);
  for (int i = 0; i < 7; ++i) q(i) += 0.1 * (i + 1), v(i) = 0.3 - 0.1 * i, a(i) = 0.7 * i - 2.0;
  const VectorXd tau = robot.inverse_dynamics(q, v, a);
  expect_same_bits("inverse_dynamics", tau);
  expect_same_bits("forward_dynamics", robot.forward_dynamics(q, v, tau));
  expect_same_bits("bias_torque", robot.bias_torque(q, v));
  expect_same_bits("gravity_torque", robot.gravity_torque(q));
  expect_same_bits("mass_matrix", by_rows(robot.mass_matrix(q)));
  const Transform<double> X = robot.pose(q, "panda_link8");
  MatrixXd pose = MatrixXd::Identity(4, 4);
  pose.topLeftCorner(3, 3) = X.rotation().matrix(), pose.topRightCorner(3, 1) = X.translation();
  expect_same_bits("pose", by_rows(pose));
  expect_same_bits("jacobian_aligned", by_rows(robot.jacobian(q, "panda_link8")));
  expect_same_bits("jacobian_body", by_rows(robot.jacobian(q, "panda_link8", Axes::local)));
  expect_same_bits("jacobian_world", by_rows(robot.jacobian(q, "panda_link8", Axes::world)));
  expect_same_bits("integrate", integrate(model, q, v));
  expect_same_bits("difference", difference(model, q, integrate(model, q, v)));

  robot.plant().gravity = {1.0, 2.0, -9.0};
  for (int i = 0; i < 7; ++i) a(i) = 0.1 * i;
  robot.plant().damping = robot.plant().friction = robot.plant().armature = a;
  VectorXd friction(28);
  friction << a, a, robot.plant().friction_negative, a;
  expect_same_bits("friction", friction);
  expect_same_bits("of_copy", robot.inverse_dynamics(q, v, a));

  const Model floating = load_robot("panda", {.floating_base = true}).model;
  VectorXd dv(13);
  for (int i = 0; i < 13; ++i) dv(i) = 0.05 * i - 0.2;
  expect_same_bits("floating_moved", integrate(floating, neutral(floating), dv));
}

/// The loop of every_call.c, with the classes that it goes by.
TEST(C, controller_supervisor_and_estimator_are_those_of_cpp) {
  const Model model = load_robot("panda").model;
  const double h = 0.002;
  Robot heavier(model);
  VectorXd pi(70);
  heavier.plant().get_inertial(pi);
  pi(60) += 1.0;
  heavier.plant().set_inertial(pi);
  mpc::ControllerOptions options{.rate_hz = 1.0 / h};
  options.problem.steps = 8, options.problem.duration = 0.02,
  options.problem.frames = {{"panda_link8", 1.0, 1.0}};
  mpc::IdentifyingController controller(model, options);
  supervise::Supervisor supervisor(
      model, {.rate_hz = 1.0 / h, .limits = supervise::Limits(model, {.trusted_planner = true})});
  identify::OnlineOptions online{.rate_hz = 1.0 / h, .correlated = 1.0 / h / 20.0};
  using identify::Feature;
  identify::OnlineEstimator estimator(
      identify::TorqueModel(model, {Feature::viscous, Feature::coulomb}),
      0.005 * rig::nominal_efforts(model), online);
  identify::MotionFilter filter(7, identify::LowPass(20.0, 1.0 / h, 4),
                                identify::MotionFilter::Velocity::measured);

  VectorXd q = neutral(model), v = VectorXd::Zero(7), sent = v, nans = v;
  nans(0) = std::nan("");
  const VectorXd centre = q, ones = VectorXd::Ones(7),
                 unmeasured = VectorXd::Constant(7, std::nan("")), none;
  controller.follow([&](double time, VectorXd& to, VectorXd& rate) {
    to = centre.array() + 0.1 * (1.0 - std::cos(3.0 * time)),
    rate.setConstant(0.3 * std::sin(3.0 * time));
  });
  double arrival = 0.0;
  Transform<double> pose;
  for (int k = 0; k < 400; ++k) {
    const double time = k * h;
    if (k == 100) {
      control::MotionLimits limits = controller.limits();
      limits.torque_rate.setConstant(2000.0);
      controller.set_limits(limits), controller.learn(false);
    }
    if (k == 110) controller.learn(true);
    if (k == 150) controller.expect_change();
    if (k == 200) arrival = controller.go_to(centre);
    if (k == 210) arrival = controller.go_to(centre, {ones, ones});
    if (k == 250) controller.set_target(0, pose = Robot(model).pose(q, "panda_link8"));
    if (k == 260) controller.go_to_target(0, pose, {.linear_velocity = 0.1});
    if (k == 300) controller.clear_target(0);
    if (k == 320) controller.reset(), supervisor.restart();
    if (k == 350) supervisor.request_hold(true);
    if (k == 360) supervisor.request_hold(false);
    const VectorXd& read = k == 330 ? nans : q;
    const VectorXd tau = controller.act(time, time, read, v);
    sent = supervisor.filter(controller.plant(), time, time, read, v, k % 2 ? none : tau, tau);
    controller.sent(sent);
    if (k == 50) {
      VectorXd wrench = VectorXd::Zero(6);
      wrench(5) = -9.81;
      controller.update_wrench(7, q, v, v, wrench, VectorXd::Ones(6));
    }
    if (filter.update(q, v, sent) && filter.settled())
      (void)estimator.update(filter.q(), filter.v(), filter.a(), filter.direction(), filter.tau());
    controller.update(time, q, v, k % 2 ? sent : unmeasured);
    const VectorXd a = heavier.forward_dynamics(q, v, sent);
    for (int i = 0; i < 7; ++i) v(i) += h * a(i), q(i) += h * v(i);
  }
  expect_same_bits("loop_q", q), expect_same_bits("loop_v", v), expect_same_bits("loop_sent", sent);
  expect_same_bits("arrival", one(arrival));
  const identify::OnlineEstimator& learned = controller.estimator();
  expect_same_bits("estimates", learned.z().head(learned.model().unknowns()));
  expect_same_bits("payload", one(controller.payload().mass));
  expect_same_bits("samples", one(double(learned.samples())));
  EXPECT_GT(learned.samples(), 100);
  expect_same_bits("disturbance", controller.disturbance());
  expect_same_bits("events", one(double(supervisor.events().total())));
  expect_same_bits("external_torque", supervisor.external_torque());
  const supervise::Limits& limits = supervisor.limits();
  VectorXd all(35);
  all << limits.lower, limits.upper, limits.speed, limits.acceleration, limits.torque;
  expect_same_bits("supervisor_limits", all);

  estimator.forget_changing();
  VectorXd predicted(7), deviations(estimator.z().size());
  estimator.predict(q, v, ones, predicted);
  expect_same_bits("predicted", predicted);
  (void)estimator.update(q, v, ones, predicted);
  expect_same_bits("estimator_estimates", estimator.z());
  estimator.deviations(deviations);
  expect_same_bits("deviations", deviations);
}

TEST(C, what_is_marked_for_loops_allocates_nothing) {
  const auto& c = from_c();
  if (c.at("counts_allocations")[0] == 0.0) GTEST_SKIP() << "the sanitizer has its own malloc";
  for (const char* part : {"dynamics", "parameters", "loop", "estimator"})
    EXPECT_EQ(c.at(std::string("allocations_of_") + part)[0], 0.0) << part;
}

std::string output_of(const std::vector<std::string>& words) {
  const RunResult done = run(words);
  EXPECT_EQ(done.status, 0) << words[0] << done.err;
  return done.out;
}

std::vector<std::string> matches_of(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator m(text.begin(), text.end(), expression), end; m != end; ++m)
    found.push_back((*m)[1]);
  std::sort(found.begin(), found.end());
  return found;
}

TEST(C, library_exports_the_functions_of_its_header_and_no_others) {
  std::string header = read_file(project_path("include/ulna/ulna.h"));
  header = std::regex_replace(header, std::regex(R"(/\*(.|\n)*?\*/)"), "");
  const auto declared = matches_of(header, R"(ULNA_API[^;(]*?\b(ulna_\w+)\()");
  EXPECT_GT(declared.size(), 80u);
  EXPECT_EQ(matches_of(read_file(project_path("src/c/ulna_c.map")), R"(\n    (ulna_\w+);)"),
            declared);
  const std::string symbols = output_of({"nm", "-D", "--defined-only", C_LIBRARY});
  EXPECT_EQ(matches_of(symbols, R"( T (\S+)@@ULNA_0\.1\n)"), declared);
  // beside these there is the name of the version, and nothing else
  EXPECT_EQ(matches_of(symbols, R"( (?!T )[A-Za-z] (\S+)\n)"),
            std::vector<std::string>{"ULNA_0.1"});
}

/// "`rate_hz` 1000" of a row of the page, by name.
std::map<std::string, double> defaults_of_page(const std::string& options) {
  const std::string page = read_file(project_path("docs/c.md"));
  const auto begin = page.find("\n| `" + options + "` |");
  EXPECT_NE(begin, std::string::npos) << options;
  const std::string row = page.substr(begin + 1, page.find('\n', begin + 1) - begin);
  std::map<std::string, double> found;
  const std::regex pair(R"(`(\w+)` ([\d.]+))");
  for (std::sregex_iterator m(row.begin(), row.end(), pair), end; m != end; ++m)
    found[(*m)[1]] = std::stod((*m)[2]);
  return found;
}

TEST(C, defaults_are_those_of_the_page) {
  using Numbers = std::map<std::string, double>;
  ulna_controller_options c;
  ASSERT_EQ(ulna_controller_options_init(&c, sizeof c), ULNA_OK);
  EXPECT_EQ(defaults_of_page("ulna_controller_options"),
            (Numbers{{"rate_hz", c.rate_hz},
                     {"steps", c.steps},
                     {"step", c.step},
                     {"identify", c.identify},
                     {"observe_disturbance", c.observe_disturbance},
                     {"disturbance_rate", c.disturbance_rate},
                     {"filter_hz", c.filter_hz},
                     {"change_after", c.change_after},
                     {"patience", c.patience},
                     {"safe_damping", c.safe_damping}}));
  EXPECT_TRUE(c.torques == 0 && c.payload_body == 0 && c.deadline == 0.0 && c.task_count == 0 &&
              !c.torque_noise && !c.tasks);
  ulna_estimator_options e;
  ASSERT_EQ(ulna_estimator_options_init(&e, sizeof e), ULNA_OK);
  EXPECT_EQ(defaults_of_page("ulna_estimator_options"), (Numbers{{"rate_hz", e.rate_hz},
                                                                 {"filter_hz", e.filter_hz},
                                                                 {"memory", e.memory},
                                                                 {"outlier", e.outlier},
                                                                 {"patience", e.patience},
                                                                 {"deviation", e.deviation}}));
  EXPECT_STREQ(e.friction, "viscous,coulomb");
  EXPECT_FALSE(e.noise);
  ulna_supervisor_options s;
  ASSERT_EQ(ulna_supervisor_options_init(&s, sizeof s), ULNA_OK);
  EXPECT_EQ(defaults_of_page("ulna_supervisor_options"),
            (Numbers{{"rate_hz", s.rate_hz},
                     {"drive_delay", s.drive_delay},
                     {"position_noise", s.position_noise},
                     {"late_after", s.late_after},
                     {"patience", s.patience},
                     {"blind_after", s.blind_after},
                     {"release", s.release},
                     {"observer_gain", s.observer_gain},
                     {"reaction", s.reaction},
                     {"collision_share", s.collision_share},
                     {"collision_time", s.collision_time},
                     {"resume_after", s.resume_after}}));
  EXPECT_TRUE(s.trusted_planner == 0 && s.torque_side == 0 && !s.lower && !s.collision_torque);
}

TEST(C, library_is_named_by_its_version) {
  const std::string dynamic = output_of({"readelf", "-d", C_LIBRARY});
  EXPECT_NE(dynamic.find("Library soname: [libulna_c.so.0.1]"), std::string::npos) << dynamic;
  EXPECT_STREQ(ulna_version(), "0.1.0");
  EXPECT_STREQ(ulna_status_name(ULNA_ERROR_SINGULAR), "ULNA_ERROR_SINGULAR");
}

TEST(C, each_thread_has_its_own_last_error) {
  ulna_robot* robot = nullptr;
  EXPECT_EQ(ulna_robot_load("not_a_robot", nullptr, &robot), ULNA_ERROR_MODEL);
  const std::string here = ulna_last_error();
  std::string there = "?";
  std::thread([&] { there = ulna_last_error(); }).join();
  EXPECT_EQ(there, "");
  EXPECT_NE(here.find("not_a_robot"), std::string::npos);
}

TEST(C, options_of_any_size_and_content_are_judged_without_reading_behind_them) {
  ulna_robot* robot = nullptr;
  ASSERT_EQ(ulna_robot_load("panda", nullptr, &robot), ULNA_OK);
  ulna_supervisor* supervisor = nullptr;
  // the memory of a newer version's options
  std::vector<std::byte> memory(sizeof(ulna_supervisor_options) + 64);
  auto* options = reinterpret_cast<ulna_supervisor_options*>(memory.data());
  ASSERT_EQ(ulna_supervisor_options_init(options, memory.size()), ULNA_OK);
  const auto create = [&] { return ulna_supervisor_create(robot, options, &supervisor); };
  EXPECT_EQ(create(), ULNA_OK) << ulna_last_error();
  memory.back() = std::byte(1);
  EXPECT_EQ(create(), ULNA_ERROR_ARGUMENT);
  EXPECT_NE(std::string(ulna_last_error()).find("does not know"), std::string::npos);
  memory.back() = std::byte(0);
  for (const std::size_t size : {std::size_t(0), sizeof *options - 1, std::size_t(4097),
                                 std::size_t(1) << 40, ~std::size_t(0)}) {
    options->size = size;
    EXPECT_EQ(create(), ULNA_ERROR_ARGUMENT) << size;
    EXPECT_NE(std::string(ulna_last_error()).find("not initialised"), std::string::npos) << size;
  }
  ulna_supervisor_destroy(supervisor), ulna_robot_destroy(robot);
}

TEST(C, joint_that_moves_no_inertia_is_said_to_be_singular) {
  const std::string text =
      "<robot name='r'><link name='a'/><joint name='j' type='revolute'><parent link='a'/><child "
      "link='b'/><axis xyz='0 0 1'/>"
      "<limit lower='-1' upper='1' velocity='1' effort='1'/></joint><link name='b'/></robot>";
  ulna_robot* robot = nullptr;
  ASSERT_EQ(ulna_robot_parse(text.data(), text.size(), nullptr, nullptr, &robot), ULNA_OK)
      << ulna_last_error();
  double q = 0.0, v = 0.0, tau = 1.0, a = 17.0;
  EXPECT_EQ(ulna_forward_dynamics(robot, 1, &q, &v, &tau, &a), ULNA_ERROR_SINGULAR);
  EXPECT_EQ(a, 17.0);
  EXPECT_EQ(ulna_robot_destroy(robot), ULNA_OK);
}

}  // namespace
}  // namespace ulna::test
