// What `map` does apart from reading files and printing: from options as they are written
// to a search, and from its outcome to complaints. The Python package does the same.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "tilewright/map.h"

namespace tilewright::cli {

// The options of a search. The caller says who may cancel it and who hears of progress.
Checked<MapOptions> map_options(const MapCommandOptions& options, const Inputs& inputs);

// Maps the workload of the inputs; a certificate that is to follow has its share of the time.
MapOutcome map_one(const Inputs& inputs, const MapOptions& options, bool with_certificate);

// Why there is no mapping, in the lines that are complained about, and the exit code.
struct MapFailure {
  std::vector<std::string> lines;
  int code = kBadInput;
};
MapFailure failure_of(const MapOptions& options, const MapOutcome& outcome);

}  // namespace tilewright::cli
