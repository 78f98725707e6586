#include "report/side_by_side.h"

#include <algorithm>
#include <cmath>

#include "report/names.h"
#include "report/spending.h"

namespace tilewright::report {
namespace {

void add_energy(std::vector<EnergyPair>& pairs, const std::string& what, std::size_t side,
                double pj) {
  auto found = std::find_if(pairs.begin(), pairs.end(),
                            [&](const EnergyPair& pair) { return pair.what == what; });
  if (found == pairs.end()) {
    pairs.push_back({what, {}});
    found = pairs.end() - 1;
  }
  found->pj[side] += pj;
}

void add_layer(const SideBySide::OfLayer& layer, std::size_t side, SideBySideSums& sums) {
  const Result& result = *layer.results[side];
  const auto count = static_cast<double>(layer.count);
  sums.total[side].add(result.evaluation.score, layer.count);
  for (const LevelCost& cost : level_costs(result)) {
    add_energy(sums.levels, level_name(result.problem, cost.level), side, count * cost.sum());
  }
  const LevelCost total = total_cost(result);
  for (std::size_t t = 0; t < total.tensor_pj.size(); ++t) {
    add_energy(sums.tensors, tensor_name(result.problem, t), side, count * total.tensor_pj[t]);
  }
  for (const Spending& spending : spendings(result)) {
    add_energy(sums.spendings, spending.what, side, count * spending.pj);
  }
}

}  // namespace

bool is_complete(const SideBySide::OfLayer& layer) {
  return layer.results[0].has_value() && layer.results[1].has_value();
}

SideBySideSums sums_of(const SideBySide& both) {
  SideBySideSums sums;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const SideBySide::OfLayer& layer : both.layers) {
      if (is_complete(layer)) add_layer(layer, side, sums);
    }
  }
  std::stable_sort(sums.spendings.begin(), sums.spendings.end(),
                   [](const EnergyPair& a, const EnergyPair& b) {
                     return std::abs(a.more()) > std::abs(b.more());
                   });
  return sums;
}

}  // namespace tilewright::report
