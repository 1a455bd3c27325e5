#pragma once

#include "support/dynamics.hpp"
#include "ulna/control/robot/robot_problem.hpp"

/// Trajectories of problems, and what problems come to at them.
namespace ulna::test {

using namespace control;

inline constexpr Transcription both_transcriptions[] = {Transcription::forward_dynamics,
                                                        Transcription::inverse_dynamics};

/// Anywhere within the limits.
inline Trajectory random_trajectory(const RobotProblem& problem, Random& random) {
  const Model& model = problem.model();
  Trajectory t = trajectory_of(problem);
  for (std::size_t k = 0; k < t.x.size(); ++k) {
    if (t.x[k].size())
      t.x[k] = problem.state(random_q(model, random), random_v(model, random),
                             problem.final_time() * random.real(0.7, 1.3));
    for (double& u : t.u[k]) u = random.real();
  }
  return t;
}

/// Dry friction jumps where v changes its sign: finite differences may not step over that.
inline Plant<double> smooth_plant(const Model& model) {
  Plant<double> plant(model);
  plant.friction.setZero(), plant.friction_negative.setZero();
  return plant;
}

/// Not so far from the trajectory that orientations are at odds by half a turn.
inline void set_random_references(RobotProblem& problem, const Trajectory& t, Random& random) {
  const Model& model = problem.model();
  for (int k = 0; k <= problem.steps(); ++k) {
    const Eigen::VectorXd x = t.x[static_cast<std::size_t>(problem.stage(k))];
    problem.set_reference(k, integrate(model, x.head(model.nq()), random_v(model, random, 0.5)),
                          random_v(model, random));
  }
  problem.set_torque_reference(1, random_v(model, random, 10.0));
}

inline std::vector<StageValue> values_at(RobotProblem& problem, const Trajectory& t) {
  auto values = stage_values(problem);
  EXPECT_TRUE(problem.evaluate(t, values));
  return values;
}

struct Linearised {
  std::vector<StageValue> values;
  std::vector<QpStage> stages;
};
inline Linearised linearised(RobotProblem& problem, const Trajectory& t) {
  Linearised l{stage_values(problem), qp_stages(problem.sizes())};
  // whatever was there before must not matter
  for (QpStage& s : l.stages) s.H.setOnes(), s.h.setOnes(), s.F.setOnes(), s.G.setOnes();
  EXPECT_TRUE(problem.linearise(t, nullptr, l.values, l.stages));
  return l;
}

inline double total_cost(const std::vector<StageValue>& values) {
  double sum = 0.0;
  for (const StageValue& v : values) sum += v.cost;
  return sum;
}

/// With every stage moved by the same share along one of its variables (u, x), where it has so many.
inline Trajectory displaced(const RobotProblem& problem, const Trajectory& t, int variable,
                            double by) {
  Trajectory moved = t;
  for (int k = 0; k < problem.stage_count(); ++k) {
    const StageSize& s = problem.size(k);
    const auto i = static_cast<std::size_t>(k);
    if (variable >= s.variables()) continue;
    if (variable < s.u) {
      moved.u[i](variable) += by;
    } else {
      Eigen::VectorXd dx = Eigen::VectorXd::Zero(s.x);
      dx(variable - s.u) = by;
      problem.move(k, t.x[i], dx, moved.x[i]);
    }
  }
  return moved;
}

/// Of each stage: cost, next state as seen from that at `at`, and g.
inline std::vector<Eigen::VectorXd> told(RobotProblem& problem, const Trajectory& t,
                                         const std::vector<StageValue>& at) {
  const auto values = values_at(problem, t);
  std::vector<Eigen::VectorXd> all;
  for (int k = 0; k < problem.stage_count(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const int next = k + 1 < problem.stage_count() ? problem.size(k + 1).x : 0;
    Eigen::VectorXd one(1 + next + problem.size(k).g), way(next);
    if (next) problem.difference(k + 1, at[i].next, values[i].next, way);
    one << values[i].cost, way, values[i].g;
    all.push_back(one);
  }
  return all;
}

/// Fails unless h, F and G of all stages are the slopes of what `evaluate` tells.
inline void expect_true_slopes(RobotProblem& problem, const Trajectory& t, double tolerance) {
  const Linearised at = linearised(problem, t);
  int most = 0;
  for (const StageSize& s : problem.sizes()) most = std::max(most, s.variables());
  std::vector<Eigen::MatrixXd> slopes;
  for (const QpStage& s : at.stages)
    slopes.push_back(Eigen::MatrixXd::Zero(1 + s.F.rows() + s.G.rows(), s.size.variables()));
  const double h = 1e-3;
  for (int c = 0; c < most; ++c) {
    const auto there = [&](double by) {
      return told(problem, displaced(problem, t, c, by), at.values);
    };
    const auto a = there(h), b = there(-h), a2 = there(2 * h), b2 = there(-2 * h);
    for (std::size_t k = 0; k < slopes.size(); ++k)
      if (c < slopes[k].cols())
        slopes[k].col(c) = (8.0 * (a[k] - b[k]) - (a2[k] - b2[k])) / (12.0 * h);
  }
  const auto values = values_at(problem, t);
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    SCOPED_TRACE("stage " + std::to_string(k));
    const QpStage& s = at.stages[k];
    expect_close(at.values[k].cost, values[k].cost, 1e-12);
    expect_close(at.values[k].next, values[k].next, 1e-12);
    expect_close(at.values[k].g, values[k].g, 1e-12);
    Eigen::MatrixXd given(slopes[k].rows(), slopes[k].cols());
    given << s.h.transpose(), s.F, s.G;
    expect_close(given, slopes[k], tolerance);
  }
}

/// Fails unless H of all stages is how h changes, which it is where nothing is missed.
inline void expect_true_curvature(RobotProblem& problem, const Trajectory& t, double tolerance) {
  const Linearised at = linearised(problem, t);
  int most = 0;
  for (const StageSize& s : problem.sizes()) most = std::max(most, s.variables());
  std::vector<Eigen::MatrixXd> H;
  for (const QpStage& s : at.stages) H.push_back(s.H);
  const double h = 1e-3;
  for (int c = 0; c < most; ++c) {
    const auto there = [&](double by) {
      return linearised(problem, displaced(problem, t, c, by)).stages;
    };
    const auto a = there(h), b = there(-h), a2 = there(2 * h), b2 = there(-2 * h);
    for (std::size_t k = 0; k < H.size(); ++k)
      if (c < H[k].cols())
        H[k].col(c) = (8.0 * (a[k].h - b[k].h) - (a2[k].h - b2[k].h)) / (12.0 * h);
  }
  for (std::size_t k = 0; k < H.size(); ++k) {
    SCOPED_TRACE("stage " + std::to_string(k));
    expect_close(at.stages[k].H, H[k], tolerance);
  }
}

}  // namespace ulna::test
