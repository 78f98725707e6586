#include "fusion/count_loads.h"
#include "tilewright/fusion.h"

namespace tilewright {

UnevenTotal unfused_and_uneven(const Cascade& cascade, const Architecture& arch,
                               const Limits& limits) {
  MapOptions options;
  options.objective = Objective::Energy;
  options.evenness = Evenness::Uneven;
  options.settle_ties = false;
  options.limits = limits;
  UnevenTotal total{0, true, {}};
  for (const CascadeEinsum& einsum : cascade.einsums) {
    const Workload& workload = einsum.workload;
    const MapOutcome outcome = map_workload(workload, arch, options);
    for (const Diagnostic& problem : outcome.problems) total.problems.push_back(problem);
    if (!outcome.found()) {
      total.pj.reset();
      total.proven = false;
      return total;
    }
    *total.pj += outcome.search.score.energy_pj;
    total.proven = total.proven && outcome.proof && outcome.proof->status == Proof::Status::Proven;
    if (!einsum.then) continue;
    std::vector<std::int64_t> sizes;
    for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
    *total.pj += einsum.then->energy_pj *
                 static_cast<double>(fusion::tile_words(workload, workload.output(), sizes));
  }
  return total;
}

}  // namespace tilewright
