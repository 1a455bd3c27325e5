#include "identify/drives/drive_numbers.hpp"

#include <algorithm>

#include "identify/messages.hpp"

namespace ulna::identify {

Vector own_ratios(const DriveTrain& train) {
  Vector ratios = Vector::Ones(Index(train.motor_names.size()));
  for (const auto& [motor, coordinate, ratio] : train.gears)
    if (motor == coordinate) ratios(motor) = ratio;
  return ratios;
}

namespace detail {
namespace {

using Kind = DriveUnknown::Kind;

/// In the order of the enumerators.
struct KindRow {
  std::string_view name, unit;
};
constexpr KindRow kind_table[] = {
    {"rotor", "kg m²"},       {"motor_viscous", "Nm s/rad"}, {"motor_coulomb", "Nm"},
    {"motor_offset", "Nm"},   {"stiffness", "Nm/rad"},       {"spring_damping", "Nm s/rad"},
    {"hardening", "Nm/rad³"}, {"deflection", "rad"},         {"ratio", ""},
};

bool is_of_spring(Kind kind) { return kind >= Kind::stiffness && kind <= Kind::deflection; }

/// The gear of a motor that moves one coordinate, which has a spring: its rotor may be given at the joint too.
bool is_alone(const DriveTrain& train, int motor) {
  return std::ranges::count(train.gears, motor, &DriveTrain::Entry::motor) == 1;
}

double ratio_of(const DriveTrain& train, int motor, int coordinate) {
  for (const DriveTrain::Entry& e : train.gears)
    if (e.motor == motor && e.coordinate == coordinate) return e.ratio;
  return 0.0;
}

}  // namespace

std::string name_of(const Model& model, const DriveUnknown& u) {
  const std::vector<std::string> joints = model.velocity_names();
  const std::string& of = is_of_spring(u.kind) ? joints[u.at] : model.drives().motor_names[u.at];
  const std::string name = message(of, ".", kind_table[int(u.kind)].name);
  return u.kind == Kind::ratio ? message(name, "_", joints[u.coordinate]) : name;
}

std::string_view unit_of(const DriveUnknown& u) { return kind_table[int(u.kind)].unit; }

double described(const Model& model, const DriveUnknown& u) {
  const DriveTrain& train = model.drives();
  const double own = own_ratios(train)(u.at);
  switch (u.kind) {
    case Kind::rotor:
      return own * own * train.inertia(u.at) + (is_alone(train, u.at) ? train.rotor(u.at) : 0.0);
    case Kind::viscous:
      return own * own * train.damping(u.at);
    case Kind::coulomb:
      return 0.5 * std::abs(own) * (train.friction(u.at) + train.friction_negative(u.at));
    case Kind::stiffness:
      return train.stiffness(u.at);
    case Kind::damping:
      return train.spring_damping(u.at);
    case Kind::hardening:
      return train.hardening(u.at);
    case Kind::ratio:
      return ratio_of(train, u.at, u.coordinate);
    case Kind::offset:
    case Kind::deflection:
      return 0.0;
  }
  return 0.0;
}

void set(const DriveUnknown& u, double value, Plant<double>& plant) {
  const Model& model = plant.model();
  const DriveTrain& train = model.drives();
  DriveParameters<double>& d = plant.drives;
  const double own = own_ratios(train)(u.at);
  switch (u.kind) {
    case Kind::rotor:
      // where it was given: at the shaft of a motor, or at the joint
      if (!is_alone(train, u.at))
        d.inertia(u.at) = value / (own * own);
      else if (train.inertia(u.at) > 0.0)
        d.inertia(u.at) = std::max(value - d.rotor(u.at), 0.0) / (own * own);
      else
        d.rotor(u.at) = value;
      break;
    case Kind::viscous:
      d.damping(u.at) = value / (own * own);
      break;
    case Kind::coulomb:
      d.friction(u.at) = d.friction_negative(u.at) = value / std::abs(own);
      break;
    case Kind::stiffness:
      d.stiffness(u.at) = value;
      break;
    case Kind::damping:
      d.spring_damping(u.at) = value;
      break;
    case Kind::hardening:
      d.hardening(u.at) = value;
      break;
    case Kind::offset:
    case Kind::deflection:
    case Kind::ratio:
      break;
  }
}

void describe_motors(const TorqueModel& torques, const Vector& z, const Plant<double>& plant,
                     Description& description) {
  const Model& model = torques.model();
  const DriveTrain& train = model.drives();
  const std::vector<std::string> joints = model.velocity_names();
  const DriveParameters<double>& d = plant.drives;
  for (int m = 0; m < model.nv(); ++m) {
    if (!train.separate[std::size_t(m)]) continue;
    const std::string& name = train.motor_names[std::size_t(m)];
    auto at = std::ranges::find(description.motors, name, &MotorDescription::name);
    if (at == description.motors.end()) {
      // a joint's rotor has friction now: a motor of its own has both
      if (!(d.damping(m) > 0.0 || d.friction(m) > 0.0)) continue;
      description.motors.push_back({name + "_motor", {{joints[std::size_t(m)], 1.0}}});
      at = description.motors.end() - 1;
    }
    at->inertia = d.inertia(m), at->damping = d.damping(m);
    at->friction = d.friction(m), at->friction_negative = d.friction_negative(m);
  }
  for (std::size_t k = 0; k < torques.drives().size(); ++k) {
    const DriveUnknown& u = torques.drives()[k];
    if (u.kind != Kind::ratio) continue;
    const auto at = std::ranges::find(description.motors, train.motor_names[std::size_t(u.at)],
                                      &MotorDescription::name);
    const auto gear = std::ranges::find(at->gears, joints[std::size_t(u.coordinate)], &Gear::joint);
    gear->ratio = z(torques.drive_at(int(k)));
  }
}

}  // namespace detail
}  // namespace ulna::identify
