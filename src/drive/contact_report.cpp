#include "drive/contact_report.hpp"

#include <algorithm>
#include <cmath>

#include "drive/contact_search.hpp"
#include "num/message.hpp"
#include "ulna/rig/reality.hpp"

namespace ulna::drive {

using messages::message;

bool ContactReport::found(std::string_view name) const {
  return std::ranges::any_of(findings, [&](const ContactFinding& f) { return f.name == name; });
}

namespace {

class Judge {
 public:
  Judge(const Model& model, const ContactData& data, const ContactOptions& options,
        ContactReport& report)
      : model_(model),
        data_(data),
        options_(options),
        report_(report),
        effort_(rig::nominal_efforts(model)) {}

  void compare() {
    ContactMisfit misfit(model_, data_);
    report_.misfit_before = misfit(report_.wiring);
    for (ContactMistake& m : find_mistakes(model_, misfit, report_.wiring))
      report_.findings.push_back({std::move(m.name), std::move(m.joints), std::move(m.text)});
    report_.misfit = misfit(report_.wiring);
    deficit_noise_ = misfit.deficit_noise;
    const rig::Wiring& w = report_.wiring;
    for (Eigen::Index i = 0; i < effort_.size(); ++i) {
      JointContact& joint = report_.joints[std::size_t(i)];
      const int from = w.reading[std::size_t(i)], to = w.command[std::size_t(i)];
      const double drive = std::abs(w.drive(i));
      joint.q = misfit.q(i), joint.holding = misfit.holding(i), joint.gravity = misfit.gravity(i);
      joint.position_noise = std::abs(w.position(i)) * data_.position_noise(from);
      joint.velocity_noise = std::abs(w.velocity(i)) * data_.velocity_noise(from);
      joint.torque_noise = std::abs(w.torque(i)) * data_.torque_noise(from);
      joint.friction = misfit.friction(i), joint.damping = misfit.damping(i);
      joint.breakaway = data_.breakaway(to) / drive;
      joint.response = misfit.response(i);
      joint.sensor_gain = misfit.sensor_gain(i), joint.sensor_deficit = misfit.sensor_deficit(i);
      if (data_.has_torques)
        report_.gravity_error =
            std::max(report_.gravity_error, std::abs(joint.holding - joint.gravity));
    }
    if (report_.misfit >= 1.0)
      report_.findings.push_back(
          {"unexplained",
           {},
           message("the robot does not respond as the model predicts (misfit ", report_.misfit,
                   ", below 1 it fits), and no single mistake explains it: check the model's "
                   "masses, and "
                   "whether something touches the robot")});
    find_torque_side();
    find_gravity();
    if (data_.delay > options_.delay_limit)
      report_.findings.push_back({"delay",
                                  {},
                                  message("torques act, or readings show it, ", 1e3 * data_.delay,
                                          " ms late beyond sampling")});
  }

 private:
  /// Sensors behind the gear do not see friction.
  void find_torque_side() {
    report_.sensors = data_.has_torques ? options_.sensors : link::TorqueSensors::none;
    if (!data_.has_torques) return;
    double weight = 0.0, unseen = 0.0;
    for (const JointContact& joint : report_.joints) {
      const auto i = &joint - report_.joints.data();
      const double effort = effort_(i), f = joint.friction / effort;
      // as far as noise lets it be seen
      const double off = deficit_noise_(i) / std::max(joint.friction, 1e-12),
                   trust = 1.0 / (1.0 + off * off);
      weight += trust * f * f, unseen += trust * f * joint.sensor_deficit / effort;
    }
    // friction below a thousandth of the effort is too little to see the side
    if (weight < 1e-6 * double(effort_.size())) return;
    report_.sensors =
        unseen > 0.5 * weight ? link::TorqueSensors::link_side : link::TorqueSensors::motor_side;
    if (report_.sensors == options_.sensors) return;
    report_.findings.push_back(
        {"torque-side",
         {},
         message("torques are measured on the ", to_string(report_.sensors), " side, not on the ",
                 to_string(options_.sensors), " side: ",
                 report_.sensors == link::TorqueSensors::link_side ? "sensors do not see friction"
                                                                   : "sensors see friction")});
  }

  void find_gravity() {
    for (const JointContact& joint : report_.joints) {
      const double tolerated =
          0.1 * std::abs(joint.gravity) + joint.friction + 0.02 * effort_.maxCoeff();
      if (!data_.has_torques || std::abs(joint.holding - joint.gravity) <= tolerated) continue;
      report_.findings.push_back({"gravity",
                                  {int(&joint - report_.joints.data())},
                                  message("the model holds the arm with ", joint.gravity, " where ",
                                          joint.holding, " was measured")});
    }
  }

  const Model& model_;
  const ContactData& data_;
  const ContactOptions& options_;
  ContactReport& report_;
  Eigen::VectorXd effort_, deficit_noise_;
};

}  // namespace

void judge_contact(const Model& model, const ContactData& data, const ContactOptions& options,
                   ContactReport& report) {
  Judge(model, data, options, report).compare();
}

}  // namespace ulna::drive
