#if ULNA_WITH_MUJOCO

#include "rig/mujoco_model.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "num/message.hpp"

namespace ulna::rig {
namespace {

using messages::require;

std::string numbers(const Eigen::Vector3d& x) {
  char text[96];
  std::snprintf(text, sizeof text, "%.17g %.17g %.17g", x(0), x(1), x(2));
  return text;
}

std::string rpy(const Eigen::Matrix3d& R) {
  const Eigen::Vector3d yaw_pitch_roll = R.eulerAngles(2, 1, 0);
  return numbers(yaw_pitch_roll.reverse());
}

void require_simulable(const Model& model) {
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& joint = model.joint(b);
    const bool plain = joint.type == JointType::revolute || joint.type == JointType::continuous ||
                       joint.type == JointType::prismatic;
    require(plain && !joint.mimics, "MuJoCo: joint '", model.joint_name(b), "' of robot '",
            model.name(),
            "' is neither revolute nor prismatic with a coordinate of its own; lock it, or "
            "simulate with ulna");
    require(model.inertias()[b].mass() > 0.0, "MuJoCo: link '", model.body_name(b), "' of robot '",
            model.name(), "' has no mass; give it one, or simulate with ulna");
  }
  require(model.description().loops.empty(), "MuJoCo: robot '", model.name(),
          "' closes loops; simulate it with ulna");
}

/// Frames of the users as URDF, which unlike MJCF does not nest: there is a limit of 100. Inertias come later, exactly.
std::string urdf(const Model& model) {
  const auto name = [](int b) { return b == 0 ? "ground" : "body" + std::to_string(b); };
  // room for dry friction and one stop at each joint
  const std::string rows = std::to_string(4 * model.nv() + 50);
  std::string xml =
      "<robot name='robot'><mujoco><compiler fusestatic='false' boundmass='1e-9' "
      "boundinertia='1e-12' "
      "balanceinertia='true'/><size njmax='" +
      rows +
      "' nconmax='1'/></mujoco>\n"
      "<link name='ground'/>\n";
  for (int b = 1; b < model.body_count(); ++b) {
    const Joint& joint = model.joint(b);
    const Transform<double> X_PB =
        Transform<double>::from_rotation(model.joint(joint.parent).R_BC) * joint.X_PJ *
        Transform<double>::from_rotation(joint.R_BC.inverse());
    const char* const type = joint.type == JointType::prismatic ? "prismatic" : "continuous";
    xml += "<link name='" + name(b) +
           "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
           "iyz='0'/></inertial></link>\n<joint name='joint" +
           std::to_string(b) + "' type='" + type + "'><parent link='" + name(joint.parent) +
           "'/><child link='" + name(b) + "'/><origin xyz='" + numbers(X_PB.translation()) +
           "' rpy='" + rpy(X_PB.rotation().matrix()) + "'/><axis xyz='" +
           numbers(joint.R_BC.matrix().col(2)) + "'/></joint>\n";
  }
  return xml + "</robot>\n";
}

/// MuJoCo's reader, which is for one thread at a time, on a file that is none.
MujocoModel load(const Model& model) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  // without a handler, a warning goes to a file in the working directory
  if (!mju_user_warning) mju_user_warning = [](const char*) {};
  const std::string xml = urdf(model);
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  char error[500] = "MuJoCo's file system is full";
  MujocoModel compiled;
  if (mj_makeEmptyFileVFS(files.get(), "robot.urdf", int(xml.size())) == 0) {
    std::memcpy(files->filedata[0], xml.data(), xml.size());
    compiled.reset(mj_loadXML("robot.urdf", files.get(), error, sizeof error));
  }
  mj_deleteVFS(files.get());
  require(compiled != nullptr, "MuJoCo does not accept robot '", model.name(), "': ", error,
          "; simulate it with ulna");
  require(compiled->nv == model.nv(), "MuJoCo: robot '", model.name(), "' has ", model.nv(),
          " degrees of freedom, there it has ", compiled->nv);
  return compiled;
}

/// How constraints resist: [Todorov 2014] and MuJoCo's documentation, "Solver parameters".
void set_stiffness(mjtNum* reference, mjtNum* impedance, double time_constant) {
  reference[0] = time_constant, reference[1] = 1.0;
  impedance[0] = impedance[1] = mjMAXIMP, impedance[2] = 1e-3;
}

}  // namespace

MujocoModel compile_mujoco(const Model& model, const MujocoOptions& options) {
  require(options.step > 0.0 && options.step <= 0.01, "MuJoCo: its step is ", options.step,
          " s, it must be above 0, up to 0.01");
  require_simulable(model);
  MujocoModel compiled = load(model);
  mjModel& m = *compiled;
  m.opt.timestep = options.step;
  m.opt.integrator = options.integrator == MujocoIntegrator::rk4 ? mjINT_RK4 : mjINT_IMPLICIT;
  m.opt.solver = mjSOL_NEWTON;
  m.opt.tolerance = 0.0;  // as well as it can in its iterations, which a few are enough for
  m.opt.iterations = 20;
  m.opt.disableflags |= mjDSBL_CONTACT | mjDSBL_ACTUATION | mjDSBL_SENSOR;
  std::copy_n(model.gravity().data(), 3, m.opt.gravity);
  for (int i = 0; i < m.njnt; ++i) {
    const double low = model.lower_limit()(i), high = model.upper_limit()(i);
    m.jnt_limited[i] = options.stops && std::isfinite(low) && std::isfinite(high);
    m.jnt_range[2 * i] = m.jnt_limited[i] ? low : 0.0;
    m.jnt_range[2 * i + 1] = m.jnt_limited[i] ? high : 0.0;
    set_stiffness(m.jnt_solref + mjNREF * i, m.jnt_solimp + mjNIMP * i, 2.0 * options.step);
    if (!options.creeping_friction)
      set_stiffness(m.dof_solref + mjNREF * i, m.dof_solimp + mjNIMP * i, 2.0 * options.step);
  }
  const MujocoData scratch(mj_makeData(compiled.get()));
  require(scratch != nullptr, "MuJoCo: no memory for robot '", model.name(), "'");
  set_mujoco_plant(m, *scratch, Plant<double>(model));
  return compiled;
}

void set_mujoco_plant(mjModel& to, mjData& scratch, const Plant<double>& plant) {
  const Model& model = plant.model();
  for (int b = 1; b < model.body_count(); ++b) {
    const auto X_BC = Transform<double>::from_rotation(model.joint(b).R_BC);
    const Inertia<double> inertia = X_BC * plant.canonical_inertia(b);
    // MuJoCo itself finds principal axes to 1e-8 only
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(inertia.rotational_about_com());
    const Eigen::Matrix3d axes = principal.eigenvectors() * principal.eigenvectors().determinant();
    const Eigen::Quaterniond turn(axes);
    const int body = b + 1;  // behind MuJoCo's world and the ground
    to.body_mass[body] = inertia.mass();
    for (int k = 0; k < 3; ++k) {
      to.body_ipos[3 * body + k] = inertia.com()(k);
      to.body_inertia[3 * body + k] = principal.eigenvalues()(k);
    }
    const double wxyz[4] = {turn.w(), turn.x(), turn.y(), turn.z()};
    std::copy_n(wxyz, 4, to.body_iquat + 4 * body);
    to.body_sameframe[body] = 0;  // centre of mass and origin are two
  }
  for (int i = 0; i < to.nv; ++i) {
    to.dof_damping[i] = plant.damping(i);
    to.dof_frictionloss[i] = 0.5 * (plant.friction(i) + plant.friction_negative(i));
    to.dof_armature[i] = plant.armature(i);
  }
  mj_setConst(&to, &scratch);
}

}  // namespace ulna::rig

#endif
