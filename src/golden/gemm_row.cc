// Rows of .csv files: how they are written.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "golden/read_cases.h"

namespace tilewright::golden {
namespace {

constexpr std::string_view kHeading =
    "layer,X,Y,Z,tiling,X_bounds,Y_bounds,Z_bounds,walk_dram,walk_sram,keep_sram,keep_rf,"
    "energy_pj,cycles";
constexpr std::size_t kFields = 14;

std::optional<DimId> dim_named(std::string_view name) {
  for (std::size_t d = 0; d < kGemmDims.size(); ++d) {
    if (name == kGemmDims[d]) return DimId{static_cast<int>(d)};
  }
  return std::nullopt;
}

std::optional<std::uint32_t> kept_bits(std::string_view names) {
  std::uint32_t bits = 0;
  if (names == "-") return bits;
  for (const std::string_view name : split(names, '+')) {
    std::size_t tensor = 0;
    while (tensor < kGemmTensors.size() && name != kGemmTensors[tensor]) ++tensor;
    if (tensor == kGemmTensors.size()) return std::nullopt;
    bits |= 1U << tensor;
  }
  return bits;
}

// What is wrong with a row; nothing if all is well.
using Complaint = std::optional<std::string>;

// Bounds DRAM x SRAM x array x register file of one dimension.
Complaint read_bounds(std::string_view text, std::array<std::int64_t, 4>& bounds) {
  const auto parts = split(text, 'x');
  bool good = parts.size() == bounds.size();
  for (std::size_t i = 0; good && i < bounds.size(); ++i) {
    bounds[i] = number_in<std::int64_t>(parts[i]).value_or(0);
    good = bounds[i] >= 1;
  }
  if (good) return std::nullopt;
  return fmt::format("\"{}\" is not four bounds such as 2x32x16x1", text);
}

Complaint read_tiling(const std::vector<std::string_view>& fields, GemmRow& row) {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto size = number_in<std::int64_t>(fields[1 + d]);
    if (!size) return fmt::format("\"{}\" is not a size", fields[1 + d]);
    row.sizes[d] = *size;
    if (auto complaint = read_bounds(fields[5 + d], row.bounds[d])) return complaint;
  }
  return std::nullopt;
}

Complaint read_order_and_keeping(const std::vector<std::string_view>& fields, GemmRow& row) {
  for (std::size_t m = 0; m < 2; ++m) {
    const auto walking = dim_named(fields[8 + m]);
    if (!walking) {
      return fmt::format("\"{}\" is none of the dimensions X, Y and Z", fields[8 + m]);
    }
    const auto kept = kept_bits(fields[10 + m]);
    if (!kept) return fmt::format("\"{}\" is neither - nor names such as A+B+P", fields[10 + m]);
    row.walking[m] = *walking;
    row.kept[m] = *kept;
  }
  return std::nullopt;
}

Complaint read_expected_fields(const std::vector<std::string_view>& fields, GemmRow& row) {
  const auto energy = number_in<double>(fields[12]);
  if (!energy || !std::isfinite(*energy)) return fmt::format("\"{}\" is no energy", fields[12]);
  row.energy_pj = *energy;
  row.cycles = number_in<std::int64_t>(fields[13]).value_or(-1);
  if (row.cycles < 0) return fmt::format("\"{}\" is no number of cycles", fields[13]);
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> check_gemm_heading(std::string_view heading,
                                             const SourcePosition& where) {
  if (heading == kHeading) return std::nullopt;
  return Diagnostic{where, "the heading is not that of a file of GEMM cases",
                    fmt::format("write \"{}\"", kHeading)};
}

Checked<GemmRow> read_gemm_row(std::string_view text, const SourcePosition& where) {
  const auto fields = split(text, ',');
  GemmRow row;
  row.where = where;
  Complaint complaint;
  if (fields.size() != kFields) {
    complaint = fmt::format("the row has {} fields, not {}", fields.size(), kFields);
  } else {
    row.layer = fields[0];
    row.tiling = fields[4];
    complaint = read_tiling(fields, row);
    if (!complaint) complaint = read_order_and_keeping(fields, row);
    if (!complaint) complaint = read_expected_fields(fields, row);
  }
  if (complaint) return {std::nullopt, {gemm_complaint(where, *complaint)}};
  return {row, {}};
}

}  // namespace tilewright::golden
