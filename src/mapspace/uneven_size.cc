// How many mappings there are, even and uneven.
#include <algorithm>
#include <map>
#include <utility>

#include "base/bits.h"
#include "tilewright/mapspace.h"

namespace tilewright {
namespace {

// C(n, k)
std::int64_t binomial(int n, int k) {
  if (k < 0 || k > n) return 0;
  std::int64_t ways = 1;
  for (int i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
  return ways;
}

// Ways to deal so many tensors out to so many points, in order, none of which is without any:
// inclusion and exclusion of the points that are.
std::int64_t ordered_partitions(int tensors, int points) {
  std::int64_t ways = 0;
  for (int empty = 0; empty <= points; ++empty) {
    std::int64_t all = binomial(points, empty);
    for (int t = 0; t < tensors; ++t) all *= points - empty;
    ways += empty % 2 == 0 ? all : -all;
  }
  return ways;
}

// The same if some of them, which are at home there, stand at the first point.
std::int64_t ordered_partitions(int tensors, int homes, int points) {
  if (homes == 0) return ordered_partitions(tensors, points);
  std::int64_t ways = 0;
  for (int beside = 0; beside <= tensors - homes; ++beside) {
    ways += binomial(tensors - homes, beside) *
            ordered_partitions(tensors - homes - beside, points - 1);
  }
  return ways;
}

// Counts as if every point had loops of its own, which may all be of bound 1, and takes the
// mappings that have points without loops between them out again: these are one point.
class UnevenCounting {
 public:
  UnevenCounting(const Problem& problem, SpaceKind kind, const std::vector<Constraint>& constraints,
                 const Restrictions& restrictions, std::uint32_t memories)
      : problem_(problem),
        kind_(kind),
        constraints_(constraints),
        restrictions_(restrictions),
        uneven_(memories) {}

  UnevenSize count() {
    UnevenSize result;
    BigUint added, taken;
    for (const auto& [points, weight] : weights()) {
      const MadeSpace space = space_with(points);
      if (space.too_large) return {{std::nullopt, space.problems}, true};
      if (!space.ok()) continue;  // it has no mapping
      const auto times = static_cast<std::uint64_t>(weight < 0 ? -weight : weight);
      (weight < 0 ? taken : added) += space.value->size() * BigUint(times);
    }
    result.value = added - taken;
    return result;
  }

 private:
  using Points = std::vector<int>;  // how many each memory has
  using Ways = std::map<std::pair<Points, std::uint32_t>, std::int64_t>;  // and kept tensors

  // How often the mappings with so many points in each memory count, over all choices of what the
  // memories keep.
  std::map<Points, std::int64_t> weights() const {
    Ways ways = {{{{}, 0}, 1}};
    for (int m = 0; m < problem_.memory_count(); ++m) ways = with_memory(m, ways);
    std::map<Points, std::int64_t> weights;
    for (const auto& [state, number] : ways) {
      const bool all_kept = state.second == (1U << problem_.tensor_count()) - 1U;
      if (all_kept && number != 0) weights[state.first] += number;
    }
    return weights;
  }

  Ways with_memory(int m, const Ways& outside) const {
    Ways ways;
    const std::uint32_t always = restrictions_.keep_always(MemoryId{m});
    const std::uint32_t free = restrictions_.keep_allowed(MemoryId{m}) & ~always;
    for (const auto& [state, number] : outside) {
      for (std::uint32_t more = free;; more = (more - 1) & free) {
        const std::uint32_t kept = always | more;
        const int tensors = __builtin_popcount(kept);
        const int homes = __builtin_popcount(kept & ~state.second);
        const int most = contains(uneven_, m) ? std::max(tensors, 1) : 1;
        for (int i = 1; i <= most; ++i) {
          Points points = state.first;
          points.push_back(i);
          ways[{std::move(points), state.second | kept}] +=
              number * (most == 1 ? 1 : weight(m, tensors, homes, i));
        }
        if (more == 0) break;
      }
    }
    return ways;
  }

  std::int64_t weight(int m, int tensors, int homes, int points) const {
    if (needs_loops(m)) return ordered_partitions(tensors, homes, points);
    std::int64_t sum = 0;
    for (int j = points; j <= tensors; ++j) {
      const std::int64_t ways = ordered_partitions(tensors, homes, j) * binomial(j - 1, points - 1);
      sum += (j - points) % 2 == 0 ? ways : -ways;
    }
    return sum;
  }

  // Whether constraints leave no point without loops.
  bool needs_loops(int m) const {
    for (int d = 0; d < problem_.dim_count(); ++d) {
      if (restrictions_.limits(problem_.use(MemoryId{m}).slot, DimId{d}).least > 1) return true;
    }
    return false;
  }

  // The even mappings of the problem in which memories stand as so many points, with some tensors.
  MadeSpace space_with(const Points& points) const {
    std::vector<StoragePoints> apart(points.size());
    for (std::size_t m = 0; m < points.size(); ++m) {
      std::uint32_t left = restrictions_.keep_allowed(MemoryId{static_cast<int>(m)});
      for (int i = 1; i < points[m]; ++i) {
        apart[m].push_back(left & -left);
        left &= left - 1;
      }
      if (left != 0) apart[m].push_back(left);
    }
    const Checked<Problem> problem = with_points(problem_, apart);
    if (!problem.ok()) return {{std::nullopt, problem.problems}, true};
    const auto constraints = constraints_at_points(*problem.value, constraints_);
    if (!constraints.ok()) return {{std::nullopt, constraints.problems}, true};
    const Checked<Restrictions> own = Restrictions::create(*problem.value, *constraints.value);
    if (!own.ok()) return {{std::nullopt, own.problems}, true};
    return MapSpace::create(*problem.value, kind_, *own.value);
  }

  const Problem& problem_;
  SpaceKind kind_;
  const std::vector<Constraint>& constraints_;
  const Restrictions& restrictions_;
  std::uint32_t uneven_;
};

}  // namespace

UnevenSize count_uneven(const Problem& problem, SpaceKind kind,
                        const std::vector<Constraint>& constraints, std::uint32_t memories) {
  const Checked<Restrictions> restrictions = Restrictions::create(problem, constraints);
  if (!restrictions.ok()) return {{std::nullopt, restrictions.problems}, false};
  return UnevenCounting(problem, kind, constraints, *restrictions.value, memories).count();
}

}  // namespace tilewright
