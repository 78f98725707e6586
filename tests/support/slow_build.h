// How much a test tries. Under the sanitizers the oracle and long searches are some twenty times
// slower.
#pragma once

namespace tilewright::testing {

// Whether a sanitizer watches the library. Tests ask when they run: the same compiled
// tests are linked with the library as it ships and with the one under the sanitizers.
bool slow_build();

// How many cases of a random test to try: all of them where the environment has
// TILEWRIGHT_ALL_CASES, as `./run-tests --long` sets it, and half of them otherwise. The sanitizers
// look for other mistakes than wrong answers: a twentieth will do, or a tenth of few.
int affordable(int cases);

// How many of them have to be of some kind, so that a test is about what it says: of all cases so
// many, of half of them half as many. Below zero under the sanitizers, whose few cases need not
// have any.
int enough(int cases);

}  // namespace tilewright::testing
