#include "certificate/capacity_check.h"

#include <algorithm>

namespace tilewright::certificate {

Int128 home_words(const Parts& parts, const Extents& sizes, const Extents& indices) {
  Count words = 1;
  for (const int d : parts.alone) words *= indices[at(d)];
  for (const Window& window : parts.windows) {
    Extents whole;
    std::int64_t least = 1;
    bool split = false;
    for (const int d : window.dims()) {
      whole.push_back(sizes[at(d)]);
      least += indices[at(d)] - 1;
      split = split || indices[at(d)] != sizes[at(d)];
    }
    words *= split ? least : window.size(whole);
  }
  return words;
}

CapacityCheck::CapacityCheck(const Context& context, int memory)
    : context_(context),
      memory_(context.problem().memory(MemoryId{memory})),
      room_(room_of(memory_.capacity, memory_)) {
  const bool exact = context.problem().arch().accounting == Accounting::Exact;
  holdings_.reserve(at(__builtin_popcount(context.placement()[at(memory)])));
  for (const int t : members(context.placement()[at(memory)])) {
    const auto own = context.problem().partition(MemoryId{memory}, TensorId{t});
    const Capacity& capacity = own ? *own : memory_.capacity;
    if (capacity.unit == Capacity::Unit::Unlimited) continue;
    Holding& holding = holdings_.emplace_back();
    holding.tensor = t;
    holding.capacity = capacity;
    if (own) holding.room = room_of(*own, memory_);
    if (exact && context.is_home(memory, t)) holding.fixed = words_at_home(memory, t);
    make_tables(holding);
  }
}

// The first instance has an index of each dimension for every so many.
Int128 CapacityCheck::words_at_home(int memory, int tensor) const {
  Extents sizes;
  Extents indices;
  for (int d = 0; d < context_.dims(); ++d) {
    sizes.push_back(context_.size(d));
    indices.push_back(ceil_div(context_.size(d), context_.unrolled(d, -1, memory)));
  }
  return home_words(context_.terms().parts[at(tensor)], sizes, indices);
}

void CapacityCheck::make_tables(Holding& holding) const {
  constexpr std::size_t kMostAmounts = std::size_t{1} << 20;
  const Parts& parts = context_.terms().parts[at(holding.tensor)];
  for (const Window& window : parts.windows) {
    std::size_t volume = 1;
    for (const int d : window.dims()) volume *= context_.chain(d).classes.size();
    holding.sizes.emplace_back(volume, -1);
  }
  std::size_t volume = 1;
  for (const int d : members(parts.relevant)) {
    const std::size_t classes = context_.chain(d).classes.size();
    if (holding.fixed >= 0 || classes == 1) continue;
    holding.strides.emplace_back(d, volume);
    volume *= classes;
  }
  if (volume <= kMostAmounts) holding.amounts.assign(volume, -1);
}

std::int64_t CapacityCheck::window_words(const Window& window, std::vector<std::int64_t>& sizes,
                                         const int* extents) const {
  std::size_t place = 0;
  for (const int d : window.dims()) {
    place = place * context_.chain(d).classes.size() + at(extents[d]);
  }
  if (sizes[place] < 0) {
    Extents tile;
    for (const int d : window.dims()) {
      tile.push_back(std::min(context_.chain(d).classes[at(extents[d])].least, context_.size(d)));
    }
    sizes[place] = window.size(tile);
  }
  return sizes[place];
}

Int128 CapacityCheck::tile_words(Holding& holding, const int* extents) const {
  if (holding.fixed >= 0) return holding.fixed;
  const Parts& parts = context_.terms().parts[at(holding.tensor)];
  Count words = 1;
  for (const int d : parts.alone) {
    words *= std::min(context_.chain(d).classes[at(extents[d])].least, context_.size(d));
  }
  for (std::size_t w = 0; w < parts.windows.size(); ++w) {
    words *= window_words(parts.windows[w], holding.sizes[w], extents);
  }
  return words;
}

std::int64_t CapacityCheck::amount(Holding& holding, const int* extents) const {
  if (holding.amounts.empty()) return find_amount(holding, extents);
  std::size_t place = 0;
  for (const auto& [dim, stride] : holding.strides) place += stride * at(extents[dim]);
  std::int64_t& known = holding.amounts[place];
  if (known < 0) known = find_amount(holding, extents);
  return known;
}

std::int64_t CapacityCheck::find_amount(Holding& holding, const int* extents) const {
  const Tensor& tensor = context_.problem().workload().tensors[at(holding.tensor)];
  const std::int64_t amount =
      amount_of(holding.capacity, memory_, tensor, tile_words(holding, extents));
  if (holding.room < 0) return amount;
  return amount > holding.room ? room_ + 1 : 0;
}

std::int64_t CapacityCheck::amount(int tensor, const int* extents) {
  for (Holding& holding : holdings_) {
    if (holding.tensor == tensor) return amount(holding, extents);
  }
  return 0;
}

// No room passes 2^62, and no amount does by more than one, so the sums stay below 2^63.
bool CapacityCheck::fits(const int* extents) {
  std::int64_t together = 0;
  for (Holding& holding : holdings_) {
    together += amount(holding, extents);
    if (together > room_) return false;
  }
  return true;
}

}  // namespace tilewright::certificate
