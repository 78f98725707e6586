#include "half_planes.h"

#include <algorithm>
#include <numeric>

namespace tilewright::map {

namespace {

std::optional<Pair> crossing(const HalfPlane& a, const HalfPlane& b) {
  const double determinant = a.energy_weight * b.cycles_weight - b.energy_weight * a.cycles_weight;
  if (determinant == 0) return std::nullopt;
  return Pair{(a.least * b.cycles_weight - b.least * a.cycles_weight) / determinant,
              (a.energy_weight * b.least - b.energy_weight * a.least) / determinant};
}

bool weighs_energy_more(const HalfPlane& a, const HalfPlane& b) {
  return a.energy_weight * b.cycles_weight > b.energy_weight * a.cycles_weight;
}

// The half-planes that bound what all have in common, in the order of their slopes. One
// that cuts off next to nothing is left out: without it the bound is lower, but holds.
std::vector<std::size_t> boundary(const std::vector<HalfPlane>& planes) {
  std::vector<std::size_t> order(planes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return weighs_energy_more(planes[a], planes[b]);
  });
  std::vector<std::size_t> kept;
  for (const std::size_t next : order) {
    const auto parallel = [&] { return !weighs_energy_more(planes[kept.back()], planes[next]); };
    if (!kept.empty() && parallel()) {
      if (planes[next].least <= planes[kept.back()].least) continue;
      kept.pop_back();
    }
    while (kept.size() >= 2) {
      const HalfPlane& middle = planes[kept.back()];
      const std::optional<Pair> corner = crossing(planes[kept[kept.size() - 2]], planes[next]);
      if (!corner || middle.value(*corner) < middle.least * (1 - 1e-10)) break;
      kept.pop_back();
    }
    kept.push_back(next);
  }
  return kept;
}

}  // namespace

double Pair::value(Objective objective) const {
  double product = 1;
  for (int i = 0; i < objective.energy; ++i) product *= energy;
  for (int i = 0; i < objective.cycles; ++i) product *= cycles;
  return product;
}

std::optional<Corner> lowest_corner(const std::vector<HalfPlane>& planes, Objective objective) {
  const std::vector<std::size_t> kept = boundary(planes);
  std::optional<Corner> lowest;
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    const std::optional<Pair> at = crossing(planes[kept[i]], planes[kept[i + 1]]);
    if (!at) return std::nullopt;
    if (!lowest || at->value(objective) < lowest->at.value(objective))
      lowest = {*at, kept[i], kept[i + 1]};
  }
  return lowest;
}

}  // namespace tilewright::map
