#include <algorithm>

#include "mappers/quickflow/orders.h"

namespace tilewright {
namespace {

void add(OpenOrders::Totals& sum, const OpenOrders::Totals& more, const std::vector<int>& limited) {
  sum.energy_pj += more.energy_pj;
  for (const int m : limited) {
    const auto at = static_cast<std::size_t>(m);
    sum.loads[at].reads += more.loads[at].reads;
    sum.loads[at].writes += more.loads[at].writes;
  }
}

std::uint32_t tensor_bit(const OpenOrders::Link& link) { return 1U << index_of(link.tensor); }

// The last of a list, from the outside in, that is a loop and not placed; -1 if none is.
int last_unplaced(const std::vector<DimId>& list, std::uint32_t loops, std::uint32_t used) {
  for (std::size_t i = list.size(); i-- > 0;) {
    const int dim = index_of(list[i]);
    if (((loops & ~used) >> dim & 1U) != 0) return dim;
  }
  return -1;
}

}  // namespace

OrderChooser::OrderChooser(const Evaluator& evaluator, const Restrictions& restrictions,
                           Objective objective)
    : objective_(objective), open_(evaluator) {
  const Problem& problem = evaluator.problem();
  for (int m = 0; m < problem.memory_count(); ++m) {
    Level level;
    level.outermost = restrictions.outermost(MemoryId{m});
    level.innermost = restrictions.innermost(MemoryId{m});
    for (const DimId dim : level.outermost) level.outermost_dims |= 1U << index_of(dim);
    levels_.push_back(std::move(level));
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

// The dimensions of which one may stand next, from the inside out.
std::uint32_t OrderChooser::next_dims(const Level& level, std::uint32_t loops,
                                      std::uint32_t used) const {
  const int inner = last_unplaced(level.innermost, loops, used);
  if (inner >= 0) return 1U << inner;
  const std::uint32_t free = loops & ~used & ~level.outermost_dims;
  if (free != 0) return free;
  const int outer = last_unplaced(level.outermost, loops, used);
  return outer >= 0 ? 1U << outer : 0;
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
  std::uint32_t next = next_dims(level, loops, candidate.used);
  for (; next != 0; next = next_dims(level, loops, candidate.used)) {
    std::uint32_t movers = 0;
    for (const OpenOrders::Link& link : links) {
      if ((open & tensor_bit(link)) != 0) movers |= link.movers;
    }
    const std::uint32_t neutral = next & ~movers;
    if (neutral == 0) break;
    for (std::uint32_t rest = neutral; rest != 0; rest &= rest - 1) {
      place(candidate, __builtin_ctz(rest));
    }
  }
  if (next == 0) {
    level.candidates.push_back(candidate);
    return;
  }
  // Of loops that settle the same tensors, none of which slides, one is enough.
  std::uint32_t tried_sets[kMaxDims];
  int tried = 0;
  for (std::uint32_t rest = next; rest != 0; rest &= rest - 1) {
    const int dim = __builtin_ctz(rest);
    std::uint32_t settled = 0;
    bool slides = false;
    for (const OpenOrders::Link& link : links) {
      if ((open & tensor_bit(link)) == 0 || (link.movers >> dim & 1U) == 0) continue;
      settled |= tensor_bit(link);
      slides = slides || (link.sliding >> dim & 1U) != 0;
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
