// GEMM rows: P(x,y) += A(x,z) B(y,z) on DRAM, SRAM, a 16 x 16 array and a
// register file per processing element, as in GOMA's fidelity study.

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "golden/json_case.h"

namespace tilewright::golden {
namespace {

constexpr std::string_view kHeading =
    "layer,X,Y,Z,tiling,X_bounds,Y_bounds,Z_bounds,walk_dram,walk_sram,keep_sram,keep_rf,"
    "energy_pj,cycles";
constexpr std::size_t kFields = 14;
constexpr std::array<std::string_view, 3> kDims = {"X", "Y", "Z"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

template <typename T>
std::optional<T> to_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Memory memory(const char* name, Capacity capacity, double pj, bool free) {
  Memory memory;
  memory.name = name;
  memory.capacity = capacity;
  memory.read_pj = memory.write_pj = memory.update_pj = pj;
  if (free) memory.free = {"A", "B", "P"};
  return memory;
}

// The accelerator of the study; energies in pJ per word.
Architecture gemm_architecture() {
  Architecture arch;
  arch.name = "gemm_rows";
  arch.accounting = Accounting::Timeloop;
  arch.levels.emplace_back(memory("DRAM", {}, 64, false));
  arch.levels.emplace_back(memory("SRAM", {Capacity::Unit::Words, 165888}, 2.27, true));
  Fanout array;
  array.name = "array";
  array.x.size = 16;
  array.y.size = 16;
  arch.levels.emplace_back(array);
  arch.levels.emplace_back(memory("RF", {Capacity::Unit::Words, 424}, 0.72, true));
  Compute mac;
  mac.name = "mac";
  mac.mac_pj = 0.21;
  arch.levels.emplace_back(mac);
  return arch;
}

Workload gemm_workload(std::string_view name, const std::array<std::int64_t, 3>& sizes) {
  Workload workload;
  workload.name = name;
  for (std::size_t d = 0; d < 3; ++d) workload.dims.push_back({std::string(kDims[d]), sizes[d]});
  const auto tensor = [](const char* letter, Role role, int a, int b) {
    return Tensor{letter, role, {{{DimId{a}, 1}}, {{DimId{b}, 1}}}, 8};
  };
  workload.tensors = {tensor("A", Role::Input, 0, 2), tensor("B", Role::Weight, 1, 2),
                      tensor("P", Role::Output, 0, 1)};
  return workload;
}

// Spatial bounds of a dimension laid over the array: X is filled first.
void spread(std::int64_t bound, DimId dim, int y_slot, Mapping& mapping, std::int64_t& x_left) {
  const std::int64_t on_x = std::gcd(bound, x_left);
  x_left /= on_x;
  mapping.set_bound(y_slot + 1, dim, on_x);
  mapping.set_bound(y_slot, dim, bound / on_x);
}

// The walking dimension innermost, the others in the order X, Y, Z from the
// inside out.
std::optional<std::vector<DimId>> order_for(std::string_view walking) {
  std::vector<DimId> outermost_first;
  int innermost = -1;
  for (int d = 3; d-- > 0;) {
    if (walking == kDims[static_cast<std::size_t>(d)]) {
      innermost = d;
    } else {
      outermost_first.push_back(DimId{d});
    }
  }
  if (innermost < 0) return std::nullopt;
  outermost_first.push_back(DimId{innermost});
  return outermost_first;
}

std::optional<std::uint32_t> kept_bits(const Workload& workload, std::string_view names) {
  std::uint32_t bits = 0;
  if (names == "-") return bits;
  for (const std::string_view name : split(names, '+')) {
    const auto tensor = workload.find_tensor(std::string(name));
    if (!tensor) return std::nullopt;
    bits |= 1U << index_of(*tensor);
  }
  return bits;
}

// What is wrong with a row; nothing if all is well.
using Complaint = std::optional<std::string>;

// Bounds DRAM x SRAM x spatial x register file of one dimension.
Complaint set_bounds(std::string_view text, DimId dim, Mapping& mapping, std::int64_t& x_left) {
  const auto parts = split(text, 'x');
  std::vector<std::int64_t> bounds;
  for (const std::string_view part : parts) {
    const auto bound = to_number<std::int64_t>(part);
    if (bound && *bound >= 1) bounds.push_back(*bound);
  }
  if (parts.size() != 4 || bounds.size() != 4) {
    return fmt::format("\"{}\" is not four bounds such as 2x32x16x1", text);
  }
  constexpr int kDram = 0, kSram = 1, kArrayY = 2, kRegisterFile = 4;
  mapping.set_bound(kDram, dim, bounds[0]);
  mapping.set_bound(kSram, dim, bounds[1]);
  mapping.set_bound(kRegisterFile, dim, bounds[3]);
  spread(bounds[2], dim, kArrayY, mapping, x_left);
  return std::nullopt;
}

Complaint fill_mapping(const std::vector<std::string_view>& fields, Case& out) {
  std::int64_t x_left = 16;
  for (int d = 0; d < 3; ++d) {
    const std::string_view bounds = fields[static_cast<std::size_t>(5 + d)];
    if (auto complaint = set_bounds(bounds, DimId{d}, out.mapping, x_left)) return complaint;
  }
  for (int m = 0; m < 2; ++m) {
    const std::string_view walking = fields[static_cast<std::size_t>(8 + m)];
    const auto order = order_for(walking);
    if (!order) return fmt::format("\"{}\" is none of the dimensions X, Y and Z", walking);
    const std::string_view names = fields[static_cast<std::size_t>(10 + m)];
    const auto kept = kept_bits(out.problem.workload(), names);
    if (!kept) return fmt::format("\"{}\" is neither - nor names such as A+B+P", names);
    out.mapping.set_order(MemoryId{m}, *order);
    out.mapping.set_kept(MemoryId{m + 1}, *kept);
  }
  const auto problems = structural_problems(out.problem, out.mapping);
  return problems.empty() ? std::nullopt : Complaint(problems.front());
}

Complaint fill_expected(const std::vector<std::string_view>& fields, Expected& expected) {
  const auto energy = to_number<double>(fields[12]);
  if (!energy || !std::isfinite(*energy)) return fmt::format("\"{}\" is no energy", fields[12]);
  expected.energy_pj = *energy;
  expected.cycles = to_number<std::int64_t>(fields[13]);
  if (!expected.cycles || *expected.cycles < 0) {
    return fmt::format("\"{}\" is no number of cycles", fields[13]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> CsvReader::check_heading(const SourcePosition& where) const {
  if (heading_ == kHeading) return std::nullopt;
  return Diagnostic{where, "the heading is not that of a file of GEMM cases",
                    fmt::format("write \"{}\"", kHeading)};
}

Parsed<Case> CsvReader::read_row(std::string_view row, const SourcePosition& where) const {
  Parsed<Case> result;
  const auto complain = [&](std::string message) {
    result.problems.push_back({where, std::move(message), "docs/golden.md shows the columns"});
    result.value.reset();
    return result;
  };
  const auto fields = split(row, ',');
  if (fields.size() != kFields) {
    return complain(fmt::format("the row has {} fields, not {}", fields.size(), kFields));
  }
  std::array<std::int64_t, 3> sizes{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto size = to_number<std::int64_t>(fields[1 + d]);
    if (!size) return complain(fmt::format("\"{}\" is not a size", fields[1 + d]));
    sizes[d] = *size;
  }
  result = make_case(fmt::format("{} tiling {} walking {}{} keeping {} and {}", fields[0],
                                 fields[4], fields[8], fields[9], fields[10], fields[11]),
                     gemm_workload(fields[0], sizes), gemm_architecture(), where);
  if (!result.value) return result;
  if (const auto wrong = fill_mapping(fields, *result.value)) return complain(*wrong);
  if (const auto wrong = fill_expected(fields, result.value->expected)) return complain(*wrong);
  return result;
}

}  // namespace tilewright::golden
