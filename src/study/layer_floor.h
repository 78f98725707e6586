// What a layer takes at least on designs of which only a part is decided.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "array_floor.h"
#include "crossing.h"
#include "design_space.h"
#include "order_sets.h"
#include "tilewright/map.h"

namespace tilewright::study {

bool limits_time(const Memory& memory);

// The energy of a mapping has two parts: what crosses into the buffer, which
// tile and order decide, and all the rest, which pair and shape decide for the
// most part. Each is bounded on its own; the sum is no more than any mapping
// takes.
class LayerFloor {
 public:
  // Nothing if what passes into the buffer depends on the array.
  static std::optional<LayerFloor> create(const Workload& workload, const Architecture& arch,
                                          const MapOptions& options);

  // The cycles of the multipliers, with the best tile of the box.
  Int128 multiplier_cycles(const ConvPair& pair, const ArrayLimits& array,
                           const TileBox& box) const;

  // The least that crosses into the buffer, with the best tile of the box, in
  // the best order of a set.
  Crossing::Cost outside(const TileBox& box, const OrderSets& sets, OrderSets::Id set);

  // Whether what crosses is known in closed form, if it counts.
  bool knows_crossing() const { return two_memories_ && (crossing_ || !wanted_); }
  // Whether the other energy is known in closed form; if so, the least of it
  // with the best tile of a box, with loops that are innermost in all orders.
  bool knows_array() const { return two_memories_ && array_.has_value(); }
  double array_pj(const ConvPair& pair, const ArrayLimits& array, const TileBox& box,
                  const InnerLoops& inner) const {
    return array_->least_pj(pair, array, box, inner);
  }

  // How long mappings may take that bound an energy, and who may cancel them. A
  // bound that is cut short is lower, but holds.
  void limit(std::optional<double> seconds, const std::atomic<bool>* cancelled);

  // All other energy, with the best tile, and whatever else is open.
  double inside_pj(const Flexibility& open);
  // All energy, likewise.
  double whole_pj(const Flexibility& open);

 private:
  LayerFloor(const Workload& workload, const Architecture& arch, const MapOptions& options,
             ConvView view, Evaluator crossing);

  void note_loops();
  std::vector<DimId> without_ones(std::vector<DimId> dims) const;
  std::int64_t most_unrolled(DimId dim, std::int64_t limit, const TileBox& box) const;
  Crossing::Cost crossing(const ConvSizes& tile, const ConvOrder& order) const;
  Crossing::Cost least_crossing(const ConvSizes& tile, const OrderSets& sets, OrderSets::Id set);
  double least_energy(const Architecture& arch, const Flexibility& open);

  Workload workload_;
  Architecture arch_;
  MapOptions options_;
  ConvView view_;
  Evaluator evaluator_;               // of the memories outside the array, without limits of
                                      // the buffer
  std::optional<Crossing> crossing_;  // the same in closed form, if there is one
  std::optional<ArrayFloor> array_;   // of the rest, likewise
  bool two_memories_;                 // outside the array: the tile says all of what crosses
  bool wanted_;                       // time or energy of what crosses counts
  bool grows_evenly_;                 // no larger tile makes more words cross
  Architecture rest_;                 // without the energy of what crosses
  std::int64_t others_ = 1;           // multipliers in and around each PE
  // By loop: the dimensions of more than one step that may be unrolled with it.
  std::array<std::vector<DimId>, kConvDims> unrolled_with_;
  std::array<int, kMaxDims> only_in_{};  // by dimension: the loop that stands for it alone, or -1
  std::map<std::vector<std::int64_t>, Crossing::Cost> known_outside_;
  std::map<std::string, double> known_inside_, known_whole_;
};

}  // namespace tilewright::study
