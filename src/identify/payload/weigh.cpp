#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <numbers>

#include "identify/estimate/measurements.hpp"
#include "identify/messages.hpp"
#include "identify/payload/evidence.hpp"
#include "ulna/identify/estimate/consistent.hpp"
#include "ulna/identify/payload/payload.hpp"

namespace ulna::identify {
namespace {

constexpr std::string_view state_names[] = {"found", "none", "unseen"};

using Ten = Eigen::Matrix<double, 10, 1>;
using TenByTen = Eigen::Matrix<double, 10, 10>;

constexpr double clear = 3.0;  ///< deviations: less is no payload
/// Of the robot's mass: what is not known to so much is not seen.
constexpr double visible = 0.02;

/// The body nearest to what least squares found that can exist. What torques do not show of it is that of a ball.
struct Possible {
  Ten pi;
  TenByTen covariance;
};
Possible possible(const Ten& found, const TenByTen& covariance, double reach) {
  constexpr double density = 2000.0, weight = 0.01;  // kg/m³; the ball may well be ten times off
  const double mass = std::max({found(0), 0.5 * std::sqrt(covariance(0, 0)), 1e-9});
  Vec3<double> com = found.segment<3>(1) / mass;
  if (com.norm() > reach) com *= reach / com.norm();
  const double radius = std::cbrt(0.75 * mass / (std::numbers::pi * density));
  PhysicalPrior ball(10);
  ball.add_inertia(0,
                   Inertia<double>::about_com(
                       mass, com, 0.4 * mass * radius * radius * Mat3<double>::Identity()),
                   weight);
  const Vector scale = covariance.diagonal().cwiseSqrt();
  const Matrix unit =
      scale.cwiseInverse().asDiagonal() * Matrix(covariance) * scale.cwiseInverse().asDiagonal();
  const Matrix G = scale.cwiseInverse().asDiagonal() *
                   unit.ldlt().solve(Matrix(scale.cwiseInverse().asDiagonal()));
  ConsistentSolver solver(10);
  Vector z;
  (void)solver.solve(G, G * found, ball, z);
  const Matrix H = G + ball.information(z);
  const Matrix S = scale.asDiagonal() * H * scale.asDiagonal();
  return {z, scale.asDiagonal() * S.ldlt().solve(Matrix::Identity(10, 10)) * scale.asDiagonal()};
}

/// Centre of mass and rotational inertia about it, in the frame of the link.
using Shape = Eigen::Matrix<double, 12, 1>;
Shape shape_of(const Ten& pi, const Transform<double>& X_BF) {
  const Inertia<double> I = X_BF.inverse() * Inertia<double>(pi);
  Shape s;
  s << I.com(), Eigen::Map<const Eigen::Matrix<double, 9, 1>>(
                    Mat3<double>(I.rotational_about_com()).eval().data());
  return s;
}

void set_shape(const Possible& body, const Transform<double>& X_BF, LinkPayload& payload) {
  const Shape s = shape_of(body.pi, X_BF);
  Eigen::Matrix<double, 12, 10> slope;
  for (int k = 0; k < 10; ++k) {
    const double step = 1e-3 * std::sqrt(body.covariance(k, k));
    slope.col(k) = (shape_of(body.pi + step * Ten::Unit(k), X_BF) -
                    shape_of(body.pi - step * Ten::Unit(k), X_BF)) /
                   (2.0 * step);
  }
  const Shape off =
      (slope * body.covariance * slope.transpose()).diagonal().cwiseMax(0.0).cwiseSqrt();
  payload.com = s.head<3>(), payload.com_deviation = off.head<3>();
  payload.rotational = Eigen::Map<const Mat3<double>>(s.data() + 3);
  payload.rotational_deviation = Eigen::Map<const Mat3<double>>(off.data() + 3);
}

double mass_of(const TorqueModel& model, const Vector& z) {
  double sum = 0.0;
  for (int b = 0; b < model.model().joint_count(); ++b) sum += std::abs(z(10 * b));
  return sum;
}

}  // namespace

std::string_view to_string(LinkPayload::State state) { return state_names[int(state)]; }

LinkPayload weigh_payload(const TorqueModel& model, const std::string& link, const Estimate& robot,
                          const TorqueData& without, const TorqueData& with,
                          const EstimateOptions& how, const PayloadOptions& options) {
  const Frame& frame = model.model().frame(link);
  require(frame.body > 0, "payload: link '", link, "' does not move: no torque depends on it");
  require(options.friction_change >= 0.0 && std::isfinite(options.friction_change) &&
              options.robot_deviation > 0.0 && std::isfinite(options.robot_deviation),
          "PayloadOptions: friction_change must be a number of at least 0, robot_deviation one "
          "above 0");
  require(with.size() > 0, "payload: there are no samples with it");
  ulna::detail::require_size("z", robot.z.size(), model.unknowns(), model.model());

  PayloadEvidence evidence(model, frame.body, robot, without, with, how, options);
  const PayloadEvidence::Solution found = evidence.solve();

  LinkPayload payload;
  payload.link = link;
  payload.samples = with.size(), payload.samples_without = without.size();
  payload.unconstrained = found.added, payload.deviation = found.covariance.diagonal().cwiseSqrt();
  payload.feature_changes = found.feature_changes;
  payload.percent = fit_of(model, found.z, with).total_percent;
  payload.without_percent = fit_of(model, robot.z, with).total_percent;
  const double mass = found.added(0), off = payload.deviation(0),
               least = visible * mass_of(model, robot.z);
  payload.mass = mass, payload.mass_deviation = off;
  payload.state = mass > clear * off ? LinkPayload::State::found
                  : off > least      ? LinkPayload::State::unseen
                                     : LinkPayload::State::none;
  if (payload.state == LinkPayload::State::found) {
    const Possible body = possible(found.added, found.covariance, evidence.reach());
    payload.added = body.pi;
    payload.mass = body.pi(0), payload.mass_deviation = std::sqrt(body.covariance(0, 0));
    set_shape(body, frame.X_BF, payload);
  } else if (mass < -clear * off) {
    payload.reasons.push_back(message("the motion shows ", number(-mass, 3),
                                      " kg less than the robot has: are the logs interchanged?"));
  }
  if (off > least && (payload.state == LinkPayload::State::unseen || off > 0.1 * mass)) {
    evidence.explain(payload);
  } else if (payload.state == LinkPayload::State::found &&
             payload.com_deviation.maxCoeff() > 0.05) {
    payload.reasons.push_back(message("the centre of mass is known to ",
                                      number(payload.com_deviation.maxCoeff(), 2),
                                      " m only in one direction"));
    evidence.suggest(payload);
  }
  return payload;
}

}  // namespace ulna::identify
