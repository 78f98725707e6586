// From a workload and an architecture to a mapping: map_workload() and map_network()
// choose the map-space and let a mapper look for the best mapping in it. A mapper is a
// row of a table: its name, its options, how to run it. The same seed gives the same
// answer with any number of threads, as long as no limit of time cuts it short.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tilewright/flexibility.h"
#include "tilewright/mapspace.h"
#include "tilewright/model.h"

namespace tilewright {

// --- what a mapper is asked -----------------------------------------------------

// What was found out about a task before it is run. Only mappers that prove use it.
struct Foreknown {
  // Mappings whose bounds fit into so much of a fan-out: they need not be looked at again.
  struct Part {
    LevelId fanout{};
    std::int64_t size_y = 1, size_x = 1;
  };
  std::vector<Part> settled;
  Int128 least_cycles = 0;  // that any mapping takes
  // The least energy of all accesses, by any mapping, that fill a memory and those outside it.
  double least_filling_pj = 0;
  LevelId filled{};
};

// One way to set up a fan-out whose instances stand in a single row: dimensions that may be
// unrolled in it, how far those of rows may be together, and how far those of columns. None is in
// both.
struct ArrayChoice {
  LevelId fanout{};
  std::vector<DimId> rows, columns;
  std::int64_t most_rows = 1, most_columns = 1;
};

struct Limits;
struct SearchResult;

struct MappingTask {
  const Evaluator& evaluator;  // of the problem
  SpaceKind space = SpaceKind::Perfect;
  const Restrictions& restrictions;
  Objective objective = Objective::Edp;
  // Whether mappings that are equal by the objective are told apart by the rest of its
  // key (see is_better). Without it any of the best may come out, but always the same
  // one; of those with the least latency one with the least energy.
  bool settle_ties = true;
  // What is known to be possible elsewhere: only better mappings are of interest. A
  // mapper that proves may end with NoneBetter; others need not look at it.
  std::optional<Score> to_beat = std::nullopt;
  Foreknown known = {};
  // A mapping of the space that fits, to begin with; mappers need not look at it.
  const Mapping* start = nullptr;
  // Memories, as bits, whose tensors may have storage points of their own: uneven mappings are
  // searched, too. Mappers that know even ones alone need not look at it.
  std::uint32_t uneven = 0;
  // Whether nothing but the value of the objective counts: of mappings with the least latency
  // any may come out, whatever their energy. Ties are not settled then.
  bool only_value = false;
  // If there are any, mappings must keep to one of them. Only for mappers that know arrays.
  std::vector<ArrayChoice> arrays = {};
  // Another search for even mappings of the task. Mappers that prove may ask it where that takes
  // long, for a good mapping closes much: first with an effort of 1, then with four times as much
  // each time. Nothing but its limits and the effort ends it.
  std::function<SearchResult(int effort, const Limits& limits)> other_search = {};
};

// Where uneven mappings are searched, too (docs/semantics.md).
enum class Evenness {
  Even,    // nowhere
  Marked,  // at the memories that the architecture calls uneven
  Uneven,  // at all memories
};
// What a command searches: what it was asked for, or else what the architecture says.
Evenness evenness_for(const Architecture& arch, std::optional<bool> uneven);
// The memories of a task, as bits.
std::uint32_t uneven_memories(const Problem& problem, Evenness evenness);
// What cannot be done with uneven mappings of a task; empty if all can.
std::vector<Diagnostic> reasons_against_uneven(const MappingTask& task);

struct SearchProgress {
  std::uint64_t seen = 0, valid = 0;
  double seconds = 0;
  std::optional<Score> best;
  std::optional<double> fraction;  // done, as far as the limits tell
  std::optional<double> bound;     // no mapping has a lower value of the objective
  std::uint64_t points = 0;        // of a front, so far
};

// What ends a search; nothing means no limit. Each mapper's row lists those that it
// keeps to beside threads, time and cancelling.
struct Limits {
  int threads = 1;
  std::optional<double> seconds;
  std::optional<std::uint64_t> evaluations;
  std::optional<double> target;  // a value of the objective that is good enough
  double gap = 0;                // good enough: the value is at most 1 + gap times the bound
  std::int64_t memory_bytes = std::int64_t{2} << 30;
  const std::atomic<bool>* cancelled = nullptr;
  // Called by the thread that started the search, some times a second.
  std::function<void(const SearchProgress&)> on_progress;
};

// --- what it answers ------------------------------------------------------------

// Mappings that do not fit for one and the same reason.
struct Failure {
  Verdict closest;  // the smallest overflow seen
  Mapping mapping;  // that has it
  std::uint64_t count = 0;
};

struct SearchResult {
  enum class Stop {
    Complete,
    LocalOptimum,  // of a local search
    Generations,   // of a genetic search: all were bred
    Tried,         // all that the search tries, which is not all of the space
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
  std::vector<Failure> failures;  // most frequent first
};
std::string to_string(SearchResult::Stop stop);

// What is known about all mappings of the space.
struct Proof {
  enum class Status {
    Proven,      // the best is optimal
    Stopped,     // at a limit; `bound` still holds
    Infeasible,  // no mapping fits
    NoneBetter,  // than what was to beat, up to the rounding of its energy
  };
  // Steps: frames were left open that take too many of them.
  enum class Stop { Complete, Gap, Time, Memory, Cancelled, Inexact, Steps };

  Status status = Status::Stopped;
  Stop stop = Stop::Complete;
  double bound = 0;                   // of the objective's value, rounded down
  double gap = 0;                     // value / bound - 1
  std::uint64_t frames = 0;           // looked at one by one
  std::uint64_t frames_expanded = 0;  // not closed by the cheap bound
  std::uint64_t mappings_evaluated = 0;
  double seconds = 0;
};
std::string to_string(Proof::Stop stop);

struct MapperResult {
  enum class Status {
    Found,
    Infeasible,    // the space is empty; see `problems`
    TooLarge,      // to be counted or to be gone through; see `problems`
    NothingValid,  // nothing that was seen fits; see `search.failures`
    NoneBetter,    // than what was to beat
  };
  Status status = Status::NothingValid;
  std::vector<Diagnostic> problems;
  SearchResult search;
  std::optional<Proof> proof;
  BigUint space_size;  // 0 where nobody counts it
  // The problem that an uneven mapping is of: memories stand as storage points there.
  std::optional<Problem> apart;
};

// --- flexible architectures -----------------------------------------------------

// The settings of a flexible architecture for one workload, each a task of its own.
class SettingTasks {
 public:
  SettingTasks() = default;
  SettingTasks(const SettingTasks&) = delete;
  SettingTasks& operator=(const SettingTasks&) = delete;
  virtual ~SettingTasks() = default;

  // Those with the fewest cycles first.
  virtual const std::vector<Setting>& settings() const = 0;
  // Made when it is first asked for; it stays where it is.
  virtual const MappingTask& task(std::size_t setting) = 0;
};

// What a search of all settings at once found.
struct SettingsResult {
  SearchResult search;
  std::size_t setting = 0;   // of the best mapping
  std::size_t searched = 0;  // settings that were tried
};

// --- mappers ------------------------------------------------------------------

using OptionValue = std::variant<std::int64_t, double>;

// An option that a mapper understands: a limit that it keeps to, or one of its own.
struct MapperOption {
  enum class Kind { Count, Positive, Share, Bytes, Choice };
  std::string_view name;  // "population"; --population on a command line
  Kind kind = Kind::Count;
  std::string_view help = "";
  std::string_view fallback = "";              // as it is written; empty: none
  std::int64_t least = 0, most = kCountLimit;  // of a count
  std::span<const std::string_view> choices = {};
  // Takes a limit; without it the value goes to the mapper as an option of its own.
  void (*limit)(const OptionValue& value, Limits& limits) = nullptr;
};

// The values of a mapper's own options, by name.
class OptionValues {
 public:
  void set(std::string_view option, OptionValue value) { values_[std::string(option)] = value; }
  bool has(const MapperOption& option) const { return values_.count(std::string(option.name)) > 0; }
  // The value of an option, or its fallback.
  std::int64_t count(const MapperOption& option) const;
  std::string_view choice(const MapperOption& option) const;
  double number(const MapperOption& option) const;

 private:
  std::map<std::string, OptionValue> values_;
};

struct Mapper {
  std::string_view name;     // "quickflow"
  std::string_view summary;  // what it finds, for the help
  std::vector<MapperOption> options;
  bool proves = false;        // its results carry a proof or a bound
  bool counts = false;        // it knows the size of the space, and the share of it that fits
  bool knows_arrays = false;  // it keeps to one of several ways to set up a fan-out
  std::function<MapperResult(const MappingTask& task, const Limits& limits,
                             const OptionValues& options)>
      run;
  // Searches all settings of a flexible architecture at once, under one budget. Mappers without
  // it search them one by one.
  std::function<SettingsResult(SettingTasks& tasks, const Limits& limits,
                               const OptionValues& options)>
      run_settings = {};

  const MapperOption* find(std::string_view option) const;  // null if it has none such
};

// The mappers there are; the first, the optimal one, is the default.
const std::vector<const Mapper*>& mappers();
const Mapper* find_mapper(std::string_view name);  // null if there is none

// --- one workload ----------------------------------------------------------------

struct MapOptions {
  SpaceKind space = SpaceKind::Perfect;
  // Also try the workload with dimensions padded to multiples of the fan-outs.
  bool padded = false;
  Objective objective = Objective::Edp;
  const Mapper* mapper = mappers().front();  // one of these, or any other row
  OptionValues mapper_options;
  Limits limits;
  std::vector<Constraint> constraints;  // beside those of the architecture
  std::optional<Score> to_beat;         // see MappingTask; the outcome may be NoneBetter then
  Foreknown known;                      // see MappingTask
  // Whether the bound of a mapper that proves is what matters. If not, part of the time is
  // left for the quickflow mapper, and where nothing is proven the better mapping counts.
  bool proof_wanted = true;
  bool settle_ties = true;  // see MappingTask; the same of settings of a flexible architecture
  bool only_value = false;  // see MappingTask
  // Whether the inputs may take each other's roles. What is proven holds for all ways
  // to deal them out; limits are shared out to these.
  bool any_roles = false;
  bool remarks = false;  // whether the outcome is to have some; see below
  // What is not possible with uneven mappings is BadInput.
  Evenness evenness = Evenness::Even;
  bool each_layer = false;  // a network's layers count each on its own; see map_network()
};

// A mapping with remainders in space, where perfect factors leave instances idle.
struct RemainderGain {
  std::int64_t idle = 0, instances = 0;  // compute instances, with perfect factors
  double share = 0;                      // of the objective that it saves
};

// What came of mapping one workload.
struct MapOutcome {
  enum class Status {
    NotTried,  // cancelled by the user before
    Found,
    BadInput,      // names that mean nothing here; see `problems`
    Infeasible,    // the space is empty; see `problems`
    TooLarge,      // to be counted, or for an exhaustive search; see `problems`
    NothingValid,  // nothing that was seen fits; see `search.failures`
    NoneBetter,    // than what was to beat
  };
  Status status = Status::NotTried;
  std::vector<Diagnostic> problems;
  // As mapped: dimensions may be padded, and of an uneven mapping memories stand as storage
  // points.
  std::optional<Problem> problem;
  BigUint space_size;      // of all that was searched; 0 where nobody counts it
  Int128 useful_macs = 0;  // of the workload as it was given
  bool cancelled = false;  // before the end
  SearchResult search;
  std::optional<Proof> proof;  // from a mapper that proves
  const Mapper* found_by = nullptr;
  // Where the architecture is flexible: how it is set up for the best mapping, out
  // of how many settings, and how many had to be searched.
  std::optional<Setting> setting;
  std::size_t settings = 0, settings_searched = 0;
  double flexibility_um2 = 0;   // area that the freedom adds
  double flexibility_area = 0;  // the same, as a share of the area without it
  // With `any_roles`: the roles as given, then all other ways to deal them out.
  struct OfRoles {
    std::string roles;  // as roles_text() has them
    Status status = Status::NotTried;
    std::optional<double> value;  // of the objective
    bool proven = false;          // to be the best with these roles
  };
  std::vector<OfRoles> roles;
  // Where the options ask for remarks: what remarks_on() says of the workload on the
  // architecture, and what a quick search with remainders found, if it is much better.
  std::vector<std::string> remarks;
  std::optional<RemainderGain> remainders;

  bool found() const { return status == Status::Found; }
};

// If the architecture has a flexibility, the best of all its settings.
MapOutcome map_workload(const Workload& workload, const Architecture& arch,
                        const MapOptions& options);

// Plain sentences that belong to an outcome; see MapOptions::remarks.
std::vector<std::string> remarks_on(const MapOutcome& outcome, const MapOptions& options);

// The workload as it is, and with dimensions padded up to a multiple of a fan-
// out's axis, so that perfect factors can fill it: at most one dimension per
// axis, only such as are larger than it. What is added is work like any other.
// Constraints may keep a dimension from an axis; beside the architecture's, `more`.
std::vector<Workload> padded_workloads(const Workload& workload, const Architecture& arch,
                                       const std::vector<Constraint>& more = {});

// --- fronts ---------------------------------------------------------------------

// Every mapping that no other beats in both energy and cycles; of those with
// the same cost, one.
struct ParetoFront {
  struct Point {
    Mapping mapping;
    Score score;
    // As in MapperResult, or the problem as a flexible architecture is set up for the point.
    std::optional<Problem> apart = std::nullopt;
    std::optional<Setting> setting = std::nullopt;
  };
  std::vector<Point> points;  // fastest first
  bool complete = false;      // proven: there are no other points
  Proof::Stop stop = Proof::Stop::Complete;
  std::uint64_t frames = 0;
  double seconds = 0;
  std::vector<Diagnostic> reasons;  // if it is complete and empty
  // How many settings a flexible architecture has, and how many of them were searched in full.
  std::size_t settings = 0, settings_searched = 0;
};

// The task's objective, and the limits' gap and target, mean nothing here.
ParetoFront find_front(const MappingTask& task, const Limits& limits);

// The front over all settings of an architecture with a flexibility. Of the options space,
// constraints and limits count.
Checked<ParetoFront> find_flexible_front(const Workload& workload, const Architecture& arch,
                                         const MapOptions& options);

// --- spaces of flexible architectures ------------------------------------------------

// How many mappings there are of the settings that map_workload() searches.
struct FlexibleSpace {
  struct OfSetting {
    Setting setting;
    BigUint mappings;  // 0 if it has none
  };
  std::vector<OfSetting> settings;
  BigUint sum;  // of the settings; a mapping counts in each that has it
  // Mappings that differ, each counted once. Nothing if settings differ in the order of loops, if
  // a share of the array must be used or all of it leaks, or if settings overlap in too many ways.
  std::optional<BigUint> different;
  bool complete = false;             // every setting was counted, within the limits of time
  bool too_large = false;            // a space cannot be counted; see `problems`
  std::vector<Diagnostic> problems;  // why the first setting without a mapping has none
};
// The options that count are space, constraints, and the limits' time and flag. Complains about
// input.
Checked<FlexibleSpace> count_flexible_space(const Workload& workload, const Architecture& arch,
                                            const MapOptions& options);

// --- networks -----------------------------------------------------------------

struct NetworkOutcome {
  struct OfLayer {
    std::int64_t count = 1;
    std::size_t first = 0;  // the first layer with the same workload
    MapOutcome outcome;     // only there
  };
  // Where the EDP of the whole network was made small: the energy of all layers times
  // their cycles.
  struct Whole {
    Score each_layer;  // the total with every layer at its own lowest EDP
    double bound = 0;  // of the EDP, for every choice of mappings; 0 if nobody knows
    double gap = 0;    // EDP / bound - 1
    bool proven = false;
    int prices = 0;  // of a cycle, that were tried
    // Every layer makes energy + price * cycles small (in pJ; infinity: cycles alone).
    // Nothing if every layer is at its own lowest EDP.
    std::optional<double> price;
  };

  std::vector<OfLayer> layers;
  bool cancelled = false;  // before the last layer was done
  std::optional<Whole> whole;

  const MapOutcome& of(std::size_t layer) const { return layers[layers[layer].first].outcome; }
  std::size_t missing() const;  // layers without a mapping
};

struct NetworkProgress {
  std::size_t layer = 0;  // being mapped
  std::size_t done = 0;   // distinct layers
  std::size_t distinct = 0;
  int price = 0;  // the number of the price of a cycle that is tried for the network's EDP
  SearchProgress search;
};

// The first layer of a network whose workload differs from this one's in name alone.
std::size_t first_with_same_work(const Network& network, std::size_t layer);

// Layers with the same workload are mapped once. The options' limits are per
// layer (patience with padding per padded workload); their own progress callback
// is not used. With the objective EDP it is that of the whole network, unless the options
// say otherwise or some layer has no mapping.
NetworkOutcome map_network(const Network& network, const Architecture& arch,
                           const MapOptions& options,
                           const std::function<void(const NetworkProgress&)>& on_progress = {});

// The sentences of all layers, each once, with the numbers of the layers that it is about.
std::vector<std::string> remarks_on(const NetworkOutcome& outcome, const MapOptions& options);

// Energy and cycles of all layers that were found, each as often as it occurs.
Score total_of(const NetworkOutcome& outcome);

}  // namespace tilewright
