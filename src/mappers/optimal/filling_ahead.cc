#include "mappers/optimal/filling_ahead.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mappers/optimal/back_crossing.h"
#include "mappers/optimal/fitting_vectors.h"

namespace tilewright::optimal {
namespace {

using Table = Relaxation::Table;

}  // namespace

FillingAhead::FillingAhead(SolverTables tables, const PooledTensors& tensors, Units limit,
                           std::int64_t most_bytes, const Deadline& deadline)
    : memory_(most_bytes),
      tables_(std::move(tables)),
      tensors_(tensors),
      nothing_unrolled_(0, tables_.dim_count),
      sub_(tables_, tensors_.placement(), nothing_unrolled_),
      lattice_(sub_, deadline),
      limit_(limit),
      least_(limit) {
  inside_.resize(at(tables_.memory_count - 1));
  if (lattice_.ok()) find(deadline);
}

void FillingAhead::find(const Deadline& deadline) {
  const std::vector<std::vector<OpenLinks>> pending = list_pending();
  std::vector<Table> outside = after_all_loops(pending.front());
  for (int m = 0;; ++m) {
    BackCrossing<BlockLoops> crossing(sub_, lattice_, m, deadline, outside);
    for (const OpenLinks open : pending[at(m + 1)]) {
      inside_[at(m)].push_back({open, crossing.inside(open)});
    }
    steps_ += crossing.steps();
    drop_beyond_limit(m);
    if (inside_[at(m)].empty() || m + 1 == std::ssize(inside_)) break;
    outside = at_tiles(m, pending[at(m + 1)]);
  }
  PerDim single{};
  single.fill(1);
  least_ = least_from(single);
  for (const std::vector<Table>& each : inside_) {
    for (const Table& one : each) bytes_ += static_cast<std::int64_t>(8 * one.values.size());
  }
}

Units FillingAhead::least_from(const PerDim& extents) const {
  const int memory = tables_.memory_count - 2;
  const Values* rest = find_table(inside_[at(memory)], 0);
  if (rest == nullptr) return limit_;
  std::size_t place = 0;
  for (int d = 0; d < tables_.dim_count; ++d) {
    const std::vector<std::int64_t>& here = lattice_.axis(memory, d).inner;
    const auto found = std::lower_bound(here.begin(), here.end(), extents[at(d)]);
    if (found == here.end() || *found != extents[at(d)]) return limit_;
    place = place * here.size() + static_cast<std::size_t>(found - here.begin());
  }
  return std::min(limit_, (*rest)[place]);
}

// All open links that there can be: after the loops of all memories, and inside those of each.
std::vector<std::vector<OpenLinks>> FillingAhead::list_pending() const {
  std::vector<std::vector<OpenLinks>> all(at(tables_.memory_count + 1));
  all.back() = {0};
  for (int m = tables_.memory_count; m-- > 0;) {
    std::vector<OpenLinks> outside;
    for (const OpenLinks pending : all[at(m + 1)]) {
      const std::uint32_t open = open_tensors(pending);
      for (std::uint32_t left = open;; left = (left - 1) & open) {
        const OpenLinks links = links_of(pending, left);
        if (std::find(outside.begin(), outside.end(), links) == outside.end()) {
          outside.push_back(links);
        }
        if (left == 0) break;
      }
    }
    for (OpenLinks& links : outside) links += m > 0 ? opened_at(sub_, m) : 0;
    all[at(m)] = std::move(outside);
  }
  return all;
}

std::vector<Table> FillingAhead::after_all_loops(const std::vector<OpenLinks>& pending) {
  std::size_t number = 1;
  for (int d = 0; d < tables_.dim_count; ++d) number *= lattice_.axis(0, d).outer.size();
  std::vector<Table> tables;
  for (const OpenLinks open : pending) {
    tables.push_back({open, Values(number, 0, TableAllocator<Units>(memory_))});
    pay_open_at_end(sub_, lattice_, tables.back());
  }
  return tables;
}

std::vector<Table> FillingAhead::at_tiles(int memory, const std::vector<OpenLinks>& pending) {
  const OpenLinks opened = opened_at(sub_, memory + 1);
  std::optional<FittingVectors> fitting;
  if (tables_.memory(memory + 1).room.bounded) {
    fitting.emplace(sub_, memory + 1, tile_extents(lattice_, memory + 1, tables_.dim_count));
  }
  std::vector<Table> tables;
  for (const OpenLinks open : pending) {
    const Values* known = find_table(inside_[at(memory)], open);
    Values values = known != nullptr ? *known
                                     : Values(inside_[at(memory)].front().values.size(), kNever,
                                              TableAllocator<Units>(memory_));
    if (fitting) fitting->leave_out_others(values);
    tables.push_back({open - opened, std::move(values)});
  }
  return tables;
}

// What links into memories inside the loops of one cost at least, by the extents there. Those that
// were moved further in had no larger tiles, and a tensor without windows moves no fewer words
// then.
std::vector<LinkPrices> FillingAhead::prices_inside(int memory) const {
  std::vector<AxisExtents> axes(at(tables_.dim_count));
  for (int d = 0; at(d) < axes.size(); ++d) axes[at(d)].extents = lattice_.axis(memory, d).inner;
  std::vector<LinkPrices> prices;
  for (const Link& link : sub_.placement().links) {
    prices.emplace_back(sub_, link, memory, axes, -1);
  }
  return prices;
}

void FillingAhead::drop_states_beyond_limit(int memory) {
  const std::vector<Link>& links = sub_.placement().links;
  const std::vector<LinkPrices> prices = prices_inside(memory);
  std::vector<int> open;
  for (Table& table : inside_[at(memory)]) {
    list_open(sub_, memory, open_tensors(table.pending), table.pending, open);
    Values total = table.values;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const bool is_open = std::find(open.begin(), open.end(), static_cast<int>(i)) != open.end();
      const bool has_windows = !tables_.tensor(links[i].tensor).windows.empty();
      if (links[i].child > memory && !is_open && !has_windows) prices[i].add_to(total);
    }
    for (std::size_t i = 0; i < total.size(); ++i) {
      if (total[i] >= limit_) table.values[i] = kNever;
    }
  }
}

// Takes extents away that no state below the limit has.
void FillingAhead::drop_beyond_limit(int memory) {
  std::vector<Table>& tables = inside_[at(memory)];
  drop_states_beyond_limit(memory);
  std::erase_if(tables, [](const Table& table) {
    return std::all_of(table.values.begin(), table.values.end(),
                       [](Units value) { return value >= kNever; });
  });
  std::size_t after = 1;
  for (int d = tables_.dim_count; d-- > 0 && !tables.empty();) {
    const std::vector<bool> used =
        used_places(tables, lattice_.axis(memory, d).inner.size(), after);
    const auto number = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
    if (number < used.size()) {
      for (Table& table : tables) keep_places(table.values, used, after);
      lattice_.keep_tiles(memory, d, used);
    }
    after *= number;
  }
}

std::vector<std::vector<std::int64_t>> FillingAhead::places(const Subproblem& sub,
                                                            const Lattice& lattice,
                                                            int memory) const {
  std::vector<std::vector<std::int64_t>> places(at(tables_.dim_count));
  std::int64_t stride = 1;
  for (int d = tables_.dim_count; d-- > 0;) {
    const std::vector<std::int64_t>& here = lattice_.axis(memory, d).inner;
    places[at(d)] =
        places_of(lattice.axis(memory, d).inner, sub.unrolled_outside(memory, d), here, stride);
    stride *= static_cast<std::int64_t>(here.size());
  }
  return places;
}

Units FillingAhead::unpooled(const Subproblem& sub) const {
  Units energy = sub.fixed_energy();
  for (const Link& link : sub.placement().links) {
    if (tensors_.with_link(link.tensor, link.child) < 0)
      energy = sum(energy, sub.least_energy(link));
  }
  return energy;
}

Units FillingAhead::leave_out(const Subproblem& sub, const Lattice& lattice, int memory,
                              Units limit, std::vector<Relaxation::Table>& tables) const {
  if (memory >= tables_.memory_count - 1 || limit >= kNever) return 0;
  const VectorSums places(this->places(sub, lattice, memory));
  const Units beyond = sum(limit_, unpooled(sub));  // what mappings take that are not among those
  Units least = kNever;
  std::vector<int> links;
  std::erase_if(tables, [&](Table& table) {
    Units others = 0;  // the links that are not among those here
    OpenLinks pending = 0;
    const auto add = [&](const Link& link, bool is_open) {
      const int tensor = tensors_.with_link(link.tensor, link.child);
      if (tensor < 0) others = sum(others, sub.least_energy(link));
      if (tensor >= 0 && is_open) pending += one_open(tensor);
    };
    for (const Link& link : sub.placement().links) {
      if (link.child <= memory) add(link, false);
    }
    list_open(sub, memory, open_tensors(table.pending), table.pending, links);
    for (const int link : links) add(sub.placement().links[at(link)], true);
    const Values* rest = find_table(inside_[at(memory)], pending);
    Units least_here = kNever;
    places.for_each_reached(table.values, [&](std::size_t place, std::int64_t index) {
      Units& value = table.values[place];
      const Units ahead =
          rest == nullptr || index < 0 ? kNever : (*rest)[static_cast<std::size_t>(index)];
      const Units total = ahead < kNever ? sum(value, sum(ahead, others)) : beyond;
      if (total >= limit) {
        value = kNever;
      } else {
        least_here = std::min(least_here, total);
      }
    });
    least = std::min(least, least_here);
    return least_here >= kNever;
  });
  return least;
}

}  // namespace tilewright::optimal
