// FactorFlow (Ronzani and Silvano, ASP-DAC 2025): for every dataflow, fan-outs filled first,
// then a greedy descent that moves one prime factor at a time between memories.
#include "map/mapper_parts.h"
#include "map/search_log.h"
#include "mappers/published/published.h"
#include "mappers/published/unrollings.h"

namespace tilewright {
namespace {

constexpr MapperOption kDataflows{.name = "dataflows",
                                  .help =
                                      "that FactorFlow descends with at most; each says which "
                                      "dimension is innermost at every memory",
                                  .fallback = "729",
                                  .least = 1,
                                  .most = 1'000'000};

// The innermost dimension of every memory, numbered: all of them if there are few enough,
// otherwise drawn at random.
class Dataflows {
 public:
  Dataflows(const MappingTask& task, std::int64_t most, std::uint64_t seed)
      : task_(task), most_(most), rng_(seed) {
    const Workload& workload = task.evaluator.problem().workload();
    for (int d = 0; d < workload.dim_count(); ++d) {
      if (workload.dim(DimId{d}).size > 1) dims_.push_back(DimId{d});
    }
    for (int m = 0; m < task.evaluator.problem().memory_count() && !dims_.empty(); ++m) {
      all_ = std::min(all_ * static_cast<std::int64_t>(dims_.size()), kCountLimit / kMaxDims);
    }
  }

  std::int64_t count() const { return std::min(all_, most_); }

  void apply(std::int64_t number, Mapping& mapping) {
    for (int m = 0; m < mapping.memory_count() && !dims_.empty(); ++m) {
      const auto choices = static_cast<std::int64_t>(dims_.size());
      const auto chosen = all_ <= most_ ? static_cast<std::size_t>(number % choices)
                                        : static_cast<std::size_t>(rng_.below(dims_.size()));
      number /= choices;
      std::vector<DimId> order;
      for (const DimId dim : dims_) {
        if (dim != dims_[chosen]) order.push_back(dim);
      }
      order.push_back(dims_[chosen]);
      published::set_allowed_order(task_, MemoryId{m}, std::move(order), mapping);
    }
  }

 private:
  const MappingTask& task_;
  const std::int64_t most_;
  Rng rng_;
  std::vector<DimId> dims_;
  std::int64_t all_ = 1;
};

// One descent. What is unrolled stays where it is.
class FactorDescent {
 public:
  FactorDescent(const MappingTask& task, Mapping start, SearchLog& log)
      : task_(task), log_(log), now_(std::move(start)) {}

  void run() {
    if (!published::is_allowed(task_, now_)) return;
    score_ = log_.note(now_);
    while (!log_.is_over() && step()) {
    }
  }

 private:
  // Takes the best move, if one is better.
  bool step() {
    std::optional<Mapping> best;
    const Problem& problem = task_.evaluator.problem();
    for (int from = 0; from < problem.memory_count(); ++from) {
      for (int to = 0; to < problem.memory_count(); ++to) {
        if (from != to)
          try_moves(problem.use(MemoryId{from}).slot, problem.use(MemoryId{to}).slot, best);
      }
    }
    if (!best) return false;
    now_ = std::move(*best);
    return true;
  }

  void try_moves(int from, int to, std::optional<Mapping>& best) {
    for (int d = 0; d < now_.dim_count() && !log_.is_over(); ++d) {
      const DimId dim{d};
      const BoundLimits& inside = task_.restrictions.limits(from, dim);
      const BoundLimits& outside = task_.restrictions.limits(to, dim);
      std::int64_t left = now_.bound(from, dim);
      for (std::int64_t prime = 2; left > 1; ++prime) {
        if (prime * prime > left) prime = left;
        if (left % prime != 0) continue;
        while (left % prime == 0) left /= prime;
        if (now_.bound(from, dim) / prime < inside.least) continue;
        if (now_.bound(to, dim) * prime > outside.most) continue;
        try_move(from, to, {dim, prime}, best);
      }
    }
  }

  void try_move(int from, int to, const published::PrimeLoop& factor,
                std::optional<Mapping>& best) {
    Mapping moved = now_;
    moved.set_bound(from, factor.dim, moved.bound(from, factor.dim) / factor.bound);
    moved.set_bound(to, factor.dim, moved.bound(to, factor.dim) * factor.bound);
    if (!published::is_allowed(task_, moved)) return;
    const Score score = log_.note(moved);
    if (!score.verdict.fits()) return;
    if (score_.verdict.fits() && !is_better(task_.objective, score, score_)) return;
    score_ = score;
    best = std::move(moved);
  }

  const MappingTask& task_;
  SearchLog& log_;
  Mapping now_;
  Score score_;  // of the best so far
};

MapperResult run_factorflow(const MappingTask& task, const Limits& limits,
                            const OptionValues& options) {
  if (auto refusal = published::refusal_of(task)) return std::move(*refusal);
  const Deadline deadline(limits.seconds, limits.cancelled);
  SearchLog log(task, limits, deadline);
  Dataflows dataflows(task, options.count(kDataflows),
                      static_cast<std::uint64_t>(options.count(kSeed)));
  const std::vector<Mapping> starts = published::widest_unrollings(task, 1);
  for (std::int64_t i = 0; i < dataflows.count() && !log.is_over() && !starts.empty(); ++i) {
    Mapping start = starts.front();
    dataflows.apply(i, start);
    FactorDescent(task, std::move(start), log).run();
    if (deadline.has_passed()) break;
  }
  return result_of(log.conclude(SearchResult::Stop::LocalOptimum));
}

}  // namespace

const Mapper& factorflow_mapper() {
  static const Mapper row{.name = "factorflow",
                          .summary = "greedy moves of factors, as FactorFlow does (docs/arena.md)",
                          .options = {kSeed, kDataflows, kEvaluations, kTarget},
                          .run = run_factorflow};
  return row;
}

}  // namespace tilewright
