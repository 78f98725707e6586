// From a workload and an architecture to a mapping: chooses the map-space, runs
// a search in it, does so for every layer of a network.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/flexibility.h"
#include "tilewright/genetic.h"
#include "tilewright/optimal.h"
#include "tilewright/quickflow.h"
#include "tilewright/search.h"

namespace tilewright {

enum class MapperKind { Optimal, Quickflow, Genetic, Random, Exhaustive };
std::string to_string(MapperKind mapper);
// Quickflow and genetic: they count no space and prove nothing. Where they find no
// mapping, the optimal mapper is asked whether there is any.
bool is_heuristic(MapperKind mapper);

struct MapOptions {
  SpaceKind space = SpaceKind::Perfect;
  // Also try the workload with dimensions padded to multiples of the fan-outs.
  bool padded = false;
  MapperKind mapper = MapperKind::Optimal;
  std::uint64_t seed = 1;               // of the random and the genetic mapper
  std::vector<Constraint> constraints;  // beside those of the architecture
  SearchOptions search;
  // Of the optimal mapper.
  double gap = 0;
  std::optional<Score> to_beat;  // see OptimalOptions; the outcome may be NoneBetter then
  // Whether its bound is what matters. If not, part of the time is left for
  // the quickflow mapper, and where nothing is proven the better mapping counts.
  bool proof_wanted = true;
  std::int64_t memory_bytes = std::int64_t{2} << 30;
  // Whether mappings, and settings of a flexible architecture, that are equal by the
  // objective are told apart by the rest of its key (see is_better). It takes longer.
  bool settle_ties = true;
  // Whether the inputs may take each other's roles. What is proven holds for all ways
  // to deal them out; limits are shared out to these.
  bool any_roles = false;
  bool remarks = false;  // whether the outcome is to have some; see below
  // Of the genetic mapper.
  int population = GeneticSettings().population;
  int generations = GeneticSettings().generations;
  // Of networks: whether every layer is mapped for its own lowest EDP rather than for
  // that of the network.
  bool each_layer = false;
  // The longest that an exhaustive search may be expected to take.
  double hopeless_seconds = 3600;
};

// A mapping with remainders in space, where perfect factors leave instances idle.
struct RemainderGain {
  std::int64_t idle = 0, instances = 0;  // compute instances, with perfect factors
  double share = 0;                      // of the objective that it saves
};

// What came of mapping one workload.
struct MapOutcome {
  enum class Status {
    NotTried,  // the user had enough before
    Found,
    BadInput,      // names that mean nothing here; see `problems`
    Infeasible,    // the space is empty; see `problems`
    TooLarge,      // to be counted, or for an exhaustive search; see `problems`
    NothingValid,  // nothing that was seen fits; see `search.failures`
    NoneBetter,    // than what was to beat
  };
  Status status = Status::NotTried;
  std::vector<Diagnostic> problems;
  std::optional<Problem> problem;  // as mapped: dimensions may be padded
  BigUint space_size;              // of all that was searched; 0 where nobody counts it
  std::int64_t useful_macs = 0;    // of the workload as it was given
  bool cancelled = false;          // before the end
  SearchResult search;
  std::optional<OptimalResult> proof;  // of the optimal mapper
  MapperKind found_by = MapperKind::Optimal;
  // Of an architecture with a flexibility: how it is set up for the best
  // mapping, out of how many settings, and how many had to be searched.
  std::optional<Setting> setting;
  std::size_t settings = 0, settings_searched = 0;
  // Of `any_roles`: the roles as given, then all other ways to deal them out.
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
