#include "mappers/optimal/inner_links.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mappers/optimal/extent_box.h"
#include "mappers/optimal/filling_bound.h"
#include "mappers/optimal/relax.h"
#include "mapspace/loop_nesting.h"

namespace tilewright::optimal {
namespace {

bool asks_for_loops(const SolverTables& solver, int memory) {
  for (int d = 0; d < solver.dim_count; ++d) {
    if (solver.limits(solver.memory(memory).slot, d).least > 1) return true;
  }
  return false;
}

}  // namespace

InnerLinks::InnerLinks(const SolverTables& solver) : solver_(solver) {
  int memory = 0;
  while (memory + 1 < solver.memory_count && solver.memory(memory + 1).fanouts_outside == 0) {
    ++memory;
  }
  const bool plain = solver.uneven == 0 && !solver.has_shared_rooms() && !solver.boxes;
  const bool halos = std::any_of(solver.tensors.begin(), solver.tensors.end(),
                                 [](const TensorShape& tensor) { return tensor.shares_halos; });
  if (!plain || halos || !has_remainders_in_time(solver) || memory == 0 ||
      memory + 1 == solver.memory_count)
    return;
  const LoopNesting nesting(*solver.restrictions, MemoryId{memory}, solver.originals);
  if (!leaves_all_extents(solver, memory) || !nesting.is_free()) return;
  for (int m = 0; m < memory; ++m) {
    if (asks_for_loops(solver, m)) return;
  }
  outside_ = memory;
}

// Links from memories further out cost nothing, and there is room for all.
SolverTables InnerLinks::tables_for(const Placement& placement) const {
  SolverTables tables = solver_;
  tables.outer = nullptr;
  tables.least_filling = 0;
  tables.filled = 0;
  for (int m = 0; m <= outside_; ++m) tables.memories[at(m)].room.bounded = false;
  for (int m = 0; m < outside_; ++m) tables.memories[at(m)].access = {};
  for (const Link& link : placement.links) {
    if (!contains(link)) tables.memories[at(link.child)].access[at(link.tensor)].write = 0;
  }
  return tables;
}

namespace {

// Extents of which no mapping takes less.
struct Part {
  Units bound = 0;
  ExtentBox box;
};

// The least of a subproblem's relaxation, in a few looks at boxes of extents.
class InnerBound {
 public:
  InnerBound(const Subproblem& sub, Units limit, std::int64_t most_bytes, const Deadline& deadline)
      : sub_(sub), limit_(limit), most_bytes_(most_bytes), deadline_(deadline) {}

  Units least(ExtentBox box) {
    push({0, std::move(box)});
    for (int look = 0; look < kLooks && !parts_.empty(); ++look) {
      std::pop_heap(parts_.begin(), parts_.end(), comes_later);
      Part part = std::move(parts_.back());
      parts_.pop_back();
      const bool is_whole = part.box.vectors(sub_) <= kMostVectors;
      if (!raise(part, is_whole)) continue;
      if (is_whole) {
        settled_ = std::min(settled_, part.bound);
        limit_ = std::min(limit_, settled_);
        continue;
      }
      for (ExtentBox& half : part.box.halves()) push({part.bound, std::move(half)});
    }
    return parts_.empty() ? limit_ : std::min(limit_, parts_.front().bound);
  }

  std::uint64_t steps() const { return steps_; }

 private:
  static constexpr int kLooks = 32;
  static constexpr double kRanges = 5'000;         // of extents, of a look at many
  static constexpr double kMostVectors = 1 << 18;  // that are looked at as they are

  static bool comes_later(const Part& a, const Part& b) { return a.bound > b.bound; }

  void push(Part part) {
    if (part.box.empty() || part.bound >= limit_) return;
    parts_.push_back(std::move(part));
    std::push_heap(parts_.begin(), parts_.end(), comes_later);
  }

  // False if nothing below the limit is left of it.
  bool raise(Part& part, bool is_whole) {
    Lattice lattice =
        is_whole ? Lattice(sub_, part.box, deadline_) : Lattice(sub_, part.box, kRanges, deadline_);
    if (!lattice.ok()) return false;
    TableMemory memory(most_bytes_);
    const Relaxation relaxation(sub_, lattice, EnergyLimit(limit_), memory, deadline_);
    steps_ += relaxation.steps();
    if (relaxation.least() >= kNever) return false;
    part.bound = std::max(part.bound, relaxation.least());
    part.box = lattice.box();
    return part.bound < limit_;
  }

  const Subproblem& sub_;
  Units limit_;
  std::int64_t most_bytes_;
  const Deadline& deadline_;
  Units settled_ = kNever;
  std::vector<Part> parts_;
  std::uint64_t steps_ = 0;
};

}  // namespace

// All loops outside the fan-outs are loops of one memory there, each dimension's in the place of
// its innermost one.
Units InnerLinks::least(const Subproblem& sub, Units limit, std::int64_t most_bytes,
                        const Deadline& deadline, std::uint64_t& steps) const {
  const Placement& placement = sub.placement();
  const bool charges = std::any_of(solver_.fanouts.begin(), solver_.fanouts.end(),
                                   [](const FanoutShape& fanout) { return fanout.word != 0; });
  const bool all_inside =
      std::all_of(placement.links.begin(), placement.links.end(),
                  [&](const Link& link) { return contains(link) || link.child <= outside_; });
  if (charges && !all_inside) return 0;
  const SolverTables tables = tables_for(placement);
  const Subproblem inner(tables, placement, sub.spatial());
  const Units fixed = sub.fixed_energy() - inner.fixed_energy();
  if (limit <= fixed) return limit;
  ExtentBox box(inner);
  box.narrow_to_fit(inner);
  for (int d = 0; d < solver_.dim_count; ++d) {
    box.narrow(outside_, d, {solver_.size(d), kCountLimit});
  }
  InnerBound bound(inner, limit - fixed, most_bytes, deadline);
  Units least = 0;
  try {
    least = bound.least(std::move(box)) + fixed;
  } catch (const TooLarge&) {
    least = 0;
  }
  steps += bound.steps();
  return least;
}

}  // namespace tilewright::optimal
