// One link of a tensor's chain: the transfers between a memory that keeps it
// and the next thing inside that wants it, carried out step by step.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "oracle/elements.h"
#include "oracle/nest.h"

namespace tilewright::oracle {

// Digits of all spatial loops outside a level: names one of its instances.
using InstanceKey = std::vector<std::int64_t>;

struct ChildLog {
  std::int64_t entering = 0;  // words that came in (or partial sums that went out)
  std::int64_t changes = 0;   // of the tile, the first one included
  Elements ever_held;
};

struct ParentLog {
  std::int64_t served = 0;  // words after sharing: reads, or updates of an output
  Elements ever_served;
};

struct LinkLog {
  std::map<InstanceKey, ChildLog> children;
  std::map<InstanceKey, ParentLog> parents;
  std::vector<std::int64_t> fanout_words;  // per fan-out between the two, outermost first
};

struct Link {
  TensorId tensor{};
  int parent_slot = 0;
  int child_slot = 0;             // the memory's slot, or the slot count for the compute level
  bool child_is_compute = false;  // no memory: every step is a request
  std::vector<int> fanout_slots;  // first (Y) slot of each fan-out between, outermost first
};

LinkLog run_link(const Problem& problem, const Mapping& mapping, const Link& link);

}  // namespace tilewright::oracle
