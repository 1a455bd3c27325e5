#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "ulna/io/import.hpp"
#include "ulna/rig/test_rig.hpp"
#include "ulna/ros2/dds_robot.hpp"

// A Panda in a process of its own, over DDS, until it is ended: robot_process DOMAIN PREFIX HZ PLANT SECONDS
int main(int count, char** words) {
  using namespace ulna;
  using Clock = std::chrono::steady_clock;
  if (count != 6) return 2;
  const std::string prefix = words[2];
  const double period = 1.0 / std::atof(words[3]), seconds = std::atof(words[5]);
  const Model model = load_robot("panda").model;
  rig::TestRig rig(model, {.plant = std::string(words[4]) == "mujoco" ? rig::PlantKind::mujoco
                                                                      : rig::PlantKind::ulna});
  rig.start(Eigen::VectorXd{{0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}});
  ros2::DdsRobot robot(rig, {.network = {.domain = std::atoi(words[1])},
                             .states = prefix + "states",
                             .commands = prefix + "commands",
                             .diagnostics = prefix + "diagnostics"});
  const auto begin = Clock::now();
  long late = 0;
  for (long k = 1; rig.now() < seconds; ++k) {
    robot.take();
    (void)rig.advance(period);
    robot.send();
    const auto next = begin + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(double(k) * period));
    if (Clock::now() > next) ++late;
    std::this_thread::sleep_until(next);
  }
  std::printf("%s; %ld late periods\n", robot.traffic().report().c_str(), late);
}
