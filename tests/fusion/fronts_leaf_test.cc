// The best private nests against trying every one of them.
#include "fusion/fronts_leaf.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/brute_force.h"
#include "support/fusion_case.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/uneven_case.h"
#include "tilewright/cascade.h"

namespace tilewright::testing {
namespace {

using fusion::FrontPoint;

struct Best {
  std::optional<double> pj;
  std::uint64_t mappings = 0;
};

constexpr std::uint64_t kMostMappings = 300'000, kMostUnevenMappings = 10'000;

Best by_uneven_brute_force(const Problem& leaf) {
  Best best;
  const bool all = go_through_uneven({leaf, {}}, SpaceKind::Perfect, kMostUnevenMappings,
                                     [&](const Evaluator& evaluator, const Mapping& mapping) {
                                       ++best.mappings;
                                       const Score score = evaluator.score(mapping);
                                       if (!score.verdict.fits()) return;
                                       if (!best.pj || score.energy_pj < *best.pj)
                                         best.pj = score.energy_pj;
                                     });
  return all ? best : Best{std::nullopt, kMostMappings + 1};
}

// The nest of least energy of an einsum with these residents.
Best by_brute_force(const Problem& whole, std::uint32_t residents,
                    const std::vector<std::int64_t>& extents, Evenness evenness) {
  const auto leaf = leaf_problem(whole.workload(), whole.arch(), "Buffer", residents, extents);
  if (!leaf.ok()) return {};
  if (evenness == Evenness::Uneven) return by_uneven_brute_force(*leaf.value);
  const auto restrictions = Restrictions::create(*leaf.value);
  const BruteForce all =
      brute_force(make_evaluator(*leaf.value), SpaceKind::Perfect, *restrictions.value);
  if (!all.best[0]) return {std::nullopt, all.mappings};
  return {all.best[0]->score.energy_pj, all.mappings};
}

const FrontPoint* cheapest(const fusion::FrontOf<FrontPoint>& front) {
  return front.empty() ? nullptr : &front.points().back();
}

// The table's nest costs what the table says.
void expect_nest(const fusion::LeafFronts<FrontPoint>& fronts, const FrontPoint& point,
                 const Problem& whole, std::uint32_t residents,
                 const std::vector<std::int64_t>& extents, double pj) {
  const auto leaf = leaf_problem(whole.workload(), whole.arch(), "Buffer", residents, extents);
  PerDim sizes{};
  std::copy(extents.begin(), extents.end(), sizes.begin());
  const PrivateNest nest = fronts.nest(point.origin, sizes, *leaf.value);
  ASSERT_TRUE(structural_problems(nest.problem, nest.mapping).empty())
      << structural_problems(nest.problem, nest.mapping).front();
  EXPECT_TRUE(hardware_problems(nest.problem, nest.mapping).empty());
  const Score score = make_evaluator(nest.problem).score(nest.mapping);
  EXPECT_TRUE(score.verdict.fits());
  EXPECT_NEAR(score.energy_pj, pj, 1e-9 * pj + 1e-9);
}

struct Tally {
  int cases = 0, gained = 0;
};

void check(std::uint64_t seed, Evenness evenness, Tally& checked) {
  TestRng rng(seed);
  const Problem whole = fusion_problem(rng);
  const auto restrictions = Restrictions::create(whole);
  const auto stack = fusion::NestStack::create(whole, *restrictions.value, "Buffer");
  if (!stack.ok()) return;
  const fusion::NestTable even_table(*stack.value);
  const fusion::NestTable table(*stack.value, std::nullopt, evenness);
  const fusion::LeafFronts<FrontPoint> even(even_table, (1U << whole.dim_count()) - 1);
  const fusion::LeafFronts<FrontPoint> fronts(table, (1U << whole.dim_count()) - 1);
  for (int i = 0; i < 4; ++i) {
    const std::size_t where = rng.next() % fronts.lattice().size();
    const auto residents = static_cast<std::uint32_t>(rng.next()) &
                           ((1U << whole.tensor_count()) - 1) & ~fronts.must_stream();
    const PerDim sizes = fronts.lattice().extents(i == 0 ? fronts.lattice().last() : where);
    const std::vector<std::int64_t> extents(sizes.begin(), sizes.begin() + whole.dim_count());
    const Best best = by_brute_force(whole, residents, extents, evenness);
    if (best.mappings == 0 || best.mappings > kMostMappings) continue;
    const std::uint32_t streamed = ((1U << whole.tensor_count()) - 1) & ~residents;
    const FrontPoint* found = cheapest(fronts.front(streamed, fronts.lattice().index_of(sizes)));
    EXPECT_EQ(found != nullptr, best.pj.has_value()) << "seed " << seed;
    if (found == nullptr || !best.pj) continue;
    // The table has totals over all executions; the output's first visits are once for all.
    double runs = 1, again = 1;
    for (int d = 0; d < whole.dim_count(); ++d) {
      const auto more = static_cast<double>(whole.workload().dims[at(d)].size / extents[at(d)]);
      runs *= more;
      if (contains(stack.value->irrelevant(stack.value->output()), d)) again *= more;
    }
    if (again != 1) continue;
    EXPECT_NEAR(found->pj, *best.pj * runs, 1e-9 * found->pj + 1e-9)
        << "seed " << seed << ": " << einsum_text(whole.workload());
    ++checked.cases;
    const FrontPoint* before = cheapest(even.front(streamed, fronts.lattice().index_of(sizes)));
    checked.gained += found->pj < before->pj * (1 - 1e-9) ? 1 : 0;
    expect_nest(fronts, *found, whole, residents, extents, *best.pj);
  }
}

TEST(LeafFronts, HaveTheBestPrivateNests) {
  Tally checked;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(400)); ++seed) {
    check(seed, Evenness::Even, checked);
    if (HasFailure()) break;
  }
  EXPECT_GE(checked.cases, enough(400));
}

TEST(LeafFronts, HaveTheBestUnevenNests) {
  Tally checked;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(60)); ++seed) {
    check(seed + 10'000, Evenness::Uneven, checked);
    if (HasFailure()) break;
  }
  EXPECT_GE(checked.cases, enough(20));
  if (!slow_build()) EXPECT_GE(checked.gained, 1);
}

}  // namespace
}  // namespace tilewright::testing
