#include <cmath>

#include "identify/data/ranges.hpp"
#include "identify/drives/drive_signals.hpp"
#include "identify/messages.hpp"
#include "identify/pipeline.hpp"
#include "ulna/dynamics/spring_force.hpp"

namespace ulna::identify {
namespace {

/// D de/dt = s - K e - H e³ along a piece, from rest: e goes to where s holds it, h, within D/K. Exact where h goes straight from sample to sample.
void follow_springs(const DriveParameters<double>& springs, int c, const Log& log,
                    const Range& piece, Matrix& deflection) {
  double before = 0.0;
  for (Index k = piece.begin; k < piece.end; ++k) {
    const double held = ulna::detail::spring_deflection<double>(springs, c, log.link_tau(c, k)),
                 lag = springs.spring_damping(c) /
                       ulna::detail::spring_slope<double>(springs, c, held);
    deflection(c, k) = held;
    if (k > piece.begin && lag > 0.0) {
      const double time = log.t(k) - log.t(k - 1), behind = lag * (held - before) / time;
      deflection(c, k) -= behind - std::exp(-time / lag) * (deflection(c, k - 1) - before + behind);
    }
    before = held;
  }
}

}  // namespace

void keep_links(const Model& model, Log& log) {
  const DriveTrain& train = model.drives();
  const bool sensed = log.link_tau.size() > 0;
  if (!sensed && !log.link_encoders)
    throw std::runtime_error(
        message(log.file,
                ": identification sample by sample sees the links by the torques of their "
                "springs: give tau_link_<joint>, or positions on both sides, theta_<joint> and "
                "q_<joint>; or identify whole logs"));
  const DriveParameters<double> springs(train);
  Matrix deflection = Matrix::Zero(log.q.rows(), log.q.cols());
  if (log.link_encoders) {
    deflection = log.theta - log.q;
  } else {
    for (const int c : train.elastic)
      for (const Range& piece : pieces_of(log.breaks, log.size()))
        follow_springs(springs, c, log, piece, deflection);
    // velocities are those of the motors, and their deflections' are not known
    log.q = log.theta - deflection, log.v.resize(0, 0), log.a.resize(0, 0);
  }
  const double rate_hz = double(log.size() - 1) / (log.t(log.size() - 1) - log.t(0));
  const Matrix rates = sensed ? Matrix() : rates_of(deflection, log.breaks, rate_hz);
  for (const int c : train.elastic)
    for (Index k = 0; k < log.size(); ++k)
      log.tau(c, k) = sensed ? log.link_tau(c, k)
                             : ulna::detail::spring_force<double>(springs, c, deflection(c, k)) +
                                   springs.spring_damping(c) * rates(c, k);
  log.theta.resize(0, 0), log.omega.resize(0, 0), log.link_tau.resize(0, 0);
  log.link_encoders = true;
}

}  // namespace ulna::identify
