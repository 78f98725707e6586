// Why mappings did not fit, by reason.
#pragma once

#include "tilewright/map.h"

namespace tilewright {

// The position of the failures of one reason, of which this is one.
std::size_t place_failure(std::vector<Failure>& failures, const Verdict& verdict,
                          const Mapping& mapping);
// Counts a failure for which it is not to be told by which mapping: one of the same reason came
// closer. False, and nothing is counted, if none did.
bool count_failure(std::vector<Failure>& failures, const Verdict& verdict);
void merge_failures(std::vector<Failure>& into, const std::vector<Failure>& from);

}  // namespace tilewright
