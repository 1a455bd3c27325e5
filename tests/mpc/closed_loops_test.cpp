#include <gtest/gtest.h>

#include "ulna/io/import.hpp"
#include "ulna/mpc/trial.hpp"

// Robots whose loops are closed, driven by the controller that identifies them.
namespace ulna::test {

using namespace control;
using namespace mpc;
namespace {

using Eigen::VectorXd;

/// A trial of a robot with loops: friction that its model lacks, and something that it picks up.
struct ClosedTrial {
  Model model;
  VectorXd start, goal, amplitude, hz;
  TrialOptions options;

  ClosedTrial(const char* name, double payload) : model(load_robot(name).model) {
    const int n = model.nv();
    // of joints that follow the others, numbers are not used
    start = VectorXd::Zero(n), goal = start, amplitude = start, hz = VectorXd::Constant(n, 0.5);
    int k = 0;
    for (const int i : independent()) {
      goal(i) = 0.2 - 0.15 * k, amplitude(i) = 0.25, hz(i) = 0.7 + 0.23 * k;
      ++k;
    }
    options.duration = 4.0;
    options.count_from = {2.0, 3.0};
    options.control.rate_hz = 500.0;
    options.sensors.position.noise = 1e-5, options.sensors.velocity.noise = 2e-3;
    options.changes.at(0.0, [](Plant<double>& plant) {
      const VectorXd& effort = plant.model().effort_limit();
      plant.damping += 0.005 * effort;
      plant.friction += 0.005 * effort, plant.friction_negative += 0.005 * effort;
    });
    if (payload > 0.0)
      options.changes.at(2.0, [payload, tip = rig::tip_frame(model)](Plant<double>& plant) {
        add_payload(plant, tip,
                    Inertia<double>::about_com(payload, Vec3<double>(0.0, 0.0, -0.02),
                                               1e-4 * payload * Mat3<double>::Identity()));
      });
  }
  std::vector<int> independent() const {
    return LoopCoordinates(Loops(model, model.description().loops, neutral(model))).independent();
  }
  TrialResult run(Knowledge knowledge) {
    options.knowledge = knowledge;
    return run_trial(model, reach_and_wave(start, goal, 1.0, amplitude, hz), options);
  }
};

void expect_closed(const ClosedTrial& trial, const TrialResult& r) {
  Loops loops(trial.model, trial.model.description().loops, neutral(trial.model));
  for (Eigen::Index k = 0; k < r.record.time.size(); ++k) {
    loops.set(r.record.q.col(k));
    ASSERT_LT(loops.gap().cwiseAbs().maxCoeff(), 1e-9) << r.record.time(k);
    loops.set(r.record.q_reference.col(k));
    ASSERT_LT(loops.gap().cwiseAbs().maxCoeff(), 1e-9) << r.record.time(k);
  }
}

TEST(ClosedLoopTrial, identification_follows_nearly_as_well_as_the_true_model) {
  for (const auto& [name, payload] :
       {std::pair{"fourbar", 0.5}, {"fivebar", 0.1}, {"delta", 0.3}}) {
    SCOPED_TRACE(name);
    ClosedTrial trial(name, payload);
    const TrialResult identified = trial.run(Knowledge::identified),
                      fixed = trial.run(Knowledge::fixed), perfect = trial.run(Knowledge::perfect);
    for (const TrialResult* r : {&identified, &fixed, &perfect}) {
      EXPECT_TRUE(r->finished) << to_string(r->status);
      EXPECT_EQ(r->torque_breaches, 0);
      EXPECT_EQ(r->count(ActionKind::safe), 0);
      expect_closed(trial, *r);
    }
    EXPECT_TRUE(identified.consistent_always);
    const double learned = identified.error.rms_from[1];
    EXPECT_LT(learned, 5e-4);
    EXPECT_LT(learned, 3.0 * perfect.error.rms_from[1]);
    EXPECT_LT(3.0 * learned, fixed.error.rms_from[1]);
  }
}

TEST(ClosedLoopTrial, the_mass_that_a_delta_picks_up_is_found) {
  ClosedTrial trial("delta", 0.3);
  const TrialResult r = trial.run(Knowledge::identified);
  ASSERT_TRUE(r.payload.known());
  EXPECT_NEAR(r.payload.mass, 0.3, 0.03 + 2.0 * r.payload.deviation);
}

TEST(ClosedLoopTrial, laws_that_plan_nothing_keep_loops_too) {
  for (const ControlLaw law : {ControlLaw::computed_torque, ControlLaw::gravity_pd}) {
    SCOPED_TRACE(to_string(law));
    ClosedTrial trial("delta", 0.0);
    trial.options.law = law, trial.options.duration = 2.0;
    const TrialResult r = trial.run(Knowledge::perfect);
    EXPECT_TRUE(r.finished) << to_string(r.status);
    EXPECT_LT(r.error.largest, 0.3);
    expect_closed(trial, r);
  }
}

// encoders are where motors are
TEST(ClosedLoopController, needs_no_readings_of_joints_that_follow_others) {
  ClosedTrial trial("delta", 0.0);
  const MotionReference reference =
      reach_and_wave(trial.start, trial.goal, 1.0, trial.amplitude, trial.hz);
  const auto torques = [&](bool blind) {
    IdentifyingController controller(trial.model, {.rate_hz = 500.0});
    controller.follow(reference);
    VectorXd q(12), v(12);
    const MotionReference closed = keep_closed(trial.model, reference);
    std::vector<VectorXd> all;
    for (int k = 0; k < 50; ++k) {
      closed(0.002 * k, q, v);
      if (blind)
        for (int i = 0; i < 12; ++i)
          if (i > 6 || i % 3) q(i) = v(i) = std::nan("");
      all.push_back(controller.act(0.002 * k, q, v));
      EXPECT_EQ(controller.kind(), ActionKind::planned) << k;
      controller.update(0.002 * k, q, v, all.back());
    }
    return all;
  };
  const auto seen = torques(false), blind = torques(true);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_LT((seen[k] - blind[k]).cwiseAbs().maxCoeff(), 1e-6) << k;
    for (int i = 0; i < 12; ++i) EXPECT_TRUE((i <= 6 && i % 3 == 0) || blind[k](i) == 0.0) << i;
  }
}

TEST(ClosedLoopTrial, says_what_it_does_not_support) {
  ClosedTrial trial("fivebar", 0.0);
  trial.options.supervision.emplace();
  try {
    (void)trial.run(Knowledge::perfect);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("supervisor"), std::string::npos) << e.what();
  }
  ControllerOptions forward;
  forward.problem.transcription = Transcription::forward_dynamics;
  EXPECT_THROW(IdentifyingController(trial.model, forward), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
