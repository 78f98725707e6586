#include "reproduce/ruby_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "reproduce/ruby_counts.h"
#include "tilewright/base.h"

namespace tilewright::reproduce {
namespace {

using ::testing::ElementsAre;
using Loops = std::array<std::int64_t, 3>;  // T1, S, T0

// Calls `visit` with all bounds up to `size` and all remainders that make `size`
// iterations by equation 5.
void for_all_loops(std::int64_t size, const RubySpace& space,
                   const std::function<void(const Loops& bounds, const Loops& remainders)>& visit) {
  const auto first_remainder = [](bool remainder, std::int64_t bound) {
    return remainder ? 1 : bound;
  };
  for (std::int64_t t1 = 1; t1 <= size; ++t1) {
    for (std::int64_t s = 1; s <= size; ++s) {
      for (std::int64_t s_last = first_remainder(space.spatial_remainder, s); s_last <= s;
           ++s_last) {
        const std::int64_t n = (t1 - 1) * s + s_last;
        for (std::int64_t t0 = 1; t0 <= size; ++t0) {
          for (std::int64_t t0_last = first_remainder(space.temporal_remainder, t0); t0_last <= t0;
               ++t0_last) {
            if ((n - 1) * t0 + t0_last == size) visit({t1, s, t0}, {t1, s_last, t0_last});
          }
        }
      }
    }
  }
}

// Different bounds are different mappings, if a loop that is entered once is
// bounded by what it runs.
std::int64_t enumerated_mappings(std::int64_t size, const RubySpace& space) {
  std::set<Loops> found;
  for_all_loops(size, space, [&](const Loops& bounds, const Loops& remainders) {
    const auto [t1, s, t0] = bounds;
    if (s > space.spatial_limit || t0 > space.temporal_limit) return;
    if (t1 == 1 && remainders[1] != s) return;
    if (t1 == 1 && remainders[1] == 1 && remainders[2] != t0) return;
    found.insert(bounds);
  });
  return static_cast<std::int64_t>(found.size());
}

// The generator's three lists, gone through one after the other.
std::int64_t listed_mappings(std::int64_t size, const RubySpace& space) {
  const std::int64_t spatial_bound = space.spatial_remainder ? space.spatial_limit : size;
  const std::int64_t bound = space.temporal_remainder ? size : spatial_bound;
  std::set<std::int64_t> candidates;
  for (std::int64_t factor = 1; factor <= size; ++factor) {
    for (std::int64_t n = 1; n <= bound; ++n) {
      if (n * size * ceil_div(size, n) % factor == 0) candidates.insert(factor);
    }
  }
  const auto threshold = static_cast<std::int64_t>(std::sqrt(static_cast<double>(size)) + 1.5);
  std::int64_t count = 0;
  for (std::size_t large = 0; large < 3; ++large) {
    for_all_loops(size, space, [&](const Loops& bounds, const Loops& /*remainders*/) {
      bool listed = bounds[1] <= spatial_bound;
      std::int64_t product = 1;
      for (std::size_t i = 0; i < 3; ++i) {
        listed = listed && candidates.count(bounds[i]) > 0;
        if (i != large) listed = listed && bounds[i] <= threshold;
        if (i == large && i < 2) listed = listed && bounds[i] >= threshold;
        if (bounds[i] > 1) product *= bounds[i] - 1;
      }
      if (listed && product <= size) ++count;
    });
  }
  return count;
}

TEST(RubyCounts, EveryPrintedNumberIsRecomputed) {
  const std::vector<RubyCount> counts = ruby_counts();
  ASSERT_EQ(counts.size(), 20U);
  for (const RubyCount& count : counts) {
    EXPECT_EQ(count.recomputed, count.printed)
        << count.mapspace << " " << count.size << ": " << count.rule;
  }
}

TEST(RubyCounts, StandsInTheOrderOfThePaper) {
  const std::vector<RubyCount> counts = ruby_counts();
  ASSERT_EQ(counts.size(), 20U);
  EXPECT_EQ(counts[7].mapspace, "Ruby-S (9)");
  EXPECT_EQ(counts[7].size, 100);
  EXPECT_EQ(counts[7].printed, 61);
  EXPECT_EQ(counts[19].mapspace, "Ruby");
  EXPECT_EQ(counts[19].size, 4096);
  EXPECT_EQ(counts[19].printed, 30612);
}

std::vector<std::int64_t> distinct_of(std::string_view mapspace, std::int64_t RubyCount::* member) {
  std::vector<std::int64_t> values;
  for (const RubyCount& count : ruby_counts()) {
    if (count.mapspace == mapspace) values.push_back(count.*member);
  }
  return values;
}

TEST(RubyCounts, GivesDistinctMappingsBesidesWithAndWithoutTheNineElements) {
  const auto nine = [](std::string_view name) { return distinct_of(name, &RubyCount::distinct); };
  EXPECT_THAT(nine("PFM (9)"), ElementsAre(3, 22, 24, 52, 43));
  EXPECT_THAT(nine("Ruby-S (9)"), ElementsAre(4, 42, 57, 119, 96));
  EXPECT_THAT(nine("Ruby-T"), ElementsAre(5, 146, 228, 2297, 9387));
  EXPECT_THAT(nine("Ruby"), ElementsAre(6, 232, 366, 3711, 15223));

  const auto any = [](std::string_view name) {
    return distinct_of(name, &RubyCount::distinct_unbounded);
  };
  EXPECT_THAT(any("PFM (9)"), ElementsAre(3, 28, 36, 100, 88));
  EXPECT_THAT(any("Ruby-S (9)"), ElementsAre(4, 127, 217, 2340, 8191));
  EXPECT_THAT(any("Ruby-T"), ElementsAre(5, 157, 247, 2492, 10131));
  EXPECT_THAT(any("Ruby"), ElementsAre(6, 337, 573, 8053, 38803));
}

TEST(DistinctMappings, AreThoseOfEquationFiveForEveryKindOfRemainder) {
  for (const std::int64_t size : {1, 2, 3, 7, 12, 20, 24}) {
    for (const int kind : {0, 1, 2, 3}) {
      for (const std::int64_t limit : {std::int64_t{5}, std::int64_t{9}, kUnlimited}) {
        const RubySpace space{.spatial_remainder = (kind & 1) != 0,
                              .temporal_remainder = (kind & 2) != 0,
                              .spatial_limit = limit};
        EXPECT_EQ(distinct_mappings(size, space), enumerated_mappings(size, space))
            << "size " << size << " kind " << kind << " limit " << limit;
      }
    }
  }
}

TEST(DistinctMappings, KeepsTheInnermostLoopWithinTheScratchpad) {
  const RubySpace space{.temporal_remainder = true, .temporal_limit = 6};
  EXPECT_EQ(distinct_mappings(20, space), enumerated_mappings(20, space));
  EXPECT_LT(distinct_mappings(20, space), distinct_mappings(20, {.temporal_remainder = true}));
}

TEST(GeneratedMappings, AreTheLengthOfTheThreeListsTogether) {
  for (const std::int64_t size : {2, 3, 8, 11, 16, 24}) {
    for (const RubySpace& space :
         {RubySpace{.spatial_remainder = true, .spatial_limit = 4},
          RubySpace{.temporal_remainder = true},
          RubySpace{.spatial_remainder = true, .temporal_remainder = true}}) {
      EXPECT_EQ(generated_mappings(size, space), listed_mappings(size, space))
          << "size " << size << (space.spatial_remainder ? " S" : "")
          << (space.temporal_remainder ? " T0" : "");
    }
  }
}

TEST(GeneratedMappings, AreNotWhatThePaperPrintsFromAThousandOn) {
  EXPECT_EQ(generated_mappings(1000, {.temporal_remainder = true}), 2494);
  EXPECT_EQ(generated_mappings(1000, {.spatial_remainder = true, .temporal_remainder = true}),
            9100);
}

}  // namespace
}  // namespace tilewright::reproduce
