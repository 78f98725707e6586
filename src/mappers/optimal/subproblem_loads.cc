// What the ports of one instance of each memory carry, and the cycles that it takes.
#include <algorithm>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

// What one instance of a memory has of all elements of these dimensions, at least.
std::int64_t Subproblem::share(std::uint32_t dims, int memory) const {
  std::int64_t words = 1;
  for (const int d : members(dims)) {
    words = times(words, ceil_div(solver_->size(d), unrolled_outside(memory, d)));
  }
  return words;
}

// How often one instance of a memory sees the link's words again at least, if they stay
// for `run` steps of each dimension that is not theirs.
std::int64_t Subproblem::irrelevant_share(const Link& link, int kind, int memory,
                                          const PerDim& run) const {
  std::int64_t times_seen = 1;
  for (const int d : members(irrelevant_dims(solver_->tensor(link.tensor)))) {
    const std::int64_t at_once =
        run[at(d)] * shared_copies(link, kind, d) * unrolled_outside(memory, d);
    times_seen = times(times_seen, ceil_div(solver_->size(d), at_once));
  }
  return times_seen;
}

// The branches outside a memory that differ in the dimensions of a window.
std::int64_t Subproblem::copies(const Window& window, int memory) const {
  std::int64_t product = 1;
  for (int i = 0; i < window.dim_count(); ++i) {
    product = times(product, unrolled_outside(memory, window.dim(i)));
  }
  return product;
}

// The elements of an output that one instance holds at most, where without windows it is so many.
std::int64_t Subproblem::most_held(const TensorShape& tensor, std::int64_t known) const {
  if (solver_->reads_first_sums) return 0;  // as if nothing were held
  return tensor.windows.empty() ? known : kCountLimit;
}

void Subproblem::add_words(const Link& link, const LinkWords& words, Loads& loads) const {
  const Accesses all = accesses(link, words);
  loads[at(link.parent)].reads += all.parent_reads;
  loads[at(link.parent)].writes += all.parent_updates;
  if (link.child < solver_->memory_count) loads[at(link.child)].writes += all.child_writes;
}

void Subproblem::add_compute_load(const Link& link, Loads& loads) const {
  if (solver_->is_perfect()) {
    const LinkCounts counts = known_compute_counts(link, solver_->memory_count, PerDim{});
    const std::int64_t parents = instances(link.parent);
    return add_words(link, {0, counts[kServed] / parents, 0, held_[at(link.parent)] / parents},
                     loads);
  }
  const TensorShape& tensor = solver_->tensor(link.tensor);
  PerDim one_step{};
  one_step.fill(1);
  std::int64_t words = share(tensor.alone, link.parent);
  for (const Window& window : tensor.windows) {
    words = times(words, window_steps(link, window));
  }
  const std::int64_t served = times(words, irrelevant_share(link, kServed, link.parent, one_step));
  add_words(link, {0, served, 0, most_held(tensor, words)}, loads);
}

// How many steps in the dimensions of a window one instance of the link's parent serves at
// least: the mean of all, unless diagonals of an array share, or the window is wide.
std::int64_t Subproblem::window_steps(const Link& link, const Window& window) const {
  if (window.dim_count() > 2 || halo_from(link, link.first_fanout) < link.end_fanout) return 1;
  std::int64_t points = 1;
  for (int i = 0; i < window.dim_count(); ++i) {
    points = times(points, solver_->size(window.dim(i)));
  }
  for (int f = link.first_fanout; f < link.end_fanout; ++f) {
    if (unrolls_diagonally(f, window)) return 1;
  }
  return ceil_div(points, copies(window, link.parent));
}

// How often a tile changes in the first instance, whose moving loop is in this block: all
// iterations of the loops from that one outwards. With remainders at least so often, for of the
// combinations of digits outside at most as many as there are branches have the same time.
std::int64_t Subproblem::tile_changes(int block, const PerDim& inside) const {
  std::int64_t changes = 1;
  for (int d = 0; d < solver_->dim_count; ++d) {
    changes = times(changes,
                    ceil_div(solver_->size(d), times(inside[at(d)], unrolled_outside(block, d))));
  }
  return changes;
}

// Every element of the tensor stands in some tile of some instance, and no instance sees more
// changes than the first.
std::int64_t Subproblem::least_changes(std::int64_t more_instances) const {
  const Stationary& stationary = *solver_->stationary;
  const TensorShape& tensor = solver_->tensor(stationary.tensor);
  std::int64_t words = share(tensor.alone, stationary.memory);
  for (std::size_t w = 0; w < tensor.windows.size(); ++w) {
    words = times(
        words, ceil_div(tensor.window_elements[w], copies(tensor.windows[w], stationary.memory)));
  }
  return ceil_div(words, times(more_instances, stationary.most_words));
}

std::int64_t Subproblem::stationary_cycles(Units words) const {
  const Stationary& stationary = *solver_->stationary;
  const std::int64_t most = times(instances(stationary.memory), stationary.most_words);
  return array_cycles(steps_, ceil_div(words, most));
}

void Subproblem::add_load(const Link& link, int block, const PerDim& inside, const Mover& mover,
                          Loads& loads) const {
  if (is_stationary(link)) {
    loads[at(solver_->memory_count)].writes += tile_changes(block, inside);
  }
  if (solver_->is_perfect()) {  // all instances move the same
    const LinkCounts all = counts(link, block, inside, mover);
    const std::int64_t children = instances(link.child);
    const std::int64_t parents = instances(link.parent);
    return add_words(link,
                     {all[kEntering] / children, all[kServed] / parents,
                      held_[at(link.child)] / children, held_[at(link.parent)] / parents},
                     loads);
  }
  const TensorShape& tensor = solver_->tensor(link.tensor);
  PerDim run{};
  for (const int d : members(irrelevant_dims(tensor))) {
    run[at(d)] = inside[at(d)] / unrolled(fanouts_outside(block), fanouts_outside(link.child), d);
  }
  std::int64_t entering = irrelevant_share(link, kEntering, link.child, run);
  std::int64_t served = irrelevant_share(link, kServed, link.parent, run);
  for (const Window& window : tensor.windows) {
    if (window.dim_count() > 2) continue;
    // The mean of all instances, which have different windows.
    const Extents extents = window_extents(window, inside);
    const std::int64_t own = window_words(link, window, block, link.end_fanout, extents, mover);
    const auto shared = [&](int kind, int memory) {
      const int from = counted_from(link, kind, block);
      // Instances that share halos need not move the mean, where tiles have gaps.
      const bool halos = halo_from(link, shared_from(link, kind)) < link.end_fanout;
      if (halos && copies(window, memory) > 1) return std::int64_t{1};
      const std::int64_t words =
          from == link.end_fanout ? own : window_words(link, window, block, from, extents, mover);
      return ceil_div(window_shared(link, kind, window, block, extents, /*uneven=*/true, words),
                      copies(window, memory));
    };
    entering = times(entering, shared(kEntering, link.child));
    served = times(served, shared(kServed, link.parent));
  }
  const std::int64_t child_share = share(tensor.alone, link.child);
  const std::int64_t parent_share = share(tensor.alone, link.parent);
  add_words(link,
            {times(child_share, entering), times(parent_share, served),
             most_held(tensor, child_share), most_held(tensor, parent_share)},
            loads);
}

void Subproblem::add_least_load(const Link& link, Loads& loads) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const LinkCounts counts = least_counts(link, /*may_unroll_more=*/false);
  // One load of every element, or the mean of all instances.
  const auto least = [&](int memory, int kind) {
    std::int64_t words = share(tensor.alone, memory);
    for (std::size_t w = 0; w < tensor.windows.size(); ++w) {
      if (tensor.windows[w].dim_count() > 2) continue;
      words = times(words, ceil_div(tensor.window_elements[w], copies(tensor.windows[w], memory)));
    }
    if (!moves_most_at_first(link, kind)) return words;
    return std::max(words, ceil_div(counts[at(kind)], instances(memory)));
  };
  const auto held = [&](int memory) {
    return solver_->is_perfect() ? held_[at(memory)] / instances(memory)
                                 : most_held(tensor, kCountLimit);
  };
  add_words(link,
            {least(link.child, kEntering), least(link.parent, kServed), held(link.child),
             held(link.parent)},
            loads);
}

// Whether no instance moves more than the first one: always, but for wide windows and for diagonals
// that share, both beside remainders (docs/semantics.md, 8).
bool Subproblem::moves_most_at_first(const Link& link, int kind) const {
  if (solver_->is_perfect()) return true;
  for (const Window& window : solver_->tensor(link.tensor).windows) {
    if (window.dim_count() > 2) return false;
    for (int f = link.first_fanout; kind != kEntering && f < link.end_fanout; ++f) {
      if (unrolls_diagonally(f, window)) return false;
    }
  }
  return true;
}

// Whether several dimensions of a window are unrolled in one fan-out.
bool Subproblem::unrolls_diagonally(int fanout, const Window& window) const {
  int unrolled_dims = 0;
  for (int i = 0; i < window.dim_count(); ++i) {
    if (spatial().unrolled(fanout, window.dim(i)) > 1) ++unrolled_dims;
  }
  return unrolled_dims > 1;
}

std::int64_t Subproblem::least_cycles(std::int64_t more_instances) const {
  const std::int64_t steps = ceil_div(steps_, more_instances);
  return array_cycles(steps, solver_->stationary ? least_changes(more_instances) : 0);
}

std::int64_t Subproblem::array_cycles(std::int64_t steps, std::int64_t changes) const {
  const std::int64_t cycles =
      cycles_for(ceil_div(steps, solver_->compute_macs), {1, solver_->compute_cycles});
  return changes == 0 ? cycles : solver_->stationary->array.cycles_for(cycles, changes);
}

std::int64_t Subproblem::cycles(const Loads& loads) const {
  std::int64_t cycles = compute_cycles_;
  if (solver_->stationary) {
    cycles = std::max(cycles, array_cycles(steps_, loads[at(solver_->memory_count)].writes));
  }
  for (int m = 0; m < solver_->memory_count; ++m) {
    const MemoryShape& memory = solver_->memory(m);
    if (!memory.limited) continue;
    const Load& load = loads[at(m)];
    const auto wait = [&](std::int64_t words, const std::optional<Rational>& bandwidth) {
      if (bandwidth) cycles = std::max(cycles, cycles_for(words, *bandwidth));
    };
    wait(load.reads, memory.read_bandwidth);
    wait(load.writes, memory.write_bandwidth);
    wait(load.reads + load.writes, memory.shared_bandwidth);
  }
  return cycles;
}

}  // namespace tilewright::optimal
