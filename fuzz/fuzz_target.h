// How a fuzz target is defined: a libFuzzer program has one, under the name that libFuzzer calls;
// the replayer has all of them.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef TILEWRIGHT_LIBFUZZER
#define FUZZ_TARGET(name) extern "C" int LLVMFuzzerTestOneInput
#else
#define FUZZ_TARGET(name) int fuzz_##name
#endif
