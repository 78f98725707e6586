// Counts the program's allocations, and lets them fail. Linking this replaces
// operator new.
#pragma once

#include <limits>

namespace tilewright::testing {

long allocation_count();

inline constexpr long kAllAllocations = std::numeric_limits<long>::max() / 2;

// Lets so many allocations of all threads fail, from the first-th on (1 is the next
// one), as long as this lives. There is one at a time.
class FailingAllocations {
 public:
  FailingAllocations(long first, long count);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

}  // namespace tilewright::testing
