#include <algorithm>

#include "mappers/quickflow/orders.h"

namespace tilewright {
namespace {

void add(OpenOrders::Totals& sum, const OpenOrders::Totals& more, const std::vector<int>& limited) {
  sum.energy_pj += more.energy_pj;
  sum.stationary_changes += more.stationary_changes;
  for (const int m : limited) {
    sum.loads[at(m)].reads += more.loads[at(m)].reads;
    sum.loads[at(m)].writes += more.loads[at(m)].writes;
  }
}

std::uint32_t tensor_bit(const OpenOrders::Link& link) { return 1U << index_of(link.tensor); }

}  // namespace

OrderChooser::OrderChooser(const Evaluator& evaluator, const Restrictions& restrictions,
                           Objective objective)
    : objective_(objective), open_(evaluator) {
  const Problem& problem = evaluator.problem();
  std::vector<DimId> dims;
  for (int d = 0; d < problem.dim_count(); ++d) dims.push_back(DimId{d});
  for (int m = 0; m < problem.memory_count(); ++m) {
    levels_.push_back({LoopNesting(restrictions, MemoryId{m}, dims), {}, 0});
    const Memory& memory = problem.memory(MemoryId{m});
    if (memory.read_bandwidth || memory.write_bandwidth || memory.shared_bandwidth) {
      limited_.push_back(m);
    }
  }
}

Score OrderChooser::choose(Mapping& mapping) {
  open_.lay_out(mapping);
  OpenOrders::Totals totals = open_.fixed();
  bool alternatives = false;
  for (int m = static_cast<int>(levels_.size()); m-- > 0;) {
    Level& level = levels_[at(m)];
    list_candidates(m, mapping);
    for (std::size_t i = 1; i < level.candidates.size(); ++i) {
      if (level.candidates[i].totals.energy_pj < level.candidates[level.chosen].totals.energy_pj) {
        level.chosen = i;
      }
    }
    compared_ += level.candidates.size();
    choices_ += level.candidates.size() > 1 ? 1 : 0;
    alternatives = alternatives || level.candidates.size() > 1;
    add(totals, level.candidates[level.chosen].totals, limited_);
  }
  Score score = open_.score(totals);
  if (alternatives && score.cycles > open_.compute_cycles()) {
    best_ = score;
    weigh_ports();
    score = best_;
  }
  for (int m = 0; m < static_cast<int>(levels_.size()); ++m) write_order(m, mapping);
  return score;
}

// --- one memory -------------------------------------------------------------------

void OrderChooser::list_candidates(int memory, const Mapping& mapping) {
  Level& level = levels_[at(memory)];
  level.candidates.clear();
  level.chosen = 0;
  const std::int64_t* bounds = mapping.bounds(open_.problem().use(MemoryId{memory}).slot);
  std::uint32_t loops = 0;
  for (int d = 0; d < mapping.dim_count(); ++d) loops |= (bounds[d] > 1 ? 1U : 0U) << d;
  std::uint32_t open = 0;
  for (const OpenOrders::Link& link : open_.links(MemoryId{memory})) open |= tensor_bit(link);
  Candidate empty;
  extend(memory, loops, open, empty);
}

// Loops that move none of the open tensors go inside first: that spares
// accesses and costs nothing. Then one that moves some of them settles these. `open`
// has a bit per tensor: its links at a memory have the same movers.
void OrderChooser::extend(int memory, std::uint32_t loops, std::uint32_t open,
                          Candidate& candidate) {
  Level& level = levels_[at(memory)];
  const auto links = open_.links(MemoryId{memory});
  const auto place = [](Candidate& into, int dim) {
    into.innermost_first[at(into.placed++)] = static_cast<std::uint8_t>(dim);
    into.used |= 1U << dim;
  };
  std::uint32_t next = level.nesting.next(loops & ~candidate.used);
  for (; next != 0; next = level.nesting.next(loops & ~candidate.used)) {
    std::uint32_t movers = 0;
    for (const OpenOrders::Link& link : links) {
      if ((open & tensor_bit(link)) != 0) movers |= link.movers;
    }
    const std::uint32_t neutral = next & ~movers;
    if (neutral == 0) break;
    for (const int dim : members(neutral)) place(candidate, dim);
  }
  if (next == 0) {
    level.candidates.push_back(candidate);
    return;
  }
  // One is enough of the loops that settle the same tensors without sliding.
  std::uint32_t tried_sets[kMaxDims];
  int tried = 0;
  for (const int dim : members(next)) {
    std::uint32_t settled = 0;
    bool slides = false;
    for (const OpenOrders::Link& link : links) {
      if ((open & tensor_bit(link)) == 0 || !contains(link.movers, dim)) continue;
      settled |= tensor_bit(link);
      slides = slides || contains(link.sliding, dim);
    }
    if (!slides) {
      if (std::find(tried_sets, tried_sets + tried, settled) != tried_sets + tried) continue;
      tried_sets[tried++] = settled;
    }
    Candidate longer = candidate;
    for (const OpenOrders::Link& link : links) {
      if ((settled & tensor_bit(link)) == 0) continue;
      open_.add(MemoryId{memory}, link, DimId{dim}, candidate.used, longer.totals);
    }
    place(longer, dim);
    extend(memory, loops, open & ~settled, longer);
  }
}

// --- all memories together ----------------------------------------------------------

bool OrderChooser::dominates(const Candidate& a, const Candidate& b) const {
  if (a.totals.energy_pj > b.totals.energy_pj) return false;
  if (a.totals.stationary_changes > b.totals.stationary_changes) return false;
  return std::all_of(limited_.begin(), limited_.end(), [&](int m) {
    const OpenOrders::Load& x = a.totals.loads[at(m)];
    const OpenOrders::Load& y = b.totals.loads[at(m)];
    return x.reads <= y.reads && x.writes <= y.writes;
  });
}

// Afterwards the chosen candidate is the first.
void OrderChooser::keep_undominated(Level& level) {
  std::swap(level.candidates[0], level.candidates[level.chosen]);
  level.chosen = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < level.candidates.size(); ++i) {
    const Candidate& one = level.candidates[i];
    const bool beaten = std::any_of(level.candidates.begin(),
                                    level.candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                                    [&](const Candidate& other) { return dominates(other, one); });
    if (!beaten) level.candidates[kept++] = one;
  }
  level.candidates.resize(kept);
}

void OrderChooser::weigh_ports() {
  best_choice_.assign(levels_.size(), 0);
  least_from_.assign(levels_.size() + 1, {});
  for (std::size_t m = levels_.size(); m-- > 0;) {
    Level& level = levels_[m];
    if (level.candidates.size() > 1) keep_undominated(level);
    least_from_[m] = least_of(level);
    add(least_from_[m], least_from_[m + 1], limited_);
  }
  try_all(0, open_.fixed());
  for (std::size_t m = 0; m < levels_.size(); ++m) levels_[m].chosen = best_choice_[m];
}

// In every respect what the candidate that is best in it has.
OpenOrders::Totals OrderChooser::least_of(const Level& level) const {
  OpenOrders::Totals least = level.candidates[0].totals;
  for (const Candidate& candidate : level.candidates) {
    least.energy_pj = std::min(least.energy_pj, candidate.totals.energy_pj);
    least.stationary_changes =
        std::min(least.stationary_changes, candidate.totals.stationary_changes);
    for (const int m : limited_) {
      OpenOrders::Load& load = least.loads[at(m)];
      const OpenOrders::Load& other = candidate.totals.loads[at(m)];
      load.reads = std::min(load.reads, other.reads);
      load.writes = std::min(load.writes, other.writes);
    }
  }
  return least;
}

// Leaves out what could not be better if the memories still to come were all at
// their least.
void OrderChooser::try_all(std::size_t memory, const OpenOrders::Totals& sum) {
  OpenOrders::Totals least = sum;
  add(least, least_from_[memory], limited_);
  const Score score = open_.score(least);
  if (!is_better(objective_, score, best_)) return;
  if (memory == levels_.size()) {
    best_ = score;
    for (std::size_t m = 0; m < levels_.size(); ++m) best_choice_[m] = levels_[m].chosen;
    return;
  }
  Level& level = levels_[memory];
  for (level.chosen = 0; level.chosen < level.candidates.size(); ++level.chosen) {
    OpenOrders::Totals with = sum;
    add(with, level.candidates[level.chosen].totals, limited_);
    try_all(memory + 1, with);
  }
}

void OrderChooser::write_order(int memory, Mapping& mapping) const {
  const Level& level = levels_[at(memory)];
  const Candidate& chosen = level.candidates[level.chosen];
  std::array<DimId, kMaxDims> order{};
  for (int i = 0; i < chosen.placed; ++i) {
    order[at(i)] = DimId{chosen.innermost_first[at(chosen.placed - 1 - i)]};
  }
  mapping.set_order(MemoryId{memory},
                    std::span(order.data(), static_cast<std::size_t>(chosen.placed)));
}

}  // namespace tilewright
