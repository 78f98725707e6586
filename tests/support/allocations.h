// Counts the program's allocations. Linking this replaces operator new.
#pragma once

namespace tilewright::testing {

long allocation_count();

}  // namespace tilewright::testing
