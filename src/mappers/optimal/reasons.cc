#include "mappers/optimal/reasons.h"

#include <fmt/format.h>

namespace tilewright::optimal {

std::vector<Diagnostic> why_nothing_fits(const SolverTables& solver,
                                         const std::vector<Verdict>& misfits) {
  std::vector<Diagnostic> reasons;
  for (const Verdict& misfit : misfits) {
    reasons.push_back({{},
                       fmt::format("no mapping fits {}: even the smallest tiles are too large",
                                   to_string(misfit, solver.problem())),
                       {}});
  }
  if (!reasons.empty()) return reasons;
  // No factors at all, or none that go together.
  const MadeSpace space = MapSpace::create(solver.problem(), solver.kind, *solver.restrictions);
  if (!space.ok() && !space.too_large) return space.problems;
  return {{{},
           fmt::format("no mapping of {} on {} fits: every choice of factors exceeds a memory or a "
                       "fan-out, or breaks a constraint",
                       solver.problem().workload().name, solver.problem().arch().name),
           {}}};
}

}  // namespace tilewright::optimal
