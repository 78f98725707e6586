// LOMA (Symons et al., AICAS 2021): every order of a few loops, each allocated from the
// innermost memory out.
#include <algorithm>

#include "map/mapper_parts.h"
#include "mappers/published/loop_order.h"
#include "mappers/published/published.h"

namespace tilewright {
namespace {

using published::LoopAllocator;
using published::PrimeLoop;

constexpr MapperOption kMostLoops{
    .name = "most-loops",
    .help =
        "that LOMA orders; the smallest prime factors of a dimension are taken together until "
        "there are no more",
    .fallback = "6",
    .least = 1,
    .most = 12};
// The loop whose dimension has another one, and the product with that one is least.
std::optional<std::size_t> least_pair(const std::vector<PrimeLoop>& loops) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
    if (loops[i].dim != loops[i + 1].dim) continue;
    const auto product = [&](std::size_t k) { return loops[k].bound * loops[k + 1].bound; };
    if (!best || product(i) < product(*best)) best = i;
  }
  return best;
}

// A dimension's loops stand together, smallest first.
void take_together(std::size_t most, std::vector<PrimeLoop>& loops) {
  while (loops.size() > most) {
    const std::optional<std::size_t> first = least_pair(loops);
    if (!first) return;
    loops[*first].bound *= loops[*first + 1].bound;
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(*first) + 1);
    std::sort(loops.begin(), loops.end());
  }
}

MapperResult run_loma(const MappingTask& task, const Limits& limits, const OptionValues& options) {
  if (auto refusal = published::refusal_of(task)) return std::move(*refusal);
  const Deadline deadline(limits.seconds, limits.cancelled);
  SearchLog log(task, limits, deadline);
  const auto unrollings = static_cast<std::size_t>(options.count(published::kUnrollings));
  for (const Mapping& start : published::widest_unrollings(task, unrollings)) {
    std::vector<PrimeLoop> loops = published::prime_loops(task, start);
    take_together(static_cast<std::size_t>(options.count(kMostLoops)), loops);
    LoopAllocator allocator(task, start);
    do {
      published::try_order(task, loops, allocator, log);
    } while (!log.is_over() && !deadline.has_passed() &&
             std::next_permutation(loops.begin(), loops.end()));
  }
  return result_of(log.conclude(SearchResult::Stop::Tried));
}

}  // namespace

const Mapper& loma_mapper() {
  static const Mapper row{.name = "loma",
                          .summary = "orders of loops, as LOMA does (docs/arena.md)",
                          .options = {kMostLoops, published::kUnrollings, kEvaluations, kTarget},
                          .run = run_loma};
  return row;
}

}  // namespace tilewright
