#include "certificate/cell_floor.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/range_bound.h"

namespace tilewright::certificate {

namespace {

// Calls visit(parent, child) for the links of a tensor that these memories keep.
template <typename Visit>
void for_each_link(std::uint32_t keepers, int memories, Visit visit) {
  int child = memories;
  for (int m = memories; m-- > 0;) {
    if (!contains(keepers, m)) continue;
    visit(m, child);
    child = m;
  }
}

}  // namespace

CellFloors::Unrolled::Unrolled(const Terms& terms, const Rules& rules, Cover& cover,
                               const Cell& cell)
    : unrolling(cover.unrolling(cell)),
      no_placement(rules.must.size(), 0),
      context(terms, rules, no_placement, unrolling, cover.chains().outlines(unrolling).value()),
      base(context),
      links(place(context.problem().tensor_count(), 0, 0)) {
  for (int t = 0; t < context.problem().tensor_count(); ++t) {
    for (const std::uint32_t keepers : cover.keepers(t)) add_links(t, keepers);
    least.push_back(least_of(t, cover));
  }
}

std::size_t CellFloors::Unrolled::place(int tensor, int parent, int child) const {
  const int memories = context.memories();
  return at((tensor * memories + parent) * (memories + 1) + child);
}

void CellFloors::Unrolled::add_links(int tensor, std::uint32_t keepers) {
  for_each_link(keepers, context.memories(), [&](int parent, int child) {
    auto& link = links[place(tensor, parent, child)];
    if (!link) link = least_link(context, {tensor, parent, child});
  });
}

void CellFloors::Unrolled::add_kept(int tensor, std::uint32_t keepers, Sum& sum) const {
  const int memories = context.memories();
  for_each_link(keepers, memories, [&](int parent, int child) {
    const LeastLink& link = *links[place(tensor, parent, child)];
    sum.energy = plus(sum.energy, link.energy);
    add(sum.ports[at(parent)], link.at_parent);
    if (child < memories) add(sum.ports[at(child)], link.at_child);
  });
}

CellFloors::Unrolled::Sum CellFloors::Unrolled::least_of(int tensor, const Cover& cover) const {
  const Sum nothing{0, std::vector<PortWords>(at(context.memories()))};
  std::optional<Sum> lowest;
  const auto lower = [](Count& known, const Count& other) {
    known = std::min<Int128>(known, other);
  };
  Sum one;
  for (const std::uint32_t keepers : cover.keepers(tensor)) {
    one = nothing;
    add_kept(tensor, keepers, one);
    if (!lowest) lowest = one;
    lowest->energy = std::min(lowest->energy, one.energy);
    for (std::size_t m = 0; m < one.ports.size(); ++m) {
      lower(lowest->ports[m].reads, one.ports[m].reads);
      lower(lowest->ports[m].fills, one.ports[m].fills);
      lower(lowest->ports[m].updates, one.ports[m].updates);
    }
  }
  return lowest.value_or(nothing);
}

std::optional<Cost> CellFloors::floor(Cover& cover, const Cell& cell) {
  if (!room_.may_fit(cover, cell)) return std::nullopt;
  if (!cell.has_unrolling()) return RangeBound(*terms_, *rules_, cover, cell).floor();
  if (!unrolled_ || ranges_ != cell.ranges) {
    unrolled_ = std::make_shared<const Unrolled>(*terms_, *rules_, cover, cell);
    ranges_ = cell.ranges;
  }
  Unrolled::Sum sum{unrolled_->base.energy(), std::vector<PortWords>(rules_->must.size())};
  for (std::size_t t = 0; t < unrolled_->least.size(); ++t) {
    if (t < cell.keepers.size()) {
      unrolled_->add_kept(static_cast<int>(t), cell.keepers[t], sum);
      continue;
    }
    sum.energy = plus(sum.energy, unrolled_->least[t].energy);
    for (std::size_t m = 0; m < sum.ports.size(); ++m) {
      add(sum.ports[m], unrolled_->least[t].ports[m]);
    }
  }
  return unrolled_->base.cost(sum.energy, unrolled_->base.cycles_of(sum.ports));
}

}  // namespace tilewright::certificate
