#include "mappers/optimal/outer_filling.h"

#include <algorithm>
#include <utility>

#include "mappers/optimal/relax.h"

namespace tilewright::optimal {
namespace {

// The memories down to one alone, around a multiplier that costs nothing. Every mapping has one
// of them that moves the same words into these memories: whatever is inside is a loop of the
// innermost one, with a remainder if there is one anywhere.
SolverTables outer_tables(const SolverTables& solver, int memory) {
  SolverTables tables = solver;
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

// A bound of what fills the memories with these tensors in them.
class FillingBound {
 public:
  FillingBound(const SolverTables& tables, const Placement& placement, std::int64_t most_bytes,
               const Deadline& deadline)
      : nothing_unrolled_(0, tables.dim_count),
        sub_(tables, placement, nothing_unrolled_),
        most_bytes_(most_bytes),
        deadline_(deadline) {}

  // Throws Expired and TooLarge.
  Units find() {
    if (sub_.solver().is_perfect()) return least_in(Lattice(sub_, deadline_));
    ExtentBox whole(sub_);
    whole.narrow_to_fit(sub_);
    if (whole.empty()) return kNever;
    push({std::move(whole), 0, false});
    for (int looks = 0; looks < kMostLooks;) {
      Part part = pop();
      if (part.is_exact) return part.least;
      for (ExtentBox& half : part.is_seen ? part.box.halves() : std::vector{part.box}) {
        push(look_at(std::move(half), part.least));
        ++looks;
      }
      if (parts_.empty()) return kNever;
    }
    return pop().least;
  }

 private:
  static constexpr int kMostLooks = 64;
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

  Units least_in(Lattice lattice) const {
    if (!lattice.ok()) return kNever;
    TableMemory memory(std::min(most_bytes_, kMostBytes));
    return Relaxation(sub_, lattice, EnergyLimit(kNever), memory, deadline_).least();
  }

  SpatialBounds nothing_unrolled_;
  Subproblem sub_;
  std::int64_t most_bytes_;
  const Deadline& deadline_;
  std::vector<Part> parts_;  // a heap
};

Placement placement_of(const SolverTables& tables, const OuterFilling::Keepers& keepers) {
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

}  // namespace

OuterFilling::OuterFilling(const SolverTables& solver) : solver_(solver) {
  const bool is_even = solver.uneven == 0 && !solver.has_shared_rooms();
  while (is_even && memory_ + 1 < solver.memory_count &&
         solver.memory(memory_ + 1).fanouts_outside == 0) {
    ++memory_;
  }
  // There must be memories inside, and a room that decides.
  bool bounded = false;
  for (int m = 1; m <= memory_; ++m) bounded = bounded || solver.memory(m).room.bounded;
  if (!bounded || solver.fanout_count == 0 || !leaves_all_extents(memory_)) memory_ = 0;
}

// Whether nothing is asked of the loops of a memory.
bool OuterFilling::leaves_all_extents(int memory) const {
  for (int d = 0; d < solver_.dim_count; ++d) {
    const BoundLimits& limits = solver_.limits(solver_.memory(memory).slot, d);
    if (limits.least > 1 || limits.most < solver_.size(d)) return false;
  }
  return true;
}

void OuterFilling::list_choices() {
  constexpr std::size_t kMost = 64;
  const std::uint32_t outer = (2U << memory_) - 1U;
  choices_.assign(1, {});
  for (int t = 0; t < solver_.tensor_count; ++t) {
    const std::uint32_t always = keepers_of(solver_, t, true) & outer;
    const std::uint32_t free = keepers_of(solver_, t, false) & outer & ~always;
    std::vector<Choice> more;
    for (std::uint32_t chosen = free;; chosen = (chosen - 1) & free) {
      for (Choice choice : choices_) {
        choice.keepers[at(t)] = always | chosen;
        more.push_back(choice);
      }
      if (chosen == 0) break;
    }
    if (more.size() > kMost) memory_ = 0;
    if (memory_ == 0) return choices_.clear();
    choices_ = std::move(more);
  }
}

void OuterFilling::find(std::int64_t most_bytes, const Deadline& deadline) {
  if (is_asked_) return;
  is_asked_ = true;
  if (memory_ == 0) return;
  list_choices();
  is_known_ = memory_ > 0;
  const SolverTables tables = outer_tables(solver_, memory_);
  for (Choice& choice : choices_) {
    const Placement placement = placement_of(tables, choice.keepers);
    if (placement.links.empty()) continue;
    try {
      const Units least = FillingBound(tables, placement, most_bytes, deadline).find();
      // Why nothing fits is said where the subproblems are looked at.
      if (least < kNever) choice.least = least;
    } catch (const Expired&) {
      return;
    } catch (const TooLarge&) {
      continue;
    }
  }
}

Units OuterFilling::least(const Placement& placement) const {
  Keepers keepers{};
  for (int m = 0; m <= memory_; ++m) {
    for (const int t : members(placement.kept[at(m)])) keepers[at(t)] |= 1U << m;
  }
  const auto found = std::find_if(choices_.begin(), choices_.end(),
                                  [&](const Choice& choice) { return choice.keepers == keepers; });
  return found == choices_.end() ? 0 : found->least;
}

}  // namespace tilewright::optimal
