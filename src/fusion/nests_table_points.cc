// Nests with storage points of single tensors in the memories inside the shared one.
#include <algorithm>

#include "fusion/nests_points.h"
#include "fusion/nests_table.h"

namespace tilewright::fusion {

namespace {

void keep_least(std::map<std::uint32_t, double>& row, std::uint32_t tile, double pj) {
  const auto [entry, made] = row.try_emplace(tile, pj);
  if (!made) entry->second = std::min(entry->second, pj);
}

}  // namespace

void NestTable::edge_with_points(std::size_t stage) {
  if (evenness_ == Evenness::Even) return;
  const InnerPoints rules(prices_, stage);
  PointPaths paths(prices_, rules);
  for (std::uint32_t i = 0; i < lattice().size(); ++i) {
    for (const Row& row : stages_[stage]) {
      if (row.pj[i] != kNone) paths.add(row.runs, row.pj[i], i);
    }
    paths.go_on(i);
    for (const PointPath& path : paths.paths(i)) {
      OpenRuns runs = rules.outside(path, paths.runs(path));
      const double settled = prices_.settle(runs, stage + 1);
      keep_least(with_points_[runs], i, path.pj + settled);
    }
    paths.forget(i);
  }
}

void NestTable::fanout_with_points(std::size_t stage) {
  if (with_points_.empty()) return;
  const int number = stack().stages()[stage].number;
  const PointRows before = std::move(with_points_);
  with_points_.clear();
  for (const auto& [runs_before, row] : before) {
    std::vector<std::uint32_t> extents;
    for (const auto& [tile, pj] : row) extents.push_back(tile);
    for (const Unrolling& one : stack().unrollings(number)) {
      const std::vector<std::uint32_t> to = unrolled(extents, one);
      OpenRuns runs = prices_.unrolled(runs_before, number, one.bounds);
      const double served = prices_.settle(runs, stage + 1);
      std::map<std::uint32_t, double>* outside = nullptr;
      std::size_t i = 0;
      for (const auto& [tile, pj] : row) {
        const std::uint32_t target = to[i++];
        if (target == kNowhere) continue;
        if (outside == nullptr) outside = &with_points_[runs];
        keep_least(*outside, target, pj + served);
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
    for (const auto& [tile, pj] : row) improve(to, tile, pj, {});
  }
  known_.clear();
  with_points_.clear();
}

}  // namespace tilewright::fusion
