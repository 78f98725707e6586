// Under the sanitizers the oracle and long searches are some twenty times slower.
#pragma once

namespace tilewright::testing {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TILEWRIGHT_SLOW_BUILD
#endif
#endif
#ifdef TILEWRIGHT_SLOW_BUILD
inline constexpr bool kSlowBuild = true;
#else
inline constexpr bool kSlowBuild = false;
#endif

// How many cases of a random test to try.
constexpr int affordable(int cases) { return kSlowBuild ? cases / 10 : cases; }

}  // namespace tilewright::testing
