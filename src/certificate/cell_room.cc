#include "certificate/cell_room.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/capacity_check.h"

namespace tilewright::certificate {

namespace {

class SmallestTiles {
 public:
  SmallestTiles(const Terms& terms, const Rules& rules, const Cover& cover, const Cell& cell,
                int memory)
      : terms_(terms), cell_(cell), memory_(memory) {
    const Problem& problem = *terms.problem;
    const std::vector<int> places = fanout_places(problem);
    for (int d = 0; d < problem.dim_count(); ++d) {
      Int128 inside = 1;
      Int128 outside = 1;
      for (int f = 0; f < static_cast<int>(places.size()); ++f) {
        const bool is_inside = places[at(f)] > memory;
        if (is_inside) inside = limited(inside * cover.least(cell, f, d));
        if (!is_inside) outside = limited(outside * cover.most(cell, f, d));
      }
      for (int m = memory; m < problem.memory_count(); ++m) {
        inside = limited(inside * rules.at_slot(problem.use(MemoryId{m}).slot, d).least);
      }
      const std::int64_t size = problem.workload().dims[at(d)].size;
      sizes_.push_back(size);
      tile_.push_back(static_cast<std::int64_t>(std::min<Int128>(inside, size)));
      indices_.push_back(ceil_div(size, static_cast<std::int64_t>(outside)));
    }
  }

  bool may_fit() const {
    const Problem& problem = *terms_.problem;
    const Memory& memory = problem.memory(MemoryId{memory_});
    Count together = 0;
    for (int t = 0; t < static_cast<int>(cell_.keepers.size()); ++t) {
      if (!contains(cell_.keepers[at(t)], memory_)) continue;
      const auto own = problem.partition(MemoryId{memory_}, TensorId{t});
      const Capacity& capacity = own ? *own : memory.capacity;
      if (capacity.unit == Capacity::Unit::Unlimited) continue;
      const std::int64_t amount =
          amount_of(capacity, memory, problem.workload().tensors[at(t)], words(t));
      if (own && amount > room_of(*own, memory)) return false;
      if (!own) together += amount;
    }
    return memory.capacity.unit == Capacity::Unit::Unlimited ||
           together <= room_of(memory.capacity, memory);
  }

 private:
  static Int128 limited(Int128 extent) { return std::min<Int128>(extent, kCountLimit); }

  Int128 words(int tensor) const {
    const Parts& parts = terms_.parts[at(tensor)];
    const bool is_home = (cell_.keepers[at(tensor)] & ((1U << memory_) - 1U)) == 0;
    if (is_home && terms_.problem->arch().accounting == Accounting::Exact) {
      return home_words(parts, sizes_, indices_);
    }
    Count words = 1;
    for (const int d : parts.alone) words *= tile_[at(d)];
    for (const Window& window : parts.windows) {
      Extents tile;
      for (const int d : window.dims()) tile.push_back(tile_[at(d)]);
      words *= window.size(tile);
    }
    return words;
  }

  const Terms& terms_;
  const Cell& cell_;
  int memory_;
  Extents sizes_, tile_, indices_;  // by dimension
};

}  // namespace

bool may_fit(const Terms& terms, const Rules& rules, const Cover& cover, const Cell& cell) {
  if (cell.keepers.empty()) return true;
  for (int m = 0; m < terms.problem->memory_count(); ++m) {
    if (!SmallestTiles(terms, rules, cover, cell, m).may_fit()) return false;
  }
  return true;
}

}  // namespace tilewright::certificate
