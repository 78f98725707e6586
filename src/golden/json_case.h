#pragma once

#include <string>
#include <string_view>

#include "golden/golden.h"

namespace tilewright::golden {

// One line of a .jsonl file.
Checked<Case> read_json_case(std::string_view line, const SourcePosition& where);

// Brings the parts together, or says why they do not fit.
Checked<Case> make_case(std::string id, Workload workload, Architecture arch,
                        const SourcePosition& where);

}  // namespace tilewright::golden
