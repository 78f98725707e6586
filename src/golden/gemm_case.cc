// From a row to a case: P(x,y) += A(x,z) B(y,z) on DRAM, SRAM, a 16 x 16 array and
// a register file per processing element, as in GOMA's fidelity study.

#include <fmt/format.h>

#include <numeric>

#include "golden/read_cases.h"

namespace tilewright::golden {
namespace {

Memory memory(const char* name, Capacity capacity, double pj, bool free) {
  Memory memory;
  memory.name = name;
  memory.capacity = capacity;
  memory.read_pj = memory.write_pj = memory.update_pj = pj;
  if (free) memory.free.assign(kGemmTensors.begin(), kGemmTensors.end());
  return memory;
}

// It has the sizes of GOMA's Eyeriss-like; docs/golden.md has the energies.
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

Workload gemm_workload(const std::string& name, const std::array<std::int64_t, 3>& sizes) {
  Workload workload;
  workload.name = name;
  for (std::size_t d = 0; d < 3; ++d) {
    workload.dims.push_back({std::string(kGemmDims[d]), sizes[d]});
  }
  const auto tensor = [](std::string_view letter, Role role, int a, int b) {
    return Tensor{std::string(letter), role, {{{DimId{a}, 1}}, {{DimId{b}, 1}}}, 8};
  };
  workload.tensors = {tensor(kGemmTensors[0], Role::Input, 0, 2),
                      tensor(kGemmTensors[1], Role::Weight, 1, 2),
                      tensor(kGemmTensors[2], Role::Output, 0, 1)};
  return workload;
}

// Bounds of a dimension; those of the array are laid over its axes, X first.
void set_bounds(const std::array<std::int64_t, 4>& bounds, DimId dim, Mapping& mapping,
                std::int64_t& x_left) {
  constexpr int kDram = 0, kSram = 1, kArrayY = 2, kArrayX = 3, kRegisterFile = 4;
  const std::int64_t on_x = std::gcd(bounds[2], x_left);
  x_left /= on_x;
  mapping.set_bound(kDram, dim, bounds[0]);
  mapping.set_bound(kSram, dim, bounds[1]);
  mapping.set_bound(kArrayY, dim, bounds[2] / on_x);
  mapping.set_bound(kArrayX, dim, on_x);
  mapping.set_bound(kRegisterFile, dim, bounds[3]);
}

// The walking dimension innermost, the others in the order X, Y, Z from the
// inside out.
std::vector<DimId> order_for(DimId walking) {
  std::vector<DimId> outermost_first;
  for (int d = 3; d-- > 0;) {
    if (DimId{d} != walking) outermost_first.push_back(DimId{d});
  }
  outermost_first.push_back(walking);
  return outermost_first;
}

std::string kept_names(std::uint32_t bits) {
  std::string names;
  for (std::size_t t = 0; t < kGemmTensors.size(); ++t) {
    if (((bits >> t) & 1U) == 0) continue;
    names += (names.empty() ? "" : "+") + std::string(kGemmTensors[t]);
  }
  return names.empty() ? "-" : names;
}

}  // namespace

Diagnostic gemm_complaint(const SourcePosition& where, std::string message) {
  return {where, std::move(message), "docs/golden.md shows the columns"};
}

std::string name_of(const GemmRow& row) {
  const auto dim = [](DimId id) { return kGemmDims[at(id)]; };
  return fmt::format("{} tiling {} walking {}{} keeping {} and {}", row.layer, row.tiling,
                     dim(row.walking[0]), dim(row.walking[1]), kept_names(row.kept[0]),
                     kept_names(row.kept[1]));
}

Checked<Case> gemm_case(const GemmRow& row) {
  Checked<Case> result =
      make_case(name_of(row), gemm_workload(row.layer, row.sizes), gemm_architecture(), row.where);
  if (!result.value) return result;
  Mapping& mapping = result.value->mapping;
  std::int64_t x_left = 16;
  for (int d = 0; d < 3; ++d) set_bounds(row.bounds[at(d)], DimId{d}, mapping, x_left);
  for (int m = 0; m < 2; ++m) {
    mapping.set_order(MemoryId{m}, order_for(row.walking[at(m)]));
    mapping.set_kept(MemoryId{m + 1}, row.kept[at(m)]);
  }
  const auto problems = structural_problems(result.value->problem, mapping);
  if (!problems.empty()) return {std::nullopt, {gemm_complaint(row.where, problems.front())}};
  result.value->expected.energy_pj = row.energy_pj;
  result.value->expected.cycles = row.cycles;
  return result;
}

}  // namespace tilewright::golden
