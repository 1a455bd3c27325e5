#include "ulna/identify/estimate/physical_prior.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>

#include "identify/messages.hpp"
#include "ulna/dynamics/inverse_mass_matrix.hpp"

namespace ulna::identify {
namespace {

/// <dP/dπ_k, M> of a symmetric matrix for each of the ten parameters, P being the pseudo-inertia.
Eigen::Matrix<double, 10, 1> along(const Mat4<double>& M) {
  const double half = 0.5 * M.diagonal().head<3>().sum();
  return {M(3, 3),        2.0 * M(0, 3),  2.0 * M(1, 3),  2.0 * M(2, 3),  half - M(0, 0),
          -2.0 * M(0, 1), -2.0 * M(0, 2), half - M(1, 1), -2.0 * M(1, 2), half - M(2, 2)};
}

/// dP/dπ_k of all parameters.
const auto pseudo_inertia_slopes = [] {
  std::array<Mat4<double>, 10> slopes;
  for (int k = 0; k < 10; ++k)
    slopes[k] = pseudo_inertia(Inertia<double>(Eigen::Matrix<double, 10, 1>::Unit(k)));
  return slopes;
}();

/// The nearest thing to an inertia that a body can have: eigenvalues of the pseudo-inertia about the
/// centre of mass are raised to a share of the largest.
Inertia<double> made_real(const Inertia<double>& given) {
  constexpr double least_share = 1e-3;
  const double mass = std::max(given.mass(), 1e-3);
  const Vec3<double> com = given.mass() > 0.0 ? given.com() : Vec3<double>(Vec3<double>::Zero());
  const Mat3<double> I = given.rotational_about_com();
  const Mat3<double> S = 0.5 * I.trace() * Mat3<double>::Identity() - I;
  const Eigen::SelfAdjointEigenSolver<Mat3<double>> eigen(S);
  // a ball of a centimetre, where there is nothing to go by
  const double largest = std::max(eigen.eigenvalues()(2), mass * 2e-5);
  const Vec3<double> raised = eigen.eigenvalues().cwiseMax(least_share * largest);
  const Mat3<double> S_real =
      eigen.eigenvectors() * raised.asDiagonal() * eigen.eigenvectors().transpose();
  return Inertia<double>::about_com(mass, com, S_real.trace() * Mat3<double>::Identity() - S_real);
}

/// What each degree of freedom has to move while all others are free to, without rotors: little where links give way, however heavy
/// the robot is beyond. `z` has bodies that can exist.
Vector free_inertias(const TorqueModel& model, const Vector& z) {
  Plant<double> plant(model.model());
  plant.set_inertial(z.head(model.inertial_size()));
  plant.armature.setZero();
  Workspace<double> ws(model.model());
  Kinematics<double> at(model.model());
  at.set(neutral(model.model()));
  Matrix inverse(model.model().nv(), model.model().nv());
  require(inverse_mass_matrix<double>(plant, at, ws, inverse),
          "prior: the mass matrix is not positive definite");
  return inverse.diagonal().cwiseInverse();
}

}  // namespace

void PhysicalPrior::set_center(Body& body, const Inertia<double>& expected) {
  const Inertia<double> real = made_real(expected);
  const Eigen::LLT<Mat4<double>> factor(pseudo_inertia(real));
  require(factor.info() == Eigen::Success, "prior: an inertia is not finite");
  body.log_det0 = 2.0 * factor.matrixLLT().diagonal().array().log().sum();
  body.P0_inverse = factor.solve(Mat4<double>::Identity());
  center_.segment<10>(body.at) = real.parameters();
}

PhysicalPrior::PhysicalPrior(int unknowns) : size_(unknowns), center_(Vector::Zero(unknowns)) {}

void PhysicalPrior::add_inertia(int at, const Inertia<double>& expected, double weight) {
  bodies_.push_back({at, weight, {}, 0.0});
  set_center(bodies_.back(), expected);
}

void PhysicalPrior::expect(const Vector& z, std::span<const int> unknowns) {
  const auto named = [&](int at) { return std::ranges::count(unknowns, at) > 0; };
  constexpr double loose = 0.1;  // the centre may well be wrong by 300 %
  for (Body& body : bodies_) {
    if (!named(body.at)) continue;
    body.weight = std::min(body.weight, loose);
    set_center(body, Inertia<double>(z.segment<10>(body.at)));
  }
  for (Number& number : numbers_) {
    if (!named(number.at)) continue;
    number.weight = std::min(number.weight, loose);
    // a positive number is held by one over what is expected of it: expecting less would hold it more
    number.expected =
        number.deviation > 0.0 ? z(number.at) : std::max(z(number.at), number.expected);
    center_(number.at) = number.expected;
  }
}

void PhysicalPrior::weigh(std::span<const int> unknowns, double factor) {
  const auto named = [&](int at) { return std::ranges::count(unknowns, at) > 0; };
  for (Body& body : bodies_)
    if (named(body.at)) body.weight *= factor;
  for (Number& number : numbers_)
    if (named(number.at)) number.weight *= factor;
}

void PhysicalPrior::add_positive(int at, double expected, double weight) {
  require(expected > 0.0, "prior: the expected value must be positive");
  numbers_.push_back({at, weight, expected, 0.0});
  center_(at) = expected;
}

void PhysicalPrior::add_around(int at, double expected, double deviation, double weight) {
  require(deviation > 0.0, "prior: a deviation must be positive");
  numbers_.push_back({at, weight, expected, deviation});
  center_(at) = expected;
}

PhysicalPrior PhysicalPrior::restricted(const std::vector<int>& kept) const {
  PhysicalPrior result(int(kept.size()));
  const auto place = [&](int at) {
    const auto found = std::find(kept.begin(), kept.end(), at);
    return found == kept.end() ? -1 : int(found - kept.begin());
  };
  for (Body b : bodies_) {
    const int first = place(b.at);
    for (int k = 0; k < 10; ++k)
      require(place(b.at + k) == (first < 0 ? -1 : first + k),
              "prior: of the ten inertial parameters of a body, all or none can be known");
    b.at = first;
    if (first >= 0) result.bodies_.push_back(b);
  }
  for (Number x : numbers_) {
    x.at = place(x.at);
    if (x.at >= 0) result.numbers_.push_back(x);
  }
  result.center_ = center_(kept);
  return result;
}

PhysicalPrior PhysicalPrior::extended(int more) const {
  PhysicalPrior result = *this;
  result.size_ += more;
  result.center_.conservativeResizeLike(Vector::Zero(result.size_));
  return result;
}

double PhysicalPrior::value(const Vector& z) const {
  double sum = 0.0;
  for (const Body& b : bodies_) {
    const Mat4<double> P = pseudo_inertia(Inertia<double>(z.segment<10>(b.at)));
    const Eigen::LLT<Mat4<double>> factor(P);
    if (factor.info() != Eigen::Success) return infinity;
    const double log_det = 2.0 * factor.matrixLLT().diagonal().array().log().sum();
    sum += b.weight * (P.cwiseProduct(b.P0_inverse).sum() - log_det + b.log_det0 - 4.0);
  }
  for (const Number& x : numbers_) {
    if (x.deviation > 0.0) {
      const double off = (z(x.at) - x.expected) / x.deviation;
      sum += 0.5 * x.weight * off * off;
    } else {
      const double share = z(x.at) / x.expected;
      if (!(share > 0.0)) return infinity;
      sum += x.weight * (share - std::log(share) - 1.0);
    }
  }
  return std::isfinite(sum) ? sum : infinity;
}

void PhysicalPrior::add_derivatives(const Vector& z, Vector& gradient, Matrix& H) const {
  for (const Body& b : bodies_) {
    const Eigen::LLT<Mat4<double>> factor(pseudo_inertia(Inertia<double>(z.segment<10>(b.at))));
    const Mat4<double> Q = factor.solve(Mat4<double>::Identity());
    gradient.segment<10>(b.at) += b.weight * along(b.P0_inverse - Q);
    for (int k = 0; k < 10; ++k)
      H.col(b.at + k).segment(b.at + k, 10 - k) +=
          b.weight * along(Q * pseudo_inertia_slopes[k] * Q).tail(10 - k);
  }
  for (const Number& x : numbers_) {
    if (x.deviation > 0.0) {
      const double precision = x.weight / (x.deviation * x.deviation);
      gradient(x.at) += precision * (z(x.at) - x.expected);
      H(x.at, x.at) += precision;
    } else {
      gradient(x.at) += x.weight * (1.0 / x.expected - 1.0 / z(x.at));
      H(x.at, x.at) += x.weight / (z(x.at) * z(x.at));
    }
  }
}

Matrix PhysicalPrior::information(const Vector& z) const {
  Matrix H = Matrix::Zero(size_, size_);
  Vector gradient = Vector::Zero(size_);
  add_derivatives(z, gradient, H);
  return H.selfadjointView<Eigen::Lower>();
}

double extent(const Model& robot, int body) {
  double farthest = 0.1;
  for (int c = body + 1; c < robot.body_count(); ++c)
    if (robot.joint(c).parent == body)
      farthest = std::max(farthest, robot.joint(c).X_PJ.translation().norm());
  return farthest;
}

PhysicalPrior make_prior(const TorqueModel& model, const Vector& typical,
                         const PriorOptions& options) {
  const Model& robot = model.model();
  ulna::detail::require_size("typical", typical.size(), robot.nv(), robot);
  require(options.deviation > 0.0 && std::isfinite(options.deviation),
          "prior: the deviation must be positive");
  const double weight = 1.0 / (options.deviation * options.deviation);
  const Vector known = model.nominal();
  PhysicalPrior prior(model.unknowns());

  for (int b = 1; b < robot.body_count(); ++b) {
    const int at = 10 * (b - 1);
    if (options.from_robot) {
      prior.add_inertia(at, Inertia<double>(known.segment<10>(at)), weight);
      continue;
    }
    // a ball of 3 kg at the joint
    constexpr double mass = 3.0;
    const double radius = extent(robot, b);
    const Mat3<double> ball = 0.4 * mass * radius * radius * Mat3<double>::Identity();
    prior.add_inertia(at, Inertia<double>::about_com(mass, Vec3<double>::Zero(), ball), weight);
  }
  const Vector turned = free_inertias(model, prior.center()).cwiseMax(1e-6);
  for (int i = 0; i < robot.nv(); ++i)
    for (int k = 0; k < model.feature_count(); ++k) {
      const int at = model.at(i, k);
      const double torque = std::max(typical(i), 1e-6);
      switch (model.features()[k]) {
        case Feature::offset:
          prior.add_around(at, 0.0, torque);
          break;
        case Feature::armature:
          prior.add_positive(at, known(at) > 0.0 ? known(at) : options.rotors * turned(i), 0.1);
          break;
        case Feature::load:
          prior.add_positive(at, 0.02, 0.1);
          break;
        default: {
          if (known(at) > 0.0) {
            // nearly nothing would be held at nearly nothing
            prior.add_positive(at, std::max(known(at), 0.005 * torque), 0.1);
            break;
          }
          // whatever is expected, much more is no less likely: friction is as strong as drives
          const double usual = 0.05 * torque,
                       expected = std::min(usual, options.friction * turned(i));
          prior.add_positive(at, expected, 0.1 * expected / usual);
        }
      }
    }
  return prior;
}

}  // namespace ulna::identify
