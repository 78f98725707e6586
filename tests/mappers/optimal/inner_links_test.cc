// What the links inside outer memories take at least, held against every mapping.
#include "mappers/optimal/inner_links.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "mappers/optimal/all_subproblems.h"
#include "mappers/optimal/small_spaces.h"
#include "support/check_optimum.h"
#include "support/problem_text.h"
#include "support/slow_build.h"

namespace tilewright::optimal {
namespace {

const Deadline kNoDeadline(std::nullopt);

// What a mapping takes beside its links from memories further out than `outside`.
double inner_energy(const SolverTables& solver, const Mapping& mapping, int outside) {
  const Evaluation all = solver.evaluator->evaluate(mapping);
  double energy = all.score.energy_pj;
  for (int t = 0; t < solver.tensor_count; ++t) {
    int parent = 0;
    for (int m = 1; m < solver.memory_count; ++m) {
      if (!contains(mapping.kept(MemoryId{m}), t)) continue;
      if (parent < outside) {
        const Holding& from = all.memories[at(parent)].tensors[at(t)];
        energy -= from.read_pj + from.update_pj + all.memories[at(m)].tensors[at(t)].fill_pj;
      }
      parent = m;
    }
  }
  return energy;
}

std::string two_outside(int registers, const std::string& keeps) {
  return "architecture: two\nlevels:\n  - memory: DRAM\n    capacity: unlimited\n    read: 5 pJ\n"
         "  - memory: Buffer\n    read: 0.9 pJ\n    write: 0.7 pJ\n    capacity: 12 words\n" +
         keeps + "  - fanout: PEs\n    x: 2\n    y: 2\n" +
         "  - memory: Registers\n    read: 0.3 pJ\n    capacity: " + std::to_string(registers) +
         " words\n  - compute: MAC\n    energy: 0.2 pJ\n";
}

struct Seen {
  int bounds = 0;  // that are known
  int tight = 0;   // that some mapping reaches
  int higher = 0;  // than one load of every element
};

void compare(const SolverTables& solver, Seen& seen) {
  const InnerLinks inner(solver);
  if (!inner.can_be_known()) return;
  int outside = 0;
  while (solver.memory(outside + 1).fanouts_outside == 0) ++outside;
  std::map<SubproblemKey, double> least;
  const MadeSpace space = MapSpace::create(solver.problem(), solver.kind, *solver.restrictions);
  if (!space.ok()) return;
  Walk walk(*space.value, 0, space.value->size());
  while (const Mapping* mapping = walk.next()) {
    if (!solver.evaluator->score(*mapping).verdict.fits()) continue;
    const double energy = inner_energy(solver, *mapping, outside);
    const auto [known, is_new] = least.try_emplace(key_of(solver, *mapping), energy);
    if (!is_new) known->second = std::min(known->second, energy);
  }
  for (const auto& [key, one] : drain(solver, nullptr)) {
    const auto found = least.find(key);
    if (found == least.end()) continue;
    const Subproblem sub(solver, one.placement, *one.spatial);
    std::uint64_t steps = 0;
    const Units bound = inner.least(sub, kNever - 1, kRoomForAll, kNoDeadline, steps);
    const double energy = static_cast<double>(solver.scale.energy(bound)) / solver.scale.per_pj;
    EXPECT_LE(energy, found->second * (1 + 1e-9));
    Units once = sub.fixed_energy();
    for (const Link& link : one.placement.links) {
      if (inner.contains(link)) once = sum(once, sub.least_energy(link));
    }
    ++seen.bounds;
    seen.tight += energy > found->second * (1 - 1e-6) ? 1 : 0;
    seen.higher += bound > once ? 1 : 0;
    const Units half = bound / 2;
    EXPECT_LE(inner.least(sub, half, kRoomForAll, kNoDeadline, steps), half);
  }
}

TEST(InnerLinks, TakeNoMoreThanAnyMapping) {
  Seen seen;
  for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) {
    for (const std::string workload :
         {"gemm: m=4 n=3 k=5", "O[m,p] += W[m,c,r]*I[c,p+r]; m=2 c=2 p=4 r=2",
          "O[p+r] += W[r]*I[p]; p=5 r=3", "O[p] += W[r]*I[3*p+2*r]; p=5 r=3"}) {
      for (const int registers : {3, 5, 8}) {
        for (const std::string keeps : {"", "    keep: [input, output]\n"}) {
          if (testing::slow_build() && registers != 5) continue;
          const Problem problem = testing::problem_of(two_outside(registers, keeps), workload);
          const Evaluator evaluator = testing::make_evaluator(problem);
          const Restrictions restrictions = *Restrictions::create(problem, {}).value;
          SCOPED_TRACE(workload + " " + to_string(kind) + " " + std::to_string(registers));
          compare(make_solver_tables(evaluator, kind, restrictions), seen);
        }
      }
    }
    for_each_space({kind, testing::affordable(100), 7000},
                   [&](const SolverTables& solver) { compare(solver, seen); });
  }
  EXPECT_GT(seen.bounds, testing::enough(1000));
  EXPECT_GT(seen.tight, testing::enough(100));
  EXPECT_GT(seen.higher, testing::enough(200));
}

// The same taken apart, where searches ask for it soon.
TEST(InnerLinks, LeaveTheBestMapping) {
  for (const std::string workload :
       {"gemm: m=4 n=3 k=5", "gemm: m=5 n=5 k=3", "O[p+r] += W[r]*I[p]; p=5 r=3"}) {
    for (const int registers : {3, 5}) {
      if (testing::slow_build() && registers != 5) continue;
      const testing::SmallInstance instance = {
          testing::problem_of(two_outside(registers, ""), workload), {}};
      const testing::CheckReport report = testing::check_instance(instance, SpaceKind::Ruby);
      ASSERT_TRUE(report.failures.empty()) << workload << ": " << report.failures;
    }
  }
}

}  // namespace
}  // namespace tilewright::optimal
