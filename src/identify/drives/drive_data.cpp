#include <Eigen/LU>
#include <algorithm>

#include "identify/data/ranges.hpp"
#include "identify/drives/drive_signals.hpp"
#include "identify/messages.hpp"
#include "ulna/identify/data/filter.hpp"

namespace ulna::identify {

Matrix through_own_gears(const DriveTrain& train) {
  const Index n = Index(train.motor_names.size());
  const Vector own = own_ratios(train);
  Matrix T = Matrix::Zero(n, n);
  for (const auto& [motor, coordinate, ratio] : train.gears)
    T(motor, coordinate) = ratio / own(motor);
  return T;
}

std::vector<DriveUnknown> drive_unknowns(const Model& model, const std::vector<Feature>& features,
                                         const DriveSensors& sensors, bool ratios) {
  using Kind = DriveUnknown::Kind;
  const DriveTrain& train = model.drives();
  const auto has = [&](auto... kinds) {
    return (std::ranges::count(features, kinds) + ... + 0) > 0;
  };
  std::vector<DriveUnknown> all;
  for (int m = 0; m < model.nv(); ++m) {
    if (!train.separate[std::size_t(m)]) continue;
    all.push_back({Kind::rotor, m});
    if (has(Feature::viscous)) all.push_back({Kind::viscous, m});
    if (has(Feature::coulomb, Feature::coulomb_positive, Feature::coulomb_negative))
      all.push_back({Kind::coulomb, m});
    // without a sensor between them, the motor's offset is the joint's
    if (has(Feature::offset) && sensors.torque_sensors && train.stiffness(m) > 0.0)
      all.push_back({Kind::offset, m});
  }
  for (const int c : train.elastic) {
    all.push_back({Kind::stiffness, c});
    all.push_back({Kind::damping, c});
    if (train.hardening(c) > 0.0) all.push_back({Kind::hardening, c});
    if (sensors.link_encoders) all.push_back({Kind::deflection, c});
  }
  if (!ratios) return all;
  for (const DriveTrain::Entry& e : train.gears)
    if (e.motor != e.coordinate) all.push_back({Kind::ratio, e.motor, e.coordinate});
  return all;
}

Matrix rates_of(const Matrix& x, const std::vector<Index>& breaks, double rate_hz) {
  Matrix rates(x.rows(), x.cols());
  for (const Range& piece : pieces_of(breaks, x.cols()))
    rates.middleCols(piece.begin, piece.size()) =
        derivative(x.middleCols(piece.begin, piece.size()), rate_hz);
  return rates;
}

Matrix directions_of(const Matrix& rates, const DriveData& data) {
  const LowPass filter(data.filter_hz, data.rate_hz, data.filter_order);
  Matrix signs = rates.cwiseSign();
  for (const Range& range : pieces_of(data.breaks, signs.cols())) {
    Matrix piece = signs.middleCols(range.begin, range.size());
    zero_phase(filter, piece);
    signs.middleCols(range.begin, range.size()) = piece;
  }
  return signs;
}

void use_samples(DriveData& data) {
  // the ends of filtered signs and of differences of differences are not exact; where links follow from four derivatives of torques, what the filter
  // leaves there of the ends has to fade to 1e-5, as exp(-0.38 2π t cut-off) for the slowest pair of poles of fourth order
  const double hz = data.filter_hz, settled = data.by_motors ? 5.0 : 0.5;
  const auto edge = Index(std::max(20.0, settled * data.rate_hz / hz));
  const auto stride = Index(std::max(1.0, std::floor(data.rate_hz / (8.0 * hz))));
  data.used.clear(), data.used_breaks.clear();
  for (const Range& piece : pieces_of(data.breaks, data.q.cols())) {
    if (piece.size() <= 2 * edge) continue;
    data.used_breaks.push_back(data.size());
    for (Index k = piece.begin + edge; k < piece.end - edge; k += stride) data.used.push_back(k);
  }
  data.correlated = std::max(1.0, data.rate_hz / double(stride) / hz);
}

DriveData gather_drives(const TorqueModel& model, const Prepared& prepared) {
  const DriveTrain& train = model.model().drives();
  const bool elastic = !train.elastic.empty();
  const Matrix to_motors = through_own_gears(train).transpose().inverse();
  DriveData all;
  all.filter_hz = prepared.filter_hz, all.filter_order = prepared.filter_order;
  const auto append = [](Matrix& to, const Matrix& from) {
    to.conservativeResize(from.rows(), to.cols() + from.cols());
    to.rightCols(from.cols()) = from;
  };
  for (const Piece& piece : prepared.pieces) {
    const DriveSensors sensors{elastic && piece.link_encoders,
                               elastic && piece.link_tau.size() > 0};
    if (all.q.size() == 0) all.sensors = sensors, all.rate_hz = piece.rate_hz;
    all.by_motors = elastic && !sensors.link_encoders;
    require(sensors.link_encoders == all.sensors.link_encoders &&
                sensors.torque_sensors == all.sensors.torque_sensors &&
                std::abs(piece.rate_hz - all.rate_hz) < 1e-6 * all.rate_hz,
            "identification: logs differ in their sensors or rates; give logs of one kind");
    all.breaks.push_back(all.q.cols());
    const bool has_motors = piece.theta.size() > 0;
    append(all.q, piece.q), append(all.v, piece.v), append(all.a, piece.a);
    append(all.theta, has_motors ? piece.theta : piece.q),
        append(all.omega, has_motors ? piece.omega : piece.v);
    append(all.alpha, has_motors ? piece.alpha : piece.a);
    append(all.tau, to_motors * piece.tau);
    append(all.direction, piece.direction);
    if (sensors.torque_sensors) append(all.link_tau, piece.link_tau);
  }
  use_samples(all);
  return all;
}

Matrix measured_torques(const DriveData& data) { return data.tau(Eigen::all, data.used); }

BaseParameters drive_base_parameters(const TorqueModel& model) {
  // a rotor behind a spring is not its link's
  std::vector<int> known;
  for (int k = 0; k < model.feature_count(); ++k)
    if (model.features()[k] == Feature::armature)
      for (const int c : model.model().drives().elastic) known.push_back(model.at(c, k));
  const TorqueModel links(model.model(), model.features());
  BaseParameters base = find_base_parameters(links, known);
  const auto more = Index(model.drives().size());
  base.unknowns = model.unknowns();
  for (int k = 0; k < more; ++k) base.independent.push_back(model.drive_at(k));
  base.shares.conservativeResize(base.size(), base.shares.cols());
  base.shares.bottomRows(more).setZero();
  return base;
}

}  // namespace ulna::identify
