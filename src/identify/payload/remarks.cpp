#include "identify/messages.hpp"
#include "identify/pipeline.hpp"

namespace ulna::identify {
namespace {

/// "joint 'elbow' to and fro between -1 and 1 would make it ± 0.02 kg", ...
std::string what_helps(const LinkPayload& payload) {
  const bool by_mass =
      payload.state != LinkPayload::State::found || payload.mass_deviation > 0.1 * payload.mass;
  std::string text;
  for (const PayloadMotion& m : payload.helpful) {
    const double off = by_mass ? m.mass_deviation : m.com_deviation;
    text += message(text.empty() ? "; of motions as long, " : ", ",
                    m.joint.empty() ? std::string("all joints at once")
                                    : message("joint '", m.joint, "' to and fro between ",
                                              number(m.low, 3), " and ", number(m.high, 3)),
                    " would show it to ", number(off, 2), by_mass ? " kg" : " m");
  }
  return text;
}

}  // namespace

void remark_on_payload(Identification& result) {
  const LinkPayload& payload = *result.payload;
  const bool compared = payload.samples_without > 0;
  const auto add = [&](bool finding, const auto&... parts) {
    result.remarks.push_back({finding, message("payload on '", payload.link, "': ", parts...)});
  };
  std::string reasons;
  for (const std::string& reason : payload.reasons)
    reasons += (reasons.empty() ? "" : "; ") + reason;
  if (payload.state == LinkPayload::State::unseen)
    add(compared, "the motion does not show what it weighs, ", number(payload.mass, 3), " +- ",
        number(payload.mass_deviation, 2), " kg: ", reasons, what_helps(payload));
  else if (!reasons.empty())
    add(false, reasons, what_helps(payload));
  if (!compared) {
    add(false, "the robot's own numbers are taken to be within ",
        number(100.0 * result.weighing.robot_deviation, 3),
        " % of the truth; LogInputs::loaded, and logs of the same robot without the payload, make "
        "it more certain");
    return;
  }
  constexpr double worse = 2.0, visible = 1.0, too_much = 25.0;
  const double percent = payload.percent, own = result.chosen.fit.total_percent;
  if (!(percent <= too_much))
    add(true, number(percent, 3),
        " % of the torque with the payload is not explained: check that both logs are of the same "
        "robot, and that the payload is fixed to this link");
  else if (percent > worse * own + visible)
    add(false, number(percent, 3), " % of the torque with the payload is not explained, ",
        number(own, 3),
        " % without: what was added is more than a body that is fixed to this link, or more "
        "changed than that");
}

}  // namespace ulna::identify
