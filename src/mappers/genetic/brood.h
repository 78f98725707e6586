// Children with their nearest neighbours: mappings that differ from a child in the order of the
// loops of one memory after the other, then those in which a prime factor of a loop is at another
// memory. They share nearly all counts with it, so scoring them takes a fraction of what breeding a
// child does; the best of them lives on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "mappers/genetic/gene_space.h"
#include "mappers/genetic/genetic.h"
#include "mappers/quickflow/order_walk.h"
#include "model/merit.h"
#include "model/neighbours.h"

namespace tilewright::genetic {

// One per habitat.
class Brood {
 public:
  Brood(const GeneSpace& genes, const Evaluator& evaluator, Objective objective,
        const GeneticSettings& settings);

  struct Outcome {
    Score score;                         // of the best
    std::uint64_t count = 0, place = 0;  // mappings that were scored, and which was the best
  };
  // Scores a child and, if it fits, its neighbours, `most` mappings at most; the child becomes the
  // best. Orders that cannot be better than others for any bounds are left out, those that reuse
  // the same as the child's are not scored again, and what does not fit is not counted.
  Outcome raise(Mapping& child, std::uint64_t most);

 private:
  using Choice = Neighbours::Choice;
  using Tried = Neighbours::Tried;
  // How a tensor's tile moves: by a loop, with others inside it.
  struct Way {
    int mover = 0;
    std::uint32_t inside = 0;
  };
  using Ways = std::array<Way, kMaxTensors>;
  class Visitor;

  // A memory at which a dimension may have a loop.
  struct Place {
    MemoryId memory{};
    int slot = 0;
    std::int64_t least = 1, most = 1;
  };
  struct OfDim {
    std::vector<std::int64_t> primes;
    std::vector<Place> places;              // if there are several
    std::vector<std::int64_t> most_extent;  // of a memory's tiles
    bool limits_extents = false;            // some of them are smaller than the dimension
  };

  void add_dim(int dim);
  void try_orders(MemoryId memory, Mapping& child);
  void try_moves(Mapping& child);
  Tried try_move(const Neighbours::Move& move, Score& score);
  template <typename Try>
  void for_each_move(const Mapping& child, std::uint32_t dims, Try consider) const;
  bool may_extend(const Neighbours::Move& move) const;
  void make(const Neighbours::Move& move, Mapping& mapping) const;
  bool note(const Score& score);
  Way way_of(const Mapping& child, MemoryId memory, const Choice& choice) const;
  static bool reuse_the_same(const Choice& choice, const Way& a, const Way& b);
  void write_order(MemoryId memory, const PlacedLoops& loops, Mapping& mapping) const;

  const GeneSpace& genes_;
  const Objective objective_;
  const std::function<void(const Mapping&)>& on_visit_;
  const bool moves_;
  Neighbours neighbours_;
  std::vector<LoopNesting> nestings_;  // by memory
  std::vector<OfDim> dims_;
  Mapping visited_;
  std::uint64_t most_ = 0;
  Outcome outcome_;
  Merit best_;
};

}  // namespace tilewright::genetic
