#include "support/slow_build.h"

namespace tilewright::testing {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TILEWRIGHT_SLOW_BUILD
#endif
#endif

bool slow_build() {
#ifdef TILEWRIGHT_SLOW_BUILD
  return true;
#else
  return false;
#endif
}

}  // namespace tilewright::testing
