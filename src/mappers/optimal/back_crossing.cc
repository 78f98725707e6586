#include "mappers/optimal/back_crossing.h"

#include <algorithm>

#include "mappers/optimal/price.h"

namespace tilewright::optimal {

const Values* find_table(const std::vector<Relaxation::Table>& tables, OpenLinks pending) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const Relaxation::Table& one) {
    return one.pending == pending;
  });
  return found == tables.end() ? nullptr : &found->values;
}

void pay_open_at_end(const Subproblem& sub, const Lattice& lattice, Relaxation::Table& table) {
  std::vector<AxisExtents> axes(at(sub.solver().dim_count));
  for (int d = 0; at(d) < axes.size(); ++d) {
    const LatticeAxis& own = lattice.axis(0, d);
    if (lattice.has_ranges()) {
      axes[at(d)] = {own.outer_most, {}, own.outer, {}};
    } else {
      axes[at(d)].extents = own.outer;
    }
  }
  std::vector<int> links;
  list_open(sub, 0, open_tensors(table.pending), table.pending, links);
  for (const int link : links) {
    add_price(sub, sub.placement().links[at(link)], 0, axes, -1, table.values);
  }
}

template <typename Loops>
Values BackCrossing<Loops>::inside(OpenLinks pending) {
  pending_ = pending;
  const Places& found = proceed(0, open_tensors(pending), loops_.all_dims());
  Values values(loops_.places_of(0), kNever, outside_.front().values.get_allocator());
  take_less(values, found);
  return values;
}

template <typename Loops>
auto BackCrossing<Loops>::proceed(std::uint32_t done, std::uint32_t open, std::uint32_t left)
    -> const Places& {
  if (open == 0) return closed(done);
  const Stage place{done, left, links_of(pending_, open)};
  const auto known = known_.find(place);
  if (known != known_.end()) return known->second;
  return known_.emplace(place, find(done, open, left)).first->second;
}

template <typename Loops>
auto BackCrossing<Loops>::find(std::uint32_t done, std::uint32_t open, std::uint32_t left)
    -> Places {
  std::vector<int> unmoving;
  for (int d = loops_.unmoving(open, left); d >= 0; d = loops_.unmoving(open, left)) {
    unmoving.push_back(d);
    left &= ~(1U << d);
    done |= 1U << d;
  }
  Places least = stay_open(done, open, left);
  pay_without_windows(done, open, left, least);
  for (const int d : members(left)) {
    const std::uint32_t before = loops_.nesting().inside(d) & left;
    const std::uint32_t moved = moved_by(solver_, open, d);
    if (before == 0 && !moves_window(solver_, moved, d)) continue;  // paid for above
    const std::uint32_t after = done | before | (1U << d);
    const Places& rest = proceed(after, open & ~moved, left & ~before & ~(1U << d));
    const Places here = back_across(rest, done | before, d, moved);
    Loops::merge(least, before == 0 ? here : loops_.without_loops(here, done, before, false));
  }
  loops_.unite(least);
  for (std::size_t i = unmoving.size(); i-- > 0;) {
    done &= ~(1U << unmoving[i]);
    least = back_across(least, done, unmoving[i], 0);
  }
  return least;
}

template <typename Loops>
auto BackCrossing<Loops>::closed(std::uint32_t done) -> const Places& {
  const std::uint32_t left = ~done & loops_.all_dims();
  if (left == 0) return outside(0);
  const auto known = closed_.find(done);
  if (known != closed_.end()) return known->second;
  const int d = __builtin_ctz(left);
  return closed_.emplace(done, back_across(closed(done | (1U << d)), done, d, 0)).first->second;
}

template <typename Loops>
auto BackCrossing<Loops>::outside(OpenLinks pending) -> const Places& {
  const auto known = at_tiles_.find(pending);
  if (known != at_tiles_.end()) return known->second;
  return at_tiles_.emplace(pending, Loops::from_table(*find_table(outside_, pending)))
      .first->second;
}

template <typename Loops>
auto BackCrossing<Loops>::stay_open(std::uint32_t done, std::uint32_t open, std::uint32_t left)
    -> Places {
  deadline_.check();
  return loops_.without_loops(outside(links_of(pending_, open)), done, left, false);
}

template <typename Loops>
void BackCrossing<Loops>::pay_without_windows(std::uint32_t done, std::uint32_t open,
                                              std::uint32_t left, Places& least) {
  std::vector<std::uint32_t> paid;
  for (const int d : members(loops_.nesting().next(left))) {
    const std::uint32_t moved = moved_by(solver_, open, d);
    if (moves_window(solver_, moved, d) || !is_new(paid, moved)) continue;
    Places rest = proceed(done, open & ~moved, left);
    loops_.pay(done, moved, pending_, rest);
    Loops::merge(least, rest);
  }
}

template <typename Loops>
auto BackCrossing<Loops>::back_across(const Places& next, std::uint32_t done, int d,
                                      std::uint32_t moved) -> Places {
  deadline_.check();
  return loops_.across(next, done,
                       {.dim = d, .outwards = false, .moved = moved, .pending = pending_});
}

template class BackCrossing<BlockLoops>;
template class BackCrossing<SparseLoops>;

}  // namespace tilewright::optimal
