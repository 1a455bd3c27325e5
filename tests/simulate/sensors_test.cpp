#include "ulna/simulate/sensors.hpp"

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

// What sensors make of a state: statistics, lateness, losses.
namespace ulna::test {
namespace {

/// Readings of a truth that stands still.
struct Still {
  explicit Still(SensorsOptions options)
      : model(load_robot("panda").model), sensors(model, options) {
    Random random(5);
    q = random_q(model, random), v = random_v(model, random), tau = random_v(model, random, 20.0);
  }
  void read() { sensors.read(0.001 * ++readings, q, v, tau); }

  Model model;
  Sensors sensors;
  Eigen::VectorXd q, v, tau;
  int readings = 0;
};

TEST(Sensors, without_trouble_read_the_truth) {
  for_each_robot([](const Model& model, Random& random) {
    Sensors sensors(model, {});
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random);
    sensors.read(0.0, q, v, v);
    expect_close(sensors.q, q, 1e-15);
    EXPECT_EQ(sensors.v, v);
    EXPECT_EQ(sensors.tau, v);
    EXPECT_FALSE(sensors.has_nan());
  });
}

TEST(Sensors, noise_has_its_mean_deviation_and_shape_and_no_memory) {
  Still still({.position = {.noise = 1e-3}, .torque = {.noise = 0.5}, .seed = 11});
  const int n = 20000;
  double mean = 0.0, square = 0.0, fourth = 0.0, successive = 0.0, crossed = 0.0, before = 0.0;
  for (int k = 0; k < n; ++k) {
    still.read();
    const double x = (still.sensors.q(2) - still.q(2)) / 1e-3,
                 y = (still.sensors.tau(2) - still.tau(2)) / 0.5;
    mean += x / n, square += x * x / n, fourth += x * x * x * x / n;
    successive += x * before / n, crossed += x * y / n;
    before = x;
    EXPECT_EQ(still.sensors.v, still.v);
  }
  // four deviations of each statistic
  const double one = 4.0 / std::sqrt(n);
  EXPECT_NEAR(mean, 0.0, one);
  EXPECT_NEAR(square, 1.0, one * std::sqrt(2.0));
  EXPECT_NEAR(fourth, 3.0, one * std::sqrt(96.0));
  EXPECT_NEAR(successive, 0.0, one);
  EXPECT_NEAR(crossed, 0.0, one);
}

TEST(Sensors, noise_on_orientations_is_a_small_turn) {
  const Model model = with_floating_base(load_robot("panda").model);
  Random random(3);
  const Eigen::VectorXd q = random_q(model, random), v = Eigen::VectorXd::Zero(model.nv());
  Sensors sensors(model, {.position = {.noise = 1e-2}});
  Eigen::VectorXd square = v;
  const int n = 5000;
  for (int k = 0; k < n; ++k) {
    sensors.read(k, q, v, v);
    EXPECT_NEAR(sensors.q.head<4>().norm(), 1.0, 1e-12);
    square += difference(model, q, sensors.q).cwiseAbs2() / n;
  }
  for (const double x : square) EXPECT_NEAR(x, 1e-4, 1e-5);
}

TEST(Sensors, bias_is_drawn_once) {
  Still still({.velocity = {.bias = 0.1}, .seed = 4});
  still.read();
  const Eigen::VectorXd first = still.sensors.v;
  EXPECT_GT((first - still.v).cwiseAbs().minCoeff(), 0.0);
  EXPECT_LT((first - still.v).cwiseAbs().maxCoeff(), 0.5);
  for (int k = 0; k < 10; ++k) {
    still.read();
    EXPECT_EQ(still.sensors.v, first);
  }
}

TEST(Sensors, readings_are_multiples_of_the_quantum_and_within_half_of_it) {
  const double quantum = 2.0 * 3.14159265358979 / 4096.0;
  Still still({.position = {.quantum = quantum}});
  for (int k = 0; k < 50; ++k) {
    still.q.array() += 0.001;
    still.read();
    for (Eigen::Index i = 0; i < still.q.size(); ++i) {
      const double steps = still.sensors.q(i) / quantum;
      EXPECT_NEAR(steps, std::round(steps), 1e-9);
      EXPECT_LE(std::abs(still.sensors.q(i) - still.q(i)), 0.5 * quantum * (1.0 + 1e-9));
    }
  }
}

TEST(Sensors, are_late_by_exactly_their_delay) {
  Still still({.position = {.delay = 3}, .torque = {.delay = 1}});
  for (int k = 0; k < 20; ++k) {
    still.q.setConstant(k), still.v.setConstant(k), still.tau.setConstant(k);
    still.read();
    EXPECT_EQ(still.sensors.q(0), std::max(0, k - 3));
    EXPECT_EQ(still.sensors.v(0), k);
    EXPECT_EQ(still.sensors.tau(0), std::max(0, k - 1));
  }
  still.sensors.reset();
  still.q.setConstant(100.0);
  still.read();
  EXPECT_EQ(still.sensors.q(0), 100.0);
}

TEST(Sensors, a_lost_reading_shows_the_one_before_and_says_so) {
  Still still({.position = {.dropout = 0.2}, .seed = 9});
  int lost = 0;
  double seen = 0.0;
  const int n = 5000;
  for (int k = 0; k < n; ++k) {
    still.q.setConstant(k);
    still.read();
    if (still.sensors.lost_position()) {
      ++lost;
      EXPECT_EQ(still.sensors.q(0), seen);
    } else {
      EXPECT_EQ(still.sensors.q(0), k);
    }
    seen = still.sensors.q(0);
    EXPECT_FALSE(still.sensors.lost_velocity());
  }
  EXPECT_NEAR(lost / double(n), 0.2, 4.0 * std::sqrt(0.16 / n));
}

TEST(Sensors, each_kind_of_reading_is_lost_by_itself) {
  const Model model = load_robot("panda").model;
  for (int kind = 0; kind < 4; ++kind) {
    SensorsOptions options{.accelerations = true};
    SensorOptions* const kinds[] = {&options.position, &options.velocity, &options.torque,
                                    &options.acceleration};
    kinds[kind]->dropout = 0.5;
    Sensors sensors(model, options);
    const Eigen::VectorXd* const seen[] = {&sensors.q, &sensors.v, &sensors.tau, &sensors.a};
    int lost_once = 0;
    for (int k = 0; k < 50; ++k) {
      const Eigen::VectorXd x = Eigen::VectorXd::Constant(7, k);
      sensors.read(0.001 * k, x, x, x, x);
      const bool lost[] = {sensors.lost_position(), sensors.lost_velocity(), sensors.lost_torque(),
                           sensors.lost_acceleration()};
      for (int i = 0; i < 4; ++i) EXPECT_EQ(lost[i], *seen[i] != x) << kind << i;
      lost_once += lost[kind];
      for (int i = 0; i < 4; ++i) EXPECT_TRUE(i == kind || !lost[i]) << kind << i;
    }
    EXPECT_GT(lost_once, 10) << kind;
  }
}

TEST(Sensors, spoilt_readings_hold_one_nan_and_the_next_is_good) {
  Still still({.torque = {.dropout = 0.3, .not_a_number = 0.1}, .seed = 2});
  int spoilt = 0;
  const int n = 5000;
  for (int k = 0; k < n; ++k) {
    still.read();
    int bad = 0;
    for (const double x : still.sensors.tau) bad += std::isnan(x);
    EXPECT_LE(bad, 1);
    EXPECT_EQ(still.sensors.has_nan(), bad == 1);
    spoilt += bad;
    EXPECT_TRUE(still.sensors.q.allFinite());
  }
  EXPECT_NEAR(spoilt / double(n), 0.1, 4.0 * std::sqrt(0.09 / n));
}

TEST(Sensors, velocity_by_difference_is_that_of_the_positions_read) {
  Still still({.position = {.quantum = 1e-3}, .velocity_by_difference = true});
  still.read();
  EXPECT_EQ(still.sensors.v, Eigen::VectorXd::Zero(7));
  for (int k = 0; k < 20; ++k) {
    const Eigen::VectorXd before = still.sensors.q;
    still.q.array() += 0.00137;
    still.read();
    expect_close(still.sensors.v, Eigen::VectorXd((still.sensors.q - before) / 0.001), 1e-9);
  }
}

TEST(Sensors, the_same_seed_gives_the_same_bits_and_troubles_do_not_mix) {
  SensorsOptions options{.position = {.noise = 1e-3, .bias = 1e-3, .delay = 2},
                         .velocity = {.noise = 0.01},
                         .torque = {.noise = 0.1, .dropout = 0.1},
                         .seed = 77};
  Still one(options), two(options);
  options.position.dropout = 0.5;
  Still three(options);
  options.seed = 78;
  Still four(options);
  for (int k = 0; k < 100; ++k) {
    for (Still* s : {&one, &two, &three, &four}) s->read();
    EXPECT_EQ(one.sensors.q, two.sensors.q);
    EXPECT_EQ(one.sensors.v, two.sensors.v);
    EXPECT_EQ(one.sensors.tau, two.sensors.tau);
    EXPECT_EQ(one.sensors.v, three.sensors.v);
    EXPECT_EQ(one.sensors.tau, three.sensors.tau);
    EXPECT_TRUE(three.sensors.lost_position() || one.sensors.q == three.sensors.q);
    EXPECT_NE(one.sensors.v, four.sensors.v);
  }
}

TEST(Sensors, read_a_simulation_with_its_accelerations) {
  const Model model = load_robot("panda").model;
  Simulation s(model);
  Sensors sensors(model, {.accelerations = true});
  ASSERT_EQ(s.step(Eigen::VectorXd::Ones(7), 0.01), SimulationStatus::moved);
  sensors.read(s);
  EXPECT_EQ(sensors.q, s.q());
  EXPECT_EQ(sensors.tau, s.tau());
  EXPECT_EQ(sensors.a, s.acceleration());
}

TEST(Sensors, options_that_make_no_sense_are_refused) {
  const Model model = load_robot("panda").model;
  for (const SensorOptions& bad : {SensorOptions{.noise = -1.0},
                                   {.noise = NAN},
                                   {.bias = infinity},
                                   {.quantum = -1e-3},
                                   {.delay = -1},
                                   {.delay = 1 << 30},
                                   {.dropout = 1.5},
                                   {.not_a_number = -0.1}}) {
    EXPECT_THROW(Sensors(model, {.position = bad}), std::invalid_argument);
    EXPECT_THROW(Sensors(model, {.torque = bad}), std::invalid_argument);
  }
}

}  // namespace
}  // namespace ulna::test
