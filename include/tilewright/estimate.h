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
  std::string kind;                // one of component_kinds()
  std::int64_t capacity_bits = 0;  // of a memory on the chip
  std::int64_t access_bits = 0;    // that one access of a memory moves
  std::optional<double> node_nm;   // the technology; of no account off the chip
  std::optional<double> volts;     // the supply; nothing: kNominalVolts
};

struct ComponentNumbers {
  double read_pj = 0;              // of a multiplier: one multiply-accumulate
  double write_pj = 0;             // of a memory
  std::optional<double> area_um2;  // nothing where no figures are known
  // The published figures that were held against the estimate lie mostly between it divided by
  // this and it times this.
  double error_factor = 1;
};

inline constexpr double kNominalVolts = 0.8;

// On the chip, off the chip, multipliers.
std::vector<std::string> memory_kinds();  // "sram", "regfile", "fifo"
std::vector<std::string> dram_kinds();    // "lpddr4", "hbm2", ...
std::vector<std::string> mac_kinds();     // "int8", "fp16", ...

// Numbers of a component, rounded to four digits; or what is wrong, each message starting with
// the attribute it is about: "technology: ...". One function, so that another estimator can stand
// in its place.
Checked<ComponentNumbers> estimate(const Component& component);

// The error_factor of all components of a kind; 1 of a kind that is not known.
double error_factor_of(const std::string& kind);

// How much the energy of switching grows from one technology and supply to another (Stillmaker
// and Baas, 2017), for 7 to 65 nm and 0.6 to 1.1 V.
double energy_scale(double from_nm, double from_volts, double to_nm, double to_volts);

}  // namespace tilewright
