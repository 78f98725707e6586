// Where a population comes from.
#pragma once

#include <memory>
#include <optional>

#include "mappers/genetic/gene_space.h"
#include "tilewright/model.h"

namespace tilewright::genetic {

// Draws the individuals of the first generation: distant relatives of a mapping whose
// loops are all as far outside as they can be. Where there is none such, samples of the
// space (counting it can take longer than all generations); and where it cannot be
// counted, relatives of the first mapping that quickflow finds.
class Founders {
 public:
  Founders(const GeneSpace& genes, const Evaluator& evaluator, SpaceKind kind,
           const Restrictions& restrictions);

  bool exist() const { return ancestor_.has_value() || sampler_ != nullptr; }
  void draw(Rng& rng, Mapping& founder);

 private:
  const GeneSpace& space_;
  std::optional<Mapping> ancestor_;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace tilewright::genetic
