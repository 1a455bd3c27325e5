#include "ulna/rig/wired_rig.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "num/message.hpp"

namespace ulna::rig {

using messages::require;

Wiring::Wiring(int joints)
    : reading(std::size_t(joints)),
      command(reading),
      position(Vector::Ones(joints)),
      velocity(position),
      torque(position),
      drive(position) {
  std::iota(reading.begin(), reading.end(), 0);
  command = reading;
}

bool Wiring::is_plain() const {
  const Wiring plain(int(position.size()));
  return reading == plain.reading && command == plain.command && position == plain.position &&
         velocity == plain.velocity && torque == plain.torque && drive == plain.drive;
}

Wiring Wiring::inverse() const {
  Wiring other(int(position.size()));
  for (std::size_t i = 0; i < reading.size(); ++i) {
    const auto at = Eigen::Index(i);
    const auto read = reading[i], driven = command[i];
    other.reading[std::size_t(read)] = int(i), other.command[std::size_t(driven)] = int(i);
    other.position(read) = 1.0 / position(at), other.velocity(read) = 1.0 / velocity(at);
    other.torque(read) = 1.0 / torque(at), other.drive(driven) = 1.0 / drive(at);
  }
  return other;
}

Wiring combined(const Wiring& inner, const Wiring& outer) {
  Wiring w = outer;
  for (std::size_t i = 0; i < w.reading.size(); ++i) {
    const auto at = Eigen::Index(i);
    const int read = outer.reading[i], driven = outer.command[i];
    w.reading[i] = inner.reading[std::size_t(read)],
    w.command[i] = inner.command[std::size_t(driven)];
    w.position(at) *= inner.position(read), w.velocity(at) *= inner.velocity(read);
    w.torque(at) *= inner.torque(read), w.drive(at) *= inner.drive(driven);
  }
  return w;
}

namespace {

void check_wiring(const Model& model, const Wiring& w) {
  require(model.nq() == model.nv(), "robot '", model.name(),
          "' has joints of several coordinates, which cannot be wired");
  for (const std::vector<int>* order : {&w.reading, &w.command}) {
    std::vector<int> sorted = *order, all(std::size_t(model.nv()));
    std::ranges::sort(sorted);
    std::iota(all.begin(), all.end(), 0);
    require(sorted == all, "wiring: the order of numbers is none of 0 to ", model.nv() - 1,
            ", each once");
  }
  for (const Eigen::VectorXd* scale : {&w.position, &w.velocity, &w.torque, &w.drive})
    require(scale->size() == model.nv() && scale->allFinite() && (scale->array() != 0.0).all(),
            "wiring: it needs ", model.nv(), " scales of each kind that are finite and not 0");
}

}  // namespace

WiredRig::WiredRig(Rig& rig, Wiring wiring)
    : rig_(rig), wiring_(std::move(wiring)), inner_(rig.model()), tau_(inner_.tau) {
  check_wiring(rig.model(), wiring_);
}

bool WiredRig::read(Reading& reading) noexcept {
  if (!rig_.read(inner_)) return false;
  reading.time = inner_.time, reading.fresh = inner_.fresh;
  for (Eigen::Index i = 0; i < tau_.size(); ++i) {
    const int from = wiring_.reading[std::size_t(i)];
    reading.q(i) = wiring_.position(i) * inner_.q(from);
    reading.v(i) = wiring_.velocity(i) * inner_.v(from);
    reading.tau(i) = wiring_.torque(i) * inner_.tau(from);
  }
  return true;
}

bool WiredRig::write(const Eigen::Ref<const Vector>& tau) noexcept {
  if (tau.size() != tau_.size()) return false;
  for (Eigen::Index i = 0; i < tau.size(); ++i)
    tau_(wiring_.command[std::size_t(i)]) = wiring_.drive(i) * tau(i);
  return rig_.write(tau_);
}

}  // namespace ulna::rig
