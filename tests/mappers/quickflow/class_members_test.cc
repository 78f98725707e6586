// Orders of one class cost the same, by the model and by the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "oracle/oracle.h"
#include "support/loop_orders.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

const int kCases = slow_build() ? 10 : 80;

// Whatever the oracle counts, in one list.
std::vector<std::int64_t> numbers_of(const oracle::Counts& counts) {
  std::vector<std::int64_t> numbers = {counts.macs, counts.compute_instances, counts.compute_steps};
  const auto add = [&](const oracle::Words& words) {
    numbers.insert(numbers.end(), {words.reads, words.fills, words.updates});
  };
  for (const oracle::MemoryCounts& memory : counts.memories) {
    add(memory.first);
    for (const oracle::TensorCounts& tensor : memory.tensors) {
      add(tensor.total);
      add(tensor.first);
      add(tensor.largest);
      numbers.insert(numbers.end(), {tensor.tile_words, tensor.reductions, tensor.delivered});
    }
  }
  for (const auto& words : counts.fanout_words) {
    numbers.insert(numbers.end(), words.begin(), words.end());
  }
  return numbers;
}

struct Case {
  RandomCase random;
  std::map<ReuseKey, std::vector<Mapping>> classes;  // the mapping with every order at a memory
};

// The case on hardware that keeps what the mapping keeps and nothing else; the
// outermost memory may be no tensor's home.
RandomCase harden(TestRng& rng, RandomCase random) {
  const Problem& problem = random.problem;
  std::uint32_t kept_inside = 0;
  for (int m = 1; m < problem.memory_count(); ++m) kept_inside |= random.mapping.kept(MemoryId{m});
  const auto dropped = static_cast<std::uint32_t>(rng.between(0, 255)) & kept_inside;
  random.mapping.set_kept(MemoryId{0}, random.mapping.kept(MemoryId{0}) & ~dropped);
  Architecture arch = problem.arch();
  for (int m = 0; m < problem.memory_count(); ++m) {
    const LevelId level = problem.use(MemoryId{m}).level;
    auto& memory = std::get<Memory>(arch.levels[static_cast<std::size_t>(index_of(level))]);
    memory.free.clear();
    memory.keep.emplace();
    for (int t = 0; t < problem.tensor_count(); ++t) {
      if (!random.mapping.keeps(MemoryId{m}, TensorId{t})) continue;
      memory.keep->push_back(problem.workload().tensor(TensorId{t}).name);
    }
  }
  return {make_problem(problem.workload(), std::move(arch)), std::move(random.mapping)};
}

Case sort_orders(RandomCase random, MemoryId memory) {
  const std::vector<DimId> loops = loops_of(random.problem, random.mapping, memory);
  const std::vector<TensorReuse> reuse = reuse_at(random.problem, memory);
  std::map<ReuseKey, std::vector<Mapping>> classes;
  for (const LoopOrder& order : all_orders(loops)) {
    Mapping mapping = random.mapping;
    set_order_from_inside(mapping, memory, order);
    classes[reuse_key(order, reuse)].push_back(std::move(mapping));
  }
  std::uint32_t dims = 0;
  for (const DimId dim : loops) dims |= 1U << index_of(dim);
  EXPECT_EQ(order_classes(dims, reuse).size(), classes.size());
  return {std::move(random), std::move(classes)};
}

// Returns whether classes differ.
bool check_scores(const Case& one) {
  const Evaluator evaluator = make_evaluator(one.random.problem);
  const Score any = evaluator.score(one.random.mapping);
  bool differ = false;
  for (const auto& [key, members] : one.classes) {
    const Score first = evaluator.score(members.front());
    differ = differ || first != any;
    for (const Mapping& member : members) {
      EXPECT_EQ(evaluator.score(member), first)
          << describe({one.random.problem, members.front()}) << "\nand\n"
          << describe({one.random.problem, member});
    }
  }
  return differ;
}

// Two members of a class. Returns whether its counts differ from the mapping's own.
bool check_counts(TestRng& rng, const Case& one) {
  std::vector<const std::vector<Mapping>*> several;
  for (const auto& [key, members] : one.classes) {
    if (members.size() > 1) several.push_back(&members);
  }
  const std::vector<Mapping>& members = *rng.pick(several);
  const auto count = [&](const Mapping& mapping) {
    return numbers_of(oracle::execute(one.random.problem, mapping));
  };
  const auto first = rng.between(0, static_cast<std::int64_t>(members.size()) - 2);
  const auto second = rng.between(first + 1, static_cast<std::int64_t>(members.size()) - 1);
  const Mapping& a = members[static_cast<std::size_t>(first)];
  const Mapping& b = members[static_cast<std::size_t>(second)];
  const std::vector<std::int64_t> counts = count(a);
  EXPECT_EQ(counts, count(b)) << describe({one.random.problem, a}) << "\nand\n"
                              << describe({one.random.problem, b});
  return counts != count(one.random.mapping);
}

// At the memory with most loops; some of their orders are of one class and some
// are not.
Case draw_case(TestRng& rng, const RandomOptions& options) {
  for (;;) {
    RandomCase random = random_case(rng, options);
    MemoryId memory{};
    std::size_t loops = 0;
    for (int m = 0; m < random.problem.memory_count(); ++m) {
      const std::size_t here = loops_of(random.problem, random.mapping, MemoryId{m}).size();
      if (here > loops) memory = MemoryId{m};
      loops = std::max(loops, here);
    }
    if (loops < 3 || index_of(memory) + 1 == random.problem.memory_count()) continue;
    Case one = sort_orders(harden(rng, std::move(random)), memory);
    const bool all_alone = std::all_of(one.classes.begin(), one.classes.end(),
                                       [](const auto& each) { return each.second.size() == 1; });
    if (one.classes.size() > 1 && !all_alone) return one;
  }
}

struct Shard {
  const char* name;
  std::uint64_t seed;
  RandomOptions options;
};

class OrdersOfOneClass : public ::testing::TestWithParam<Shard> {};

TEST_P(OrdersOfOneClass, CostTheSame) {
  int different_scores = 0;
  int different_counts = 0;
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(GetParam().seed + static_cast<std::uint64_t>(i));
    const Case one = draw_case(rng, GetParam().options);
    different_scores += check_scores(one) ? 1 : 0;
    different_counts += check_counts(rng, one) ? 1 : 0;
    ASSERT_FALSE(::testing::Test::HasFailure()) << "case " << i;
  }
  EXPECT_GT(different_scores, kCases / 2);
  EXPECT_GT(different_counts, kCases / 4);
}

INSTANTIATE_TEST_SUITE_P(
    Shards, OrdersOfOneClass,
    ::testing::Values(
        Shard{"perfect", 21'000'000, {.imperfect = false, .largest_volume = 150}},
        Shard{"remainders", 22'000'000, {.largest_volume = 150}},
        Shard{"timeloop", 23'000'000, {.accounting = Accounting::Timeloop, .largest_volume = 150}}),
    [](const auto& shard) { return std::string(shard.param.name); });

// Elements I[a+b,b] differ for any two points, but the boxes around them
// overlap when a goes on: under Timeloop's accounting the dimension that moves matters.
TEST(OrdersOfOneClass, CostTheSameWhereOnlyBoxesOverlap) {
  Workload workload;
  workload.name = "diagonal";
  workload.dims = {{"A", 4}, {"B", 4}};
  workload.tensors = {{"I", Role::Input, {{{DimId{0}}, {DimId{1}}}, {{DimId{1}}}}, 8},
                      {"O", Role::Output, {{{DimId{0}}}}, 8}};
  for (const Accounting accounting : {Accounting::Exact, Accounting::Timeloop}) {
    Memory inner = make_memory("inner");
    inner.keep = TensorNames{"I"};
    Architecture arch = make_arch({make_memory("outer"), inner});
    arch.accounting = accounting;
    const Problem problem = make_problem(workload, arch);
    Mapping mapping(problem);
    set_loops(problem, mapping, "outer", {{"A", 2}, {"B", 2}});
    set_loops(problem, mapping, "inner", {{"A", 2}, {"B", 2}});
    const Case one = sort_orders({problem, mapping}, MemoryId{0});
    const bool boxes = accounting == Accounting::Timeloop;
    EXPECT_EQ(one.classes.size(), boxes ? 2U : 1U);
    EXPECT_EQ(check_scores(one), boxes);
  }
}

}  // namespace
}  // namespace tilewright::testing
