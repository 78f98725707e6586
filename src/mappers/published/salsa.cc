// SALSA (Jung et al., AICAS 2023): simulated annealing over the orders of all prime factors,
// each allocated as LOMA does.
#include <cmath>

#include "map/mapper_parts.h"
#include "mappers/published/loop_order.h"
#include "mappers/published/published.h"

namespace tilewright {
namespace {

using published::LoopAllocator;
using published::PrimeLoop;

constexpr MapperOption kIterations{.name = "iterations",
                                   .help = "of SALSA, for each unrolling",
                                   .fallback = "1000",
                                   .least = 1,
                                   .most = 1'000'000'000};

class Annealing {
 public:
  Annealing(const MappingTask& task, Rng rng, SearchLog& log) : task_(task), rng_(rng), log_(log) {}

  void run(const Mapping& start, std::int64_t iterations) {
    std::vector<PrimeLoop> loops = published::prime_loops(task_, start);
    LoopAllocator allocator(task_, start);
    for (std::size_t i = loops.size(); i > 1; --i) std::swap(loops[i - 1], loops[rng_.below(i)]);
    std::optional<double> value = published::try_order(task_, loops, allocator, log_);
    double temperature = kHottest;
    for (std::int64_t i = 0; i < iterations && !loops.empty() && !log_.is_over(); ++i) {
      PrimeLoop& one = loops[rng_.below(loops.size())];
      PrimeLoop& other = loops[rng_.below(loops.size())];
      std::swap(one, other);
      const std::optional<double> next = published::try_order(task_, loops, allocator, log_);
      if (is_accepted(value, next, temperature)) {
        value = next;
      } else {
        std::swap(one, other);
      }
      temperature *= kCooling;
    }
  }

 private:
  static constexpr double kHottest = 0.05, kCooling = 0.995;

  // Always draws, so that what follows does not depend on what was found.
  bool is_accepted(const std::optional<double>& now, const std::optional<double>& next,
                   double temperature) {
    const double drawn = static_cast<double>(rng_.next() >> 11U) * 0x1p-53;
    if (!next) return false;
    return !now || drawn < std::exp((*now / *next - 1) / temperature);
  }

  const MappingTask& task_;
  Rng rng_;
  SearchLog& log_;
};

MapperResult run_salsa(const MappingTask& task, const Limits& limits, const OptionValues& options) {
  if (auto refusal = published::refusal_of(task)) return std::move(*refusal);
  const Deadline deadline(limits.seconds, limits.cancelled);
  SearchLog log(task, limits, deadline);
  const auto unrollings = static_cast<std::size_t>(options.count(published::kUnrollings));
  const auto seed = static_cast<std::uint64_t>(options.count(kSeed));
  std::uint64_t stream = 0;
  for (const Mapping& start : published::widest_unrollings(task, unrollings)) {
    Annealing(task, Rng(seed, stream++), log).run(start, options.count(kIterations));
  }
  return result_of(log.conclude(SearchResult::Stop::Tried));
}

}  // namespace

const Mapper& salsa_mapper() {
  static const Mapper row{
      .name = "salsa",
      .summary = "annealed orders of loops, as SALSA does (docs/arena.md)",
      .options = {kSeed, kIterations, published::kUnrollings, kEvaluations, kTarget},
      .run = run_salsa};
  return row;
}

}  // namespace tilewright
