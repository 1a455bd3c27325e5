#include "scenes.hpp"

namespace contact_bench {

using namespace ulna;

Figures run_ulna(const BenchScene& b) {
  Diagnostics ignored;
  BuiltScene built = build_scene(b.scene, ignored);
  World& world = built.world;
  const long steps = std::lround(b.duration / b.scene.options.step);
  Figures f;
  Stopwatch watch;
  Eigen::VectorXd tau;
  std::vector<Vec3<double>> half;
  for (long i = 0; i < steps; ++i) {
    if (b.torque) {
      const int robot = built.robots[0];
      b.torque(world.q(robot), world.v(robot), world.time(), tau);
      world.set_torque(robot, tau);
    }
    watch.begin();
    const WorldStatus status = world.step();
    watch.end();
    f.good = f.good && status == WorldStatus::moved;
    if (i == steps / 2)
      for (const int body : built.bodies) half.push_back(world.pose(body).translation());
    if (i < steps / 2) continue;
    for (const WorldContact& c : world.contacts()) f.penetration = std::max(f.penetration, -c.gap);
  }
  f.steps = steps, f.seconds = watch.seconds();
  for (std::size_t i = 0; i < built.bodies.size(); ++i)
    f.drift = std::max(f.drift, (world.pose(built.bodies[i]).translation() - half[i]).norm());
  for (const WorldContact& c : world.contacts()) {
    const double n = c.force.dot(c.normal), t = (c.force - n * c.normal).norm();
    if (n > 1e-3 && t < 0.99 * c.friction * n)
      f.creep = std::max(f.creep, (c.velocity - c.velocity.dot(c.normal) * c.normal).norm());
  }
  f.energy = world.kinetic_energy();
  f.momentum = world.momentum().force.norm();
  f.residual = world.report().worst_residual;
  f.unconverged = static_cast<double>(world.report().unconverged) / static_cast<double>(steps);
  return f;
}

}  // namespace contact_bench
