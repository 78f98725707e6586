// What is known of outer memories with remainders: of sets of subproblems, and ahead of states.
#include "mappers/optimal/home_filling.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "mappers/optimal/all_subproblems.h"
#include "mappers/optimal/small_spaces.h"
#include "support/problem_text.h"
#include "support/slow_build.h"

namespace tilewright::optimal {
namespace {

const Deadline kForever(std::nullopt);
constexpr std::int64_t kBytes = kRoomForAll;
constexpr std::uint64_t kAnySteps = std::uint64_t{1} << 40U;

using Key = SubproblemKey;

// Weights go past the buffer, or weights and sums.
std::string past_buffer(int buffer, int registers, bool sums_past) {
  return "architecture: past\nlevels:\n  - memory: DRAM\n    capacity: unlimited\n"
         "    read: 5 pJ\n    write: 3 pJ\n  - memory: Buffer\n    read: 0.3 pJ\n"
         "    write: 0.2 pJ\n    capacity: " +
         std::to_string(buffer) + " words\n    keep: [input" + (sums_past ? "" : ", output") +
         "]\n  - fanout: PEs\n    x: 2\n    y: 2\n  - memory: Inputs\n    keep: [input]\n" +
         "    capacity: 2 words\n    read: 0.1 pJ\n  - memory: Registers\n    read: 0.1 pJ\n" +
         "    capacity: " + std::to_string(registers) + " words\n    keep: [weight" +
         (sums_past ? ", output" : "") + "]\n  - compute: MAC\n    energy: 0.2 pJ\n";
}

// Nor where it is known which tiles of outer memories are of interest: as good a mapping is left
// of every subproblem that has one below the limit.
struct SeenAhead {
  int known = 0;
  int higher = 0;  // bounds over ranges that know of it
};

void compare_with_tiles(const SolverTables& plain, double more, SeenAhead& seen) {
  std::map<Key, double> least = least_energies(plain);
  double best = 1e30;
  for (const auto& [key, energy] : least) best = std::min(best, energy);
  SolverTables solver = plain;
  OuterFilling outer(solver);
  solver.outer = &outer;
  const Aim aim{Objective::Energy, true};
  SubproblemQueue::Refinement refinement{&outer, 0, 0, 0, kAnySteps};
  refinement.many = 2;
  SubproblemQueue queue(solver, aim, kBytes, {}, refinement);
  Goal goal(aim);
  const double energy = std::min(best * more * solver.scale.per_pj + 1, 1e30);
  goal.add({static_cast<Energy>(energy), kWideLimit, kCountLimit});
  while (const std::optional<Candidate> next = queue.next(goal, kForever)) {
    const auto found = least.find(key_of(solver, *next));
    if (found == least.end()) continue;
    const auto units = static_cast<Energy>(found->second * solver.scale.per_pj * (1 + 1e-12));
    if (!goal.is_improved_by({units + 1, 1, 1})) continue;
    const Units most = solver.scale.table(units) + 1;
    EXPECT_LE(relaxed_below(solver, *next, most + 1, next->ahead.get()), most);
    least.erase(found);
    if (!next->ahead) continue;
    ++seen.known;
    const Units bound = bounded_by_ranges(solver, *next, most + 1, next->ahead.get());
    EXPECT_LE(bound, most);
    seen.higher += bound > bounded_by_ranges(solver, *next, most + 1, nullptr) ? 1 : 0;
  }
  for (const auto& [key, lost] : least) EXPECT_GE(lost, best * more * (1 - 1e-9));
}

TEST(TilesAhead, LeaveTheBestMappingOfEachSubproblemBelowALimit) {
  SeenAhead seen;
  const auto compare = [&](const SolverTables& solver) {
    if (home_fillings(solver).size() != 1) return;
    for (const double more : {1.01, 1.2}) compare_with_tiles(solver, more, seen);
  };
  for (const std::string workload :
       {"gemm: m=4 n=5 k=4", "O[m,p] += W[m,c,r]*I[c,p+r]; m=3 c=2 p=4 r=2",
        "O[m,p] += W[m,c,r]*I[c,3*p+2*r]; m=2 c=3 p=4 r=2"}) {
    for (const int buffer : {4, 7, 12}) {
      if (testing::slow_build() && buffer != 7) continue;
      for (const int registers : {2, 6}) {
        const bool sums_past = (buffer + registers / 2) % 2 == 0;
        const Problem problem =
            testing::problem_of(past_buffer(buffer, registers, sums_past), workload);
        const Evaluator evaluator = testing::make_evaluator(problem);
        const Restrictions restrictions = *Restrictions::create(problem, {}).value;
        SCOPED_TRACE(workload + " " + std::to_string(buffer) + " " + std::to_string(registers));
        for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) {
          compare(make_solver_tables(evaluator, kind, restrictions));
        }
      }
    }
  }
  EXPECT_GT(seen.known, testing::slow_build() ? 5 : 60);
  EXPECT_GT(seen.higher, testing::slow_build() ? 3 : 15);
  for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) {
    for_each_space({kind, testing::affordable(120), 5000}, compare);
  }
}

// Registers have loops of one dimension alone, and accumulators hold a few sums of each row.
std::string with_held_weights(int sums, int fifo) {
  return "architecture: held\nlevels:\n  - memory: DRAM\n    capacity: unlimited\n"
         "    read: 5 pJ\n  - memory: Queue\n    read: 0.3 pJ\n    keep: [weight]\n"
         "    capacity: " +
         std::to_string(fifo) +
         " words\n  - fanout: Rows\n    y: {size: 3, dims: [M]}\n  - memory: Accumulator\n"
         "    read: 0.4 pJ\n    keep: [output]\n    capacity: " +
         std::to_string(sums) +
         " words\n  - fanout: Columns\n    x: {size: 2, dims: [K]}\n  - memory: Register\n"
         "    read: 0.1 pJ\n    capacity: 1 words\n    keep: [weight]\n    dims: [N]\n"
         "  - compute: MAC\n    energy: 0.2 pJ\n";
}

// Sets of subproblems have bounds of their own: what they unroll is part of every tile.
TEST(HomeFilling, KnowsWhatSetsOfSubproblemsUnroll) {
  int higher = 0;
  for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) {
    for (const int sums : {1, 2, 3}) {
      for (const int fifo : {4, 9}) {
        const Problem problem =
            testing::problem_of(with_held_weights(sums, fifo), "gemm: m=5 n=4 k=3");
        const Evaluator evaluator = testing::make_evaluator(problem);
        const Restrictions restrictions = *Restrictions::create(problem, {}).value;
        const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
        SCOPED_TRACE(to_string(kind) + " " + std::to_string(sums) + " " + std::to_string(fifo));
        std::vector<HomeFilling> homes = home_fillings(solver);
        ASSERT_EQ(homes.size(), 1U);
        HomeFilling& home = homes.front();
        home.set_limits(kNever - 1, kBytes);
        home.find({}, kForever);
        const std::map<Key, Candidate> all = drain(solver, nullptr);
        for (const auto& [key, energy] : least_energies(solver)) {
          const Candidate& one = all.at(key);
          SpatialBounds ranges(solver.fanout_count, solver.dim_count, true);
          for (int f = 0; f < solver.fanout_count; ++f) {
            for (int d = 0; d < solver.dim_count; ++d) {
              const std::int64_t unrolled = one.spatial->unrolled(f, d);
              ranges.set_range(f, d, unrolled, unrolled);
            }
          }
          const Placement none;
          const Subproblem sub(solver, none, *one.spatial);
          const auto others = home.others([&](const Link& link) {
            return link.child == solver.memory_count ? sub.compute_energy(link)
                                                     : sub.least_energy(link);
          });
          std::uint64_t steps = 0;
          const Units filling = home.least_with(ranges, kNever - 1, kForever, steps);
          const Units least = sum(sub.fixed_energy(), sum(others, filling));
          EXPECT_LE(static_cast<double>(solver.scale.energy(least)) / solver.scale.per_pj,
                    energy * (1 + 1e-9));
          higher += filling > home.least() ? 1 : 0;
        }
        SeenAhead seen;
        for (const double more : {1.01, 1.2}) compare_with_tiles(solver, more, seen);
      }
    }
  }
  EXPECT_GT(higher, 10);
}

}  // namespace
}  // namespace tilewright::optimal
