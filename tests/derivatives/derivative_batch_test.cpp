#include "ulna/derivatives/derivative_batch.hpp"

#include "derivatives/derivative_kernel.hpp"
#include "dynamics/batch_pool.hpp"
#include "support/derivatives.hpp"
#include "support/states.hpp"
#include "ulna/derivatives/regressor.hpp"

// A batch of derivatives is those of each state, whatever the number of threads.
namespace ulna::test {
namespace {

struct Results {
  Eigen::MatrixXd inverse[3], forward[3], Y;
  bool possible;

  Results(DerivativeBatch& batch, const Plant<double>& plant, const States& s) {
    const Eigen::Index n = s.V.rows(), count = s.V.cols();
    for (auto* three : {&inverse, &forward})
      for (Eigen::MatrixXd& m : *three) m.resize(n * n, count);
    Y.resize(n * plant.inertial_size(), count);
    batch.inverse_dynamics(plant, s.Q, s.V, s.X, inverse[0], inverse[1], inverse[2]);
    possible = batch.forward_dynamics(plant, s.Q, s.V, s.X, forward[0], forward[1], forward[2]);
    batch.torque_regressor(s.Q, s.V, s.X, Y);
  }
  friend bool operator==(const Results& a, const Results& b) {
    for (int k = 0; k < 3; ++k)
      if (a.inverse[k] != b.inverse[k] || a.forward[k] != b.forward[k]) return false;
    return a.Y == b.Y && a.possible == b.possible;
  }
};

TEST(DerivativeBatch, is_each_state_by_itself) {
  for_each_robot([](const Model& model, Random& random) {
    const Eigen::Index n = model.nv();
    const Plant<double> plant(model);
    DerivativeBatch batch(model, 1);
    for (const int count : {1, 2 * batch.lanes() + 1}) {
      const States s(model, random, count);
      const Results all(batch, plant, s);
      ASSERT_TRUE(all.possible);
      ForwardDynamicsDerivatives<double> forward(model);
      RegressorWorkspace<double> ws(model);
      RowMatX<double> Y(n, plant.inertial_size());
      for (int i = 0; i < count; ++i) {
        const Rig<double> one(model, s.Q.col(i), s.V.col(i), s.X.col(i));
        const InverseDynamicsDerivatives<double> inverse = inverse_derivatives(one);
        ASSERT_TRUE(forward_derivatives(one, one.a, forward));
        torque_regressor<double>(one.motion(), ws, Y);
        const auto square = [&](const Eigen::MatrixXd& m) {
          return Eigen::MatrixXd(m.col(i).reshaped(n, n));
        };
        expect_close(square(all.inverse[0]), inverse.dq, 1e-12);
        expect_close(square(all.inverse[1]), inverse.dv, 1e-12);
        expect_close(square(all.inverse[2]), inverse.da, 1e-12);
        // forward derivatives as M times them, by the size of what is summed up
        const MatX<double>* expected[] = {&forward.dq, &forward.dv, &forward.dtau};
        for (int k = 0; k < 3; ++k)
          for (Eigen::Index c = 0; c < n; ++c)
            expect_solved<double>(inverse.da, square(all.forward[k]).col(c),
                                  Eigen::VectorXd(inverse.da * expected[k]->col(c)), 1e-9);
        expect_close(Eigen::VectorXd(all.Y.col(i)),
                     Eigen::VectorXd(Eigen::Map<Eigen::VectorXd>(Y.data(), Y.size())), 1e-12);
      }
    }
  });
}

TEST(DerivativeBatch, has_the_same_bits_for_any_number_of_threads) {
  const Model model = with_floating_base(random_model(5));
  Random random(5);
  const Plant<double> plant(model);
  DerivativeBatch one(model, 1);
  const States s(model, random, 500);
  const Results alone(one, plant, s);
  for (const int threads : {2, 5}) {
    DerivativeBatch many(model, threads);
    EXPECT_TRUE(Results(many, plant, s) == alone) << threads;
  }
}

// A batch takes the widest instructions there are. The others must not rot.
TEST(DerivativeBatch, is_the_same_with_every_set_of_instructions) {
  using detail::columns;
  std::vector<detail::DerivativeKernel* (*)(const Model&)> all{ulna_derivative_kernel_baseline};
#if ULNA_WIDE_KERNELS
  if (detail::has_avx2()) all.push_back(ulna_derivative_kernel_avx2);
  if (detail::has_avx512()) all.push_back(ulna_derivative_kernel_avx512);
#endif
  for_each_robot([&](const Model& model, Random& random) {
    const Plant<double> plant(model);
    DerivativeBatch batch(model, 1);
    const int count = 19;
    const States s(model, random, count);
    const Results expected(batch, plant, s);
    for (const auto make : all) {
      const std::unique_ptr<detail::DerivativeKernel> kernel(make(model));
      Results told = expected;
      Batch::In Q = s.Q, V = s.V, X = s.X;
      const auto out = [](Eigen::MatrixXd& m) {
        m.setConstant(1e300);
        Batch::Out to = m;
        return columns(to);
      };
      kernel->set_plant(plant);
      auto& [inverse, forward, Y, possible] = told;
      kernel->inverse_dynamics(0, count, columns(Q), columns(V), columns(X), out(inverse[0]),
                               out(inverse[1]), out(inverse[2]));
      possible = kernel->forward_dynamics(0, count, columns(Q), columns(V), columns(X),
                                          out(forward[0]), out(forward[1]), out(forward[2]));
      kernel->torque_regressor(0, count, columns(Q), columns(V), columns(X), out(Y));
      ASSERT_TRUE(possible);
      for (int k = 0; k < 3; ++k) {
        expect_close(inverse[k], expected.inverse[k], 1e-12);
        for (int i = 0; i < count; ++i)
          for (Eigen::Index c = 0, n = model.nv(); c < n; ++c)
            expect_solved<double>(expected.inverse[2].col(i).reshaped(n, n),
                                  forward[k].col(i).segment(c * n, n),
                                  expected.inverse[2].col(i).reshaped(n, n) *
                                      expected.forward[k].col(i).segment(c * n, n),
                                  1e-9);
      }
      expect_close(Y, expected.Y, 1e-12);
    }
  });
}

TEST(DerivativeBatch, tells_an_impossible_plant_and_refuses_what_is_not_finite) {
  const Model model = random_model(9, {.mimic = 0.0});
  Random random(9);
  Plant<double> plant(model);
  DerivativeBatch batch(model, 2);
  States s(model, random, 6);
  plant.set_inertial(Eigen::VectorXd::Zero(plant.inertial_size()));
  plant.armature.setZero();
  const Results none(batch, plant, s);
  EXPECT_FALSE(none.possible);
  EXPECT_TRUE(none.forward[2].array().isNaN().all());
  s.V(0, 4) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(told([&] { Results(batch, plant, s); }).find("state 5 of 6, row 1"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
