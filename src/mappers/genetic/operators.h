// What makes a child differ from its parents. GAMMA's operators, for hardware whose
// levels are given: there a level of parallelism is a gene, here a fan-out is there or
// not, and what can change is which dimensions are unrolled on it.
//
// Whatever an operator does, the child stays in the map-space: what would leave it and
// is not easily mended is not done. None of the operators allocates.
#pragma once

#include "mappers/genetic/gene_space.h"
#include "mappers/genetic/genetic.h"
#include "tilewright/base.h"

namespace tilewright::genetic {

// True with a given probability, from 0 to 1.
bool happens(double probability, Rng& rng);

// The child takes the chain of one dimension from another individual. GAMMA: the tile
// sizes of a dimension at all levels. Where the fan-outs do not hold that beside the
// other chains, more dimensions follow; in the end all are the other's.
void cross_tiles(const GeneSpace& genes, const Mapping& other, Rng& rng, Mapping& child);

// Two loops of a memory change places. GAMMA: any two positions of a level; here two
// that have iterations, and that constraints leave free.
void reorder(const GeneSpace& genes, Rng& rng, Mapping& child);

// Other factors of a dimension: a bound drawn anew in one slot, another slot making up
// for it; or so for as many pairs of slots as it has, which makes a new chain. GAMMA
// draws a tile size from 1 to the dimension's; there the rest is a matter of rounding up.
void mutate_tile(const GeneSpace& genes, Rng& rng, Mapping& child);

// Another dimension takes the place of one that is unrolled, which becomes a loop in
// time; or two that are unrolled on different axes change places. GAMMA: the two
// levels exchange their parallel dimensions.
void mutate_parallel(const GeneSpace& genes, Rng& rng, Mapping& child);

// One more dimension is unrolled on an axis that has room. GAMMA: one more level of
// clusters of processing elements.
void grow(const GeneSpace& genes, Rng& rng, Mapping& child);

// What is unrolled on an axis becomes a loop in time, all of it or a part. GAMMA: a
// level of clusters less.
void age(const GeneSpace& genes, Rng& rng, Mapping& child);

// A memory keeps a tensor or does not any more. GAMMA has no such choice.
void mutate_residence(const GeneSpace& genes, Rng& rng, Mapping& child);

// A child of one parent, with something of the other and something new.
void breed(const GeneSpace& genes, const GeneticSettings::Rates& rates, const Mapping& parent,
           const Mapping& other, Rng& rng, Mapping& child);

// Any order of all loops that constraints allow. For a founder; it may allocate.
void shuffle_orders(const GeneSpace& genes, Rng& rng, Mapping& child);

}  // namespace tilewright::genetic
