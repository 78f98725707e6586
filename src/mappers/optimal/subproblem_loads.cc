// What the ports of one instance of each memory carry, and the cycles that it takes.
#include <algorithm>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {
namespace {

// Whether so many words take longer than so many cycles, or it is not known without dividing.
bool is_slower(Int128 words, Rational bandwidth, Int128 cycles) {
  if (!are_narrow(words, cycles)) return true;
  return Int128{static_cast<std::int64_t>(words)} * bandwidth.denominator >
         Int128{static_cast<std::int64_t>(cycles)} * bandwidth.numerator;
}

}  // namespace

// What one instance of a memory has of all elements of these dimensions, at least.
Int128 Subproblem::share(std::uint32_t dims, int memory) const {
  Int128 words = 1;
  for (const int d : members(dims)) {
    words = times(words, ceil_div(solver_->size(d), unrolled_outside(memory, d)));
  }
  return words;
}

// How often one instance of a memory sees the link's words again at least, if they stay
// for `run` steps of each dimension that is not theirs.
Int128 Subproblem::irrelevant_share(const Link& link, int kind, int memory,
                                    const PerDim& run) const {
  Int128 times_seen = 1;
  for (const int d : members(irrelevant_dims(solver_->tensor(link.tensor)))) {
    const std::int64_t at_once =
        times(times(run[at(d)], shared_copies(link, kind, d)), unrolled_outside(memory, d));
    times_seen = times(times_seen, ceil_div(solver_->size(d), at_once));
  }
  return times_seen;
}

std::int64_t Subproblem::copies(const Window& window, int memory) const {
  std::int64_t product = 1;
  for (int i = 0; i < window.dim_count(); ++i) {
    product = times(product, unrolled_outside(memory, window.dim(i)));
  }
  return product;
}

// The elements of an output that one instance holds at most, where without windows it is so many.
Int128 Subproblem::most_held(const TensorShape& tensor, Int128 known) const {
  if (solver_->reads_first_sums) return 0;  // as if nothing were held
  return tensor.windows.empty() ? known : kWideLimit;
}

void Subproblem::add_words(const Link& link, const LinkWords& words, Loads& loads) const {
  const Accesses all = accesses(link, words);
  Load& parent = loads[at(solver_->first_of[at(link.parent)])];
  parent.reads += all.parent_reads;
  parent.writes += all.parent_updates;
  if (link.child >= solver_->memory_count) return;
  loads[at(solver_->first_of[at(link.child)])].writes += all.child_writes;
}

// Whether a port of one of its ends has a bandwidth; what others carry is of no interest.
bool Subproblem::is_limited(const Link& link) const {
  const bool to_memory = link.child < solver_->memory_count;
  return solver_->memory(link.parent).limited || (to_memory && solver_->memory(link.child).limited);
}

void Subproblem::add_compute_load(const Link& link, Loads& loads) const {
  if (solver_->is_perfect()) {
    const LinkCounts counts = known_compute_counts(link, solver_->memory_count, PerDim{});
    const std::int64_t parents = instances(link.parent);
    return add_words(
        link, {0, quotient(counts[kServed], parents), 0, quotient(held_[at(link.parent)], parents)},
        loads);
  }
  const TensorShape& tensor = solver_->tensor(link.tensor);
  PerDim one_step{};
  one_step.fill(1);
  Int128 words = share(tensor.alone, link.parent);
  for (const Window& window : tensor.windows) {
    words = times(words, window_steps(link, window));
  }
  const Int128 served = times(words, irrelevant_share(link, kServed, link.parent, one_step));
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
Int128 Subproblem::tile_changes(int block, const PerDim& inside) const {
  Int128 changes = 1;
  for (int d = 0; d < solver_->dim_count; ++d) {
    changes = times(changes,
                    ceil_div(solver_->size(d), times(inside[at(d)], unrolled_outside(block, d))));
  }
  return changes;
}

// Every element of the tensor stands in some tile of some instance, and no instance sees more
// changes than the first.
Int128 Subproblem::least_changes(std::int64_t more_instances) const {
  const Stationary& stationary = *solver_->stationary;
  const TensorShape& tensor = solver_->tensor(stationary.tensor);
  Int128 words = share(tensor.alone, stationary.memory);
  for (std::size_t w = 0; w < tensor.windows.size(); ++w) {
    words = times(
        words, ceil_div(tensor.window_elements[w], copies(tensor.windows[w], stationary.memory)));
  }
  return ceil_div(words, times(Int128{more_instances}, stationary.most_words));
}

Int128 Subproblem::stationary_cycles(Energy words) const {
  const Stationary& stationary = *solver_->stationary;
  const Int128 most = times(Int128{instances(stationary.memory)}, stationary.most_words);
  return array_cycles(steps_, ceil_div(words, most));
}

void Subproblem::add_load(const Link& link, int block, const PerDim& inside, const Mover& mover,
                          Loads& loads) const {
  if (is_stationary(link)) {
    loads[at(solver_->memory_count)].writes += tile_changes(block, inside);
  }
  if (!is_limited(link)) return;
  if (solver_->is_perfect()) {  // all instances move the same
    const LinkCounts all = counts(link, block, inside, mover);
    const std::int64_t children = instances(link.child);
    const std::int64_t parents = instances(link.parent);
    return add_words(
        link,
        {quotient(all[kEntering], children), quotient(all[kServed], parents),
         quotient(held_[at(link.child)], children), quotient(held_[at(link.parent)], parents)},
        loads);
  }
  const TensorShape& tensor = solver_->tensor(link.tensor);
  PerDim run{};
  for (const int d : members(irrelevant_dims(tensor))) {
    run[at(d)] = inside[at(d)] / unrolled(fanouts_outside(block), fanouts_outside(link.child), d);
  }
  Int128 entering = irrelevant_share(link, kEntering, link.child, run);
  Int128 served = irrelevant_share(link, kServed, link.parent, run);
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
  const Int128 child_share = share(tensor.alone, link.child);
  const Int128 parent_share = share(tensor.alone, link.parent);
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
    Int128 words = share(tensor.alone, memory);
    for (std::size_t w = 0; w < tensor.windows.size(); ++w) {
      if (tensor.windows[w].dim_count() > 2) continue;
      words = times(words, ceil_div(tensor.window_elements[w], copies(tensor.windows[w], memory)));
    }
    if (!moves_most_at_first(link, kind)) return words;
    return std::max(words, ceil_div(counts[at(kind)], instances(memory)));
  };
  const auto held = [&](int memory) {
    return solver_->is_perfect() ? quotient(held_[at(memory)], instances(memory))
                                 : most_held(tensor, kWideLimit);
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

Int128 Subproblem::least_cycles(std::int64_t more_instances) const {
  const Int128 steps = ceil_div(steps_, more_instances);
  return array_cycles(steps, solver_->stationary ? least_changes(more_instances) : 0);
}

Int128 Subproblem::cycles_of(Int128 steps) const {
  return array_cycles(steps, solver_->stationary ? least_changes(1) : 0);
}

// Steps of the first instance, which has no fewer than others: those of the indices with digits 0
// in all fan-outs. Between the whole tiles of the first branch lie those of the others, and what
// is left at the end of the dimension is its own first.
std::int64_t Subproblem::least_steps(int dim, int memory, std::int64_t inside) const {
  const std::int64_t size = solver_->size(dim);
  const int first_inside = fanouts_outside(memory + 1);
  const std::int64_t tile = inside / unrolled(fanouts_outside(memory), first_inside, dim);
  const std::int64_t further_in = unrolled(first_inside, solver_->fanout_count, dim);
  const std::int64_t steps = size / inside * ceil_div(tile, further_in) +
                             ceil_div(std::min(tile, size % inside), further_in);
  return ceil_div(steps, unrolled_outside(memory, dim));
}

std::int64_t Subproblem::least_steps(int dim, int memory, const ExtentRange& inside) const {
  constexpr std::int64_t kMostTried = 64;
  const std::int64_t by = unrolled(fanouts_outside(memory), fanouts_outside(memory + 1), dim);
  // The first of all extents that reach the end of the dimension takes the fewest steps.
  const std::int64_t last =
      std::min(inside.most, std::max(inside.least, solver_->size(dim) + by - 1));
  if ((last - inside.least) / by >= kMostTried) {
    return ceil_div(solver_->size(dim), unrolled_outside(solver_->memory_count, dim));
  }
  std::int64_t least = least_steps(dim, memory, inside.least);
  for (std::int64_t extent = inside.least + by; extent <= last; extent += by) {
    least = std::min(least, least_steps(dim, memory, extent));
  }
  return least;
}

Int128 Subproblem::least_steps(int memory, const PerDim& inside) const {
  Int128 steps = 1;
  for (int d = 0; d < solver_->dim_count; ++d) steps *= least_steps(d, memory, inside[at(d)]);
  return steps;
}

Int128 Subproblem::array_cycles(Int128 steps, Int128 changes) const {
  const Int128 cycles =
      cycles_for(ceil_div(steps, solver_->compute_macs), {1, solver_->compute_cycles});
  return changes == 0 ? cycles : solver_->stationary->array.cycles_for(cycles, changes);
}

Int128 Subproblem::cycles(const Loads& loads) const {
  Int128 cycles = compute_cycles_;
  if (solver_->stationary) {
    cycles = std::max(cycles, array_cycles(steps_, loads[at(solver_->memory_count)].writes));
  }
  for (int m = 0; m < solver_->memory_count; ++m) {
    const MemoryShape& memory = solver_->memory(m);
    if (!memory.limited) continue;
    const Load& load = loads[at(m)];
    const auto wait = [&](Int128 words, const std::optional<Rational>& bandwidth) {
      if (bandwidth && is_slower(words, *bandwidth, cycles)) {
        cycles = std::max(cycles, cycles_for(words, *bandwidth));
      }
    };
    wait(load.reads, memory.read_bandwidth);
    wait(load.writes, memory.write_bandwidth);
    wait(load.reads + load.writes, memory.shared_bandwidth);
  }
  return cycles;
}

}  // namespace tilewright::optimal
