// Finding good mappings. A map-space says what may be tried, an evaluator what
// it costs, a strategy what to try next; search() owns threads, limits,
// progress and cancellation. The same seed gives the same answer with any
// number of threads, as long as no limit of time cuts it short.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/mapspace.h"
#include "tilewright/model.h"

namespace tilewright {

enum class Objective { Edp, Energy, Latency };
std::string to_string(Objective objective);
// pJ * cycles, pJ, or cycles.
double value_of(Objective objective, const Score& score);
// True if `a` is the better of two that fit. Mappings that are equal by the objective
// are told apart by the rest of its key: energy, then cycles; EDP, then cycles, then
// energy; latency, then energy; last by fewer compute instances in use. Energies that
// agree in twelve digits are equal: sums of the same terms in another order differ there.
bool is_better(Objective objective, const Score& a, const Score& b);

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
  // Mappings that do not fit for one and the same reason.
  struct Failure {
    Verdict closest;  // the smallest overflow seen
    Mapping mapping;  // that has it
    std::uint64_t count = 0;
  };

  Recorder(const Evaluator& evaluator, Objective objective, std::optional<Score> to_beat)
      : evaluator_(evaluator), objective_(objective), best_(to_beat) {}

  // Scores a mapping and notes the result; false if it does not fit.
  bool note(const Mapping& mapping);
  // Counts mappings that fail for the same reason as the last one that failed.
  void add_to_last_failure(std::uint64_t mappings);

  std::uint64_t seen() const { return seen_; }
  std::uint64_t valid() const { return valid_; }
  const std::vector<Improvement>& improvements() const { return improvements_; }
  const std::vector<Failure>& failures() const { return failures_; }
  static void merge_failures(std::vector<Failure>& into, const std::vector<Failure>& from);

 private:
  // The position of the failures of one reason, of which this is one.
  static std::size_t place_failure(std::vector<Failure>& failures, const Verdict& verdict,
                                   const Mapping& mapping);

  const Evaluator& evaluator_;
  Objective objective_;
  std::optional<Score> best_;
  std::uint64_t seen_ = 0, valid_ = 0;
  std::vector<Improvement> improvements_;
  std::vector<Failure> failures_;
  std::size_t last_failure_ = 0;
};

// Explores units of work, numbered from 0. What a unit does depends on its
// number alone, never on who explores it or when.
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

// Uniform samples of a space.
std::unique_ptr<Strategy> random_strategy(const MapSpace& space, std::uint64_t seed);
// Every mapping of a space, in the order of their index.
std::unique_ptr<Strategy> exhaustive_strategy(const MapSpace& space);

// --- search -------------------------------------------------------------------

struct SearchProgress {
  std::uint64_t seen = 0, valid = 0;
  double seconds = 0;
  std::optional<Score> best;
  std::optional<double> fraction;  // done, as far as the limits tell
  std::optional<double> bound;     // no mapping has a lower value of the objective
};

struct SearchOptions {
  Objective objective = Objective::Edp;
  int threads = 1;
  // Limits; nothing means none. Patience is the number of valid mappings in a
  // row that bring no improvement (Ruby, section IV-A); it is looked at after
  // every unit of work.
  std::optional<std::uint64_t> patience, evaluations;
  std::optional<std::uint64_t> valid_evaluations;  // looked at as patience is
  std::optional<double> seconds;
  std::optional<double> target;  // a value of the objective that is good enough
  // Without a valid mapping among this many, the search gives up.
  std::uint64_t hopeless = 5'000'000;
  const std::atomic<bool>* cancelled = nullptr;
  // Called by the thread that called search(), some times a second.
  std::function<void(const SearchProgress&)> on_progress;
};

struct SearchResult {
  enum class Stop {
    Complete,
    LocalOptimum,  // of a local search
    Generations,   // of a genetic search: all were bred
    Patience,
    Evaluations,
    Time,
    Target,
    Cancelled,
    Hopeless
  };
  // One step of the best score on its way down.
  struct Step {
    std::uint64_t seen = 0, valid = 0;  // up to and with this one
    Score score;
  };

  std::optional<Mapping> best;
  Score score;  // of the best
  std::uint64_t seen = 0, valid = 0;
  double seconds = 0;
  Stop stop = Stop::Complete;
  std::vector<Step> steps;
  std::vector<Recorder::Failure> failures;  // most frequent first
};
std::string to_string(SearchResult::Stop stop);

SearchResult search(const Evaluator& evaluator, const Strategy& strategy,
                    const SearchOptions& options);

}  // namespace tilewright
