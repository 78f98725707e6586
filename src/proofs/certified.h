// What `map --certificate` does after the search. The Python package does the same.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.h"
#include "tilewright/certificate.h"
#include "tilewright/map.h"

namespace tilewright::cli {

// What the checker makes of the mapper's claim.
certificate::Proven certified(const Inputs& inputs, const MapOptions& options,
                              const MapOutcome& outcome);
// Why there is no certificate; empty if there is one.
std::vector<std::string> complaints_of(const certificate::Proven& proven);

}  // namespace tilewright::cli
