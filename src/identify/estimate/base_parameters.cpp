#include "ulna/identify/estimate/base_parameters.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "ulna/derivatives/regressor.hpp"

namespace ulna::identify {
namespace {

/// In this order a body's parameters are tried whether they add anything: first those that robots
/// usually keep, last those that usually pass to the body before.
constexpr int within_body[] = {4, 5, 6, 8, 9, 1, 2, 3, 7, 0};

/// Columns in an order, each kept if it adds a direction to those kept before it.
BaseParameters sort_out(const Eigen::MatrixXd& rows, const std::vector<int>& order) {
  BaseParameters base;
  base.unknowns = int(rows.cols());
  const Eigen::VectorXd length = rows.colwise().norm();
  const double longest = length.maxCoeff();
  // by modified Gram-Schmidt, twice, which is as good as Householder's
  Eigen::MatrixXd Q(rows.rows(), rows.cols());
  int rank = 0;
  for (const int c : order) {
    if (!(length(c) > 1e-12 * longest)) {
      base.idle.push_back(c);
      continue;
    }
    Eigen::VectorXd x = rows.col(c) / length(c);
    for (int pass = 0; pass < 2; ++pass) x -= Q.leftCols(rank) * (Q.leftCols(rank).transpose() * x);
    const double left = x.norm();
    if (left > 1e-8) {
      Q.col(rank++) = x / left;
      base.independent.push_back(c);
    } else {
      base.dependent.push_back(c);
    }
  }
  // independent * shares = dependent
  const auto columns = [&](const std::vector<int>& which) -> Eigen::MatrixXd {
    return rows(Eigen::all, which);
  };
  base.shares = Eigen::MatrixXd::Zero(rank, Eigen::Index(base.dependent.size()));
  if (rank > 0 && !base.dependent.empty()) {
    base.shares = columns(base.independent).householderQr().solve(columns(base.dependent));
    for (Eigen::Index i = 0; i < base.shares.rows(); ++i)
      for (Eigen::Index k = 0; k < base.shares.cols(); ++k) {
        const double effect = std::abs(base.shares(i, k)) * length(base.independent[i]);
        if (effect < 1e-8 * length(base.dependent[k])) base.shares(i, k) = 0.0;
      }
  }
  return base;
}

std::vector<int> proximal_first(const Model& model) {
  std::vector<int> order;
  for (int b = 0; b < model.joint_count(); ++b)
    for (const int k : within_body) order.push_back(10 * b + k);
  return order;
}

/// Calls use(q, v, a) with as many random states as give `wanted` rows of `each`.
template <class Use>
void random_states(const Model& model, int wanted, int each, Use use) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const int n = model.nv(), count = wanted / std::max(each, 1) + 2;
  for (int s = 0; s < count; ++s) {
    Eigen::VectorXd v(n), a(n);
    const Eigen::VectorXd q = random_configuration(model, random);
    // as fast as gravity is strong: no part of the equation is small beside another
    for (int i = 0; i < n; ++i) v(i) = 3.0 * unit(random), a(i) = 10.0 * unit(random);
    use(s, q, v, a);
  }
}

}  // namespace

Eigen::MatrixXd BaseParameters::map() const {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(size(), unknowns);
  m(Eigen::all, independent).setIdentity();
  m(Eigen::all, dependent) = shares;
  return m;
}

std::vector<int> BaseParameters::free() const {
  std::vector<int> rest;
  for (int k = 0; k < unknowns; ++k)
    if (std::find(known.begin(), known.end(), k) == known.end()) rest.push_back(k);
  return rest;
}

Eigen::VectorXd BaseParameters::of(const Eigen::VectorXd& z) const {
  return z(independent) + shares * z(dependent);
}

std::string BaseParameters::name(int i, const std::vector<std::string>& names) const {
  std::string text = names[independent[i]];
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    const double share = shares(i, k);
    if (share == 0.0) continue;
    text += share > 0.0 ? " + " : " - ";
    if (std::abs(std::abs(share) - 1.0) > 1e-9) {
      char digits[32];
      const auto end = std::to_chars(digits, digits + sizeof digits, std::abs(share),
                                     std::chars_format::general, 4);
      text.append(digits, end.ptr) += " ";
    }
    text += names[dependent[k]];
  }
  return text;
}

BaseParameters find_base_parameters(const TorqueModel& model, const std::vector<int>& known) {
  const int n = model.model().nv(), p = model.unknowns(), pi = model.inertial_size(),
            features = model.feature_count();
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero((3 * p / n + 2) * n, p);
  Kinematics<double> at(model.model());
  RegressorWorkspace<double> ws(model.model());
  RowMatX<double> Y(n, pi);
  random_states(
      model.model(), 3 * p, n,
      [&](int s, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
        at.set(q, v, a);
        torque_regressor<double>(at, ws, Y);
        rows.block(s * n, 0, n, pi) = Y;
        // friction by load is no matter of kinematics: any torque does
        const Eigen::MatrixXd X = model.features_of(v, a, a.cwiseAbs2());
        for (int i = 0; i < n; ++i)
          for (int k = 0; k < features; ++k)
            rows(s * n + i, model.at(i, k)) = X(features * i + k, 0);
      });
  std::vector<int> order = proximal_first(model.model());
  for (int c = pi; c < p; ++c) order.push_back(c);
  std::erase_if(order, [&](int c) { return std::count(known.begin(), known.end(), c) > 0; });
  BaseParameters base = sort_out(rows, order);
  base.known = known;
  return base;
}

BaseParameters find_base_parameters(const Model& model, const std::vector<int>& sensor_bodies) {
  const int each = 6 * int(sensor_bodies.size()), p = 10 * model.joint_count();
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero((3 * p / std::max(each, 1) + 2) * each, p);
  Kinematics<double> at(model);
  RegressorWorkspace<double> ws(model);
  RowMatX<double> W(6, p);
  random_states(
      model, 3 * p, each,
      [&](int s, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
        int row = s * each;
        at.set(q, v, a);
        for (const int body : sensor_bodies) {
          wrench_regressor<double>(at, body, ws, W);
          rows.middleRows(row, 6) = W;
          row += 6;
        }
      });
  return sort_out(rows, proximal_first(model));
}

Excitation excitation(const Eigen::MatrixXd& squares) {
  Excitation result;
  const Eigen::Index n = squares.rows();
  Eigen::VectorXd scale = squares.diagonal();
  for (double& x : scale) x = x > 0.0 ? 1.0 / std::sqrt(x) : 0.0;
  const Eigen::MatrixXd scaled = scale.asDiagonal() * squares * scale.asDiagonal();
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled, Eigen::EigenvaluesOnly).eigenvalues();
  result.singular_values = values.cwiseMax(0.0).cwiseSqrt().reverse();
  // squares of singular values: half the digits are gone
  const double floor = 1e-7 * (n > 0 ? result.singular_values(0) : 0.0);
  for (const double s : result.singular_values) {
    if (!(s > floor)) continue;
    ++result.rank;
    result.log_det += 2.0 * std::log(s);
  }
  result.condition = result.rank == n && n > 0
                         ? result.singular_values(0) / result.singular_values(n - 1)
                         : infinity;
  return result;
}

}  // namespace ulna::identify
