#include "reproduce/quickflow_orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mappers/quickflow/orders.h"
#include "support/asked.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {
namespace {

constexpr std::uint64_t kMany = 20'000;

ReadySpace ready(const std::string& kernel, const std::string& architecture) {
  for (const QuickflowSpace& space : quickflow_spaces({kernel})) {
    if (space.architecture == architecture) return ReadySpace(space);
  }
  throw std::invalid_argument(architecture);
}

OrderCheck check(const ReadySpace& space, const std::vector<Mapping>& mappings,
                 std::uint64_t most = kMany, int threads = 1) {
  Options options;
  options.threads = threads;
  return check_orders(space, mappings, most, options);
}

// All loops of a kernel at DRAM, in the order of the workload.
Mapping all_at_dram(const Problem& problem) {
  Mapping mapping(problem);
  for (int d = 0; d < problem.dim_count(); ++d) {
    mapping.set_bound(0, DimId{d}, problem.workload().dim(DimId{d}).size);
  }
  return mapping;
}

TEST(OrderTrial, FindsThatChosenOrdersAreTheBest) {
  for (const QuickflowSpace& space : quickflow_spaces({"XII"})) {
    const ReadySpace ready(space);
    const std::vector<Mapping> visited = visited_mappings(ready);
    const OrderCheck result = check(ready, visited);
    EXPECT_GT(visited.size(), 100U) << space.name();
    EXPECT_EQ(result.checked, visited.size()) << space.name();
    EXPECT_EQ(result.skipped, 0U) << space.name();
    EXPECT_GT(result.combinations, result.checked) << space.name();
    EXPECT_LE(result.largest_difference, 1e-12) << space.name();
  }
}

TEST(OrderTrial, FindsOrdersThatAreNotTheBest) {
  const ReadySpace space = ready("XII", "eyeriss");
  std::vector<Mapping> visited = visited_mappings(space);
  for (Mapping& mapping : visited) {
    const std::uint8_t* order = mapping.order(MemoryId{0});
    std::vector<DimId> reversed;
    for (int i = mapping.dim_count(); i-- > 0;) reversed.push_back(DimId{order[i]});
    mapping.set_order(MemoryId{0}, reversed);
  }
  EXPECT_GT(check(space, visited).largest_difference, 0.01);
}

TEST(OrderTrial, TriesEveryClass) {
  const ReadySpace space = ready("V", "eyeriss");
  const OrderCheck result = check(space, {all_at_dram(space.evaluator.problem())});
  // Orders at other memories, which have no loop, are no choice.
  EXPECT_EQ(result.combinations, 21U);
  EXPECT_EQ(result.choices, 1U);
  EXPECT_DOUBLE_EQ(result.classes_per_choice(), 21);
  EXPECT_DOUBLE_EQ(result.classes_per_memory(), 25.0 / 5);
}

TEST(OrderTrial, SkipsMappingsWithTooManyCombinations) {
  const ReadySpace space = ready("V", "eyeriss");
  const Mapping mapping = all_at_dram(space.evaluator.problem());
  const OrderCheck result = check(space, {mapping}, 20);
  EXPECT_EQ(result.checked, 0U);
  EXPECT_EQ(result.skipped, 1U);
  EXPECT_EQ(result.combinations, 0U);
  EXPECT_EQ(check(space, {mapping}, 21).checked, 1U);
}

TEST(OrderTrial, KeepsToConstraintsOnOrders) {
  ReadySpace space = ready("XII", "eyeriss");
  const Problem& problem = space.evaluator.problem();
  const ReadySpace free = space;
  const auto constraint =
      io::read_constraint_line("DRAM: order ... M", "test", problem.arch()).value.value();
  space.restrictions = Restrictions::create(problem, constraint).value.value();
  const std::vector<Mapping> visited = visited_mappings(space);
  const OrderCheck result = check(space, visited);
  EXPECT_EQ(result.checked, visited.size());
  EXPECT_LE(result.largest_difference, 1e-12);
  // There are better orders; they break the constraint.
  EXPECT_GT(check(free, visited).largest_difference, 0.01);
}

TEST(OrderTrial, CountsTheSameWithAnyNumberOfThreads) {
  const ReadySpace space = ready("XII", "tpu_v1");
  const std::vector<Mapping> visited = visited_mappings(space);
  const OrderCheck one = check(space, visited);
  const OrderCheck three = check(space, visited, kMany, 3);
  EXPECT_EQ(one.checked, three.checked);
  EXPECT_EQ(one.combinations, three.combinations);
  EXPECT_EQ(one.classes, three.classes);
  EXPECT_EQ(one.largest_difference, three.largest_difference);
}

}  // namespace
}  // namespace tilewright::reproduce
