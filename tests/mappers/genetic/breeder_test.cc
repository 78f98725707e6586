// Which operators a child is made by.
#include <gtest/gtest.h>

#include "mappers/genetic/operators.h"
#include "mappers/sampling/small_search.h"

namespace tilewright::genetic {
namespace {

using Rates = GeneticSettings::Rates;
constexpr Rates kNone = {0, 0, 0, 0, 0, 0, 0};

bool same_bounds(const Mapping& a, const Mapping& b, int dim) {
  for (int s = 0; s < a.slot_count(); ++s) {
    if (a.bound(s, DimId{dim}) != b.bound(s, DimId{dim})) return false;
  }
  return true;
}

int other_chains(const Mapping& a, const Mapping& b) {
  int dims = 0;
  for (int d = 0; d < a.dim_count(); ++d) dims += same_bounds(a, b, d) ? 0 : 1;
  return dims;
}

class BreedTest : public ::testing::Test {
 protected:
  struct Family {
    Mapping parent, other, child;
  };

  // Calls check(family) for many children, and gives the number for which it is true.
  template <typename Check>
  int count(const Rates& rates, const Check& check) {
    int counted = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Rng rng(seed);
      Family family{sampler_.draw(rng), sampler_.draw(rng), Mapping(problem_)};
      shuffle_orders(genes_, rng, family.parent);
      breed(genes_, rates, family.parent, family.other, rng, family.child);
      counted += check(family) ? 1 : 0;
    }
    return counted;
  }

  Problem problem_ = testing::tight_problem(24, 10, 9, 40);
  MapSpace space_ = testing::make_space(problem_, SpaceKind::Perfect);
  GeneSpace genes_{problem_, SpaceKind::Perfect, space_.restrictions()};
  Sampler sampler_{space_};
};

TEST_F(BreedTest, CrossoverTakesChainsOfTheOtherParentAndNothingElse) {
  Rates rates = kNone;
  rates.crossover = 1;
  const int mixed = count(rates, [&](const Family& family) {
    const auto& [parent, other, child] = family;
    if (same_bounds(parent, other, 0) || same_bounds(parent, other, 1) ||
        same_bounds(parent, other, 2)) {
      return false;  // what came from whom is not clear
    }
    for (int d = 0; d < child.dim_count(); ++d) {
      EXPECT_TRUE(same_bounds(child, parent, d) || same_bounds(child, other, d));
    }
    return other_chains(child, parent) == 1;
  });
  EXPECT_GE(mixed, 60);
}

TEST_F(BreedTest, ReorderChangesOrdersAlone) {
  Rates rates = kNone;
  rates.reorder = 1;
  const int reordered = count(rates, [&](const Family& family) {
    return other_chains(family.child, family.parent) == 0 &&
           canonical(problem_, family.child) != canonical(problem_, family.parent);
  });
  EXPECT_GE(reordered, 100);
}

TEST_F(BreedTest, ResidenceChangesWhatIsKeptAlone) {
  Rates rates = kNone;
  rates.residence = 1;
  EXPECT_EQ(count(rates,
                  [&](const Family& family) {
                    const auto& [parent, other, child] = family;
                    return child.kept(MemoryId{1}) != parent.kept(MemoryId{1}) &&
                           other_chains(child, parent) == 0;
                  }),
            200);
}

// The other operators move factors of a dimension, of two at most. What is kept changes
// always, so that no child is a copy that has to be mutated for that alone.
TEST_F(BreedTest, MutationsAreSmall) {
  for (double Rates::* rate : {&Rates::tile, &Rates::parallel, &Rates::growth, &Rates::aging}) {
    Rates rates = kNone;
    rates.residence = 1;
    rates.*rate = 1;
    const int changed = count(rates, [&](const Family& family) {
      const int chains = other_chains(family.child, family.parent);
      EXPECT_LE(chains, 2);
      return chains > 0;
    });
    EXPECT_GE(changed, 20);
  }
}

TEST_F(BreedTest, ChildrenAreNoCopies) {
  EXPECT_GE(count(kNone, [](const Family& family) { return family.child != family.parent; }), 100);
}

}  // namespace
}  // namespace tilewright::genetic
