#include "fusion/flat_candidates.h"

#include <algorithm>
#include <numeric>

#include "base/bits.h"
#include "fusion/count_leaf.h"
#include "fusion/count_loads.h"

namespace tilewright::fusion {

namespace {

// Whether it may pay that an intermediate stays for longer than from its writer to its readers: a
// reader sees overlapping windows of it, or a loop would have it made again.
bool keeping_may_pay(const Geometry& geometry, int einsum) {
  for (const IntermediateReader& reader : geometry.readers(einsum)) {
    const Workload& workload = geometry.cascade().workload(reader.einsum);
    for (const Rank& rank : workload.tensor(reader.tensor).ranks) {
      if (rank.size() > 1) return true;
    }
  }
  for (int k = 0; k < static_cast<int>(geometry.path(einsum).size()); ++k) {
    if (!geometry.moves_any(einsum, k)) return true;
  }
  return false;
}

double work(const Execution& execution) {
  double macs = static_cast<double>(execution.count);
  for (const std::int64_t extent : execution.extents) macs *= static_cast<double>(extent);
  return macs;
}

}  // namespace

std::vector<Placement> places_of(const Geometry& geometry, int einsum, TensorId tensor) {
  std::vector<Placement> places = {{Placement::Kind::Local, 0}};
  for (int depth = 0; depth <= static_cast<int>(geometry.path(einsum).size()); ++depth) {
    if (depth > 0 && !geometry.moves(einsum, tensor, depth - 1)) continue;
    places.push_back({Placement::Kind::Kept, depth});
  }
  return places;
}

std::int64_t room_taken(const Geometry& geometry, const Architecture& arch, int einsum) {
  return room_taken(geometry, arch, einsum, executions_of(geometry, einsum).front().extents);
}

FlatCandidates::FlatCandidates(const FlatTask& task) : task_(task) {
  const Cascade& cascade = task.cascade;
  for (const Dimension& dim : cascade.einsums.back().workload.dims) {
    std::vector<std::int64_t> counts;
    for (std::int64_t count = 2; count <= dim.size; ++count) {
      if (dim.size % count == 0 && may_have({dim.name, count})) counts.push_back(count);
    }
    counts_.push_back(std::move(counts));
  }
  for (const CascadeEinsum& einsum : cascade.einsums) {
    multiples_.emplace_back(einsum.workload.dims.size(), 1);
  }
}

Plan FlatCandidates::plan_of(const Loops& loops) const {
  Plan plan = unfused(task_.cascade, task_.shared);
  PlanNode group{loops, std::move(plan.groups), -1};
  plan.groups = {std::move(group)};
  for (const Intermediate& one : intermediates_of(task_.cascade)) {
    plan.leaves[at(one.writer)].tensors.back() = {Placement::Kind::Local, 0};
  }
  return plan;
}

bool FlatCandidates::may_have(const SharedLoop& loop) const {
  const Plan plan = plan_of({loop});
  const Geometry geometry(task_.cascade, plan);
  if (!located_problems_of(geometry).empty()) return false;
  bool moves_all = true;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    moves_all = moves_all && geometry.moves_any(e, 0);
  }
  return moves_all || task_.recompute;
}

std::vector<FlatCandidate> FlatCandidates::list(const Deadline& deadline) {
  Loops loops;
  extend(loops, 0, deadline);
  std::vector<double> least;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    least.push_back(task_.nests.least_pj_per_mac(task_.first + e, multiples_[at(e)]));
  }
  for (FlatCandidate& one : all_) {
    one.bound_pj = one.fixed_pj + one.loads_pj;
    for (std::size_t e = 0; e < least.size(); ++e) one.bound_pj += one.macs[e] * least[e];
  }
  std::stable_sort(all_.begin(), all_.end(), [](const FlatCandidate& a, const FlatCandidate& b) {
    return a.bound_pj < b.bound_pj;
  });
  return std::move(all_);
}

// Adds loops over the dimensions from this one on, or none.
void FlatCandidates::extend(Loops& loops, std::size_t dim, const Deadline& deadline) {
  deadline.check();
  if (dim == counts_.size()) {
    list_orders(loops);
    return;
  }
  extend(loops, dim + 1, deadline);
  for (const std::int64_t count : counts_[dim]) {
    loops.push_back({task_.cascade.einsums.back().workload.dims[dim].name, count});
    extend(loops, dim + 1, deadline);
    loops.pop_back();
  }
}

void FlatCandidates::list_orders(Loops loops) {
  const Plan any = plan_of(loops);
  const Geometry geometry(task_.cascade, any);
  if (!located_problems_of(geometry).empty() || !has_room(geometry)) return;
  const auto before = [](const SharedLoop& a, const SharedLoop& b) { return a.dim < b.dim; };
  std::sort(loops.begin(), loops.end(), before);
  do {
    Plan plan = plan_of(loops);
    place(plan, Geometry(task_.cascade, plan), 0);
  } while (std::next_permutation(loops.begin(), loops.end(), before));
}

// Intermediates that are only there from writer to reader take the least room there is.
bool FlatCandidates::has_room(const Geometry& geometry) const {
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    if (room_taken(geometry, task_.arch, e) > task_.nests.capacity()) return false;
  }
  return true;
}

void FlatCandidates::place(Plan& plan, const Geometry& geometry, int einsum) {
  if (einsum == task_.cascade.einsum_count()) {
    add(plan, geometry);
    return;
  }
  place(plan, geometry, einsum + 1);
  if (!geometry.is_intermediate(einsum) || !keeping_may_pay(geometry, einsum)) return;
  const TensorId output = task_.cascade.workload(einsum).output();
  for (const Placement& placement : places_of(geometry, einsum, output)) {
    if (placement.kind == Placement::Kind::Local) continue;
    plan.leaves[at(einsum)].tensors.back() = placement;
    place(plan, geometry, einsum + 1);
  }
  plan.leaves[at(einsum)].tensors.back() = {Placement::Kind::Local, 0};
}

void FlatCandidates::add(Plan& plan, const Geometry& geometry) {
  const Cascade& cascade = task_.cascade;
  if (!located_problems_of(geometry).empty() || !has_room(geometry)) return;
  FlatCandidate one{plan, {}, 0, least_loads(plan, geometry), 0};
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    double macs = 0;
    for (const Execution& execution : executions_of(geometry, e)) {
      macs += work(execution);
      for (std::size_t d = 0; d < execution.extents.size(); ++d) {
        std::int64_t& multiple = multiples_[at(e)][d];
        multiple = std::lcm(multiple, execution.extents[d]);
      }
    }
    one.macs.push_back(macs);
    const auto& then = cascade.einsums[at(e)].then;
    if (!then) continue;
    one.fixed_pj += then->energy_pj * static_cast<double>(afterwards_elements(geometry, e));
  }
  all_.push_back(std::move(one));
}

double FlatCandidates::least_loads(Plan& plan, const Geometry& geometry) const {
  double pj = 0;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    for (int t = 0; t < task_.cascade.workload(e).tensor_count(); ++t) {
      const TensorId tensor{t};
      if (!comes_from_outside(geometry, e, tensor) || !contains(task_.may_reside(e), t)) continue;
      Placement& placement = plan.leaves[at(e)].tensors[at(t)];
      std::optional<double> least;
      for (const Placement& place : places_of(geometry, e, tensor)) {
        placement = place;
        const double one = load_pj(geometry, task_.arch, e, tensor);
        least = std::min(least.value_or(one), one);
      }
      placement = {};
      pj += *least;
    }
  }
  return pj;
}

}  // namespace tilewright::fusion
