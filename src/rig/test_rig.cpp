#include "ulna/rig/test_rig.hpp"

#include <algorithm>
#include <cmath>

#include "num/message.hpp"
#include "rig/drives.hpp"
#include "rig/surroundings.hpp"

namespace ulna::rig {
namespace {

using Vector = Eigen::VectorXd;
using messages::require;

/// For how long what the surroundings do is taken as constant, s.
constexpr double surroundings_step = 2.5e-4;

void check(const Model& model, const Reality& r) {
  const auto from_0 = [](double x, const char* what) {
    require(x >= 0.0 && std::isfinite(x), "reality: ", what, " is ", x, ", it must be 0 or more");
  };
  from_0(r.rotor_inertia, "the rotors' inertia"), from_0(r.stribeck, "Stribeck friction");
  from_0(r.friction_by_direction, "friction by direction"), from_0(r.ripple, "the gears' ripple");
  from_0(r.drive_lag, "the drives' lag"), from_0(r.action_delay, "the delay of actions");
  from_0(r.late_by, "the time by which actions are late"),
      from_0(r.torque_offset, "the torque sensors' offset");
  require(r.late_share >= 0.0 && r.late_share <= 1.0, "reality: the chance of late actions is ",
          r.late_share, ", it must be from 0 to 1");
  require(r.stribeck_velocity > 0.0, "reality: Stribeck's velocity must be above 0");
  require(r.friction_asymmetry >= 0.0 && r.friction_asymmetry <= 1.0,
          "reality: the asymmetry of friction is ", r.friction_asymmetry,
          ", it must be from 0 to 1");
  require(std::isfinite(r.torque_gain), "reality: the torque sensors' gain is not finite");
  require(!r.gravity || r.gravity->allFinite(), "reality: gravity is not finite");
  require(!r.wall || (r.wall->normal.norm() > 0.0 && r.wall->stiffness >= 0.0),
          "reality: the wall needs a normal that is not 0 and a stiffness of 0 or more");
  const auto known = [&](int coordinate) { return coordinate >= -1 && coordinate < model.nv(); };
  for (const Grip& grip : r.grips)
    require(known(grip.coordinate), "reality: no joint ", grip.coordinate, " to hold; robot '",
            model.name(), "' has ", model.nv(), ", from 0 on, -1 is all");
  for (const TorqueFault& fault : r.torque_faults)
    require(known(fault.coordinate), "reality: no torque sensor ", fault.coordinate, "; robot '",
            model.name(), "' has ", model.nv(), ", from 0 on, -1 is all");
}

std::unique_ptr<TestPlant> make_plant(const Model& model, const TestRigOptions& options) {
  check(model, options.reality);
  const std::optional<Eigen::Vector3d>& gravity = options.reality.gravity;
  const Model truth = gravity ? model.with_gravity(*gravity) : model;
  auto plant = options.plant == PlantKind::mujoco ? make_mujoco_plant(truth, options.mujoco)
                                                  : make_simulated_plant(truth, options.simulation);
  if (options.reality.rotor_inertia > 0.0)
    plant->change(
        [more = options.reality.rotor_inertia](Plant<double>& p) { p.armature.array() += more; });
  return plant;
}

}  // namespace

struct TestRig::Parts {
  Parts(const Model& m, const TestRigOptions& o)
      : model(m),
        reality(o.reality),
        accelerations(o.sensors.accelerations),
        plant(make_plant(m, o)),
        surroundings(m, o.reality),
        drives(m, o.reality),
        sensors(m, o.sensors),
        motor_sensors(m, of_motors(o.sensors)),
        last(m),
        offset(nominal_efforts(m)) {
    std::mt19937_64 random(o.reality.seed + 0x9e3779b9u);
    for (double& x : offset) x *= random_sign(random) * o.reality.torque_offset;
    if (accelerations) last.a = Vector::Zero(m.nv());
  }

  /// Encoders of motors are as good as those of links.
  static SensorsOptions of_motors(SensorsOptions options) {
    options.seed += 0x85ebca6bu;
    return options;
  }

  bool is_plain() const {
    return drives.are_settled() && !surroundings.has_forces() && !surroundings.has_friction();
  }

  /// Lets the surroundings act as they do here and now.
  void surround() noexcept {
    if (surroundings.has_friction()) {
      surroundings.friction(plant->time(), plant->v(), plant->plant());
      plant->set_dry_friction(surroundings.positive, surroundings.negative);
    }
    if (surroundings.has_forces()) plant->load(surroundings.forces(plant->time(), *plant));
  }

  /// Goes on for h seconds, in which what acts is constant.
  SimulationStatus step(double h) noexcept {
    surround();
    if (!drives.are_settled()) {
      const SimulationStatus status = plant->hold(drives.torque(plant->time(), h));
      if (status != SimulationStatus::moved) return status;
    }
    return plant->step(h);
  }

  /// What torque sensors measure, before noise.
  const Vector& sensed_torque(TestRig& rig) {
    if (reality.commanded_torque)
      sensed = drives.commanded();
    else if (reality.link_side_torque || plant->theta().size() > 0)
      sensed = rig.link_torque();
    else
      sensed = plant->tau();
    if (reality.torque_gain != 1.0) sensed *= reality.torque_gain;
    if (reality.torque_offset != 0.0) sensed += offset;
    return sensed;
  }

  /// `before`: the last reading.
  void fail_torques(double time, const Vector& before, Vector& tau) const {
    for (const TorqueFault& fault : reality.torque_faults) {
      if (!fault.when.contains(time)) continue;
      for (Eigen::Index i = 0; i < tau.size(); ++i) {
        if (fault.coordinate >= 0 && fault.coordinate != i) continue;
        if (fault.kind == TorqueFault::Kind::dead) tau(i) = 0.0;
        if (fault.kind == TorqueFault::Kind::frozen) tau(i) = before(i);
        if (fault.kind == TorqueFault::Kind::negated) tau(i) = -tau(i);
      }
    }
  }

  Model model;
  Reality reality;
  bool accelerations;
  std::unique_ptr<TestPlant> plant;
  Surroundings surroundings;
  Drives drives;
  Sensors sensors, motor_sensors;
  Reading last;
  Vector offset, sensed = offset, link = offset, none = {};
};

TestRig::TestRig(const Model& model, const TestRigOptions& options)
    : parts_(std::make_unique<Parts>(model, options)) {}
TestRig::~TestRig() = default;
TestRig::TestRig(TestRig&&) noexcept = default;
TestRig& TestRig::operator=(TestRig&&) noexcept = default;

const Model& TestRig::model() const noexcept { return parts_->model; }
double TestRig::now() const noexcept { return parts_->plant->time(); }

bool TestRig::read(Reading& reading) noexcept {
  Parts& p = *parts_;
  const double time = now();
  const Vector& a = p.accelerations ? acceleration() : p.none;
  p.sensors.read(time, p.plant->q(), p.plant->v(), p.sensed_torque(*this), a);
  const bool silent = std::ranges::any_of(
      p.reality.silences, [&](const Interval& silence) { return silence.contains(time); });
  p.last.fresh = !silent;
  if (!silent) {
    p.fail_torques(time, p.last.tau, p.sensors.tau);
    p.last.time = time;
    p.last.q = p.sensors.q, p.last.v = p.sensors.v, p.last.tau = p.sensors.tau;
    if (p.accelerations) p.last.a = p.sensors.a;
    if (p.plant->theta().size() > 0) {
      p.motor_sensors.read(time, p.plant->theta(), p.plant->omega(), p.sensed);
      p.last.theta = p.motor_sensors.q, p.last.omega = p.motor_sensors.v;
    }
  }
  reading = p.last;
  return true;
}

bool TestRig::write(const Eigen::Ref<const Vector>& tau) noexcept { return write(tau, 0.0); }

bool TestRig::write(const Eigen::Ref<const Vector>& tau, double later) noexcept {
  Parts& p = *parts_;
  if (tau.size() != p.model.nv() || !tau.allFinite() || !(later >= 0.0)) return false;
  p.drives.command(now(), tau, later);
  (void)p.plant->hold(p.drives.torque(now(), 0.0));
  return true;
}

void TestRig::start(const Vector& q) {
  Parts& p = *parts_;
  p.plant->set_state(q, Vector::Zero(p.model.nv()));
  p.sensors.reset(), p.motor_sensors.reset();
  p.drives.preload(Vector::Zero(p.model.nv()));
}

SimulationStatus TestRig::preload(In<double> tau) noexcept {
  Parts& p = *parts_;
  const SimulationStatus status = p.plant->hold(tau);
  if (status == SimulationStatus::moved) p.drives.preload(p.plant->tau());
  return status;
}

SimulationStatus TestRig::advance(double seconds) noexcept {
  Parts& p = *parts_;
  if (p.is_plain()) return p.plant->step(seconds);
  const double count = std::max(1.0, std::ceil(seconds / surroundings_step - 1e-9));
  for (double i = 0.0; i < count; i += 1.0) {
    const SimulationStatus status = p.step(seconds / count);
    if (status != SimulationStatus::moved) return status;
  }
  return SimulationStatus::moved;
}

void TestRig::apply(Schedule& changes) {
  changes.apply(now(), [this](const Schedule::Change& edit) { change(edit); });
}
void TestRig::change(const std::function<void(Plant<double>&)>& edit) {
  parts_->plant->change(edit);
}

const Vector& TestRig::q() const noexcept { return parts_->plant->q(); }
const Vector& TestRig::v() const noexcept { return parts_->plant->v(); }
const Vector& TestRig::tau() const noexcept { return parts_->plant->tau(); }
const Vector& TestRig::acceleration() noexcept {
  parts_->surround();
  return parts_->plant->acceleration();
}
const Plant<double>& TestRig::plant() const noexcept { return parts_->plant->plant(); }
TestPlant& TestRig::mechanism() noexcept { return *parts_->plant; }

const Vector& TestRig::link_torque() noexcept {
  Parts& p = *parts_;
  if (p.plant->theta().size() > 0) return p.plant->spring_torque();
  const Plant<double>& plant = p.plant->plant();
  p.surround();
  p.surroundings.friction(now(), p.plant->v(), plant);
  // what holds the joint beyond its own friction acts on the link
  p.link = p.plant->friction_torque()
               .cwiseMin(p.surroundings.own_negative)
               .cwiseMax(-p.surroundings.own_positive);
  p.link += p.plant->tau() + p.surroundings.ripple(p.plant->q());
  p.link -= plant.damping.cwiseProduct(p.plant->v());
  p.link -= plant.armature.cwiseProduct(p.plant->acceleration());
  return p.link;
}

}  // namespace ulna::rig
