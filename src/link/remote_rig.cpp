#include "ulna/link/remote_rig.hpp"

#include <algorithm>

#include "link/link_parts.hpp"

namespace ulna::link {

struct RemoteRig::Parts {
  Parts(const Model& m, const std::string& a)
      : model(m), address(a), names(m.velocity_names()), last(m) {
    order.resize(names.size());
  }
  ~Parts() { ulna_link_controller_close(&side); }

  /// Finds the model's joints in what the robot says; false: it is another robot. Allocates nothing.
  bool fits() noexcept {
    if (side.about.joints != int(names.size())) return false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      int found = -1;
      for (int k = 0; k < side.about.joints; ++k)
        if (names[i] == side.about.name[k]) found = k;
      if (found < 0) return false;
      const bool slides = model.joint_of_coordinate(int(i)).type == JointType::prismatic;
      if (side.about.kind[found] != (slides ? ULNA_LINK_SLIDES : ULNA_LINK_TURNS)) return false;
      order[i] = found;
    }
    return true;
  }
  /// What it says, where that is not the model.
  std::string misfit() const;
  void describe();

  Model model;
  std::string address;
  std::vector<std::string> names;
  std::vector<int> order;  ///< the robot's number of each of the model's joints
  rig::Reading last;
  About about;
  std::uint32_t session = 0;  ///< that was compared with the model
  bool known = false, fitting = false, any = false;
  std::uint64_t sessions = 0;
  ulna_link_controller side;
  std::array<double, ULNA_LINK_MAX_JOINTS> tau{};
};

std::string RemoteRig::Parts::misfit() const {
  const auto joints = [](const auto& list) {
    std::string text;
    for (const auto& name : list) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
  };
  for (std::size_t i = 0; i < names.size(); ++i)
    for (int k = 0; k < side.about.joints; ++k)
      if (names[i] == side.about.name[k]) {
        const bool slides = model.joint_of_coordinate(int(i)).type == JointType::prismatic;
        if (side.about.kind[k] != (slides ? ULNA_LINK_SLIDES : ULNA_LINK_TURNS))
          return messages::message("joint '", names[i], "' ", slides ? "slides" : "turns",
                                   " in the model, and does not on the robot");
      }
  return messages::message("the robot's joints are ", joints(about.joints),
                           "; those of the model '", model.name(), "' are ", joints(names),
                           ". Give the model that the robot has, or name its joints alike");
}

void RemoteRig::Parts::describe() {
  about = About{};
  about.period = side.about.period, about.watchdog = side.about.watchdog;
  about.sensors = TorqueSensors(side.about.torque_side);
  for (int i = 0; i < side.about.joints; ++i) {
    about.joints.emplace_back(side.about.name[i]);
    about.slides.push_back(side.about.kind[i] == ULNA_LINK_SLIDES);
  }
}

RemoteRig::RemoteRig(const Model& model, const std::string& address, const RemoteOptions& options) {
  require_single_coordinates(model);
  messages::require(options.late_after > 0.0 && options.silent_after > 0.0,
                    "remote rig: times must be above 0");
  parts_ = std::make_unique<Parts>(model, address);
  ulna_link_controller_init(&parts_->side);
  if (ulna_link_controller_open(&parts_->side, address.c_str()) != 0)
    throw address_error(address, errno);
  parts_->side.late_after = options.late_after, parts_->side.silent_after = options.silent_after;
}
RemoteRig::~RemoteRig() = default;

void RemoteRig::connect(double seconds) {
  Parts& p = *parts_;
  rig::Reading reading(p.model);
  const double end = monotonic() + seconds;
  while (!read(reading)) {
    if (p.known && !p.fitting) {
      p.describe();
      throw LinkError(p.address + ": " + p.misfit());
    }
    if (monotonic() > end)
      throw LinkError(p.address + (p.side.refused ? ": another controller drives the robot"
                                                  : ": no robot at this address; is it running?"));
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  p.describe();
}

const Model& RemoteRig::model() const noexcept { return parts_->model; }

bool RemoteRig::read(rig::Reading& reading) noexcept {
  Parts& p = *parts_;
  const bool fresh = ulna_link_controller_step(&p.side, monotonic()) != 0;
  if (p.side.session != p.session) {
    p.session = p.side.session;
    if (p.session) p.known = true, p.fitting = p.fits(), ++p.sessions;
  }
  if (!p.fitting) return false;
  p.last.fresh = fresh;
  if (fresh) {
    p.any = true;
    p.last.time = p.side.measured_at;
    for (std::size_t i = 0; i < p.order.size(); ++i) {
      const auto at = Eigen::Index(i);
      p.last.q(at) = p.side.q[p.order[i]];
      p.last.v(at) = p.side.v[p.order[i]];
      p.last.tau(at) = p.side.tau[p.order[i]];
    }
  }
  if (p.any) reading = p.last;
  return p.any;
}

bool RemoteRig::write(const Eigen::Ref<const Eigen::VectorXd>& tau) noexcept {
  Parts& p = *parts_;
  if (!p.fitting || !p.any || p.side.session == 0 || p.side.session != p.session) return false;
  if (tau.size() != Eigen::Index(p.order.size()) || !tau.allFinite()) return false;
  if (p.side.status & ULNA_LINK_SILENCED) return false;
  for (std::size_t i = 0; i < p.order.size(); ++i)
    p.tau[std::size_t(p.order[i])] = tau(Eigen::Index(i));
  return ulna_link_controller_send(&p.side, monotonic(), p.tau.data()) == 0;
}

bool RemoteRig::hold() noexcept {
  return ulna_link_controller_send(&parts_->side, monotonic(), nullptr) == 0;
}

bool RemoteRig::holds() const noexcept {
  const Health h = health();
  return h.connected && h.holds;
}

double RemoteRig::now() const noexcept {
  const double time = monotonic();
  return parts_->any ? ulna_link_controller_clock(&parts_->side, time) : time;
}

const About& RemoteRig::about() const { return parts_->about; }

Health RemoteRig::health() const noexcept {
  const ulna_link_controller& side = parts_->side;
  const auto is = [&](unsigned bit) { return (side.status & bit) != 0; };
  return {side.session != 0,   is(ULNA_LINK_HOLDS),  is(ULNA_LINK_SILENCED),
          is(ULNA_LINK_FAULT), is(ULNA_LINK_BRAKED), is(ULNA_LINK_OVERRUN)};
}

Traffic RemoteRig::traffic() const noexcept {
  Traffic t = traffic_of(parts_->side);
  t.superseded = parts_->side.superseded, t.sessions = parts_->sessions;
  return t;
}

double RemoteRig::round_trip() const noexcept { return parts_->side.round_trip; }

}  // namespace ulna::link
