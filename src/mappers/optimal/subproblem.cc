#include "mappers/optimal/subproblem.h"

#include <algorithm>

namespace tilewright::optimal {
namespace {

std::int64_t saturated_words(Int128 words) {
  return words < kCountLimit ? static_cast<std::int64_t>(words) : kCountLimit;
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  return saturated_words(static_cast<Int128>(a) * b);
}

// Tiles of one dimension of a window: full ones and the last one, those at a
// start of the moving loop and those at its further steps.
struct Tiles {
  std::int64_t full = 1, last = 1;  // extents
  // [further step][last tile]
  std::array<std::array<std::int64_t, 2>, 2> number{};
};

Tiles tiles_of(std::int64_t size, std::int64_t extent) {
  Tiles tiles;
  const std::int64_t number = ceil_div(size, extent);
  tiles.full = std::min(extent, size);
  tiles.last = size - (number - 1) * extent;
  tiles.number[0] = {number - 1, 1};
  return tiles;
}

// The moving loop takes `bound` steps, each over `apart` tiles.
Tiles moved_tiles(std::int64_t size, std::int64_t extent, std::int64_t apart, std::int64_t bound) {
  Tiles tiles = tiles_of(size, extent);
  const std::int64_t number = tiles.number[0][0] + 1;
  const std::int64_t period = apart * bound;
  const std::int64_t starts = number / period * apart + std::min(number % period, apart);
  const bool last_starts = (number - 1) % period < apart;
  tiles.number[0] = {starts - (last_starts ? 1 : 0), last_starts ? 1 : 0};
  tiles.number[1] = {number - starts - (last_starts ? 0 : 1), last_starts ? 0 : 1};
  return tiles;
}

// Sums the words of a window over the tiles of all its dimensions.
class WindowSum {
 public:
  WindowSum(const Window& window, int moving, std::int64_t apart)
      : window_(window), moving_(moving), apart_(apart) {}

  std::array<Tiles, kMaxWindowDims> tiles;

  std::int64_t total() {
    Extents extents{};
    return at(0, 1, false, extents);
  }

 private:
  std::int64_t at(int i, std::int64_t number, bool moved, Extents& extents) {
    if (i == window_.dim_count()) return times(number, words(extents, moved));
    const Tiles& mine = tiles[static_cast<std::size_t>(i)];
    std::int64_t sum = 0;
    for (std::size_t step = 0; step < 2; ++step) {
      for (std::size_t last = 0; last < 2; ++last) {
        const std::int64_t n = mine.number[step][last];
        if (n == 0) continue;
        extents[static_cast<std::size_t>(i)] = last == 1 ? mine.last : mine.full;
        sum += at(i + 1, times(number, n), moved || step == 1, extents);
      }
    }
    return saturated_words(sum);
  }

  std::int64_t words(const Extents& extents, bool moved) const {
    if (!moved) return window_.size(extents);
    const std::int64_t full = tiles[static_cast<std::size_t>(moving_)].full;
    return window_.new_elements(extents, moving_, full, apart_ * full);
  }

  const Window& window_;
  int moving_;
  std::int64_t apart_;  // tiles between two steps
};

}  // namespace

Subproblem::Subproblem(const SolverTables& solver, const Placement& placement,
                       const SpatialBounds& spatial)
    : solver_(&solver), placement_(&placement), spatial_(&spatial) {
  const auto dims = static_cast<std::size_t>(solver.dim_count);
  std::fill_n(outside_[0].begin(), dims, 1);
  for (int f = 0; f < solver.fanout_count; ++f) {
    const auto at = static_cast<std::size_t>(f);
    for (std::size_t d = 0; d < dims; ++d) {
      outside_[at + 1][d] = outside_[at][d] * spatial.unrolled(f, static_cast<int>(d));
    }
    charges_words_ = charges_words_ || solver.fanout(f).word > 0;
  }
  count_instances();
  std::int64_t steps = 1;
  for (int d = 0; d < solver.dim_count; ++d) {
    steps *= ceil_div(solver.size(d), unrolled_outside(solver.memory_count, d));
  }
  compute_cycles_ = cycles_for(ceil_div(steps, solver.compute_macs), {1, solver.compute_cycles});
  count_held();
  fix_compute_links();
}

// --- counting ---------------------------------------------------------------

// All branches of a dimension take part but, with remainders, some of the last branch of
// its outermost spatial slot: the first index of that branch exists, and so do all before it.
void Subproblem::count_instances() {
  for (int m = 0; m < solver_->memory_count; ++m) {
    std::int64_t& number = instances_[at(m)];
    number = 1;
    for (int d = 0; d < solver_->dim_count; ++d) number *= unrolled_outside(m, d);
  }
  for (int d = 0; d < solver_->dim_count; ++d) {
    const std::int64_t all = unrolled_outside(solver_->memory_count, d);
    std::int64_t inside = all;  // branches of the outermost slot's branches
    for (int f = 0; inside == all && f < solver_->fanout_count; ++f) {
      const std::int64_t x = spatial_->along_x(f, d);
      const std::int64_t y = spatial_->unrolled(f, d) / x;
      inside /= y > 1 ? y : x;
    }
    least_instances_ *= solver_->is_perfect() ? all : all - inside + 1;
  }
}

std::int64_t Subproblem::shared_copies(const Link& link, int kind, int dim) const {
  std::int64_t copies = 1;
  const bool output = solver_->tensor(link.tensor).output;
  for (int f = shared_from(link, kind); f < link.end_fanout; ++f) {
    if (shares(f, output)) {
      copies *= spatial_->unrolled(f, dim);
    }
  }
  return copies;
}

std::int64_t Subproblem::irrelevant(const Link& link, int kind, int dim, int block,
                                    std::int64_t inside) const {
  const std::int64_t between = unrolled(fanouts_outside(block), fanouts_outside(link.child), dim);
  const std::int64_t run = inside / between * shared_copies(link, kind, dim);
  return ceil_div(solver_->size(dim), run);
}

std::int64_t Subproblem::window_words(const Link& link, const Window& window, int block,
                                      const Extents& inside, const Mover& mover) const {
  const int moving = mover.dim < 0 ? -1 : window.position_of(mover.dim);
  const int outer = fanouts_outside(block);
  const int inner = fanouts_outside(link.child);
  std::int64_t apart = 1;
  if (moving >= 0) apart = unrolled(outer, inner, mover.dim);
  WindowSum sum(window, moving, apart);
  for (int i = 0; i < window.dim_count(); ++i) {
    const int dim = window.dim(i);
    const std::int64_t extent = inside[at(i)] / unrolled(outer, inner, dim);
    sum.tiles[at(i)] = i == moving ? moved_tiles(solver_->size(dim), extent, apart, mover.bound)
                                   : tiles_of(solver_->size(dim), extent);
  }
  return sum.total();
}

std::int64_t Subproblem::window_shared(const Link& link, int kind, const Window& window, int block,
                                       const Extents& inside, std::int64_t entering) const {
  const bool output = solver_->tensor(link.tensor).output;
  const int outer = fanouts_outside(block);
  std::int64_t words = entering;
  for (int f = shared_from(link, kind); f < link.end_fanout; ++f) {
    if (!shares(f, output)) continue;
    Extents copies{};
    Extents strides{};
    std::int64_t product = 1;
    std::int64_t most = 1;
    for (int i = 0; i < window.dim_count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int dim = window.dim(i);
      copies[at] = spatial_->unrolled(f, dim);
      // Only meaningful where the fan-out is inside the moving loop's block.
      strides[at] = f < outer ? 1 : inside[at] / unrolled(outer, f + 1, dim);
      product *= copies[at];
      most = std::max(most, copies[at]);
    }
    if (product == most) continue;
    if (solver_->is_perfect() && f >= outer) {
      words = words / product * window.distinct_starts(copies, strides);
    } else {
      words = ceil_div(words, product / most);
    }
  }
  return words;
}

LinkCounts Subproblem::counts(const Link& link, int block, const PerDim& inside,
                              const Mover& mover) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  LinkCounts counts;
  const int kinds = count_kinds(link);
  std::fill_n(counts.begin(), kinds, 1);
  for (int d = 0; d < solver_->dim_count; ++d) {
    for (int kind = 0; kind < kinds; ++kind) {
      std::int64_t& count = counts[at(kind)];
      if (((tensor.alone >> d) & 1U) != 0) {
        count = times(count, solver_->size(d));
      } else if (((tensor.relevant >> d) & 1U) == 0) {
        count = times(count, irrelevant(link, kind, d, block, inside[at(d)]));
      }
    }
  }
  for (const Window& window : tensor.windows) {
    Extents extents{};
    for (int i = 0; i < window.dim_count(); ++i) {
      extents[at(i)] = inside[at(window.dim(i))];
    }
    const std::int64_t words = window_words(link, window, block, extents, mover);
    for (int kind = 0; kind < kinds; ++kind) {
      std::int64_t& count = counts[at(kind)];
      count = times(count, window_shared(link, kind, window, block, extents, words));
    }
  }
  return counts;
}

// Every step moves an element of its own.
LinkCounts Subproblem::compute_counts(const Link& link) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const int outer = solver_->memory_count;  // nothing is known outside compute
  LinkCounts counts;
  const int kinds = count_kinds(link);
  std::fill_n(counts.begin(), kinds, 1);
  const Extents ones = [] {
    Extents e{};
    e.fill(1);
    return e;
  }();
  for (int kind = 0; kind < kinds; ++kind) {
    std::int64_t& count = counts[at(kind)];
    for (int d = 0; d < solver_->dim_count; ++d) {
      const bool relevant = ((tensor.relevant >> d) & 1U) != 0;
      count = times(count, relevant ? solver_->size(d)
                                    : ceil_div(solver_->size(d), shared_copies(link, kind, d)));
    }
    for (const Window& window : tensor.windows) {
      count = window_shared(link, kind, window, outer, ones, count);
    }
  }
  return counts;
}

LinkCounts Subproblem::least_counts(const Link& link) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  LinkCounts counts;
  const int kinds = count_kinds(link);
  for (int kind = 0; kind < kinds; ++kind) {
    std::int64_t count = 1;
    for (int d = 0; d < solver_->dim_count; ++d) {
      if (((tensor.alone >> d) & 1U) != 0) count = times(count, solver_->size(d));
      if (((tensor.relevant >> d) & 1U) != 0) continue;
      const std::int64_t copies = unrolled_outside(link.child, d);
      if (solver_->is_perfect()) count = times(count, copies / shared_copies(link, kind, d));
    }
    for (const std::int64_t elements : tensor.window_elements) count = times(count, elements);
    counts[at(kind)] = count;
  }
  return counts;
}

// Elements of the output that the instances of each memory ever hold, at most.
void Subproblem::count_held() {
  const TensorShape& output = solver_->tensors.back();
  for (int m = 0; m < solver_->memory_count; ++m) {
    std::int64_t& held = held_[at(m)];
    held = 1;
    for (int d = 0; d < solver_->dim_count; ++d) {
      if (((output.alone >> d) & 1U) != 0) held = times(held, solver_->size(d));
      if (((output.relevant >> d) & 1U) == 0) held = times(held, unrolled_outside(m, d));
    }
    for (const Window& window : output.windows) {
      Extents sizes{};
      std::int64_t points = 1;
      std::int64_t copies = 1;
      for (int i = 0; i < window.dim_count(); ++i) {
        sizes[at(i)] = solver_->size(window.dim(i));
        points = times(points, solver_->size(window.dim(i)));
        copies = times(copies, unrolled_outside(m, window.dim(i)));
      }
      held = times(held, std::min(points, times(copies, window.size(sizes))));
    }
    if (solver_->boxes && !output.windows.empty()) held = kCountLimit;  // Timeloop's own rule
  }
}

// --- energy -----------------------------------------------------------------

Energy Subproblem::access_energy(std::int64_t words, int memory, std::int64_t each) const {
  const std::int64_t block = solver_->memory(memory).block;
  if (block == 1) return static_cast<Int128>(words) * each;
  if (!solver_->is_perfect()) return static_cast<Int128>(words) * (each / block);
  const Int128 at_once = static_cast<Int128>(instances(memory)) * block;
  return (words + at_once - 1) / at_once * instances(memory) * each;
}

Energy Subproblem::exact(const Link& link, const LinkCounts& counts) const {
  const bool to_memory = link.child < solver_->memory_count;
  const MemoryShape& parent = solver_->memory(link.parent);
  const std::int64_t entering = counts[kEntering];
  const std::int64_t served = counts[kServed];
  Energy energy = 0;
  if (!solver_->tensor(link.tensor).output) {
    energy = access_energy(served, link.parent, parent.read);
    if (to_memory) {
      energy += access_energy(entering, link.child, solver_->memory(link.child).write);
    }
  } else {
    energy = access_energy(served, link.parent, parent.update);
    if (!parent.in_place) {
      const std::int64_t again = served - held_[at(link.parent)];
      if (again > 0) energy += access_energy(again, link.parent, parent.read);
      if (to_memory) {
        const std::int64_t fills = entering - held_[at(link.child)];
        if (fills > 0) {
          energy += access_energy(fills, link.child, solver_->memory(link.child).write);
        }
      }
    }
  }
  if (charges_words_) {
    for (int f = link.first_fanout; f < link.end_fanout; ++f) {
      energy += static_cast<Int128>(solver_->fanout(f).word) *
                counts[at(kDelivered + f - link.first_fanout)];
    }
  }
  return energy;
}

void Subproblem::fix_compute_links() {
  Energy energy = static_cast<Int128>(solver_->macs) * solver_->mac;
  for (const Link& link : placement_->compute_links) {
    const LinkCounts counts = compute_counts(link);
    energy += exact(link, counts);
    std::int64_t served = counts[kServed];
    std::int64_t held = held_[at(link.parent)];
    if (solver_->is_perfect()) {
      served /= instances(link.parent);
      held /= instances(link.parent);
    } else {
      const TensorShape& tensor = solver_->tensor(link.tensor);
      const std::int64_t share = relevant_share(tensor, link.parent);
      std::int64_t steps = 1;
      for (int d = 0; d < solver_->dim_count; ++d) {
        if (((tensor.relevant >> d) & 1U) != 0) continue;
        steps = times(steps, ceil_div(solver_->size(d), shared_copies(link, kServed, d) *
                                                            unrolled_outside(link.parent, d)));
      }
      const bool windows = !tensor.windows.empty();
      served = times(share, steps);
      held = windows ? kCountLimit : share;
    }
    book(link, 0, served, 0, held, fixed_loads_);
  }
  fixed_energy_ = solver_->scale.table(energy);
}

Units Subproblem::least_energy(const Link& link) const { return energy(link, least_counts(link)); }

Energy Subproblem::leakage(std::int64_t cycles) const {
  Energy energy = 0;
  for (int m = 0; m < solver_->memory_count; ++m) {
    const MemoryShape& memory = solver_->memory(m);
    if (memory.leakage == 0) continue;
    std::int64_t leaking = solver_->is_perfect() ? instances(m) : 1;
    if (solver_->leak_all) leaking = memory.physical_instances;
    energy += static_cast<Int128>(memory.leakage) * cycles * leaking;
  }
  return energy;
}

// --- loads ------------------------------------------------------------------

// Elements of the relevant dimensions, per instance of a memory, at least.
std::int64_t Subproblem::relevant_share(const TensorShape& tensor, int memory) const {
  std::int64_t share = 1;
  for (std::uint32_t rest = tensor.relevant; rest != 0; rest &= rest - 1) {
    const int d = __builtin_ctz(rest);
    share = times(share, ceil_div(solver_->size(d), unrolled_outside(memory, d)));
  }
  // Diagonals of an array may share windows.
  return tensor.windows.empty() ? share : 1;
}

void Subproblem::book(const Link& link, std::int64_t entering, std::int64_t served,
                      std::int64_t held_child, std::int64_t held_parent, Loads& loads) const {
  Load& parent = loads[at(link.parent)];
  const bool to_memory = link.child < solver_->memory_count;
  if (!solver_->tensor(link.tensor).output) {
    parent.reads += served;
    if (to_memory) loads[at(link.child)].writes += entering;
    return;
  }
  parent.writes += served;
  if (solver_->memory(link.parent).in_place) return;
  parent.reads += std::max<std::int64_t>(0, served - held_parent);
  if (!to_memory) return;
  loads[at(link.child)].writes += std::max<std::int64_t>(0, entering - held_child);
}

void Subproblem::add_load(const Link& link, int block, const PerDim& inside, const Mover& mover,
                          Loads& loads) const {
  const bool output = solver_->tensor(link.tensor).output;
  if (solver_->is_perfect()) {
    const LinkCounts all = counts(link, block, inside, mover);
    const std::int64_t children = instances(link.child);
    const std::int64_t parents = instances(link.parent);
    book(link, all[kEntering] / children, all[kServed] / parents, held_[at(link.child)] / children,
         held_[at(link.parent)] / parents, loads);
    return;
  }
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const auto irrelevant_steps = [&](int memory, int kind) {
    std::int64_t steps = 1;
    for (int d = 0; d < solver_->dim_count; ++d) {
      if (((tensor.relevant >> d) & 1U) != 0) continue;
      const std::int64_t between = unrolled(fanouts_outside(block), fanouts_outside(link.child), d);
      const std::int64_t run = inside[at(d)] / between;
      steps = times(steps, ceil_div(solver_->size(d), run * shared_copies(link, kind, d) *
                                                          unrolled_outside(memory, d)));
    }
    return steps;
  };
  const auto share = [&](int memory) {
    std::int64_t words = 1;
    for (std::uint32_t rest = tensor.alone; rest != 0; rest &= rest - 1) {
      const int d = __builtin_ctz(rest);
      words = times(words, ceil_div(solver_->size(d), unrolled_outside(memory, d)));
    }
    return words;
  };
  // Windows: the mean of all instances, where two dimensions meet.
  const auto windows = [&](int memory, int kind) {
    std::int64_t words = 1;
    for (const Window& window : tensor.windows) {
      Extents extents{};
      std::int64_t copies = 1;
      for (int i = 0; i < window.dim_count(); ++i) {
        extents[at(i)] = inside[at(window.dim(i))];
        copies = times(copies, unrolled_outside(memory, window.dim(i)));
      }
      if (window.dim_count() > 2) continue;
      const std::int64_t all = window_shared(link, kind, window, block, extents,
                                             window_words(link, window, block, extents, mover));
      words = times(words, ceil_div(all, copies));
    }
    return words;
  };
  const bool elides = output && tensor.windows.empty();
  const std::int64_t child_share = share(link.child);
  const std::int64_t parent_share = share(link.parent);
  book(link,
       times(times(child_share, windows(link.child, kEntering)),
             irrelevant_steps(link.child, kEntering)),
       times(times(parent_share, windows(link.parent, kServed)),
             irrelevant_steps(link.parent, kServed)),
       elides ? child_share : kCountLimit, elides ? parent_share : kCountLimit, loads);
}

void Subproblem::add_least_load(const Link& link, Loads& loads) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const auto share = [&](int memory) {
    std::int64_t words = 1;
    for (std::uint32_t rest = tensor.alone; rest != 0; rest &= rest - 1) {
      const int d = __builtin_ctz(rest);
      words = times(words, ceil_div(solver_->size(d), unrolled_outside(memory, d)));
    }
    for (std::size_t w = 0; w < tensor.windows.size(); ++w) {
      const Window& window = tensor.windows[w];
      if (window.dim_count() > 2) continue;
      std::int64_t copies = 1;
      for (int i = 0; i < window.dim_count(); ++i) {
        copies = times(copies, unrolled_outside(memory, window.dim(i)));
      }
      words = times(words, ceil_div(tensor.window_elements[w], copies));
    }
    return words;
  };
  book(link, share(link.child), share(link.parent), kCountLimit, kCountLimit, loads);
}

std::int64_t Subproblem::cycles(const Loads& loads) const {
  std::int64_t cycles = compute_cycles_;
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
