// Energies of memories and multipliers whose file gives none: closed formulas, fitted to
// published figures (docs/energy.md), that refuse what the figures do not cover.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base.h"

namespace tilewright {

// What a component is, as far as an estimate goes by it.
struct Component {
  std::string kind;                // one of memory_kinds(), dram_kinds(), mac_kinds() or kWire
  std::int64_t capacity_bits = 0;  // of a memory on the chip
  std::int64_t access_bits = 0;    // that one access of a memory moves, or that go over a wire
  std::optional<double> node_nm;   // the technology; of no account for wires and off the chip
  std::optional<double> volts;     // the supply; nothing: kNominalVolts
  std::int64_t row_bits = 0;       // of an array; 0: as many as an access moves
  bool leaks_fast = false;         // an array of high-performance cells, whose leakage is known
  double length_mm = 0;            // of a wire
};

struct ComponentNumbers {
  // For a multiplier this is one multiply-accumulate, for a wire all bits over its whole length.
  double read_pj = 0;
  // Nothing where no figures are known.
  std::optional<double> write_pj;                    // of a memory
  std::optional<double> area_um2;                    // of a memory on the chip
  std::optional<double> leakage_mw;                  // of an array of high-performance cells
  std::optional<std::int64_t> transfers_per_second;  // on each data pin of a DRAM
  // The published figures that were held against the energies lie mostly between them divided by
  // this and them times this.
  double error_factor = 1;
};

inline constexpr double kNominalVolts = 0.8;
inline constexpr const char* kWire = "wire";

// On the chip, off the chip, multipliers.
std::vector<std::string> memory_kinds();  // "sram", "regfile", "fifo"
std::vector<std::string> dram_kinds();    // "lpddr4", "hbm2", ...
std::vector<std::string> mac_kinds();     // "int8", "fp16", ...

// Numbers of a component, rounded to four digits; or what is wrong, each message starting with
// the attribute it is about: "technology: ...". One function, so that another estimator can stand
// in its place.
Checked<ComponentNumbers> estimate(const Component& component);

// How far estimates may be off, as factors: the energies of all components of a kind (1 of a kind
// that is not known), areas and leakage of arrays.
double error_factor_of(const std::string& kind);
inline constexpr double kAreaError = 1.4, kLeakageError = 1.3;

// How much the energy of switching grows from one technology and supply to another (Stillmaker
// and Baas, 2017), for 7 to 65 nm and 0.6 to 1.1 V.
double energy_scale(double from_nm, double from_volts, double to_nm, double to_volts);

}  // namespace tilewright
