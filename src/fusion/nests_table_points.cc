// Nests with storage points of single tensors in the memories inside the shared one.
#include <algorithm>

#include "fusion/nests_table.h"

namespace tilewright::fusion {

void NestTable::keep_least(PointRow& row, std::uint32_t tile, double pj, const PointOrigin& from) {
  const auto [entry, made] = row.try_emplace(tile);
  if (!made && entry->second.pj <= pj) return;
  entry->second = {pj, static_cast<std::uint32_t>(point_origins_.size())};
  point_origins_.push_back(from);
}

void NestTable::edge_with_points(std::size_t stage) {
  if (evenness_ == Evenness::Even) return;
  const InnerPoints rules(prices_, stage);
  PointPaths paths(prices_, rules);
  for (std::uint32_t i = 0; i < lattice().size(); ++i) {
    for (std::size_t r = 0; r < stages_[stage].size(); ++r) {
      const Row& row = stages_[stage][r];
      if (row.pj[i] != kNone) paths.add(row.runs, row.pj[i], r, i);
    }
    paths.go_on(i);
    for (const PointPath& path : paths.paths(i)) {
      OpenRuns runs = rules.outside(path, paths.runs(path));
      const double settled = prices_.settle(runs, stage + 1);
      keep_least(with_points_[runs], i, path.pj + settled, {stage, i, path.step});
    }
    paths.forget(i);
  }
  point_steps_[stage] = paths.take_steps();
}

void NestTable::fanout_with_points(std::size_t stage) {
  if (with_points_.empty()) return;
  const int number = stack().stages()[stage].number;
  const double further = most_parallel(stage + 1);
  const PointRows before = std::move(with_points_);
  with_points_.clear();
  for (const auto& [runs_before, row] : before) {
    std::vector<std::uint32_t> extents;
    for (const auto& [tile, nest] : row) extents.push_back(tile);
    for (const Unrolling& one : stack().unrollings(number)) {
      OpenRuns runs = prices_.unrolled(runs_before, number, one.bounds);
      if (runs.parallel * further < least_parallel_.value_or(0)) continue;
      const std::vector<std::uint32_t> to = unrolled(extents, one);
      const double served = prices_.settle(runs, stage + 1);
      PointRow* outside = nullptr;
      std::size_t i = 0;
      for (const auto& [tile, nest] : row) {
        const std::uint32_t target = to[i++];
        if (target == kNowhere) continue;
        if (outside == nullptr) outside = &with_points_[runs];
        keep_least(*outside, target, nest.pj + served, {stage, tile, nest.number});
      }
    }
  }
}

// From the loops of the next memory on they are nests like others: all of their prices are known.
void NestTable::end_points(std::size_t stage) {
  std::vector<Row>& rows = stages_[stage];
  for (std::size_t r = 0; r < rows.size(); ++r) known_[rows[r].runs] = r;
  for (const auto& [runs, row] : with_points_) {
    Row& to = rows[row_of(rows, runs)];
    for (const auto& [tile, nest] : row) {
      improve(to, tile, nest.pj, {Origin::Kind::WithPoints, nest.number, tile});
    }
  }
  known_.clear();
  with_points_.clear();
}

}  // namespace tilewright::fusion
