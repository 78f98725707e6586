#include <algorithm>
#include <cmath>

#include "base/search_objective.h"
#include "parts.h"

namespace tilewright {

namespace {

using Status = MapOutcome::Status;
using map::failed;
using map::is_cancelled;

const Mapper& solver() { return *mappers().front(); }
const Mapper& quick_mapper() { return *find_mapper("quickflow"); }

MapOutcome outcome_of(MapperResult result, const Mapper& mapper, const Problem& problem) {
  if (result.status == MapperResult::Status::Infeasible) {
    return failed(Status::Infeasible, std::move(result.problems));
  }
  if (result.status == MapperResult::Status::TooLarge) {
    return failed(Status::TooLarge, std::move(result.problems));
  }
  MapOutcome outcome;
  outcome.status = result.status == MapperResult::Status::Found          ? Status::Found
                   : result.status == MapperResult::Status::NothingValid ? Status::NothingValid
                                                                         : Status::NoneBetter;
  outcome.found_by = &mapper;
  outcome.problem = result.apart ? *result.apart : problem;
  outcome.space_size = result.space_size;
  outcome.search = std::move(result.search);
  outcome.proof = result.proof;
  return outcome;
}

MapOutcome run(const Mapper& mapper, const MappingTask& task, const Limits& limits,
               const OptionValues& options) {
  return outcome_of(mapper.run(task, limits, options), mapper, task.evaluator.problem());
}

// Where a search that counts nothing found nothing that fits, it takes the solver to say
// whether anything does.
MapOutcome map_without_proof(const MappingTask& task, const MapOptions& options) {
  MapOutcome outcome = run(*options.mapper, task, options.limits, options.mapper_options);
  const SearchResult::Stop stop = outcome.search.stop;
  const bool at_an_end =
      stop == SearchResult::Stop::Complete || stop == SearchResult::Stop::LocalOptimum ||
      stop == SearchResult::Stop::Generations || stop == SearchResult::Stop::Tried;
  if (outcome.status != Status::NothingValid || options.mapper->counts || !at_an_end) {
    return outcome;
  }
  Limits rest = options.limits;
  if (rest.seconds) *rest.seconds -= outcome.search.seconds;
  MappingTask asked = task;
  if (!can_be_bounded(task.objective)) asked.objective = Objective::Energy;
  MapOutcome solved = run(solver(), asked, rest, {});
  if (!can_be_bounded(task.objective)) solved.proof.reset();
  solved.search.seconds += outcome.search.seconds;
  solved.search.seen += outcome.search.seen;
  solved.search.valid += outcome.search.valid;
  return solved;
}

// Lets quickflow try where the solver came to no end; the bound stays true.
void improve_quickly(const MappingTask& task, const MapOptions& options, MapOutcome& outcome) {
  Limits quick = options.limits;
  quick.on_progress = {};
  if (is_cancelled(options)) {
    constexpr double kMoment = 0.1;  // that someone who interrupts waits for a mapping
    quick.cancelled = nullptr;
    quick.seconds = kMoment;
  } else if (quick.seconds) {
    // Something is better than nothing, even if late.
    const double least = outcome.found() ? 0 : 0.05;
    quick.seconds = std::max(least, *quick.seconds - outcome.proof->seconds);
  }
  SearchResult found = quick_mapper().run(task, quick, {}).search;
  Proof& proof = *outcome.proof;
  proof.seconds += found.seconds;
  proof.mappings_evaluated += found.seen;
  outcome.search.seconds = proof.seconds;
  outcome.search.seen = outcome.search.valid = proof.mappings_evaluated;
  const Score& known = outcome.search.score;
  if (!found.best || (outcome.found() && !is_better(task.objective, found.score, known))) return;
  outcome.status = Status::Found;
  outcome.found_by = &quick_mapper();
  outcome.problem = task.evaluator.problem();  // its mappings are even
  outcome.search.best = std::move(found.best);
  outcome.search.score = found.score;
  proof.gap = proof.bound > 0 ? value_of(task.objective, found.score) / proof.bound - 1 : INFINITY;
}

// With remainders in time, or where memories share room, a good mapping closes most of what the
// solver would look into. It takes a small part of its time to find one, and no clock decides on
// it. Where something is to beat, that does as well.
SearchResult find_start(const MappingTask& task, const MapOptions& options) {
  constexpr std::uint64_t kFew = 1000;
  Limits quick = options.limits;
  quick.on_progress = {};
  quick.evaluations = kFew;
  const bool in_time = task.space == SpaceKind::Ruby || task.space == SpaceKind::RubyT;
  const bool worth_it = in_time || has_parts(task.evaluator.problem().arch());
  return worth_it && !task.to_beat ? quick_mapper().run(task, quick, {}).search : SearchResult{};
}

// The best of as many populations whose children are scored with their neighbours. Most of them end
// where none of these is better, so several small ones find more than a large one.
SearchResult breed(const MappingTask& task, int effort, const Limits& limits) {
  const Mapper& genetic = *find_mapper("genetic");
  OptionValues options;
  options.set("population", std::int64_t{500});
  options.set("generations", std::int64_t{100});
  options.set("brood", std::ssize(genetic.find("brood")->choices) - 1);  // the largest
  SearchResult all;
  const std::int64_t first = effort - 1;  // after those of half of it, and before
  for (std::int64_t seed = first; seed < first + effort; ++seed) {
    options.set("seed", seed);
    Limits rest = limits;
    if (rest.seconds) *rest.seconds = std::max(0.0, *rest.seconds - all.seconds);
    SearchResult found = genetic.run(task, rest, options).search;
    all.seen += found.seen;
    all.seconds += found.seconds;
    if (!found.best || (all.best && !is_better(task.objective, found.score, all.score))) continue;
    all.best = std::move(found.best);
    all.score = found.score;
  }
  return all;
}

// A mapper that proves, and quickflow where it comes to no end within its limits.
MapOutcome map_as_proven_as_possible(MappingTask task, const MapOptions& options) {
  const SearchResult start = find_start(task, options);
  if (start.best) task.start = &*start.best;
  const MappingTask alone = task;
  task.other_search = [&](int effort, const Limits& limits) {
    return breed(alone, effort, limits);
  };
  Limits of_solver = options.limits;
  if (of_solver.seconds) *of_solver.seconds = std::max(0.0, *of_solver.seconds - start.seconds);
  if (of_solver.seconds && !options.proof_wanted) {
    constexpr double kShare = 0.7;
    of_solver.seconds = kShare * *of_solver.seconds;
  }
  MapOutcome outcome = run(*options.mapper, task, of_solver, options.mapper_options);
  outcome.search.seconds += start.seconds;
  if (outcome.proof) outcome.proof->seconds += start.seconds;
  const bool open = outcome.proof && outcome.proof->status == Proof::Status::Stopped &&
                    outcome.proof->stop != Proof::Stop::Gap;
  const bool missing = outcome.status == Status::NothingValid && outcome.proof;
  if (missing || (open && !options.proof_wanted && !is_cancelled(options))) {
    improve_quickly(task, options, outcome);
  }
  return outcome;
}

}  // namespace

MapOutcome map::map_one(const Workload& workload, const Architecture& arch,
                        const MapOptions& options) {
  Checked<Evaluator> evaluator = Evaluator::compile(workload, arch);
  if (!evaluator.ok()) return failed(Status::BadInput, std::move(evaluator.problems));
  Checked<Restrictions> restrictions =
      Restrictions::create(evaluator.value->problem(), options.constraints);
  if (!restrictions.ok()) return failed(Status::BadInput, std::move(restrictions.problems));
  MappingTask task{*evaluator.value,    options.space,   *restrictions.value, options.objective,
                   options.settle_ties, options.to_beat, options.known};
  task.only_value = options.only_value;
  task.uneven = uneven_memories(evaluator.value->problem(), options.evenness);
  if (task.uneven != 0) {
    std::vector<Diagnostic> reasons = reasons_against_uneven(task);
    if (!reasons.empty()) return failed(Status::BadInput, std::move(reasons));
  }
  MapOutcome outcome = options.mapper->proves ? map_as_proven_as_possible(task, options)
                                              : map_without_proof(task, options);
  move_points(task, options, outcome);
  return outcome;
}

MapOutcome map::map_as_given(const Workload& workload, const Architecture& arch,
                             const MapOptions& options) {
  return arch.flexibility ? map_flexible(workload, arch, options)
                          : map_fixed(workload, arch, options);
}

MapOutcome map_workload(const Workload& workload, const Architecture& arch,
                        const MapOptions& options) {
  MapOutcome outcome = options.any_roles ? map::map_any_roles(workload, arch, options)
                                         : map::map_as_given(workload, arch, options);
  outcome.useful_macs = multiply_accumulates(workload);
  outcome.cancelled = is_cancelled(options);
  if (!options.remarks) return outcome;
  const Workload& mapped = outcome.problem ? outcome.problem->workload() : workload;
  outcome.remarks = remarks_on(mapped, arch, options.constraints);
  if (!arch.flexibility && options.evenness == Evenness::Even) {
    outcome.remainders = map::gain_of_remainders(outcome, options);
  }
  return outcome;
}

}  // namespace tilewright
