// Fused mapping against every plan of small cascades.
// `tilewright_long_fused_against_brute_force [--cases N] [--seed S]`.

#include <cmath>
#include <cstdio>

#include "long/oracle_cases.h"
#include "support/fusion_brute_force.h"
#include "support/fusion_case.h"
#include "tilewright/fusion.h"

namespace {

using namespace tilewright;
using namespace tilewright::testing;

struct Tally {
  int compared = 0, fused = 0, inner_runs = 0, wrong = 0;
};

bool has_inner_run(const PlanNode& node) {
  for (const PlanNode& child : node.children) {
    if (!child.is_leaf()) return true;
  }
  return false;
}

void compare(std::uint64_t seed, Tally& tally) {
  TestRng rng(seed);
  const Cascade cascade = fusion_cascade(rng, {1, 2, 2, 3, 4});
  const Architecture arch = fusion_arch(rng, rng.between(5, 40));
  if (arch.levels.size() > 4) return;
  const FuseOutcome outcome = fuse(cascade, arch);
  if (outcome.status == FuseOutcome::Status::BadInput) return;
  const FusedBruteForce best = fused_brute_force(cascade, arch, 6'000);
  if (!best.complete) return;
  ++tally.compared;
  const double found = outcome.found() ? outcome.energy_pj : 0;
  if (std::abs(found - best.best_pj.value_or(0)) > 1e-9 * found) {
    ++tally.wrong;
    std::printf("seed %llu: %.9g found, %.9g by trying all\n",
                static_cast<unsigned long long>(seed), found, best.best_pj.value_or(0));
  }
  if (!outcome.found()) return;
  tally.fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
  for (const PlanNode& group : outcome.plan.groups)
    tally.inner_runs += has_inner_run(group) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const OracleCases asked(argc, argv);
  Tally tally;
  for (std::int64_t i = 0; i < asked.cases; ++i) {
    compare(asked.seed * 1'000'003 + static_cast<std::uint64_t>(i), tally);
  }
  std::printf("%d compared, %d fused, %d with inner runs, %d wrong\n", tally.compared, tally.fused,
              tally.inner_runs, tally.wrong);
  return tally.wrong == 0 ? 0 : 1;
}
