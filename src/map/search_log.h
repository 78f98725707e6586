// A search by one thread, mapping by mapping: what it has found, and when it has to end.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/deadline.h"
#include "model/scorer.h"
#include "tilewright/map.h"

namespace tilewright {

class SearchLog {
 public:
  // `expected` is how often the search means to note something, if it knows.
  SearchLog(const MappingTask& task, const Limits& limits, const Deadline& deadline,
            std::optional<double> expected = std::nullopt)
      : evaluator_(task.evaluator),
        scorer_(task.evaluator),
        objective_(task.objective),
        limits_(limits),
        deadline_(deadline),
        expected_(expected) {}

  // Scores a mapping. Once the search is over, what is scored does not count any more.
  Score note(const Mapping& mapping) { return note(mapping, scorer_); }
  // The same by the scorer of another task, if the search is of several.
  Score note(const Mapping& mapping, Scorer& scorer);
  // Takes a mapping that was scored elsewhere as the best of `count` mappings, all of which fit
  // or which are this one alone; it was number `place` of them, from 1.
  void note(const Mapping& mapping, const Score& score, std::uint64_t count, std::uint64_t place);

  // How many mappings may still be noted.
  std::uint64_t evaluations_left() const {
    return limits_.evaluations.value_or(kNoLimit) - result_.seen;
  }

  bool is_over() const { return stop_.has_value(); }
  bool is_improved() const { return improved_; }  // by the last one noted

  // What was found; `end` is why, where no limit was met.
  SearchResult conclude(SearchResult::Stop end);

 private:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  void take(const Mapping& mapping, const Score& score, const SearchResult::Step& step);
  void look_around();
  void report();
  std::optional<double> fraction() const;

  const Evaluator& evaluator_;
  Scorer scorer_;
  const Objective objective_;
  const Limits& limits_;
  const Deadline& deadline_;
  std::optional<double> expected_;
  double last_report_ = 0;  // seconds since the start
  std::uint64_t noted_ = 0;
  std::uint64_t next_look_ = 1;  // at limits of time: after so many mappings
  bool improved_ = false;
  std::optional<SearchResult::Stop> stop_;
  SearchResult result_;
};

}  // namespace tilewright
