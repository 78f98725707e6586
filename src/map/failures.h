// Why mappings did not fit, by reason.
#pragma once

#include "tilewright/map.h"

namespace tilewright {

// The position of the failures of one reason, of which this is one.
std::size_t place_failure(std::vector<Failure>& failures, const Verdict& verdict,
                          const Mapping& mapping);
void merge_failures(std::vector<Failure>& into, const std::vector<Failure>& from);

}  // namespace tilewright
