#include "ulna/simulate/changes.hpp"

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"
#include "ulna/spatial/consistency.hpp"

// What becomes of a robot while it moves.
namespace ulna::test {
namespace {

Eigen::VectorXd inertial(const Plant<double>& plant) {
  Eigen::VectorXd pi(plant.inertial_size());
  plant.get_inertial(pi);
  return pi;
}

/// With a payload, the robot moves as one that was built with it.
TEST(Payload, is_as_if_it_had_been_there_from_the_beginning) {
  for_each_model([](const Model& model, Random& random) {
    const auto at =
        static_cast<std::size_t>(random.real(0.0, static_cast<double>(model.frames().size())));
    const Frame& frame = model.frames()[at];
    const Inertia<double> brick =
        random_transform<double>(random) * solid_box(Vec3<double>(0.1, 0.2, 0.3)).with_mass(2.0);
    Description d = model.description();
    d.links.push_back({"brick", Inertial(brick), {}, {}, 0});
    JointDescription grip;
    grip.name = "grip", grip.child = "brick", grip.type = JointType::fixed;
    // frames are no links: the brick hangs on the link of the frame
    grip.parent = std::string(frame.name);
    for (const FrameDescription& f : d.frames)
      if (f.name == frame.name) grip.parent = f.link, grip.origin = f.origin;
    d.joints.push_back(grip);
    const Model heavier = Builder(d).build();

    Plant<double> plant(model);
    const Eigen::VectorXd before = inertial(plant);
    add_payload(plant, frame, brick);
    expect_close(inertial(plant), inertial(Plant<double>(heavier)), 1e-12);
    remove_payload(plant, frame, brick);
    expect_close(inertial(plant), before, 1e-12);
  });
}

TEST(Payload, is_refused_if_it_is_not_finite_or_its_frame_is_of_another_robot) {
  const Model model = load_robot("panda").model, small = load_robot("pendulum").model;
  Plant<double> plant(small);
  EXPECT_THROW(add_payload(plant, model.frame("panda_link7"), {}), std::invalid_argument);
  EXPECT_THROW(add_payload(plant, small.frames()[0], NAN * solid_sphere(1.0).with_mass(1.0)),
               std::invalid_argument);
}

TEST(RandomChange, keeps_every_body_one_that_can_exist_and_within_its_share) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model model = load_robot("panda").model;
    const Plant<double> usual(model);
    Plant<double> plant = usual, again = usual;
    change_at_random(plant, {0.5, 0.3, 0.2}, seed);
    change_at_random(again, {0.5, 0.3, 0.2}, seed);
    EXPECT_EQ(inertial(plant), inertial(again));
    const Eigen::VectorXd pi = inertial(plant), pi0 = inertial(usual);
    for (int b = 0; b < model.joint_count(); ++b) {
      const Inertia<double> now(Eigen::Matrix<double, 10, 1>(pi.segment<10>(10 * b))),
          was(Eigen::Matrix<double, 10, 1>(pi0.segment<10>(10 * b)));
      EXPECT_TRUE(check_consistency(now).ok()) << check_consistency(now).explanation();
      EXPECT_NE(now.mass(), was.mass());
      EXPECT_LE(std::abs(now.mass() - was.mass()), 0.5 * was.mass());
      for (int i = 0; i < 3; ++i)
        EXPECT_LE(std::abs(now.com()(i) - was.com()(i)), 0.5 * std::abs(was.com()(i)) + 1e-12);
      const double second_now = 0.5 * now.rotational_about_com().trace(),
                   second_was = 0.5 * was.rotational_about_com().trace();
      EXPECT_LE(std::abs(second_now - second_was), 0.5 * second_was * (1.0 + 1e-9));
    }
    for (Eigen::Index i = 0; i < model.nv(); ++i) {
      EXPECT_LE(std::abs(plant.damping(i) - usual.damping(i)), 0.3 * usual.damping(i));
      EXPECT_LE(std::abs(plant.friction(i) - usual.friction(i)), 0.3 * usual.friction(i));
    }
  }
}

TEST(RandomChange, of_nothing_changes_nothing_and_of_everything_is_refused) {
  const Model model = load_robot("panda").model;
  Plant<double> plant(model);
  const Eigen::VectorXd before = inertial(plant);
  change_at_random(plant, {}, 3);
  expect_close(inertial(plant), before, 1e-14);
  for (const double bad : {-0.1, 1.0, std::nan("")}) {
    EXPECT_THROW(change_at_random(plant, {.inertia = bad}, 1), std::invalid_argument);
    EXPECT_THROW(change_at_random(plant, {.friction = bad}, 1), std::invalid_argument);
    EXPECT_THROW(change_at_random(plant, {.armature = bad}, 1), std::invalid_argument);
  }
}

TEST(Schedule, makes_each_change_in_its_time_and_energy_stays_in_balance) {
  const Model model = load_robot("panda").model;
  Simulation s(model, {.substep = 1e-4});
  const Inertia<double> brick = solid_box(Vec3<double>(0.1, 0.1, 0.1)).with_mass(2.0);
  const Frame& tool = model.frame("panda_link7");
  s.plant.damping.setConstant(1.0), s.plant.friction.setConstant(0.5);
  Schedule schedule;
  std::vector<double> picked, drifted;
  schedule.during(0.1, 0.2, [&, usual = s.plant](Plant<double>& plant, double share) {
    drifted.push_back(share);
    scale_friction(plant, usual, 1.0 + share);
  });
  schedule.at(0.05, [&](Plant<double>& plant) {
    picked.push_back(s.time());
    add_payload(plant, tool, brick);
  });
  const Eigen::VectorXd light = inertial(s.plant);
  const double before = s.energy();
  const auto controller = [&](Simulation& now, Eigen::VectorXd& tau) {
    schedule.apply(now);
    tau.setConstant(5.0);
  };
  ASSERT_EQ(s.run(0.3, 0.01, controller), SimulationStatus::moved);
  ASSERT_EQ(picked.size(), 1u);
  EXPECT_NEAR(picked[0], 0.05, 1e-12);
  ASSERT_EQ(drifted.size(), 11u);
  for (std::size_t k = 0; k < drifted.size(); ++k)
    EXPECT_NEAR(drifted[k], 0.1 * static_cast<double>(k), 1e-6);
  EXPECT_EQ(drifted.back(), 1.0);
  EXPECT_NEAR(s.plant.damping(0), 2.0, 1e-12);
  EXPECT_NEAR(inertial(s.plant)(60), light(60) + 2.0, 1e-12);
  EXPECT_GT(std::abs(s.work().changes), 1.0);
  EXPECT_NEAR(s.energy() - before, s.work().balance(), 1e-8);

  schedule.rewind();
  s.set_state(neutral(model), Eigen::VectorXd::Zero(model.nv()));
  ASSERT_EQ(s.run(0.3, 0.01, controller), SimulationStatus::moved);
  EXPECT_EQ(picked.size(), 2u);
  EXPECT_THROW(schedule.during(2.0, 1.0, {}), std::invalid_argument);
  EXPECT_THROW(schedule.at(NAN, {}), std::invalid_argument);
  EXPECT_THROW(scale_friction(s.plant, s.plant, -1.0), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
