#include "fusion/flat_candidates.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

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

// Loops around all einsums; intermediates are there from their writers to their readers.
Plan plan_of(const FlatTask& task, const std::vector<SharedLoop>& loops) {
  Plan plan = unfused(task.cascade, task.shared);
  PlanNode group{loops, std::move(plan.groups), -1};
  plan.groups = {std::move(group)};
  for (const Intermediate& one : intermediates_of(task.cascade)) {
    plan.leaves[at(one.writer)].tensors.back() = {Placement::Kind::Local, 0};
  }
  return plan;
}

// Whether some places of the intermediates allow these loops. Where neither tiles that are there
// from writer to readers nor whole tensors do, nothing in between does.
bool is_possible(const FlatTask& task, Plan plan) {
  const Geometry geometry(task.cascade, plan);
  if (located_problems_of(geometry).empty()) return true;
  for (const Intermediate& one : intermediates_of(task.cascade)) {
    plan.leaves[at(one.writer)].tensors.back() = {Placement::Kind::Kept, 0};
  }
  return located_problems_of(geometry).empty();
}

// The least energy of loading all tensors from outside, wherever they are kept; or those of some
// einsums.
double least_loads(const FlatTask& task, Plan& plan, const Geometry& geometry,
                   const std::vector<bool>* of = nullptr) {
  double pj = 0;
  for (int e = 0; e < task.cascade.einsum_count(); ++e) {
    if (of != nullptr && !(*of)[at(e)]) continue;
    for (int t = 0; t < task.cascade.workload(e).tensor_count(); ++t) {
      const TensorId tensor{t};
      if (!comes_from_outside(geometry, e, tensor) || !contains(task.may_reside(e), t)) continue;
      Placement& placement = plan.leaves[at(e)].tensors[at(t)];
      std::optional<double> least;
      for (const Placement& place : places_of(geometry, e, tensor)) {
        placement = place;
        const double one = load_pj(geometry, task.arch, e, tensor);
        least = std::min(least.value_or(one), one);
      }
      placement = {};
      pj += std::min(*least, streamed_pj(task, placement, geometry, e, tensor));
    }
  }
  return pj;
}

// Whether windows that lie apart may skip indices of a rank, where a loop cuts it.
bool may_skip(const Workload& workload, const Rank& rank) {
  std::int64_t reach = 1;
  for (const Term& term : rank) {
    reach += std::abs(term.coefficient) * (workload.dim(term.dim).size - 1);
  }
  return std::any_of(rank.begin(), rank.end(), [&](const Term& term) {
    const std::int64_t coefficient = std::abs(term.coefficient);
    return coefficient > reach - coefficient * (workload.dim(term.dim).size - 1);
  });
}

// Einsums all of whose work is needed, however the loops cut what reads it.
std::vector<bool> done_whole(const Geometry& geometry) {
  const int count = geometry.cascade().einsum_count();
  std::vector<bool> whole(at(count), true);
  for (int e = count - 1; e >= 0; --e) {
    for (const IntermediateReader& reader : geometry.readers(e)) {
      const Workload& workload = geometry.cascade().workload(reader.einsum);
      for (const Rank& rank : workload.tensor(reader.tensor).ranks) {
        if (!whole[at(reader.einsum)] || may_skip(workload, rank)) whole[at(e)] = false;
      }
    }
    if (geometry.leaves(e)) whole[at(e)] = true;
  }
  return whole;
}

}  // namespace

namespace {

// Loops that leave pieces of nothing, which are all padding, have problems.
bool are_sound(const std::vector<Execution>& executions) {
  return std::all_of(executions.begin(), executions.end(), [](const Execution& one) {
    return std::all_of(one.extents.begin(), one.extents.end(),
                       [](std::int64_t extent) { return extent > 0; });
  });
}

// What is done afterwards, and intermediates that also leave.
double fixed_pj_of(const FlatTask& task, const Geometry& geometry, int einsum) {
  double pj = departure_pj(geometry, task.arch, einsum);
  const auto& then = task.cascade.einsums[at(einsum)].then;
  if (then) pj += then->energy_pj * static_cast<double>(afterwards_elements(geometry, einsum));
  return pj;
}

}  // namespace

double compulsory_pj(const FlatTask& task) {
  Plan plan = plan_of(task, {});
  const Geometry geometry(task.cascade, plan);
  const std::vector<bool> whole = done_whole(geometry);
  double pj = least_loads(task, plan, geometry, &whole);
  for (int e = 0; e < task.cascade.einsum_count(); ++e) {
    if (whole[at(e)]) pj += fixed_pj_of(task, geometry, e);
  }
  return pj;
}

std::vector<double> einsum_floors(const FlatTask& task) {
  Plan plan = plan_of(task, {});
  const Geometry geometry(task.cascade, plan);
  std::vector<double> floors;
  for (int e = 0; e < task.cascade.einsum_count(); ++e) {
    std::vector<bool> alone(task.cascade.einsums.size());
    alone[at(e)] = true;
    double pj = least_loads(task, plan, geometry, &alone) + fixed_pj_of(task, geometry, e);
    double macs = 1;
    std::vector<std::int64_t> sizes;
    for (const Dimension& dim : task.cascade.workload(e).dims) {
      sizes.push_back(dim.size);
      macs *= static_cast<double>(dim.size);
    }
    pj += macs * task.nests.least_pj_per_mac(task.first + e, sizes);
    floors.push_back(pj);
  }
  return floors;
}

double work_of(const Execution& execution) {
  double macs = static_cast<double>(execution.count);
  for (const std::int64_t extent : execution.extents) macs *= static_cast<double>(extent);
  return macs;
}

std::vector<Placement> places_of(const Geometry& geometry, int einsum, TensorId tensor) {
  std::vector<Placement> places = {{Placement::Kind::Local, 0}};
  for (int depth = 0; depth <= static_cast<int>(geometry.path(einsum).size()); ++depth) {
    if (depth > 0 && !geometry.moves(einsum, tensor, depth - 1)) continue;
    places.push_back({Placement::Kind::Kept, depth});
  }
  return places;
}

// Each execution begins with nothing of the tensor, so that it comes through the shared memory once
// at least, or passes by it; then it is read outside in place of the shared memory.
double streamed_pj(const FlatTask& task, Placement& placement, const Geometry& geometry, int einsum,
                   TensorId tensor) {
  const Placement before = std::exchange(placement, {Placement::Kind::Local, 0});
  const bool passes = contains(task.may_pass(einsum), index_of(tensor));
  const double pj = passes ? passing_pj(geometry, task.arch, einsum, tensor)
                           : load_pj(geometry, task.arch, einsum, tensor);
  placement = before;
  return pj;
}

std::int64_t room_taken(const Geometry& geometry, const Architecture& arch, int einsum) {
  return room_taken(geometry, arch, einsum, executions_of(geometry, einsum).front().extents);
}

FlatCandidates::FlatCandidates(const FlatTask& task) : task_(task) {
  const Cascade& cascade = task.cascade;
  const Plan uncut = plan_of(task, {});
  const std::vector<bool> whole = done_whole(Geometry(cascade, uncut));
  for (std::size_t e = 0; e < cascade.einsums.size(); ++e) {
    const std::vector<Dimension>& dims = cascade.einsums[e].workload.dims;
    extents_.emplace_back(dims.size());
    macs_.push_back(whole[e] ? 1 : 0);
    for (const Dimension& dim : dims) macs_.back() *= static_cast<double>(dim.size);
  }
  for (const Dimension& dim : cascade.einsums.back().workload.dims) {
    std::vector<std::int64_t> counts;
    for (std::int64_t count = 2; count <= dim.size; ++count) {
      if (dim.size % count != 0 || !may_have({dim.name, count})) continue;
      counts.push_back(count);
      note_extents({dim.name, count});
    }
    counts_.push_back(std::move(counts));
  }
  base_pj_ = compulsory_pj(task);
  least_.resize(cascade.einsums.size());
}

bool FlatCandidates::may_have(const SharedLoop& loop) const {
  const Plan plan = plan_of(task_, {loop});
  if (!is_possible(task_, plan)) return false;
  const Geometry geometry(task_.cascade, plan);
  bool moves_all = true;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    moves_all = moves_all && geometry.moves_any(e, 0);
  }
  return moves_all || task_.recompute;
}

// The pieces of a dimension follow from the loop that moves it and from the intermediates that stay
// across it; other loops do not change them.
void FlatCandidates::note_extents(const SharedLoop& loop) {
  Plan plan = plan_of(task_, {loop});
  const Geometry geometry(task_.cascade, plan);
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    for (int d = 0; d < task_.cascade.workload(e).dim_count(); ++d) {
      Extents& extents = extents_[at(e)][at(d)];
      const DimPieces& pieces = geometry.pieces(e, DimId{d}, 1);
      extents.equal_parts = extents.equal_parts && (pieces.loops.empty() || pieces.is_uniform());
    }
  }
  note_places(plan, geometry, 0);
}

void FlatCandidates::note_places(Plan& plan, const Geometry& geometry, int einsum) {
  const Cascade& cascade = task_.cascade;
  if (einsum < cascade.einsum_count()) {
    note_places(plan, geometry, einsum + 1);
    if (!geometry.is_intermediate(einsum)) return;
    Placement& placement = plan.leaves[at(einsum)].tensors.back();
    const Placement before = placement;
    for (const int depth : {0, 1}) {
      placement = {Placement::Kind::Kept, depth};
      note_places(plan, geometry, einsum + 1);
    }
    placement = before;
    return;
  }
  if (!located_problems_of(geometry).empty()) return;
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    for (const Execution& execution : executions_of(geometry, e)) {
      for (std::size_t d = 0; d < execution.extents.size(); ++d) {
        note(extents_[at(e)][d], cascade.workload(e).dims[d].size, execution.extents[d]);
      }
    }
  }
}

void FlatCandidates::note(Extents& extents, std::int64_t size, std::int64_t extent) {
  std::vector<std::int64_t>& largest = extents.largest;
  const bool has_multiple =
      size % extent == 0 || std::any_of(largest.begin(), largest.end(),
                                        [&](std::int64_t one) { return one % extent == 0; });
  if (has_multiple) return;
  std::erase_if(largest, [&](std::int64_t one) { return extent % one == 0; });
  largest.push_back(extent);
}

std::vector<std::int64_t> FlatCandidates::multiple_of(int einsum,
                                                      std::vector<std::int64_t> extents) const {
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::int64_t size = task_.cascade.workload(einsum).dims[d].size;
    std::int64_t multiple = size % extents[d] == 0 ? size : extents[d];
    for (const std::int64_t one : extents_[at(einsum)][d].largest) {
      if (one % extents[d] == 0) multiple = one;
    }
    extents[d] = multiple;
  }
  return extents;
}

bool FlatCandidates::has_equal_parts(int einsum) const {
  return std::all_of(extents_[at(einsum)].begin(), extents_[at(einsum)].end(),
                     [](const Extents& one) { return one.equal_parts; });
}

// Extents either divide the size of a dimension or the multiple of all others. That has so many
// divisors that its best nests take long to find; a bound will do.
double FlatCandidates::find_least(int einsum) const {
  const Workload& workload = task_.cascade.workload(einsum);
  std::vector<std::vector<std::int64_t>> combined = {{}};
  for (std::size_t d = 0; d < workload.dims.size(); ++d) {
    std::vector<std::int64_t> choices = {workload.dims[d].size};
    const std::vector<std::int64_t>& largest = extents_[at(einsum)][d].largest;
    const auto multiple = [](std::int64_t a, std::int64_t b) { return std::lcm(a, b); };
    if (!largest.empty()) {
      choices.push_back(std::accumulate(largest.begin(), largest.end(), std::int64_t{1}, multiple));
    }
    std::vector<std::vector<std::int64_t>> longer;
    for (const std::vector<std::int64_t>& one : combined) {
      for (const std::int64_t extent : choices) {
        longer.push_back(one);
        longer.back().push_back(extent);
      }
    }
    combined = std::move(longer);
  }
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<std::int64_t>& multiples : combined) {
    least = std::min(least, task_.nests.rough_pj_per_mac(task_.first + einsum, multiples));
  }
  return least;
}

std::vector<FlatCuts> FlatCandidates::finer(const FlatCuts& cuts) const {
  std::vector<FlatCuts> all;
  for (std::size_t d = 0; d < cuts.size(); ++d) {
    std::vector<std::int64_t> next;
    for (const std::int64_t count : counts_[d]) {
      if (count <= cuts[d].count || count % cuts[d].count != 0) continue;
      const bool later =
          std::any_of(next.begin(), next.end(), [&](std::int64_t one) { return count % one == 0; });
      if (!later) next.push_back(count);
    }
    for (const std::int64_t count : next) {
      all.push_back(cuts);
      all.back()[d].count = count;
    }
  }
  return all;
}

FlatCandidates::Loops FlatCandidates::loops_of(const FlatCuts& cuts) const {
  Loops loops;
  for (std::size_t d = 0; d < cuts.size(); ++d) {
    if (cuts[d].count == 1) continue;
    const std::string& dim = task_.cascade.einsums.back().workload.dims[d].name;
    loops.push_back({dim, cuts[d].count, cuts[d].tile});
  }
  return loops;
}

// Einsums all of whose pieces are equal have nests of their own to bound them; others what every
// piece takes at least. Nests are looked for one after the other.
double FlatCandidates::least_pj(const FlatCuts& cuts, double enough_pj) {
  const Plan plan = plan_of(task_, loops_of(cuts));
  const Geometry geometry(task_.cascade, plan);
  std::vector<EqualParts> equal;
  double pj = base_pj_;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    double known = 0;
    if (has_equal_parts(e)) {
      const std::vector<std::int64_t> extents = executions_of(geometry, e).front().extents;
      known = task_.nests.known_pj_per_mac(task_.first + e, extents);
      equal.push_back({e, extents, known});
    } else {
      if (!least_[at(e)]) least_[at(e)] = find_least(e);
      known = *least_[at(e)];
    }
    pj += macs_[at(e)] * known;
  }
  for (const EqualParts& one : equal) {
    if (pj >= enough_pj) break;
    const double found = task_.nests.least_pj_per_mac(task_.first + one.einsum, one.extents);
    pj += macs_[at(one.einsum)] * (found - one.known_pj_per_mac);
  }
  return pj;
}

// The energy of all executions, by nests that are known.
double FlatCandidates::nests_pj(int einsum, const std::vector<Execution>& executions) const {
  double pj = 0;
  for (const Execution& execution : executions) {
    pj += work_of(execution) *
          std::max(least_[at(einsum)].value_or(0),
                   task_.nests.known_pj_per_mac(task_.first + einsum, execution.extents));
  }
  return pj;
}

std::vector<FlatCandidate> FlatCandidates::list(const FlatCuts& cuts, double most_pj) {
  Loops loops = loops_of(cuts);
  const Plan any = plan_of(task_, loops);
  const Geometry uncut(task_.cascade, any);
  all_.clear();
  if (!is_possible(task_, any) || !has_room(uncut)) return {};
  most_pj_ = most_pj;
  const auto before = [](const SharedLoop& a, const SharedLoop& b) { return a.dim < b.dim; };
  std::sort(loops.begin(), loops.end(), before);
  do {
    Plan plan = plan_of(task_, loops);
    place(plan, Geometry(task_.cascade, plan), 0);
  } while (std::next_permutation(loops.begin(), loops.end(), before));
  return std::move(all_);
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

// What is found soonest comes first: most candidates are above what is of use, or do not fit.
void FlatCandidates::add(Plan& plan, const Geometry& geometry) {
  const int count = task_.cascade.einsum_count();
  FlatCandidate one{{}, {}, 0, 0, base_pj_};
  std::vector<std::vector<std::int64_t>> largest;
  for (int e = 0; e < count; ++e) {
    const std::vector<Execution> executions = executions_of(geometry, e);
    if (!are_sound(executions)) return;
    largest.push_back(executions.front().extents);
    one.nests_pj.push_back(nests_pj(e, executions));
    one.bound_pj += one.nests_pj.back();
    if (one.bound_pj >= most_pj_) return;
  }
  for (int e = 0; e < count; ++e) {
    if (room_taken(geometry, task_.arch, e, largest[at(e)]) > task_.nests.capacity()) return;
  }
  if (!located_problems_of(geometry).empty()) return;
  one.plan = plan;
  one.loads_pj = least_loads(task_, plan, geometry);
  one.bound_pj += one.loads_pj - base_pj_;
  for (int e = 0; e < count; ++e) one.fixed_pj += fixed_pj_of(task_, geometry, e);
  one.bound_pj += one.fixed_pj;
  all_.push_back(std::move(one));
}

}  // namespace tilewright::fusion
