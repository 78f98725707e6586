// Networks in which each repetition of a block stands for itself.
#pragma once

#include <vector>

#include "tilewright/workload.h"

namespace tilewright {

struct UnrolledNetwork {
  Network network;                  // blocks that were unrolled are empty
  std::vector<std::size_t> origin;  // of each operator: that of the network it comes from
};

// Blocks with more repetitions stay as they are, and so do those around them.
inline constexpr std::int64_t kMostUnrolled = 8;

// Unrolls blocks whose contractions read what the repetition before has written. What others read
// of a block is its last repetition's.
UnrolledNetwork unrolled(const Network& network);

}  // namespace tilewright
