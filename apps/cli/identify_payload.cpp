#include "identify_payload.hpp"

#include <cmath>

#include "table.hpp"

namespace ulna::cli {
namespace {

using namespace identify;

std::string with_deviation(double value, double deviation) {
  return std::isfinite(deviation) ? fmt::format("{} +- {}", figure(value, 4), figure(deviation, 2))
                                  : std::string("unknown");
}

}  // namespace

std::string payload_in_words(const LinkPayload& payload) {
  std::string text = with_deviation(payload.mass, payload.mass_deviation) + " kg";
  if (payload.state == LinkPayload::State::none) text = "none that weighs anything, " + text;
  if (payload.state == LinkPayload::State::unseen) text = "not seen, " + text;
  text += fmt::format(" on '{}'", payload.link);
  if (payload.state == LinkPayload::State::found) {
    const auto axis = [&](int i) {
      return with_deviation(payload.com(i), payload.com_deviation(i));
    };
    text += fmt::format(", centre of mass at {}, {}, {} m in its frame", axis(0), axis(1), axis(2));
    const auto moment = [&](int i) {
      return with_deviation(payload.rotational(i, i), payload.rotational_deviation(i, i));
    };
    text += fmt::format("; inertia about it {}, {}, {} kg m^2", moment(0), moment(1), moment(2));
  }
  if (payload.samples_without > 0)
    text +=
        fmt::format("; {} % of the torque with it is not explained", figure(payload.percent, 3));
  return text;
}

Json payload_json(const Identification& r) {
  if (!r.payload) return {};
  const LinkPayload& p = *r.payload;
  Json helpful = Json::array();
  for (const PayloadMotion& m : p.helpful)
    helpful.push_back({{"joint", m.joint.empty() ? Json() : Json(m.joint)},
                       {"low", m.low},
                       {"high", m.high},
                       {"mass_deviation", m.mass_deviation},
                       {"com_deviation", m.com_deviation}});
  return merged({ULNA_FIELDS(p, link, mass, mass_deviation, com, com_deviation, rotational,
                             rotational_deviation, added, unconstrained, deviation, percent,
                             without_percent, feature_changes, samples, samples_without, reasons),
                 {{"state", to_string(p.state)},
                  {"friction_change", r.weighing.friction_change},
                  {"robot_deviation", r.weighing.robot_deviation},
                  {"helpful", helpful}}});
}

}  // namespace ulna::cli
