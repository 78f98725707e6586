// What a layer costs on a fixed design, as far as a design decides it: the
// cycles of the multipliers, and the traffic outside the array.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tilewright/flexibility.h"
#include "tilewright/model.h"

namespace tilewright::study {

class DesignCost {
 public:
  // Nothing if the workload cannot be priced so.
  static std::optional<DesignCost> create(const Workload& workload, const Architecture& arch);

  // Nothing if the tile does not fit. Every axis of the design is fixed.
  std::optional<Score> of(const Flexibility& design);

 private:
  DesignCost(Workload workload, Architecture arch, ConvView view, Evaluator evaluator);

  bool is_unrolled(ConvDim loop, const ConvPair& pair) const;
  Int128 least_cycles(const Flexibility& design);
  std::optional<Score> outside(const Flexibility& design);

  Workload workload_;
  Architecture arch_;
  ConvView view_;
  Evaluator evaluator_;  // of the memories outside the array
  // By loop of a pair: the loops of a tile some of whose dimensions it unrolls.
  std::array<std::array<bool, kConvDims>, kConvDims> unrolled_with_{};
  // By what matters of a design to this layer.
  std::map<std::vector<std::int64_t>, Int128> known_cycles_;
  std::map<std::vector<std::int64_t>, std::optional<Score>> known_outside_;
};

}  // namespace tilewright::study
