// What the tests of exactness are worth depends on their instances: that they
// are small, that their spaces are walked in full, and that limits bind.
#include "support/small_instance.h"

#include <gtest/gtest.h>

#include "support/brute_force.h"
#include "support/naive_space.h"
#include "support/problems.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

const std::uint64_t kSeeds = slow_build() ? 20 : 100;

TEST(SmallInstance, HasTheMappingsThatTryingEverythingFinds) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    const SmallInstance instance = small_instance(seed, {.kind = kind, .most_mappings = 4'096});
    const MadeSpace space = MapSpace::create(instance.problem, kind, restrictions_of(instance));
    const auto naive = naive_mappings(instance.problem, kind, instance.constraints);
    ASSERT_EQ(space.ok(), !naive.empty()) << text_of(instance);
    if (!space.ok()) continue;
    ASSERT_EQ(space.value->size(), BigUint(naive.size())) << text_of(instance);
    Walk walk(*space.value, 0, space.value->size());
    while (const Mapping* mapping = walk.next()) {
      ASSERT_TRUE(naive.contains(mapping_text(*mapping))) << text_of(instance);
    }
    ++compared;
  }
  EXPECT_GT(compared, kSeeds / 2);
}

// How often something shows in the best mappings of a hundred instances.
struct Variety {
  int infeasible = 0, misfits = 0, stalls = 0, remainders = 0, bypasses = 0, unrolled = 0;

  void count(const SmallInstance& instance, const BruteForce& truth) {
    infeasible += truth.valid == 0 ? 1 : 0;
    misfits += truth.valid > 0 && truth.valid < truth.mappings ? 1 : 0;
    if (truth.valid == 0) return;
    const Mapping& best = truth.best.back()->mapping;
    const Evaluation evaluation = make_evaluator(instance.problem).evaluate(best);
    stalls += evaluation.bottleneck.port != Bottleneck::Port::Compute ? 1 : 0;
    remainders += is_perfect(instance.problem, best) ? 0 : 1;
    unrolled += evaluation.compute_instances > 1 ? 1 : 0;
    for (const MemoryUse& use : instance.problem.memories()) {
      const bool free = use.keep_always != use.keep_allowed;
      const MemoryId memory{static_cast<int>(&use - instance.problem.memories().data())};
      if (free && best.kept(memory) != use.keep_allowed) {
        ++bypasses;
        return;
      }
    }
  }
};

TEST(SmallInstance, TriesWhatAnOptimumCanDependOn) {
  Variety variety;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const SmallInstance instance =
        small_instance(seed, {.kind = SpaceKind::Ruby, .most_mappings = 4'096});
    const BruteForce truth =
        brute_force(make_evaluator(instance.problem), SpaceKind::Ruby, restrictions_of(instance));
    EXPECT_LE(truth.mappings, 4'096U);
    EXPECT_TRUE(truth.doubts.empty()) << truth.doubts.front();
    variety.count(instance, truth);
  }
  const int few = static_cast<int>(kSeeds / 20);
  EXPECT_GE(variety.infeasible, 1);
  EXPECT_GE(variety.misfits, 4 * few);
  EXPECT_GE(variety.stalls, 2 * few);
  EXPECT_GE(variety.remainders, 2 * few);
  EXPECT_GE(variety.bypasses, 2 * few);
  EXPECT_GE(variety.unrolled, 4 * few);
}

}  // namespace
}  // namespace tilewright::testing
