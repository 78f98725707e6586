#include "mapspace/chains.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/random_problem.h"

namespace tilewright::mapspace {
namespace {

using testing::TestRng;
using Bounds = std::vector<std::int64_t>;
// What other dimensions see of a chain: order bits and classes of resources.
using Key = std::pair<std::uint32_t, std::vector<int>>;

struct Case {
  std::int64_t size = 1;
  std::vector<ChainSlot> slots;  // innermost first
  std::vector<Resource> resources;
  std::vector<std::int64_t> least, most;  // of the resources
  std::uint32_t own = 0;
};

// Two resources: one of a single slot, one of that slot and another.
Case random_case(TestRng& rng) {
  Case drawn;
  drawn.size = rng.between(1, 40);
  const auto count = static_cast<int>(rng.chance(5) ? 0 : rng.between(2, 4));
  const std::vector<std::uint32_t> slots_of = {1U, 3U};
  for (const std::uint32_t slots : slots_of) {
    drawn.most.push_back(rng.between(2, 12));
    drawn.least.push_back(rng.chance(40) ? rng.between(1, drawn.most.back()) : 1);
    drawn.resources.emplace_back(drawn.least.back(), drawn.most.back(), slots);
  }
  for (int s = count - 1; s >= 0; --s) {
    ChainSlot slot;
    slot.slot = s;
    slot.most = drawn.size;
    slot.remainder = rng.chance(50);
    if (rng.chance(20)) slot.most = rng.between(1, drawn.size);
    if (rng.chance(10)) slot.least = rng.between(1, slot.most);
    if (s >= 2 || rng.chance(30)) slot.order_bit = 1U << s;
    if (s == 0) slot.resources = {0};
    if (s <= 1) slot.resources.push_back(1);
    drawn.slots.push_back(slot);
  }
  drawn.own = static_cast<std::uint32_t>(rng.between(0, 3));
  return drawn;
}

// All chains by trying every bound at every slot.
class Naive {
 public:
  explicit Naive(const Case& drawn) : case_(drawn), bounds_(drawn.slots.size(), 1) {
    extend(0, drawn.size);
  }
  const std::map<Key, std::set<Bounds>>& classes() const { return classes_; }

 private:
  void extend(std::size_t k, std::int64_t left) {
    if (k == case_.slots.size()) {
      if (left == 1) settle();
      return;
    }
    const ChainSlot& slot = case_.slots[k];
    for (std::int64_t b = slot.least; b <= std::min(slot.most, left); ++b) {
      if (!slot.remainder && left % b != 0) continue;
      bounds_[k] = b;
      extend(k + 1, (left + b - 1) / b);
    }
  }

  void settle() {
    Key key{0, std::vector<int>(case_.resources.size(), 0)};
    for (std::size_t k = 0; k < bounds_.size(); ++k) {
      if (bounds_[k] > 1) key.first |= case_.slots[k].order_bit;
    }
    for (std::size_t r = 0; r < case_.resources.size(); ++r) {
      std::int64_t used = 1;
      bool takes_part = false;
      for (std::size_t k = 0; k < bounds_.size(); ++k) {
        for (const int id : case_.slots[k].resources) {
          if (id != static_cast<int>(r)) continue;
          used *= bounds_[k];
          takes_part = true;
        }
      }
      if (used > case_.most[r]) return;
      const bool own = ((case_.own >> r) & 1U) != 0;
      if (takes_part && own && used < case_.least[r]) return;
      if (!own) key.second[r] = case_.resources[r].class_of(used);
    }
    classes_[key].insert(bounds_);
  }

  const Case& case_;
  Bounds bounds_;
  std::map<Key, std::set<Bounds>> classes_;
};

std::set<Bounds> rows_of(const std::vector<std::int64_t>& list, std::size_t width) {
  std::set<Bounds> rows;
  for (std::size_t i = 0; i + width <= list.size(); i += width) {
    rows.insert(Bounds(list.begin() + static_cast<std::ptrdiff_t>(i),
                       list.begin() + static_cast<std::ptrdiff_t>(i + width)));
  }
  return rows;
}

TEST(Chains, AreThoseOfTryingEveryBound) {
  TestRng rng(201);
  int with_chains = 0;
  for (int i = 0; i < 400; ++i) {
    const Case drawn = random_case(rng);
    const Chains chains(drawn.size, drawn.slots, drawn.resources, drawn.own);
    const Naive naive(drawn);
    ASSERT_FALSE(chains.too_many());
    ASSERT_EQ(chains.classes().size(), naive.classes().size()) << "case " << i;
    std::uint64_t total = 0;
    for (const ChainClass& a_class : chains.classes()) {
      const auto found = naive.classes().find({a_class.order_bits, a_class.used});
      ASSERT_NE(found, naive.classes().end()) << "case " << i;
      EXPECT_EQ(a_class.count, BigUint(found->second.size())) << "case " << i;
      total += found->second.size();
      if (drawn.slots.empty()) continue;
      EXPECT_EQ(rows_of(chains.list_chains(a_class), drawn.slots.size()), found->second)
          << "case " << i;
    }
    EXPECT_EQ(chains.total(), BigUint(total));
    with_chains += total > 1 ? 1 : 0;
  }
  EXPECT_GT(with_chains, 150);
}

TEST(Chains, ListAgreesWithWritingThemOneByOne) {
  TestRng rng(202);
  for (int i = 0; i < 150; ++i) {
    const Case drawn = random_case(rng);
    const Chains chains(drawn.size, drawn.slots, drawn.resources, drawn.own);
    for (const ChainClass& a_class : chains.classes()) {
      const std::vector<std::int64_t> list = chains.list_chains(a_class);
      const std::uint64_t count = *a_class.count.small();
      ASSERT_EQ(list.size(), count * drawn.slots.size());
      Bounds bounds(drawn.slots.size() + 1, 0);
      for (std::uint64_t c = 0; c < count; ++c) {
        chains.write_chain(a_class, c, bounds.data());
        for (std::size_t k = 0; k < drawn.slots.size(); ++k) {
          ASSERT_EQ(bounds[k], list[c * drawn.slots.size() + k]) << "case " << i << " chain " << c;
        }
      }
    }
  }
}

TEST(Chains, WaysIntoANodeAddUpToItsCount) {
  TestRng rng(203);
  for (int i = 0; i < 100; ++i) {
    const Case drawn = random_case(rng);
    const Chains chains(drawn.size, drawn.slots, drawn.resources, drawn.own);
    if (chains.classes().empty()) continue;
    for (int step = 1; step <= static_cast<int>(drawn.slots.size()); ++step) {
      for (int node = 0; node < chains.node_count(step); ++node) {
        BigUint ways;
        for (const InEdge& edge : chains.in_edges(step, node)) {
          ways += chains.count(step - 1, edge.from) *
                  BigUint(static_cast<std::uint64_t>(edge.last - edge.first + 1));
        }
        EXPECT_EQ(ways, chains.count(step, node));
      }
    }
  }
}

std::vector<ChainSlot> free_slots(int count, std::int64_t most, bool remainder) {
  std::vector<ChainSlot> slots;
  for (int s = count - 1; s >= 0; --s) {
    ChainSlot slot;
    slot.slot = s;
    slot.most = most;
    slot.remainder = remainder;
    slots.push_back(slot);
  }
  return slots;
}

TEST(Chains, CountsPerfectFactorsInClosedForm) {
  // 2^20 * 3 in five slots: C(24, 4) places of the twos, 5 of the three.
  constexpr std::int64_t kSize = (std::int64_t{1} << 20U) * 3;
  const Chains chains(kSize, free_slots(5, kSize, false), {}, 0);
  EXPECT_EQ(chains.total(), BigUint(10'626 * 5));
}

TEST(Chains, WithoutSlotsOnlyASingleIterationHasAChain) {
  EXPECT_EQ(Chains(1, {}, {}, 0).total(), BigUint(1));
  EXPECT_TRUE(Chains(2, {}, {}, 0).classes().empty());
}

TEST(Chains, SaysWhenThereAreTooManyRemaindersToList) {
  constexpr std::int64_t kSize = std::int64_t{1} << 46U;
  EXPECT_TRUE(Chains(kSize, free_slots(3, kSize, true), {}, 0).too_many());
  EXPECT_FALSE(Chains(kSize, free_slots(3, kSize, false), {}, 0).too_many());
}

}  // namespace
}  // namespace tilewright::mapspace
