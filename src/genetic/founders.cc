#include "genetic/founders.h"

#include "genetic/operators.h"
#include "tilewright/quickflow.h"

namespace tilewright::genetic {

Founders::Founders(const Evaluator& evaluator, SpaceKind kind, const Restrictions& restrictions) {
  const MadeSpace space = MapSpace::create(evaluator.problem(), kind, restrictions);
  if (space.ok()) {
    sampler_ = std::make_unique<Sampler>(*space.value);
  } else if (space.too_large) {
    SearchOptions no_search;
    no_search.evaluations = 1;
    start_ = search_locally(evaluator, kind, restrictions, no_search).best;
  }
}

void Founders::draw(const Habitat& habitat, Rng& rng, Mapping& founder) {
  if (sampler_) {
    founder = sampler_->draw(rng);
  } else {
    founder = *start_;
    constexpr int kGenerationsApart = 4;
    const int mutations = kGenerationsApart * founder.dim_count();
    for (int i = 0; i < mutations; ++i) {
      mutate_tile(habitat, rng, founder);
      mutate_residence(habitat, rng, founder);
    }
  }
  // Loops that do not exist stand somewhere too: where they are to come up.
  shuffle_orders(habitat, rng, founder);
}

}  // namespace tilewright::genetic
