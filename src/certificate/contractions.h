// Contractions of a network, and einsums of parts that have them with dimensions that are cut.
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/certificate.h"

namespace tilewright::certificate {

// A contraction, whatever it and its tensors are called; dimensions have the names that
// architectures know, and those with one value are left out.
std::string contraction_key(const Workload& workload);

// Which contraction of the network an einsum is, and how many of them.
struct WholeContraction {
  std::string key;
  std::int64_t times = 1;
};
// Throws Refused if the einsum is not what the cut says.
WholeContraction whole_contraction(const Workload& einsum, const CutContraction& cut,
                                   const Network& network);
// Rules about loops are for whole dimensions: factors could do what these must not. Throws Refused
// if the architecture has some.
void expect_no_loop_rules(const Architecture& arch);

}  // namespace tilewright::certificate
