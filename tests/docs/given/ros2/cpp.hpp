// block 1
if (!ulna::ros2::has_dds()) return;
ulna::rig::TestRig simulated(model);
simulated.start(q);
ulna::ros2::DdsRobot other_side(simulated, {.network = {.domain = 3}});
const std::jthread robot([&](const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    other_side.take();
    (void)simulated.advance(1e-3);
    other_side.send();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
});
bool running = true;
int periods = 0;
const auto law = [&](const ulna::rig::Reading& now) { return ulna::gravity_torque(model, now.q); };
const auto wait_for_next_period = [&] {
  running = ++periods < 20;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
};
