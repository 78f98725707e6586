// The steps of proofs by name, and by the letter that certificates have for them.
#pragma once

#include <array>
#include <optional>

#include "certificate/exact.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

inline constexpr std::array<const char*, 7> kStepNames = {
    "split", "floor", "lattice", "tree", "ports", "wide tree", "refined lattice"};

inline const char* name_of(ProofStep step) { return kStepNames[at(static_cast<int>(step))]; }
inline char letter_of(ProofStep step) { return *name_of(step); }
inline std::optional<ProofStep> step_of(char letter) {
  for (std::size_t i = 0; i < kStepNames.size(); ++i) {
    if (*kStepNames[i] == letter) return static_cast<ProofStep>(i);
  }
  return std::nullopt;
}

}  // namespace tilewright::certificate
