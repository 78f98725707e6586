#include "mappers/optimal/subproblems.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tilewright::optimal {
namespace {

void add_links(const SolverTables& solver, Placement& placement) {
  for (int t = 0; t < solver.tensor_count; ++t) {
    int parent = -1;
    for (int m = 0; m < solver.memory_count; ++m) {
      if (!contains(placement.kept[at(m)], t)) continue;
      if (parent >= 0) {
        placement.links.push_back({t, parent, m, solver.memory(parent).fanouts_outside,
                                   solver.memory(m).fanouts_outside});
      }
      parent = m;
    }
    placement.compute_links.push_back({t, parent, solver.memory_count,
                                       solver.memory(parent).fanouts_outside, solver.fanout_count});
  }
}

class BoundsLister {
 public:
  BoundsLister(const SolverTables& solver, std::size_t most, const Deadline& deadline)
      : solver_(solver),
        most_(most),
        deadline_(deadline),
        spatial_(solver.fanout_count, solver.dim_count) {}

  std::optional<std::vector<SpatialBounds>> take() {
    visit(solver_.fanout_count, solver_.sizes);
    if (all_.size() > most_) return std::nullopt;
    return std::move(all_);
  }

 private:
  struct Choice {
    PerDim unrolled{}, along_x{};
  };

  // From the innermost fan-out to the outermost.
  void visit(int fanouts, const PerDim& left) {
    if (all_.size() > most_) return;
    if (fanouts == 0) {
      all_.push_back(spatial_);
      return;
    }
    const int f = fanouts - 1;
    std::vector<Choice> choices;
    Choice choice;
    choice.unrolled.fill(1);
    choice.along_x.fill(1);
    std::set<PerDim> seen;
    choose(f, false, 0, solver_.fanout(f).size_x, left, choice, seen, choices);
    for (const Choice& each : choices) {
      PerDim rest = left;
      for (int d = 0; d < solver_.dim_count; ++d) {
        const std::int64_t unrolled = each.unrolled[at(d)];
        const std::int64_t x = each.along_x[at(d)];
        spatial_.set(f, d, unrolled, x);
        rest[at(d)] = ceil_div(ceil_div(left[at(d)], x), unrolled / x);
      }
      visit(f, rest);
    }
  }

  void choose(int f, bool y_axis, int d, std::int64_t room, const PerDim& left, Choice& choice,
              std::set<PerDim>& seen, std::vector<Choice>& choices) {
    if (choices.size() > most_) return;
    deadline_.check();
    const FanoutShape& fanout = solver_.fanout(f);
    if (d == solver_.dim_count) {
      if (!y_axis) {
        choose(f, true, 0, fanout.size_y, left, choice, seen, choices);
        return;
      }
      std::int64_t used = 1;
      for (const std::int64_t unrolled : choice.unrolled) used *= unrolled;
      if (used < solver_.restrictions->least_instances(fanout.level)) return;
      // Without remainders only the product of the axes counts: they act as one, and both
      // orders divide or neither.
      const bool products_only = !solver_.may_leave_remainder(fanout.slot);
      if (products_only && !seen.insert(choice.unrolled).second) return;
      choices.push_back(choice);
      return;
    }
    const int slot = fanout.slot + (y_axis ? 0 : 1);
    const BoundLimits& limits = solver_.limits(slot, d);
    const std::int64_t inside = choice.unrolled[at(d)];
    const std::int64_t now = ceil_div(left[at(d)], inside);
    const std::int64_t most = std::min({limits.most, room, now});
    for (std::int64_t bound = limits.least; bound <= most; ++bound) {
      if (solver_.is_perfect() && now % bound != 0) continue;
      choice.unrolled[at(d)] = inside * bound;
      if (!y_axis) choice.along_x[at(d)] = bound;
      choose(f, y_axis, d + 1, room / bound, left, choice, seen, choices);
    }
    choice.unrolled[at(d)] = inside;
    if (!y_axis) choice.along_x[at(d)] = 1;
  }

  const SolverTables& solver_;
  std::size_t most_;
  const Deadline& deadline_;
  SpatialBounds spatial_;
  std::vector<SpatialBounds> all_;
};

}  // namespace

std::vector<Placement> list_placements(const SolverTables& solver) {
  std::vector<Placement> all(1);
  for (int m = 0; m < solver.memory_count; ++m) {
    const std::uint32_t always = solver.restrictions->keep_always(MemoryId{m});
    const std::uint32_t free = solver.restrictions->keep_allowed(MemoryId{m}) & ~always;
    std::vector<Placement> more;
    for (const Placement& placement : all) {
      for (std::uint32_t choice = free;; choice = (choice - 1) & free) {
        more.push_back(placement);
        more.back().kept[at(m)] = always | choice;
        if (choice == 0) break;
      }
    }
    all = std::move(more);
  }
  const std::uint32_t tensors = (1U << solver.tensor_count) - 1U;
  std::erase_if(all, [&](const Placement& placement) {
    std::uint32_t kept = 0;
    for (const std::uint32_t bits : placement.kept) kept |= bits;
    return kept != tensors;
  });
  for (Placement& placement : all) add_links(solver, placement);
  return all;
}

std::optional<std::vector<SpatialBounds>> list_spatial_bounds(const SolverTables& solver,
                                                              std::size_t most,
                                                              const Deadline& deadline) {
  const Problem& problem = solver.problem();
  for (int s = 0; s < problem.slot_count(); ++s) {
    for (int d = 0; d < problem.dim_count(); ++d) {
      const bool has_size_one = problem.workload().dim(DimId{d}).size == 1;
      // Dimensions of size 1 are not among the solver's.
      if (has_size_one && solver.restrictions->limits(s, DimId{d}).least > 1) {
        return std::vector<SpatialBounds>{};
      }
    }
  }
  return BoundsLister(solver, most, deadline).take();
}

}  // namespace tilewright::optimal
