#include "identify/drives/drive_problem.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "ulna/derivatives/derivatives.hpp"

namespace ulna::identify {
namespace {

using Kind = DriveUnknown::Kind;
constexpr int kinds = int(Kind::ratio) + 1;

bool is_motors(Kind kind) { return kind <= Kind::offset; }

}  // namespace

DriveProblem::DriveProblem(const TorqueModel& model, const DriveData& data)
    : model_(model),
      data_(data),
      train_(model.model().drives()),
      sensed_(std::size_t(model.model().nv()), false),
      by_motors_(data.by_motors),
      known_rotor_(Vector::Zero(model.model().nv())),
      places_(Matrix::Constant(kinds, model.model().nv(), -1.0)) {
  for (std::size_t k = 0; k < model.drives().size(); ++k) {
    const DriveUnknown& u = model.drives()[k];
    if (u.kind != Kind::ratio) places_(int(u.kind), u.at) = model.drive_at(int(k));
  }
  for (const int c : train_.elastic) {
    sensed_[std::size_t(c)] = data.sensors.torque_sensors;
    if (std::ranges::count(train_.gears, c, &DriveTrain::Entry::motor) > 1)
      known_rotor_(c) = train_.rotor(c);
  }
  use_rows();
}

int DriveProblem::place(Kind kind, int at) const { return int(places_(int(kind), at)); }

/// Whether an equation depends on an unknown of drives.
bool DriveProblem::depends(const Row& row, const DriveUnknown& u) const {
  const bool sensors = data_.sensors.torque_sensors;
  const auto connected = [&](int motor, int coordinate) {
    return std::ranges::any_of(train_.gears, [&](const DriveTrain::Entry& e) {
      return e.motor == motor && e.coordinate == coordinate;
    });
  };
  switch (row.of) {
    case Of::spring:
      if (is_motors(u.kind)) return !sensors && connected(u.at, row.at);
      return u.kind != Kind::ratio && u.at == row.at;
    case Of::link:
      return by_motors_ && !is_motors(u.kind) && u.kind != Kind::ratio &&
             u.kind != Kind::deflection;
    case Of::motor:
      if (is_motors(u.kind)) return u.at == row.at || (by_motors_ && !sensors);
      if (u.kind == Kind::ratio) return true;
      return by_motors_ && u.kind != Kind::deflection;
  }
  return false;
}

void DriveProblem::use_rows() {
  const int n = model_.model().nv();
  const Matrix to_motors = through_own_gears(train_).transpose().inverse();
  const auto add = [&](Of of, int at, bool links) {
    Row row{of, at, {}};
    if (links)
      for (int k = 0; k < model_.drive_at(0); ++k) row.columns.push_back(k);
    for (std::size_t k = 0; k < model_.drives().size(); ++k)
      if (depends(row, model_.drives()[k]) &&
          (links || of == Of::spring || is_motors(model_.drives()[k].kind) ||
           model_.drives()[k].kind == Kind::ratio))
        row.columns.push_back(model_.drive_at(int(k)));
    rows_.push_back(std::move(row));
  };
  for (int m = 0; m < n; ++m) {
    bool links = false;
    for (int c = 0; c < n; ++c) links |= !sensed_[std::size_t(c)] && to_motors(m, c) != 0.0;
    add(Of::motor, m, links);
  }
  for (const int c : train_.elastic)
    if (sensed_[std::size_t(c)]) add(Of::link, c, true);
  if (data_.sensors.link_encoders)
    for (const int c : train_.elastic) add(Of::spring, c, false);
}

Vector DriveProblem::inner(const Vector& z) const {
  Vector x = z;
  const Vector own = own_ratios(train_);
  for (std::size_t k = 0; k < model_.drives().size(); ++k) {
    const DriveUnknown& u = model_.drives()[k];
    double& value = x(model_.drive_at(int(k)));
    const double K = place(Kind::stiffness, u.at) >= 0 ? z(place(Kind::stiffness, u.at)) : 1.0;
    if (u.kind == Kind::stiffness) value = 1.0 / K;
    if (u.kind == Kind::damping) value /= K * K;
    if (u.kind == Kind::hardening) value /= K * K * K * K;
    if (u.kind == Kind::ratio) value /= own(u.at);
  }
  return x;
}

Vector DriveProblem::outer(const Vector& x) const {
  Vector z = x;
  const Vector own = own_ratios(train_);
  for (std::size_t k = 0; k < model_.drives().size(); ++k) {
    const DriveUnknown& u = model_.drives()[k];
    double& value = z(model_.drive_at(int(k)));
    const double c = place(Kind::stiffness, u.at) >= 0 ? x(place(Kind::stiffness, u.at)) : 1.0;
    if (u.kind == Kind::stiffness) value = 1.0 / c;
    if (u.kind == Kind::damping) value /= c * c;
    if (u.kind == Kind::hardening) value /= c * c * c * c;
    if (u.kind == Kind::ratio) value *= own(u.at);
  }
  return z;
}

Matrix DriveProblem::slopes(const Vector& x) const {
  Matrix J = Matrix::Identity(x.size(), x.size());
  const Vector own = own_ratios(train_);
  for (std::size_t k = 0; k < model_.drives().size(); ++k) {
    const DriveUnknown& u = model_.drives()[k];
    const int at = model_.drive_at(int(k)), spring = place(Kind::stiffness, u.at);
    if (u.kind == Kind::ratio) J(at, at) = own(u.at);
    if (is_motors(u.kind) || spring < 0) continue;
    const double c = x(spring);
    if (u.kind == Kind::stiffness) J(at, at) = -1.0 / (c * c);
    const double power = u.kind == Kind::damping ? 2.0 : u.kind == Kind::hardening ? 4.0 : 0.0;
    if (power == 0.0) continue;
    J(at, at) = std::pow(c, -power);
    J(at, spring) = -power * x(at) * std::pow(c, -power - 1.0);
  }
  return J;
}

DriveProblem::Numbers DriveProblem::numbers(const Vector& x) const {
  const int n = model_.model().nv();
  const auto of = [&](Kind kind) {
    Vector values = Vector::Zero(n);
    for (int i = 0; i < n; ++i)
      if (const int at = place(kind, i); at >= 0) values(i) = x(at);
    return values;
  };
  Numbers all{of(Kind::stiffness),  of(Kind::damping), of(Kind::hardening),
              of(Kind::deflection), of(Kind::rotor),   of(Kind::viscous),
              of(Kind::coulomb),    of(Kind::offset),  through_own_gears(train_)};
  for (std::size_t k = 0; k < model_.drives().size(); ++k)
    if (const DriveUnknown& u = model_.drives()[k]; u.kind == Kind::ratio)
      all.T(u.at, u.coordinate) = x(model_.drive_at(int(k)));
  return all;
}

DriveProblem::Signals DriveProblem::signals(const Numbers& x) const {
  Signals is;
  is.T = x.T, is.to_motors = x.T.transpose().inverse();
  is.phi1 = x.T * data_.omega, is.phi2 = x.T * data_.alpha;
  is.direction = directions_of(is.phi1, data_);
  is.own = x.rotor.asDiagonal() * is.phi2 + x.viscous.asDiagonal() * is.phi1 +
           x.coulomb.asDiagonal() * is.direction;
  is.own.colwise() += x.offset;
  is.q = data_.q, is.v = data_.v, is.a = data_.a;
  if (train_.elastic.empty()) return is;
  is.s[0] = data_.sensors.torque_sensors ? data_.link_tau
                                         : Matrix(x.T.transpose() * (data_.tau - is.own) -
                                                  known_rotor_.asDiagonal() * data_.alpha);
  for (int k = 1; k < 6; ++k) is.s[k] = rates_of(is.s[k - 1], data_.breaks, data_.rate_hz);
  is.e = Matrix::Zero(is.q.rows(), is.q.cols());
  for (const int c : train_.elastic) {
    // e + (λ/κ) e' = κ s - η s³: to third order in the lag λ/κ, and to none in what both do together
    const double k = x.compliance(c), h = x.hardening(c), lag = k > 0.0 ? x.lag(c) / k : 0.0;
    const auto s = [&](int d) { return is.s[d].row(c).array(); };
    const auto slow = [&](int d) {
      return k * (s(d) - lag * (s(d + 1) - lag * (s(d + 2) - lag * s(d + 3))));
    };
    const Eigen::ArrayXd e0 = slow(0) - h * s(0).cube(),
                         e1 = slow(1) - 3.0 * h * s(0).square() * s(1),
                         e2 = slow(2) -
                              h * (6.0 * s(0) * s(1).square() + 3.0 * s(0).square() * s(2));
    is.e.row(c) = e0.matrix();
    if (!by_motors_) continue;
    is.q.row(c) = data_.theta.row(c) - e0.matrix().transpose();
    is.v.row(c) = data_.omega.row(c) - e1.matrix().transpose();
    is.a.row(c) = data_.alpha.row(c) - e2.matrix().transpose();
  }
  return is;
}

double DriveProblem::measured(const Row& row, Index k) const {
  switch (row.of) {
    case Of::motor:
      return data_.tau(row.at, k);
    case Of::link:
      return data_.link_tau(row.at, k);
    case Of::spring:
      return data_.theta(row.at, k) - data_.q(row.at, k);
  }
  return 0.0;
}

/// Equations of one sample: what x predicts of each channel, and how that depends on the unknowns.
class DriveProblem::Writer {
 public:
  Writer(const DriveProblem& problem, const Vector& x, bool with_slopes)
      : p_(problem),
        x_(x),
        numbers_(problem.numbers(x)),
        is_(problem.signals(numbers_)),
        with_slopes_(with_slopes),
        plant_(robot()),
        state_(robot()),
        ws_(robot()),
        slopes_ws_(robot()),
        slopes_(robot()),
        Y_(robot().nv(), p_.model_.inertial_size()),
        links_(Matrix::Zero(robot().nv(), p_.model_.unknowns())),
        row_(Vector::Zero(p_.model_.unknowns())) {
    p_.model_.set(p_.outer(x_), plant_);
    if (!with_slopes) return;
    // how signs change with ratios: those of single samples jump, filtered ones of all nearly do not
    for (const DriveUnknown& u : p_.model_.drives()) {
      if (u.kind != Kind::ratio) continue;
      constexpr double step = 0.02;
      const Matrix rate = is_.phi1.row(u.at), other = p_.data_.omega.row(u.coordinate);
      turned_.push_back((directions_of(rate + step * other, p_.data_) -
                         directions_of(rate - step * other, p_.data_)) /
                        (2.0 * step));
    }
    // derivatives in time of what motors' own torques are made of
    if (p_.by_motors_ && !p_.data_.sensors.torque_sensors)
      for (const Kind kind : {Kind::rotor, Kind::viscous, Kind::coulomb}) {
        auto& signal = own_[int(kind)];
        signal[0] = kind == Kind::rotor     ? is_.phi2
                    : kind == Kind::viscous ? is_.phi1
                                            : is_.direction;
        for (int d = 1; d < 4; ++d)
          signal[d] = rates_of(signal[d - 1], p_.data_.breaks, p_.data_.rate_hz);
      }
  }

  void set(Index k) {
    k_ = k;
    const TorqueModel& model = p_.model_;
    state_.set(is_.q.col(k), is_.v.col(k), is_.a.col(k));
    torque_regressor<double>(state_, ws_, Y_);
    links_.setZero();
    links_.leftCols(Y_.cols()) = Y_;
    for (int i = 0; i < robot().nv(); ++i)
      for (int f = 0; f < model.feature_count(); ++f)
        links_(i, model.at(i, f)) = feature_of(model.features()[f], state_.v()(i), state_.a()(i),
                                               0.0, p_.data_.direction(i, k));
    torque_ = links_ * x_;
    if (with_slopes_ && p_.by_motors_) add_deflections();
    // what motors have to bear: measured behind springs, or that of the links
    load_ = torque_ + p_.known_rotor_.cwiseProduct(p_.data_.alpha.col(k));
    for (const int c : p_.train_.elastic)
      if (p_.sensed_[std::size_t(c)]) load_(c) += p_.data_.link_tau(c, k) - torque_(c);
    motors_ = is_.to_motors * load_ + is_.own.col(k);
  }

  double predicted(const Row& row) const {
    switch (row.of) {
      case Of::motor:
        return motors_(row.at);
      case Of::link:
        return torque_(row.at);
      case Of::spring:
        return is_.e(row.at, k_) + numbers_.deflection(row.at);
    }
    return 0.0;
  }
  /// Torques of the motors with those of the links that x predicts, whatever was measured of them.
  Vector motors() const {
    return is_.to_motors * (torque_ + p_.known_rotor_.cwiseProduct(p_.data_.alpha.col(k_))).eval() +
           is_.own.col(k_);
  }

  const Vector& slopes(const Row& row) {
    row_.setZero();
    if (row.of == Of::link) {
      row_ = links_.row(row.at);
    } else if (row.of == Of::motor) {
      for (int c = 0; c < robot().nv(); ++c)
        if (!p_.sensed_[std::size_t(c)] && is_.to_motors(row.at, c) != 0.0)
          row_ += is_.to_motors(row.at, c) * links_.row(c).transpose();
      add_own(row.at);
      add_ratios(row.at);
    } else {
      add_spring(row.at);
    }
    return row_;
  }

 private:
  const Model& robot() const { return p_.model_.model(); }
  double s(int c, int d) const { return is_.s[d](c, k_); }
  void add(Kind kind, int at, double value) {
    if (const int to = p_.place(kind, at); to >= 0) row_(to) += value;
  }
  /// What the torque of a motor has of a kind of its unknowns.
  double own(Kind kind, int m) const {
    return kind == Kind::rotor     ? is_.phi2(m, k_)
           : kind == Kind::viscous ? is_.phi1(m, k_)
           : kind == Kind::coulomb ? is_.direction(m, k_)
                                   : 1.0;
  }

  void add_own(int m) {
    for (const Kind kind : {Kind::rotor, Kind::viscous, Kind::coulomb, Kind::offset})
      add(kind, m, own(kind, m));
  }

  /// N'tau = load + N'own: d tau = N^-T dN'(own - tau) + d own, all through own gears.
  void add_ratios(int m) {
    auto turned = turned_.begin();
    for (std::size_t k = 0; k < p_.model_.drives().size(); ++k) {
      const DriveUnknown& u = p_.model_.drives()[k];
      if (u.kind != Kind::ratio) continue;
      const Eigen::RowVectorXd& signs = *turned++;
      double& to = row_(p_.model_.drive_at(int(k)));
      to += is_.to_motors(m, u.coordinate) * (is_.own(u.at, k_) - motors_(u.at));
      if (u.at == m)
        to += numbers_.rotor(m) * p_.data_.alpha(u.coordinate, k_) +
              numbers_.viscous(m) * p_.data_.omega(u.coordinate, k_) +
              numbers_.coulomb(m) * signs(k_);
    }
  }

  /// The slopes of a deflection by compliance, lag and hardening, d times derived in time.
  struct ByNumbers {
    double compliance, lag, hardening;
  };
  ByNumbers by_numbers(int c, int d) const {
    const double k = numbers_.compliance(c), r = k > 0.0 ? numbers_.lag(c) / k : 0.0;
    const double cube = d == 0 ? std::pow(s(c, 0), 3)
                        : d == 1
                            ? 3.0 * s(c, 0) * s(c, 0) * s(c, 1)
                            : 6.0 * s(c, 0) * s(c, 1) * s(c, 1) + 3.0 * s(c, 0) * s(c, 0) * s(c, 2);
    return {s(c, d) - r * r * s(c, d + 2), -s(c, d + 1) + 2.0 * r * s(c, d + 2), -cube};
  }

  void add_spring(int c) {
    const ByNumbers by = by_numbers(c, 0);
    add(Kind::stiffness, c, by.compliance), add(Kind::damping, c, by.lag);
    add(Kind::hardening, c, by.hardening), add(Kind::deflection, c, 1.0);
    if (p_.data_.sensors.torque_sensors) return;
    // s = N'(tau - own); that own changes in time matters for the lag alone
    for (int m = 0; m < robot().nv(); ++m)
      if (const double share = is_.T(m, c); share != 0.0)
        for (const Kind kind : {Kind::rotor, Kind::viscous, Kind::coulomb})
          add(kind, m, -numbers_.compliance(c) * share * own(kind, m));
  }

  /// Links are where springs leave them: q = theta - e.
  void add_deflections() {
    inverse_dynamics_derivatives<double>(plant_, state_, slopes_ws_, slopes_);
    const auto add_column = [&](Kind kind, int at, const auto& change) {
      const int to = p_.place(kind, at);
      if (to < 0) return;
      for (const auto& [c, e0, e1, e2] : change)
        links_.col(to) -= slopes_.dq.col(c) * e0 + slopes_.dv.col(c) * e1 + slopes_.da.col(c) * e2;
    };
    struct Change {
      int c;
      double e0, e1, e2;
    };
    for (const int c : p_.train_.elastic) {
      const ByNumbers by[3] = {by_numbers(c, 0), by_numbers(c, 1), by_numbers(c, 2)};
      add_column(Kind::stiffness, c,
                 std::array{Change{c, by[0].compliance, by[1].compliance, by[2].compliance}});
      add_column(Kind::damping, c, std::array{Change{c, by[0].lag, by[1].lag, by[2].lag}});
      add_column(Kind::hardening, c,
                 std::array{Change{c, by[0].hardening, by[1].hardening, by[2].hardening}});
    }
    if (p_.data_.sensors.torque_sensors) return;
    for (const Kind kind : {Kind::rotor, Kind::viscous, Kind::coulomb})
      for (int m = 0; m < robot().nv(); ++m) {
        std::vector<Change> change;
        for (const int c : p_.train_.elastic) {
          const double share = -is_.T(m, c), k = share * numbers_.compliance(c),
                       l = share * numbers_.lag(c);
          if (share == 0.0) continue;
          const auto x = [&](int d) { return own_[int(kind)][d](m, k_); };
          change.push_back({c, k * x(0) - l * x(1), k * x(1) - l * x(2), k * x(2) - l * x(3)});
        }
        add_column(kind, m, change);
      }
  }

  const DriveProblem& p_;
  const Vector& x_;
  Numbers numbers_;
  Signals is_;
  bool with_slopes_;
  Plant<double> plant_;
  Kinematics<double> state_;
  RegressorWorkspace<double> ws_;
  DerivativeWorkspace<double> slopes_ws_;
  InverseDynamicsDerivatives<double> slopes_;
  RowMatX<double> Y_;
  Matrix links_;  ///< slopes of the torques of the links
  Vector torque_, load_, motors_, row_;
  std::vector<Eigen::RowVectorXd> turned_;  ///< change of signs by each ratio
  Matrix own_[3][4];                        ///< signals of motors' own torques, and derivatives
  Index k_ = 0;
};

DriveProblem::Linear DriveProblem::at(const Vector& x) const {
  constexpr Index block = 128;
  Linear linear;
  linear.errors.resize(channels(), data_.size());
  std::vector<Matrix> J(rows_.size());
  std::vector<Vector> y(rows_.size());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto n = Index(rows_[r].columns.size());
    linear.sums.push_back({Matrix::Zero(n, n), Vector::Zero(n), 0.0});
    J[r].resize(n, block), y[r].resize(block);
  }
  Writer writer(*this, x, true);
  for (Index begin = 0; begin < data_.size(); begin += block) {
    const Index count = std::min(block, data_.size() - begin);
    for (Index i = 0; i < count; ++i) {
      const Index k = data_.used[std::size_t(begin + i)];
      writer.set(k);
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const double error = measured(rows_[r], k) - writer.predicted(rows_[r]);
        linear.errors(Index(r), begin + i) = error;
        J[r].col(i) = writer.slopes(rows_[r])(rows_[r].columns);
        y[r](i) = error + J[r].col(i).dot(x(rows_[r].columns));
      }
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto some = J[r].leftCols(count);
      linear.sums[r].G.selfadjointView<Eigen::Lower>().rankUpdate(some);
      linear.sums[r].g.noalias() += some * y[r].head(count);
      linear.sums[r].size += y[r].head(count).squaredNorm();
    }
  }
  for (Sums& sums : linear.sums) sums.G = Matrix(sums.G.selfadjointView<Eigen::Lower>());
  return linear;
}

Sums DriveProblem::weighted(const Linear& linear, const Vector& weights) const {
  const Index n = model_.unknowns();
  Sums all{Matrix::Zero(n, n), Vector::Zero(n), 0.0};
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::vector<int>& columns = rows_[r].columns;
    const double w = weights(Index(r));
    all.G(columns, columns) += w * linear.sums[r].G;
    all.g(columns) += w * linear.sums[r].g;
    all.size += w * linear.sums[r].size;
  }
  return all;
}

Matrix DriveProblem::scores(const Vector& x, const Vector& weights) const {
  Matrix all = Matrix::Zero(model_.unknowns(), data_.size());
  Writer writer(*this, x, true);
  for (Index i = 0; i < data_.size(); ++i) {
    const Index k = data_.used[std::size_t(i)];
    writer.set(k);
    for (std::size_t r = 0; r < rows_.size(); ++r)
      all.col(i) += weights(Index(r)) * (measured(rows_[r], k) - writer.predicted(rows_[r])) *
                    writer.slopes(rows_[r]);
  }
  return all;
}

Matrix DriveProblem::motor_torques(const Vector& x) const {
  Matrix tau(model_.model().nv(), data_.size());
  Writer writer(*this, x, false);
  for (Index i = 0; i < data_.size(); ++i) {
    writer.set(data_.used[std::size_t(i)]);
    tau.col(i) = writer.motors();
  }
  return tau;
}

Vector DriveProblem::typical() const {
  Vector sums = Vector::Zero(channels());
  for (const Index k : data_.used)
    for (std::size_t r = 0; r < rows_.size(); ++r)
      sums(Index(r)) += std::pow(measured(rows_[r], k), 2);
  return (sums / std::max(1.0, double(data_.size()))).cwiseSqrt();
}

}  // namespace ulna::identify
