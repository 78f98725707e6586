#include "fusion/flat_group.h"

#include <algorithm>
#include <limits>

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
  try {
    for (const FlatCandidate& candidate : FlatCandidates(task_).list(deadline)) {
      // Those behind it promise no more.
      best_.bound_pj = candidate.bound_pj;
      if (is_no_better(candidate.bound_pj, best_.pj)) break;
      try_candidate(candidate, deadline);
      best_.bound_pj = best_.pj;
    }
  } catch (const Expired&) {
    best_.bound_pj = std::min({best_.bound_pj, best_.pj, unsettled_pj_});
    return best_;
  }
  best_.bound_pj = std::min(best_.pj, unsettled_pj_);
  return best_;
}

void FlatGroupSearch::try_candidate(const FlatCandidate& candidate, const Deadline& deadline) {
  Plan plan = candidate.plan;
  const Geometry geometry(task_.cascade, plan);
  const std::vector<double> floors = floors_of(geometry);
  double least_pj = candidate.fixed_pj;
  for (const double floor : floors) least_pj += floor;
  if (is_no_better(least_pj + candidate.loads_pj, best_.pj)) return;
  std::vector<std::int64_t> left;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    left.push_back(task_.nests.capacity() - room_taken(geometry, task_.arch, e));
  }
  const std::vector<Placed> tensors = tensors_of(plan, geometry);
  Choice choice;
  std::vector<Choice> choices;
  choose(tensors, left, best_.pj - least_pj, choice, choices);
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.pj < b.pj; });
  for (const Choice& one : choices) {
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

// What the nests of each einsum take at least, all tensors resident that can be.
std::vector<double> FlatGroupSearch::floors_of(const Geometry& geometry) {
  std::vector<double> floors;
  for (int e = 0; e < task_.cascade.einsum_count(); ++e) {
    double pj = 0;
    for (const Execution& execution : executions_of(geometry, e)) {
      const SolvedNest& nest = task_.nests.find(
          {task_.first + e, execution.extents, task_.may_reside(e), task_.nests.capacity()});
      pj += static_cast<double>(execution.count) * nest.bound_pj;
    }
    floors.push_back(pj);
  }
  return floors;
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
  Option streamed{{}, 0, std::vector<std::int64_t>(count)};
  if (!contains(task_.may_reside(einsum), index_of(tensor))) return {streamed};
  const auto beats = [](const Option& a, const Option& b) {
    return a.pj <= b.pj &&
           std::equal(a.room.begin(), a.room.end(), b.room.begin(), std::less_equal<>());
  };
  std::vector<Option> options;
  for (const Placement& place : places_of(geometry, einsum, tensor)) {
    placement = place;
    if (!covers_loads(geometry, einsum, tensor)) continue;
    Option option{place, load_pj(geometry, task_.arch, einsum, tensor),
                  std::vector<std::int64_t>(count)};
    // Each execution of a nest that streams it begins with nothing of it.
    if (place.kind == Placement::Kind::Local) streamed.pj = option.pj;
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
    for (const Execution& execution : executions_of(geometry, e)) {
      if (!add_nest(plan, geometry, e, execution, bound_pj)) return;
    }
    if (is_no_better(bound_pj, best_.pj)) return;
  }
  count(plan, bound_pj);
}

// The best nest of an execution; false if none fits.
bool FlatGroupSearch::add_nest(Plan& plan, const Geometry& geometry, int einsum,
                               const Execution& execution, double& bound_pj) {
  const NestQuestion question{
      task_.first + einsum, execution.extents, residents_of(geometry, einsum),
      task_.nests.capacity() - room_taken(geometry, task_.arch, einsum, execution.extents)};
  if (question.room < 0) return false;
  const SolvedExecutions nest = task_.nests.find_for(question, execution);
  if (nest.mapping == nullptr) return false;
  bound_pj += nest.bound_pj;
  Checked<Problem> problem = leaf_problem(task_.cascade.workload(einsum), task_.arch, task_.shared,
                                          question.residents, execution.extents);
  plan.leaves[at(einsum)].nests.push_back({std::move(*problem.value), *nest.mapping});
  return true;
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
