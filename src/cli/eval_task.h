// What `eval` does apart from reading files and printing. The Python package does the
// same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "tilewright/model.h"
#include "tilewright/report.h"

namespace tilewright::cli {

// Gives the inputs what a mapping says of its problem: padded dimensions and storage points.
// The problems are constraints that say nothing of points.
std::vector<Diagnostic> take_over(const Problem& mapped, Inputs& inputs);

// A problem that can run a mapping, or why there is none.
struct Ready {
  std::optional<Evaluator> evaluator;
  std::vector<Diagnostic> problems;  // names that mean nothing here, and the like
  std::vector<std::string> misfit;   // why the hardware cannot run the mapping, line by line
};
// The inputs have a workload and took over what the mapping says of its problem. Flexible
// hardware is set up for the mapping.
Ready find_ready(const Inputs& inputs, const Mapping& mapping);

// What the mapping costs there, with remarks on the inputs.
report::Result evaluated(const Evaluator& evaluator, const Mapping& mapping, Int128 useful_macs,
                         const Inputs& inputs);

// A mapping as the text of a file, evaluated; or why that cannot be.
struct Evaluated {
  std::optional<report::Result> result;
  std::vector<Diagnostic> problems;
  std::vector<std::string> misfit;  // as in Ready
};
Evaluated evaluate_text(Inputs inputs, const std::string& text, const std::string& file);

}  // namespace tilewright::cli
