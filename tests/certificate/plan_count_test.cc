// The checker's count of plans against that of the search.
#include "certificate/plan_count.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/bits.h"
#include "certificate/plan_extents.h"
#include "support/fusion_case.h"
#include "support/random_plan.h"
#include "support/slow_build.h"

namespace tilewright::certificate {
namespace {

using testing::add_rate;
using testing::affordable;
using testing::enough;
using testing::fusion_arch_with_ports;
using testing::fusion_cascade;
using testing::TestRng;

// Random trees of a space, with random places.
class RandomTrees {
 public:
  RandomTrees(TestRng& rng, const PlanSpace& space, const Cascade& cascade)
      : rng_(rng), space_(space), cascade_(cascade), plan_(unfused(cascade, "Buffer")) {
    plan_.groups.clear();
    std::vector<std::int64_t> left = space.sizes();
    const int last = cascade.einsum_count() - 1;
    if (space.may_be_group({0, last})) {
      plan_.groups.push_back(node({0, last}, left, 0));
      for (int e = 0; e <= last; ++e) place(e);
    } else {
      plan_ = unfused(cascade, "Buffer");
    }
  }
  const Plan& plan() const { return plan_; }

 private:
  PlanNode node(const EinsumRun& run, std::vector<std::int64_t> left, int depth) {
    PlanNode made;
    if (run.length() == 1) {
      made.einsum = run.first;
      depths_.push_back(depth);
      return made;
    }
    std::vector<int> dims;
    for (const int d : members(space_.shared_dims(run))) dims.push_back(d);
    while (!dims.empty() && rng_.chance(60)) {
      const int dim = rng_.pick(dims);
      const std::int64_t count = rng_.pick(divisors_of(left[at(dim)]));
      if (count == 1) continue;
      left[at(dim)] /= count;
      made.loops.push_back({name_of(dim), count});
    }
    const int inside = depth + static_cast<int>(made.loops.size());
    for (int first = run.first; first <= run.last;) {
      int last = static_cast<int>(rng_.between(first, run.last));
      if (first == run.first && last == run.last) --last;
      made.children.push_back(node({first, last}, left, inside));
      first = last + 1;
    }
    return made;
  }

  std::string name_of(int dim) const {
    for (const CascadeEinsum& einsum : cascade_.einsums) {
      for (const Dimension& one : einsum.workload.dims) {
        if (space_.find_dim(one.name) == dim) return one.name;
      }
    }
    return "";
  }

  void place(int e) {
    const EinsumRun group{0, cascade_.einsum_count() - 1};
    for (std::size_t t = 0; t < plan_.leaves[at(e)].tensors.size(); ++t) {
      tilewright::Placement& one = plan_.leaves[at(e)].tensors[t];
      using Kind = tilewright::Placement::Kind;
      const bool inside = space_.is_inside(group, e, static_cast<int>(t));
      one.kind = inside ? Kind::Local : rng_.pick<Kind>({Kind::Streamed, Kind::Local, Kind::Kept});
      if (one.kind == Kind::Kept) one.depth = static_cast<int>(rng_.between(0, depths_[at(e)]));
    }
  }

  TestRng& rng_;
  const PlanSpace& space_;
  const Cascade& cascade_;
  Plan plan_;
  std::vector<int> depths_;  // of paths, by einsum
};

TEST(PlanCount, RandomTreesCostAndFitAsTheSearchCounts) {
  int compared = 0, fits = 0, slow = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(1500)); ++seed) {
    TestRng rng(seed + 60'000);
    Cascade cascade = fusion_cascade(rng);
    const Architecture arch = fusion_arch_with_ports(rng, rng.between(20, 200));
    add_rate(rng, cascade);
    try {
      const PlanSpace space(cascade, arch, "Buffer", 6);
      const bool timed = rng.chance(70);
      const PlanTimes times(space, timed ? Objective::Edp : Objective::Energy);
      Plan plan = RandomTrees(rng, space, cascade).plan();
      ASSERT_TRUE(problems_of(cascade, plan).empty())
          << "seed " << seed << ": " << problems_of(cascade, plan).front();
      testing::add_random_nests(rng, cascade, arch, plan);
      const auto evaluation = evaluate_plan(cascade, arch, plan);
      ASSERT_TRUE(evaluation.ok()) << to_string(evaluation.problems.front());
      const PlanCounter counter(space, times, plan);
      EXPECT_EQ(counter.problem().empty(), evaluation.value->misfit.empty())
          << "seed " << seed << ": " << counter.problem();
      ++compared;
      if (!counter.problem().empty()) continue;
      ++fits;
      const PlanTotal total = counter.total();
      const double energy = static_cast<double>(total.energy) * std::pow(10, -space.decimals());
      ASSERT_NEAR(energy, evaluation.value->energy_pj, 1e-9 * energy) << "seed " << seed;
      ASSERT_EQ(total.cycles, timed ? evaluation.value->cycles : 0) << "seed " << seed;
      for (const LeafReport& leaf : evaluation.value->leaves) {
        slow += timed && leaf.cycles > leaf.compute_cycles ? 1 : 0;
      }
    } catch (const Unverifiable&) {
      continue;
    }
  }
  EXPECT_GE(compared, enough(800));
  EXPECT_GE(fits, enough(150));
  EXPECT_GE(slow, enough(100));
}

}  // namespace
}  // namespace tilewright::certificate
