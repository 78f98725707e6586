#include "mappers/optimal/filling_bound.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mappers/optimal/relax.h"

namespace tilewright::optimal {
namespace {

// A bound of what fills the memories with these tensors in them.
class FillingBound {
 public:
  FillingBound(const SolverTables& tables, const Placement& placement, Units limit,
               std::int64_t most_bytes, const Deadline& deadline, const FillingEffort& effort,
               const LeastExtents& least_extents)
      : nothing_unrolled_(0, tables.dim_count),
        sub_(tables, placement, nothing_unrolled_),
        limit_(limit),
        most_bytes_(most_bytes),
        deadline_(deadline),
        effort_(effort),
        least_extents_(least_extents) {}

  std::uint64_t steps() const { return steps_; }
  // Throws Expired and TooLarge.
  Units find() {
    if (sub_.solver().is_perfect()) return least_in(Lattice(sub_, deadline_));
    ExtentBox whole(sub_);
    for (int m = 0; m < sub_.solver().memory_count; ++m) {
      for (int d = 0; d < sub_.solver().dim_count; ++d) {
        whole.narrow(m, d, {least_extents_[at(d)], kCountLimit});
      }
    }
    whole.narrow_to_fit(sub_);
    if (whole.empty()) return kNever;
    push({std::move(whole), 0, false});
    const auto goes_on = [&] {
      return steps_ < effort_.steps && parts_.front().least > effort_.known;
    };
    for (int looks = 0; looks < effort_.looks || goes_on();) {
      Part part = pop();
      if (part.is_exact) return part.least;
      for (ExtentBox& half : part.is_seen ? part.box.halves(sub_) : std::vector{part.box}) {
        push(look_at(std::move(half), part.least));
        ++looks;
      }
      if (parts_.empty()) return kNever;
    }
    return pop().least;
  }

 private:
  static constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  static constexpr double kRanges = 1 << 13;
  static constexpr double kExtents = 1 << 15;

  // A part of all extents, and what none of its mappings is below.
  struct Part {
    ExtentBox box;
    Units least = 0;
    bool is_seen = false, is_exact = false;
  };

  static bool comes_later(const Part& a, const Part& b) { return a.least > b.least; }
  void push(Part part) {
    if (part.least >= kNever) return;
    parts_.push_back(std::move(part));
    std::push_heap(parts_.begin(), parts_.end(), comes_later);
  }
  Part pop() {
    std::pop_heap(parts_.begin(), parts_.end(), comes_later);
    Part part = std::move(parts_.back());
    parts_.pop_back();
    return part;
  }

  Part look_at(ExtentBox box, Units at_least) {
    if (box.empty()) return {std::move(box), kNever, true, true};
    const bool exact = box.vectors(sub_) <= kExtents;
    const Units least =
        least_in(exact ? Lattice(sub_, box, deadline_) : Lattice(sub_, box, kRanges, deadline_));
    return {std::move(box), std::max(least, at_least), true, exact};
  }

  Units least_in(Lattice lattice) {
    if (!lattice.ok()) return kNever;
    TableMemory memory(std::min(most_bytes_, kMostBytes));
    const Relaxation relaxation(sub_, lattice, EnergyLimit(limit_), memory, deadline_);
    steps_ += relaxation.steps();
    return relaxation.least();
  }

  SpatialBounds nothing_unrolled_;
  Subproblem sub_;
  Units limit_;
  std::int64_t most_bytes_;
  const Deadline& deadline_;
  FillingEffort effort_;
  LeastExtents least_extents_;
  std::vector<Part> parts_;  // a heap
  std::uint64_t steps_ = 0;
};

}  // namespace

Placement placement_of(const SolverTables& tables, const Keepers& keepers) {
  Placement placement;
  for (int t = 0; t < tables.tensor_count; ++t) {
    int parent = -1;
    for (const int m : members(keepers[at(t)])) {
      placement.kept[at(m)] |= 1U << t;
      if (parent >= 0) placement.links.push_back({t, parent, m, 0, 0});
      parent = m;
    }
  }
  return placement;
}

SolverTables tables_down_to(const SolverTables& solver, int memory) {
  SolverTables tables = solver;
  tables.loops_divide = !has_remainders_in_time(solver);
  if (!solver.is_perfect()) tables.kind = SpaceKind::Ruby;
  tables.memory_count = memory + 1;
  tables.memories.resize(at(tables.memory_count));
  tables.fanout_count = 0;
  tables.fanouts.clear();
  tables.stationary.reset();
  tables.mac = 0;
  tables.least_cycles = 0;
  tables.least_filling = 0;
  tables.filled = 0;
  tables.outer = nullptr;
  return tables;
}

bool leaves_all_extents(const SolverTables& solver, int memory) {
  for (int d = 0; d < solver.dim_count; ++d) {
    const BoundLimits& limits = solver.limits(solver.memory(memory).slot, d);
    if (limits.least > 1 || limits.most < solver.size(d)) return false;
  }
  return true;
}

std::uint64_t expected_steps(const SolverTables& tables, const Deadline& deadline) {
  constexpr double kStepsOfVector = 64;
  constexpr double kMost = 1e18;
  const Placement placement;
  const SpatialBounds nothing_unrolled(0, tables.dim_count);
  const Subproblem sub(tables, placement, nothing_unrolled);
  const double vectors = Lattice(sub, deadline).vectors() * tables.memory_count;
  return static_cast<std::uint64_t>(std::min(vectors * kStepsOfVector, kMost));
}

Filling bound_filling(const SolverTables& tables, const Keepers& keepers, Units limit,
                      std::int64_t most_bytes, const Deadline& deadline,
                      const FillingEffort& effort, const LeastExtents& least_extents) {
  const Placement placement = placement_of(tables, keepers);
  if (placement.links.empty()) return {};
  FillingBound bound(tables, placement, limit, most_bytes, deadline, effort, least_extents);
  const Units least = bound.find();
  return {least, bound.steps()};
}

}  // namespace tilewright::optimal
