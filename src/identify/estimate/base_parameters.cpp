#include "ulna/identify/estimate/base_parameters.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <random>

#include "identify/messages.hpp"

namespace ulna::identify {
namespace {

/// In this order a body's parameters are tried whether they add anything: first those that robots
/// usually keep, last those that usually pass to the body before.
constexpr int within_body[] = {4, 5, 6, 8, 9, 1, 2, 3, 7, 0};

/// Columns in an order, each kept if it adds a direction to those kept before it.
BaseParameters sort_out(const Matrix& rows, const std::vector<int>& order) {
  BaseParameters base;
  base.unknowns = int(rows.cols());
  const Vector length = rows.colwise().norm();
  const double longest = length.maxCoeff();
  // by modified Gram-Schmidt, twice, which is as good as Householder's
  Matrix Q(rows.rows(), rows.cols());
  int rank = 0;
  for (const int c : order) {
    if (!(length(c) > 1e-12 * longest)) {
      base.idle.push_back(c);
      continue;
    }
    Vector x = rows.col(c) / length(c);
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
  const auto columns = [&](const std::vector<int>& which) -> Matrix {
    return rows(Eigen::all, which);
  };
  base.shares = Matrix::Zero(rank, Index(base.dependent.size()));
  if (rank > 0 && !base.dependent.empty()) {
    base.shares = columns(base.independent).householderQr().solve(columns(base.dependent));
    for (Index i = 0; i < base.shares.rows(); ++i)
      for (Index k = 0; k < base.shares.cols(); ++k) {
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

/// A random state: as fast as gravity is strong, so that no part of the equation is small beside another.
struct RandomState {
  RandomState(const Model& model, LoopCoordinates* loops) : loops_(loops), at(model) {}

  void next(std::mt19937_64& random) {
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    const Model& model = at.model();
    const auto fast = [&](int n, double most) {
      Vector x(n);
      for (double& one : x) one = most * unit(random);
      return x;
    };
    Vector q = random_configuration(model, random);
    if (!loops_) {
      // one after the other, joint by joint
      Vector v(model.nv()), a(model.nv());
      for (int i = 0; i < model.nv(); ++i) v(i) = 3.0 * unit(random), a(i) = 10.0 * unit(random);
      return at.set(q, v, a);
    }
    // not every configuration has a closed one near it
    for (int trial = 0; trial < 100 && !loops_->loops().close(q); ++trial)
      q = trial < 99 ? random_configuration(model, random) : loops_->loops().closed_at();
    loops_->set(q);
    const int free = int(loops_->independent().size());
    Vector v(model.nv()), a(model.nv());
    loops_->move(fast(free, 3.0), fast(free, 10.0), v, a);
    at.set(q, v, a);
  }

 private:
  LoopCoordinates* loops_;

 public:
  Kinematics<double> at;
};

/// Regressors of random states, three rows per column: write(at, ws, rows) sets `each` of them.
template <class Write>
Matrix random_rows(const Model& model, LoopCoordinates* loops, int each, int columns, Write write) {
  std::mt19937_64 random(1);
  const int equations = loops ? int(loops->independent().size()) : each,
            count = 3 * columns / std::max(equations, 1) + 2;
  RowMatX<double> rows(count * each, columns);
  RandomState state(model, loops);
  RegressorWorkspace<double> ws(model);
  for (int s = 0; s < count; ++s) {
    state.next(random);
    write(state.at, ws, rows.middleRows(s * each, each));
  }
  return rows;
}

}  // namespace

Vector BaseParameters::of(const Vector& z) const { return z(independent) + shares * z(dependent); }

Matrix BaseParameters::map() const {
  Matrix m = Matrix::Zero(size(), unknowns);
  m(Eigen::all, independent).setIdentity();
  m(Eigen::all, dependent) = shares;
  return m;
}

std::vector<int> BaseParameters::free() const {
  std::vector<int> rest;
  for (int k = 0; k < unknowns; ++k)
    if (!std::ranges::count(known, k)) rest.push_back(k);
  return rest;
}

std::string BaseParameters::name(int i, const std::vector<std::string>& names) const {
  std::string text = names[independent[i]];
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    const double share = shares(i, k);
    if (share == 0.0) continue;
    text += share > 0.0 ? " + " : " - ";
    if (std::abs(std::abs(share) - 1.0) > 1e-9) text += number(std::abs(share)) + " ";
    text += names[dependent[k]];
  }
  return text;
}

BaseParameters find_base_parameters(const TorqueModel& model, const std::vector<int>& known) {
  // friction by load is no matter of kinematics: any torque does
  std::optional<LoopCoordinates> loops = model.loops();
  const Matrix rows =
      random_rows(model.model(), loops ? &*loops : nullptr, model.model().nv(), model.unknowns(),
                  [&](auto& at, auto& ws, auto state) {
                    model.regressor(at, ws, at.a().cwiseAbs2(), at.v().cwiseSign(), state);
                    if (!loops) return;
                    Matrix closed = state;
                    loops->reduce(closed);
                    // near a dead centre the others move much faster than what moves them: all states count alike
                    for (std::size_t k = 0; k < loops->independent().size(); ++k)
                      closed.row(loops->independent()[k]) /= loops->N().col(Index(k)).norm();
                    state = closed;
                  });
  std::vector<int> order = proximal_first(model.model());
  for (int c = model.inertial_size(); c < model.unknowns(); ++c) order.push_back(c);
  std::erase_if(order, [&](int c) { return std::ranges::count(known, c) > 0; });
  BaseParameters base = sort_out(rows, order);
  base.known = known;
  return base;
}

BaseParameters find_base_parameters(const Model& model, const std::vector<int>& sensor_bodies) {
  const int sensors = int(sensor_bodies.size());
  const Matrix rows = random_rows(
      model, nullptr, 6 * sensors, 10 * model.joint_count(), [&](auto& at, auto& ws, auto state) {
        for (int k = 0; k < sensors; ++k)
          wrench_regressor<double>(at, sensor_bodies[k], ws, state.middleRows(6 * k, 6));
      });
  return sort_out(rows, proximal_first(model));
}

Excitation excitation(const Matrix& squares) {
  Excitation result;
  const Index n = squares.rows();
  Vector scale = squares.diagonal();
  for (double& x : scale) x = x > 0.0 ? 1.0 / std::sqrt(x) : 0.0;
  const Matrix scaled = scale.asDiagonal() * squares * scale.asDiagonal();
  const Vector values =
      Eigen::SelfAdjointEigenSolver<Matrix>(scaled, Eigen::EigenvaluesOnly).eigenvalues();
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
