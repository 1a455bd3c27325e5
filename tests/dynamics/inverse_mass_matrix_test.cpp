#include "ulna/dynamics/inverse_mass_matrix.hpp"

#include "support/dynamics.hpp"
#include "support/told.hpp"
#include "ulna/dynamics/mass_matrix.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {
namespace {

template <class T>
class InverseMassMatrixOf : public ::testing::Test {};
TYPED_TEST_SUITE(InverseMassMatrixOf, DynamicsScalars, ScalarNames);

template <class T>
MatX<T> inverse_of(Rig<T>& rig) {
  MatX<T> M_inverse(rig.nv(), rig.nv());
  EXPECT_TRUE(inverse_mass_matrix<T>(rig.plant, rig.at(), rig.ws, M_inverse));
  return M_inverse;
}

/// M M^-1 = 1, measured by the size of what is summed up.
template <class T>
void expect_inverse(Rig<T>& rig, double tolerance) {
  const MatX<T> M = rig.mass(), M_inverse = inverse_of(rig);
  expect_close(MatX<T>(M_inverse.transpose()), M_inverse, 0.0);
  for (int c = 0; c < rig.nv(); ++c) {
    const VecX<T> unit = VecX<T>::Unit(rig.nv(), c);
    expect_solved<T>(M, VecX<T>(M_inverse.col(c)), unit, tolerance);
  }
}

// Few coordinates go by sweeps, many by articulated bodies, mimicking joints always by sweeps.
TYPED_TEST(InverseMassMatrixOf, times_the_mass_matrix_is_one) {
  for (const int joints : {1, 3, 7, 14, 30})
    for (const double mimic : {0.0, 0.25})
      for_each_robot(
          [](const Model& model, Random& random) {
            Rig<TypeParam> rig(model, random);
            expect_inverse(rig, 1e-11);
          },
          3, {.joints = joints, .mimic = mimic});
}

TEST(InverseMassMatrix, of_every_embedded_robot_and_of_chains) {
  std::vector<std::string> names{"chain:1",  "chain:4",  "chain:5",  "chain:16",
                                 "chain:17", "chain:18", "chain:20", "chain:33"};
  for (const auto& robot : embedded_robots()) names.emplace_back(robot.name);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Model model = load_robot(name).model;
    Random random(11);
    Rig<double> rig(model, random);
    expect_inverse(rig, 1e-12);
  }
}

TEST(InverseMassMatrix, is_that_of_the_factor) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<double> rig(model, random);
    MassFactor<double> factor(model);
    ASSERT_TRUE(factor.factor(rig.plant, rig.at(), rig.ws));
    Eigen::MatrixXd by_factor(model.nv(), model.nv());
    factor.inverse(by_factor);
    const Eigen::MatrixXd M_inverse = inverse_of(rig);
    const double size = M_inverse.cwiseAbs().maxCoeff();
    expect_close(Eigen::MatrixXd(M_inverse / size), Eigen::MatrixXd(by_factor / size), 1e-10);
  });
}

// What one branch does on a fixed base is nothing to the others: exact zeros.
TEST(InverseMassMatrix, of_branches_on_the_ground_does_not_couple_them) {
  for (const int legs : {3, 6}) {
    const auto rod = solid_cylinder(0.05, 0.4).with_mass(1.0);
    Builder b("legs");
    b.link("ground");
    for (int leg = 0; leg < legs; ++leg)
      for (int i = 0; i < 4; ++i) {
        const std::string name = std::to_string(leg) + "_" + std::to_string(i);
        const std::string parent =
            i == 0 ? "ground" : std::to_string(leg) + "_" + std::to_string(i - 1);
        b.link(name, rod);
        b.joint("j" + name, JointType::continuous, parent, name, Pose({0.1 * leg, 0.0, 0.4}),
                i % 2 ? Vec3<double>(0.0, 1.0, 0.0) : Vec3<double>(1.0, 0.0, 0.0));
      }
    Random random(3);
    Rig<double> rig(b.build(), random);
    const Eigen::MatrixXd M_inverse = inverse_of(rig);
    for (int r = 0; r < 4 * legs; ++r)
      for (int c = 0; c < 4 * legs; ++c) {
        if (r / 4 == c / 4) continue;
        EXPECT_EQ(M_inverse(r, c), 0.0) << r << ", " << c;
      }
  }
}

TEST(InverseMassMatrix, is_not_there_without_inertia) {
  for (const char* name : {"chain:3", "chain:20"}) {
    const Model model = load_robot(name).model;
    Random random(5);
    Rig<double> rig(model, random);
    rig.without_resistance();
    Eigen::VectorXd pi(rig.plant.inertial_size());
    rig.plant.get_inertial(pi);
    pi.tail(10).setZero();
    rig.plant.set_inertial(pi);
    Eigen::MatrixXd M_inverse = Eigen::MatrixXd::Constant(model.nv(), model.nv(), 7.0);
    EXPECT_FALSE(inverse_mass_matrix<double>(rig.plant, rig.at(), rig.ws, M_inverse)) << name;
    EXPECT_EQ(M_inverse, Eigen::MatrixXd::Constant(model.nv(), model.nv(), 7.0));
  }
}

TEST(InverseMassMatrix, refuses_other_sizes_and_robots) {
  Random random(1);
  Rig<double> rig(load_robot("panda").model, random);
  Eigen::MatrixXd M_inverse(7, 6);
  EXPECT_EQ(
      told([&] { (void)inverse_mass_matrix<double>(rig.plant, rig.at(), rig.ws, M_inverse); }),
      "M_inverse is 7 x 6, the robot needs 7 x 7");
  const Kinematics<double> other(load_robot("ur5e").model);
  EXPECT_EQ(told([&] { (void)inverse_mass_matrix<double>(rig.plant, other, rig.ws, M_inverse); }),
            "the motion is of robot 'ur5e', the plant of robot 'panda'");
}

}  // namespace
}  // namespace ulna::test
