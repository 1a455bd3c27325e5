// The torques that hold a robot still: hold_still [ROBOT], an embedded name or a file.
#include <cstdio>
#include <exception>
#include <ulna/ulna.hpp>

int main(int argc, char** argv) try {
  const ulna::Model model = ulna::load_robot(argc > 1 ? argv[1] : "panda").model;
  const Eigen::VectorXd q = ulna::neutral(model);
  const Eigen::VectorXd tau = ulna::gravity_torque(model, q);

  std::printf("holding %s still takes\n\n", model.name().c_str());
  std::printf("  %-24s %12s %14s\n", "joint", "q", "torque");
  for (int i = 0; i < model.nv(); ++i)
    std::printf("  %-24s %12.4f %11.4f Nm\n", model.velocity_names()[i].c_str(), q(i), tau(i));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
