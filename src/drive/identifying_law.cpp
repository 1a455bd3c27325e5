#include <cmath>

#include "ulna/drive/controller.hpp"
#include "ulna/mpc/reentry.hpp"

namespace ulna::drive {

struct IdentifyingLaw::Parts {
  Parts(const Model& model, mpc::MotionReference m, const IdentifyingOptions& options)
      : motion(std::move(m)),
        duration(options.duration),
        controller(model, options.control),
        way(
            [this](double time, Vector& q, Vector& v) {
              motion(std::max(0.0, time - begins), q, v);
              if (time < begins) v.setZero();
            },
            options.speed, options.acceleration),
        q(model.nq()),
        v(model.nv()) {
    controller.follow([this](double time, Vector& to_q, Vector& to_v) { way(time, to_q, to_v); });
  }

  mpc::MotionReference motion;
  double duration, begins = 0.0;  ///< the motion's time 0
  mpc::IdentifyingController controller;
  mpc::Reentry way;
  Vector q, v;
  double squares = 0.0, largest = 0.0;
  long followed = 0;
};

IdentifyingLaw::IdentifyingLaw(const Model& model, mpc::MotionReference motion,
                               const IdentifyingOptions& options)
    : parts_(std::make_unique<Parts>(model, std::move(motion), options)) {}
IdentifyingLaw::~IdentifyingLaw() = default;

void IdentifyingLaw::begin(double time, const rig::Reading& reading) {
  Parts& p = *parts_;
  // the motion waits at its beginning until the robot is there
  p.begins = infinity;
  p.way.stay(reading.q);
  p.way.join(time, reading.q, Vector::Zero(reading.v.size()));
  p.begins = p.way.joined_at();
  // the first plan takes many periods
  (void)p.controller.act(time, reading.q, reading.v);
  p.controller.sent(reading.tau);
  p.controller.update(time, reading.q, reading.v, reading.tau);
}

void IdentifyingLaw::act(double time, const rig::Reading& reading, Vector& tau) {
  tau = parts_->controller.act(time, reading.time, reading.q, reading.v);
}

void IdentifyingLaw::update(double time, const rig::Reading& reading, const Vector&) {
  Parts& p = *parts_;
  if (p.way.joined_at() <= time && reading.fresh) {
    p.way(reading.time, p.q, p.v);
    p.q -= reading.q;
    p.squares += p.q.squaredNorm() / double(p.q.size());
    p.largest = std::max(p.largest, p.q.lpNorm<Eigen::Infinity>());
    ++p.followed;
  }
  p.controller.update(time, reading.q, reading.v, reading.tau);
}

void IdentifyingLaw::sent(double time, const Vector& tau, const supervise::Supervisor& supervisor) {
  Parts& p = *parts_;
  const bool runs = supervisor.state() == supervise::State::run;
  if (!runs)
    p.way.stay(supervisor.q());
  else if (p.way.stays())
    p.way.join(time, supervisor.q(), supervisor.v());
  p.controller.sent(tau);
  p.controller.learn(runs);
}

const Plant<double>* IdentifyingLaw::plant() const { return &parts_->controller.plant(); }
bool IdentifyingLaw::is_done(double time) const {
  return time - parts_->begins >= parts_->duration;
}
mpc::IdentifyingController& IdentifyingLaw::controller() { return parts_->controller; }
double IdentifyingLaw::tracking_rms() const {
  return parts_->followed > 0 ? std::sqrt(parts_->squares / double(parts_->followed)) : 0.0;
}
double IdentifyingLaw::largest_error() const { return parts_->largest; }

}  // namespace ulna::drive
