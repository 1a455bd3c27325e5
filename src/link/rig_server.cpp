#include "ulna/link/rig_server.hpp"

#include "link/link_parts.hpp"
#include "rig/hold_law.hpp"

namespace ulna::link {

struct RigServer::Parts {
  Parts(rig::Rig& r, const Model& model)
      : rig(r), reading(model), law(model), plant(model), tau(model.nv()) {}
  ~Parts() {
    (void)rig.hold();
    ulna_link_robot_close(&side);
  }

  void hold() noexcept {
    if (!holds) can_hold = rig.hold(), law.begin();
    holds = true;
    if (!can_hold && any) (void)rig.write(law.torque(plant, reading.q, reading.v));
  }

  rig::Rig& rig;
  rig::Reading reading;
  rig::HoldLaw law;
  Plant<double> plant;
  Eigen::VectorXd tau;
  bool any = false, holds = false, can_hold = false, overrun = false, fault = false,
       refused = false;  ///< the rig did not take the torques that are in force
  ulna_link_robot side;
};

RigServer::RigServer(rig::Rig& rig, const std::string& address, const ServerOptions& options) {
  const Model& model = rig.model();
  require_single_coordinates(model);
  messages::require(
      options.period > 0.0 && options.watchdog >= 2.0 * options.period &&
          options.late_after >= 0.0 &&
          (options.late_after == 0.0 || options.late_after >= 2.0 * options.period),
      "rig server: watchdog and late_after need at least two periods, and times above 0");
  ulna_link_about about{};
  about.joints = model.nv();
  about.period = options.period, about.watchdog = options.watchdog;
  about.torque_side = int(options.sensors);
  const std::vector<std::string> names = model.velocity_names();
  for (int i = 0; i < model.nv(); ++i) {
    const std::string& name = names[std::size_t(i)];
    messages::require(name.size() <= ULNA_LINK_MAX_NAME, "joint '", name,
                      "' has a name of more than ", ULNA_LINK_MAX_NAME, " bytes");
    name.copy(about.name[i], ULNA_LINK_MAX_NAME);
    about.kind[i] = model.joint_of_coordinate(i).type == JointType::prismatic ? ULNA_LINK_SLIDES
                                                                              : ULNA_LINK_TURNS;
  }
  auto parts = std::make_unique<Parts>(rig, model);
  if (ulna_link_robot_open(&parts->side, address.c_str(), &about) != 0) {
    const int error = errno;
    throw address_error(address, error);
  }
  if (options.late_after > 0.0) parts->side.late_after = options.late_after;
  parts_ = std::move(parts);
}
RigServer::~RigServer() = default;

void RigServer::take() noexcept {
  Parts& p = *parts_;
  if (!p.any) p.any = p.rig.read(p.reading);
  if (ulna_link_robot_step(&p.side, p.rig.now(), p.tau.data())) {
    p.refused = !p.rig.write(p.tau);
  } else {
    p.refused = false;
  }
  if (driven() && !p.refused)
    p.holds = false;
  else
    p.hold();
}

void RigServer::send() noexcept {
  Parts& p = *parts_;
  if (!p.rig.read(p.reading)) return;
  p.any = true;
  // who reads again what was read before measures nothing: no state
  if (!p.reading.fresh) return;
  unsigned status = 0;
  if (p.overrun) status |= ULNA_LINK_OVERRUN;
  if (p.fault) status |= ULNA_LINK_FAULT;
  if (p.refused) status |= ULNA_LINK_FAULT | ULNA_LINK_HOLDS;
  ulna_link_robot_send(&p.side, p.rig.now(), p.reading.time, p.reading.q.data(), p.reading.v.data(),
                       p.reading.tau.data(), status);
}

void RigServer::set_health(bool overrun, bool fault) noexcept {
  parts_->overrun = overrun, parts_->fault = fault;
}
bool RigServer::connected() const noexcept { return parts_->side.session != 0; }
bool RigServer::driven() const noexcept { return parts_->side.driven != 0; }
Traffic RigServer::traffic() const noexcept {
  Traffic t = traffic_of(parts_->side);
  t.sessions = parts_->side.sessions;
  return t;
}

}  // namespace ulna::link
