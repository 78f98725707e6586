#include "tilewright/map.h"

namespace tilewright {

namespace {

struct PaddedAxis {
  std::int64_t size = 1;
  std::uint32_t dims = 0;  // that may be unrolled along it
};

std::vector<PaddedAxis> axes_of(const Problem& problem, const Restrictions& restrictions) {
  std::vector<PaddedAxis> axes;
  for (int s = 0; s < problem.slot_count(); ++s) {
    const Slot& slot = problem.slots()[at(s)];
    if (slot.is_temporal() || problem.instances_along(s) == 1) continue;
    PaddedAxis axis{problem.instances_along(s), 0};
    for (int d = 0; d < problem.dim_count(); ++d) {
      if (restrictions.limits(s, DimId{d}).most > 1) axis.dims |= 1U << d;
    }
    axes.push_back(axis);
  }
  return axes;
}

// Chooses a dimension or none for every axis.
void choose(const std::vector<PaddedAxis>& axes, std::size_t axis, const Workload& original,
            std::vector<std::int64_t>& multiples, std::vector<Workload>& found) {
  // More than this many would take longer to search than they are worth.
  constexpr std::size_t kMost = 64;
  if (found.size() >= kMost) return;
  if (axis == axes.size()) {
    Workload padded = original;
    for (std::size_t d = 0; d < multiples.size(); ++d) {
      std::int64_t& size = padded.dims[d].size;
      size = ceil_div(size, multiples[d]) * multiples[d];
    }
    const bool sound = problems_of(padded).empty();
    if (sound && !contains(found, padded)) found.push_back(std::move(padded));
    return;
  }
  choose(axes, axis + 1, original, multiples, found);
  for (std::size_t d = 0; d < multiples.size(); ++d) {
    const bool allowed = ((axes[axis].dims >> d) & 1U) != 0;
    if (!allowed || original.dims[d].size <= multiples[d] * axes[axis].size) continue;
    multiples[d] *= axes[axis].size;
    choose(axes, axis + 1, original, multiples, found);
    multiples[d] /= axes[axis].size;
  }
}

}  // namespace

std::vector<Workload> padded_workloads(const Workload& workload, const Architecture& arch,
                                       const std::vector<Constraint>& more) {
  const Checked<Problem> problem = Problem::create(workload, arch);
  if (!problem.ok()) return {workload};
  const Checked<Restrictions> restrictions = Restrictions::create(*problem.value, more);
  if (!restrictions.ok()) return {workload};
  std::vector<Workload> found;
  std::vector<std::int64_t> multiples(workload.dims.size(), 1);
  choose(axes_of(*problem.value, *restrictions.value), 0, workload, multiples, found);
  return found;
}

}  // namespace tilewright
