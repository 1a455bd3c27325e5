#include "scenes.hpp"

#include "ulna/constraints/contact_inverse_dynamics.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/model/builder.hpp"
#include "ulna/model/configuration.hpp"
#include "ulna/num/random.hpp"
#include "ulna/spatial/solid.hpp"

namespace contact_bench {
namespace {

using namespace ulna;
using V3 = Vec3<double>;

Transform<double> at(double x, double y, double z) {
  return Transform<double>::from_translation(V3(x, y, z));
}

Scene on_ground(double step, double friction) {
  Scene s;
  s.options.step = step;
  s.fixed.push_back({"ground", Plane{}, {}, {.friction = friction}});
  return s;
}

void add_robot(Scene& s, const Model& model, const std::vector<std::pair<const char*, double>>& q,
               double height, double friction) {
  SceneRobot r{model.name(), model, neutral(model), Eigen::VectorXd::Zero(model.nv())};
  const std::vector<std::string> names = model.configuration_names();
  for (const auto& [ending, value] : q)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].ends_with(ending)) r.q(static_cast<Eigen::Index>(i)) = value;
  if (model.joint(1).type == JointType::floating) r.q(6) = height;
  r.options.material.friction = friction;
  r.options.self_contact = false;
  s.robots.push_back(r);
}

void add_robot(Scene& s, const char* name, const std::vector<std::pair<const char*, double>>& q,
               double height, double friction) {
  add_robot(s, load_robot(name).model, q, height, friction);
}

BenchScene falling_file(const std::string& file) {
  BenchScene b{"humanoid of a file falling", on_ground(1e-3, 0.8), 5.0};
  Description d = load_robot(file, {.floating_base = true}).model.description();
  for (LinkDescription& link : d.links) {
    link.collisions.clear();
    if (link.inertial) link.collisions.emplace_back().geometry = Sphere{0.05};
  }
  add_robot(b.scene, Builder(d).build(), {{"LEG_HIP_P", -0.4}, {"LEG_KNEE", 0.6}}, 1.1, 0.8);
  return b;
}

BenchScene standing() {
  BenchScene b{"quadruped standing", on_ground(1e-3, 0.8), 10.0};
  add_robot(b.scene, "quadruped", {{"thigh_joint", 0.8}, {"knee_joint", -1.6}}, 0.438, 0.8);
  const SceneRobot& r = b.scene.robots[0];
  Kinematics<double> kinematics(r.model);
  Workspace<double> ws(r.model);
  kinematics.set(r.q);
  std::vector<Support> feet;
  for (const char* name : {"FL_foot", "FR_foot", "RL_foot", "RR_foot"}) {
    const Frame& foot = r.model.frame(name);
    feet.push_back({foot.body, kinematics.pose(foot).translation() - V3(0, 0, 0.02)});
  }
  Eigen::VectorXd hold(r.model.nv());
  std::vector<V3> forces(4);
  ContactInverseDynamics stand(r.model);
  if (!stand(Plant<double>(r.model), kinematics, ws, feet, hold, forces)) hold.setZero();
  b.torque = [hold, target = r.q](const Eigen::VectorXd& q, const Eigen::VectorXd& v, double,
                                  Eigen::VectorXd& tau) {
    tau = hold;
    for (int i = 6; i < tau.size(); ++i) tau(i) += 150.0 * (target(i + 1) - q(i + 1)) - 4.0 * v(i);
  };
  return b;
}

BenchScene stack() {
  BenchScene b{"stack of 10 boxes", on_ground(2e-3, 0.8), 10.0};
  const V3 size(0.2, 0.2, 0.2);
  for (int i = 0; i < 10; ++i)
    b.scene.bodies.push_back({{"box" + std::to_string(i),
                               solid_box(size).with_mass(1.0),
                               {{Box{size}}},
                               {.friction = 0.8}},
                              at(0.01 * (i % 2), 0, 0.1 + 0.2 * i)});
  return b;
}

BenchScene spheres() {
  BenchScene b{"200 spheres in a bin", on_ground(2e-3, 0.5), 0.6};
  for (int k = 0; k < 4; ++k) {
    const double a = 0.5 * std::numbers::pi * k;
    b.scene.fixed.push_back(
        {"wall" + std::to_string(k),
         Box{V3(0.02, 0.62, 1.0)},
         {Rotation<double>::about_z(a), V3(0.31 * std::cos(a), 0.31 * std::sin(a), 0.5)},
         {.friction = 0.5}});
  }
  std::mt19937_64 random(3);
  const auto shake = [&] { return 0.005 * (2.0 * uniform(random) - 1.0); };
  for (int i = 0; i < 200; ++i)
    b.scene.bodies.push_back({{"ball" + std::to_string(i),
                               solid_sphere(0.04).with_mass(0.27),
                               {{Sphere{0.04}}},
                               {.friction = 0.5}},
                              at(-0.2 + 0.1 * (i % 5) + shake(), -0.2 + 0.1 * (i / 5 % 5) + shake(),
                                 0.06 + 0.1 * (i / 25))});
  return b;
}

BenchScene pushing() {
  BenchScene b{"Panda pushing a box", on_ground(1e-3, 0.5), 4.0};
  add_robot(b.scene, "panda", {{"joint2", 0.9}, {"joint4", -2.0}, {"joint6", 2.9}}, 0.0, 0.5);
  const V3 size(0.2, 0.2, 0.3);
  b.scene.bodies.push_back(
      {{"box", solid_box(size).with_mass(3.0), {{Box{size}}}, {.friction = 0.5}},
       at(0.45, 0.32, 0.15)});
  const Model model = b.scene.robots[0].model;
  auto plant = std::make_shared<Plant<double>>(model);
  plant->remove_friction();
  auto motion = std::make_shared<Motion<double>>(model);
  auto ws = std::make_shared<Workspace<double>>(model);
  b.torque = [=, start = b.scene.robots[0].q](const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                              double t, Eigen::VectorXd& tau) {
    motion->set(q);
    tau.resize(q.size());
    gravity_torque<double>(*plant, *motion, *ws, tau);
    for (int i = 0; i < tau.size(); ++i) {
      const double target = start(i) + (i == 0 ? 0.25 * t : 0.0);
      tau(i) += (i < 4 ? 600.0 : 100.0) * (target - q(i)) - (i < 4 ? 40.0 : 4.0) * v(i);
    }
  };
  return b;
}

}  // namespace

std::vector<BenchScene> all_scenes(const std::string& humanoid) {
  BenchScene dropped{"quadruped dropped", on_ground(1e-3, 0.8), 4.0};
  add_robot(dropped.scene, "quadruped", {}, 1.0, 0.8);
  BenchScene falling{"humanoid falling", on_ground(1e-3, 0.8), 5.0};
  add_robot(falling.scene, "humanoid", {{"hip_pitch_l", -0.4}, {"hip_pitch_r", -0.3}}, 1.1, 0.8);
  BenchScene bars{"four-bar", {}, 4.0};
  bars.scene.options.step = 1e-3;
  add_robot(bars.scene, "fourbar", {}, 0.0, 0.8);
  bars.scene.robots[0].options.contact = false;
  std::vector<BenchScene> all{standing(), dropped, falling, stack(), pushing(), spheres(), bars};
  if (!humanoid.empty()) all.insert(all.begin() + 3, falling_file(humanoid));
  return all;
}

}  // namespace contact_bench
