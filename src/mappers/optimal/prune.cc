// States of a relaxation that lead to nothing.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "mappers/optimal/price.h"
#include "mappers/optimal/reached_places.h"
#include "mappers/optimal/relax.h"
#include "mappers/optimal/vector_sums.h"

namespace tilewright::optimal {
namespace {

// What is still to be paid for outside the inner extents of a memory, at least.
class RestBound {
 public:
  RestBound(const Subproblem& sub, const Lattice& lattice, int memory,
            const std::optional<Values>& filling)
      : sub_(sub),
        solver_(sub.solver()),
        lattice_(lattice),
        memory_(memory),
        least_filling_(sub.least_filling(memory)),
        filling_(filling) {
    for (const Link& link : sub.placement().links) least_.push_back(sub.least_energy(link));
  }

  // What is still to be paid for, at least, at every place of a table that has a value.
  Values rest_of_all(const Relaxation::Table& table) {
    const Values& values = table.values;
    if (!is_sparse(values)) return rest(table);
    SomePlaces places;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < kNever) places.push_back(static_cast<std::uint32_t>(i));
    }
    const Values known = rest(table, &places);
    Values all(values.size(), 0, values.get_allocator());
    for (std::size_t i = 0; i < known.size(); ++i) all[places[i]] = known[i];
    return all;
  }

 private:
  // The same at all places, or at some of them.
  using SomePlaces = std::vector<std::uint32_t>;
  Values rest(const Relaxation::Table& table, const SomePlaces* places = nullptr) {
    places_ = places;
    const std::uint32_t open = open_tensors(table.pending);
    std::vector<int> links;
    list_open(sub_, memory_, open, table.pending, links);
    is_open_.assign(least_.size(), false);
    for (const int link : links) is_open_[at(link)] = true;
    Values rest = with_next_loop(open, -1, memory_, table.values);
    std::vector<std::uint32_t> seen = {open};
    for (int d = 0; d < solver_.dim_count; ++d) {
      const std::uint32_t moved = moved_by(solver_, open, d);
      const bool window = moves_window(solver_, moved, d);
      if (!window && !is_new(seen, moved)) continue;
      // A loop of an outer memory moves a window by what is unrolled below it, too.
      for (int block = memory_; block >= (window ? 0 : memory_); --block) {
        if (block < memory_ && !unrolls(block, d)) continue;
        const Values other = with_next_loop(moved, window ? d : -1, block, table.values);
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = std::min(rest[i], other[i]);
      }
    }
    return rest;
  }

  // Whether fan-outs just inside a memory unroll the dimension, or may.
  bool unrolls(int block, int d) const {
    if (block == 0 && solver_.unsettled) return true;
    return sub_.unrolled(sub_.fanouts_outside(block), sub_.fanouts_outside(block + 1), d) > 1;
  }

  // If the next loop is one of memory `block` and moves these tensors; all that
  // is left of its dimension, where it moves a window.
  Values with_next_loop(std::uint32_t moved, int d, int block, const Values& like) {
    Units fixed = 0;
    const auto& links = sub_.placement().links;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const bool waits = is_open_[i] && !contains(moved, links[i].tensor);
      if (links[i].child > memory_ && waits) fixed = sum(fixed, least_[i]);
    }
    const std::size_t number = places_ == nullptr ? like.size() : places_->size();
    Values rest(number, sum(fixed, least_filling_), like.get_allocator());
    for (std::size_t i = 0; filling_ && i < number; ++i) {
      const Units filling = (*filling_)[places_ == nullptr ? i : (*places_)[i]];
      rest[i] = std::max(rest[i], sum(fixed, filling));
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (!is_open_[i] || !contains(moved, links[i].tensor)) continue;
      // A loop that is none of its dimensions moves a tensor's whole tiles.
      const bool in_window = d >= 0 && moves_window(solver_, 1U << links[i].tensor, d);
      add(prices(i, block, in_window ? d : -1, like.get_allocator().memory()), rest);
    }
    return rest;
  }

  void add(LinkPrices& prices, Values& rest) const {
    if (places_ == nullptr) return prices.add_to(rest);
    std::vector<std::size_t> lengths;
    for (int d = 0; d < solver_.dim_count; ++d) {
      lengths.push_back(lattice_.axis(memory_, d).inner.size());
    }
    const VectorSums sums = sums_of_steps(lengths, prices.strides());
    for (std::size_t i = 0; i < rest.size(); ++i) {
      rest[i] = sum(rest[i], prices[sums[sums.parts_of((*places_)[i])]]);
    }
  }

  // Found once for all tables and next loops.
  LinkPrices& prices(std::size_t link, int block, int moving_dim, TableMemory& memory) {
    const bool at_some = places_ != nullptr;
    const auto [known, is_new] = prices_.try_emplace({link, block, moving_dim, at_some});
    if (is_new) {
      known->second.emplace(sub_, sub_.placement().links[link], block, axes_at(block, moving_dim),
                            moving_dim, at_some ? LinkPrices::When::Asked : LinkPrices::When::Now);
      charge_.add(memory, known->second->bytes());
    }
    return *known->second;
  }

  // The extents just inside the loops of a memory, if there is none before.
  std::vector<AxisExtents> axes_at(int block, int moving_dim) const {
    std::vector<AxisExtents> axes(at(solver_.dim_count));
    for (int d = 0; d < solver_.dim_count; ++d) {
      AxisExtents& axis = axes[at(d)];
      const LatticeAxis& places = lattice_.axis(memory_, d);
      const std::int64_t more =
          sub_.unrolled(sub_.fanouts_outside(block), sub_.fanouts_outside(memory_), d);
      if (lattice_.has_ranges()) {
        axis.extents = places.inner_most;
        axis.least = places.inner;
        axis.passes.assign(d == moving_dim ? places.inner.size() : 0, 1);
        for (std::int64_t& extent : axis.extents) extent *= more;
        for (std::int64_t& extent : axis.least) extent *= more;
        continue;
      }
      axis.extents = places.inner;
      for (std::int64_t& extent : axis.extents) {
        extent *= more;
        if (d == moving_dim) axis.bounds.push_back(ceil_div(solver_.size(d), extent));
      }
    }
    return axes;
  }

  const Subproblem& sub_;
  const SolverTables& solver_;
  const Lattice& lattice_;
  int memory_;
  Units least_filling_;                   // of this memory and those outside
  const std::optional<Values>& filling_;  // the same at each place
  std::vector<Units> least_;              // of each link
  std::vector<bool> is_open_;
  const SomePlaces* places_ = nullptr;
  std::map<std::tuple<std::size_t, int, int, bool>, std::optional<LinkPrices>> prices_;
  MemoryCharge charge_;  // for the prices
};

// What extents just inside the loops of a memory say about steps in time, and with them about
// the energy that is of interest.
class StepLimits {
 public:
  StepLimits(const Subproblem& sub, const Lattice& lattice, int memory)
      : sub_(sub), steps_(at(sub.solver().dim_count)) {
    for (int d = 0; at(d) < steps_.size(); ++d) {
      const LatticeAxis& axis = lattice.axis(memory, d);
      for (std::size_t i = 0; i < axis.inner.size(); ++i) {
        const std::int64_t most = lattice.has_ranges() ? axis.inner_most[i] : axis.inner[i];
        steps_[at(d)].push_back(sub.least_steps(d, memory, ExtentRange{axis.inner[i], most}));
      }
    }
  }

  // Whether extents there make a difference, beside what the subproblem says.
  static bool are_known(const Subproblem& sub, int memory) {
    const SolverTables& solver = sub.solver();
    for (int d = 0; d < solver.dim_count && !solver.is_perfect(); ++d) {
      if (sub.unrolled(sub.fanouts_outside(memory), solver.fanout_count, d) > 1) return true;
    }
    return false;
  }

  // Takes away what is not of interest because of its steps, whatever is still to be paid for.
  void leave_out(const EnergyLimit& limit, const Values& rest, Values& values) {
    visit([&](std::size_t place, Int128 steps) {
      if (values[place] >= kNever) return;
      if (sum(values[place], rest[place]) >= limit_with(steps, limit)) values[place] = kNever;
    });
  }

  // The fewest that any state takes which is left.
  Int128 least_cycles(const std::vector<Relaxation::Table>& tables) const {
    Int128 least = kWideLimit;
    visit([&](std::size_t place, Int128 steps) {
      if (steps >= least) return;
      const bool is_left =
          std::any_of(tables.begin(), tables.end(),
                      [&](const Relaxation::Table& table) { return table.values[place] < kNever; });
      if (is_left) least = steps;
    });
    return sub_.cycles_of(least);
  }

 private:
  // Calls visit(place, steps) for every place of a table.
  template <typename Visit>
  void visit(const Visit& visit) const {
    std::size_t place = 0;
    const auto go = [&](const auto& self, std::size_t d, Int128 steps) -> void {
      if (d + 1 == steps_.size()) {
        for (const std::int64_t each : steps_[d]) visit(place++, steps * each);
        return;
      }
      for (const std::int64_t each : steps_[d]) self(self, d + 1, steps * each);
    };
    go(go, 0, 1);
  }

  Units limit_with(Int128 steps, const EnergyLimit& limit) {
    if (steps == last_.first) return last_.second;
    const auto [known, is_new] = limits_.try_emplace(steps);
    if (is_new) known->second = limit.with_steps(steps);
    last_ = {steps, known->second};
    return known->second;
  }

  const Subproblem& sub_;
  std::vector<std::vector<std::int64_t>> steps_;  // by dimension and place
  std::map<Int128, Units> limits_;                // by steps
  std::pair<Int128, Units> last_ = {0, 0};        // of them that was asked for
};

// Takes away values that are not below the limit with the rest; gives the least sum of the others.
Units keep_below(Units limit, const Values& rest, Values& values) {
  Units least = kNever;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Units total = sum(values[i], rest[i]);
    if (total >= limit) {
      values[i] = kNever;
    } else {
      least = std::min(least, total);
    }
  }
  return least;
}

}  // namespace

Hopeful leave_out_hopeless(const Subproblem& sub, const Lattice& lattice, int memory,
                           const EnergyLimit& limit, std::vector<Relaxation::Table>& tables,
                           const CostAhead* ahead) {
  std::optional<StepLimits> steps;
  if (limit.depends_on_steps() && StepLimits::are_known(sub, memory)) {
    steps.emplace(sub, lattice, memory);
  } else if (limit.units() >= kNever) {
    return {};
  }
  std::optional<Values> filling;
  if (ahead != nullptr && limit.units() < kNever && !tables.empty()) {
    filling = ahead->least_filling(sub, lattice, memory, tables.front().values);
  }
  RestBound bound(sub, lattice, memory, filling);
  Hopeful left{kNever, 1};
  std::erase_if(tables, [&](Relaxation::Table& table) {
    const Values rest = limit.units() < kNever
                            ? bound.rest_of_all(table)
                            : Values(table.values.size(), 0, table.values.get_allocator());
    Units least = keep_below(limit.units(), rest, table.values);
    if (steps) {
      steps->leave_out(limit, rest, table.values);
      least = keep_below(limit.units(), rest, table.values);
    }
    left.least = std::min(left.least, least);
    return least >= kNever;
  });
  if (steps && !tables.empty()) left.cycles = steps->least_cycles(tables);
  return left;
}

}  // namespace tilewright::optimal
