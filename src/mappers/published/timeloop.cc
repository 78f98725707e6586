// Timeloop's searches (Parashar et al., ISPASS 2019), with its rules of termination: so many
// mappings in a row that do not fit, or that fit and are no better.
#include <algorithm>

#include "map/mapper_parts.h"
#include "map/search_log.h"
#include "mappers/published/published.h"

namespace tilewright {
namespace {

using Stop = SearchResult::Stop;

constexpr MapperOption kTimeout{
    .name = "timeout",
    .help = "Timeloop's searches end after this many mappings in a row that do not fit; 0: never",
    .fallback = "1000"};
constexpr MapperOption kVictory{
    .name = "victory-condition",
    .help =
        "Timeloop's searches end after this many mappings in a row that fit and are no better; "
        "0: never",
    .fallback = "500"};
constexpr MapperOption kPermutations{
    .name = "max-permutations-per-if-visit",
    .help = "orders that Timeloop's hybrid search tries of a tiling",
    .fallback = "16",
    .least = 1};

// What the searches have in common: when they have seen enough.
class TimeloopSearch {
 public:
  TimeloopSearch(const MappingTask& task, const Limits& limits, const Deadline& deadline,
                 const OptionValues& options)
      : log_(task, limits, deadline),
        timeout_(options.count(kTimeout)),
        victory_(options.count(kVictory)) {}

  // Whether the mapping fits.
  bool try_mapping(const Mapping& mapping) { return count(note(mapping)); }
  // The same for one of several that differ in what is bypassed alone, which count as one.
  enum class Outcome { Misfit, NoBetter, Better };
  Outcome note(const Mapping& mapping) {
    const bool fits = log_.note(mapping).verdict.fits();
    if (log_.is_improved()) return Outcome::Better;
    return fits ? Outcome::NoBetter : Outcome::Misfit;
  }
  bool count(Outcome outcome) {
    misfits_ = outcome == Outcome::Misfit ? misfits_ + 1 : 0;
    if (outcome == Outcome::NoBetter) ++no_better_;
    if (outcome == Outcome::Better) no_better_ = 0;
    return outcome != Outcome::Misfit;
  }

  bool is_over() const {
    return log_.is_over() || is_reached(misfits_, timeout_) || is_reached(no_better_, victory_);
  }
  MapperResult conclude(Stop end, const MapSpace& space) {
    const bool enough = is_reached(misfits_, timeout_) || is_reached(no_better_, victory_);
    MapperResult result = result_of(log_.conclude(enough ? Stop::Patience : end));
    result.space_size = space.size();
    return result;
  }

 private:
  static bool is_reached(std::int64_t count, std::int64_t most) {
    return most > 0 && count >= most;
  }

  SearchLog log_;
  const std::int64_t timeout_, victory_;
  std::int64_t misfits_ = 0, no_better_ = 0;  // in a row
};

using Explore = void (*)(const MapSpace& space, const OptionValues& options,
                         TimeloopSearch& search);

// Counts the space and explores it.
MapperResult run_on_space(const MappingTask& task, const Limits& limits,
                          const OptionValues& options, Explore explore) {
  const Deadline deadline(limits.seconds, limits.cancelled);
  MadeSpace space =
      MapSpace::create(task.evaluator.problem(), task.space, task.restrictions, &deadline);
  if (!space.ok()) {
    MapperResult none;
    none.search.stop = deadline.is_cancelled() ? Stop::Cancelled : Stop::Time;
    none.search.seconds = deadline.seconds();
    if (space.too_large && deadline.has_passed()) return none;
    none.status =
        space.too_large ? MapperResult::Status::TooLarge : MapperResult::Status::Infeasible;
    none.problems = std::move(space.problems);
    return none;
  }
  TimeloopSearch search(task, limits, deadline, options);
  explore(*space.value, options, search);
  return search.conclude(Stop::Complete, *space.value);
}

// --- random -----------------------------------------------------------------------

void explore_at_random(const MapSpace& space, const OptionValues& options, TimeloopSearch& search) {
  Sampler sampler(space);
  Rng rng(static_cast<std::uint64_t>(options.count(kSeed)));
  while (!search.is_over()) search.try_mapping(sampler.draw(rng));
}

// --- linear -----------------------------------------------------------------------

// Whether a mapping fits does not depend on its loop orders.
void explore_in_order(const MapSpace& space, const OptionValues& /*options*/,
                      TimeloopSearch& search) {
  Walk walk(space, BigUint(0), space.size());
  const Mapping* mapping = walk.next();
  for (; mapping != nullptr && !search.is_over(); mapping = walk.next()) {
    if (!search.try_mapping(*mapping)) walk.skip_orders();
  }
}

// --- hybrid -----------------------------------------------------------------------

bool has_same_tiling(const Mapping& a, const Mapping& b) {
  for (int slot = 0; slot < a.slot_count(); ++slot) {
    if (!std::equal(a.bounds(slot), a.bounds(slot) + a.dim_count(), b.bounds(slot))) return false;
  }
  return true;
}

// A tiling drawn at random; some of its orders, one after the other; all that each may bypass.
class HybridExplorer {
 public:
  HybridExplorer(const MapSpace& space, const OptionValues& options, TimeloopSearch& search)
      : space_(space),
        search_(search),
        rng_(static_cast<std::uint64_t>(options.count(kSeed))),
        orders_(options.count(kPermutations)) {}

  void run() {
    while (!search_.is_over()) visit(rng_.below(space_.size()));
  }

 private:
  void visit(const BigUint& index) {
    Walk walk(space_, index, space_.size());
    std::optional<Mapping> tiling;
    for (std::int64_t i = 0; i < orders_ && !search_.is_over(); ++i) {
      const Mapping* mapping = walk.next();
      if (mapping == nullptr || (tiling && !has_same_tiling(*mapping, *tiling))) return;
      if (!tiling) tiling = *mapping;
      Mapping changed = *mapping;
      outcome_ = TimeloopSearch::Outcome::Misfit;
      try_residences(0, changed);
      // Where nothing fits with one order, nothing does with another.
      if (!search_.count(outcome_)) return;
    }
  }

  // Every set of tensors that the memories may keep from this one on.
  void try_residences(int memory, Mapping& mapping) {
    if (memory == mapping.memory_count()) {
      if (keeps_everything(mapping)) outcome_ = std::max(outcome_, search_.note(mapping));
      return;
    }
    const MemoryId id{memory};
    const std::uint32_t always = space_.restrictions().keep_always(id);
    const std::uint32_t free = space_.restrictions().keep_allowed(id) & ~always;
    for (std::uint32_t some = free;; some = (some - 1) & free) {
      mapping.set_kept(id, always | some);
      try_residences(memory + 1, mapping);
      if (some == 0 || search_.is_over()) return;
    }
  }

  bool keeps_everything(const Mapping& mapping) const {
    std::uint32_t kept = 0;
    for (int m = 0; m < mapping.memory_count(); ++m) kept |= mapping.kept(MemoryId{m});
    return kept == (1U << space_.problem().tensor_count()) - 1;
  }

  const MapSpace& space_;
  TimeloopSearch& search_;
  Rng rng_;
  const std::int64_t orders_;
  TimeloopSearch::Outcome outcome_ = TimeloopSearch::Outcome::Misfit;  // the best of an order's
};

void explore_hybrid(const MapSpace& space, const OptionValues& options, TimeloopSearch& search) {
  HybridExplorer(space, options, search).run();
}

}  // namespace

const Mapper& timeloop_random_mapper() {
  static const Mapper row{
      .name = "timeloop-random",
      .summary = "samples, as Timeloop ends them (docs/arena.md)",
      .options = {kSeed, kTimeout, kVictory, kEvaluations, kTarget},
      .run = [](const MappingTask& task, const Limits& limits, const OptionValues& options) {
        return run_on_space(task, limits, options, explore_at_random);
      }};
  return row;
}

const Mapper& timeloop_linear_mapper() {
  static const Mapper row{
      .name = "timeloop-linear",
      .summary = "one after the other, as Timeloop's linear-pruned does (docs/arena.md)",
      .options = {kTimeout, kVictory, kEvaluations, kTarget},
      .run = [](const MappingTask& task, const Limits& limits, const OptionValues& options) {
        return run_on_space(task, limits, options, explore_in_order);
      }};
  return row;
}

const Mapper& timeloop_hybrid_mapper() {
  static const Mapper row{
      .name = "timeloop-hybrid",
      .summary = "tilings at random, orders in turn, as Timeloop does by default (docs/arena.md)",
      .options = {kSeed, kTimeout, kVictory, kPermutations, kEvaluations, kTarget},
      .run = [](const MappingTask& task, const Limits& limits, const OptionValues& options) {
        return run_on_space(task, limits, options, explore_hybrid);
      }};
  return row;
}

}  // namespace tilewright
