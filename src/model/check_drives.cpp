#include <cmath>
#include <set>

#include "check.hpp"
#include "ulna/model/rules.hpp"

namespace ulna::detail {

void Checker::springs() {
  for (const JointDescription& joint : d_.joints) {
    if (!joint.spring) continue;
    if (velocity_size(joint.type) != 1 || joint.mimic)
      report(rules::spring_joint, joint,
             joint.mimic ? "a joint that mimics another has a spring"
                         : "a " + std::string(to_string(joint.type)) + " joint has a spring");
    const Spring& spring = *joint.spring;
    for (const auto& [what, value] : {std::pair{"stiffness", spring.stiffness},
                                      {"hardening", spring.hardening},
                                      {"damping", spring.damping}}) {
      const std::string name = std::string(what) + " of the spring";
      if (!std::isfinite(value))
        report(rules::number_invalid, joint, name + " is not finite");
      else if (value < 0.0)
        report(rules::spring_range, joint, name + " " + number(value) + " is negative");
    }
    if (spring.stiffness == 0.0) report(rules::spring_range, joint, "stiffness of the spring is 0");
  }
}

void Checker::motor(MotorDescription& motor) {
  if (motor.gears.empty()) report(rules::motor_joint, motor, "drives no joint");
  std::set<std::string_view> driven;
  for (const Gear& g : motor.gears) {
    if (!driven.insert(g.joint).second)
      report(rules::motor_joint, motor, quoted("drives joint", g.joint) + " twice");
    gear(motor, g);
  }
  if (!motor.mount) return;
  resolve(motor, "link", motor.mount->link);
  make_unit(motor.mount->axis, motor);
}

void Checker::gear(const MotorDescription& motor, const Gear& gear) {
  const auto found = find(joints_, gear.joint);
  if (!found)
    return report(rules::motor_joint, motor,
                  quoted("joint", gear.joint) + " is unknown" + advice(joints_, gear.joint));
  const JointDescription& joint = d_.joints[*found];
  if (velocity_size(joint.type) != 1)
    report(rules::motor_joint, motor,
           quoted("joint", gear.joint) + " is " + std::string(to_string(joint.type)));
  else if (joint.mimic)
    report(rules::motor_joint, motor,
           quoted("joint", gear.joint) + quoted(" mimics", joint.mimic->joint));
  if (!std::isfinite(gear.ratio))
    report(rules::number_invalid, motor, "the ratio is not finite");
  else if (gear.ratio == 0.0)
    report(rules::motor_ratio, motor, quoted("ratio of joint", gear.joint) + " is 0");
}

}  // namespace ulna::detail
