#include "mappers/optimal/tiles_ahead.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "mappers/optimal/open_links.h"
#include "mappers/optimal/vector_sums.h"

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

// Some of the places of a dimension, and how many it has.
struct PlaceRange {
  std::size_t first = 0, end = 0, length = 0;
};

// At all places of these ranges, with those of the dimensions before them.
void take_less_at(std::span<const PlaceRange> ranges, std::size_t before, Units units,
                  Values& values) {
  const PlaceRange& range = ranges.front();
  for (std::size_t i = range.first; i < range.end; ++i) {
    const std::size_t place = before * range.length + i;
    if (ranges.size() > 1) {
      take_less_at(ranges.subspan(1), place, units, values);
    } else {
      values[place] = std::min(values[place], units);
    }
  }
}

}  // namespace

TilesAhead::TilesAhead(const std::vector<TileSet>& sets, int dim_count)
    : least_left_(at(dim_count)), most_left_(at(dim_count)), left_(sets.size() * at(dim_count)) {
  for (const TileSet& set : sets) units_.push_back(set.all);
  const auto number = [&](std::vector<std::int64_t>& all, std::size_t d, const auto& left_of,
                          std::uint32_t Left::* place) {
    for (const TileSet& set : sets) all.push_back(left_of(set)[d]);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const auto found = std::lower_bound(all.begin(), all.end(), left_of(sets[i])[d]);
      left_[i * least_left_.size() + d].*place = static_cast<std::uint32_t>(found - all.begin());
    }
  };
  for (std::size_t d = 0; d < least_left_.size(); ++d) {
    number(least_left_[d], d, [](const TileSet& set) { return set.least_left; }, &Left::least);
    number(most_left_[d], d, [](const TileSet& set) { return set.most_left; }, &Left::most);
  }
  all_ = rooms_of(sets, &TileSet::all);
  outer_ = rooms_of(sets, &TileSet::outer);
}

std::vector<TilesAhead::Room> TilesAhead::rooms_of(const std::vector<TileSet>& sets,
                                                   Units TileSet::* units) const {
  constexpr std::size_t kMostLooks = 1U << 26U;
  const std::size_t dims = least_left_.size();
  std::vector<Room> rooms;
  std::vector<Room> kept;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    Room& room = rooms.emplace_back(Room{{}, sets[i].*units});
    for (std::size_t d = 0; d < dims; ++d) room.least[d] = left_[i * dims + d].least;
  }
  std::sort(rooms.begin(), rooms.end(),
            [](const Room& a, const Room& b) { return a.units < b.units; });
  std::size_t looks = 0;
  for (const Room& room : rooms) {
    const bool is_known =
        looks < kMostLooks && std::any_of(
                                  kept.begin(), kept.end(),
                                  [&](const Room& larger) {
                                    return std::equal(larger.least.begin(), larger.least.end(),
                                                      room.least.begin(), std::less_equal<>());
                                  });
    looks += kept.size();
    if (!is_known) kept.push_back(room);
  }
  return kept;
}

Values TilesAhead::least_outside(const Subproblem& sub, const Lattice& lattice, int memory,
                                 bool all, const Values& like) const {
  const std::vector<std::vector<std::int64_t>> left = iterations_left(sub, lattice, memory);
  // Of each dimension, and what tiles leave of it: the last of the extents that they have room for,
  // as its share of a place.
  std::vector<std::vector<std::int64_t>> shares(left.size());
  auto stride = static_cast<std::int64_t>(like.size());
  for (std::size_t d = 0; d < left.size(); ++d) {
    stride /= static_cast<std::int64_t>(left[d].size());
    for (const std::int64_t least : least_left_[d]) {
      const auto end = std::find_if(left[d].begin(), left[d].end(),
                                    [&](std::int64_t one) { return one < least; });
      const bool any = end != left[d].begin();
      shares[d].push_back(any ? (end - left[d].begin() - 1) * stride : kNowhere);
    }
  }
  Values least(like.size(), kNever, like.get_allocator());
  for (const Room& room : all ? all_ : outer_) {
    std::int64_t place = 0;  // of the largest extents that it has room for
    for (std::size_t d = 0; d < left.size(); ++d) place += shares[d][room.least[d]];
    if (place < 0) continue;
    Units& units = least[static_cast<std::size_t>(place)];
    units = std::min(units, room.units);
  }
  std::size_t after = 1;
  for (std::size_t d = left.size(); d-- > 0;) {
    take_least_after(least, left[d].size(), after);
    after *= left[d].size();
  }
  return least;
}

std::optional<Values> TilesAhead::least_at(const Subproblem& sub, const Lattice& lattice,
                                           const Values& like) const {
  constexpr std::size_t kMostOfPlace = 16;  // visits, of all sets
  const std::size_t dims = least_left_.size();
  // The first and the last place of each dimension that tiles may have, by what they leave.
  std::vector<std::vector<std::size_t>> first(dims);
  std::vector<std::vector<std::size_t>> end(dims);
  std::vector<std::size_t> lengths;
  for (std::size_t d = 0; d < dims; ++d) {
    const LatticeAxis& axis = lattice.axis(0, static_cast<int>(d));
    lengths.push_back(axis.inner.size());
    const std::int64_t size = sub.solver().size(static_cast<int>(d));
    const std::vector<std::int64_t>& largest = lattice.has_ranges() ? axis.inner_most : axis.inner;
    for (const std::int64_t left : most_left_[d]) {
      std::size_t place = 0;
      while (place < largest.size() && ceil_div(size, largest[place]) > left) ++place;
      first[d].push_back(place);
    }
    for (const std::int64_t left : least_left_[d]) {
      std::size_t place = 0;
      while (place < axis.inner.size() && ceil_div(size, axis.inner[place]) >= left) ++place;
      end[d].push_back(place);
    }
  }
  Values least(like.size(), kNever, like.get_allocator());
  std::size_t visits = 0;
  std::array<PlaceRange, kMaxDims> places{};
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const Left* left = &left_[i * dims];
    std::size_t number = 1;
    for (std::size_t d = 0; d < dims && number > 0; ++d) {
      const std::size_t from = first[d][left[d].most];
      places[d] = {from, std::max(end[d][left[d].least], from), lengths[d]};
      number *= places[d].end - from;
    }
    visits += number;
    if (number == 0) continue;
    if (visits > kMostOfPlace * like.size() + units_.size()) return std::nullopt;
    take_less_at({places.data(), dims}, 0, units_[i], least);
  }
  return least;
}

std::optional<Values> TilesAhead::least_filling(const Subproblem& sub, const Lattice& lattice,
                                                int memory, const Values& like) const {
  if (memory == 0) return std::nullopt;
  Units others = 0;
  for (const Link& link : sub.placement().links) {
    const bool is_outer = link.parent == 0 && link.child == 1;
    if (!is_outer && link.child <= memory) others = sum(others, sub.least_energy(link));
  }
  Values least = least_outside(sub, lattice, memory, false, like);
  for (Units& units : least) units = sum(units, others);
  return least;
}

Units TilesAhead::leave_out(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                            std::vector<Relaxation::Table>& tables) const {
  if (limit >= kNever || tables.empty()) return 0;
  Units least = kNever;
  std::optional<Values> with_all;
  if (memory == 0) with_all = least_at(sub, lattice, tables.front().values);
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
    Units least_here = kNever;
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      const Units total = sum(table.values[i], sum(others, (*rest)[i]));
      if (total >= limit) {
        table.values[i] = kNever;
      } else {
        least_here = std::min(least_here, total);
      }
    }
    least = std::min(least, least_here);
    return least_here >= kNever;
  });
  return least;
}

}  // namespace tilewright::optimal
