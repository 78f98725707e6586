// Another search that is asked for mappings where a proof takes long.
#include <gtest/gtest.h>

#include <vector>

#include "support/asked.h"
#include "support/problem_text.h"
#include "support/problems.h"

namespace tilewright {
namespace {

const char* const kArch = R"(
architecture: small
levels:
  - memory: DRAM
    capacity: unlimited
    read: 5 pJ
  - memory: Buffer
    read: 0.9 pJ
    capacity: 12 words
  - fanout: PEs
    x: 2
    y: 2
  - memory: Registers
    read: 0.3 pJ
    capacity: 4 words
  - compute: MAC
    energy: 0.2 pJ
)";

class OtherSearch : public ::testing::TestWithParam<SpaceKind> {
 protected:
  // A search takes long from the first step on.
  OptimalResult solve(const std::function<SearchResult(int, const Limits&)>& other) const {
    MappingTask task{evaluator_, GetParam(), restrictions_, Objective::Energy};
    task.other_search = other;
    Limits limits;
    limits.gap = 1e-9;
    limits.on_progress = [](const SearchProgress&) {};
    Granularity granularity;
    granularity.short_steps = 1;
    return find_optimum(task, limits, granularity);
  }

  Mapping all_in_registers() const {
    Mapping mapping(problem_);
    const int slot = problem_.slot_count() - 1;
    for (int d = 0; d < problem_.dim_count(); ++d) {
      mapping.set_bound(slot, DimId{d}, problem_.workload().dims[at(d)].size);
    }
    return mapping;
  }

  Problem problem_ = testing::problem_of(kArch, "O[m,p] += W[m,c,r]*I[c,p+r]; m=3 c=4 p=6 r=3");
  Evaluator evaluator_ = testing::make_evaluator(problem_);
  Restrictions restrictions_ = *Restrictions::create(problem_, {}).value;
};

TEST_P(OtherSearch, IsAskedWithMoreEffortEachTimeAndChangesNoAnswer) {
  constexpr std::uint64_t kSeen = 7;
  const OptimalResult alone = solve([](int, const Limits&) { return SearchResult{}; });
  ASSERT_EQ(alone.status, Proof::Status::Proven);
  std::vector<int> efforts;
  SearchResult answer;
  answer.seen = kSeen;
  const auto other = [&](int effort, const Limits& limits) {
    efforts.push_back(effort);
    EXPECT_EQ(limits.gap, 0);
    EXPECT_FALSE(limits.on_progress);
    return answer;
  };
  const OptimalResult nothing = solve(other);
  ASSERT_GE(efforts.size(), 2U);
  EXPECT_EQ(efforts[0], 2);
  for (std::size_t i = 1; i < efforts.size(); ++i) EXPECT_EQ(efforts[i], 2 * efforts[i - 1]);
  EXPECT_EQ(nothing.score, alone.score);
  EXPECT_EQ(nothing.mappings_evaluated, alone.mappings_evaluated + kSeen * efforts.size());

  answer.best = alone.best;
  answer.score = alone.score;
  const OptimalResult known = solve(other);
  EXPECT_EQ(known.status, Proof::Status::Proven);
  EXPECT_EQ(known.score, alone.score);
  EXPECT_LE(known.frames_expanded, alone.frames_expanded);

  answer.best = all_in_registers();  // which have no room for that
  const OptimalResult useless = solve(other);
  EXPECT_EQ(useless.status, Proof::Status::Proven);
  EXPECT_EQ(useless.score, alone.score);
}

// In ruby the best mapping of ruby-s is looked for in its place.
TEST_P(OtherSearch, MayBeMissing) {
  const OptimalResult with = solve([](int, const Limits&) { return SearchResult{}; });
  const OptimalResult without = solve({});
  EXPECT_EQ(without.status, Proof::Status::Proven);
  EXPECT_EQ(without.score, with.score);
  if (GetParam() == SpaceKind::Ruby) {
    EXPECT_NE(without.mappings_evaluated, with.mappings_evaluated);
  } else {
    EXPECT_EQ(without.mappings_evaluated, with.mappings_evaluated);
  }
}

INSTANTIATE_TEST_SUITE_P(Remainders, OtherSearch,
                         ::testing::Values(SpaceKind::RubyS, SpaceKind::Ruby));

// There proofs seldom take long, and a good mapping is found by other means.
TEST(OtherSearches, AreNotAskedWithPerfectFactors) {
  const Problem problem = testing::problem_of(kArch, "gemm: m=4 n=4 k=4");
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  MappingTask task{evaluator, SpaceKind::Perfect, restrictions, Objective::Energy};
  bool was_asked = false;
  task.other_search = [&](int, const Limits&) {
    was_asked = true;
    return SearchResult{};
  };
  Granularity granularity;
  granularity.short_steps = 1;
  EXPECT_EQ(find_optimum(task, {}, granularity).status, Proof::Status::Proven);
  EXPECT_FALSE(was_asked);
}

}  // namespace
}  // namespace tilewright
