// The queue of subproblems against a plain list of them.
#include "mappers/optimal/subproblem_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "mappers/optimal/descent.h"
#include "mappers/optimal/subproblem_keys.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/small_instance.h"
#include "tilewright/io.h"

namespace tilewright::optimal {
namespace {

using Key = SubproblemKey;

// Every bound of every axis, one after the other, from the inside out.
class PlainList {
 public:
  explicit PlainList(const SolverTables& solver) : solver_(solver) {}

  std::set<Key> take() {
    SpatialBounds spatial(solver_.fanout_count, solver_.dim_count);
    choose(solver_.fanout_count - 1, false, 0, -1, solver_.sizes, spatial);
    std::set<Key> all;
    for (const Placement& placement : placements()) {
      for (const SpatialBounds& each : found_) all.insert(key_of(solver_, placement, each));
    }
    return all;
  }

 private:
  std::vector<Placement> placements() const {
    const std::uint32_t tensors = (1U << solver_.tensor_count) - 1U;
    std::vector<Placement> all(1);
    for (int m = 0; m < solver_.memory_count; ++m) {
      std::vector<Placement> more;
      for (const Placement& placement : all) {
        for (std::uint32_t kept = 0; kept <= tensors; ++kept) {
          if ((kept & ~solver_.restrictions->keep_allowed(MemoryId{m})) != 0) continue;
          if ((solver_.restrictions->keep_always(MemoryId{m}) & ~kept) != 0) continue;
          more.push_back(placement);
          more.back().kept[at(m)] = kept;
        }
      }
      all = std::move(more);
    }
    std::erase_if(all, [&](const Placement& placement) {
      std::uint32_t kept = 0;
      for (const std::uint32_t each : placement.kept) kept |= each;
      return kept != tensors;
    });
    return all;
  }

  // The y axis after the x axis; no room yet is -1.
  void choose(int f, bool y_axis, int d, std::int64_t room, PerDim left, SpatialBounds& spatial) {
    if (f < 0) {
      found_.push_back(spatial);
      return;
    }
    const FanoutShape& fanout = solver_.fanout(f);
    if (room < 0) room = y_axis ? fanout.size_y : fanout.size_x;
    if (d == solver_.dim_count) {
      if (!y_axis) return choose(f, true, 0, -1, left, spatial);
      std::int64_t used = 1;
      for (int i = 0; i < solver_.dim_count; ++i) used *= spatial.unrolled(f, i);
      if (used < solver_.restrictions->least_instances(fanout.level)) return;
      return choose(f - 1, false, 0, -1, left, spatial);
    }
    const BoundLimits& limits = solver_.limits(fanout.slot + (y_axis ? 0 : 1), d);
    const std::int64_t before = spatial.unrolled(f, d);
    const std::int64_t now = left[at(d)];
    for (std::int64_t b = limits.least; b <= std::min({limits.most, room, now}); ++b) {
      if (solver_.is_perfect() && now % b != 0) continue;
      spatial.set_unrolled(f, d, before * b);
      left[at(d)] = ceil_div(now, b);
      choose(f, y_axis, d + 1, room / b, left, spatial);
    }
    spatial.set_unrolled(f, d, before);
  }

  const SolverTables& solver_;
  std::vector<SpatialBounds> found_;
};

// What the subproblem says of itself.
Cost own_floor(const SolverTables& solver, const Candidate& candidate) {
  const Subproblem sub(solver, candidate.placement, *candidate.spatial);
  Units energy = sub.fixed_energy();
  Loads loads = sub.fixed_loads();
  for (const Link& link : candidate.placement.links) {
    energy = sum(energy, sub.least_energy(link));
    sub.add_least_load(link, loads);
  }
  return bound_of(sub, energy, loads);
}

// Takes up to so many out, and looks at each of them.
std::set<Key> drain(const SolverTables& solver, const Aim& order, std::size_t most) {
  SubproblemQueue queue(solver, order, std::int64_t{1} << 30);
  const Goal anything(std::nullopt);
  const Deadline never(std::nullopt);
  std::set<Key> seen;
  std::optional<Cost> before;
  while (seen.size() < most) {
    const std::optional<Candidate> next = queue.next(anything, never);
    if (!next) break;
    EXPECT_TRUE(seen.insert(key_of(solver, *next)).second) << "twice";
    // One comes too late if the floor of a set it was in is above its own.
    EXPECT_FALSE(before && is_less(order, next->floor, *before)) << "out of order";
    const Cost own = own_floor(solver, *next);
    EXPECT_TRUE(next->floor.energy == own.energy && next->floor.cycles == own.cycles &&
                next->floor.instances == own.instances);
    before = next->floor;
    if (::testing::Test::HasFailure()) break;
  }
  return seen;
}

TEST(SubproblemQueue, HasEachSubproblemOnceTheLowestFirst) {
  std::size_t subproblems = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(testing::affordable(200));
       ++seed) {
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::RubyT}) {
      const auto instance = testing::small_instance(seed, {.kind = kind});
      const Restrictions restrictions = testing::restrictions_of(instance);
      if (!restrictions.contradictions().empty()) continue;
      const Evaluator evaluator = testing::make_evaluator(instance.problem);
      const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
      const std::set<Key> all = drain(solver, {Objective::Edp, true}, 1U << 20U);
      EXPECT_EQ(all, PlainList(solver).take()) << "seed " << seed << " " << to_string(kind);
      subproblems += all.size();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(subproblems, static_cast<std::size_t>(testing::affordable(2'000)));
}

// What comes back is given out again when its bound is the lowest.
TEST(SubproblemQueue, GivesWhatWasPutBackAgainInOrder) {
  std::size_t again = 0;
  for (std::uint64_t seed = 1; seed <= (testing::slow_build() ? 10 : 50); ++seed) {
    const auto instance = testing::small_instance(seed, {.kind = SpaceKind::RubyS});
    const Restrictions restrictions = testing::restrictions_of(instance);
    if (!restrictions.contradictions().empty()) continue;
    const Evaluator evaluator = testing::make_evaluator(instance.problem);
    const SolverTables solver = make_solver_tables(evaluator, SpaceKind::RubyS, restrictions);
    const Aim order{Objective::Edp, true};
    SubproblemQueue queue(solver, order, std::int64_t{1} << 30);
    const Goal anything(std::nullopt);
    std::map<Key, int> seen;
    std::optional<Cost> before;
    while (const auto next = queue.next(anything, Deadline(std::nullopt))) {
      const int looks = seen[key_of(solver, *next)]++;
      EXPECT_EQ(next->looks, looks);
      EXPECT_EQ(next->expanded, looks > 0);
      EXPECT_FALSE(before && is_less(order, next->floor, *before)) << "out of order";
      before = next->floor;
      if (looks == 0 && seen.size() % 3 == 0) {
        Cost bound = next->floor;
        bound.energy += bound.energy / 8;
        queue.put_back(*next, bound, /*expanded=*/true, anything);
        ++again;
      } else {
        queue.settle(*next);
      }
      if (HasFailure()) return;
    }
    std::set<Key> all;
    for (const auto& [key, looks] : seen) all.insert(key);
    EXPECT_EQ(all, PlainList(solver).take()) << "seed " << seed;
    if (HasFailure()) return;
  }
  EXPECT_GT(again, testing::slow_build() ? 20U : 100U);
}

// A subproblem is left out if every way to split it over the axes fits into a part.
TEST(SubproblemQueue, LeavesOutWhatFitsIntoSettledParts) {
  std::size_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= (testing::slow_build() ? 20 : 200); ++seed) {
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::Ruby}) {
      const auto instance = testing::small_instance(seed, {.kind = kind});
      const Restrictions restrictions = testing::restrictions_of(instance);
      if (!restrictions.contradictions().empty()) continue;
      const Evaluator evaluator = testing::make_evaluator(instance.problem);
      const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
      if (solver.fanout_count == 0) continue;
      const int fanout = static_cast<int>(seed) % solver.fanout_count;
      const FanoutShape& shape = solver.fanout(fanout);
      const std::vector<Foreknown::Part> parts = {
          {shape.level, ceil_div(shape.size_y, 2), shape.size_x},
          {shape.level, shape.size_y, ceil_div(shape.size_x, 3)}};
      const auto is_inside = [&](const SpatialBounds& spatial, const PerDim& along_x) {
        std::int64_t x = 1;
        std::int64_t y = 1;
        for (int d = 0; d < solver.dim_count; ++d) {
          x *= along_x[at(d)];
          y *= spatial.unrolled(fanout, d) / along_x[at(d)];
        }
        return std::any_of(parts.begin(), parts.end(), [&](const Foreknown::Part& part) {
          return y <= part.size_y && x <= part.size_x;
        });
      };
      const auto all_of = [&](const std::vector<Foreknown::Part>& settled) {
        SubproblemQueue queue(solver, {Objective::Edp, true}, std::int64_t{1} << 30, settled);
        std::vector<Candidate> all;
        while (auto next = queue.next(Goal(std::nullopt), Deadline(std::nullopt))) {
          all.push_back(std::move(*next));
        }
        return all;
      };
      const std::vector<Candidate> rest = all_of(parts);
      std::size_t place = 0;
      for (const Candidate& candidate : all_of({})) {
        const std::vector<PerDim>& splits = candidate.spatial->splits(fanout);
        const bool settled = std::all_of(splits.begin(), splits.end(), [&](const PerDim& along_x) {
          return is_inside(*candidate.spatial, along_x);
        });
        left_out += settled ? 1 : 0;
        if (settled) continue;
        // The others come as before.
        ASSERT_LT(place, rest.size()) << "seed " << seed;
        EXPECT_EQ(key_of(solver, rest[place].placement, *rest[place].spatial),
                  key_of(solver, candidate.placement, *candidate.spatial));
        ++place;
      }
      EXPECT_EQ(place, rest.size());
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(left_out, 100U);
}

// Ranges of many bounds are halved there.
TEST(SubproblemQueue, FloorsOfSetsAreBelowThoseOfMembersOnAWideArray) {
  const auto arch = io::read_architecture(R"(architecture: wide
levels:
  - memory: DRAM
    capacity: unlimited
    read: 64 pJ
    bandwidth: 16 words/cycle
  - memory: Buffer
    capacity: 100000 words
    read: 2 pJ
    free: [input, weight, output]
  - fanout: Array
    y: 16
    x: 64
  - memory: Registers
    capacity: 3 words
    read: 0.7 pJ
  - compute: MAC
    energy: 0.2 pJ
)",
                                          "wide");
  ASSERT_TRUE(arch.ok()) << to_string(arch.problems.front());
  for (const std::string line :
       {"conv2d: in_channels=250 out_channels=256 p=13 q=13 r=3 s=3", "gemm: m=100 n=60 k=7"}) {
    const auto workload = io::read_workload_line(line, "line");
    ASSERT_TRUE(workload.ok()) << line;
    const Problem problem = *Problem::create(*workload.value, *arch.value).value;
    const Evaluator evaluator = testing::make_evaluator(problem);
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS}) {
      const Restrictions restrictions = *Restrictions::create(problem, {}).value;
      const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
      for (const Objective objective : {Objective::Energy, Objective::Edp, Objective::Latency}) {
        EXPECT_GT(drain(solver, {objective, true}, testing::slow_build() ? 300 : 3000).size(),
                  100U);
        if (HasFailure()) return;
      }
    }
  }
}

// There are more bounds than memory for them.
TEST(SubproblemQueue, KeepsToItsMemoryOnAnArrayLargerThanAnyoneBuilds) {
  const auto arch = io::read_architecture(R"(architecture: vast
levels:
  - memory: DRAM
    capacity: unlimited
    read: 64 pJ
  - fanout: Array
    y: 1048576
    x: 1048576
  - compute: MAC
    energy: 0.2 pJ
)",
                                          "vast");
  ASSERT_TRUE(arch.ok()) << to_string(arch.problems.front());
  const auto workload = io::read_workload_line("gemm: m=1099511627776 n=2 k=2", "line");
  const Problem problem = *Problem::create(*workload.value, *arch.value).value;
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem, {}).value;
  const SolverTables solver = make_solver_tables(evaluator, SpaceKind::RubyS, restrictions);
  SubproblemQueue queue(solver, {Objective::Edp, true}, 1 << 20);
  EXPECT_NE(queue.floor(), nullptr);
  EXPECT_THROW(queue.next(Goal(std::nullopt), Deadline(std::nullopt)), TooLarge);
}

}  // namespace
}  // namespace tilewright::optimal
