#include "mappers/optimal/single_state.h"

#include "mappers/optimal/open_links.h"

namespace tilewright::optimal {
namespace {

bool may_have_loops(const SolverTables& solver, int memory) {
  for (int d = 0; d < solver.dim_count; ++d) {
    if (solver.limits(solver.memory(memory).slot, d).most > 1) return true;
  }
  return false;
}

// The state inside the loops of a memory, if those further in have none: its extents are what
// the fan-outs unroll, and every link into memories further in is open. The bound is that of
// docs/optimal.md, "States that lead to nothing".
class SingleState {
 public:
  SingleState(const Subproblem& sub, int memory)
      : sub_(sub),
        solver_(sub.solver()),
        memory_(memory),
        fixed_(sum(sub.fixed_energy(), sub.least_filling(memory))) {
    for (const Link& link : sub.placement().links) {
      if (link.child <= memory) continue;
      open_ |= 1U << link.tensor;
      fixed_ = sum(fixed_, sub.least_energy(link));
    }
  }

  bool is_hopeless(Units limit) const {
    if (fixed_ >= limit) return true;
    std::vector<std::uint32_t> seen;
    bool any = false;
    for (int d = 0; d < solver_.dim_count; ++d) {
      if (extent(memory_, d) >= solver_.size(d)) continue;  // no loop of it is left
      any = true;
      const std::uint32_t moved = moved_by(solver_, open_, d);
      const bool window = moves_window(solver_, moved, d);
      if (!window && !is_new(seen, moved)) continue;
      for (int block = memory_; block >= (window ? 0 : memory_); --block) {
        if (block < memory_ && !unrolls(block, d)) continue;
        if (with_next_loop(moved, window ? d : -1, block) < limit) return false;
      }
    }
    return any || with_next_loop(open_, -1, memory_) >= limit;
  }

 private:
  std::int64_t extent(int block, int d) const {
    return sub_.unrolled(sub_.fanouts_outside(block), solver_.fanout_count, d);
  }
  // Whether fan-outs just inside a memory unroll the dimension.
  bool unrolls(int block, int d) const {
    return sub_.unrolled(sub_.fanouts_outside(block), sub_.fanouts_outside(block + 1), d) > 1;
  }

  // All energy, if the next loop is one of memory `block` and moves these tensors; all that is
  // left of its dimension, where it moves a window.
  Units with_next_loop(std::uint32_t moved, int moving_dim, int block) const {
    PerDim inside{};
    for (int d = 0; d < solver_.dim_count; ++d) inside[at(d)] = extent(block, d);
    Mover mover;
    if (moving_dim >= 0) {
      mover = {moving_dim, ceil_div(solver_.size(moving_dim), inside[at(moving_dim)])};
    }
    Units energy = fixed_;
    for (const Link& link : sub_.placement().links) {
      if (link.child <= memory_ || !contains(moved, link.tensor)) continue;
      energy = sum(energy, sub_.energy(link, sub_.counts(link, block, inside, mover)) -
                               sub_.least_energy(link));
    }
    return energy;
  }

  const Subproblem& sub_;
  const SolverTables& solver_;
  int memory_;
  std::uint32_t open_ = 0;  // tensors
  Units fixed_ = 0;         // what is paid for in any case, with the least of every open link
};

}  // namespace

bool is_hopeless(const Subproblem& sub, Units limit) {
  const SolverTables& solver = sub.solver();
  if (limit >= kNever) return false;
  int memory = solver.memory_count - 1;
  while (memory >= 0 && !may_have_loops(solver, memory)) --memory;
  if (memory < 0 || memory == solver.memory_count - 1) return false;
  return SingleState(sub, memory).is_hopeless(limit);
}

}  // namespace tilewright::optimal
