#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "remote_robot.hpp"

namespace ulna::cli {

/// A law whose estimates, and what its supervisor does, are sent to whoever listens at the robot's address, once a second and at
/// the end. The loop leaves a copy where the thread that sends is not looking just then.
class PublishedLaw final : public drive::Controller {
 public:
  /// A robot that is simulated here is none: null.
  PublishedLaw(drive::IdentifyingLaw& law, RemoteRobot* robot) : law_(law), robot_(robot) {
    if (!robot || !robot->publishes()) return;
    names_ = estimator().model().names();
    values_ = copied_ = estimator().z().head(std::ssize(names_));
    thread_ = std::thread([this] { run(); });
  }
  ~PublishedLaw() override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void begin(double time, const rig::Reading& reading) override { law_.begin(time, reading); }
  void act(double time, const rig::Reading& reading, Vector& tau) override {
    law_.act(time, reading, tau);
  }
  void update(double time, const rig::Reading& reading, const Vector& sent) override {
    law_.update(time, reading, sent);
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock && thread_.joinable()) copied_ = estimator().z().head(copied_.size());
  }
  void sent(double time, const Vector& tau, const supervise::Supervisor& supervisor) override {
    law_.sent(time, tau, supervisor);
    state_ = supervisor.state(), cause_ = supervisor.cause();
  }
  const Plant<double>* plant() const override { return law_.plant(); }
  bool is_done(double time) const override { return law_.is_done(time); }

 private:
  const identify::OnlineEstimator& estimator() const { return law_.controller().estimator(); }

  void run() {
    bool ends = false;
    while (!ends) {
      {
        std::unique_lock lock(mutex_);
        ends = wake_.wait_for(lock, std::chrono::seconds(1), [this] { return ending_; });
        values_ = copied_;
      }
      robot_->publish(names_, values_, state_, cause_);
    }
  }

  drive::IdentifyingLaw& law_;
  RemoteRobot* robot_;
  std::vector<std::string> names_;
  Vector values_, copied_;  ///< of the thread, and of the loop
  std::atomic<supervise::State> state_ = supervise::State::run;
  std::atomic<supervise::Cause> cause_ = supervise::Cause::none;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace ulna::cli
