#include "certificate/cell_floor.h"

#include <algorithm>

#include "base/bits.h"

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

// Without ports and blocks, what a link adds depends on dimensions that the tensor lacks, and on
// windows. With them all factors matter, and few unrollings have the same.
LeastLink CellFloors::link_of(const Context& context, const LinkPlace& link, std::size_t place) {
  constexpr std::size_t kMostKept = std::size_t{1} << 10;
  const auto moves_blocks = [&](int memory) {
    return memory < context.memories() &&
           context.problem().memory(MemoryId{memory}).block_words > 1;
  };
  if (terms_->ported != 0 || moves_blocks(link.parent) || moves_blocks(link.child)) {
    return least_link(context, link);
  }
  std::vector<std::int64_t> factors;
  factors.reserve(at(context.unrolling().fanouts() * context.dims()));
  for (int d = 0; d < context.dims(); ++d) {
    const bool alone = contains(terms_->carriers[at(d)] & ~terms_->windowed[at(d)], link.tensor);
    for (int f = 0; f < context.unrolling().fanouts() && !alone; ++f) {
      factors.push_back(context.unrolling().factor(f, d));
    }
  }
  if (links_.size() <= place) links_.resize(place + 1);
  auto& known = links_[place];
  const auto found = known.find(factors);
  if (found != known.end()) return found->second;
  if (known.size() == kMostKept) known.clear();
  return known.emplace(std::move(factors), least_link(context, link)).first->second;
}

CellFloors::Unrolled::Unrolled(CellFloors& floors, Cover& cover, const Cell& cell)
    : unrolling(cover.unrolling(cell)),
      no_placement(floors.rules_->must.size(), 0),
      context(*floors.terms_, *floors.rules_, no_placement, unrolling,
              cover.chains().outlines(unrolling)),
      base(context),
      links(place(context.problem().tensor_count(), 0, 0)) {
  bool settled = true;  // tensors that have one choice are settled in every cell
  for (int t = 0; t < context.problem().tensor_count(); ++t) {
    for (const std::uint32_t keepers : cover.keepers(t)) {
      for_each_link(keepers, context.memories(), [&](int parent, int child) {
        const std::size_t here = place(t, parent, child);
        if (!links[here]) links[here] = floors.link_of(context, {t, parent, child}, here);
      });
    }
    settled = settled && cover.keepers(t).size() == 1;
    least.push_back(settled ? Sum() : least_of(t, cover));
  }
}

std::size_t CellFloors::Unrolled::place(int tensor, int parent, int child) const {
  const int memories = context.memories();
  return at((tensor * memories + parent) * (memories + 1) + child);
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

std::vector<LeastLink> CellFloors::links_of(const Cell& cell, const Context& frame) const {
  if (!unrolled_ || ranges_ != cell.ranges) return least_links(frame);
  std::vector<LeastLink> links;
  links.reserve(frame.links().size());
  for (const auto& [tensor, parent, child] : frame.links()) {
    links.push_back(*unrolled_->links[unrolled_->place(tensor, parent, child)]);
  }
  return links;
}

std::optional<Cost> CellFloors::floor_with_tiles(Cover& cover, const Cell& cell) {
  range_bound_.look_at(cover, cell);
  const std::optional<Int128> links = tile_floor_.links(range_bound_, cover, cell);
  if (!links) return std::nullopt;
  return range_bound_.cost_with(*links);
}

std::optional<Cost> CellFloors::floor(Cover& cover, const Cell& cell) {
  if (!room_.may_fit(cover, cell)) return std::nullopt;
  if (!cell.has_unrolling()) return range_bound_.floor(cover, cell);
  if (!unrolled_ || ranges_ != cell.ranges) {
    unrolled_ = std::make_shared<const Unrolled>(*this, cover, cell);
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
