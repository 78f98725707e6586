// Makes children of parents.
#pragma once

#include "mappers/genetic/genetic.h"
#include "mappers/genetic/operators.h"

namespace tilewright::genetic {

class Breeder {
 public:
  Breeder(const GeneSpace& genes, const GeneticSettings::Rates& rates)
      : space_(genes), rates_(rates) {}

  // A child of one parent, with something of the other and something new.
  void breed(const Mapping& parent, const Mapping& other, Rng& rng, Mapping& child) const;

 private:
  const GeneSpace& space_;
  GeneticSettings::Rates rates_;
};

}  // namespace tilewright::genetic
