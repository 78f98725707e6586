#include "certificate/link_bound.h"

#include <algorithm>

namespace tilewright::certificate {

namespace {

// Rounded up. Numbers of 64 bits are divided much faster.
std::int64_t divided(Int128 all, Int128 by) {
  constexpr Int128 kFits64 = static_cast<Int128>(1) << 61;
  if (all < kFits64 && by < kFits64) {
    return ceil_div(static_cast<std::int64_t>(all), static_cast<std::int64_t>(by));
  }
  const Int128 result = (all + by - 1) / by;
  if (result >= kCountLimit) refuse_large_count();
  return static_cast<std::int64_t>(result);
}

std::vector<int> numbers(std::uint32_t set) {
  std::vector<int> found;
  for (const int number : members(set)) found.push_back(number);
  return found;
}

// Each of so many instances rounds up, on the mean.
Int128 in_blocks(Int128 words, const Memory& memory, Int128 instances) {
  if (memory.block_words == 1) return words;
  return ceil_div(words, instances * memory.block_words) * instances;
}

// The instances of a memory that moves blocks, or 1 where it is not certain that all take part:
// with fewer of them fewer blocks may be rounded up.
Int128 certain_instances(const Context& context, int memory) {
  if (context.problem().memory(MemoryId{memory}).block_words == 1) return 1;
  const std::int64_t all = context.instances(memory);
  return context.least_instances(memory) == all ? all : 1;
}

}  // namespace

LinkBound::LinkBound(const Context& context, const LinkPlace& link, int block)
    : context_(context),
      link_(link),
      block_(block),
      to_compute_(link.child == context.memories()),
      outer_instances_(certain_instances(context, link.parent)),
      inner_instances_(to_compute_ ? 1 : certain_instances(context, link.child)) {
  const Parts& parts = context.terms().parts[at(link.tensor)];
  for (int f = 0; f < context.unrolling().fanouts(); ++f) {
    if (context.place(f) > link.parent && context.place(f) <= link.child) fanouts_ |= 1U << f;
  }
  irrelevant_ = ~parts.relevant & ((1U << context.dims()) - 1U);
  for (const int d : parts.alone) alone_ *= context.size(d);
  const std::vector<Int128>& energies = context.terms().energies.fanouts;
  std::uint32_t priced = 0;
  for (const int f : members(fanouts_)) {
    if (energies[at(f)] != 0) priced |= 1U << f;
  }
  const std::size_t levels = 2 + at(__builtin_popcount(priced));
  levels_.reserve(levels);
  factors_.reserve((2 * levels + 1) * at(__builtin_popcount(irrelevant_)));
  for (const int d : members(irrelevant_)) {
    const Int128 size = context.size(d);
    factors_.push_back(to_compute_ ? size : size * context.unrolled(d, block_, link.child));
  }
  add_level(0, 0);
  add_level(fanouts_, 0);
  for (const int f : members(priced)) {
    add_level(fanouts_ & ~((2U << f) - 1U), energies[at(f)]);
  }
}

void LinkBound::add_level(std::uint32_t inside, Int128 word_energy) {
  Level& level = levels_.emplace_back();
  level.word_energy = word_energy;
  level.first_shared = factors_.size();
  std::uint32_t sharing = 0;
  for (const int f : members(inside)) {
    if (context_.shares(f, link_.tensor)) sharing |= 1U << f;
  }
  for (const int d : members(irrelevant_)) {
    Count shared = 1;
    for (const int f : members(sharing)) shared *= context_.unrolling().factor(f, d);
    const Int128 size = context_.size(d);
    // Every instance that takes part has its words, unless it shares them.
    const std::int64_t present = divided(context_.least_instances(link_.child, d), shared);
    const std::int64_t runs =
        to_compute_ ? divided(size, shared)
                    : divided(size * context_.unrolled(d, -1, link_.child),
                              static_cast<Int128>(shared) * context_.chain(d).largest);
    level.least *= std::max(present, runs);
    factors_.push_back(narrow(shared));
    factors_.push_back(present);
  }
  for (const Window& window : context_.terms().parts[at(link_.tensor)].windows) {
    level.windows.emplace_back(context_, link_, window, block_, numbers(sharing),
                               numbers(fanouts_));
  }
}

Int128 LinkBound::count(const Level& level, const int* extents, const Move& move) const {
  Count words = alone_;
  std::size_t i = 0;
  for (const int d : members(irrelevant_)) {
    const Int128 shared = factors_[level.first_shared + 2 * i];
    const auto present = static_cast<std::int64_t>(factors_[level.first_shared + 2 * i + 1]);
    const ExtentClass& one = context_.chain(d).classes[at(extents[d])];
    words *= std::max(present, divided(factors_[i++], to_compute_ ? shared : shared * one.most));
  }
  const std::vector<Window>& windows = context_.terms().parts[at(link_.tensor)].windows;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const int moved = move.dim >= 0 && windows[w].has(move.dim) ? move.dim : -1;
    words *= level.windows[w].words(extents, moved, move.to);
  }
  return words;
}

Int128 LinkBound::least_count(const Level& level) const {
  Count words = alone_ * level.least;
  for (const WindowBound& window : level.windows) words *= window.least();
  return words;
}

LinkBound::Words LinkBound::words(const int* extents, const Move& move) const {
  return {count(levels_[0], extents, move), count(levels_[1], extents, move)};
}

LinkBound::Words LinkBound::least_words() const {
  return {least_count(levels_[0]), least_count(levels_[1])};
}

Int128 LinkBound::energy_of(const Words& words) const {
  const Energies& pj = context_.terms().energies;
  const Memory& outer = context_.problem().memory(MemoryId{link_.parent});
  const Energies::OfAccess& there = pj.memories[at(link_.parent)].access[at(link_.tensor)];
  const bool output = context_.is_output(link_.tensor);
  const bool back = output && !outer.accumulates_in_place;  // old sums go in again
  Int128 energy = 0;
  if (output) energy += in_blocks(words.served, outer, outer_instances_) * there.update;
  if (!output) energy += in_blocks(words.served, outer, outer_instances_) * there.read;
  if (back)
    energy +=
        in_blocks(excess(words.served, context_.held(link_.parent)), outer, outer_instances_) *
        there.read;
  if (to_compute_ || (output && !back)) return energy;
  const Memory& inner = context_.problem().memory(MemoryId{link_.child});
  const Int128 fills = output ? excess(words.entering, context_.held(link_.child)) : words.entering;
  return energy + in_blocks(fills, inner, inner_instances_) *
                      pj.memories[at(link_.child)].access[at(link_.tensor)].write;
}

Int128 LinkBound::energy(const int* extents, const Move& move) const {
  return energy(words(extents, move), extents, move);
}

Int128 LinkBound::energy(const Words& words, const int* extents, const Move& move) const {
  Int128 energy = energy_of(words);
  for (std::size_t i = 2; i < levels_.size(); ++i) {
    energy += levels_[i].word_energy * count(levels_[i], extents, move);
  }
  return energy;
}

Int128 LinkBound::least_energy(const Words& least) const {
  Int128 energy = energy_of(least);
  for (std::size_t i = 2; i < levels_.size(); ++i) {
    energy += levels_[i].word_energy * least_count(levels_[i]);
  }
  return energy;
}

// No instance moves more than the first one, so it moves the mean at least, with
// exceptions (docs/semantics.md, 8): wide windows, and diagonals and halos that are shared, all
// only beside remainders.
bool LinkBound::first_moves_most(bool shared) const {
  if (context_.is_perfect()) return true;
  for (const Window& window : context_.terms().parts[at(link_.tensor)].windows) {
    if (window.dims().size() > 2) return false;
    for (const int f : members(fanouts_)) {
      if (shared && context_.shares_halos(f, link_.tensor)) return false;
      const auto unrolled = std::count_if(window.dims().begin(), window.dims().end(), [&](int d) {
        return context_.unrolling().factor(f, d) > 1;
      });
      if (shared && unrolled > 1) return false;
    }
  }
  return true;
}

PortWords LinkBound::at_parent(const Words& words) const {
  if (!contains(context_.terms().ported, link_.parent) || !first_moves_most(true)) return {};
  const Int128 served = ceil_div(words.served, context_.instances(link_.parent));
  if (!context_.is_output(link_.tensor)) return {served, 0, 0};
  const Memory& outer = context_.problem().memory(MemoryId{link_.parent});
  const Int128 back =
      outer.accumulates_in_place ? 0 : excess(served, context_.held_first(link_.parent));
  return {back, 0, served};
}

PortWords LinkBound::at_child(const Words& words) const {
  if (to_compute_ || !contains(context_.terms().ported, link_.child)) return {};
  if (!first_moves_most(false)) return {};
  const Int128 entering = ceil_div(words.entering, context_.instances(link_.child));
  if (!context_.is_output(link_.tensor)) return {0, entering, 0};
  const Memory& outer = context_.problem().memory(MemoryId{link_.parent});
  if (outer.accumulates_in_place) return {};
  return {0, excess(entering, context_.held_first(link_.child)), 0};
}

bool LinkBound::stands_still() const {
  const auto& still = context_.terms().stationary;
  return still && still->tensor == link_.tensor && still->memory == link_.child;
}

Int128 LinkBound::standing_still(const Words& words) const {
  return stands_still() ? ceil_div(words.entering, context_.instances(link_.child)) : 0;
}

// All iterations of the loops from the moving one outwards. At most as many combinations of
// digits as there are branches have the same time.
Int128 LinkBound::changes(const int* extents) const {
  Count product = 1;
  for (int d = 0; d < context_.dims(); ++d) {
    const ExtentClass& one = context_.chain(d).classes[at(extents[d])];
    product *= ceil_div(one.left, context_.unrolled(d, -1, block_));
  }
  return product;
}

}  // namespace tilewright::certificate
