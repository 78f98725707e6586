// Short ways to make problems and mappings in tests.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/mapping.h"
#include "tilewright/model.h"

namespace tilewright::testing {

inline Memory make_memory(const std::string& name, std::int64_t words = 0) {
  Memory memory;
  memory.name = name;
  if (words > 0) memory.capacity = {Capacity::Unit::Words, words};
  memory.read_pj = memory.write_pj = memory.update_pj = 1;
  return memory;
}

inline Fanout make_fanout(const std::string& name, std::int64_t x, std::int64_t y = 1) {
  Fanout fanout;
  fanout.name = name;
  fanout.x.size = x;
  fanout.y.size = y;
  return fanout;
}

// The compute level is added.
inline Architecture make_arch(std::vector<Level> levels) {
  Architecture arch;
  arch.name = "test";
  arch.levels = std::move(levels);
  Compute compute;
  compute.name = "mac";
  arch.levels.emplace_back(compute);
  return arch;
}

inline Problem make_problem(Workload workload, Architecture arch) {
  Checked<Problem> problem = Problem::create(std::move(workload), std::move(arch));
  if (!problem.ok()) throw std::logic_error(to_string(problem.problems.front()));
  return std::move(*problem.value);
}

inline Evaluator make_evaluator(const Problem& problem) {
  Checked<Evaluator> evaluator = Evaluator::compile(problem);
  if (!evaluator.ok()) throw std::logic_error(to_string(evaluator.problems.front()));
  return std::move(*evaluator.value);
}

struct LoopSpec {
  const char* dim;
  std::int64_t bound;
};

// Sets the loops of a slot; for a memory also their order, outermost first.
inline void set_loops(const Problem& problem, Mapping& mapping, const std::string& slot_name,
                      const std::vector<LoopSpec>& loops) {
  for (int s = 0; s < problem.slot_count(); ++s) {
    if (problem.slot_name(s) != slot_name) continue;
    std::vector<DimId> order;
    for (const LoopSpec& loop : loops) {
      order.push_back(problem.workload().find_dim(loop.dim).value());
      mapping.set_bound(s, order.back(), loop.bound);
    }
    if (!problem.slots()[static_cast<std::size_t>(s)].is_temporal()) return;
    for (int d = 0; d < problem.dim_count(); ++d) {
      if (std::find(order.begin(), order.end(), DimId{d}) == order.end()) {
        order.push_back(DimId{d});
      }
    }
    for (int m = 0; m < problem.memory_count(); ++m) {
      if (problem.use(MemoryId{m}).slot == s) mapping.set_order(MemoryId{m}, order);
    }
    return;
  }
  throw std::logic_error("no slot " + slot_name);
}

}  // namespace tilewright::testing
