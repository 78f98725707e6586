// The oracle: a slow, obvious executor that walks the loop nest of a small
// problem, tracks what each memory holds, and counts. It defines what a
// mapping means; docs/semantics.md states the rules it carries out.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/mapping.h"

namespace tilewright::oracle {

// Words that one memory instance moves for one tensor, or all of them.
struct Words {
  std::int64_t reads = 0;
  std::int64_t fills = 0;
  std::int64_t updates = 0;

  bool operator==(const Words&) const = default;
};

struct TensorCounts {
  bool kept = false;
  std::int64_t tile_words = 0;  // the largest tile seen in any instance
  std::int64_t home_words = 0;  // for the outermost keeper: the most an instance ever holds
  Words total;
  Words first;    // the instance with all spatial digits 0
  Words largest;  // the largest of each over the instances
  std::int64_t reductions = 0;
  std::int64_t delivered = 0;  // words that the instances inside took or gave, before sharing
};

struct MemoryCounts {
  std::int64_t instances = 0;
  std::vector<TensorCounts> tensors;
  Words first;  // all tensors together, the instance with all spatial digits 0
};

struct Counts {
  std::vector<MemoryCounts> memories;
  std::int64_t macs = 0;
  std::int64_t compute_instances = 0;
  std::int64_t compute_steps = 0;                       // of the busiest instance
  std::int64_t stationary_changes = 0;                  // of a systolic array's tile, the most
  std::vector<std::vector<std::int64_t>> fanout_words;  // [fan-out][tensor]
};

// The mapping must be structurally sound. Time and memory grow with the
// number of multiply-accumulates: meant for thousands, not millions.
// An output that is old has partial sums from before: no visit of an element is its first.
Counts execute(const Problem& problem, const Mapping& mapping, bool output_is_old = false);

}  // namespace tilewright::oracle
