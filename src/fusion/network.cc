// Networks: the best plan of every part.
#include <algorithm>

#include "base/deadline.h"
#include "tilewright/fusion.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

// The same work, whatever things are called.
Cascade without_names(Cascade cascade) {
  std::vector<std::string> tensors;
  const auto number_of = [&](const std::string& name) {
    const auto found = std::find(tensors.begin(), tensors.end(), name);
    if (found == tensors.end()) tensors.push_back(name);
    return std::to_string(std::find(tensors.begin(), tensors.end(), name) - tensors.begin());
  };
  cascade.name = cascade.source = "";
  for (CascadeEinsum& einsum : cascade.einsums) {
    einsum.workload.name = "";
    for (Tensor& tensor : einsum.workload.tensors) tensor.name = number_of(tensor.name);
  }
  return cascade;
}

class NetworkFuser {
 public:
  NetworkFuser(const Architecture& arch, const FuseOptions& options)
      : arch_(arch), options_(options) {}

  FusedPart fuse_part(const Cascade& cascade) const {
    if (cascade.einsum_count() == 1) return alone(cascade);
    FusedPart part;
    FuseOutcome outcome = fuse(cascade, arch_, options_);
    if (outcome.found()) {
      part.found = true;
      part.unfused_pj = outcome.unfused_pj;
      part.energy_pj = outcome.energy_pj;
      part.proven = outcome.proven;
      part.bound_pj = outcome.bound_pj;
      part.plan = std::move(outcome.plan);
      return part;
    }
    part = alone(cascade);
    part.problems.insert(part.problems.begin(), outcome.problems.begin(), outcome.problems.end());
    return part;
  }

 private:
  // Every einsum on its own.
  FusedPart alone(const Cascade& cascade) const {
    FusedPart part;
    part.found = part.proven = true;
    for (const CascadeEinsum& einsum : cascade.einsums) add_alone(einsum.workload, part);
    part.unfused_pj = part.energy_pj;
    return part;
  }

  void add_alone(const Workload& workload, FusedPart& part) const {
    MapOptions options;
    options.objective = Objective::Energy;
    options.limits.seconds = options_.seconds;
    options.limits.cancelled = options_.cancelled;
    const MapOutcome outcome = map_workload(workload, arch_, options);
    const bool proven =
        outcome.found() && outcome.proof && outcome.proof->status == Proof::Status::Proven;
    part.found = part.found && outcome.found();
    part.proven = part.proven && proven;
    append(part.problems, outcome.problems);
    if (!outcome.found()) return;
    part.energy_pj += outcome.search.score.energy_pj;
    part.bound_pj += outcome.proof ? outcome.proof->bound : 0;
  }

  const Architecture& arch_;
  const FuseOptions& options_;
};

}  // namespace

std::size_t FusedNetwork::missing() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) count += of(i).found ? 0U : 1U;
  return count;
}

FusedNetwork fuse_network(const Network& network, const Architecture& arch,
                          const FuseOptions& options) {
  const Deadline clock(std::nullopt, options.cancelled);
  const NetworkFuser fuser(arch, options);
  FusedNetwork fused{parts_of(network), {}, 0};
  std::vector<Cascade> known;
  for (const NetworkPart& part : fused.parts.parts) {
    known.push_back(without_names(part.cascade));
    const auto first = std::find(known.begin(), known.end(), known.back()) - known.begin();
    FusedPart outcome;
    if (static_cast<std::size_t>(first) + 1 == known.size())
      outcome = fuser.fuse_part(part.cascade);
    outcome.first = static_cast<std::size_t>(first);
    fused.outcomes.push_back(std::move(outcome));
  }
  fused.seconds = clock.seconds();
  return fused;
}

}  // namespace tilewright
