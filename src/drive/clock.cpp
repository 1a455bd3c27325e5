#include "ulna/drive/clock.hpp"

#include <cerrno>
#include <ctime>

namespace ulna::drive {

double RealClock::now() const noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

void RealClock::sleep_until(double time) noexcept {
  timespec t{};
  t.tv_sec = time_t(time);
  t.tv_nsec = long((time - double(t.tv_sec)) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

SimulatedClock::SimulatedClock(rig::SimulatedRobot& robot)
    : rig_(robot), advance_([&robot](double s) { (void)robot.advance(s); }) {}
SimulatedClock::SimulatedClock(rig::TestRig& rig)
    : rig_(rig), advance_([&rig](double s) { (void)rig.advance(s); }) {}

void SimulatedClock::sleep_until(double time) noexcept {
  if (const double left = time - now(); left > 1e-9) advance_(left);
}

}  // namespace ulna::drive
