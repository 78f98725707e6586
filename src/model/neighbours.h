// Scores of the neighbours of a mapping, which share nearly all counts with it: the same in other
// orders of its loops, or with a factor of a dimension at another memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tilewright/model.h"

namespace tilewright {

// Gives what Evaluator::score gives, to the last digit. A mapping is laid out once; for a
// neighbour only those links are counted anew that differ. One per thread; allocates when it is
// made only, where factors are perfect.
class Neighbours {
 public:
  explicit Neighbours(const Evaluator& evaluator);
  ~Neighbours();
  Neighbours(Neighbours&&) noexcept;

  // The score of a mapping, which must be structurally sound. It has to stay as it is while its
  // neighbours are asked for, but for its orders. If it does not fit it has none.
  Score score(const Mapping& mapping);

  // --- other orders. Whether a mapping fits does not depend on them.

  // What the order of a memory's loops decides about: how often the tiles of a tensor move.
  struct Choice {
    TensorId tensor{};
    std::uint32_t movers = 0;   // bit per dimension with a loop there that moves the tensor
    std::uint32_t sliding = 0;  // those after whose step tiles overlap: which one moves matters
    int first_link = 0, end_link = 0;  // of the plan; for the class itself
  };
  // Dimensions with a loop at a memory, and what their order decides.
  std::uint32_t loops(MemoryId memory) const;
  std::span<const Choice> choices(MemoryId memory) const;
  // From now on `mover`, one of a choice's movers, is the innermost of them, and of the other loops
  // of this memory `inside` stand inside it.
  void settle(MemoryId memory, const Choice& choice, DimId mover, std::uint32_t inside);
  // The score of the mapping with all that was settled, and else in its own orders.
  Score score_settled() const;

  // --- factors at other memories.

  // A factor of a dimension's loop at one memory, which goes to another.
  struct Move {
    DimId dim{};
    std::int64_t factor = 1;
    MemoryId from{}, to{};
  };
  // Takes the mapping that was scored, in the orders that were settled; gives the dimensions whose
  // factors can be moved: none if some are not perfect.
  std::uint32_t start_moves(const Mapping& mapping);
  // The extent of a dimension in a memory's tiles.
  std::int64_t extent(MemoryId memory, DimId dim) const;
  // Gives the score of the mapping after one move, or false if it does not fit. The factor must
  // divide the loop's bound. A loop that it makes stands where the order has its dimension.
  bool score_moved(const Move& move, Score& score);
  // The same, but a mapping is scored only if some link moves fewer words than before the move. If
  // none does, it takes no less energy and no fewer cycles.
  enum class Tried { Misfit, NoneLower, Scored };
  Tried score_lower(const Move& move, Score& score);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
