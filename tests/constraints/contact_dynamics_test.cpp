#include "ulna/constraints/contact_dynamics.hpp"

#include <Eigen/SVD>

#include "support/closed_loops.hpp"
#include "ulna/derivatives/regressor.hpp"
#include "ulna/io/import.hpp"

// Forward dynamics of robots that touch planes, in modes that are given, and its derivatives.
namespace ulna::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using V3 = Vec3<double>;

V3 random_unit(Random& random) {
  return V3(random.real(), random.real(), random.real(0.2, 1.0)).normalized();
}

/// A robot in motion whose points touch planes.
struct TouchingRig {
  static constexpr int count = 2;
  Rig<double> rig;
  std::vector<Frame> frames;
  std::vector<FrameContact> contacts;
  VectorXd tau, a;
  std::vector<V3> forces;
  Kinematics<double> at;
  ContactWorkspace ws;
  std::vector<ExternalWrench<double>> wrenches;

  TouchingRig(const Model& model, Random& random, ContactMode first, ContactMode second)
      : rig(model, random),
        tau(random_v(model, random, 10.0)),
        a(VectorXd::Zero(model.nv())),
        forces(count),
        at(model),
        ws(model, count),
        wrenches(random_wrenches<double>(model, random)) {
    const int last = model.body_count() - 1;
    for (const int body : {last, last / 2 + 1}) {
      const V3 p(random.real(-0.3, 0.3), random.real(-0.3, 0.3), random.real(-0.3, 0.3));
      frames.push_back({"tip", body, Transform<double>::from_translation(p)});
    }
    for (int i = 0; i < count; ++i)
      contacts.push_back({&frames[static_cast<std::size_t>(i)], random_unit(random),
                          random.real(0.05, 0.4), i == 0 ? first : second});
    // dry friction of joints has no slope
    rig.plant.friction.setZero(), rig.plant.friction_negative.setZero();
    at.set(rig.q, rig.v);
  }
  ConstraintReport accelerate() {
    return contact_forward_dynamics(rig.plant, at, tau, contacts, ws, a, forces, wrenches);
  }
  /// The smallest singular value of what rows see of each other, by the largest.
  double weakest() {
    int rows = 0;
    for (const FrameContact& c : contacts) rows += c.rows();
    const VectorXd s = MatrixXd(ws.W.topLeftCorner(rows, rows)).jacobiSvd().singularValues();
    return s.tail<1>()(0) / s(0);
  }
  double slowest() const {
    double least = infinity;
    for (const FrameContact& c : contacts) {
      const V3 u = frame_velocity<double>(at, *c.frame, Axes::aligned).linear;
      if (c.mode == ContactMode::slide)
        least = std::min(least, (u - c.normal.dot(u) * c.normal).norm());
    }
    return least;
  }
};

template <class Law>
int for_each_touching_robot(Law law, std::uint64_t count) {
  constexpr ContactMode modes[] = {ContactMode::stick, ContactMode::slide};
  RandomModelOptions trees;
  trees.joints = 8;
  int held = 0;
  for_each_robot(
      [&](const Model& model, Random& random) {
        for (const ContactMode first : modes)
          for (const ContactMode second : modes) {
            SCOPED_TRACE("modes " + std::to_string(int(first)) + std::to_string(int(second)));
            TouchingRig r(model, random, first, second);
            // points that hardly move, or hardly differ, have slopes that differences cannot follow
            if (r.slowest() < 0.2 || !r.accelerate() || r.weakest() < 3e-3) continue;
            ++held;
            law(r);
          }
      },
      count, trees);
  return held;
}

TEST(ContactDynamics, meets_newton_the_modes_and_the_law_of_friction) {
  const int held = for_each_touching_robot(
      [](TouchingRig& r) {
        std::vector<ExternalWrench<double>> all = r.wrenches;
        for (int i = 0; i < TouchingRig::count; ++i)
          all.push_back({r.contacts[i].frame, {V3::Zero(), r.forces[i]}, Axes::aligned});
        const VectorXd needed = r.rig.torque(r.a, all);
        EXPECT_LT((needed - r.tau).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + r.a.cwiseAbs().maxCoeff()));
        r.at.set(r.rig.q, r.rig.v, r.a);
        for (int i = 0; i < TouchingRig::count; ++i) {
          const FrameContact& c = r.contacts[i];
          const V3 A = frame_acceleration<double>(r.at, *c.frame, Axes::aligned).linear,
                   u = frame_velocity<double>(r.at, *c.frame, Axes::aligned).linear,
                   slip = u - c.normal.dot(u) * c.normal, f = r.forces[i];
          const double size = 1e-8 * (1.0 + r.a.cwiseAbs().maxCoeff());
          EXPECT_LT(c.mode == ContactMode::stick ? A.norm() : std::abs(c.normal.dot(A)), size);
          if (c.mode == ContactMode::stick) continue;
          const double pressed = c.normal.dot(f);
          EXPECT_LT((f - pressed * c.normal + pressed * c.friction * slip.normalized()).norm(),
                    1e-9 * (1.0 + f.norm()));
        }
      },
      10);
  EXPECT_GE(held, 25);
}

TEST(ContactDynamicsDerivatives, are_those_of_accelerations_and_forces) {
  const int held = for_each_touching_robot(
      [](TouchingRig& r) {
        const Model& model = r.rig.model();
        const int n = r.rig.nv();
        ContactDerivativeWorkspace ws(model, TouchingRig::count);
        ContactDynamicsDerivatives slopes(model, TouchingRig::count);
        Kinematics<double> at(model);
        at.set(r.rig.q, r.rig.v);
        ASSERT_TRUE(contact_dynamics_derivatives(r.rig.plant, at, r.tau, r.contacts, ws, slopes,
                                                 r.wrenches));
        EXPECT_LT((slopes.a - r.a).norm(), 1e-12 * (1.0 + r.a.norm()));
        const int m = slopes.rows, columns = 3 * n + TouchingRig::count;
        MatrixXd x(n + m, columns), y(n + m, columns);
        x.topRows(n) << slopes.dq, slopes.dv, slopes.dtau, slopes.dfriction;
        x.bottomRows(m) << slopes.lambda_dq.topRows(m), slopes.lambda_dv.topRows(m),
            slopes.lambda_dtau.topRows(m), slopes.lambda_dfriction.topRows(m);
        const VectorXd q = r.rig.q, v = r.rig.v, tau = r.tau;
        const std::vector<FrameContact> contacts = r.contacts;
        for (int k = 0; k < columns; ++k) {
          const VectorXd e = VectorXd::Unit(n, k % n);
          y.col(k) = nine_point_derivative(
              [&](double by) {
                r.at.set(k < n ? integrate(model, q, by * e) : q,
                         k / n == 1 ? VectorXd(v + by * e) : v);
                r.tau = k / n == 2 ? VectorXd(tau + by * e) : tau;
                r.contacts = contacts;
                if (k >= 3 * n) r.contacts[k - 3 * n].friction += by;
                EXPECT_TRUE(r.accelerate());
                VectorXd both(n + m);
                both << r.a, r.ws.lambda.head(m);
                return both;
              },
              1e-3);
        }
        for (const auto& [at_row, rows] : {std::pair{0, n}, std::pair{n, m}})
          for (const auto& [first, count] :
               {std::pair{0, n}, {n, n}, {2 * n, n}, {3 * n, TouchingRig::count}}) {
            const MatrixXd found = x.block(at_row, first, rows, count),
                           expected = y.block(at_row, first, rows, count);
            EXPECT_LT((found - expected).cwiseAbs().maxCoeff(),
                      1e-7 * std::max(1.0, expected.cwiseAbs().maxCoeff()))
                << "rows from " << at_row << ", columns from " << first;
          }
      },
      6);
  EXPECT_GE(held, 15);
}

// with its base on a plane that leans by an angle: g (sin - mu cos)
TEST(ContactDynamics, a_block_slides_down_an_incline_as_galilei_has_it) {
  const double angle = 0.5, mu = 0.2, g = 9.81;
  const Model block = with_floating_base(
      Builder("block").link("block", solid_box(V3(0.2, 0.2, 0.1)).with_mass(2.0)).build());
  Plant<double> plant(block);
  Kinematics<double> at(block);
  ContactWorkspace ws(block, 1);
  const V3 down(std::cos(angle), 0.0, -std::sin(angle)),
      normal(std::sin(angle), 0.0, std::cos(angle));
  VectorXd q = neutral(block), v = VectorXd::Zero(6), a(6);
  at.set(q);
  // a point below the centre would turn it: the contact is where the mass is
  const Frame centre{"centre", 1, {}};
  MatrixXd J(6, 6);
  frame_jacobian<double>(at, centre, Axes::aligned, J);
  v = J.inverse().rightCols<3>() * (0.5 * down);
  at.set(q, v);
  const std::vector<FrameContact> contacts{{&centre, normal, mu, ContactMode::slide}};
  std::vector<V3> forces(1);
  ASSERT_TRUE(contact_forward_dynamics(plant, at, VectorXd::Zero(6), contacts, ws, a, forces));
  const V3 A = J.bottomRows<3>() * a;
  EXPECT_NEAR(A.dot(down), g * (std::sin(angle) - mu * std::cos(angle)), 1e-10);
  EXPECT_NEAR(forces[0].dot(normal), 2.0 * g * std::cos(angle), 1e-10);
}

TEST(ContactDynamics, what_slides_without_moving_has_no_direction) {
  Random random(1);
  const Model model = load_robot("panda").model;
  TouchingRig r(model, random, ContactMode::slide, ContactMode::stick);
  r.at.set(r.rig.q);
  EXPECT_EQ(r.accelerate().status, ConstraintReport::Status::not_physical);
}

TEST(ContactDynamics, many_points_on_one_body_share_the_load) {
  Random random(3);
  const Model model = load_robot("panda").model;
  TouchingRig r(model, random, ContactMode::stick, ContactMode::stick);
  // twice the same point: rows depend on each other
  r.frames[1] = r.frames[0];
  const ConstraintReport report = r.accelerate();
  EXPECT_TRUE(report) << report.residual;
  EXPECT_LT((r.forces[0] - r.forces[1]).norm(), 1e-6 * (1.0 + r.forces[0].norm()));
}

TEST(ContactDynamics, refuses_more_contacts_than_it_was_made_for) {
  Random random(4);
  const Model model = load_robot("panda").model;
  TouchingRig r(model, random, ContactMode::stick, ContactMode::stick);
  r.contacts.push_back(r.contacts.front()), r.forces.resize(3);
  EXPECT_THROW((void)r.accelerate(), std::invalid_argument);
}

// torques = Y π - Σ J'f: what identification of a robot that touches something needs
TEST(ContactDynamics, forces_are_known_wrenches_of_regressors) {
  const int held = for_each_touching_robot(
      [](TouchingRig& r) {
        const Model& model = r.rig.model();
        r.rig.without_resistance();
        r.wrenches.clear();
        ASSERT_TRUE(r.accelerate());
        r.at.set(r.rig.q, r.rig.v, r.a);
        RegressorWorkspace<double> ws(model);
        RowMatX<double> Y(model.nv(), 10 * model.joint_count());
        torque_regressor<double>(r.at, ws, Y);
        VectorXd pi(Y.cols());
        r.rig.plant.get_inertial(pi);
        VectorXd tau = Y * pi;
        MatrixXd J(6, model.nv());
        for (int i = 0; i < TouchingRig::count; ++i) {
          frame_jacobian<double>(r.at, *r.contacts[i].frame, Axes::aligned, J);
          tau -= J.bottomRows<3>().transpose() * r.forces[i];
        }
        EXPECT_LT((tau - r.tau).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + r.a.cwiseAbs().maxCoeff()));
      },
      5);
  EXPECT_GE(held, 12);
}

}  // namespace
}  // namespace ulna::test
