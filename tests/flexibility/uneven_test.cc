// Uneven mappings of flexible accelerators, against every mapping, even and uneven, that they can
// be set to run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "support/check_optimum.h"
#include "support/flexible_case.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/uneven_case.h"
#include "tilewright/io.h"
#include "tilewright/map.h"

namespace tilewright::testing {
namespace {

constexpr std::uint64_t kEvenMappings = 400, kAllMappings = 10'000, kMoreMappings = 100'000;

// Whether a storage point has no loop between it and the next one: then both are one.
bool has_idle_point(const Problem& problem, const Mapping& mapping) {
  for (int m = 0; m + 1 < problem.memory_count(); ++m) {
    const std::string& memory = problem.memory(MemoryId{m}).point_of;
    if (memory.empty() || problem.memory(MemoryId{m + 1}).point_of != memory) continue;
    const int slot = problem.use(MemoryId{m}).slot;
    const std::int64_t* bounds = mapping.bounds(slot);
    if (std::all_of(bounds, bounds + problem.dim_count(), [](auto bound) { return bound == 1; })) {
      return true;
    }
  }
  return false;
}

// What all mappings come to that the accelerator can be set to run.
struct Truth {
  std::array<std::optional<Score>, kObjectives.size()> best;
  std::map<Int128, double> least_pj;  // by cycles

  // Cycles and energy, fastest first.
  std::vector<std::pair<Int128, double>> front() const {
    std::vector<std::pair<Int128, double>> points;
    for (const auto& [cycles, energy_pj] : least_pj) {
      const bool less = points.empty() || energy_pj < points.back().second * (1 - 1e-12);
      if (less) points.emplace_back(cycles, energy_pj);
    }
    return points;
  }
};

// Nothing if there are too many.
std::optional<Truth> truth_of(const FlexibleCase& flexible, SpaceKind kind,
                              std::uint64_t most_mappings) {
  Truth truth;
  const auto note = [&](const Evaluator& evaluator, const Mapping& mapping) {
    const Score score = evaluator.score(mapping);
    if (!score.verdict.fits()) return;
    const auto [least, added] = truth.least_pj.try_emplace(score.cycles, score.energy_pj);
    if (!added) least->second = std::min(least->second, score.energy_pj);
    for (std::size_t o = 0; o < kObjectives.size(); ++o) {
      std::optional<Score>& best = truth.best[o];
      if (!best || is_better(kObjectives[o], score, *best)) best = score;
    }
  };
  if (!for_each_uneven_that_runs(flexible, kind, most_mappings, note)) return std::nullopt;
  return truth;
}

MapOptions uneven_options(SpaceKind kind) {
  MapOptions options;
  options.space = kind;
  options.evenness = Evenness::Uneven;
  return options;
}

// Objectives by which an uneven mapping is the best.
int expect_best(const FlexibleCase& flexible, SpaceKind kind, const Truth& truth) {
  int gains = 0;
  for (std::size_t o = 0; o < kObjectives.size(); ++o) {
    SCOPED_TRACE(to_string(kObjectives[o]));
    MapOptions options = uneven_options(kind);
    options.objective = kObjectives[o];
    const MapOutcome outcome = map_workload(flexible.workload, flexible.arch, options);
    EXPECT_EQ(outcome.found(), truth.best[o].has_value());
    if (!outcome.found() || !truth.best[o]) continue;
    const Score& score = outcome.search.score;
    EXPECT_TRUE(
        same_value(value_of(kObjectives[o], score), value_of(kObjectives[o], *truth.best[o])))
        << fmt::format("{} pJ and {} cycles; the best has {} pJ and {}", score.energy_pj,
                       score.cycles, truth.best[o]->energy_pj, truth.best[o]->cycles);
    EXPECT_EQ(make_evaluator(*outcome.problem).score(*outcome.search.best), score);
    EXPECT_EQ(outcome.proof->status, Proof::Status::Proven);
    EXPECT_TRUE(outcome.setting.has_value());
    gains += has_points(*outcome.problem) ? 1 : 0;
  }
  return gains;
}

void expect_front(const FlexibleCase& flexible, SpaceKind kind, const Truth& truth) {
  const auto front = find_flexible_front(flexible.workload, flexible.arch, uneven_options(kind));
  ASSERT_TRUE(front.ok());
  EXPECT_TRUE(front.value->complete);
  const auto expected = truth.front();
  ASSERT_EQ(front.value->points.size(), expected.size());
  for (std::size_t p = 0; p < expected.size(); ++p) {
    const ParetoFront::Point& point = front.value->points[p];
    EXPECT_EQ(point.score.cycles, expected[p].first);
    EXPECT_TRUE(same_value(point.score.energy_pj, expected[p].second));
    EXPECT_EQ(make_evaluator(*point.apart).score(point.mapping), point.score);
  }
}

// All mappings of a setting, as files; nothing if there are too many.
std::optional<std::set<std::string>> mappings_of(const FlexibleCase& flexible, SpaceKind kind,
                                                 const Setting& setting) {
  const SetUp set = set_up(flexible.workload, flexible.arch, setting);
  const SmallInstance instance{make_problem(flexible.workload, set.arch), set.constraints};
  std::set<std::string> all;
  const auto note = [&](const Evaluator& evaluator, const Mapping& mapping) {
    if (has_idle_point(evaluator.problem(), mapping)) return;
    all.insert(io::write_mapping(evaluator.problem(), canonical(evaluator.problem(), mapping)));
  };
  if (!go_through_uneven(instance, kind, kAllMappings, note)) return std::nullopt;
  return all;
}

// How many mappings there are of each setting, and that differ. False if they are not counted.
bool expect_counts(const FlexibleCase& flexible, SpaceKind kind) {
  const auto space = count_flexible_space(flexible.workload, flexible.arch, uneven_options(kind));
  // A fixed tile leaves the buffer as it is.
  const TileFreedom::Kind tile = flexible.arch.flexibility->tile.kind;
  if (!space.ok() || !space.value->different || tile == TileFreedom::Kind::Fixed) return false;
  std::set<std::string> different;
  for (const FlexibleSpace::OfSetting& one : space.value->settings) {
    const auto mappings = mappings_of(flexible, kind, one.setting);
    if (!mappings) return false;
    EXPECT_EQ(one.mappings, BigUint(mappings->size())) << to_string(one.setting);
    different.insert(mappings->begin(), mappings->end());
  }
  EXPECT_EQ(space.value->different->to_string(), std::to_string(different.size()));
  return true;
}

// Whether there are few enough mappings for it.
bool expect_truth(const FlexibleCase& flexible, SpaceKind kind, std::uint64_t most_mappings,
                  int& gains, int& counted) {
  const std::optional<Truth> truth = truth_of(flexible, kind, most_mappings);
  if (!truth) return false;
  SCOPED_TRACE(text_of(flexible));
  gains += expect_best(flexible, kind, *truth);
  expect_front(flexible, kind, *truth);
  counted += expect_counts(flexible, kind) ? 1 : 0;
  return true;
}

class UnevenFlexibleOptimum : public ::testing::TestWithParam<SpaceKind> {};

TEST_P(UnevenFlexibleOptimum, IsTheBestOfAllMappingsOfAllSettings) {
  int tried = 0, gains = 0, counted = 0;
  for (int i = 0; i < affordable(20) && !HasFailure(); ++i) {
    const auto seed = static_cast<std::uint64_t>(70'000 + i);
    const FlexibleCase flexible =
        random_flexible_case(seed, {.kind = GetParam(), .most_mappings = kEvenMappings});
    tried += expect_truth(flexible, GetParam(), kAllMappings, gains, counted) ? 1 : 0;
  }
  if (slow_build()) return;
  EXPECT_GT(tried, 1);
  EXPECT_GT(counted, 0);
}

// The same where the tile is that of a memory in each PE.
TEST_P(UnevenFlexibleOptimum, IsTheBestWithTilesOfPes) {
  int tried = 0, gains = 0, counted = 0;
  for (int i = 0; i < affordable(30) && !HasFailure(); ++i) {
    const auto seed = static_cast<std::uint64_t>(71'000 + i);
    const FlexibleCase flexible =
        random_flexible_case(seed, {.kind = GetParam(), .most_mappings = 60, .tiles_of_pes = true});
    tried += expect_truth(flexible, GetParam(), kAllMappings, gains, counted) ? 1 : 0;
  }
  if (slow_build()) return;
  EXPECT_GT(tried, 1);
}

INSTANTIATE_TEST_SUITE_P(Spaces, UnevenFlexibleOptimum,
                         ::testing::Values(SpaceKind::Perfect, SpaceKind::Ruby),
                         [](const auto& kind) { return to_string(kind.param); });

// A product in so little room that an uneven mapping is the best one of all settings.
TEST(UnevenFlexibleOptimum, IsUnevenWhereRoomIsTight) {
  int tried = 0, gains = 0, counted = 0;
  for (std::int64_t words = 4; words <= (slow_build() ? 4 : 7); ++words) {
    Memory outer = make_memory("DRAM"), buffer = make_memory("Buffer", words);
    outer.read_pj = outer.write_pj = outer.update_pj = 100;
    buffer.read_pj = buffer.write_pj = buffer.update_pj = 1;
    FlexibleCase flexible{
        make_gemm("gemm", 4, 2, 2), {}, make_arch({outer, buffer, make_fanout("Array", 2, 1)})};
    flexible.loops.dims = {{{"M"}, {"K"}, {"N"}, {}, {}, {}}};
    Flexibility& flexibility = flexible.arch.flexibility.emplace();
    flexibility.pairs = {{ConvDim::K, ConvDim::C}, {ConvDim::C, ConvDim::K}};
    flexibility.shape = {ShapeFreedom::Kind::Any, {1, 1}};
    tried += expect_truth(flexible, SpaceKind::Perfect, kMoreMappings, gains, counted) ? 1 : 0;
  }
  EXPECT_GT(tried, 0);
  EXPECT_GE(gains, slow_build() ? 0 : 1);
}

}  // namespace
}  // namespace tilewright::testing
