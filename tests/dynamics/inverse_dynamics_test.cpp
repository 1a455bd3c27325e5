#include "ulna/dynamics/inverse_dynamics.hpp"

#include "support/dynamics.hpp"

namespace ulna::test {
namespace {

template <class T>
class InverseDynamicsOf : public ::testing::Test {};
TYPED_TEST_SUITE(InverseDynamicsOf, DynamicsScalars, ScalarNames);

TYPED_TEST(InverseDynamicsOf, is_inertia_bias_and_friction) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    const VecX<T> sum = times<T>(rig.mass(), rig.a) + rig.bias() + rig.friction();
    expect_close(rig.torque(), sum, 1e-13);
  });
}

TYPED_TEST(InverseDynamicsOf, bias_at_rest_is_what_holds_the_robot) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    rig.v.setZero();
    expect_close(rig.bias(), rig.gravity(), 1e-14);
    rig.a.setZero();
    expect_close(rig.torque(), rig.gravity(), 1e-14);
  });
}

TYPED_TEST(InverseDynamicsOf, wrenches_enter_by_their_jacobians) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    const auto wrenches = random_wrenches<T>(model, random);
    VecX<T> worth = VecX<T>::Zero(model.nv()), summed = worth;
    for (const ExternalWrench<T>& w : wrenches) {
      add_wrench_torque<T>(rig.at(), w, summed);
      const VecX<T> F = w.wrench.vector();
      worth += times<T>(rig.jacobian(*w.frame, w.axes).transpose(), F);
    }
    expect_close(summed, worth, 1e-13);
    expect_close(VecX<T>(rig.torque() - rig.torque(wrenches)), worth, 1e-12);
    expect_close(VecX<T>(rig.gravity() - rig.gravity(wrenches)), worth, 1e-12);
  });
}

// The part of a joint's wrench that does work is its torque.
TYPED_TEST(InverseDynamicsOf, joint_wrenches_project_on_the_joints_to_torques) {
  using T = TypeParam;
  for_each_robot([](const Model& model, Random& random) {
    Rig<T> rig(model, random);
    rig.without_resistance();
    const auto given = random_wrenches<T>(model, random);
    std::vector<Wrench<T>> transmitted(static_cast<std::size_t>(model.body_count()));
    VecX<T> tau(model.nv()), projected = VecX<T>::Zero(model.nv());
    inverse_dynamics<T>(rig.plant, rig.motion(), rig.ws, tau, std::span(transmitted),
                        ExternalWrenches<T>(given));
    expect_close(tau, rig.torque(given), 0.0);
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      const auto R_BC = Rotation<T>::from_matrix(j.R_BC.matrix().template cast<T>());
      for (int k = 0; k < velocity_size(j.type); ++k) {
        T unit[6] = {T(0), T(0), T(0), T(0), T(0), T(0)};
        unit[k] = T(j.multiplier);
        const Twist<T> S_C = joint_twist(j.type, j.pitch, unit);
        const Twist<T> S_B{R_BC * S_C.angular, R_BC * S_C.linear};
        projected(j.v + k) += dot(S_B, transmitted[static_cast<std::size_t>(b)]);
      }
    }
    expect_close(projected, tau, 1e-13);
  });
}

TYPED_TEST(InverseDynamicsOf, friction_is_damping_and_a_level_by_the_sign_of_velocity) {
  using T = TypeParam;
  Random random(1);
  Rig<T> rig(random_model(3), random);
  rig.v.setZero();
  expect_close(rig.friction(), VecX<T>(VecX<T>::Zero(rig.nv())), 0.0);
  for (const double v : {-0.7, 0.7}) {
    rig.v.setConstant(T(v));
    const VecX<T> level = v > 0.0 ? rig.plant.friction : VecX<T>(-rig.plant.friction_negative);
    expect_close(rig.friction(), VecX<T>(rig.plant.damping * T(v) + level), 1e-15);
  }
}

// --- what only needs to be true once ---

using InverseDynamicsRig = Rig<double>;

/// The momentum of all that hangs on a body, itself included, world axes about the world's origin.
Wrench<double> momentum_of_subtree(const InverseDynamicsRig& rig, int root) {
  const Model& model = rig.model();
  const Kinematics<double> state = rig.state();
  Wrench<double> h;
  for (int b = 1; b < model.body_count(); ++b) {
    int above = b;
    while (above > root) above = model.joint(above).parent;
    if (above != root) continue;
    const Twist<double> V = frame_velocity(state, body_frame(b), Axes::local);
    h += state.pose(b) * (model.inertias()[static_cast<std::size_t>(b)] * V);
  }
  return h;
}

/// Their weight, likewise.
Wrench<double> weight_of_subtree(const InverseDynamicsRig& rig, int root) {
  const Model& model = rig.model();
  const Kinematics<double> at = rig.at();
  Wrench<double> sum;
  for (int b = root == 0 ? 0 : 1; b < model.body_count(); ++b) {
    int above = b;
    while (above > root) above = model.joint(above).parent;
    if (above != root) continue;
    const Inertia<double>& I = model.inertias()[static_cast<std::size_t>(b)];
    sum += Wrench<double>::force_at(I.mass() * model.gravity(), at.pose(b) * I.com());
  }
  return sum;
}

// Newton's and Euler's laws for any part of the robot, down to the whole of it on the ground.
TEST(InverseDynamics, joint_wrenches_are_what_changes_the_momentum_of_all_beyond_them) {
  for_each_robot(
      [](const Model& model, Random& random) {
        InverseDynamicsRig rig(model, random);
        const auto given = random_wrenches<double>(model, random);
        std::vector<Wrench<double>> transmitted(static_cast<std::size_t>(model.body_count()));
        Eigen::VectorXd tau(model.nv());
        inverse_dynamics<double>(rig.plant, rig.motion(), rig.ws, tau, std::span(transmitted),
                                 ExternalWrenches<double>(given));
        const Kinematics<double> at = rig.at();
        for (int root = 0; root < model.body_count(); ++root) {
          SCOPED_TRACE("body " + std::to_string(root));
          const Vec6<double> rate = five_point_derivative([&](double t) -> Vec6<double> {
            return momentum_of_subtree(rig.after(t), root).vector();
          });
          Wrench<double> acting = weight_of_subtree(rig, root) +
                                  at.pose(root) * transmitted[static_cast<std::size_t>(root)];
          for (const ExternalWrench<double>& w : given) {
            int above = w.frame->body;
            while (above > root) above = model.joint(above).parent;
            if (above != root) continue;
            const Transform<double> X = at.pose(*w.frame);
            acting += w.axes == Axes::world   ? w.wrench
                      : w.axes == Axes::local ? X * w.wrench
                                              : w.wrench.at(-X.translation());
          }
          expect_close(acting.vector(), rate, 1e-10);
        }
      },
      5);
}

/// The same robot, mounted elsewhere, in a gravity that is turned with it.
Model mounted(const Model& model, const Transform<double>& X) {
  Description d = model.description();
  JointDescription mount;
  mount.name = "mount", mount.parent = "mounting plate", mount.origin = Pose(X);
  for (const LinkDescription& link : d.links) {
    bool child = false;
    for (const JointDescription& j : d.joints) child = child || j.child == link.name;
    if (!child) mount.child = link.name;
  }
  d.links.insert(d.links.begin(), {"mounting plate", std::nullopt, {}, {}, 0});
  d.joints.insert(d.joints.begin(), mount);
  d.gravity = X.rotation() * d.gravity;
  return Builder(d).build();
}

TEST(InverseDynamics, does_not_care_where_the_robot_is_mounted) {
  for_each_robot([](const Model& model, Random& random) {
    const Transform<double> X = random_transform<double>(random);
    const Model there = mounted(model, X);
    InverseDynamicsRig here(model, random);
    InverseDynamicsRig elsewhere(there, here.q, here.v, here.a);
    expect_close(elsewhere.torque(), here.torque(), 1e-13);
    expect_close(elsewhere.mass(), here.mass(), 1e-13);
    expect_close(elsewhere.coriolis(), here.coriolis(), 1e-13);
    Eigen::VectorXd a(model.nv());
    ASSERT_TRUE(elsewhere.accelerate(here.torque(), a));
    expect_close(a, here.a, 1e-10);
  });
}

// A robot at sea, 10 km from the origin: what does not mention the world's origin is the same to
// the last bit, and poses and what is told about frames keep what the spacing of doubles there,
// 2e-12 m, allows.
TEST(InverseDynamics, and_the_rest_lose_nothing_far_from_the_origin) {
  for_each_model([](const Model& fixed, Random& random) {
    const Model model = with_floating_base(fixed);
    const int b = model.joint_index("floating_base");
    InverseDynamicsRig near(model, random);
    near.q.segment<3>(model.joint(b).q + 4).setZero();
    InverseDynamicsRig far = near;
    far.q.segment<3>(model.joint(b).q + 4) << 1e4, -1e4, 3e3;

    EXPECT_EQ(far.torque(), near.torque());
    EXPECT_EQ(far.bias(), near.bias());
    EXPECT_EQ(far.mass(), near.mass());
    EXPECT_EQ(far.coriolis(), near.coriolis());
    EXPECT_EQ(kinetic_energy<double>(far.plant, far.state(), far.ws),
              kinetic_energy<double>(near.plant, near.state(), near.ws));
    Eigen::MatrixXd A_far(6, model.nv()), A_near(6, model.nv());
    const auto wrench_at = [&](const Frame& f) {
      return ExternalWrench<double>{&f, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, Axes::aligned};
    };
    for (const Frame& f : model.frames()) {
      if (f.body == 0) continue;
      for (const Axes axes : {Axes::local, Axes::aligned}) {
        EXPECT_EQ(far.jacobian(f, axes), near.jacobian(f, axes));
        expect_close(frame_velocity(far.state(), f, axes), frame_velocity(near.state(), f, axes),
                     1e-14);
        expect_close(frame_acceleration(far.motion(), f, axes),
                     frame_acceleration(near.motion(), f, axes), 1e-14);
      }
      const ExternalWrench<double> F = wrench_at(f);
      expect_close(far.torque(ExternalWrenches<double>(&F, 1)),
                   near.torque(ExternalWrenches<double>(&F, 1)), 1e-14);
      Eigen::VectorXd worth_far = Eigen::VectorXd::Zero(model.nv()), worth_near = worth_far;
      add_wrench_torque<double>(far.at(), F, worth_far);
      add_wrench_torque<double>(near.at(), F, worth_near);
      expect_close(worth_far, worth_near, 1e-14);
    }
    centroidal_momentum_matrix<double>(far.plant, far.at(), far.ws, A_far);
    centroidal_momentum_matrix<double>(near.plant, near.at(), near.ws, A_near);
    expect_close(A_far, A_near, 1e-11);
    expect_close(centroidal_momentum<double>(far.plant, far.state(), far.ws),
                 centroidal_momentum<double>(near.plant, near.state(), near.ws), 1e-11);
  });
}

// --- parameters ---

TEST(InverseDynamics, is_linear_in_the_inertial_parameters) {
  for_each_robot([](const Model& model, Random& random) {
    InverseDynamicsRig rig(model, random);
    rig.without_resistance();
    const int n = rig.plant.inertial_size();
    const auto torque = [&](const Eigen::VectorXd& pi) {
      rig.plant.set_inertial(pi);
      return rig.torque();
    };
    const auto any = [&] {
      Eigen::VectorXd pi(n);
      for (double& x : pi) x = random.real();
      return pi;
    };
    const Eigen::VectorXd pi1 = any(), pi2 = any();
    const double k = random.real();
    expect_close(torque(pi1 + k * pi2), Eigen::VectorXd(torque(pi1) + k * torque(pi2)), 1e-13);
    EXPECT_EQ(torque(Eigen::VectorXd::Zero(n)), Eigen::VectorXd::Zero(model.nv()));
  });
}

// The regressor, column by column: a body of unit parameter k moves as ∂tau/∂π_k says.
TEST(InverseDynamics, of_unit_parameters_makes_the_regressor) {
  for_each_robot(
      [](const Model& model, Random& random) {
        InverseDynamicsRig rig(model, random);
        rig.without_resistance();
        const int n = rig.plant.inertial_size();
        Eigen::VectorXd pi(n);
        rig.plant.get_inertial(pi);
        const Eigen::VectorXd tau = rig.torque();
        Eigen::MatrixXd Y(model.nv(), n);
        for (int k = 0; k < n; ++k) {
          rig.plant.set_inertial(Eigen::VectorXd::Unit(n, k));
          Y.col(k) = rig.torque();
        }
        expect_close(Eigen::VectorXd(Y * pi), tau, 1e-13);
      },
      5);
}

// --- workspaces hold nothing from one call to the next ---

template <class T>
void poison(Workspace<T>& ws) {
  const T bad(std::numeric_limits<double>::quiet_NaN());
  const lanes::V3<T> v(bad, bad, bad);
  const lanes::M3<T> m{v, v, v};
  for (auto& link : ws.links) {
    link.p = link.w = link.alpha = link.a = link.f = link.n = v;
    link.U = m, link.R = lanes::Turn<T>::from(m);
  }
  const lanes::S3<T> s(m.mat());
  for (auto& c : ws.composites) c = {bad, v, s};
  for (auto& B : ws.articulated) {
    B.I.set_inertia(bad, v, s);
    for (auto& column : B.U) column = {v, v};
    B.p = B.c = B.A = {v, v};
    std::fill_n(B.D_inverse, 6, bad);
    for (T& u : B.u) u = bad;
  }
  for (auto& C : ws.coriolis) C = {m, v};
  if constexpr (requires { ws.axes.rows; }) ws.axes.rows.setConstant(bad);
  ws.tree_tau.setConstant(bad), ws.tree_M.setConstant(bad);
  ws.bias.setConstant(bad);
}

TEST(Workspace, may_hold_anything_before_a_call) {
  for_each_robot([](const Model& model, Random& random) {
    InverseDynamicsRig rig(model, random);
    const auto wrenches = random_wrenches<double>(model, random);
    const auto same = [&](auto algorithm) {
      rig.ws = Workspace<double>(model);
      const Values clean = values(algorithm());
      poison(rig.ws);
      const Values poisoned = values(algorithm());
      EXPECT_EQ(poisoned.numbers, clean.numbers);
    };
    const Kinematics<double> at = rig.at();
    const Kinematics<double> state = rig.state();
    MassFactor<double> factor(model);
    same([&] { return rig.torque(wrenches); });
    same([&] { return rig.bias(); });
    same([&] { return rig.gravity(wrenches); });
    same([&] { return rig.mass(); });
    same([&] { return rig.coriolis(); });
    same([&] { return rig.energy(); });
    same([&] { return center_of_mass<double>(rig.plant, at, rig.ws); });
    same([&] { return center_of_mass_acceleration<double>(rig.plant, rig.motion(), rig.ws); });
    same([&] { return centroidal_momentum<double>(rig.plant, state, rig.ws); });
    same([&] {
      Eigen::MatrixXd A(6, model.nv());
      centroidal_momentum_matrix<double>(rig.plant, at, rig.ws, A);
      return A;
    });
    same([&] {
      Eigen::VectorXd a(model.nv());
      EXPECT_TRUE(
          mass_matrix_dynamics<double>(rig.plant, state, rig.a, factor, rig.ws, a, wrenches));
      return a;
    });
    if (without_mimics(model).nv() == model.nv())
      same([&] {
        Eigen::VectorXd a(model.nv());
        EXPECT_TRUE(
            articulated_body_dynamics<double>(rig.plant, state, rig.a, rig.ws, a, wrenches));
        return a;
      });
    same([&] {
      std::vector<Wrench<double>> W(static_cast<std::size_t>(model.body_count()));
      Eigen::VectorXd tau(model.nv()), all(6 * model.body_count());
      inverse_dynamics<double>(rig.plant, rig.motion(), rig.ws, tau, std::span(W));
      for (int b = 0; b < model.body_count(); ++b)
        all.segment<6>(6 * b) = W[static_cast<std::size_t>(b)].vector();
      return all;
    });
  });
}

}  // namespace
}  // namespace ulna::test
