// Where nothing is too small, moves lead from the start to everywhere.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "mappers/quickflow/moves.h"
#include "mappers/quickflow/setting.h"
#include "mappers/quickflow/start.h"
#include "support/random_shape.h"
#include "support/slow_build.h"
#include "support/small_arch.h"

namespace tilewright::quickflow {
namespace {

using testing::slow_build;
using testing::TestRng;

constexpr std::uint64_t kMostAllocations = 1500;

// Random hardware without limits but for its fan-outs and what its levels allow.
Problem roomy_problem(TestRng& rng) {
  Workload workload = testing::random_shape(rng);
  for (Dimension& dim : workload.dims) dim.size = rng.between(1, 12);
  Architecture arch = testing::small_arch(rng, workload);
  for (Level& level : arch.levels) {
    auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr) continue;
    memory->capacity = {};
    memory->partitions.clear();
  }
  std::get<Memory>(arch.levels[0]).dims.reset();
  return testing::make_problem(workload, arch);
}

std::set<std::uint64_t> all_allocations(const Setting& setting, const MapSpace& space) {
  std::set<std::uint64_t> found;
  Walk walk(space, 0, space.size());
  while (const Mapping* mapping = walk.next()) {
    found.insert(Allocation(setting.tables, *mapping).hash());
    walk.skip_orders();
  }
  return found;
}

std::set<std::uint64_t> reached_from(const Allocation& start) {
  std::set<std::uint64_t> reached = {start.hash()};
  std::vector<Allocation> open = {start};
  std::vector<Move> moves;
  while (!open.empty()) {
    const Allocation from = open.back();
    open.pop_back();
    list_moves(from, {}, moves);
    for (const Move& move : moves) {
      if (!reached.insert(from.hash_after(move)).second) continue;
      open.push_back(from);
      open.back().apply(move);
    }
  }
  return reached;
}

TEST(Moves, LeadFromTheStartToEveryAllocationOfPerfectFactors) {
  TestRng rng(8);
  int compared = 0;
  for (int drawn = 0; drawn < (slow_build() ? 20 : 100); ++drawn) {
    const Problem problem = roomy_problem(rng);
    const Setting setting(problem, SpaceKind::Perfect);
    const MadeSpace space = setting.space();
    const SpaceSize size = space.value->measure();
    if (size.tilings * size.bypasses > BigUint(kMostAllocations)) continue;
    const std::set<std::uint64_t> all = all_allocations(setting, *space.value);
    ASSERT_EQ(BigUint(all.size()), size.tilings * size.bypasses);
    ASSERT_EQ(reached_from(start_of(setting.tables).value()), all)
        << einsum_text(problem.workload());
    compared += all.size() > 50 ? 1 : 0;
  }
  EXPECT_GE(compared, slow_build() ? 2 : 10);
}

}  // namespace
}  // namespace tilewright::quickflow
