// A Panda presses a ball against a wall with 10 N and wipes along it: docs/mpc.md. In the world of docs/contact.md, whose friction and
// rigid contact the plan knows by a normal and a coefficient alone. Ends with 1 if the force was off by more than 10 %.
#include <cmath>
#include <cstdio>
#include <ulna/dynamics/inverse_kinematics.hpp>
#include <ulna/ulna.hpp>

using namespace ulna;

constexpr double radius = 0.01, wall = 0.55, height = 0.5, reach = 0.12;  // m
constexpr double friction = 0.3, force = 10.0, period = 1e-3;

Model panda_with_ball() {
  Description d = load_robot("panda").model.description();
  d.links.push_back({.name = "ball",
                     .inertial = Inertial(solid_sphere(radius).with_mass(0.03)),
                     .collisions = {{"", {}, Sphere{radius}, {}}}});
  d.joints.push_back({.name = "mount",
                      .parent = "panda_link8",
                      .child = "ball",
                      .origin = Pose({0.0, 0.0, 0.08})});
  d.frames.push_back({"touch", "ball", Pose({0.0, 0.0, radius})});
  return Builder(d).build();
}

/// Configurations with the ball at the wall, from left to right, and between them by cubic polynomials.
class Way {
 public:
  explicit Way(const Model& model) {
    Eigen::VectorXd q{{0.0, -0.3, 0.0, -2.2, 0.0, 3.4, 0.785}};
    for (int pass = 0; pass < 2;
         ++pass)  // back and forth, so that both ends are reached the same way
      for (int k = 0; k <= pieces; ++k) {
        const double y = pass == 0 ? 0.0 : reach * (2.0 * k / pieces - 1.0);
        const Transform<double> pose =
            Pose({wall - 1e-3, y, height}, {0.0, M_PI / 2.0, 0.0}).transform();
        const IkResult found = inverse_kinematics(model, model.frame("touch"), pose, q);
        if (!found.found) throw std::runtime_error("out of reach: " + found.report());
        q = found.q;
        if (pass == 1) q_.push_back(q);
      }
  }
  /// At y, which changes at a rate.
  void at(double y, double rate, Eigen::VectorXd& q, Eigen::VectorXd& v) const {
    const double s = std::clamp((y / reach + 1.0) * pieces / 2.0, 1.0, pieces - 1.0 - 1e-9);
    const int k = int(s);
    const double t = s - k, per_y = pieces / (2.0 * reach);
    const Eigen::VectorXd &a = q_[k], &b = q_[k + 1], da = 0.5 * (q_[k + 1] - q_[k - 1]),
                          db = 0.5 * (q_[std::min(k + 2, pieces)] - q_[k]);
    const Eigen::VectorXd c = 3.0 * (b - a) - 2.0 * da - db, d = 2.0 * (a - b) + da + db;
    q = a + t * (da + t * (c + t * d));
    v = (da + t * (2.0 * c + 3.0 * t * d)) * (rate * per_y);
  }

 private:
  static constexpr int pieces = 60;
  std::vector<Eigen::VectorXd> q_;
};

int main() {
  const Model model = panda_with_ball();
  const Way way(model);
  const auto reference = [&](double time, Eigen::VectorXd& q, Eigen::VectorXd& v) {
    const double t = std::max(0.0, time - 1.0), w = M_PI / 2.0;  // a cycle in 4 s
    const double grown = 1.0 - std::exp(-t * t), growing = 2.0 * t * std::exp(-t * t);
    way.at(0.1 * grown * std::sin(w * t),
           0.1 * (growing * std::sin(w * t) + grown * w * std::cos(w * t)), q, v);
  };

  // docs/mpc.md shows what follows
  mpc::ControllerOptions options;
  options.identify = false;
  options.problem.contact = {.frame = "touch", .normal = {-1.0, 0.0, 0.0}, .friction = friction};
  mpc::IdentifyingController controller(model, options);
  controller.follow(reference);

  World world({.step = period});
  world.add_fixed("wall", Plane{}, Pose({wall, 0.0, 0.0}, {0.0, -M_PI / 2.0, 0.0}).transform(),
                  {.friction = friction});
  Eigen::VectorXd q(7), v(7);
  reference(0.0, q, v);
  const int robot = world.add_robot(model, q, {.material = {.friction = friction}});

  // while it slides, and at its turns, where friction changes its direction
  double least = infinity, most = 0.0, least_turning = infinity, most_turning = 0.0,
         way_wiped = 0.0;
  for (int k = 0; k < 9000; ++k) {
    const double time = k * period;
    if (k == 500) controller.press(force);
    q = world.q(robot), v = world.v(robot);
    world.set_torque(robot, controller.act(time, q, v));
    controller.update(time, q, v, world.torque(robot));
    if (world.step() != WorldStatus::moved) return std::puts("the world stands still"), 3;
    const Vec3<double> f = world.contact_wrench(robot).force;
    if (k % 500 == 0)
      std::printf("%4.1f s: force %6.2f N, friction %6.2f N\n", time, -f.x(), f.tail<2>().norm());
    if (time < 1.5) continue;
    const double speed = world.velocity(robot, model.frame("ball").body).linear.norm();
    way_wiped += period * speed;
    const bool slides = speed > 0.02;
    double &low = slides ? least : least_turning, &high = slides ? most : most_turning;
    low = std::min(low, -f.x()), high = std::max(high, -f.x());
  }
  std::printf(
      "from 1.5 s on, over %.2f m: %.2f to %.2f N while it slides, %.2f to %.2f N where it turns\n",
      way_wiped, least, most, least_turning, most_turning);
  return least > 0.9 * force && most < 1.1 * force ? 0 : 1;
}
