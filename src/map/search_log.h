// A search by one thread, mapping by mapping: what it has found, and when it has to end.
#pragma once

#include <optional>

#include "base/deadline.h"
#include "model/scorer.h"
#include "tilewright/map.h"

namespace tilewright {

class SearchLog {
 public:
  // `expected` is the number of mappings that the search means to see, if it knows.
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

  bool is_over() const { return stop_.has_value(); }
  bool is_improved() const { return improved_; }  // by the last one noted

  // What was found; `end` is why, where no limit was met.
  SearchResult conclude(SearchResult::Stop end);

 private:
  void take(const Mapping& mapping, const Score& score);
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
  bool improved_ = false;
  std::optional<SearchResult::Stop> stop_;
  SearchResult result_;
};

}  // namespace tilewright
