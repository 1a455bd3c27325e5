#include "mpc_live.hpp"

#include "serve.hpp"

#if ULNA_WITH_VIEWER
#include "ulna/view/live/playground.hpp"
#endif

namespace ulna::cli {

#if ULNA_WITH_VIEWER

namespace {

/// The robot of a scenario as its trial would be.
view::Player player_of(const Model& model, const MpcScenario& s) {
  view::Player player{
      model, mpc::keep_closed(model, reach_and_wave(s.start, s.goal, s.reach, s.amplitude, s.hz)),
      s.start};
  player.control = s.trial.control;
  player.rig = {s.trial.plant, s.trial.simulation, s.trial.mujoco, s.trial.sensors,
                s.trial.reality};
  const Eigen::VectorXd effort = rig::nominal_efforts(model);
  player.rig.sensors.torque.noise *= effort.maxCoeff();
  player.differs = [=](Plant<double>& plant) {
    Plant<double> usual(plant.model());
    add_friction(usual, s.viscous * effort, s.dry * effort);
    scale_friction(plant, usual, 1.0);
    if (s.vary > 0.0) change_at_random(plant, {.inertia = s.vary}, s.trial.sensors.seed);
  };
  return player;
}

}  // namespace

int play(Console& console, const Model& model, const MpcScenario& scenario, const Json& about,
         int port, bool open) {
  view::PlaygroundOptions options;
  options.first = model.name();
  options.player = [&](const std::string& name) {
    if (name == model.name()) return player_of(model, scenario);
    // by its name, never as a file
    if (!std::ranges::count(embedded_robots(), std::string_view(name), &EmbeddedRobot::name))
      throw Failure("there is no embedded robot '{}'", name);
    const Model other = load_robot(name).model;
    MpcScenario usual;
    complete(usual, other);
    return player_of(other, usual);
  };
  options.viewer.server.port = port;
  options.viewer.program = "ulna " ULNA_VERSION;
  options.viewer.title = fmt::format("{}: predictive control that identifies", model.name());
  view::Playground playground(options);
  serve(console, playground.url(), open, {{"robot", about}});
  return success;
}

#else

int play(Console&, const Model&, const MpcScenario&, const Json&, int, bool) {
  throw Failure(
      "--live: this ulna was built without Boost.Beast, which the viewer needs; install it "
      "(Debian: apt "
      "install libboost-dev, or tools/install-dependencies) and build again with "
      "-DULNA_WITH_VIEWER=ON");
}

#endif

}  // namespace ulna::cli
