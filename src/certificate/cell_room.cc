#include "certificate/cell_room.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/capacity_check.h"

namespace tilewright::certificate {

namespace {

Int128 limited(Int128 extent) { return std::min<Int128>(extent, kCountLimit); }

}  // namespace

CellRoom::CellRoom(const Terms& terms, const Rules& rules)
    : terms_(&terms), rules_(&rules), places_(fanout_places(*terms.problem)) {
  for (const Dimension& dim : terms.problem->workload().dims) sizes_.push_back(dim.size);
}

bool CellRoom::may_fit(const Cover& cover, const Cell& cell) {
  const Problem& problem = *terms_->problem;
  if (cell.keepers.empty()) return true;
  if (ranges_ != cell.ranges || amounts_.empty()) {
    ranges_ = cell.ranges;
    amounts_.assign(at(problem.memory_count() * problem.tensor_count() * 2), -1);
    tiles_of_ = -1;
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    const std::int64_t room =
        room_of(problem.memory(MemoryId{m}).capacity, problem.memory(MemoryId{m}));
    Count together = 0;
    for (int t = 0; t < static_cast<int>(cell.keepers.size()); ++t) {
      if (contains(cell.keepers[at(t)], m)) together += amount(cover, cell, m, t);
    }
    if (together > room) return false;
  }
  return true;
}

std::int64_t CellRoom::amount(const Cover& cover, const Cell& cell, int memory, int tensor) {
  const Problem& problem = *terms_->problem;
  const bool is_home = (cell.keepers[at(tensor)] & ((1U << memory) - 1U)) == 0;
  std::int64_t& known = amounts_[at((memory * problem.tensor_count() + tensor) * 2 + is_home)];
  if (known >= 0) return known;
  const Memory& here = problem.memory(MemoryId{memory});
  const auto own = problem.partition(MemoryId{memory}, TensorId{tensor});
  const Capacity& capacity = own ? *own : here.capacity;
  known = 0;
  if (capacity.unit == Capacity::Unit::Unlimited) return known;
  if (tiles_of_ != memory) find_tiles(cover, cell, memory);
  const std::int64_t taken =
      amount_of(capacity, here, problem.workload().tensors[at(tensor)], words(tensor, is_home));
  known = !own ? taken : taken > room_of(*own, here) ? room_of(here.capacity, here) + 1 : 0;
  return known;
}

void CellRoom::find_tiles(const Cover& cover, const Cell& cell, int memory) {
  const Problem& problem = *terms_->problem;
  tiles_of_ = memory;
  tile_.clear();
  indices_.clear();
  for (int d = 0; d < problem.dim_count(); ++d) {
    Int128 inside = 1;
    Int128 outside = 1;
    for (int f = 0; f < static_cast<int>(places_.size()); ++f) {
      const bool is_inside = places_[at(f)] > memory;
      if (is_inside) inside = limited(inside * cover.least(cell, f, d));
      if (!is_inside) outside = limited(outside * cover.most(cell, f, d));
    }
    for (int m = memory; m < problem.memory_count(); ++m) {
      inside = limited(inside * rules_->at_slot(problem.use(MemoryId{m}).slot, d).least);
    }
    const std::int64_t size = sizes_[at(d)];
    tile_.push_back(static_cast<std::int64_t>(std::min<Int128>(inside, size)));
    indices_.push_back(ceil_div(size, static_cast<std::int64_t>(outside)));
  }
}

Int128 CellRoom::words(int tensor, bool is_home) const {
  const Parts& parts = terms_->parts[at(tensor)];
  if (is_home && terms_->problem->arch().accounting == Accounting::Exact) {
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

}  // namespace tilewright::certificate
