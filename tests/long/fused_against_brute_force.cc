// Fused mapping against every plan of small cascades.
// `tilewright_long_fused_against_brute_force [--cases N] [--seed S]`.

#include <cmath>
#include <cstdio>

#include "long/oracle_cases.h"
#include "support/flat_brute_force.h"
#include "support/fusion_brute_force.h"
#include "support/fusion_case.h"
#include "tilewright/fusion.h"

namespace {

using namespace tilewright;
using namespace tilewright::testing;

struct Tally {
  int compared = 0, timed = 0, uneven = 0, fused = 0, inner_runs = 0, wrong = 0;
  int flat = 0, flat_timed = 0, flat_kept = 0, flat_unproven = 0;
};

// Most comparisons are of cascades with few plans, some of those with many.
std::uint64_t most_plans(std::uint64_t seed) { return seed % 8 == 0 ? 6'000 : 800; }

bool has_inner_run(const PlanNode& node) {
  for (const PlanNode& child : node.children) {
    if (!child.is_leaf()) return true;
  }
  return false;
}

void compare(std::uint64_t seed, Tally& tally) {
  TestRng rng(seed);
  Cascade cascade = fusion_cascade(rng, {1, 2, 2, 3, 4});
  const bool timed = rng.chance(40);
  const std::int64_t words = rng.between(5, 40);
  const Architecture arch = timed ? fusion_arch_with_ports(rng, words) : fusion_arch(rng, words);
  if (arch.levels.size() > 4) return;
  FuseOptions options;
  if (timed) {
    add_rate(rng, cascade);
    options.objective = rng.pick<Objective>({Objective::Edp, Objective::Latency, Objective::Ed2p});
  }
  options.uneven_nests = !timed && rng.chance(50);
  const FusedBruteForce best =
      fused_brute_force(cascade, arch, {most_plans(seed), timed, options.uneven_nests});
  if (!best.complete) return;
  const FuseOutcome outcome = fuse(cascade, arch, options);
  if (outcome.status == FuseOutcome::Status::BadInput) return;
  const auto least = least_value(best, options.objective);
  ++tally.compared;
  tally.timed += timed ? 1 : 0;
  tally.uneven += options.uneven_nests ? 1 : 0;
  const double found = outcome.found() ? outcome.value : 0;
  if (std::abs(found - least.value_or(0)) > 1e-9 * found) {
    ++tally.wrong;
    std::printf("seed %llu: %.9g found, %.9g by trying all\n",
                static_cast<unsigned long long>(seed), found, least.value_or(0));
  }
  if (!outcome.found()) return;
  tally.fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
  for (const PlanNode& group : outcome.plan.groups)
    tally.inner_runs += has_inner_run(group) ? 1 : 0;
}

void compare_flat(std::uint64_t seed, Tally& tally) {
  TestRng rng(seed + 40'000);
  const Cascade cascade = flat_cascade(rng);
  Architecture arch = fusion_arch(rng, rng.between(3, 16));
  FuseOptions options;
  options.recompute = rng.chance(40);
  if (arch.levels.size() > 4) return;
  FlatPlans plans{options.recompute, most_plans(seed)};
  plans.timed = rng.chance(40);
  if (plans.timed) {
    add_ports(rng, arch);
    options.objective = rng.pick<Objective>({Objective::Edp, Objective::Latency, Objective::Ed2p});
  }
  const FlatBruteForce best = flat_brute_force(cascade, arch, plans);
  if (!best.complete) return;
  const FuseOutcome outcome = fuse(cascade, arch, options);
  if (outcome.status == FuseOutcome::Status::BadInput) return;
  const bool trees = outcome.found() && outcome.searched != FuseOutcome::Searched::Flat;
  ++tally.flat;
  tally.flat_timed += plans.timed ? 1 : 0;
  const auto value = plans.timed ? least_value(best, options.objective) : best.pj;
  const double least = value.value_or(0), found = outcome.found() ? outcome.value : 0;
  // Products of energy and cycles are compared to one part in 10^8.
  const double rounding = plans.timed ? 1e-8 : 1e-9;
  const bool same = std::abs(found - least) <= rounding * least;
  const bool above = found > least && least >= outcome.bound * (1 - rounding) && !outcome.proven;
  tally.flat_unproven += outcome.found() && !outcome.proven ? 1 : 0;
  // Trees may be better than all that is flat.
  if (!same && !above && !(trees && found < least)) {
    ++tally.wrong;
    std::printf("seed %llu, flat: %.9g found, %.9g by trying all\n",
                static_cast<unsigned long long>(seed), found, least);
  }
  if (!outcome.found()) return;
  for (const PlanLeaf& leaf : outcome.plan.leaves) {
    if (leaf.tensors.back().kind == Placement::Kind::Kept) {
      ++tally.flat_kept;
      break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const OracleCases asked(argc, argv);
  Tally tally;
  for (std::int64_t i = 0; i < asked.cases; ++i) {
    const std::uint64_t seed = asked.seed * 1'000'003 + static_cast<std::uint64_t>(i);
    compare(seed, tally);
    compare_flat(seed, tally);
  }
  std::printf(
      "%d compared (%d with time, %d with uneven nests), %d fused, %d with inner runs, %d wrong\n",
      tally.compared, tally.timed, tally.uneven, tally.fused, tally.inner_runs, tally.wrong);
  std::printf(
      "%d flat ones compared, %d of them in time, %d that keep an intermediate, %d not proven\n",
      tally.flat, tally.flat_timed, tally.flat_kept, tally.flat_unproven);
  return tally.wrong == 0 ? 0 : 1;
}
