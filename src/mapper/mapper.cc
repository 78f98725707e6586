#include "tilewright/mapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parts.h"

namespace tilewright {

namespace {

using Status = MapOutcome::Status;
using mapper::failed;
using mapper::is_cancelled;

// How long going through the space, or as much of it as is asked for, would
// take; from some thousand samples.
double expected_seconds(const Evaluator& evaluator, const MapSpace& space,
                        const MapOptions& options) {
  SearchOptions trial;
  trial.threads = options.search.threads;
  trial.evaluations = 8192;
  trial.seconds = 1.0;
  const SearchResult result = search(evaluator, *random_strategy(space, options.seed), trial);
  if (result.seen == 0) return INFINITY;
  double mappings = space.size().value();
  if (options.search.evaluations) {
    mappings = std::min(mappings, static_cast<double>(*options.search.evaluations));
  }
  return mappings * result.seconds / static_cast<double>(result.seen);
}

std::optional<MapOutcome> refuse_if_hopeless(const Evaluator& evaluator, const MapSpace& space,
                                             const MapOptions& options) {
  const double most = options.search.seconds.value_or(options.hopeless_seconds);
  const double expected = expected_seconds(evaluator, space, options);
  if (expected <= most) return std::nullopt;
  return failed(Status::TooLarge,
                {{{},
                  fmt::format("the space has {} mappings; to see them all would take about {}, and "
                              "{} are allowed",
                              readable(space.size()), duration_text(expected), duration_text(most)),
                  "search at random, constrain the space, or allow more time"}});
}

SearchResult search_all(const Evaluator& evaluator, const MapSpace& space,
                        const SearchOptions& options) {
  return search(evaluator, *exhaustive_strategy(space), options);
}

// Where samples show nothing valid and the space is small, all of it is looked
// at: then it is certain.
SearchResult search_samples(const Evaluator& evaluator, const MapSpace& space,
                            const MapOptions& options) {
  constexpr std::uint64_t kSmall = 1U << 20U;
  const std::uint64_t size = space.size().small().value_or(~std::uint64_t{0});
  SearchOptions limits = options.search;
  if (size <= kSmall) limits.hopeless = std::min(limits.hopeless, 4 * size);
  SearchResult result = search(evaluator, *random_strategy(space, options.seed), limits);
  if (result.stop != SearchResult::Stop::Hopeless || size > kSmall) return result;
  return search_all(evaluator, space, options.search);
}

// --- the optimal mapper --------------------------------------------------------------

OptimalOptions optimal_options(const MapOptions& options) {
  OptimalOptions result;
  result.objective = options.search.objective;
  result.threads = options.search.threads;
  result.settle_ties = options.settle_ties;
  result.gap = options.gap;
  result.to_beat = options.to_beat;
  result.seconds = options.search.seconds;
  result.memory_bytes = options.memory_bytes;
  result.cancelled = options.search.cancelled;
  if (options.search.on_progress) {
    result.on_progress = [&](const OptimalProgress& progress) {
      SearchProgress search;
      search.seconds = progress.seconds;
      search.best = progress.best;
      search.bound = progress.bound;
      search.fraction = static_cast<double>(progress.frames_done) /
                        static_cast<double>(std::max<std::uint64_t>(progress.frames, 1));
      options.search.on_progress(search);
    };
  }
  return result;
}

SearchResult::Stop stop_of(OptimalResult::Stop stop) {
  switch (stop) {
    case OptimalResult::Stop::Time:
      return SearchResult::Stop::Time;
    case OptimalResult::Stop::Cancelled:
      return SearchResult::Stop::Cancelled;
    case OptimalResult::Stop::Complete:
    case OptimalResult::Stop::Gap:
    case OptimalResult::Stop::Memory:
    case OptimalResult::Stop::Inexact:
      break;
  }
  return SearchResult::Stop::Complete;
}

MapOutcome map_optimally(const Evaluator& evaluator, const Restrictions& restrictions,
                         const MapOptions& options) {
  const Problem& problem = evaluator.problem();
  OptimalResult result =
      find_optimum(evaluator, options.space, restrictions, optimal_options(options));
  if (result.status == OptimalResult::Status::Infeasible) {
    return failed(Status::Infeasible, std::move(result.reasons));
  }
  MapOutcome outcome;
  outcome.problem = problem;
  outcome.search.best = result.best;
  outcome.search.score = result.score;
  outcome.search.seen = outcome.search.valid = result.mappings_evaluated;
  outcome.search.seconds = result.seconds;
  outcome.search.stop = stop_of(result.stop);
  outcome.status = result.best ? Status::Found : Status::NothingValid;
  if (result.status == OptimalResult::Status::NoneBetter) outcome.status = Status::NoneBetter;
  outcome.proof = std::move(result);
  return outcome;
}

// --- mappers without proof --------------------------------------------------------------

SearchResult search_without_proof(const Evaluator& evaluator, const Restrictions& restrictions,
                                  const MapOptions& options) {
  if (options.mapper == MapperKind::Quickflow) {
    return search_locally(evaluator, options.space, restrictions, options.search);
  }
  GeneticSettings settings;
  settings.population = options.population;
  settings.generations = options.generations;
  settings.seed = options.seed;
  return search_genetically(evaluator, options.space, restrictions, options.search, settings);
}

// Where nothing that fits was found it takes the solver to say whether anything does.
MapOutcome map_without_proof(const Evaluator& evaluator, const Restrictions& restrictions,
                             const MapOptions& options) {
  MapOutcome outcome;
  outcome.found_by = options.mapper;
  outcome.problem = evaluator.problem();
  outcome.search = search_without_proof(evaluator, restrictions, options);
  outcome.status = outcome.search.best ? Status::Found : Status::NothingValid;
  const bool at_an_end = outcome.search.stop == SearchResult::Stop::Complete ||
                         outcome.search.stop == SearchResult::Stop::LocalOptimum ||
                         outcome.search.stop == SearchResult::Stop::Generations;
  if (outcome.search.best || !at_an_end) return outcome;
  MapOptions rest = options;
  if (rest.search.seconds) *rest.search.seconds -= outcome.search.seconds;
  MapOutcome solved = map_optimally(evaluator, restrictions, rest);
  solved.search.seconds += outcome.search.seconds;
  solved.search.seen += outcome.search.seen;
  solved.search.valid += outcome.search.valid;
  return solved;
}

// Lets quickflow try where the solver came to no end; the bound stays true.
void improve_quickly(const Evaluator& evaluator, const Restrictions& restrictions,
                     const MapOptions& options, MapOutcome& outcome) {
  SearchOptions quick = options.search;
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
  const SearchResult found = search_locally(evaluator, options.space, restrictions, quick);
  OptimalResult& proof = *outcome.proof;
  proof.seconds += found.seconds;
  proof.mappings_evaluated += found.seen;
  outcome.search.seconds = proof.seconds;
  outcome.search.seen = outcome.search.valid = proof.mappings_evaluated;
  const Objective objective = options.search.objective;
  if (!found.best || (outcome.found() && !is_better(objective, found.score, proof.score))) return;
  outcome.status = Status::Found;
  outcome.found_by = MapperKind::Quickflow;
  outcome.search.best = proof.best = found.best;
  outcome.search.score = proof.score = found.score;
  proof.gap = proof.bound > 0 ? value_of(objective, found.score) / proof.bound - 1 : INFINITY;
}

// The solver, and quickflow where it comes to no end within its limits.
MapOutcome map_as_proven_as_possible(const Evaluator& evaluator, const Restrictions& restrictions,
                                     const MapOptions& options) {
  MapOptions of_solver = options;
  if (options.search.seconds && !options.proof_wanted) {
    constexpr double kShare = 0.7;
    of_solver.search.seconds = kShare * *options.search.seconds;
  }
  MapOutcome outcome = map_optimally(evaluator, restrictions, of_solver);
  const bool open = outcome.proof && outcome.proof->status == OptimalResult::Status::Stopped &&
                    outcome.proof->stop != OptimalResult::Stop::Gap;
  const bool missing = outcome.status == Status::NothingValid;
  if (missing || (open && !options.proof_wanted && !is_cancelled(options))) {
    improve_quickly(evaluator, restrictions, options, outcome);
  }
  return outcome;
}

}  // namespace

MapOutcome mapper::map_one(const Workload& workload, const Architecture& arch,
                           const MapOptions& options) {
  Parsed<Problem> problem = Problem::create(workload, arch);
  if (!problem.ok()) return failed(Status::BadInput, std::move(problem.problems));
  Parsed<Evaluator> evaluator = Evaluator::compile(*problem.value);
  if (!evaluator.ok()) return failed(Status::BadInput, std::move(evaluator.problems));
  Parsed<Restrictions> restrictions = Restrictions::create(*problem.value, options.constraints);
  if (!restrictions.ok()) return failed(Status::BadInput, std::move(restrictions.problems));
  if (options.mapper == MapperKind::Optimal) {
    return map_as_proven_as_possible(*evaluator.value, *restrictions.value, options);
  }
  if (is_heuristic(options.mapper)) {
    return map_without_proof(*evaluator.value, *restrictions.value, options);
  }
  restrictions.value->exclude_misfits(*problem.value);
  MadeSpace space = MapSpace::create(*problem.value, options.space, *restrictions.value);
  if (!space.ok()) {
    return failed(space.too_large ? Status::TooLarge : Status::Infeasible,
                  std::move(space.problems));
  }

  MapOutcome outcome;
  if (options.mapper == MapperKind::Exhaustive) {
    auto refusal = refuse_if_hopeless(*evaluator.value, *space.value, options);
    if (refusal) return std::move(*refusal);
    outcome.search = search_all(*evaluator.value, *space.value, options.search);
  } else {
    outcome.search = search_samples(*evaluator.value, *space.value, options);
  }
  outcome.status = outcome.search.best ? Status::Found : Status::NothingValid;
  outcome.found_by = options.mapper;
  outcome.problem = std::move(*problem.value);
  outcome.space_size = space.value->size();
  return outcome;
}

std::string to_string(MapperKind mapper) {
  switch (mapper) {
    case MapperKind::Quickflow:
      return "quickflow";
    case MapperKind::Genetic:
      return "genetic";
    case MapperKind::Random:
      return "random";
    case MapperKind::Exhaustive:
      return "exhaustive";
    case MapperKind::Optimal:
      break;
  }
  return "optimal";
}

bool is_heuristic(MapperKind mapper) {
  return mapper == MapperKind::Quickflow || mapper == MapperKind::Genetic;
}

MapOutcome mapper::map_as_given(const Workload& workload, const Architecture& arch,
                                const MapOptions& options) {
  return arch.flexibility ? map_flexible(workload, arch, options)
                          : map_fixed(workload, arch, options);
}

MapOutcome map_workload(const Workload& workload, const Architecture& arch,
                        const MapOptions& options) {
  MapOutcome outcome = options.any_roles ? mapper::map_any_roles(workload, arch, options)
                                         : mapper::map_as_given(workload, arch, options);
  outcome.useful_macs = multiply_accumulates(workload);
  outcome.cancelled = is_cancelled(options);
  if (!options.remarks) return outcome;
  const Workload& mapped = outcome.problem ? outcome.problem->workload() : workload;
  outcome.remarks = remarks_on(mapped, arch, options.constraints);
  if (!arch.flexibility) outcome.remainders = mapper::gain_of_remainders(outcome, options);
  return outcome;
}

}  // namespace tilewright
