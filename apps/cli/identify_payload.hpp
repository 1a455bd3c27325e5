#pragma once

#include "report.hpp"
#include "ulna/identify/identify.hpp"

namespace ulna::cli {

/// "2.01 ± 0.01 kg at 0.02, 0, 0.1 m ..., by 9,000 samples with it and 8,000 without".
std::string payload_in_words(const identify::LinkPayload& payload);
/// Null where there is none.
Json payload_json(const identify::Identification& r);

}  // namespace ulna::cli
