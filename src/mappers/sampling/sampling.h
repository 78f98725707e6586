// Mappings of a counted space, drawn at random or one after the other. A strategy says
// what to try next; search() owns threads, limits, progress and cancellation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/scorer.h"
#include "tilewright/map.h"

namespace tilewright {

const Mapper& random_mapper();
const Mapper& exhaustive_mapper();

// --- strategies ---------------------------------------------------------------

// What became of the mappings of one unit of work. Only those that beat what
// was known before the unit are kept.
class Recorder {
 public:
  struct Improvement {
    std::uint64_t seen = 0, valid = 0;  // mappings of the unit up to and with this one
    Score score;
    Mapping mapping;
  };
  // The scorer is that of the thread which explores the unit.
  Recorder(Scorer& scorer, Objective objective, std::optional<Score> to_beat)
      : scorer_(scorer), objective_(objective), best_(to_beat) {}

  // Scores a mapping and notes the result; false if it does not fit.
  bool note(const Mapping& mapping);
  // Counts a mapping that fits, and that cannot beat best().
  void count_beaten() {
    ++seen_;
    ++valid_;
  }
  // Counts a mapping that does not fit, unless it is worth to be told; then false.
  bool count_misfit(const Verdict& verdict);
  // Counts mappings that fail for the same reason as the last one that failed.
  void add_to_last_failure(std::uint64_t mappings);

  const Scorer& scorer() const { return scorer_; }
  Objective objective() const { return objective_; }
  const std::optional<Score>& best() const { return best_; }
  std::uint64_t seen() const { return seen_; }
  std::uint64_t valid() const { return valid_; }
  const std::vector<Improvement>& improvements() const { return improvements_; }
  const std::vector<Failure>& failures() const { return failures_; }

 private:
  Scorer& scorer_;
  Objective objective_;
  std::optional<Score> best_;
  std::uint64_t seen_ = 0, valid_ = 0;
  std::vector<Improvement> improvements_;
  std::vector<Failure> failures_;
  std::size_t last_failure_ = 0;
};

// Explores units of work, numbered from 0. What a unit does depends on its
// number alone, never on who explores it or when. All recorders are of one problem.
class Explorer {
 public:
  virtual ~Explorer() = default;
  // At most `most` mappings of the unit.
  virtual void explore(std::uint64_t unit, std::uint64_t most, Recorder& recorder) = 0;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::unique_ptr<Explorer> explorer() const = 0;  // one per thread
  // Mappings of a full unit, and of all units together if they end.
  virtual std::uint64_t unit_size() const = 0;
  virtual std::optional<std::uint64_t> total() const = 0;
};

// Which samples are scored: those of which a screen cannot tell that they do not fit or cannot beat
// what was found before, or all. What is found is the same.
enum class Scoring : std::uint8_t { Screened, All };
// Uniform samples of a space.
std::unique_ptr<Strategy> random_strategy(const MapSpace& space, std::uint64_t seed,
                                          Scoring scoring = Scoring::Screened);
// Every mapping of a space, in the order of their index.
std::unique_ptr<Strategy> exhaustive_strategy(const MapSpace& space);

// --- search -------------------------------------------------------------------

struct SamplingOptions : Limits {
  Objective objective = Objective::Edp;
  // Patience is the number of valid mappings in a row that bring no improvement (Ruby,
  // section IV-A); it is looked at after every unit of work.
  std::optional<std::uint64_t> patience;
  std::optional<std::uint64_t> valid_evaluations;  // looked at as patience is
  // Without a valid mapping among this many, the search gives up.
  std::uint64_t hopeless = 5'000'000;
};

SearchResult search(const Evaluator& evaluator, const Strategy& strategy,
                    const SamplingOptions& options);

}  // namespace tilewright
