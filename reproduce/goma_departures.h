// Where GOMA's closed form departs from what the loops do. docs/gemm.md has examples.
#pragma once

#include <string>
#include <vector>

#include "golden/golden.h"

namespace tilewright::reproduce {

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

// Of the matrices that the row keeps, each kind once. None if the form is exact.
std::vector<Departure> departures_of(const golden::GemmRow& row);

}  // namespace tilewright::reproduce
