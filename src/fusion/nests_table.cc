#include "fusion/nests_table.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tilewright::fusion {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNowhere = 0xffffffff;

OpenRuns at_multipliers(int tensors) {
  OpenRuns runs;
  runs.to_compute = (1U << tensors) - 1;
  for (int t = 0; t < tensors; ++t) runs.served[at(t)] = 1;
  return runs;
}

double most_instances(const std::vector<Unrolling>& unrollings, int dims) {
  double most = 1;
  for (const Unrolling& one : unrollings) {
    double instances = 1;
    for (int d = 0; d < dims; ++d) instances *= static_cast<double>(one.bounds[at(d)]);
    most = std::max(most, instances);
  }
  return most;
}

}  // namespace

NestTable::NestTable(const NestStack& stack, std::optional<double> least_parallel)
    : stack_(stack),
      least_parallel_(least_parallel),
      lattice_(stack.sizes(), (1U << stack.flat().dims) - 1) {
  const int tensors = stack.flat().tensors;
  per_word_.assign(at(tensors), std::vector<double>(lattice_.size(), 1));
  for (int t = 0; t < tensors; ++t) {
    for (std::size_t i = 0; i < lattice_.size(); ++i) {
      for (const int d : members(stack.irrelevant(t))) {
        per_word_[at(t)][i] /= static_cast<double>(lattice_.extent(i, d));
      }
    }
  }
  stages_.resize(stack.stages().size() + 1);
  OpenRuns start = at_multipliers(tensors);
  const double served = settle(start, 0);
  improve(stages_[0][row_of(stages_[0], start)], 0, served, {});
  for (std::size_t s = 0; s < stack.stages().size(); ++s) {
    known_.clear();
    switch (stack.stages()[s].kind) {
      case NestStack::Stage::Kind::Fanout:
        fanout(s);
        break;
      case NestStack::Stage::Kind::Loops:
        loops(s);
        break;
      case NestStack::Stage::Kind::Edge:
        edge(s);
        break;
    }
    forget_energies(s);
  }
  unused_.clear();
}

void NestTable::forget_energies(std::size_t stage) {
  for (Row& row : stages_[stage]) unused_.push_back(std::move(row.pj));
}

std::size_t NestTable::row_of(std::vector<Row>& rows, const OpenRuns& runs) {
  const auto [entry, made] = known_.try_emplace(runs, rows.size());
  if (made) {
    std::vector<double> pj;
    if (!unused_.empty()) {
      pj = std::move(unused_.back());
      unused_.pop_back();
    }
    pj.assign(lattice_.size(), kNone);
    rows.push_back({runs, std::move(pj), std::vector<Origin>(lattice_.size())});
  }
  return entry->second;
}

void NestTable::improve(Row& row, std::size_t tile, double pj, Origin from) {
  if (pj >= row.pj[tile]) return;
  row.pj[tile] = pj;
  row.from[tile] = from;
}

OpenRuns NestTable::ended(OpenRuns runs, std::uint32_t ends) {
  for (const int t : members(ends & runs.open)) runs.word_pj[at(t)] = 0;
  runs.open &= ~ends;
  return runs;
}

double NestTable::end_pj(const OpenRuns& runs, std::uint32_t ends, std::size_t tile) const {
  double pj = 0;
  for (const int t : members(ends & runs.open)) {
    pj += runs.word_pj[at(t)] * per_word_[at(t)][tile];
  }
  return pj;
}

double NestTable::settle(OpenRuns& runs, std::size_t stage) const {
  // The memories inside this stage; what is served comes from outside them.
  int inside = stack_.flat().memories;
  for (std::size_t s = 0; s < stage; ++s) {
    if (stack_.stages()[s].kind == NestStack::Stage::Kind::Edge) inside = stack_.stages()[s].number;
  }
  double pj = 0;
  for (const int t : members(runs.unpriced | runs.to_compute)) {
    const int keeper = stack_.keeper_outside(inside, t);
    if (stack_.fanouts_left(stage, std::max(keeper, stack_.shared()))) continue;
    const double price = stack_.prices(keeper, stack_.flat().memories, t).outside_pj;
    if (contains(runs.unpriced, t)) runs.word_pj[at(t)] += runs.copies[at(t)] * price;
    if (contains(runs.to_compute, t)) pj += runs.served[at(t)] * price;
    runs.copies[at(t)] = runs.served[at(t)] = 0;
    runs.unpriced &= ~(1U << t);
    runs.to_compute &= ~(1U << t);
  }
  return pj;
}

void NestTable::begin_loops(std::size_t stage) {
  // The next loop, wherever it is, ends the runs of all tensors that it moves. Runs are ended
  // here for each dimension that may come next; ending one too early is never cheaper.
  std::set<std::uint32_t> survivors = {0};
  for (int d = 0; d < stack_.flat().dims; ++d) {
    std::uint32_t still = 0;
    for (int t = 0; t < stack_.flat().tensors; ++t) {
      if (contains(stack_.irrelevant(t), d)) still |= 1U << t;
    }
    survivors.insert(still);
  }
  const std::vector<Row>& before = stages_[stage];
  std::vector<Row>& rows = stages_[stage + 1];
  for (std::size_t r = 0; r < before.size(); ++r) {
    for (const std::uint32_t still : survivors) {
      const std::size_t to = row_of(rows, ended(before[r].runs, ~still));
      for (std::size_t i = 0; i < lattice_.size(); ++i) {
        if (before[r].pj[i] == kNone) continue;
        improve(rows[to], i, before[r].pj[i] + end_pj(before[r].runs, ~still, i),
                {false, static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(i)});
      }
    }
  }
}

void NestTable::loops(std::size_t stage) {
  begin_loops(stage);
  const int memory = stack_.stages()[stage].number;
  std::vector<Row>& rows = stages_[stage + 1];
  std::vector<std::uint32_t> moved(at(stack_.flat().dims), 0);
  for (int d = 0; d < stack_.flat().dims; ++d) {
    for (int t = 0; t < stack_.flat().tensors; ++t) {
      if (!contains(stack_.irrelevant(t), d)) moved[at(d)] |= 1U << t;
    }
  }
  std::vector<std::vector<std::size_t>> to;  // [row][dim]: the row behind a loop
  std::vector<ExtentLattice::Step> steps;
  for (std::size_t i = 0; i < lattice_.size(); ++i) {
    lattice_.steps_from(i, steps);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].pj[i] == kNone) continue;
      while (to.size() <= r) {
        const OpenRuns runs = rows[to.size()].runs;
        std::vector<std::size_t> behind;
        for (const std::uint32_t ends : moved) behind.push_back(row_of(rows, ended(runs, ends)));
        to.push_back(std::move(behind));
      }
      for (const ExtentLattice::Step& step : steps) {
        if (!contains(stack_.loop_dims(memory), step.dim)) continue;
        const double pj = rows[r].pj[i] + end_pj(rows[r].runs, moved[at(step.dim)], i);
        improve(rows[to[r][at(step.dim)]], step.to, pj,
                {true, static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(i)});
      }
    }
  }
}

void NestTable::edge(std::size_t stage) {
  const int memory = stack_.stages()[stage].number;
  const int output = stack_.output();
  const std::vector<Row>& before = stages_[stage];
  std::vector<std::uint32_t> fitting;
  for (const std::uint32_t i : extents_of(before)) {
    if (stack_.fits(memory, lattice_.extents(i))) fitting.push_back(i);
  }
  for (std::size_t r = 0; r < before.size(); ++r) {
    OpenRuns runs = before[r].runs;
    for (const int t : members(stack_.kept(memory))) {
      const int keeper = stack_.keeper_outside(memory, t);
      const LinkPrices prices = stack_.prices(keeper, memory, t);
      runs.open |= 1U << t;
      runs.unpriced |= 1U << t;
      runs.word_pj[at(t)] += prices.inside_pj;
      runs.copies[at(t)] = 1;
      if (t != output) continue;
      const LinkPrices reread = stack_.prices(memory, stack_.flat().memories, t);
      const double update = stack_.flat().prices[at(memory)].update_pj[at(t)];
      runs.first_pj += reread.outside_pj - update + prices.inside_pj;
    }
    settle(runs, stage + 1);
    Row& outside = stages_[stage + 1][row_of(stages_[stage + 1], runs)];
    for (const std::uint32_t i : fitting) {
      if (before[r].pj[i] == kNone) continue;
      improve(outside, i, before[r].pj[i], {false, static_cast<std::uint32_t>(r), i});
    }
  }
}

double NestTable::most_parallel(std::size_t stage) const {
  double most = 1;
  for (std::size_t s = stage; s < stack_.stages().size(); ++s) {
    if (stack_.stages()[s].kind != NestStack::Stage::Kind::Fanout) continue;
    most *= most_instances(stack_.unrollings(stack_.stages()[s].number), stack_.flat().dims);
  }
  return most;
}

OpenRuns NestTable::unrolled(const OpenRuns& runs, int fanout, const PerDim& bounds) const {
  OpenRuns outside = runs;
  for (int d = 0; least_parallel_ && d < stack_.flat().dims; ++d) {
    outside.parallel *= static_cast<double>(bounds[at(d)]);
  }
  for (int t = 0; t < stack_.flat().tensors; ++t) {
    double alike = 1;
    for (const int d : members(stack_.irrelevant(t))) alike *= static_cast<double>(bounds[at(d)]);
    // Extents grow by what is alike, so words that are not shared count that often.
    outside.word_pj[at(t)] *= alike;
    if (t == stack_.output()) outside.first_pj *= alike;
    if (!stack_.shares(fanout, t)) {
      outside.copies[at(t)] *= alike;
    } else {
      outside.served[at(t)] /= alike;
    }
  }
  return outside;
}

std::vector<std::uint32_t> NestTable::extents_of(const std::vector<Row>& rows) const {
  std::vector<std::uint32_t> extents;
  for (std::uint32_t i = 0; i < lattice_.size(); ++i) {
    const bool any =
        std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.pj[i] != kNone; });
    if (any) extents.push_back(i);
  }
  return extents;
}

std::vector<std::uint32_t> NestTable::unrolled(const std::vector<std::uint32_t>& extents,
                                               const Unrolling& unrolling) const {
  std::vector<std::uint32_t> to;
  to.reserve(extents.size());
  for (const std::uint32_t i : extents) {
    PerDim outside = lattice_.extents(i);
    bool divides = true;
    for (int d = 0; d < stack_.flat().dims && divides; ++d) {
      outside[at(d)] *= unrolling.bounds[at(d)];
      divides = stack_.flat().size[at(d)] % outside[at(d)] == 0;
    }
    to.push_back(divides ? static_cast<std::uint32_t>(lattice_.index_of(outside)) : kNowhere);
  }
  return to;
}

void NestTable::fanout(std::size_t stage) {
  const int number = stack_.stages()[stage].number;
  const double further = most_parallel(stage + 1);
  const std::vector<Row>& before = stages_[stage];
  const std::vector<std::uint32_t> extents = extents_of(before);
  std::vector<std::vector<std::uint32_t>> targets;
  for (const Unrolling& one : stack_.unrollings(number)) targets.push_back(unrolled(extents, one));
  for (std::size_t r = 0; r < before.size(); ++r) {
    for (std::size_t u = 0; u < targets.size(); ++u) {
      OpenRuns runs = unrolled(before[r].runs, number, stack_.unrollings(number)[u].bounds);
      if (runs.parallel * further < least_parallel_.value_or(0)) continue;
      const double served = settle(runs, stage + 1);
      Row& outside = stages_[stage + 1][row_of(stages_[stage + 1], runs)];
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const double pj = before[r].pj[extents[i]];
        if (pj == kNone || targets[u][i] == kNowhere) continue;
        improve(outside, targets[u][i], pj + served,
                {false, static_cast<std::uint32_t>(r), extents[i]});
      }
    }
  }
}

void NestTable::write_nest(std::size_t row, std::size_t tile, Mapping& mapping) const {
  for (std::size_t s = stack_.stages().size(); s > 0; --s) {
    const NestStack::Stage& stage = stack_.stages()[s - 1];
    std::vector<DimId> outermost_first;
    for (bool inside = false; !inside;) {
      const Origin& from = stages_[s][row].from[tile];
      const PerDim outer = lattice_.extents(tile), inner = lattice_.extents(from.tile);
      for (int d = 0; d < stack_.flat().dims; ++d) {
        const std::int64_t bound = outer[at(d)] / inner[at(d)];
        if (bound == 1) continue;
        if (stage.kind == NestStack::Stage::Kind::Fanout) {
          // The bounds of both axes together are unique; so is their split.
          const auto& all = stack_.unrollings(stage.number);
          PerDim bounds = outer;
          for (int e = 0; e < stack_.flat().dims; ++e) bounds[at(e)] /= inner[at(e)];
          for (const Unrolling& one : all) {
            if (!std::equal(bounds.begin(), bounds.begin() + stack_.flat().dims,
                            one.bounds.begin()))
              continue;
            const int slot = stack_.flat().fanout[at(stage.number)].slot;
            mapping.set_bound(slot, DimId{d}, one.along_y[at(d)]);
            mapping.set_bound(slot + 1, DimId{d}, bound / one.along_y[at(d)]);
          }
          continue;
        }
        const int slot = stack_.flat().memory[at(stage.number)].slot;
        mapping.set_bound(slot, DimId{d}, mapping.bound(slot, DimId{d}) * bound);
        // A dimension that occurs again counts where it is innermost.
        std::erase(outermost_first, DimId{d});
        outermost_first.push_back(DimId{d});
      }
      inside = !from.same_stage;
      row = from.label;
      tile = from.tile;
    }
    if (stage.kind == NestStack::Stage::Kind::Loops) {
      mapping.set_order(MemoryId{stage.number}, outermost_first);
    }
  }
}

}  // namespace tilewright::fusion
