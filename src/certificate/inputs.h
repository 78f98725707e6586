// What a certificate is about, as texts and as values.
#pragma once

#include <string>
#include <vector>

#include "certificate/target.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

struct Inputs {
  Problem problem;
  std::vector<Constraint> constraints;
};

Checked<Inputs> read_inputs(const Certificate& certificate);

// Decimal places of the values of an objective, and one of its values.
int value_decimals(Objective objective, const Energies& energies);
std::string value_text(Objective objective, const Energies& energies, const Cost& cost);

// Equal latencies are told apart by energy where the bound is the mapping's own.
Target make_target(Objective objective, const BigUint& bound, const Cost& cost);

}  // namespace tilewright::certificate
