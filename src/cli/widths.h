// The option --bits: widths of elements in place of those that workloads say.
#pragma once

#include <string>
#include <vector>

#include "tilewright/workload.h"

namespace tilewright::cli {

inline constexpr std::int64_t kMostBits = 65536;

// "16": of every element; "I=8,W=4,output=32": by the name of a tensor or by its role. Names
// are of any of the workloads; those that a workload lacks leave it alone. Empty: nothing.
std::vector<Diagnostic> set_widths(const std::string& widths,
                                   const std::vector<Workload*>& workloads);

// The same in the layers and in the graph of a network.
std::vector<Diagnostic> set_widths(const std::string& widths, Network& network);

}  // namespace tilewright::cli
