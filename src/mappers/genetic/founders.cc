#include "mappers/genetic/founders.h"

#include <limits>

#include "mappers/genetic/operators.h"
#include "mappers/quickflow/quickflow.h"

namespace tilewright::genetic {
namespace {

// All loops as far outside as they can be, everything kept that may be.
std::optional<Mapping> outermost(const GeneSpace& genes, const Restrictions& restrictions) {
  Mapping mapping(genes.problem);
  for (int d = 0; d < mapping.dim_count(); ++d) {
    Chain bounds = chain_of(mapping, d);
    if (!genes.settle(d, -1, bounds)) return std::nullopt;
    set_chain(bounds, d, mapping);
  }
  for (int m = 0; m < mapping.memory_count(); ++m) {
    mapping.set_kept(MemoryId{m}, restrictions.keep_allowed(MemoryId{m}));
  }
  if (!genes.holds(mapping) || !genes.keeps_all(mapping)) return std::nullopt;
  return mapping;
}

std::optional<Mapping> first_of_quickflow(const Evaluator& evaluator, SpaceKind kind,
                                          const Restrictions& restrictions) {
  Limits any;
  any.target = std::numeric_limits<double>::infinity();
  return search_locally({evaluator, kind, restrictions}, any).best;
}

}  // namespace

Founders::Founders(const GeneSpace& genes, const Evaluator& evaluator, SpaceKind kind,
                   const Restrictions& restrictions)
    : space_(genes) {
  if (!restrictions.contradictions().empty()) return;
  ancestor_ = outermost(genes, restrictions);
  if (ancestor_) return;
  const MadeSpace space = MapSpace::create(evaluator.problem(), kind, restrictions);
  if (space.ok()) {
    sampler_ = std::make_unique<Sampler>(*space.value);
  } else if (space.too_large) {
    ancestor_ = first_of_quickflow(evaluator, kind, restrictions);
  }
}

void Founders::draw(Rng& rng, Mapping& founder) {
  if (sampler_) {
    founder = sampler_->draw(rng);
  } else {
    founder = *ancestor_;
    constexpr int kGenerationsApart = 4;  // per dimension
    for (int i = 0; i < kGenerationsApart * founder.dim_count(); ++i) {
      mutate_tile(space_, rng, founder);
      grow(space_, rng, founder);
      mutate_residence(space_, rng, founder);
    }
  }
  shuffle_orders(space_, rng, founder);
}

}  // namespace tilewright::genetic
