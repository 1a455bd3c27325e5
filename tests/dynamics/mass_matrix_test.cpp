#include "ulna/dynamics/mass_matrix.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "support/dynamics.hpp"

namespace ulna::test {
namespace {

template <class T>
class MassMatrixOf : public ::testing::Test {};
TYPED_TEST_SUITE(MassMatrixOf, DynamicsScalars, ScalarNames);

TYPED_TEST(MassMatrixOf, columns_are_torques_of_unit_accelerations) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    const VecX<T> still = rig.torque(VecX<T>(VecX<T>::Zero(model.nv())));
    MatX<T> M(model.nv(), model.nv());
    for (int i = 0; i < model.nv(); ++i) {
      VecX<T> unit = VecX<T>::Zero(model.nv());
      unit(i) = T(1);
      M.col(i) = rig.torque(unit) - still;
    }
    expect_close(M, rig.mass(), 1e-13);
  });
}

TYPED_TEST(MassMatrixOf, is_full_and_symmetric_to_the_last_bit) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    const MatX<T> M = rig.mass();
    expect_close(MatX<T>(M.transpose()), M, 0.0);
  });
}

TYPED_TEST(MassMatrixOf, gives_kinetic_energy) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    expect_close(kinetic_energy<T>(rig.plant, rig.state(), rig.ws),
                 T(T(0.5) * inner<T>(rig.v, times<T>(rig.mass(), rig.v))), 1e-13);
  });
}

// --- independent formulations ---

TEST(MassMatrix, is_the_inertias_seen_through_the_jacobians_of_the_bodies) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    Eigen::MatrixXd M = model.armature().asDiagonal();
    for (int b = 1; b < model.body_count(); ++b) {
      const Eigen::MatrixXd J = rig.jacobian(body_frame(b), Axes::local);
      M += J.transpose() * model.inertias()[static_cast<std::size_t>(b)].matrix() * J;
    }
    expect_close(rig.mass(), M, 1e-13);
  });
}

TEST(MassMatrix, is_positive_definite) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(rig.mass()).info(), Eigen::Success);
  });
}

/// How the coordinates of a robot move those of the same robot with its mimicking joints set free:
/// v_free = G v.
struct Following {
  Model free;
  Eigen::MatrixXd G;
  Eigen::VectorXd q_free;
};

Following following(const Model& model, const Eigen::VectorXd& q) {
  Following f{without_mimics(model), {}, {}};
  f.G = Eigen::MatrixXd::Zero(f.free.nv(), model.nv());
  f.q_free.resize(f.free.nq());
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& j = model.joint(b);
    const Joint& own = f.free.joint(f.free.joint_index(model.joint_name(b)));
    for (int k = 0; k < configuration_size(j.type); ++k)
      f.q_free(own.q + k) = j.mimics ? j.multiplier * q(j.q) + j.offset : q(j.q + k);
    for (int k = 0; k < velocity_size(j.type); ++k) f.G(own.v + k, j.v + k) = j.multiplier;
  }
  return f;
}

TEST(MassMatrix, of_mimicking_joints_is_that_of_free_ones_made_to_follow) {
  int mimicking = 0;
  for_each_robot(
      [&](const Model& model, Random& random) {
        Rig<double> rig(model, random);
        const auto [free, G, q_free] = following(model, rig.q);
        mimicking += free.nv() - model.nv();
        Rig<double> loose(free, q_free, G * rig.v, G * rig.a);
        expect_close(rig.mass(), Eigen::MatrixXd(G.transpose() * loose.mass() * G), 1e-12);
        expect_close(rig.torque(), Eigen::VectorXd(G.transpose() * loose.torque()), 1e-12);
        expect_close(rig.bias(), Eigen::VectorXd(G.transpose() * loose.bias()), 1e-12);
        expect_close(rig.coriolis(), Eigen::MatrixXd(G.transpose() * loose.coriolis() * G), 1e-12);
        expect_close(rig.energy(), loose.energy(), 1e-13);
        for (const Frame& f : model.frames())
          expect_close(rig.jacobian(f, Axes::aligned),
                       Eigen::MatrixXd(loose.jacobian(free.frame(f.name), Axes::aligned) * G),
                       1e-13);
      },
      10, {.mimic = 0.6});
  EXPECT_GT(mimicking, 40) << "too few joints mimic for this to mean anything";
}

// --- factors ---

template <class T>
class MassFactorOf : public ::testing::Test {};
TYPED_TEST_SUITE(MassFactorOf, DynamicsScalars, ScalarNames);

TYPED_TEST(MassFactorOf, solves) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    MassFactor<T> factor(model);
    ASSERT_TRUE(factor.factor(rig.plant, rig.at(), rig.ws));
    VecX<T> x = rig.a;
    factor.solve(x);
    expect_solved<T>(rig.mass(), x, rig.a, 1e-13);
  });
}

TEST(MassFactor, agrees_with_dense_factors) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    const Eigen::MatrixXd M = rig.mass();
    MassFactor<double> factor(model), of_matrix(model);
    ASSERT_TRUE(factor.factor(rig.plant, rig.at(), rig.ws));
    ASSERT_TRUE(of_matrix.factor(M));

    const Eigen::LLT<Eigen::MatrixXd> dense(M);
    const Eigen::VectorXd x_dense = dense.solve(rig.a);
    const double scale = x_dense.lpNorm<Eigen::Infinity>();
    for (auto* f : {&factor, &of_matrix}) {
      Eigen::VectorXd x = rig.a;
      f->solve(x);
      expect_close(Eigen::VectorXd(x / scale), Eigen::VectorXd(x_dense / scale), 1e-11);
      Eigen::MatrixXd inverse(model.nv(), model.nv());
      f->inverse(inverse);
      const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(model.nv(), model.nv());
      expect_close(Eigen::MatrixXd(M * inverse), identity, 1e-10);
      EXPECT_EQ(Eigen::MatrixXd(inverse.transpose()), inverse);
      const Eigen::MatrixXd L = dense.matrixL();
      EXPECT_NEAR(f->log_determinant(), 2.0 * L.diagonal().array().log().sum(), 1e-10);
    }
  });
}

TEST(MassFactor, may_be_made_anew_at_every_configuration) {
  const Model model = random_model(4);
  Random random(1);
  MassFactor<double> factor(model);
  for (int i = 0; i < 5; ++i) {
    Rig<double> rig(model, random);
    ASSERT_TRUE(factor.factor(rig.plant, rig.at(), rig.ws));
    Eigen::VectorXd x = rig.a;
    factor.solve(x);
    expect_solved<double>(rig.mass(), x, rig.a, 1e-13);
  }
}

/// Chains that share nothing but the base.
Model star(int arms, int links) {
  Builder b("star");
  b.link("base", solid_box(Vec3<double>(1.0, 1.0, 1.0)).with_mass(5.0));
  for (int a = 0; a < arms; ++a) {
    std::string parent = "base";
    for (int i = 0; i < links; ++i) {
      const std::string name = std::to_string(a) + "." + std::to_string(i);
      const Inertia<double> rod = Transform<double>::from_translation({0.0, 0.0, 0.2}) *
                                  solid_cylinder(0.05, 0.4).with_mass(1.0 + 0.1 * a);
      b.link(name, Inertial(rod));
      b.joint("j" + name, JointType::continuous, parent, name, Pose({0.1 * (a + 1), 0.0, 0.4}),
              i % 2 ? Vec3<double>::UnitX() : Vec3<double>::UnitY());
      parent = name;
    }
  }
  return b.build();
}

TEST(MassFactor, leaves_branches_to_themselves) {
  const Model model = star(4, 3);
  Random random(1);
  Rig<double> rig(model, random);
  MassFactor<double> factor(model);
  ASSERT_TRUE(factor.factor(rig.plant, rig.at(), rig.ws));
  Eigen::MatrixXd M = rig.mass(), inverse(12, 12);
  factor.inverse(inverse);
  for (int r = 0; r < 12; ++r)
    for (int c = 0; c < 12; ++c)
      if (r / 3 != c / 3) {
        EXPECT_EQ(M(r, c), 0.0);
        EXPECT_EQ(inverse(r, c), 0.0);
      }
  // the same on a floating base, where the branches do feel each other
  const Model floating = with_floating_base(model);
  Rig<double> free(floating, random);
  MassFactor<double> coupled(floating);
  ASSERT_TRUE(coupled.factor(free.plant, free.at(), free.ws));
  Eigen::MatrixXd free_inverse(18, 18);
  coupled.inverse(free_inverse);
  expect_close(Eigen::MatrixXd(free.mass() * free_inverse),
               Eigen::MatrixXd(Eigen::MatrixXd::Identity(18, 18)), 1e-11);
  EXPECT_GT(std::abs(free_inverse(6, 9)), 1e-6);
}

TEST(MassFactor, tells_when_a_matrix_is_not_positive_definite) {
  const Model model = star(1, 3);
  MassFactor<double> factor(model);
  Eigen::Matrix3d M = Eigen::Matrix3d::Identity();
  EXPECT_TRUE(factor.factor(M));
  M(0, 2) = M(2, 0) = 1.5;
  EXPECT_FALSE(factor.factor(M));
  EXPECT_FALSE(factor.factor(Eigen::Matrix3d::Zero()));
  EXPECT_FALSE(factor.factor(-Eigen::Matrix3d::Identity()));
  M.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(factor.factor(M));
  EXPECT_TRUE(factor.factor(Eigen::Matrix3d::Identity())) << "and recovers";
}

TEST(MassFactor, refuses_wrong_sizes_with_both_numbers) {
  const Model model = star(1, 3);
  Random random(1);
  Rig<double> rig(model, random);
  MassFactor<double> factor(model);
  ASSERT_TRUE(factor.factor(rig.plant, rig.at(), rig.ws));
  Eigen::VectorXd x(4);
  Eigen::MatrixXd M(3, 2);
  EXPECT_EQ(told([&] { factor.solve(x); }), "x has 4 numbers, the robot needs 3");
  EXPECT_EQ(told([&] { factor.inverse(M); }), "M_inverse is 3 x 2, the robot needs 3 x 3");
  EXPECT_EQ(told([&] { (void)factor.factor(M); }), "M is 3 x 2, the robot needs 3 x 3");
  MassFactor<double> other(star(1, 2));
  EXPECT_EQ(told([&] { (void)other.factor(rig.plant, rig.at(), rig.ws); }),
            "the factor is 2 x 2, robot 'star' needs 3 x 3");
}

}  // namespace
}  // namespace ulna::test
