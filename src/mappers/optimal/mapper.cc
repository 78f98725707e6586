// The row of the optimal mapper.
#include <utility>

#include "map/mapper_parts.h"
#include "mappers/optimal/optimal.h"

namespace tilewright {

namespace {

SearchResult::Stop stop_of(Proof::Stop stop) {
  if (stop == Proof::Stop::Time) return SearchResult::Stop::Time;
  if (stop == Proof::Stop::Cancelled) return SearchResult::Stop::Cancelled;
  return SearchResult::Stop::Complete;
}

MapperResult run_optimal(const MappingTask& task, const Limits& limits,
                         const OptionValues& /*options*/) {
  using Status = MapperResult::Status;
  OptimalResult solved = find_optimum(task, limits);
  MapperResult result;
  result.proof = solved;
  result.search.best = std::move(solved.best);
  result.apart = std::move(solved.apart);
  result.search.score = solved.score;
  result.search.seen = result.search.valid = solved.mappings_evaluated;
  result.search.seconds = solved.seconds;
  result.search.stop = stop_of(solved.stop);
  result.status = result.search.best ? Status::Found : Status::NothingValid;
  if (solved.status == Proof::Status::NoneBetter) result.status = Status::NoneBetter;
  if (solved.status == Proof::Status::Infeasible) {
    result.status = Status::Infeasible;
    result.problems = std::move(solved.reasons);
  }
  return result;
}

}  // namespace

const Mapper& optimal_mapper() {
  static const Mapper row{.name = "optimal",
                          .summary = "the best mapping, proven (docs/optimal.md)",
                          .options = {kGap, kMemory},
                          .proves = true,
                          .knows_arrays = true,
                          .run = run_optimal};
  return row;
}

}  // namespace tilewright
