// The cases of both formats: matrix products as rows of a .csv file, others as JSON.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "golden/golden.h"

namespace tilewright::golden {

inline constexpr std::array<std::string_view, 3> kGemmDims = {"X", "Y", "Z"};
inline constexpr std::array<std::string_view, 3> kGemmTensors = {"A", "B", "P"};

// Nothing if the heading is the one that rows stand under.
std::optional<Diagnostic> check_gemm_heading(std::string_view heading, const SourcePosition& where);
Checked<GemmRow> read_gemm_row(std::string_view text, const SourcePosition& where);
// What is wrong with a row, and where to read what would be right.
Diagnostic gemm_complaint(const SourcePosition& where, std::string message);

// One line of a .jsonl file.
Checked<Case> read_json_case(std::string_view line, const SourcePosition& where);

// Brings the parts together, or says why they do not fit.
Checked<Case> make_case(std::string id, Workload workload, Architecture arch,
                        const SourcePosition& where);

}  // namespace tilewright::golden
