#include "ulna/dynamics/coriolis.hpp"

#include "support/dynamics.hpp"

namespace ulna::test {
namespace {

template <class T>
class CoriolisOf : public ::testing::Test {};
TYPED_TEST_SUITE(CoriolisOf, DynamicsScalars, ScalarNames);

TYPED_TEST(CoriolisOf, times_velocity_is_bias_without_gravity) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    expect_close(times<T>(rig.coriolis(), rig.v), VecX<T>(rig.bias() - rig.gravity()), 1e-12);
  });
}

TYPED_TEST(CoriolisOf, plus_its_transpose_is_the_rate_of_the_mass_matrix) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    MatX<T> rate(model.nv(), model.nv());
    mass_matrix_rate<T>(rig.plant, rig.state(), rig.ws, rate);
    const MatX<T> C = rig.coriolis();
    expect_close(rate, MatX<T>(C + C.transpose()), 1e-14);
  });
}

using Time = Dual<double, 1>;

MatX<Time> mass_in_time(const Rig<double>& rig) {
  Rig<Time> now(rig.model(), rig.q.cast<Time>(), rig.v.cast<Time>(), rig.a.cast<Time>());
  return now.after(Time::variable(0.0, 0)).mass();
}

// v'(dM/dt - 2C)v = 0 holds for any C; that the matrix is skew makes C the one of passive control.
TEST(Coriolis, twice_subtracted_from_the_rate_of_the_mass_matrix_leaves_a_skew_matrix) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const MatX<Time> M = mass_in_time(rig);
    Eigen::MatrixXd N = -2.0 * rig.coriolis();
    for (Eigen::Index r = 0; r < M.rows(); ++r)
      for (Eigen::Index c = 0; c < M.cols(); ++c) N(r, c) += M(r, c).gradient[0];
    expect_close(N, Eigen::MatrixXd(-N.transpose()), 1e-12);
  });
}

TEST(Coriolis, the_rate_of_the_mass_matrix_is_seen_along_the_motion) {
  for_each_robot(
      [](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        rig.v *= 0.1;  // slowly, so that the steps of the difference are short
        Eigen::MatrixXd rate(model.nv(), model.nv());
        mass_matrix_rate<double>(rig.plant, rig.state(), rig.ws, rate);
        const Eigen::MatrixXd seen =
            nine_point_derivative([&](double t) -> Eigen::MatrixXd { return rig.after(t).mass(); });
        // what differences of M can tell is measured by M
        const double size = largest(rig.mass());
        expect_close(Eigen::MatrixXd(rate / size), Eigen::MatrixXd(seen / size), 2e-12);
      },
      5);
}

TEST(Coriolis, is_linear_in_velocity) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const Eigen::MatrixXd C = rig.coriolis();
    const Eigen::VectorXd v = rig.v, w = random_v(model, random);
    rig.v = w;
    const Eigen::MatrixXd D = rig.coriolis();
    rig.v = v + 0.7 * w;
    expect_close(rig.coriolis(), Eigen::MatrixXd(C + 0.7 * D), 1e-13);
  });
}

// C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i) v_k (the notes on wrenches; the overview of dynamics, sec. 3.3)
TEST(Coriolis, of_joints_of_one_coordinate_is_that_of_the_christoffel_symbols) {
  for_each_model(
      [](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        const int n = model.nv();
        std::vector<Eigen::MatrixXd> dM;
        for (int k = 0; k < n; ++k) {
          Rig<Time> along(model, rig.q.cast<Time>(), rig.v.cast<Time>(), rig.a.cast<Time>());
          along.q(k).gradient[0] = 1.0;
          const MatX<Time> M = along.mass();
          dM.emplace_back(n, n);
          for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c) dM.back()(r, c) = M(r, c).gradient[0];
        }
        const auto d = [&](int i, int j, int k) { return dM[static_cast<std::size_t>(k)](i, j); };
        Eigen::MatrixXd C = Eigen::MatrixXd::Zero(n, n);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k)
              C(i, j) += 0.5 * (d(i, j, k) + d(i, k, j) - d(j, k, i)) * rig.v(k);
        expect_close(rig.coriolis(), C, 1e-12);
      },
      {.joints = 9, .kinds = single_kinds}, 10);
}

}  // namespace
}  // namespace ulna::test
