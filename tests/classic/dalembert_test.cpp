#include "ulna/classic/dalembert.hpp"

#include "support/classic.hpp"
#include "ulna/classic/lagrange_euler.hpp"

namespace ulna::test {
namespace {

using classic::Arm;
using classic::Chain;
using classic::DAlembert;
using classic::LagrangeEuler;

TEST(DAlembert, of_point_masses_has_no_rotational_part) {
  for_each_chain([](const Model& model, Arm<double> arm, Random& random) {
    for (int i = 1; i <= arm.joint_count(); ++i) {
      const Inertia<double>& body = arm.link(i).inertia;
      arm.link(i).inertia = Inertia<double>::point_mass(body.mass(), body.com());
    }
    const DAlembert<double> here{Chain<double>(arm)};
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random);
    const auto at = here.at(q);
    const double size = largest(at.D_tran());
    EXPECT_LE(largest(at.D_rot()), 1e-12 * size);
    EXPECT_LE(largest(at.h_rot(v)), 1e-12 * size);
    expect_same(at.D_tran(), LagrangeEuler<double>{Chain<double>(arm)}.mass_matrix(q));
  });
}

// Bodies that have inertia but sit with their centres of mass on an axis all joints share.
TEST(DAlembert, of_links_that_only_turn_has_no_translational_part) {
  std::vector<classic::Link<double>> links(4);
  for (int i = 1; i <= 3; ++i) {
    links[static_cast<std::size_t>(i)].parent = i - 1;
    links[static_cast<std::size_t>(i)].inertia =
        Inertia<double>::about_com(1.0 * i, {0, 0, 0.2}, Vec3<double>(0.1, 0.2, 0.3).asDiagonal());
  }
  const DAlembert<double> here{Chain<double>(Arm<double>(links, Vec3<double>(1, 2, -9.81)))};
  const Eigen::Vector3d q(0.3, -1.0, 2.0), v(1.0, 2.0, -1.5);
  EXPECT_LE(largest(here.at(q).D_tran()), 1e-16);
  EXPECT_LE(largest(here.at(q).h_tran(v)), 1e-16);
  EXPECT_LE(largest(here.at(q).c()), 1e-15);
  Eigen::Matrix3d D;
  D << 0.9, 0.6, 0.3, 0.6, 0.6, 0.3, 0.3, 0.3, 0.3;
  expect_close(here.at(q).D_rot(), Eigen::MatrixXd(D), 1e-15);
}

TEST(DAlembert, sliding_joints_turn_nothing) {
  int sliding = 0;
  for_each_chain([&](const Model& model, const Arm<double>& arm, Random& random) {
    const DAlembert<double> here{Chain<double>(arm)};
    const auto at = here.at(random_q(model, random));
    const Eigen::MatrixXd D_rot = at.D_rot();
    const Eigen::VectorXd h_rot = at.h_rot(random_v(model, random));
    for (int i = 0; i < arm.joint_count(); ++i) {
      if (!arm.link(i + 1).slides) continue;
      ++sliding;
      EXPECT_EQ(largest(Eigen::VectorXd(D_rot.col(i))), 0.0);
      EXPECT_EQ(largest(Eigen::VectorXd(D_rot.row(i))), 0.0);
      EXPECT_EQ(h_rot(i), 0.0);
    }
  });
  EXPECT_GT(sliding, 30);
}

TEST(DAlembert, velocity_terms_are_those_of_lagrange_and_euler_taken_apart) {
  for_each_chain([](const Model& model, const Arm<double>& arm, Random& random) {
    const DAlembert<double> here{Chain<double>(arm)};
    const LagrangeEuler<double> other{Chain<double>(arm)};
    const Eigen::VectorXd q = random_q(model, random), v = random_v(model, random, 2.0);
    const auto terms = here.velocity_terms(q, v);
    const auto at = here.at(q);
    const double size = largest(at.D_tran()) + largest(at.D_rot());
    const auto same = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
      expect_close(Eigen::VectorXd(a / size), Eigen::VectorXd(b / size), 1e-11);
    };
    same(terms.tran_centrifugal + terms.rot_centrifugal, other.centrifugal(q, v));
    same(terms.tran_coriolis + terms.rot_coriolis, other.coriolis(q, v));
    same(terms.tran_centrifugal + terms.tran_coriolis, at.h_tran(v));
    same(terms.rot_centrifugal + terms.rot_coriolis, at.h_rot(v));
  });
}

}  // namespace
}  // namespace ulna::test
