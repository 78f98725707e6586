// What proofs of mappings have to be about that are parts of another proof.
#pragma once

#include <string>

#include "certificate/refused.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

// Refuses certificates of other mappings than even ones with perfect factors, for another objective
// than the energy, or of another architecture.
inline void expect_part_claim(const Certificate& mapping, const std::string& architecture) {
  if (mapping.architecture != architecture) refuse("its architecture is another one");
  if (mapping.objective != Objective::Energy) {
    refuse("its objective is {}", to_string(mapping.objective));
  }
  const bool as_nests = mapping.mapspace == SpaceKind::Perfect && mapping.among == Among::Even &&
                        mapping.constraints.empty() && mapping.settings.empty();
  if (!as_nests) refuse("its mappings are not the even ones with perfect factors");
}

// Thousandths of a picojoule are enough for what is not proven.
inline constexpr int kStatedDecimals = 3;

// The energy that a search says, as a decimal.
inline std::string stated_energy(double energy_pj) {
  std::string text = fmt::format("{:.{}f}", energy_pj, kStatedDecimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace tilewright::certificate
