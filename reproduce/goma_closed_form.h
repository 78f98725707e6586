// GOMA's energy of a matrix product in closed form: equations 10 to 28 of "GOMA:
// Geometrically Optimal Mapping via Analytical Modeling for Spatial Accelerators"
// (Yang et al., arXiv 2603.07962). docs/gemm.md goes through them.
//
// Axes x, y, z are the dimensions X, Y, Z of a row. A matrix goes by the normal of
// its plane in the grid of multiply-accumulates, the axis it does not have:
// x for B(y,z), y for A(x,z), z for P(x,y).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "golden/golden.h"
#include "tilewright/arch.h"

namespace tilewright::reproduce {

template <typename T>
using PerAxis = std::array<T, 3>;
inline constexpr std::size_t kX = 0, kY = 1, kZ = 2;

// Whether the matrix with this normal is kept; `level` as in GemmRow::kept.
bool keeps(const golden::GemmRow& row, std::size_t level, std::size_t normal);

// Words that enter a level, by normal, as if it kept every matrix.
struct GomaTraffic {
  PerAxis<std::int64_t> into_sram{}, into_regfile{};
  std::int64_t macs = 0;
  // The share of partial sums that leave SRAM, the register files and the
  // multipliers for which an old value is read first (equation 16).
  double old_sram = 0, old_regfile = 0, old_mac = 0;
};
GomaTraffic goma_traffic(const golden::GemmRow& row);

// The energies of DRAM, SRAM, register file and multiplier come from the
// accelerator, whose levels are these and the array; leakage is left out.
double goma_energy_pj(const golden::GemmRow& row, const Architecture& arch);

// A walking axis of bound 1 gives way to the first of x, y, z that has a loop
// there, as in the script by which GOMA's authors compared with Timeloop
// (validate_energy_flow.py of github.com/ywlywl6/GOMA, commit 0142a5e).
golden::GemmRow with_moving_axes(golden::GemmRow row);

// --- where the closed form departs from what the loops do; docs/gemm.md has examples --

enum class Departure {
  // The walking axis has no loop at DRAM (at SRAM), so that another one moves first,
  // and what it leaves in place stays in SRAM (in the register files).
  AxisWithoutLoopAtDram,
  AxisWithoutLoopAtSram,
  // SRAM has no loop but those that leave a register file's tile in place, and
  // the innermost loop of DRAM leaves it there too.
  RunGoesOn,
};
std::string to_string(Departure departure);

// Lists each kind once, for the matrices that the row keeps; none if the form is exact.
std::vector<Departure> departures_of(const golden::GemmRow& row);

}  // namespace tilewright::reproduce
