// Samples of the space, and all of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/deadline.h"
#include "map/mapper_parts.h"
#include "mappers/sampling/sampling.h"

namespace tilewright {

namespace {

using Status = MapperResult::Status;

constexpr MapperOption kPatience{.name = "patience",
                                 .help =
                                     "stop a random search after this many valid mappings in a row "
                                     "without improvement; 0: never",
                                 .fallback = "3000"};

// How long going through the space, or as much of it as is asked for, would
// take; from some thousand samples.
double expected_seconds(const Evaluator& evaluator, const MapSpace& space, const Limits& limits) {
  SamplingOptions trial;
  trial.threads = limits.threads;
  trial.evaluations = 8192;
  trial.seconds = 1.0;
  const auto samples = random_strategy(space, /*seed=*/1, Scoring::All);
  const SearchResult result = search(evaluator, *samples, trial);
  if (result.seen == 0) return INFINITY;
  double mappings = space.size().value();
  if (limits.evaluations) mappings = std::min(mappings, static_cast<double>(*limits.evaluations));
  return mappings * result.seconds / static_cast<double>(result.seen);
}

// Why going through the space is hopeless; nothing if it is not.
std::optional<Diagnostic> too_long(const Evaluator& evaluator, const MapSpace& space,
                                   const Limits& limits) {
  constexpr double kMostSeconds = 3600;  // that nobody asked for
  const double most = limits.seconds.value_or(kMostSeconds);
  const double expected = expected_seconds(evaluator, space, limits);
  if (expected <= most) return std::nullopt;
  return Diagnostic{
      {},
      fmt::format("the space has {} mappings; to see them all would take about {}, and "
                  "{} are allowed",
                  readable(space.size()), duration_text(expected), duration_text(most)),
      "search at random, constrain the space, or allow more time"};
}

// Where samples show nothing valid and the space is small, all of it is looked
// at: then it is certain.
SearchResult search_samples(const Evaluator& evaluator, const MapSpace& space,
                            const SamplingOptions& options, std::uint64_t seed) {
  constexpr std::uint64_t kSmall = 1U << 20U;
  const std::uint64_t size = space.size().small().value_or(~std::uint64_t{0});
  SamplingOptions samples = options;
  if (size <= kSmall) samples.hopeless = std::min(samples.hopeless, 4 * size);
  SearchResult result = search(evaluator, *random_strategy(space, seed), samples);
  if (result.stop != SearchResult::Stop::Hopeless || size > kSmall) return result;
  return search(evaluator, *exhaustive_strategy(space), options);
}

// What of the space can fit at all.
MadeSpace space_of(const MappingTask& task, const Deadline& deadline) {
  Restrictions fitting = task.restrictions;
  fitting.exclude_misfits(task.evaluator.problem());
  return MapSpace::create(task.evaluator.problem(), task.space, fitting, &deadline);
}

MapperResult refusal(Status status, std::vector<Diagnostic> problems) {
  MapperResult result;
  result.status = status;
  result.problems = std::move(problems);
  return result;
}

// Why there is no space to search.
MapperResult refusal(MadeSpace space, const Deadline& deadline) {
  if (space.too_large && deadline.has_passed()) {
    MapperResult unseen;
    unseen.search.stop =
        deadline.is_cancelled() ? SearchResult::Stop::Cancelled : SearchResult::Stop::Time;
    unseen.search.seconds = deadline.seconds();
    return unseen;
  }
  return refusal(space.too_large ? Status::TooLarge : Status::Infeasible,
                 std::move(space.problems));
}

MapperResult answer(const MapSpace& space, SearchResult found) {
  MapperResult result = result_of(std::move(found));
  result.space_size = space.size();
  return result;
}

// With the time that is left.
SamplingOptions sampling_of(const MappingTask& task, const Limits& limits,
                            const Deadline& deadline) {
  SamplingOptions options;
  static_cast<Limits&>(options) = limits;
  if (options.seconds) *options.seconds = std::max(0.0, *options.seconds - deadline.seconds());
  options.objective = task.objective;
  return options;
}

MapperResult run_random(const MappingTask& task, const Limits& limits,
                        const OptionValues& options) {
  const Deadline deadline(limits.seconds, limits.cancelled);
  MadeSpace space = space_of(task, deadline);
  if (!space.ok()) return refusal(std::move(space), deadline);
  SamplingOptions how = sampling_of(task, limits, deadline);
  if (const std::int64_t patience = options.count(kPatience); patience > 0) {
    how.patience = static_cast<std::uint64_t>(patience);
  }
  const auto seed = static_cast<std::uint64_t>(options.count(kSeed));
  return answer(*space.value, search_samples(task.evaluator, *space.value, how, seed));
}

MapperResult run_exhaustive(const MappingTask& task, const Limits& limits,
                            const OptionValues& /*options*/) {
  const Deadline deadline(limits.seconds, limits.cancelled);
  MadeSpace space = space_of(task, deadline);
  if (!space.ok()) return refusal(std::move(space), deadline);
  if (auto reason = too_long(task.evaluator, *space.value, limits)) {
    return refusal(Status::TooLarge, {std::move(*reason)});
  }
  return answer(*space.value, search(task.evaluator, *exhaustive_strategy(*space.value),
                                     sampling_of(task, limits, deadline)));
}

}  // namespace

const Mapper& random_mapper() {
  static const Mapper row{.name = "random",
                          .summary = "samples of the space",
                          .options = {kSeed, kPatience, kEvaluations, kTarget},
                          .counts = true,
                          .run = run_random};
  return row;
}

const Mapper& exhaustive_mapper() {
  static const Mapper row{.name = "exhaustive",
                          .summary = "all of it",
                          .options = {kEvaluations, kTarget},
                          .counts = true,
                          .run = run_exhaustive};
  return row;
}

}  // namespace tilewright
