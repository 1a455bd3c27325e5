#include "ulna/identify/choose/effects.hpp"

#include <algorithm>
#include <cmath>

#include "identify/messages.hpp"
#include "ulna/identify/data/filter.hpp"

namespace ulna::identify {

void require_valid(const Effects& effects, int nv) {
  const auto is_size = [](const Found& x) { return std::isfinite(x.value) && x.value >= 0.0; };
  const auto springs = int(effects.compliance.size());
  require(springs == 0 || springs == nv, "Options::effects: there are ", springs,
          " springs' compliances for ", nv, " degrees of freedom");
  require(std::ranges::all_of(effects.compliance, is_size),
          "Options::effects: a compliance must be a number of rad/Nm that is not negative");
  for (const Coupling& c : effects.couplings) {
    const auto exists = [&](int dof) { return dof >= 0 && dof < nv; };
    require(exists(c.motor) && exists(c.joint) && c.motor != c.joint,
            "Options::effects: a motor of degree of freedom ", c.motor,
            " cannot turn with degree of freedom ", c.joint, ": they must be two of 0 .. ", nv - 1);
    require(c.sign == 1 || c.sign == -1, "Options::effects: a motor turns with a joint (1) or ",
            "against it (-1), not by ", c.sign);
    require(is_size(c.rotor) && is_size(c.viscous) && is_size(c.coulomb),
            "Options::effects: rotors and friction of coupled motors must be numbers that are not "
            "negative");
  }
}

CouplingColumns columns_of(const Coupling& coupling, const Piece& piece, double filter_hz,
                           int filter_order) {
  const auto [motor, joint, sign] =
      std::tuple(coupling.motor, coupling.joint, double(coupling.sign));
  // of a motor that turns by s = q_motor + sign q_joint, x s acts on the one and sign x s on the other
  const auto on_both = [&](const Matrix& turned) {
    Matrix torque = Matrix::Zero(piece.q.rows(), piece.size());
    torque.row(motor) = turned;
    torque.row(joint) = sign * turned;
    return torque;
  };
  const auto turned = [&](const Matrix& x) -> Matrix { return x.row(motor) + sign * x.row(joint); };
  Matrix direction = turned(piece.v).cwiseSign();
  if (2.1 * filter_hz < piece.rate_hz)
    zero_phase(LowPass(filter_hz, piece.rate_hz, filter_order), direction);
  return {on_both(turned(piece.a)), on_both(turned(piece.v)), on_both(direction)};
}

void rid_of(const Effects& effects, Prepared& prepared) {
  for (Piece& piece : prepared.pieces) {
    // velocities and accelerations stay: of slow motion, theirs are as small beside them as (motion / resonance)², and derivatives
    // of measured torques would make of their noise what looks like a spring
    for (std::size_t i = 0; i < effects.compliance.size(); ++i)
      piece.q.row(Index(i)) -= effects.compliance[i].value * piece.tau.row(Index(i));
    for (const Coupling& coupling : effects.couplings) {
      const CouplingColumns c =
          columns_of(coupling, piece, prepared.filter_hz, prepared.filter_order);
      piece.tau -= coupling.rotor.value * c.rotor + coupling.viscous.value * c.viscous +
                   coupling.coulomb.value * c.coulomb;
    }
  }
}

std::vector<std::string> Effects::in_words(const Model& model) const {
  const std::vector<std::string> joints = model.velocity_names();
  const auto text = [](const Found& x, double unit = 1.0) {
    const std::string value = number(unit * x.value, 3);
    // what is given is not estimated
    return x.deviation > 0.0 ? message(value, " +- ", number(unit * x.deviation, 2)) : value;
  };
  std::vector<std::string> words;
  if (torque_delay.value != 0.0)
    words.push_back(message("torques are measured ", text(torque_delay, 1e3), " ms late"));
  for (const Coupling& c : couplings)
    words.push_back(message("the motor of joint '", joints[c.motor], "' turns ",
                            c.sign > 0 ? "with" : "against", " joint '", joints[c.joint],
                            "', too: rotor ", text(c.rotor), " kg m², friction ", text(c.viscous),
                            " Nm s/rad and ", text(c.coulomb), " Nm"));
  for (std::size_t i = 0; i < compliance.size(); ++i)
    if (compliance[i].value > 2.0 * compliance[i].deviation)
      words.push_back(message("joint '", joints[i], "' gives way by ", text(compliance[i], 1e6),
                              " µrad per Nm"));
  return words;
}

}  // namespace ulna::identify
