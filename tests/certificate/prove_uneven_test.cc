// The best even mapping is refuted until the best of all is left: the solver's, on sizes with many
// factors, where a storage point may stand between two loops of one dimension.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/asked.h"
#include "support/check_optimum.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "support/space_kinds.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"

namespace tilewright::certificate {
namespace {

using testing::affordable;
using testing::TestRng;

Architecture random_arch(TestRng& rng) {
  Memory outer = testing::make_memory("Outer");
  outer.read_pj = outer.write_pj = outer.update_pj = 64;
  Memory middle = testing::make_memory("Middle", rng.between(20, 200));
  middle.read_pj = middle.write_pj = 2;
  middle.update_pj = 2.5;
  if (rng.chance(40)) middle.read_bandwidth = Rational{rng.between(1, 4), 1};
  Memory inner = testing::make_memory("Inner", rng.between(5, 24));
  inner.read_pj = inner.write_pj = inner.update_pj = 0.5;
  if (rng.chance(30)) inner.write_bandwidth = Rational{1, 2};
  return testing::make_arch({outer, middle, testing::make_fanout("Array", 2, 2), inner});
}

Workload random_workload(TestRng& rng) {
  const auto size = [&] { return rng.pick<std::int64_t>({4, 6, 8, 12, 16}); };
  if (rng.chance(60)) return make_gemm("gemm", size(), size(), size());
  Conv2d conv;
  conv.in_channels = rng.pick<std::int64_t>({2, 4});
  conv.out_channels = rng.pick<std::int64_t>({4, 8});
  conv.p = rng.pick<std::int64_t>({4, 8});
  conv.r = rng.between(2, 3);
  return make_conv2d("conv", conv);
}

// How many better mappings the checker knew of, or -1 if the solver has no proof.
int refute(const Problem& problem, SpaceKind kind, Objective objective) {
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions none = *Restrictions::create(problem).value;
  Asked asked;
  asked.objective = objective;
  const OptimalResult even = find_optimum(evaluator, kind, none, asked);
  asked.uneven = true;
  const OptimalResult best = find_optimum(evaluator, kind, none, asked);
  if (best.status != OptimalResult::Status::Proven) return -1;
  Claim claim{problem, kind, {}, objective, *even.best, {}};
  claim.among = Among::All;
  Proven proven = prove(claim);
  int refuted = 0;
  for (; proven.better; ++refuted) {
    claim.mapping = *proven.better;
    claim.apart = proven.apart;
    proven = prove(claim);
  }
  if (!proven.certificate) {
    ADD_FAILURE() << to_string(proven.problems.front());
    return refuted;
  }
  EXPECT_TRUE(
      testing::same_value(std::stod(proven.certificate->value), value_of(objective, best.score)))
      << proven.certificate->value << " and not " << value_of(objective, best.score);
  EXPECT_TRUE(check(*proven.certificate).problems.empty());
  return refuted;
}

class ProveUneven : public ::testing::TestWithParam<SpaceKind> {};

TEST_P(ProveUneven, RefutesTheBestEvenMappingUntilTheBestOfAllIsLeft) {
  const bool perfect = GetParam() == SpaceKind::Perfect;
  int gains = 0;
  int unproven = 0;
  const bool in_time = GetParam() == SpaceKind::RubyT || GetParam() == SpaceKind::Ruby;
  const int cases = affordable(perfect ? 40 : in_time ? 4 : 8);
  for (int i = 0; i < cases; ++i) {
    TestRng rng(7'000 + static_cast<std::uint64_t>(i));
    const Workload workload = random_workload(rng);
    Architecture arch = random_arch(rng);
    if (!perfect) std::get<Fanout>(arch.levels[2]).x.size = 3;  // divides few of the sizes
    const Problem problem = testing::make_problem(workload, arch);
    const auto objective =
        rng.pick<Objective>({Objective::Energy, Objective::Edp, Objective::Latency});
    SCOPED_TRACE(fmt::format("case {}, {}", i, to_string(objective)));
    const int refuted = refute(problem, GetParam(), objective);
    gains += refuted > 0 ? 1 : 0;
    unproven += refuted < 0 ? 1 : 0;
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << io::write_architecture(problem.arch())
                    << io::write_workload(problem.workload());
      return;
    }
  }
  EXPECT_GE(gains, cases / 4);
  EXPECT_LE(unproven, cases / 4);
}

INSTANTIATE_TEST_SUITE_P(Spaces, ProveUneven, ::testing::ValuesIn(testing::kSpaceKinds),
                         testing::name_of_space);

}  // namespace
}  // namespace tilewright::certificate
