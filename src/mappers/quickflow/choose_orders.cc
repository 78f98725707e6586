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
  for (int m = 0; m < static_cast<int>(levels_.size()); ++m) {
    const Level& level = levels_[at(m)];
    set_order(level.candidates[level.chosen], MemoryId{m}, mapping);
  }
  return score;
}

// --- one memory -------------------------------------------------------------------

// Lists the candidates of a memory on a walk through its orders.
struct OrderChooser::Lister {
  static bool is_over() { return false; }
  void settle(Candidate& candidate, std::uint32_t tensors, int dim) const {
    for (const OpenOrders::Link& link : open.links(memory)) {
      if ((tensors & tensor_bit(link)) == 0) continue;
      open.add(memory, link, DimId{dim}, candidate.used, candidate.totals);
    }
  }
  void finish(const Candidate& candidate) const { candidates.push_back(candidate); }

  const OpenOrders& open;
  MemoryId memory;
  std::vector<Candidate>& candidates;
};

void OrderChooser::list_candidates(int memory, const Mapping& mapping) {
  Level& level = levels_[at(memory)];
  level.candidates.clear();
  level.chosen = 0;
  const std::int64_t* bounds = mapping.bounds(open_.problem().use(MemoryId{memory}).slot);
  std::uint32_t loops = 0;
  for (int d = 0; d < mapping.dim_count(); ++d) loops |= (bounds[d] > 1 ? 1U : 0U) << d;
  Lister lister{open_, MemoryId{memory}, level.candidates};
  OrderWalk(level.nesting, loops, open_.links(MemoryId{memory}), lister).run(Candidate{});
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

}  // namespace tilewright
