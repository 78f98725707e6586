#include "mappers/optimal/home_load.h"

#include <algorithm>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {
namespace {

// That are used at all. Of windows of many dimensions little is known.
Int128 elements_of(const SolverTables& solver, const TensorShape& tensor) {
  Int128 elements = 1;
  for (const int d : members(tensor.alone)) elements = times(elements, solver.size(d));
  for (std::size_t w = 0; w < tensor.windows.size(); ++w) {
    if (tensor.windows[w].dim_count() > 2) continue;
    elements = times(elements, tensor.window_elements[w]);
  }
  return elements;
}

}  // namespace

Int128 least_home_cycles(const SolverTables& solver) {
  const MemoryShape& home = solver.memory(0);
  if (home.fanouts_outside > 0 || !home.limited || solver.uneven != 0) return 0;
  Int128 reads = 0;
  Int128 writes = 0;
  for (int t = 0; t < solver.tensor_count; ++t) {
    if (!contains(solver.restrictions->keep_always(MemoryId{0}), t)) continue;
    const TensorShape& tensor = solver.tensor(t);
    (tensor.output ? writes : reads) += elements_of(solver, tensor);
  }
  Int128 cycles = 0;
  const auto wait = [&](Int128 words, const std::optional<Rational>& bandwidth) {
    if (bandwidth) cycles = std::max(cycles, cycles_for(words, *bandwidth));
  };
  wait(reads, home.read_bandwidth);
  wait(writes, home.write_bandwidth);
  wait(reads + writes, home.shared_bandwidth);
  return cycles;
}

}  // namespace tilewright::optimal
