// Where a population comes from.
#pragma once

#include <memory>
#include <optional>

#include "genetic/habitat.h"
#include "tilewright/model.h"

namespace tilewright::genetic {

// Draws the individuals of the first generation. Where the space can be counted,
// each of its mappings is as likely (GAMMA draws tile sizes alone so); where not, they
// are distant relatives of a mapping that quickflow starts from.
class Founders {
 public:
  Founders(const Evaluator& evaluator, SpaceKind kind, const Restrictions& restrictions);

  bool exist() const { return sampler_ != nullptr || start_.has_value(); }
  void draw(const Habitat& habitat, Rng& rng, Mapping& founder);

 private:
  std::unique_ptr<Sampler> sampler_;
  std::optional<Mapping> start_;
};

}  // namespace tilewright::genetic
