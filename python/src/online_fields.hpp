#pragma once

#include "identify_fields.hpp"
#include "ulna/identify/online/online_estimator.hpp"

namespace ulna::python {

template <>
struct Words<identify::OnlineEstimator::Outcome> {
  using enum identify::OnlineEstimator::Outcome;
  static constexpr identify::OnlineEstimator::Outcome all[] = {learned, doubted, changed, ignored,
                                                               restored};
  static constexpr std::string_view names[] = {"learned", "doubted", "changed", "ignored",
                                               "restored"};
};

ULNA_PYTHON_FIELDS(identify::OnlineOptions, rate_hz, memory, correlated, outlier, noise_memory,
                   patience, least_change, changing, wander, slow, prior, gravity)

}  // namespace ulna::python
