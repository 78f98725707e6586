#include "mappers/optimal/tiles_ahead.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "mappers/optimal/open_links.h"

namespace tilewright::optimal {
namespace {

// What the extents of each dimension just inside a memory's loops leave of its iterations, with
// all that is unrolled outside.
std::vector<std::vector<std::int64_t>> iterations_left(const Subproblem& sub,
                                                       const Lattice& lattice, int memory) {
  std::vector<std::vector<std::int64_t>> left;
  for (int d = 0; d < sub.solver().dim_count; ++d) {
    std::vector<std::int64_t>& of_dim = left.emplace_back();
    for (const std::int64_t extent : lattice.axis(memory, d).inner) {
      const std::int64_t tile = extent * sub.unrolled_outside(memory, d);
      of_dim.push_back(ceil_div(sub.solver().size(d), tile));
    }
  }
  return left;
}

// Each place takes the least of those after it along an axis.
void take_least_after(Values& values, std::size_t length, std::size_t after) {
  for (std::size_t begin = 0; begin < values.size(); begin += length * after) {
    for (std::size_t i = (length - 1) * after; i-- > 0;) {
      Units& value = values[begin + i];
      value = std::min(value, values[begin + i + after]);
    }
  }
}

}  // namespace

TilesAhead::TilesAhead(const std::vector<TileSet>& sets, int dim_count)
    : least_left_(at(dim_count)) {
  for (std::size_t d = 0; d < least_left_.size(); ++d) {
    std::vector<std::int64_t>& all = least_left_[d];
    for (const TileSet& set : sets) all.push_back(set.least_left[d]);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  for (const TileSet& set : sets) {
    Tiles& tiles = sets_.emplace_back();
    tiles.all = set.all;
    tiles.outer = set.outer;
    for (std::size_t d = 0; d < least_left_.size(); ++d) {
      const std::vector<std::int64_t>& all = least_left_[d];
      const auto found = std::lower_bound(all.begin(), all.end(), set.least_left[d]);
      tiles.left[d] = static_cast<std::uint32_t>(found - all.begin());
    }
  }
}

Values TilesAhead::least_outside(const Subproblem& sub, const Lattice& lattice, int memory,
                                 bool all, const Values& like) const {
  const std::vector<std::vector<std::int64_t>> left = iterations_left(sub, lattice, memory);
  // Of each dimension, and what tiles leave of it: the last of the extents that they have room for.
  std::vector<std::vector<std::size_t>> rooms(left.size());
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  for (std::size_t d = 0; d < left.size(); ++d) {
    for (const std::int64_t least : least_left_[d]) {
      const auto end = std::find_if(left[d].begin(), left[d].end(),
                                    [&](std::int64_t one) { return one < least; });
      const bool any = end != left[d].begin();
      rooms[d].push_back(any ? static_cast<std::size_t>(end - left[d].begin()) - 1 : kNone);
    }
  }
  Values least(like.size(), kNever, like.get_allocator());
  for (const Tiles& tiles : sets_) {
    std::size_t place = 0;  // of the largest extents that it has room for
    bool any = true;
    for (std::size_t d = 0; d < left.size() && any; ++d) {
      const std::size_t room = rooms[d][tiles.left[d]];
      any = room != kNone;
      place = place * left[d].size() + room;
    }
    if (any) least[place] = std::min(least[place], all ? tiles.all : tiles.outer);
  }
  std::size_t after = 1;
  for (std::size_t d = left.size(); d-- > 0;) {
    take_least_after(least, left[d].size(), after);
    after *= left[d].size();
  }
  return least;
}

void TilesAhead::leave_out(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                           std::vector<Relaxation::Table>& tables) const {
  if (memory == 0 || limit >= kNever || tables.empty()) return;
  std::optional<Values> with_all;
  std::optional<Values> with_outer;
  std::vector<int> links;
  std::erase_if(tables, [&](Relaxation::Table& table) {
    Units others = 0;        // that are not among those
    bool all_unpaid = true;  // that are
    list_open(sub, memory, open_tensors(table.pending), table.pending, links);
    const auto& all = sub.placement().links;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_open =
          std::find(links.begin(), links.end(), static_cast<int>(i)) != links.end();
      const bool unpaid = is_open || all[i].child <= memory;
      const bool among = all[i].parent == 0 && all[i].child < sub.solver().memory_count;
      if (among && !unpaid) all_unpaid = false;
      if (!among && unpaid) others = sum(others, sub.least_energy(all[i]));
    }
    std::optional<Values>& rest = all_unpaid ? with_all : with_outer;
    if (!rest) rest = least_outside(sub, lattice, memory, all_unpaid, table.values);
    bool is_left = false;
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      if (sum(table.values[i], sum(others, (*rest)[i])) >= limit) table.values[i] = kNever;
      is_left = is_left || table.values[i] < kNever;
    }
    return !is_left;
  });
}

}  // namespace tilewright::optimal
