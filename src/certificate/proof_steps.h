// The steps of proofs by name, and by the letter that certificates have for them.
#pragma once

#include <array>
#include <optional>

#include "certificate/exact.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

inline constexpr std::array<const char*, 6> kStepNames = {"split", "floor", "lattice",
                                                          "tree",  "ports", "wide tree"};

inline const char* name_of(ProofStep step) { return kStepNames[at(static_cast<int>(step))]; }
inline char letter_of(ProofStep step) { return *name_of(step); }
inline std::optional<ProofStep> step_of(char letter) {
  for (const ProofStep step : {ProofStep::Split, ProofStep::Floor, ProofStep::Lattice,
                               ProofStep::Tree, ProofStep::Ports, ProofStep::WideTree}) {
    if (letter_of(step) == letter) return step;
  }
  return std::nullopt;
}

}  // namespace tilewright::certificate
