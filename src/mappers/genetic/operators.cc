#include "mappers/genetic/operators.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace tilewright::genetic {

// A double has room for 53 random bits.
bool happens(double probability, Rng& rng) {
  return static_cast<double>(rng.next() >> 11U) * 0x1p-53 < probability;
}

namespace {

bool coin(Rng& rng) { return (rng.next() >> 63U) != 0; }

std::size_t position(Rng& rng, std::size_t count) { return rng.below(count); }

template <typename T>
const T& pick(Rng& rng, const std::vector<T>& items) {
  return items[position(rng, items.size())];
}

// Without an instruction that not all machines have.
std::size_t count_bits(std::uint32_t bits) {
  std::size_t count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

// The number of one of the bits that are set; -1 if none is.
int pick_bit(Rng& rng, std::uint32_t bits) {
  if (bits == 0) return -1;
  for (std::size_t skip = position(rng, count_bits(bits)); skip > 0; --skip) {
    bits &= bits - 1;
  }
  return std::countr_zero(bits);
}

// From 1 to `most`, every power of two as likely as the next.
std::int64_t any_bound(Rng& rng, std::int64_t most) {
  const auto bits = static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(most)));
  const std::uint64_t power = std::uint64_t{1} << rng.below(bits);
  return std::min(most, static_cast<std::int64_t>(power + rng.below(power)));
}

// As many as there is room for, or fewer.
std::int64_t any_use(Rng& rng, std::int64_t room) {
  return coin(rng) ? room : any_bound(rng, room);
}

// --- other bounds -------------------------------------------------------------------

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): bounds as far as there are slots
struct Change {
  explicit Change(int d) : dim(d) {}
  int dim;
  Chain bounds;
};

void exchange(Change& change, Mapping& child) {
  const Chain before = chain_of(child, change.dim);
  set_chain(change.bounds, change.dim, child);
  change.bounds = before;
}

// Gives the child other chains if the fan-outs hold them.
void try_chains(const GeneSpace& genes, std::span<Change> changes, Mapping& child) {
  if (changes.size() == 1) {
    const Change& only = changes.front();
    if (genes.holds(child, only.dim, only.bounds)) set_chain(only.bounds, only.dim, child);
    return;
  }
  for (Change& change : changes) exchange(change, child);
  if (genes.holds(child)) return;
  for (Change& change : changes) exchange(change, child);
}

// A dimension's chain with another bound in one slot, for which another slot makes up;
// false if there is none.
bool rebound(const GeneSpace& genes, const Mapping& child, int slot, std::int64_t bound, int give,
             Change& change) {
  change.bounds = chain_of(child, change.dim);
  change.bounds[at(slot)] = bound;
  return genes.settle(change.dim, give, change.bounds);
}

// --- which dimensions -----------------------------------------------------------------

// A bit per dimension with more than the least bound in a slot.
std::uint32_t unrolled(const GeneSpace& genes, const Mapping& child, int slot) {
  const std::int64_t* bounds = child.bounds(slot);
  const std::int64_t* least = genes.least(slot);
  std::uint32_t dims = 0;
  for (int d = 0; d < genes.dims; ++d) dims |= (bounds[d] > least[d] ? 1U : 0U) << d;
  return dims;
}

// A memory's slot that may have a loop over a dimension; -1 if none may.
int slot_in_time(const GeneSpace& genes, Rng& rng, int dim) {
  return pick_bit(rng, genes.open_slots(dim) & ~genes.spatial_slots);
}

// Two unrolled dimensions of different axes change places.
void swap_axes(const GeneSpace& genes, Rng& rng, int slot, int dim, Mapping& child) {
  const int other_slot = pick(rng, genes.parallel_slots());
  if (other_slot == slot || (genes.open_slots(dim) >> other_slot & 1U) == 0) return;
  const int other =
      pick_bit(rng, unrolled(genes, child, other_slot) & genes.open_dims(slot) & ~(1U << dim));
  std::array<Change, 2> changes = {Change(dim), Change(other)};
  std::span<Change> made(changes.data(), other < 0 ? 1 : 2);
  for (Change& change : made) {
    change.bounds = chain_of(child, change.dim);
    std::swap(change.bounds[at(slot)], change.bounds[at(other_slot)]);
    if (!genes.settle(change.dim, -1, change.bounds)) return;
  }
  try_chains(genes, made, child);
}

// Another dimension comes to where one goes back into time.
void replace(const GeneSpace& genes, Rng& rng, int slot, int dim, Mapping& child) {
  const int other = pick_bit(rng, genes.open_dims(slot) & ~(1U << dim));
  if (other < 0) return;
  std::array<Change, 2> changes = {Change(dim), Change(other)};
  if (!rebound(genes, child, slot, 1, slot_in_time(genes, rng, dim), changes[0])) return;
  const std::int64_t stays = genes.used(slot, child) / child.bound(slot, DimId{dim}) /
                             child.bound(slot, DimId{other}) * changes[0].bounds[at(slot)];
  const std::int64_t bound = any_use(rng, genes.instances[at(slot)] / stays);
  if (!rebound(genes, child, slot, bound, slot_in_time(genes, rng, other), changes[1])) return;
  try_chains(genes, changes, child);
}

}  // namespace

// --- operators ------------------------------------------------------------------------

void cross_tiles(const GeneSpace& genes, const Mapping& other, Rng& rng, Mapping& child) {
  std::array<int, kMaxDims> dims;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
  const std::size_t count = genes.free_dims().size();
  std::copy(genes.free_dims().begin(), genes.free_dims().end(), dims.begin());
  for (std::size_t taken = 0; taken < count; ++taken) {
    std::swap(dims[taken], dims[taken + position(rng, count - taken)]);
    const Chain chain = chain_of(other, dims[taken]);
    const bool holds = taken == 0 && genes.holds(child, dims[taken], chain);
    set_chain(chain, dims[taken], child);
    if (holds || (taken > 0 && genes.holds(child))) return;
  }
}

void reorder(const GeneSpace& genes, Rng& rng, Mapping& child) {
  const auto& memories = genes.memories();
  const std::size_t begin = position(rng, memories.size());
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const std::size_t m = (begin + i) % memories.size();
    const MemoryId memory{static_cast<int>(m)};
    std::uint32_t loops = 0;  // bit per position
    for (int at = memories[m].first; at < memories[m].last; ++at) {
      if (child.bound(memories[m].slot, DimId{child.order(memory)[at]}) > 1) loops |= 1U << at;
    }
    if ((loops & (loops - 1)) == 0) continue;  // fewer than two
    const int a = pick_bit(rng, loops);
    const int b = pick_bit(rng, loops & ~(1U << a));
    std::array<DimId, kMaxDims> order;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
    for (int at = 0; at < child.dim_count(); ++at) {
      order[static_cast<std::size_t>(at)] = DimId{child.order(memory)[at]};
    }
    std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
    child.set_order(memory, std::span(order.data(), static_cast<std::size_t>(child.dim_count())));
    return;
  }
}

void mutate_tile(const GeneSpace& genes, Rng& rng, Mapping& child) {
  if (genes.free_dims().empty()) return;
  const int dim = pick(rng, genes.free_dims());
  const std::uint32_t open = genes.open_slots(dim);
  Chain chain = chain_of(child, dim);
  for (int turns = coin(rng) ? 1 : static_cast<int>(count_bits(open)); turns > 0; --turns) {
    const int slot = pick_bit(rng, open);
    const int give = pick_bit(rng, open & ~(1U << slot));
    Chain tried = chain;
    tried[at(slot)] = any_bound(rng, chain[at(slot)] * chain[at(give)]);
    if (genes.settle(dim, give, tried) && genes.holds(child, dim, tried)) chain = tried;
  }
  set_chain(chain, dim, child);
}

void mutate_parallel(const GeneSpace& genes, Rng& rng, Mapping& child) {
  if (genes.parallel_slots().empty()) return;
  const int slot = pick(rng, genes.parallel_slots());
  const int dim = pick_bit(rng, unrolled(genes, child, slot) & genes.open_dims(slot));
  if (dim < 0) return;
  if (coin(rng)) {
    swap_axes(genes, rng, slot, dim, child);
  } else {
    replace(genes, rng, slot, dim, child);
  }
}

void grow(const GeneSpace& genes, Rng& rng, Mapping& child) {
  if (genes.parallel_slots().empty()) return;
  const int slot = pick(rng, genes.parallel_slots());
  const std::int64_t room = genes.instances[at(slot)] / genes.used(slot, child);
  const int dim = pick_bit(rng, genes.open_dims(slot) & ~unrolled(genes, child, slot));
  if (room < 2 || dim < 0) return;
  Change change(dim);
  const int give = slot_in_time(genes, rng, dim);
  if (!rebound(genes, child, slot, any_use(rng, room), give, change)) return;
  try_chains(genes, std::span(&change, 1), child);
}

void age(const GeneSpace& genes, Rng& rng, Mapping& child) {
  if (genes.parallel_slots().empty()) return;
  const int slot = pick(rng, genes.parallel_slots());
  const int dim = pick_bit(rng, unrolled(genes, child, slot) & genes.open_dims(slot));
  if (dim < 0) return;
  Change change(dim);
  const std::int64_t bound = coin(rng) ? 1 : any_bound(rng, child.bound(slot, DimId{dim}) - 1);
  if (!rebound(genes, child, slot, bound, slot_in_time(genes, rng, dim), change)) return;
  try_chains(genes, std::span(&change, 1), child);
}

void mutate_residence(const GeneSpace& genes, Rng& rng, Mapping& child) {
  if (genes.choices().empty()) return;
  const GeneSpace::Choice& choice = pick(rng, genes.choices());
  const std::uint32_t before = child.kept(choice.memory);
  child.set_kept(choice.memory, before ^ choice.tensor_bit);
  if (!genes.keeps_all(child)) child.set_kept(choice.memory, before);
}

void breed(const GeneSpace& genes, const GeneticSettings::Rates& rates, const Mapping& parent,
           const Mapping& other, Rng& rng, Mapping& child) {
  child = parent;
  if (happens(rates.crossover, rng)) cross_tiles(genes, other, rng, child);
  if (happens(rates.reorder, rng)) reorder(genes, rng, child);
  if (happens(rates.tile, rng)) mutate_tile(genes, rng, child);
  if (happens(rates.parallel, rng)) mutate_parallel(genes, rng, child);
  if (happens(rates.growth, rng)) grow(genes, rng, child);
  if (happens(rates.aging, rng)) age(genes, rng, child);
  if (happens(rates.residence, rng)) mutate_residence(genes, rng, child);
  // What is known already need not be evaluated again.
  if (child == parent) mutate_tile(genes, rng, child);
}

void shuffle_orders(const GeneSpace& genes, Rng& rng, Mapping& child) {
  std::vector<DimId> order;
  for (std::size_t m = 0; m < genes.memories().size(); ++m) {
    const GeneSpace::OfMemory& memory = genes.memories()[m];
    order = memory.outermost;
    for (int d = 0; d < child.dim_count(); ++d) {
      const DimId dim{d};
      if (contains(memory.outermost, dim) || contains(memory.innermost, dim)) continue;
      order.push_back(dim);
    }
    for (int at = memory.first; at + 1 < memory.last; ++at) {
      const auto left = static_cast<std::size_t>(memory.last - at);
      const auto from = static_cast<std::size_t>(at);
      std::swap(order[from], order[from + position(rng, left)]);
    }
    order.insert(order.end(), memory.innermost.begin(), memory.innermost.end());
    child.set_order(MemoryId{static_cast<int>(m)}, order);
  }
}

}  // namespace tilewright::genetic
