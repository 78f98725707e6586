#include <fmt/format.h>

#include "tilewright/map.h"

namespace tilewright {

namespace {

// Constraints on a memory's loops that would span several storage points. A memory that keeps
// a single tensor has one point.
void find_loop_rules(const MappingTask& task, MemoryId memory, std::vector<Diagnostic>& reasons) {
  const Problem& problem = task.evaluator.problem();
  if (__builtin_popcount(task.restrictions.keep_allowed(memory)) < 2) return;
  const std::string& name = problem.memory(memory).name;
  const auto complain = [&](const std::string& what) {
    reasons.push_back(
        {{},
         fmt::format("{}: constraints on {} cannot be met by uneven mappings yet", name, what),
         "leave out --uneven, or the constraint"});
  };
  if (!task.restrictions.outermost(memory).empty() ||
      !task.restrictions.innermost(memory).empty()) {
    complain("the order of its loops");
  }
  for (int d = 0; d < problem.dim_count(); ++d) {
    const BoundLimits& limits = task.restrictions.limits(problem.use(memory).slot, DimId{d});
    const bool is_mask = limits.most == 1 || !limits.most_by_constraint;
    if (limits.least > 1 || !is_mask) {
      complain(fmt::format("the bounds of its loops of {}", problem.workload().dim(DimId{d}).name));
    }
  }
}

}  // namespace

std::vector<Diagnostic> reasons_against_uneven(const MappingTask& task) {
  std::vector<Diagnostic> reasons;
  const auto complain = [&](std::string message, std::string hint) {
    reasons.push_back({{"--uneven"}, std::move(message), std::move(hint)});
  };
  if (task.space != SpaceKind::Perfect) {
    complain("uneven mappings are searched with perfect factors alone, not yet with remainders",
             "take --mapspace pfm");
  }
  if (has_points(task.evaluator.problem())) {
    complain("the architecture has storage points already", "give it with whole memories");
  }
  if (task.evaluator.problem().systolic()) {
    complain("uneven mappings of systolic arrays, with fill or preload, are not searched yet",
             "leave out --uneven, or fill and preload of the architecture's fan-outs");
  }
  if (shares_halos(task.evaluator.problem().arch())) {
    complain("uneven mappings with \"halo: shared\" are not searched yet",
             "leave out --uneven, or \"halo: shared\" of the architecture's fan-outs");
  }
  for (int m = 0; m < task.evaluator.problem().memory_count(); ++m) {
    find_loop_rules(task, MemoryId{m}, reasons);
  }
  return reasons;
}

}  // namespace tilewright
