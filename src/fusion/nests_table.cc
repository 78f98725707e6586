#include "fusion/nests_table.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tilewright::fusion {

namespace {

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

NestTable::NestTable(const NestStack& stack, std::optional<double> least_parallel,
                     Evenness evenness)
    : prices_(stack, least_parallel.has_value()),
      evenness_(evenness),
      least_parallel_(least_parallel) {
  stages_.resize(stack.stages().size() + 1);
  point_steps_.resize(stack.stages().size());
  OpenRuns start = runs_at_multipliers(stack.flat().tensors);
  const double served = prices_.settle(start, 0);
  improve(stages_[0][row_of(stages_[0], start)], 0, served, {});
  for (std::size_t s = 0; s < stack.stages().size(); ++s) {
    known_.clear();
    switch (stack.stages()[s].kind) {
      case NestStack::Stage::Kind::Fanout:
        fanout(s);
        fanout_with_points(s);
        break;
      case NestStack::Stage::Kind::Loops:
        end_points(s);
        loops(s);
        break;
      case NestStack::Stage::Kind::Edge:
        edge(s);
        edge_with_points(s);
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
    pj.assign(lattice().size(), kNone);
    rows.push_back({runs, std::move(pj), std::vector<Origin>(lattice().size())});
  }
  return entry->second;
}

void NestTable::improve(Row& row, std::size_t tile, double pj, Origin from) {
  if (pj >= row.pj[tile]) return;
  row.pj[tile] = pj;
  row.from[tile] = from;
}

void NestTable::begin_loops(std::size_t stage) {
  // The next loop, wherever it is, ends the runs of all tensors that it moves. Runs are ended
  // here for each dimension that may come next; ending one too early is never cheaper.
  std::set<std::uint32_t> survivors = {0};
  for (int d = 0; d < stack().flat().dims; ++d) {
    survivors.insert(((1U << stack().flat().tensors) - 1) & ~prices_.moved(d));
  }
  const std::vector<Row>& before = stages_[stage];
  std::vector<Row>& rows = stages_[stage + 1];
  for (std::size_t r = 0; r < before.size(); ++r) {
    for (const std::uint32_t still : survivors) {
      const std::size_t to = row_of(rows, ended(before[r].runs, ~still));
      for (std::size_t i = 0; i < lattice().size(); ++i) {
        if (before[r].pj[i] == kNone) continue;
        improve(
            rows[to], i, before[r].pj[i] + prices_.end_pj(before[r].runs, ~still, i),
            {Origin::Kind::Inside, static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(i)});
      }
    }
  }
}

void NestTable::loops(std::size_t stage) {
  begin_loops(stage);
  const int memory = stack().stages()[stage].number;
  std::vector<Row>& rows = stages_[stage + 1];
  std::vector<std::vector<std::size_t>> to;  // [row][dim]: the row behind a loop
  std::vector<ExtentLattice::Step> steps;
  for (std::size_t i = 0; i < lattice().size(); ++i) {
    lattice().steps_from(i, steps);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].pj[i] == kNone) continue;
      while (to.size() <= r) {
        const OpenRuns runs = rows[to.size()].runs;
        std::vector<std::size_t> behind;
        for (int d = 0; d < stack().flat().dims; ++d) {
          behind.push_back(row_of(rows, ended(runs, prices_.moved(d))));
        }
        to.push_back(std::move(behind));
      }
      for (const ExtentLattice::Step& step : steps) {
        if (!contains(stack().loop_dims(memory), step.dim)) continue;
        const double pj = rows[r].pj[i] + prices_.end_pj(rows[r].runs, prices_.moved(step.dim), i);
        improve(rows[to[r][at(step.dim)]], step.to, pj,
                {Origin::Kind::SameStage, static_cast<std::uint32_t>(r),
                 static_cast<std::uint32_t>(i)});
      }
    }
  }
}

void NestTable::edge(std::size_t stage) {
  const int memory = stack().stages()[stage].number;
  const std::vector<Row>& before = stages_[stage];
  std::vector<std::uint32_t> fitting;
  for (const std::uint32_t i : extents_of(before)) {
    if (stack().fits(memory, lattice().extents(i))) fitting.push_back(i);
  }
  for (std::size_t r = 0; r < before.size(); ++r) {
    OpenRuns runs = prices_.opened(before[r].runs, memory, stack().kept(memory));
    prices_.settle(runs, stage + 1);
    Row& outside = stages_[stage + 1][row_of(stages_[stage + 1], runs)];
    for (const std::uint32_t i : fitting) {
      if (before[r].pj[i] == kNone) continue;
      improve(outside, i, before[r].pj[i],
              {Origin::Kind::Inside, static_cast<std::uint32_t>(r), i});
    }
  }
}

double NestTable::most_parallel(std::size_t stage) const {
  double most = 1;
  for (std::size_t s = stage; s < stack().stages().size(); ++s) {
    if (stack().stages()[s].kind != NestStack::Stage::Kind::Fanout) continue;
    most *= most_instances(stack().unrollings(stack().stages()[s].number), stack().flat().dims);
  }
  return most;
}

std::vector<std::uint32_t> NestTable::extents_of(const std::vector<Row>& rows) const {
  std::vector<std::uint32_t> extents;
  for (std::uint32_t i = 0; i < lattice().size(); ++i) {
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
    PerDim outside = lattice().extents(i);
    bool divides = true;
    for (int d = 0; d < stack().flat().dims && divides; ++d) {
      outside[at(d)] *= unrolling.bounds[at(d)];
      divides = stack().flat().size[at(d)] % outside[at(d)] == 0;
    }
    to.push_back(divides ? static_cast<std::uint32_t>(lattice().index_of(outside)) : kNowhere);
  }
  return to;
}

void NestTable::fanout(std::size_t stage) {
  const int number = stack().stages()[stage].number;
  const double further = most_parallel(stage + 1);
  const std::vector<Row>& before = stages_[stage];
  const std::vector<std::uint32_t> extents = extents_of(before);
  std::vector<std::vector<std::uint32_t>> targets;
  for (const Unrolling& one : stack().unrollings(number)) targets.push_back(unrolled(extents, one));
  for (std::size_t r = 0; r < before.size(); ++r) {
    for (std::size_t u = 0; u < targets.size(); ++u) {
      OpenRuns runs =
          prices_.unrolled(before[r].runs, number, stack().unrollings(number)[u].bounds);
      if (runs.parallel * further < least_parallel_.value_or(0)) continue;
      const double served = prices_.settle(runs, stage + 1);
      Row& outside = stages_[stage + 1][row_of(stages_[stage + 1], runs)];
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const double pj = before[r].pj[extents[i]];
        if (pj == kNone || targets[u][i] == kNowhere) continue;
        improve(outside, targets[u][i], pj + served,
                {Origin::Kind::Inside, static_cast<std::uint32_t>(r), extents[i]});
      }
    }
  }
}

}  // namespace tilewright::fusion
