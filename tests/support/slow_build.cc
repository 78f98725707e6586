#include "support/slow_build.h"

#include <cstdlib>

namespace tilewright::testing {

bool slow_build() {
#ifdef TILEWRIGHT_SLOW_BUILD
  return true;
#else
  return false;
#endif
}

int affordable(int cases) {
  if (slow_build()) return cases / (cases < 20 ? 10 : 20);
  static const bool all = std::getenv("TILEWRIGHT_ALL_CASES") != nullptr;
  return all ? cases : cases / 2;
}

int enough(int cases) { return slow_build() ? -1 : affordable(cases); }

}  // namespace tilewright::testing
