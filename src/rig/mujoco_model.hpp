#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

#include "ulna/model/plant.hpp"
#include "ulna/rig/test_plant.hpp"

namespace ulna::rig {

struct MujocoDelete {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using MujocoModel = std::unique_ptr<mjModel, MujocoDelete>;
using MujocoData = std::unique_ptr<mjData, MujocoDelete>;

/// The robot as MuJoCo compiles it. Throws std::invalid_argument for a robot that MuJoCo refuses or that has joints of other
/// kinds than revolute and prismatic.
MujocoModel compile_mujoco(const Model& model, const MujocoOptions& options);

/// Replaces inertias, damping, dry friction and rotor inertias. `scratch`: any data of the model.
void set_mujoco_plant(mjModel& to, mjData& scratch, const Plant<double>& plant);

}  // namespace ulna::rig
