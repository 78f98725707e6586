#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.h"
#include "support/random_plan.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

TEST(EvaluatePlan, OfOneEinsumWithEverythingStreamedIsTodaysEvaluation) {
  for (int i = 0; i < affordable(300); ++i) {
    TestRng rng(7'000'000 + static_cast<std::uint64_t>(i));
    const RandomCase random = random_case(rng, {});
    if (random.problem.arch().reads_first_sums) continue;  // refused
    const Cascade cascade{"one", "", {{random.problem.workload(), {}}}};
    Plan plan = unfused(cascade, "none");
    plan.leaves.front().nests.push_back({random.problem, random.mapping});
    const Evaluation today = make_evaluator(random.problem).evaluate(random.mapping);
    const auto fused = evaluate_plan(cascade, random.problem.arch(), plan);
    ASSERT_TRUE(fused.ok()) << describe(random);
    EXPECT_NEAR(fused.value->energy_pj, today.score.energy_pj, 1e-9 * today.score.energy_pj);
    EXPECT_EQ(fused.value->cycles, today.score.cycles) << describe(random);
    for (std::size_t m = 0; m < today.memories.size(); ++m) {
      for (std::size_t t = 0; t < today.memories[m].tensors.size(); ++t) {
        if (!today.memories[m].tensors[t].kept) continue;
        EXPECT_EQ(fused.value->leaves[0].memories[m].total[t], today.memories[m].tensors[t].total);
      }
    }
  }
}

// Everything whole in the shared memory, no loop: each tensor of the outside passes once.
TEST(EvaluatePlan, MovesTheCompulsoryWordsWhereThereIsRoomForAll) {
  const Cascade cascade =
      make_cascade({"T[m,n] += A[m,k] * B[k,n]", "O[m,p] += T[m,n] * C[n,p]"}, "m=4 n=6 k=2 p=3");
  const Architecture arch = make_arch({make_memory("DRAM"), make_memory("Buffer")});
  Plan plan = unfused(cascade, "Buffer");
  plan.groups = {{{}, {{{}, {}, 0}, {{}, {}, 1}}, -1}};
  for (PlanLeaf& leaf : plan.leaves) {
    for (Placement& tensor : leaf.tensors) tensor = {Placement::Kind::Local, 0};
  }
  TestRng rng(1);
  add_random_nests(rng, cascade, arch, plan);
  const auto found = evaluate_plan(cascade, arch, plan);
  ASSERT_TRUE(found.ok());
  std::int64_t words = 0;
  for (const LeafReport& leaf : found.value->leaves) {
    for (const Traffic& one : leaf.memories[0].total) words += one.reads + one.updates;
  }
  EXPECT_EQ(words, 4 * 2 + 2 * 6 + 6 * 3 + 4 * 3);
}

// Words that T of the first einsum moves at the outermost memory, and the energy of the plan. The
// first two einsums are a group with a loop over m; what is behind them is not.
std::pair<Traffic, double> departure(const Cascade& cascade) {
  const Architecture arch = make_arch({make_memory("DRAM"), make_memory("Buffer")});
  Plan plan = unfused(cascade, "Buffer");
  plan.groups.erase(plan.groups.begin(), plan.groups.begin() + 2);
  plan.groups.insert(plan.groups.begin(), {{{"m", 2}}, {{{}, {}, 0}, {{}, {}, 1}}, -1});
  plan.leaves[0].tensors[2] = {Placement::Kind::Local, 0};
  TestRng rng(1);
  add_random_nests(rng, cascade, arch, plan);
  const auto found = evaluate_plan(cascade, arch, plan);
  EXPECT_TRUE(found.ok());
  if (!found.ok()) return {};
  return {found.value->leaves[0].memories[0].total[2], found.value->leaves[0].energy_pj};
}

TEST(EvaluatePlan, WritesWhatAlsoLeavesOnce) {
  const std::string first = "T[m,n] += A[m,k] * B[k,n]", second = "U[m,p] += T[m,n] * C[n,p]",
                    third = "O[m] += T[m,n] * D[n]", sizes = "m=4 n=6 k=2 p=3";
  Cascade marked = make_cascade({first, second}, sizes);
  const auto [none, pj] = departure(marked);
  EXPECT_EQ(none, Traffic{});
  marked.einsums[0].leaves = true;
  const auto [outside, more_pj] = departure(marked);
  EXPECT_EQ(outside, (Traffic{0, 0, 4 * 6}));
  EXPECT_GT(more_pj, pj);
  // A reader behind the group is the same.
  EXPECT_EQ(departure(make_cascade({first, second, third}, sizes)), departure(marked));
}

// Each of the two steps of p needs three rows of T; nobody would make the row between them.
TEST(EvaluatePlan, RefusesToLeaveOutWhatAlsoLeaves) {
  Cascade cascade = make_cascade({"T[y] += I[y] * W[y]", "O[p] += T[2*p] * V[p]"}, "y=7 p=4");
  ASSERT_TRUE(problems_of(cascade).empty());
  Plan plan = unfused(cascade, "Buffer");
  plan.groups = {{{{"p", 2}}, {{{}, {}, 0}, {{}, {}, 1}}, -1}};
  plan.leaves[0].tensors.back() = {Placement::Kind::Local, 0};
  EXPECT_TRUE(problems_of(cascade, plan).empty());
  cascade.einsums[0].leaves = true;
  EXPECT_EQ(problems_of(cascade, plan),
            std::vector<std::string>{"T also leaves its group, where loops leave out parts of it: "
                                     "that is not covered"});
  plan.groups.front().loops.clear();
  EXPECT_TRUE(problems_of(cascade, plan).empty());
}

TEST(EvaluatePlan, RefusesToNormaliseOnlineWhatAlsoLeaves) {
  Cascade cascade =
      make_cascade({"S[m,p] += Q[m,e] * K[p,e]", "O[m,f] += S[m,p] * V[p,f]"}, "m=4 p=6 e=2 f=2");
  cascade.einsums[0].then = Afterwards{"softmax", "p", 2, 0, {}};
  Plan plan = unfused(cascade, "Buffer");
  plan.groups = {{{{"p", 2}}, {{{}, {}, 0}, {{}, {}, 1}}, -1}};
  plan.leaves[0].tensors.back() = {Placement::Kind::Local, 0};
  EXPECT_TRUE(problems_of(cascade, plan).empty());
  cascade.einsums[0].leaves = true;
  EXPECT_EQ(problems_of(cascade, plan),
            std::vector<std::string>{"softmax of S, which also leaves, needs all of p: its readers "
                                     "cannot share a loop over it"});
}

// Rows 0 to 3 of T behind two zeros; each step of p needs two rows and the two before them.
TEST(EvaluatePlan, MakesNoZerosOfPadding) {
  const Cascade cascade =
      make_cascade({"T[y] += I[y] * W[y]", "O[p] += T[p+r] * V[r]"}, "y=4 p=4 r=3");
  ASSERT_TRUE(problems_of(cascade).empty());
  Plan plan = unfused(cascade, "Buffer");
  plan.groups = {{{{"p", 2}}, {{{}, {}, 0}, {{}, {}, 1}}, -1}};
  const auto executed = [&](Placement placement) {
    plan.leaves[0].tensors.back() = placement;
    std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
    for (const Execution& one : executions_of(cascade, plan, 0)) {
      sizes.emplace_back(one.extents[0], one.count);
    }
    return sizes;
  };
  using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(executed({Placement::Kind::Local, 0}), (Sizes{{4, 1}, {2, 1}}));
  EXPECT_EQ(executed({Placement::Kind::Kept, 1}), (Sizes{{2, 2}}));
  plan.groups.front().loops = {{"p", 4}};
  EXPECT_EQ(executed({Placement::Kind::Kept, 0}), (Sizes{{1, 4}}));
  // Made again, the second piece would have one of the zeros.
  executed({Placement::Kind::Local, 0});
  EXPECT_EQ(
      problems_of(cascade, plan),
      std::vector<std::string>{"a loop cuts T into pieces that are not longer than its padding"});
}

TEST(EvaluatePlan, SaysWhereTheRoomEnds) {
  const Cascade cascade =
      make_cascade({"T[m,n] += A[m,k] * B[k,n]", "O[m,p] += T[m,n] * C[n,p]"}, "m=4 n=6 k=2 p=3");
  const Architecture arch = make_arch({make_memory("DRAM"), make_memory("Buffer", 20)});
  Plan plan = unfused(cascade, "Buffer");
  plan.groups = {{{}, {{{}, {}, 0}, {{}, {}, 1}}, -1}};
  plan.leaves[0].tensors[2] = {Placement::Kind::Local, 0};
  TestRng rng(1);
  add_random_nests(rng, cascade, arch, plan);
  const auto found = evaluate_plan(cascade, arch, plan);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found.value->misfit.empty());
}

TEST(Plans, AreReadBackAsTheyAreWritten) {
  int tried = 0;
  for (std::uint64_t seed = 1; tried < affordable(200); ++seed) {
    TestRng rng(9'000'000 + seed);
    const auto random = random_plan(rng, /*several_memories=*/seed % 2 == 0);
    if (!random) continue;
    ++tried;
    const std::string text = io::write_plan(random->cascade, random->plan);
    const auto read = io::read_plan(text, "plan", random->cascade, random->arch);
    ASSERT_TRUE(read.ok()) << to_string(read.problems.front()) << "\n" << text;
    EXPECT_EQ(read.value->groups, random->plan.groups) << text;
    for (std::size_t i = 0; i < read.value->leaves.size(); ++i) {
      EXPECT_EQ(read.value->leaves[i].tensors, random->plan.leaves[i].tensors) << text;
    }
    EXPECT_EQ(io::write_plan(random->cascade, *read.value), text);
  }
}

TEST(Cascades, AreReadBackAsTheyAreWritten) {
  for (const io::BuiltinFile& file : io::builtin_cascades()) {
    const auto cascade = io::read_cascade(file.text, file.name);
    ASSERT_TRUE(cascade.ok()) << to_string(cascade.problems.front());
    Cascade changed = *cascade.value;
    changed.einsums.front().leaves = true;
    for (const Cascade& one : {*cascade.value, changed}) {
      const auto again = io::read_cascade(io::write_cascade(one), "written");
      ASSERT_TRUE(again.ok()) << to_string(again.problems.front());
      EXPECT_EQ(*again.value, one);
    }
  }
}

}  // namespace
}  // namespace tilewright::testing
