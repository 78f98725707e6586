// Networks as graphs, in YAML (docs/networks.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/workload.h"

namespace tilewright::io {

// Whether a network's text is YAML rather than comma-separated values.
bool is_graph_text(std::string_view text);

// `sizes` are as on the command line: "tokens=8192".
Checked<Network> read_graph(std::string_view text, const std::string& file,
                            const std::vector<std::string>& sizes);

}  // namespace tilewright::io
