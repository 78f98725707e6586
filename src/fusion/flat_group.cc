#include "fusion/flat_group.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/bits.h"
#include "fusion/count_leaf.h"
#include "fusion/count_loads.h"
#include "tilewright/fusion.h"

namespace tilewright::fusion {

namespace {

// Sums in another order may differ in their last digits.
constexpr double kSame = 1 - 1e-12;

bool is_no_better(double bound_pj, double pj) { return bound_pj >= pj * kSame; }

}  // namespace

FlatGroup FlatGroupSearch::search(double to_beat, const Deadline& deadline) {
  best_ = {std::nullopt, to_beat, 0};
  unsettled_pj_ = std::numeric_limits<double>::infinity();
  grows_ = true;
  try {
    FlatCandidates candidates(task_);
    open({0, 0, FlatCuts(last_dims().size())});
    look_into_all(candidates, deadline);
  } catch (const Expired&) {
    best_.bound_pj = std::min({best_.bound_pj, best_.pj, unsettled_pj_});
    return best_;
  }
  best_.bound_pj = std::min(best_.pj, unsettled_pj_);
  return best_;
}

void FlatGroupSearch::look_into_all(FlatCandidates& candidates, const Deadline& deadline) {
  while (!open_.empty()) {
    std::pop_heap(open_.begin(), open_.end());
    Open next = std::move(open_.back());
    open_.pop_back();
    // Those behind it promise no more.
    if (is_no_better(next.bound_pj, best_.pj)) break;
    best_.bound_pj = next.bound_pj;
    look_into(std::move(next), candidates, deadline);
  }
  open_.clear();
}

void FlatGroupSearch::open(Open one) {
  if (is_no_better(one.bound_pj, best_.pj)) return;
  one.number = opened_++;
  open_.push_back(std::move(one));
  std::push_heap(open_.begin(), open_.end());
}

// Takes the next step with it, after which its bound may be higher.
void FlatGroupSearch::look_into(Open one, FlatCandidates& candidates, const Deadline& deadline) {
  deadline.check();
  if (!one.cuts.empty()) {
    list(one, candidates, deadline);
    return;
  }
  if (!one.floors.empty()) {
    try_candidate(one.candidate, one.floors, deadline);
    return;
  }
  if (!one.placed) {
    if (add_loads(one)) open(std::move(one));
    return;
  }
  one.bound_pj = std::max(one.bound_pj, add_floors(one, candidates));
  open(std::move(one));
}

void FlatGroupSearch::list(const Open& of, FlatCandidates& candidates, const Deadline& deadline) {
  std::vector<Open> listed = promising(of, candidates);
  // Nests are looked for where some candidate may be of use, and something is there to compare
  // with.
  const bool bounded = grows_ && best_.plan && !listed.empty();
  const double least_pj =
      bounded ? std::max(of.bound_pj, candidates.least_pj(of.cuts, best_.pj)) : of.bound_pj;
  if (is_no_better(least_pj, best_.pj)) return;
  for (FlatCuts& finer : grows_ ? candidates.finer(of.cuts) : std::vector<FlatCuts>{}) {
    if (seen_.insert(finer).second) open({least_pj, 0, std::move(finer)});
  }
  for (Open& one : listed) {
    one.bound_pj = std::max(one.bound_pj, least_pj);
    // The first plan is wanted soon: it shows what the others have to beat.
    if (best_.plan || !one.placed) {
      open(std::move(one));
    } else if (!is_no_better(add_floors(one, candidates), best_.pj)) {
      try_candidate(one.candidate, one.floors, deadline);
    }
  }
}

// The candidates of these counts that may be of use; the first one has its loads.
std::vector<FlatGroupSearch::Open> FlatGroupSearch::promising(const Open& of,
                                                              FlatCandidates& candidates) const {
  std::vector<FlatCandidate> all = candidates.list(of.cuts, best_.pj);
  std::stable_sort(all.begin(), all.end(), [](const FlatCandidate& a, const FlatCandidate& b) {
    return a.bound_pj < b.bound_pj;
  });
  std::vector<Open> listed;
  for (FlatCandidate& candidate : all) {
    if (is_no_better(candidate.bound_pj, best_.pj)) break;
    Open one{std::max(of.bound_pj, candidate.bound_pj), 0, {}, std::move(candidate)};
    if (!listed.empty() || add_loads(one)) listed.push_back(std::move(one));
  }
  return listed;
}

// Loads that there is room for; false if there is none, or they are too many already.
bool FlatGroupSearch::add_loads(Open& one) const {
  FlatCandidate& candidate = one.candidate;
  const Geometry geometry(task_.cascade, candidate.plan);
  const double others_pj = candidate.bound_pj - candidate.loads_pj;
  const Places places = places_within(candidate.plan, geometry, best_.pj - others_pj);
  if (places.choices.empty()) return false;
  candidate.loads_pj = std::max(candidate.loads_pj, places.choices.front().pj);
  candidate.bound_pj = others_pj + candidate.loads_pj;
  one.bound_pj = std::max(one.bound_pj, candidate.bound_pj);
  one.placed = true;
  return !is_no_better(one.bound_pj, best_.pj);
}

// What the nests of each einsum take at least, all tensors resident that can be. Stops where that
// is too much already.
double FlatGroupSearch::add_floors(Open& one, const FlatCandidates& candidates) {
  const FlatCandidate& candidate = one.candidate;
  const Geometry geometry(task_.cascade, candidate.plan);
  double pj = candidate.bound_pj;
  one.floors.assign(candidate.nests_pj.size(), 0);
  // The last einsum has no windows behind it, so that many candidates ask for the same.
  for (int e = task_.cascade.einsum_count() - 1; e >= 0; --e) {
    pj -= candidate.nests_pj[at(e)];
    if (!add_floor(candidates, e, executions_of(geometry, e), pj, one.floors[at(e)])) {
      return best_.pj;
    }
    pj += one.floors[at(e)];
  }
  return pj;
}

// What all executions of an einsum take at least; false if that is too much beside what the others
// take.
bool FlatGroupSearch::add_floor(const FlatCandidates& candidates, int e,
                                std::vector<Execution> executions, double others_pj,
                                double& floor) {
  const int einsum = task_.first + e;
  const auto known = [&](const Execution& execution) {
    return work_of(execution) * task_.nests.known_pj_per_mac(einsum, execution.extents);
  };
  std::stable_sort(executions.begin(), executions.end(),
                   [](const Execution& a, const Execution& b) { return work_of(a) > work_of(b); });
  std::vector<double> parts;
  for (const Execution& execution : executions) parts.push_back(known(execution));
  const auto is_too_much = [&] {
    floor = std::accumulate(parts.begin(), parts.end(), 0.0);
    return is_no_better(others_pj + floor, best_.pj);
  };
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const Execution& execution = executions[i];
    if (is_too_much()) return false;
    task_.nests.least_pj_per_mac(einsum, candidates.multiple_of(e, execution.extents));
    parts[i] = known(execution);
    if (is_too_much()) return false;
    const SolvedNest& nest =
        task_.nests.find({einsum, execution.extents, task_.may_reside(e), task_.nests.capacity()});
    const double nests_pj = static_cast<double>(execution.count) * nest.bound_pj;
    parts[i] = std::max(known(execution), nests_pj);
  }
  return !is_too_much();
}

FlatGroupSearch::Places FlatGroupSearch::places_within(Plan& plan, const Geometry& geometry,
                                                       double most_pj) const {
  std::vector<std::int64_t> left;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    left.push_back(task_.nests.capacity() - room_taken(geometry, task_.arch, e));
  }
  Places places{tensors_of(plan, geometry), {}};
  Choice choice;
  choose(places.tensors, left, most_pj, choice, places.choices);
  std::stable_sort(places.choices.begin(), places.choices.end(),
                   [](const Choice& a, const Choice& b) { return a.pj < b.pj; });
  return places;
}

void FlatGroupSearch::try_candidate(const FlatCandidate& candidate,
                                    const std::vector<double>& floors, const Deadline& deadline) {
  Plan plan = candidate.plan;
  const Geometry geometry(task_.cascade, plan);
  double least_pj = candidate.fixed_pj;
  for (const double floor : floors) least_pj += floor;
  const Places places = places_within(plan, geometry, best_.pj - least_pj);
  const std::vector<Placed>& tensors = places.tensors;
  for (const Choice& one : places.choices) {
    if (is_no_better(least_pj + one.pj, best_.pj)) return;
    deadline.check();
    double pj = candidate.fixed_pj;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Option& option = tensors[i].options[one.options[i]];
      plan.leaves[at(tensors[i].einsum)].tensors[at(tensors[i].tensor)] = option.placement;
      if (option.placement.kind != Placement::Kind::Streamed) pj += option.pj;
    }
    for (PlanLeaf& leaf : plan.leaves) leaf.nests.clear();
    try_plan(plan, geometry, pj, floors);
  }
}

std::vector<FlatGroupSearch::Placed> FlatGroupSearch::tensors_of(Plan& plan,
                                                                 const Geometry& geometry) const {
  std::vector<Placed> tensors;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    for (int t = 0; t < task_.cascade.workload(e).tensor_count(); ++t) {
      const TensorId tensor{t};
      if (!comes_from_outside(geometry, e, tensor)) continue;
      Placement& placement = plan.leaves[at(e)].tensors[at(t)];
      tensors.push_back({e, tensor, options_of(placement, geometry, e, tensor)});
    }
  }
  return tensors;
}

// Places that take no more room and load no more than another are enough.
std::vector<FlatGroupSearch::Option> FlatGroupSearch::options_of(Placement& placement,
                                                                 const Geometry& geometry,
                                                                 int einsum,
                                                                 TensorId tensor) const {
  const auto count = static_cast<std::size_t>(task_.cascade.einsum_count());
  Option streamed{{}, 0, 0, std::vector<std::int64_t>(count)};
  if (!contains(task_.may_reside(einsum), index_of(tensor))) return {streamed};
  const auto beats = [](const Option& a, const Option& b) {
    return a.pj <= b.pj && a.words <= b.words &&
           std::equal(a.room.begin(), a.room.end(), b.room.begin(), std::less_equal<>());
  };
  std::vector<Option> options;
  for (const Placement& place : places_of(geometry, einsum, tensor)) {
    placement = place;
    if (!covers_loads(geometry, einsum, tensor)) continue;
    if (place.kind == Placement::Kind::Local) {
      streamed.pj = streamed_pj(task_, placement, geometry, einsum, tensor);
    }
    const Traffic words =
        load_of(geometry, std::get<Memory>(task_.arch.levels.front()), einsum, tensor).outside;
    Option option{place, load_pj(geometry, task_.arch, einsum, tensor), words.reads + words.updates,
                  std::vector<std::int64_t>(count)};
    const Occupancy taken = occupancy_of(geometry, task_.arch, einsum, tensor);
    for (int e = taken.life.first; e <= taken.life.last; ++e) option.room[at(e)] = taken.room;
    const auto beaten = [&](const Option& other) { return beats(other, option); };
    if (std::any_of(options.begin(), options.end(), beaten)) continue;
    std::erase_if(options, [&](const Option& other) { return beats(option, other); });
    options.push_back(std::move(option));
  }
  placement = {};
  options.push_back(std::move(streamed));
  return options;
}

void FlatGroupSearch::choose(const std::vector<Placed>& tensors, std::vector<std::int64_t>& left,
                             double most_pj, Choice& choice, std::vector<Choice>& choices) const {
  const std::size_t next = choice.options.size();
  double least_pj = choice.pj;
  for (std::size_t i = next; i < tensors.size(); ++i) {
    least_pj += std::min_element(tensors[i].options.begin(), tensors[i].options.end(),
                                 [](const Option& a, const Option& b) { return a.pj < b.pj; })
                    ->pj;
  }
  if (is_no_better(least_pj, most_pj)) return;
  if (next == tensors.size()) {
    choices.push_back(choice);
    return;
  }
  for (std::size_t i = 0; i < tensors[next].options.size(); ++i) {
    const Option& option = tensors[next].options[i];
    bool fits = true;
    for (std::size_t e = 0; e < left.size(); ++e) {
      left[e] -= option.room[e];
      fits = fits && left[e] >= 0;
    }
    const double before = choice.pj;
    choice.pj += option.pj;
    choice.options.push_back(i);
    if (fits) choose(tensors, left, most_pj, choice, choices);
    choice.options.pop_back();
    choice.pj = before;
    for (std::size_t e = 0; e < left.size(); ++e) left[e] += option.room[e];
  }
}

void FlatGroupSearch::try_plan(Plan& plan, const Geometry& geometry, double pj,
                               const std::vector<double>& floors) {
  double bound_pj = pj;
  for (const double floor : floors) bound_pj += floor;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    bound_pj -= floors[at(e)];
    const std::optional<double> nests_pj = put_nests(task_, plan, geometry, e);
    if (!nests_pj) return;
    bound_pj += *nests_pj;
    if (is_no_better(bound_pj, best_.pj)) return;
  }
  count(plan, bound_pj);
}

void FlatGroupSearch::count(const Plan& plan, double bound_pj) {
  const Checked<PlanEvaluation> evaluation = evaluate_plan(task_.cascade, task_.arch, plan);
  if (!evaluation.ok() || !evaluation.value->misfit.empty()) return;
  const double pj = evaluation.value->energy_pj;
  if (bound_pj < pj * (1 - 1e-9)) unsettled_pj_ = std::min(unsettled_pj_, bound_pj);
  if (pj >= best_.pj) return;
  best_.plan = plan;
  best_.pj = pj;
}

}  // namespace tilewright::fusion
