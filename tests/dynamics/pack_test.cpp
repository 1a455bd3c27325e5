#include "support/dynamics.hpp"
#include "ulna/dynamics/instantiate.hpp"

// The dynamics of a scalar that the library does not hold, made here for all the tests.
namespace ulna {
ULNA_INSTANTIATE_DYNAMICS(, Pack<double, 4>)
}

namespace ulna::test {
namespace {

using Packed = Pack<double, 4>;

template <class Derived>
auto lane_of(const Eigen::MatrixBase<Derived>& m, int lane) {
  Eigen::MatrixXd plain(m.rows(), m.cols());
  for (Eigen::Index r = 0; r < m.rows(); ++r)
    for (Eigen::Index c = 0; c < m.cols(); ++c) plain(r, c) = m(r, c)[lane];
  return plain;
}

TEST(PackedDynamics, are_those_of_each_lane) {
  for_each_robot([](const Model& model, Random& random) {
    Rig<Packed> rig(model, random);
    for (int lane = 0; lane < Packed::lanes; ++lane) {
      Rig<double> one(model, lane_of(rig.q, lane), lane_of(rig.v, lane), lane_of(rig.a, lane));
      expect_close(lane_of(rig.torque(), lane), Eigen::MatrixXd(one.torque()), 1e-13);
      expect_close(lane_of(rig.mass(), lane), one.mass(), 1e-13);
      expect_close(lane_of(rig.coriolis(), lane), one.coriolis(), 1e-13);
      expect_close(rig.energy()[lane], one.energy(), 1e-13);
    }
  });
}

// One lane that cannot move does not pass for three that can.
TEST(PackedDynamics, forward_is_refused_if_one_lane_is_impossible) {
  const Model model = random_model(1, {.mimic = 0.0});
  Random random(1);
  Rig<Packed> rig(model, random);
  VecX<Packed> pi(rig.plant.inertial_size()), a(model.nv());
  rig.plant.get_inertial(pi);
  for (Packed& x : pi) x.set(2, 0.0);
  rig.plant.set_inertial(pi);
  for (Packed& x : rig.plant.armature) x.set(2, 0.0);
  MassFactor<Packed> factor(model);
  EXPECT_FALSE(rig.accelerate(rig.a, a));
  EXPECT_FALSE(factor.factor(rig.plant, rig.at(), rig.ws));
}

}  // namespace
}  // namespace ulna::test
