// What a map-space has counted: the chains of every dimension, and in how many
// ways they go together.
//
// Dimensions are taken one after the other. Two things couple them: the fan-
// outs, which hold only so many instances, and the loop orders, because k loops
// of a memory have k! of them. So a state says what is used of every fan-out
// that later dimensions need too, and how many loops to order each memory has.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "mapspace/chains.h"
#include "mapspace/order.h"
#include "tilewright/mapspace.h"

namespace tilewright::mapspace {

// One dimension in the order in which they are taken.
struct Stage {
  DimId dim{};
  Chains chains;
  // Distinct uses of the resources by its classes, and for every use before the
  // stage and every one of these the use behind it; -1 if it does not fit.
  std::vector<std::vector<int>> class_uses;
  std::vector<int> use_behind;
  // Per class: which of class_uses, and what it adds to a state's order part.
  std::vector<int> use_of_class;
  std::vector<std::uint64_t> order_shift;

  // The use behind the stage when a chain of this class is taken; -1 if it does not fit.
  int use_after(int use, std::size_t a_class) const {
    return use_behind[at(use) * class_uses.size() + at(use_of_class[a_class])];
  }
};

// Where a state stands in its set: a plain table if that is small enough.
class StateIndex {
 public:
  // `order_space` is the number of values that the order part may have.
  void prepare(std::size_t uses, std::uint64_t order_space);
  // The position, which is `fresh` if the state is new.
  int insert(int use, std::uint64_t orders, int fresh);
  int find(int use, std::uint64_t orders) const;

 private:
  std::uint64_t key(int use, std::uint64_t orders) const {
    return static_cast<std::uint64_t>(use) * order_space_ + orders;
  }
  std::uint64_t order_space_ = 1;
  std::vector<int> table_;  // -1 where there is no state
  std::unordered_map<std::uint64_t, int> map_;
};

// The states before one stage, or behind the last.
struct StateSet {
  struct State {
    int use = 0;               // position in `uses`
    std::uint64_t orders = 0;  // numbers of loops to order, mixed radix
  };
  std::vector<std::vector<int>> uses;  // distinct: the class of every resource
  std::vector<State> states;
  StateIndex index;           // of the states
  std::vector<BigUint> ways;  // to complete a mapping, per state
};

// A memory at which the order of two or more loops may be free.
struct OrderedMemory {
  std::size_t plan = 0;     // position in `plans`
  std::uint64_t radix = 1;  // place value in a state's order part
  std::uint64_t most = 1;   // loops, plus one
};

struct Tables {
  std::vector<Resource> resources;
  std::vector<OrderPlan> plans;
  std::vector<OrderedMemory> ordered;
  std::vector<Stage> stages;
  std::vector<StateSet> sets;  // stages + 1
  // Per tensor the sets of memories (a bit each) that may keep it.
  std::vector<std::vector<std::uint32_t>> keepers;
  BigUint bypasses;
  std::vector<std::string> failures;  // why there is nothing to count
  bool too_large = false;             // that is why

  // The state behind a stage when a chain of this class is taken; -1 if the
  // fan-outs do not hold it.
  int next(std::size_t stage, const StateSet::State& state, std::size_t a_class) const;
  // The number of loop orders of a state behind the last stage.
  BigUint orders_of(const StateSet::State& state) const;
  // Per set and state the number of ways to complete a mapping, with the loop
  // orders and bypasses or without.
  std::vector<std::vector<BigUint>> count_ways(bool with_choices,
                                               const Deadline* deadline = nullptr) const;
};

// Throws Expired.
Tables make_tables(const Problem& problem, SpaceKind kind, const Restrictions& restrictions,
                   const Deadline* deadline);

// Writes the mapping with this index, into one of the same problem, and gives
// the number of its loop orders.
BigUint write_mapping(const Tables& tables, const BigUint& index, Mapping& mapping);

// Sets what every memory keeps; pick(n) chooses one of n sets of keepers.
template <typename Pick>
void write_kept(const Tables& tables, const Pick& pick, Mapping& mapping) {
  std::array<std::uint32_t, kMaxMemories> kept{};
  for (std::size_t t = 0; t < tables.keepers.size(); ++t) {
    const std::uint32_t keepers = tables.keepers[t][pick(tables.keepers[t].size())];
    for (std::size_t m = 0; m < kept.size(); ++m) kept[m] |= ((keepers >> m) & 1U) << t;
  }
  for (int m = 0; m < mapping.memory_count(); ++m) {
    mapping.set_kept(MemoryId{m}, kept[at(m)]);
  }
}

// Bounds that leave a remainder where the kind of space allows none.
std::vector<std::string> forbidden_remainders(const Problem& problem, SpaceKind kind,
                                              const Mapping& mapping);

// What stands in the way of the constraints' being satisfied, for people.
std::string no_chain_text(const Problem& problem, const Restrictions& restrictions, SpaceKind kind,
                          DimId dim);
std::string no_room_text(const Problem& problem, const Restrictions& restrictions);

}  // namespace tilewright::mapspace
