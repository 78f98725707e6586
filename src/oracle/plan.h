// The oracle of plans: walks the trees of shared loops, execution by execution, with the elements
// that the shared memory holds. It defines what a plan means; docs/fusion.md states the rules.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "oracle/oracle.h"
#include "tilewright/cascade.h"

namespace tilewright::oracle {

struct LeafCounts {
  std::map<std::string, std::vector<Words>> memories;  // by name, per tensor; all instances
  std::map<std::vector<std::int64_t>, std::int64_t> executions;  // by extents
  std::map<std::vector<std::int64_t>, std::int64_t> first_touches;
  std::int64_t macs = 0;
  std::int64_t finished = 0;  // elements of the output whose sums were completed
  std::int64_t rescaled = 0;  // elements of its readers, for what is done online to its output
  // In each memory that something of its group is at home in: the most while it runs.
  std::map<std::string, std::int64_t> live_words;
};

// The plan has no problems and all its nests; of a few thousand multiply-accumulates. A tensor
// that stays takes room from its first to its last use in a visit, and across the steps of its
// moving loop where its tiles overlap. State of what is done online takes room while its rows are
// at work; readers sum over nothing else there.
std::vector<LeafCounts> execute_plan(const Cascade& cascade, const Plan& plan);

}  // namespace tilewright::oracle
