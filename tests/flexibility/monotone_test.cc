// How best mappings compare when an accelerator has more freedom.
#include <gtest/gtest.h>

#include <functional>

#include "support/check_optimum.h"
#include "support/flexible_case.h"
#include "support/random_flexibility.h"
#include "support/slow_build.h"
#include "tilewright/study.h"

namespace tilewright::testing {
namespace {

const int kSeeds = affordable(60);

// Calls it with cases whose array and objective differ.
void for_each_case(
    std::uint64_t first_seed,
    const std::function<void(const FlexibleCase&, const MapOptions&, TestRng&)>& check) {
  for (int i = 0; i < kSeeds; ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    const auto index = static_cast<std::size_t>(i);
    MapOptions options;
    options.space = index % 2 == 0 ? SpaceKind::Ruby : SpaceKind::Perfect;
    options.objective = kObjectives[index % kObjectives.size()];
    FlexibleCase flexible = random_flexible_case(seed, {.kind = options.space});
    // The larger of two shapes may be the one that is used too little.
    std::erase_if(flexible.arch.constraints, [](const Constraint& constraint) {
      return std::holds_alternative<UseRule>(constraint.rule);
    });
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + to_string(options.objective) + "\n" +
                 text_of(flexible));
    TestRng rng(seed);
    check(flexible, options, rng);
    if (::testing::Test::HasFailure()) return;
  }
}

std::int64_t pes_of(const FlexibleCase& flexible) {
  return parts_of(flexible.arch, *flexible.arch.flexibility)->pes;
}

// The value of the best mapping, or nothing if there is none.
std::optional<double> best_with(const FlexibleCase& flexible, const Flexibility& flexibility,
                                const MapOptions& options) {
  Architecture arch = flexible.arch;
  arch.flexibility = flexibility;
  const MapOutcome outcome = map_workload(flexible.workload, arch, options);
  EXPECT_TRUE(outcome.found() || outcome.status == MapOutcome::Status::Infeasible);
  if (!outcome.found()) return std::nullopt;
  return value_of(options.objective, outcome.search.score);
}

void expect_no_worse(const std::optional<double>& more, const std::optional<double>& less,
                     const std::string& what) {
  if (!less) return;
  ASSERT_TRUE(more.has_value()) << what;
  EXPECT_TRUE(*more <= *less || same_value(*more, *less))
      << what << ": " << *more << " after " << *less;
}

// One tile, order, pair and shape.
Flexibility inflexible(const FlexibleCase& flexible, TestRng& rng) {
  Flexibility fixed = *flexible.arch.flexibility;
  fixed.tile = {};
  fixed.tile.kind = TileFreedom::Kind::Fixed;
  for (std::int64_t& size : fixed.tile.fixed) size = rng.between(1, 3);
  fixed.orders = {random_conv_order(rng)};
  fixed.pairs = {rng.pick(all_pairs())};
  const std::int64_t rows = rng.between(1, pes_of(flexible));
  fixed.shape = {ShapeFreedom::Kind::Fixed, {rows, pes_of(flexible) / rows}};
  return fixed;
}

TEST(Freedom, OfMoreAxesIsNeverWorse) {
  for_each_case(40'000, [](const auto& flexible, const MapOptions& options, TestRng& rng) {
    const Flexibility fixed = inflexible(flexible, rng);
    std::vector<std::optional<double>> best;
    for (int axes = 0; axes <= kEveryAxis; ++axes) {
      best.push_back(
          best_with(flexible, with_freedom(fixed, static_cast<TopsAxes>(axes)), options));
    }
    for (std::size_t axes = 0; axes < best.size(); ++axes) {
      for (const TopsAxis axis : kTopsAxes) {
        const std::size_t more = axes | axes_of(axis);
        expect_no_worse(best[more], best[axes],
                        bits_text(static_cast<TopsAxes>(more)) + " and " +
                            bits_text(static_cast<TopsAxes>(axes)));
      }
    }
  });
}

// The better of two, along one axis.
void expect_relaxed(std::uint64_t first_seed,
                    const std::function<void(Flexibility& less, Flexibility& more, TestRng& rng,
                                             std::int64_t pes)>& change) {
  for_each_case(first_seed, [&](const auto& flexible, const MapOptions& options, TestRng& rng) {
    Flexibility less = *flexible.arch.flexibility;
    Flexibility more = less;
    change(less, more, rng, pes_of(flexible));
    expect_no_worse(best_with(flexible, more, options), best_with(flexible, less, options),
                    to_string(more) + " and " + to_string(less));
  });
}

TEST(Freedom, OfSoftTilesIsNeverWorseThanOfHardOnes) {
  expect_relaxed(41'000, [](Flexibility& less, Flexibility& more, TestRng&, std::int64_t) {
    // The smallest buffer has three words.
    less.tile.kind = TileFreedom::Kind::Hard;
    less.tile.shares.fill({1, 3});
    more.tile = {};
  });
}

TEST(Freedom, OfAnyShapeIsNeverWorseThanOfBlocksOrBands) {
  expect_relaxed(42'000, [](Flexibility& less, Flexibility& more, TestRng& rng, std::int64_t pes) {
    const std::int64_t rows = pes >= 4 && rng.chance(70) ? 2 : 1;
    using Kind = ShapeFreedom::Kind;
    less.shape = {rng.chance(50) ? Kind::Bands : Kind::Blocks, {rows, rows}};
    more.shape = {Kind::Any, {1, 1}};
  });
}

TEST(Freedom, OfSmallBlocksIsNeverWorseThanOfLargeOnes) {
  expect_relaxed(43'000, [](Flexibility& less, Flexibility& more, TestRng& rng, std::int64_t pes) {
    const ArrayShape unit = {1, rng.between(1, pes / 2)};
    less.shape = {ShapeFreedom::Kind::Blocks, {2 * unit.rows, unit.columns}};
    more.shape = {ShapeFreedom::Kind::Blocks, unit};
  });
}

TEST(Freedom, OfMoreOrdersAndPairsIsNeverWorse) {
  expect_relaxed(44'000, [](Flexibility& less, Flexibility& more, TestRng& rng, std::int64_t) {
    less.orders = {random_conv_order(rng)};
    less.pairs = {rng.pick(all_pairs())};
    more = less;
    while (more.orders.size() < 3) {
      const ConvOrder order = random_conv_order(rng);
      if (order != less.orders.front() && order != more.orders.back()) more.orders.push_back(order);
    }
    for (const ConvPair& pair : all_pairs()) {
      if (pair != less.pairs.front() && rng.chance(30)) more.pairs.push_back(pair);
    }
  });
}

}  // namespace
}  // namespace tilewright::testing
