#include "support/slow_build.h"

namespace tilewright::testing {

bool slow_build() {
#ifdef TILEWRIGHT_SLOW_BUILD
  return true;
#else
  return false;
#endif
}

}  // namespace tilewright::testing
