#include "mappers/optimal/outer_filling.h"

#include <algorithm>
#include <utility>

#include "mappers/optimal/outer_tiles.h"
#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {

OuterFilling::OuterFilling(const SolverTables& solver) : solver_(solver) {
  const bool is_even = solver.uneven == 0 && !solver.has_shared_rooms();
  while (is_even && memory_ + 1 < solver.memory_count &&
         solver.memory(memory_ + 1).fanouts_outside == 0) {
    ++memory_;
  }
  // There must be memories inside, and a room that decides.
  bool bounded = false;
  for (int m = 1; m <= memory_; ++m) bounded = bounded || solver.memory(m).room.bounded;
  if (!bounded || solver.fanout_count == 0 || !leaves_all_extents(solver, memory_)) memory_ = 0;
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

// With remainders, of a single memory beside the outermost one, all tiles are looked at: extents
// that mappings have are far fewer than all numbers.
Units OuterFilling::least_of(const SolverTables& tables, const Keepers& keepers,
                             std::int64_t most_bytes, const Deadline& deadline) const {
  constexpr std::size_t kMostBoxes = 1U << 20U;
  if (memory_ == 1 && !solver_.is_perfect()) {
    const Placement placement = placement_of(tables, keepers);
    const SpatialBounds nothing_unrolled(0, tables.dim_count);
    const Subproblem sub(tables, placement, nothing_unrolled);
    if (placement.links.empty()) return 0;
    const std::optional<ExtentLists> extents = outer_extents(solver_, sub);
    const std::size_t most = kMostBoxes / choices_.size();
    if (extents) return least_over_tiles(sub, *extents, most, deadline).least;
  }
  return bound_filling(tables, keepers, kNever, most_bytes, deadline).least;
}

void OuterFilling::find(std::int64_t most_bytes, const Deadline& deadline) {
  if (is_asked_) return;
  is_asked_ = true;
  if (memory_ == 0) return;
  list_choices();
  is_known_ = memory_ > 0;
  const SolverTables tables = tables_down_to(solver_, memory_);
  for (Choice& choice : choices_) {
    try {
      const Units least = least_of(tables, choice.keepers, most_bytes, deadline);
      // Why nothing fits is said where the subproblems are looked at.
      if (least < kNever) choice.least = least;
    } catch (const Expired&) {
      return;
    } catch (const TooLarge&) {
      continue;
    }
  }
}

Units OuterFilling::least_of_all() const {
  if (choices_.empty()) return 0;
  const auto is_less = [](const Choice& a, const Choice& b) { return a.least < b.least; };
  return std::min_element(choices_.begin(), choices_.end(), is_less)->least;
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
