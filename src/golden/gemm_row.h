// Matrix products as rows of a .csv file, and as cases.
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

}  // namespace tilewright::golden
