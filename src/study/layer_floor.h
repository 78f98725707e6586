// What a layer takes at least on designs of which only a part is decided.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/map.h"

namespace tilewright::study {

// Tiles between two, loop by loop.
struct TileBox {
  ConvSizes least, most;

  bool is_single() const { return least == most; }
};

// The energy of a mapping has two parts: what crosses into the buffer, which tile and order
// decide, and all the rest, which pair and shape decide for the most part. Each is bounded on its
// own; the sum is no more than any mapping takes.
class LayerFloor {
 public:
  // Nothing if what passes into the buffer depends on the array.
  static std::optional<LayerFloor> create(const Workload& workload, const Architecture& arch,
                                          const MapOptions& options);

  // The cycles of the multipliers, with the best tile of the box.
  Int128 multiplier_cycles(const ConvPair& pair, const ArrayShape& shape, const TileBox& box) const;

  struct Outside {
    double energy_pj = 0;
    Int128 cycles = 0;  // of the outermost memory
  };
  // The least that crosses into the buffer, with the best tile of the box, in any order or in this
  // one.
  Outside outside(const TileBox& box, const std::optional<ConvOrder>& order);

  // How long mappings may take that bound an energy, and who may cancel them. A bound that is cut
  // short is lower, but holds.
  void limit(std::optional<double> seconds, const std::atomic<bool>* cancelled);

  // All other energy, with the best tile, and whatever else is open.
  double inside_pj(const Flexibility& open);
  // All energy, likewise.
  double whole_pj(const Flexibility& open);

 private:
  LayerFloor(const Workload& workload, const Architecture& arch, const MapOptions& options,
             ConvView view, Evaluator crossing);

  std::vector<DimId> without_ones(std::vector<DimId> dims) const;
  std::int64_t most_unrolled(DimId dim, std::int64_t limit, const TileBox& box) const;
  Outside crossing(const ConvSizes& tile, const ConvOrder& order) const;
  Outside crossing_in(const ConvSizes& tile, const ConvOrder& order);
  void remember(std::vector<std::int64_t> key, const Outside& outside);
  Outside crossing_in_any_order(const ConvSizes& tile);
  std::vector<ConvOrder> different_orders(const ConvSizes& tile) const;
  double least_energy(const Architecture& arch, const Flexibility& open);

  Workload workload_;
  Architecture arch_;
  MapOptions options_;
  ConvView view_;
  Evaluator crossing_;       // of the memories outside the array, without limits of the buffer
  bool two_memories_;        // outside the array: the tile says all of what crosses
  bool wanted_;              // time or energy of what crosses counts
  bool grows_evenly_;        // no larger tile makes more words cross
  Architecture rest_;        // without the energy of what crosses
  std::int64_t others_ = 1;  // multipliers in and around each PE
  std::map<std::vector<std::int64_t>, Outside> known_outside_;
  std::map<std::string, double> known_inside_, known_whole_;
};

}  // namespace tilewright::study
