// Reference results made outside: cases with the mapping and what it must cost.
// docs/golden.md describes the two file formats.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/mapping.h"
#include "tilewright/model.h"

namespace tilewright::golden {

// What an instance of a memory does for one tensor.
struct ExpectedHolding {
  std::int64_t tile = 0, reads = 0, fills = 0, updates = 0, instances = 0;
  double energy_pj = 0;  // per instance
};

struct ExpectedMemory {
  std::map<TensorId, ExpectedHolding> tensors;
  std::optional<std::int64_t> cycles;  // if only this memory and the multipliers existed
};

// Apart from the energy, figures that a file does not give are not compared.
struct Expected {
  std::vector<ExpectedMemory> memories;  // empty, or one per memory
  std::optional<std::int64_t> macs, compute_cycles, cycles, mac_instances;
  double energy_pj = 0;
};

struct Case {
  std::string id;
  Problem problem;
  Mapping mapping;
  Expected expected;
};

struct File {
  std::vector<Case> cases;
  std::vector<Diagnostic> problems;  // of the lines that could not be read
};

// A file of cases, one JSON object per line, or comma-separated GEMM rows if
// the name ends in ".csv". Accounting is Timeloop's.
File read_file(std::string_view text, const std::string& name);
// The same of a text whose name does not tell which of the two it is.
File read_text(std::string_view text, const std::string& name, bool is_csv);

// How the model departs from a case; empty if it agrees. The mapping must fit,
// counts must be equal, energies to 1e-9 of their size, cycles equal or one less
// than expected: the reference divides in floating point before it rounds up.
std::vector<std::string> differences(const Case& reference);

// --- matrix products ----------------------------------------------------------

// A row of a .csv file: one mapping of P(x,y) += A(x,z) B(y,z) on DRAM, SRAM, an
// array and register files as in GOMA's fidelity study, with what it must cost.
struct GemmRow {
  SourcePosition where;
  std::string layer, tiling;  // names, for the reader
  std::array<std::int64_t, 3> sizes{};
  std::array<std::array<std::int64_t, 4>, 3> bounds{};  // [dim][DRAM, SRAM, array, RF]
  std::array<DimId, 2> walking{};       // the innermost dimension of DRAM's and SRAM's loops
  std::array<std::uint32_t, 2> kept{};  // in SRAM and RF; bits of A, B, P
  double energy_pj = 0;
  std::int64_t cycles = 0;
};

struct GemmFile {
  std::vector<GemmRow> rows;
  std::vector<Diagnostic> problems;  // of the lines that could not be read
};

GemmFile read_gemm_rows(std::string_view text, const std::string& name);
// "attn_score tiling 0 walking XY keeping A+B and -"
std::string name_of(const GemmRow& row);
// The row as a case, or why its bounds are no mapping.
Checked<Case> gemm_case(const GemmRow& row);

}  // namespace tilewright::golden
