#include "mpc_scenario.hpp"
#include "remote_robot.hpp"
#include "states.hpp"

namespace ulna::cli {
namespace {

struct RigOptions {
  RobotArgument robot;
  std::string address;
  SimulatedOptions simulated;
  std::vector<std::string> mistakes;
  double rate = 1000.0, watchdog = 0.05;
  std::optional<double> duration;
  int core = -1;
};

rig::TestRigOptions test_rig_options(const SimulatedOptions& o, const Model& model,
                                     const Mistakes& mistakes) {
  rig::TestRigOptions t;
  t.plant = kind_from_string(plants, o.plant,
                             [](const std::string& why) { throw UsageError("--plant: {}", why); });
  t.sensors.seed = t.reality.seed = o.seed;
  t.sensors.position.noise = 1e-5, t.sensors.velocity.noise = 1e-3;
  t.sensors.torque.noise = 1e-3 * rig::nominal_efforts(model).maxCoeff();
  t.reality.link_side_torque = mistakes.link_side;
  t.reality.action_delay = mistakes.delay;
  return t;
}

/// Where a robot stands if nothing is said: in the middle of its ranges, so that joints have weight to hold.
Eigen::VectorXd usual_place(const Model& model) {
  MpcScenario scenario;
  complete(scenario, model);
  return scenario.start;
}

/// Periods of the robot at their time; a machine that is too slow is caught up with.
void run_periods(OfferedRobot& server, rig::SimulatedRobot& robot, const RigOptions& o) {
  drive::RealClock clock;
  const drive::Realtime realtime({.priority = 70, .core = o.core});
  const double period = 1.0 / o.rate, begin = clock.now() - robot.now();
  Heartbeat::rest();
  for (long k = 1; !Interrupt::requested(); ++k) {
    const double due = begin + double(k) * period;
    if (o.duration && double(k) * period > *o.duration) return;
    clock.sleep_until(due);
    server.take();
    if (robot.advance(period) != SimulationStatus::moved)
      throw Failure("the simulation cannot go on");
    // what is sent too late to be of use is not sent
    const bool behind = clock.now() - due > 2.0 * period;
    server.set_overrun(behind);
    if (!behind) server.send();
  }
}

int run_rig(const RigOptions& o, Console& console) {
  const Imported imported = o.robot.load();
  const Model& model = imported.model;
  mention_warnings(console, o.robot, imported.diagnostics);
  if (o.watchdog < 2.0 / o.rate)
    throw UsageError("--watchdog: {} s is less than two periods", o.watchdog);
  const Mistakes mistakes = mistakes_of(model, o.mistakes);
  const std::unique_ptr<rig::SimulatedRobot> robot =
      simulated_robot(console, model, o.simulated, mistakes);
  rig::WiredRig wired(*robot, mistakes.wiring);
  const std::unique_ptr<OfferedRobot> server = offer_robot(
      wired, o.address,
      {.period = 1.0 / o.rate, .watchdog = o.watchdog, .sensors = link::TorqueSensors::motor_side});
  const Interrupt interrupt;
  console.show(
      [&] {
        return Json{{"address", o.address},
                    {"robot", o.robot.json(model)},
                    {"rate", o.rate},
                    {"watchdog", o.watchdog}};
      },
      [&] {
        return fmt::format("{} at {}, {:g} Hz; Ctrl-C ends it\n", visible(model.name()),
                           visible(o.address), o.rate);
      });
  console.out.flush();
  run_periods(*server, *robot, o);
  console.err.print(server->report() + "\n");
  return success;
}

}  // namespace

std::unique_ptr<rig::SimulatedRobot> simulated_robot(Console& console, const Model& model,
                                                     const SimulatedOptions& o,
                                                     const Mistakes& mistakes) {
  auto robot = std::make_unique<rig::SimulatedRobot>(model, test_rig_options(o, model, mistakes));
  const Eigen::VectorXd effort = rig::nominal_efforts(model);
  robot->truth().change([&](Plant<double>& plant) {
    add_friction(plant, 0.005 * o.friction * effort, 0.01 * o.friction * effort);
    if (o.payload > 0.0)
      add_payload(plant, rig::tip_frame(model),
                  Inertia<double>::point_mass(o.payload, Vec3<double>::Zero()));
  });
  robot->start(o.q.empty() ? usual_place(model) : configuration(console, model, o.q, "--q"));
  return robot;
}

Action rig(Parser& app, Console& console) {
  auto o = std::make_shared<RigOptions>();
  o->robot.add_to(app);
  app.add_value("--address", o->address, "ADDRESS",
                "unix:PATH, shm:/NAME, udp:127.0.0.1:PORT or dds:KEY=VALUE,...")
      ->required();
  app.add_value("--q", o->simulated.q, "X,X,...", "where it stands at first, or NAME=VALUE,...");
  app.add_value(
      "--rate", o->rate, "HZ", "of its states: 1000 Hz",
      number_that("is not from 10 to 10000 Hz", [](double x) { return x >= 10.0 && x <= 1e4; }));
  app.add_value("--watchdog", o->watchdog, "S", "without torques until it holds itself: 0.05 s",
                above_zero);
  app.add_value("--plant", o->simulated.plant, "NAME", "what simulates it: ulna, or mujoco");
  app.add_value("--friction", o->simulated.friction, "F",
                "1: 1 % of the efforts dry, 0.5 % viscous; times this", not_negative);
  app.add_value("--payload", o->simulated.payload, "KG",
                "that the last link carries and the model does not have", not_negative);
  app.add_value(
         "--mistake", o->mistakes, "WORD",
         "it makes: exchange=I,K, sign=I, degrees, link-side, delay=S, gear=I,FACTOR; repeatable")
      ->allow_extra_args(false);
  app.add_value("--seed", o->simulated.seed, "N", "of noise: 1", seed_number);
  app.add_value("--core", o->core, "N", "processor core to run on", whole_number(0, 1023));
  app.add_value("--duration", o->duration, "S", "until it ends; otherwise by Ctrl-C", above_zero);
  return [o, &console]() -> int { return run_rig(*o, console); };
}

}  // namespace ulna::cli
