#include "mappers/optimal/states_ahead.h"

#include <algorithm>
#include <utility>

#include "mappers/optimal/back_crossing.h"
#include "mappers/optimal/vector_sums.h"

namespace tilewright::optimal {
namespace {

using Table = Relaxation::Table;

bool has_value(const Table& table) {
  return std::any_of(table.values.begin(), table.values.end(),
                     [](Units value) { return value < kNever; });
}

// Where no state of the relaxation is, nothing below the limit is ahead.
void leave_out_above(const Table& paid, Units limit, Table& ahead) {
  for (std::size_t i = 0; i < ahead.values.size(); ++i) {
    if (sum(paid.values[i], ahead.values[i]) >= limit) ahead.values[i] = kNever;
  }
}

// Tables for all links of these that may still be open outside the loops of a memory.
std::vector<Table> with_all_open(std::vector<Table> known, const std::vector<Table>& inside,
                                 std::size_t places, TableMemory& memory) {
  for (const Table& table : inside) {
    const std::uint32_t open = open_tensors(table.pending);
    for (std::uint32_t left = open;; left = (left - 1) & open) {
      const OpenLinks links = links_of(table.pending, left);
      if (find_table(known, links) == nullptr) {
        known.push_back({links, Values(places, kNever, TableAllocator<Units>(memory))});
      }
      if (left == 0) break;
    }
  }
  return known;
}

std::size_t tiles_of(const Subproblem& sub, const Lattice& lattice, int memory) {
  std::size_t number = 1;
  for (int d = 0; d < sub.solver().dim_count; ++d) number *= lattice.axis(memory, d).outer.size();
  return number;
}

}  // namespace

StatesAhead::StatesAhead(const Subproblem& sub, const Lattice& lattice,
                         const Relaxation& relaxation, Units limit, const Memory& memory,
                         const Deadline& deadline) {
  std::vector<Table> outside;
  for (const Table& end : relaxation.at_end()) {
    outside.push_back(
        {end.pending, Values(end.values.size(), 0, TableAllocator<Units>(memory.work))});
    pay_open_at_end(sub, lattice, outside.back());
  }
  for (int m = 0; m + 1 < sub.solver().memory_count; ++m) {
    const std::vector<Table>& paid = relaxation.inside(m);
    outside = with_all_open(std::move(outside), paid, tiles_of(sub, lattice, m), memory.work);
    std::vector<Table> ahead;
    const auto go_back = [&](auto crossing) {
      for (const Table& table : paid) {
        ahead.push_back({table.pending, crossing.inside(table.pending)});
        leave_out_above(table, limit, ahead.back());
      }
      steps_ += crossing.steps();
    };
    if (!lattice.has_ranges() && is_sparse(outside)) {
      go_back(BackCrossing<SparseLoops>(sub, lattice, m, deadline, outside));
    } else {
      go_back(BackCrossing<BlockLoops>(sub, lattice, m, deadline, outside));
    }
    std::erase_if(ahead, [](const Table& table) { return !has_value(table); });
    inside_.push_back(states_of(lattice, m, ahead, memory.kept));
    outside = std::move(ahead);
    pay_crossing(sub, lattice, m + 1, outside);
    for (Table& table : outside) table.pending -= opened_at(sub, m + 1);
  }
}

StatesAhead::States StatesAhead::states_of(const Lattice& lattice, int memory,
                                           std::vector<Table> ahead, TableMemory& kept) {
  const int dims = lattice.dims();
  States states{std::vector<std::vector<std::int64_t>>(at(dims)), {}};
  std::size_t after = 1;
  for (int d = dims; d-- > 0;) {
    const std::vector<std::int64_t>& inner = lattice.axis(memory, d).inner;
    const std::vector<bool> used = used_places(ahead, inner.size(), after);
    for (Table& table : ahead) keep_places(table.values, used, after);
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) states.extents[at(d)].push_back(inner[i]);
    }
    after *= states.extents[at(d)].size();
  }
  for (const Table& table : ahead) {
    const ReachedPlaces places = reached_places(table.values);
    states.ahead.push_back({table.pending, ReachedPlaces(places.begin(), places.end(),
                                                         TableAllocator<ReachedPlace>(kept))});
  }
  return states;
}

bool StatesAhead::narrow(Lattice& lattice) const {
  for (std::size_t m = inside_.size(); m-- > 0;) {
    const States& states = inside_[m];
    if (states.ahead.empty()) return false;
    for (int d = 0; d < lattice.dims(); ++d) {
      const std::vector<std::int64_t>& kept = states.extents[at(d)];
      std::vector<bool> wanted;
      for (const std::int64_t extent : lattice.axis(static_cast<int>(m), d).inner) {
        wanted.push_back(std::binary_search(kept.begin(), kept.end(), extent));
      }
      if (std::none_of(wanted.begin(), wanted.end(), [](bool one) { return one; })) return false;
      lattice.keep_inner(static_cast<int>(m), d, wanted);
    }
  }
  return true;
}

Units StatesAhead::leave_out(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                             std::vector<Table>& tables) const {
  const States& states = inside_[at(memory)];
  std::vector<std::vector<std::int64_t>> places(at(sub.solver().dim_count));
  std::int64_t stride = 1;
  for (int d = sub.solver().dim_count; d-- > 0;) {
    const std::vector<std::int64_t>& here = states.extents[at(d)];
    places[at(d)] = places_of(lattice.axis(memory, d).inner, 1, here, stride);
    stride *= static_cast<std::int64_t>(here.size());
  }
  const VectorSums sums(places);
  Units least = kNever;
  std::erase_if(tables, [&](Table& table) {
    const auto known = std::find_if(states.ahead.begin(), states.ahead.end(),
                                    [&](const Ahead& one) { return one.pending == table.pending; });
    if (known == states.ahead.end()) return true;
    Values ahead(static_cast<std::size_t>(stride), kNever, table.values.get_allocator());
    take_less(ahead, known->values);
    Units least_here = kNever;
    sums.for_each_reached(table.values, [&](std::size_t place, std::int64_t index) {
      Units& value = table.values[place];
      const Units rest = index >= 0 ? ahead[static_cast<std::size_t>(index)] : kNever;
      const Units total = sum(value, rest);
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
