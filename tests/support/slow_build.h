// Under the sanitizers the oracle and long searches are some twenty times slower.
#pragma once

namespace tilewright::testing {

// Whether a sanitizer watches the library. Tests ask when they run: the same compiled
// tests are linked with the library as it ships and with the one under the sanitizers.
bool slow_build();

// How many cases of a random test to try.
inline int affordable(int cases) { return slow_build() ? cases / 10 : cases; }

}  // namespace tilewright::testing
