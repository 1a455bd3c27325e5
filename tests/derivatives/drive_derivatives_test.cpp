#include "ulna/derivatives/drive_derivatives.hpp"

#include "support/drives.hpp"

namespace ulna::test {
namespace {

using D = Dual<double, 4>;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Runs a law on random trees of all kinds of joints, elastic, coupled and mixed.
template <class Law>
void for_each_drive(Law law) {
  for (const RandomDriveOptions& drives :
       {RandomDriveOptions{.damped = 0.5}, {.elastic = 1.0, .coupled = 0.0}, {.elastic = 0.0}})
    for_each_model([&](const Model& model,
                       Random& random) { law(with_random_drives(model, random, drives), random); },
                   {}, 8);
}

/// A robot with drives somewhere, under torques of its motors.
struct DrivenState {
  DrivenRig<double> rig;
  DriveState<double> drives;
  Vector tau;

  DrivenState(const Model& model, Random& random)
      : rig(model, random), drives(model), tau(random_v(model, random, 5.0)) {
    drives.theta = random_v(model, random, 0.2), drives.omega = random_v(model, random);
    for (const int c : model.drives().elastic) drives.theta(c) += rig.q(model.drives().position(c));
  }
};

/// The numbers that forward dynamics depends on, and what it was differentiated by.
struct Input {
  const char* name;
  DriveSlopes<double> DriveForwardDerivatives<double>::*slopes;
  VecX<D> DriveParameters<D>::*parameter = nullptr;
};
const Input inputs[] = {
    {"q", &DriveForwardDerivatives<double>::q},
    {"v", &DriveForwardDerivatives<double>::v},
    {"theta", &DriveForwardDerivatives<double>::theta},
    {"omega", &DriveForwardDerivatives<double>::omega},
    {"tau", &DriveForwardDerivatives<double>::tau},
    {"stiffness", &DriveForwardDerivatives<double>::stiffness, &DriveParameters<D>::stiffness},
    {"hardening", &DriveForwardDerivatives<double>::hardening, &DriveParameters<D>::hardening},
    {"spring damping", &DriveForwardDerivatives<double>::spring_damping,
     &DriveParameters<D>::spring_damping},
    {"rotor", &DriveForwardDerivatives<double>::rotor, &DriveParameters<D>::rotor},
    {"inertia", &DriveForwardDerivatives<double>::inertia, &DriveParameters<D>::inertia},
    {"damping", &DriveForwardDerivatives<double>::damping, &DriveParameters<D>::damping}};

TEST(DriveDerivatives, of_forward_dynamics_are_those_of_dual_numbers) {
  int elastic = 0, coupled = 0;
  for_each_drive([&](const Model& model, Random& random) {
    elastic += static_cast<int>(model.drives().elastic.size());
    coupled += static_cast<int>(model.drives().coupled.size());
    DrivenState at(model, random);
    DriveDerivativeWorkspace<double> ws(model);
    DriveForwardDerivatives<double> out(model);
    ASSERT_TRUE(drive_forward_dynamics_derivatives<double>(at.rig.plant, at.rig.state(), at.drives,
                                                           at.tau, ws, out));
    const DriveTrain& train = model.drives();
    for (const Input& input : inputs) {
      SCOPED_TRACE(input.name);
      const std::string name = input.name;
      if (input.parameter && train.plain()) continue;
      // one direction at random, of numbers that there are
      Vector along = random_v(model, random);
      for (int i = 0; i < model.nv(); ++i) {
        const bool spring = train.stiffness(i) > 0.0;
        if ((name == "inertia" || name == "damping") && !train.separate[std::size_t(i)])
          along(i) = 0.0;
        else if (input.parameter && name != "inertia" && name != "damping" && !spring)
          along(i) = 0.0;
      }
      const auto moved = [&](const Vector& x, bool moves) {
        VecX<D> y = x.cast<D>();
        for (Eigen::Index i = 0; moves && i < y.size(); ++i) y(i).gradient[0] = along(i);
        return y;
      };
      Plant<D> plant(model);
      if (input.parameter)
        for (Eigen::Index i = 0; i < along.size(); ++i)
          (plant.drives.*input.parameter)(i).gradient[0] = along(i);
      VecX<D> q(model.nq());
      integrate<D>(model, VecX<D>(at.rig.q.cast<D>()), moved(Vector::Zero(model.nv()), name == "q"),
                   q);
      Kinematics<D> state(model);
      state.set(q, moved(at.rig.v, name == "v"));
      DriveState<D> drives(model);
      drives.theta = moved(at.drives.theta, name == "theta");
      drives.omega = moved(at.drives.omega, name == "omega");
      DriveWorkspace<D> dual_ws(model);
      VecX<D> a(model.nv()), alpha(model.nv());
      ASSERT_TRUE(drive_forward_dynamics<D>(plant, state, drives, moved(at.tau, name == "tau"),
                                            dual_ws, a, alpha));
      const DriveSlopes<double>& slopes = out.*input.slopes;
      const Vector da = slopes.a * along, dalpha = slopes.alpha * along;
      double size = 1.0;
      for (const D& x : a) size = std::max(size, std::abs(x.gradient[0]));
      for (const D& x : alpha) size = std::max(size, std::abs(x.gradient[0]));
      for (int i = 0; i < model.nv(); ++i) {
        EXPECT_NEAR(da(i), a(i).gradient[0], 1e-10 * size);
        EXPECT_NEAR(dalpha(i), alpha(i).gradient[0], 1e-10 * size);
      }
    }
  });
  EXPECT_GT(elastic, 40);
  EXPECT_GT(coupled, 20);
}

/// a = FD(q, v, theta, omega, tau) with theta, omega and tau of inverse dynamics, differentiated by each order of the motion.
TEST(DriveDerivatives, of_inverse_dynamics_undo_those_of_forward_dynamics) {
  for_each_drive([](const Model& model, Random& random) {
    DrivenRig<double> rig(model, random);
    DriveMotion<double> motion(model);
    motion.set(rig.q, rig.v, rig.a, rig.jerk, rig.snap);
    if (model.drives().spring_damping.maxCoeff() > 0.0) motion.set_deflection(rig.deflection);
    DriveInverseDerivativeWorkspace inverse_ws(model);
    DriveInverseDerivatives inverse(model);
    drive_inverse_dynamics_derivatives(rig.plant, motion, inverse_ws, inverse);
    DriveState<double> drives(model);
    drives.theta = inverse.torques.theta, drives.omega = inverse.torques.omega;
    DriveDerivativeWorkspace<double> ws(model);
    DriveForwardDerivatives<double> forward(model);
    ASSERT_TRUE(drive_forward_dynamics_derivatives<double>(rig.plant, rig.state(), drives,
                                                           inverse.torques.motor, ws, forward));
    const Matrix I = Matrix::Identity(model.nv(), model.nv()), zero = 0.0 * I;
    const struct {
      const char* name;
      const DriveTorqueSlopes& by;
      Matrix direct_a, direct_alpha, expected;
    } orders[] = {{"q", inverse.q, forward.q.a, forward.q.alpha, zero},
                  {"v", inverse.v, forward.v.a, forward.v.alpha, zero},
                  {"a", inverse.a, zero, zero, I},
                  {"jerk", inverse.jerk, zero, zero, zero},
                  {"snap", inverse.snap, zero, zero, zero}};
    for (const auto& [name, by, direct_a, direct_alpha, expected] : orders) {
      SCOPED_TRACE(name);
      const auto chain = [&](Matrix DriveSlopes<double>::*of) {
        return Matrix(forward.theta.*of * by.theta + forward.omega.*of * by.omega +
                      forward.tau.*of * by.motor);
      };
      const Matrix a = direct_a + chain(&DriveSlopes<double>::a),
                   alpha = direct_alpha + chain(&DriveSlopes<double>::alpha);
      const auto size = [](const Matrix& x) { return std::max(1.0, x.cwiseAbs().maxCoeff()); };
      const double summed = size(direct_a) + size(forward.theta.a) * size(by.theta) +
                            size(forward.omega.a) * size(by.omega) +
                            size(forward.tau.a) * size(by.motor);
      EXPECT_LT((a - expected).cwiseAbs().maxCoeff(), 1e-10 * summed);
      const double summed_alpha = size(direct_alpha) + size(forward.theta.alpha) * size(by.theta) +
                                  size(forward.omega.alpha) * size(by.omega) +
                                  size(forward.tau.alpha) * size(by.motor);
      EXPECT_LT((alpha - by.alpha).cwiseAbs().maxCoeff(), 1e-10 * summed_alpha);
    }
  });
}

TEST(DriveDerivatives, of_rotors_carried_by_links_are_refused_with_the_remedy) {
  Random random(1);
  const Model model = with_random_drives(random_model(2, {.mimic = 0.0}), random,
                                         {.elastic = 1.0, .coupled = 0.0, .mounted = 1.0});
  ASSERT_FALSE(model.drives().mounts.empty());
  DrivenState at(model, random);
  DriveDerivativeWorkspace<double> ws(model);
  DriveForwardDerivatives<double> out(model);
  EXPECT_NE(told([&] {
              (void)drive_forward_dynamics_derivatives<double>(at.rig.plant, at.rig.state(),
                                                               at.drives, at.tau, ws, out);
            }).find("leave the carriers out"),
            std::string::npos);
}

}  // namespace
}  // namespace ulna::test
