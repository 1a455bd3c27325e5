#include "support/allocations.hpp"

#include "support/closed_loops.hpp"
#include "ulna/constraints/loop_dynamics.hpp"

namespace ulna::test {
namespace {

TEST(AllocationsOfLoops, are_none) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const int held = for_each_looped_robot(
      [](Loops& loops, Random& random) {
        Rig<double> rig(loops.model(), random);
        LoopWorkspace ws(loops);
        LoopDerivativeWorkspace derivative_ws(loops);
        ConstrainedDynamicsDerivatives slopes(loops);
        Eigen::VectorXd a = rig.a, v = rig.v, lambda = Eigen::VectorXd::Zero(loops.size());
        const Eigen::VectorXd tau = rig.a, strength = Eigen::VectorXd::Ones(rig.nv());
        bool solved = true;
        EXPECT_EQ(
            allocations_of([&] {
              loops.set(rig.q, rig.v);
              solved &= bool(constrained_forward_dynamics(rig.plant, loops, tau, ws, a, lambda));
              solved &= bool(
                  constrained_dynamics_derivatives(rig.plant, loops, tau, derivative_ws, slopes));
              solved &=
                  bool(constrained_inverse_dynamics(rig.plant, loops, strength, ws, a, lambda));
              solved &= bool(loop_impact(rig.plant, loops, rig.v, 0.5, ws, v, lambda));
            }),
            0);
        EXPECT_TRUE(solved);
      },
      2);
  EXPECT_GE(held, 15);
}

}  // namespace
}  // namespace ulna::test
