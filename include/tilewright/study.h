// What freedom is worth: accelerators with more and less of it, on whole
// networks. What mappers are worth: one beside the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tilewright/map.h"

namespace tilewright {

// --- classes --------------------------------------------------------------------

// A set of axes.
using TopsAxes = std::uint8_t;
constexpr TopsAxes axes_of(TopsAxis axis) {
  return static_cast<TopsAxes>(8U >> static_cast<unsigned>(axis));
}
inline constexpr TopsAxes kEveryAxis = 15;
std::string bits_text(TopsAxes axes);  // "1010": tile and parallel

// A flexibility with every freedom along some axes, the others as they were.
Flexibility with_freedom(Flexibility flexibility, TopsAxes axes);
// With some freedom: a buffer in three equal parts; an order for stationary
// outputs, one for inputs, one for weights; channels or rows and columns in parallel; an array
// in bands of 16 rows, fewer if it is small (paper, section 6).
Flexibility with_some_freedom(Flexibility flexibility, TopsAxes axes, std::int64_t pes);

// An accelerator of a study.
struct Variant {
  std::string name;
  Flexibility flexibility;
};
// InFlex-0000, FullFlex-1000 to FullFlex-1111 with rising number of axes, PartFlex-1111.
std::vector<Variant> class_variants(const Flexibility& fixed, std::int64_t pes);

// --- studies --------------------------------------------------------------------

struct StudyOptions {
  MapOptions map;  // of one layer; its threads, limits and callbacks do not count
  int threads = 1;
  const std::atomic<bool>* cancelled = nullptr;
  // Called by the thread that called.
  std::function<void(const std::string& what, double fraction)> on_progress;
};
// Latency, the optimal mapper, remainders everywhere.
StudyOptions usual_study();

// One variant on one network.
struct Trial {
  struct OfLayer {
    bool found = false;
    bool proven = false;      // to be the best
    bool infeasible = false;  // proven to have no mapping
    Score score;
    std::optional<Setting> setting;
    // What the mapping makes of the freedom: the extents of the buffer's tile, the order of loops.
    std::optional<ConvSizes> tile;
    std::optional<ConvOrder> order;
    std::vector<Diagnostic> problems;
  };
  std::vector<OfLayer> layers;  // as in the network
  Score total;                  // each layer as often as it occurs

  bool complete() const;    // every layer has a mapping
  bool proven() const;      // and each is the best
  bool infeasible() const;  // some layer cannot have one
};

struct Comparison {
  std::vector<std::vector<Trial>> trials;  // [variant][network]
  bool cancelled = false;
};
Comparison compare(const std::vector<Variant>& variants, const std::vector<Network>& networks,
                   const Architecture& arch, const StudyOptions& options);

// The fixed accelerator for a network: one tile, order, pair and shape for all of its layers,
// each of which has its own best mapping. Of all designs the one whose totals have the lowest value
// of the objective, by branch and bound. The architecture's flexibility says what there is to
// choose from; its tiles are not in hard parts.
struct DesignLimits {
  std::optional<double> seconds;  // of the whole search
  // Parts of all designs that are bounded; those without closed forms count 25 times, and those
  // for which layers have to be mapped 25 times as much again. They end a search in the same place
  // on every machine.
  std::optional<std::uint64_t> nodes = 250'000;
  double gap = 0;  // good enough: the value is at most 1 + gap times the bound
};
struct Design {
  enum class Stop { Complete, Gap, Nodes, Time, Cancelled };

  bool found = false;
  Flexibility flexibility;
  Trial trial;          // the network on it
  double value = 0;     // of the objective
  double bound = 0;     // no design has a lower value
  double gap = 0;       // value / bound - 1
  bool proven = false;  // to be the best, but for the last digits of an energy
  Stop stop = Stop::Complete;
  std::uint64_t nodes = 0;  // parts of all designs that were bounded
  std::uint64_t tried = 0;  // designs that every layer was mapped on
  double seconds = 0;
  std::string problem;  // why there is none, unless it was cancelled
};
std::string to_string(Design::Stop stop);
Design design_fixed(const Network& network, const Architecture& arch, const StudyOptions& options,
                    const DesignLimits& limits = {});

// --- mappers against each other ---------------------------------------------------

// One layer on one architecture, by every mapper.
struct Bout {
  std::size_t arch = 0, network = 0, layer = 0;
  struct Run {
    MapOutcome::Status status = MapOutcome::Status::NotTried;
    Score score;  // of the best, if it found one
    double seconds = 0;
    std::uint64_t seen = 0, valid = 0;  // mappings; those evaluated, of a mapper that proves
    std::vector<SearchResult::Step> steps;

    bool found() const { return status == MapOutcome::Status::Found; }
  };
  std::vector<Run> runs;  // as the mappers
  // What all are held against: the least value of the objective, proven, or else the least
  // that any of them has found.
  std::optional<double> best;
  bool proven = false;
};

struct Arena {
  std::vector<Bout> bouts;
  bool cancelled = false;  // bouts that were not finished are not among them
};
// Every mapper on every layer, one after the other and by one thread, so that their times can
// be compared. The first mapper is one that proves. Layers with the same work count once.
Arena hold_arena(const std::vector<Architecture>& archs, const std::vector<Network>& networks,
                 const std::vector<const Mapper*>& mappers, const StudyOptions& options);

// What came of a mapper over all bouts with something to be held against.
struct Standing {
  std::size_t bouts = 0, found = 0;
  std::size_t within_percent = 0;  // found, at most 1 % above the best
  double mean = 0, worst = 0;      // of value / best, geometric; of those found
  double seconds = 0;              // of all
  std::uint64_t seen = 0;
};
Standing standing_of(const Arena& arena, std::size_t mapper, Objective objective);

}  // namespace tilewright
