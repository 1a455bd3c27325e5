#include "support/allocations.hpp"

#include "support/closed_loops.hpp"
#include "ulna/constraints/closed_dynamics.hpp"
#include "ulna/constraints/contact_dynamics.hpp"
#include "ulna/io/import.hpp"

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

TEST(AllocationsOfClosedDynamics, are_none) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  for (const char* name : {"fourbar", "fivebar", "delta"}) {
    SCOPED_TRACE(name);
    const Model model = load_robot(name).model;
    const Plant<double> plant(model);
    ClosedDynamics closed(Loops(model, model.description().loops, neutral(model)));
    const int n = closed.size();
    ClosedDynamics::Slopes slopes(n);
    Eigen::VectorXd tau(n), a(n);
    Eigen::MatrixXd M(n, n);
    const Eigen::VectorXd home = closed.q(), y = Eigen::VectorXd::Constant(n, 0.3),
                          far = Eigen::VectorXd::Constant(n, 50.0);
    bool all = true;
    EXPECT_EQ(allocations_of([&] {
                all &= closed.start(home) && closed.set(y, y, y);
                closed.inverse_dynamics(plant, tau);
                closed.differentiate(plant, slopes);
                closed.mass_matrix(plant, M);
                all &= closed.forward_dynamics(plant, tau, a);
                (void)closed.set(far);
              }),
              0);
    EXPECT_TRUE(all);
  }
}

TEST(AllocationsOfContactDynamics, are_none) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  Random random(1);
  const Model model = load_robot("quadruped").model;
  Rig<double> rig(model, random);
  const int last = model.body_count() - 1;
  const Frame frames[] = {body_frame(last), body_frame(last / 2), body_frame(last / 4)};
  std::vector<FrameContact> contacts;
  for (const Frame& frame : frames) contacts.push_back({&frame});
  contacts[1].mode = ContactMode::slide;
  std::vector<Vec3<double>> forces(contacts.size());
  Kinematics<double> at(model);
  at.set(rig.q, rig.v);
  ContactWorkspace ws(model, 3);
  ContactDerivativeWorkspace derivative_ws(model, 3);
  ContactDynamicsDerivatives slopes(model, 3);
  Eigen::VectorXd a = rig.a;
  bool solved = true;
  EXPECT_EQ(allocations_of([&] {
              solved &=
                  bool(contact_forward_dynamics(rig.plant, at, rig.a, contacts, ws, a, forces));
              solved &= bool(contact_dynamics_derivatives(rig.plant, at, rig.a, contacts,
                                                          derivative_ws, slopes));
            }),
            0);
  EXPECT_TRUE(solved);
}

}  // namespace
}  // namespace ulna::test
