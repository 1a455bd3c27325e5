#include "ulna/identify/estimate/normal_equations.hpp"

#include "support/states.hpp"
#include "ulna/derivatives/regressor.hpp"

// The sums of many samples are those of the rows, one after the other.
namespace ulna::test {
namespace {

using identify::NormalEquations;

struct Assembled {
  Eigen::MatrixXd G;
  Eigen::VectorXd g;
  double size = 0.0;

  Assembled(const NormalEquations& sums, const Eigen::VectorXd& weights) {
    sums.assemble(weights, G, g, size);
  }
};

/// Samples with two features each and weights.
struct Samples : States {
  Eigen::MatrixXd Tau, X, W;

  Samples(const Model& model, Random& random, int count) : States(model, random, count) {
    const auto fill = [&](Eigen::Index rows, double low) {
      Eigen::MatrixXd m(rows, count);
      for (double& x : m.reshaped()) x = random.real(low, 1.0);
      return m;
    };
    Tau = fill(model.nv(), -1.0), X = fill(2 * model.nv(), -1.0), W = fill(model.nv(), 0.0);
  }
};

TEST(NormalEquations, are_the_sums_of_the_rows) {
  for_each_robot([](const Model& model, Random& random) {
    const int n = model.nv(), count = 37, pi = 10 * model.joint_count();
    const Samples s(model, random, count);
    const Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(n, 0.5, 2.0);
    for (const bool weighted : {false, true}) {
      NormalEquations sums(model, 2, 1);
      if (weighted)
        sums.add(s.Q, s.V, s.States::X, s.Tau, s.X, s.W);
      else
        sums.add(s.Q, s.V, s.States::X, s.Tau, s.X);
      const Assembled all(sums, weights);
      ASSERT_EQ(sums.unknowns(), pi + 2 * n);
      EXPECT_EQ(sums.samples(), count);

      RegressorWorkspace<double> ws(model);
      Kinematics<double> at(model);
      RowMatX<double> Y(n, pi);
      Eigen::MatrixXd G = Eigen::MatrixXd::Zero(pi + 2 * n, pi + 2 * n);
      Eigen::VectorXd g = Eigen::VectorXd::Zero(pi + 2 * n);
      double size = 0.0;
      for (int i = 0; i < count; ++i) {
        at.set(s.Q.col(i), s.V.col(i), s.States::X.col(i));
        torque_regressor<double>(at, ws, Y);
        for (int r = 0; r < n; ++r) {
          Eigen::VectorXd z = Eigen::VectorXd::Zero(pi + 2 * n);
          z.head(pi) = Y.row(r);
          z.segment(pi + 2 * r, 2) = s.X.col(i).segment(2 * r, 2);
          const double w = weights(r) * (weighted ? s.W(r, i) : 1.0), tau = s.Tau(r, i);
          G += w * z * z.transpose(), g += w * tau * z, size += w * tau * tau;
        }
      }
      expect_close(all.G, G, 1e-12);
      expect_close(all.g, g, 1e-12);
      expect_close(all.size, size, 1e-12);
    }
  });
}

TEST(NormalEquations, of_two_parts_are_those_of_the_whole) {
  const Model model = random_model(3);
  Random random(3);
  const Samples s(model, random, 100);
  const Eigen::VectorXd weights = Eigen::VectorXd::Ones(model.nv());
  NormalEquations whole(model, 0), parts(model, 0);
  whole.add(s.Q, s.V, s.States::X, s.Tau);
  for (const int begin : {0, 40})
    parts.add(s.Q.middleCols(begin, begin ? 60 : 40), s.V.middleCols(begin, begin ? 60 : 40),
              s.States::X.middleCols(begin, begin ? 60 : 40),
              s.Tau.middleCols(begin, begin ? 60 : 40));
  expect_close(Assembled(parts, weights).G, Assembled(whole, weights).G, 1e-13);
  EXPECT_EQ(parts.samples(), 100);
  parts.clear();
  EXPECT_EQ(Assembled(parts, weights).G.norm(), 0.0);
}

TEST(NormalEquations, have_the_same_bits_for_any_number_of_threads) {
  const Model model = with_floating_base(random_model(5));
  Random random(5);
  const Samples s(model, random, 3000);
  const Eigen::VectorXd weights = Eigen::VectorXd::Ones(model.nv());
  const auto of = [&](int threads) {
    NormalEquations sums(model, 2, threads);
    sums.add(s.Q, s.V, s.States::X, s.Tau, s.X, s.W);
    return Assembled(sums, weights);
  };
  const Assembled one = of(1);
  for (const int threads : {2, 5}) {
    const Assembled many = of(threads);
    EXPECT_TRUE(many.G == one.G && many.g == one.g && many.size == one.size) << threads;
  }
}

TEST(NormalEquations, refuse_what_does_not_fit) {
  const Model model = random_model(6);
  Random random(6);
  Samples s(model, random, 300);
  NormalEquations sums(model, 2, 2);
  const auto refusal = [&] {
    return told([&] { sums.add(s.Q, s.V, s.States::X, s.Tau, s.X, s.W); });
  };
  s.W(0, 7) = -1.0;
  EXPECT_NE(refusal().find("negative weight"), std::string::npos) << refusal();
  s.Tau(1, 4) = NAN;
  EXPECT_NE(refusal().find("Tau is not finite in state 5 of 300, row 2"), std::string::npos);
  s.X.conservativeResize(s.X.rows() - 1, 300);
  s.Tau(1, 4) = 0.0;
  EXPECT_NE(refusal().find("X is"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace ulna::test
