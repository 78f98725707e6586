#include "certificate/terms.h"

#include "base/bits.h"

namespace tilewright::certificate {

namespace {

std::vector<Parts> parts_of(const Problem& problem) {
  std::vector<Parts> parts;
  for (const Tensor& tensor : problem.workload().tensors) {
    parts.push_back(take_apart(tensor, problem.arch().accounting));
  }
  return parts;
}

// Memories that share ports are all among them.
std::uint32_t ported_memories(const Problem& problem) {
  std::uint32_t found = 0;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    const bool waits = memory.read_bandwidth || memory.write_bandwidth || memory.shared_bandwidth;
    if (waits || memory.is_part) found |= 1U << m;
  }
  return found;
}

}  // namespace

Terms::Terms(const Problem& the_problem)
    : problem(&the_problem), energies(the_problem), parts(parts_of(the_problem)) {
  for (const Dimension& dim : the_problem.workload().dims) macs *= dim.size;
  stationary = stationary_of(the_problem);
  ported = ported_memories(the_problem);
  for (std::size_t t = 0; t < parts.size(); ++t) {
    for (const int d : members(parts[t].relevant)) {
      carriers[at(d)] |= 1U << t;
      if (parts[t].has_window_with(d)) windowed[at(d)] |= 1U << t;
    }
  }
}

int first_point(const Problem& problem, int level) {
  const auto name = [&](int m) { return problem.memory(MemoryId{m}).point_of; };
  while (level > 0 && !name(level).empty() && name(level) == name(level - 1)) --level;
  return level;
}

std::int64_t used_instances(const Nest& nest, int slot) {
  Count product = 1;
  for (int d = 0; d < nest.problem().dim_count(); ++d) {
    product *= nest.combinations(d, slot, [&](int s) { return !nest.is_temporal(s); });
  }
  return narrow(product);
}

}  // namespace tilewright::certificate
