#include "mpc_scenario.hpp"

namespace ulna::cli {

double peak_of_reach(const Model& model) {
  // of the polynomial of ninth degree, and of fifth
  return model.drives().plain() ? 1.875 : 630.0 / 256.0;
}

std::vector<MpcVariant> variants_of(const MpcScenario& s) {
  constexpr std::array by_knowledge{"series-1", "series-5", "series-2", "series-3"};
  constexpr std::array by_drives{"series-1", "series-3", "series-2"};
  std::vector<MpcVariant> variants;
  for (const DriveControl drives : s.drives)
    for (const Knowledge knowledge : s.knowledge) {
      const bool one_way = s.drives.size() == 1, one_knowledge = s.knowledge.size() == 1;
      std::string name = one_way ? to_string(knowledge) : to_string(drives);
      if (!one_way && !one_knowledge) name += fmt::format(" {}", to_string(knowledge));
      variants.push_back(
          {knowledge, drives, std::move(name),
           one_way ? by_knowledge[std::size_t(knowledge)] : by_drives[std::size_t(drives)]});
    }
  return variants;
}

void complete_drives(MpcScenario& s, const Model& model) {
  const DriveTrain& train = model.drives();
  for (const DriveControl d : s.drives)
    if (std::ranges::count(s.drives, d) > 1)
      throw ScenarioError("drives", fmt::format("'{}' is given twice", to_string(d)));
  if (train.plain()) {
    if (s.places.contains("drives"))
      throw ScenarioError(
          "drives", fmt::format("has no effect: '{}' has neither elastic joints nor coupled motors",
                                model.name()));
    return;
  }
  if (!train.diagonal && !s.places.contains("drives")) s.drives = {DriveControl::feedforward};
  if (!train.diagonal && std::ranges::count(s.drives, DriveControl::plan))
    throw ScenarioError("drives", fmt::format("plan is for robots whose motors are not coupled as "
                                              "those of '{}'; take feedforward",
                                              model.name()));
  if (s.places.contains("drives") && s.trial.law != ControlLaw::mpc)
    throw ScenarioError("drives", fmt::format("has no effect with law {}, which plans nothing",
                                              to_string(s.trial.law)));
  const auto refuse = [&](const char* key, const char* what) {
    throw ScenarioError(
        key,
        fmt::format("'{}' has elastic joints or coupled motors, which {} not support; leave it out",
                    model.name(), what));
  };
  if (s.trial.supervision) refuse("supervisor", "the supervisor does");
  if (s.trial.plant == rig::PlantKind::mujoco) refuse("plant", "MuJoCo's plant does");
  if (!s.trial.faults.empty()) refuse("faults", "faults do");
  if (!s.wrenches.empty()) refuse("sensors.wrenches", "wrench sensors do");
}

void add_friction(Plant<double>& plant, const Eigen::VectorXd& viscous,
                  const Eigen::VectorXd& dry) {
  const DriveTrain& train = plant.model().drives();
  for (int i = 0; i < plant.model().nv(); ++i) {
    if (!(train.stiffness(i) > 0.0)) {
      plant.damping(i) += viscous(i);
      plant.friction(i) += dry(i), plant.friction_negative(i) += dry(i);
      continue;
    }
    const DriveTrain::Entry& gear = train.gear_of(i);
    const double ratio = std::abs(gear.ratio);
    plant.drives.damping(gear.motor) += viscous(i) / (ratio * ratio);
    plant.drives.friction(gear.motor) += dry(i) / ratio;
    plant.drives.friction_negative(gear.motor) += dry(i) / ratio;
  }
}

TrialResult run_variant(const Model& model, const MpcScenario& s, const TrialOptions& trial,
                        const std::function<bool(double share)>& progress) {
  if (model.drives().plain())
    return run_trial(model, reach_and_wave(s.start, s.goal, s.reach, s.amplitude, s.hz), trial,
                     progress);
  return run_elastic_trial(
      model, smooth_reach_and_wave(s.start, s.goal, s.reach, s.amplitude, s.hz), trial, progress);
}

}  // namespace ulna::cli
