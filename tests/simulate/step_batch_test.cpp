#include "ulna/simulate/step_batch.hpp"

#include "simulate/growing.hpp"
#include "ulna/io/import.hpp"

// Steps in SIMD lanes are those of one state at a time.
namespace ulna::test {
namespace {

struct States {
  Eigen::MatrixXd Q, V, Tau, Q_next, V_next, F;
  Eigen::VectorXd h;

  States(const Model& model, int count, Random& random)
      : Q(model.nq(), count),
        V(model.nv(), count),
        Tau(model.nv(), count),
        Q_next(Q),
        V_next(V),
        F(6 * model.nv() * model.nv(), count),
        h(count) {
    for (int s = 0; s < count; ++s) {
      Q.col(s) = random_q(model, random), V.col(s) = random_v(model, random);
      Tau.col(s) = random_v(model, random, 10.0), h(s) = random.real(0.001, 0.02);
    }
  }
};

TEST(StepBatch, is_StepDerivatives_of_each_state) {
  RandomModelOptions trees;
  trees.joints = 9, trees.kinds = single_kinds;
  for_each_model(
      [](const Model& model, Random& random) {
        const int n = model.nv(), count = 21;
        const Plant<double> plant(model);
        for (const Integrator integrator : all_integrators)
          for (const int threads : {1, 3}) {
            SCOPED_TRACE("method " + std::to_string(static_cast<int>(integrator)));
            States at(model, count, random), again = at;
            StepBatch batch(model, integrator, threads);
            StepDerivatives one(model, integrator);
            ASSERT_TRUE(
                batch.differentiate(plant, at.Q, at.V, at.Tau, at.h, at.Q_next, at.V_next, at.F));
            ASSERT_TRUE(batch.step(plant, at.Q, at.V, at.Tau, at.h, again.Q_next, again.V_next));
            expect_close(again.Q_next, at.Q_next, 1e-12);
            expect_close(again.V_next, at.V_next, 1e-10);
            for (int s = 0; s < count; ++s) {
              ASSERT_TRUE(one(plant, at.Q.col(s), at.V.col(s), at.Tau.col(s), at.h(s)));
              expect_close(at.Q_next.col(s).eval(), one.step.q_next, 1e-12);
              expect_close(at.V_next.col(s).eval(), one.step.v_next, 1e-10);
              const Eigen::Map<const Eigen::MatrixXd> F(at.F.col(s).data(), 2 * n, 3 * n);
              expect_close(F.leftCols(n).eval(), one.B, 1e-10);
              expect_close(F.rightCols(2 * n).eval(), one.A, 1e-10);
            }
          }
      },
      trees, 3);
}

TEST(StepBatch, says_what_is_wrong) {
  const Model arm = load_robot("panda").model;
  EXPECT_THROW(StepBatch(with_floating_base(arm), Integrator::rk4), std::invalid_argument);
  const Plant<double> plant(arm);
  Random random(1);
  States at(arm, 5, random);
  StepBatch batch(arm, Integrator::rk4);
  EXPECT_THROW((void)batch.step(plant, at.Q, at.V.leftCols(3), at.Tau, at.h, at.Q_next, at.V_next),
               std::invalid_argument);
  at.h(3) = 1e200;
  EXPECT_FALSE(batch.step(plant, at.Q, at.V, at.Tau, at.h, at.Q_next, at.V_next));
  EXPECT_FALSE(batch.differentiate(plant, at.Q, at.V, at.Tau, at.h, at.Q_next, at.V_next, at.F));
  at.h(3) = NAN;
  EXPECT_THROW((void)batch.step(plant, at.Q, at.V, at.Tau, at.h, at.Q_next, at.V_next),
               std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
