// What tests ask mappers for, in one value.
#pragma once

#include "mappers/genetic/genetic.h"
#include "mappers/optimal/optimal.h"
#include "mappers/quickflow/quickflow.h"

namespace tilewright {

struct Asked : Limits {
  Objective objective = Objective::Edp;
  bool settle_ties = true;
  std::optional<Score> to_beat;
  Foreknown known;
  Granularity granularity;
  bool uneven = false;
  std::uint32_t memories = ~0U;  // that may be uneven

  MappingTask task(const Evaluator& evaluator, SpaceKind kind,
                   const Restrictions& restrictions) const {
    MappingTask task{evaluator, kind, restrictions, objective, settle_ties, to_beat, known};
    task.uneven = uneven ? memories : 0U;
    return task;
  }
};

inline OptimalResult find_optimum(const Evaluator& evaluator, SpaceKind kind,
                                  const Restrictions& restrictions, const Asked& asked) {
  return find_optimum(asked.task(evaluator, kind, restrictions), asked, asked.granularity);
}

inline ParetoFront find_front(const Evaluator& evaluator, SpaceKind kind,
                              const Restrictions& restrictions, const Asked& asked) {
  return find_front(asked.task(evaluator, kind, restrictions), asked);
}

inline SearchResult search_locally(const Evaluator& evaluator, SpaceKind kind,
                                   const Restrictions& restrictions, const Asked& asked,
                                   const QuickflowSettings& settings = {}) {
  return search_locally(asked.task(evaluator, kind, restrictions), asked, settings);
}

inline SearchResult search_genetically(const Evaluator& evaluator, SpaceKind kind,
                                       const Restrictions& restrictions, const Asked& asked,
                                       const GeneticSettings& settings = {}) {
  return search_genetically(asked.task(evaluator, kind, restrictions), asked, settings);
}

}  // namespace tilewright
