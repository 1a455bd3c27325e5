#pragma once

#include "report.hpp"
#include "ulna/geometry/propose_inertia.hpp"

/// What `ulna check --fix inertia` proposes.
namespace ulna::cli {

Json to_json(const InertiaProposals& proposals, double density);

/// A table of the proposals, what each is made of, and what there is none for.
std::string to_text(const Stream& out, const InertiaProposals& proposals, double density);

}  // namespace ulna::cli
