// The words that cross into the buffer with a fixed tile, in closed form.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "order_sets.h"
#include "tilewright/flexibility.h"
#include "workload/window.h"

namespace tilewright::study {

// The words of a layer between two memories, the inner of which keeps everything. A
// tensor's words depend on the innermost of the loops around the tile that
// moves it, and on the loops outside of that which reuse it; most orders are
// alike in both, so few have to be looked at.
class Crossing {
 public:
  struct Cost {
    double energy_pj = 0;
    Int128 cycles = 0;  // of the outer memory
  };

  // Nothing if a loop stands for several dimensions, the layer has a batch,
  // accesses are of several words, or counts are too large.
  static std::optional<Crossing> create(const Workload& workload, const ConvView& view,
                                        const Memory& outer, const Memory& buffer,
                                        const Architecture& arch);

  // The least energy and the least time of any order in a set, each on its own.
  Cost least(const ConvSizes& tile, const OrderSets& sets, OrderSets::Id set);

 private:
  // Two loops that meet in an index; the second may be missing.
  struct Slide {
    Window window;
    std::array<int, 2> loops{-1, -1};
    std::array<int, 2> positions{-1, -1};            // in the window
    std::array<std::int64_t, 2> sizes{1, 1};         // of the loops
    std::vector<std::array<std::int64_t, 3>> known;  // by extents; by what moves

    std::int64_t words(const ConvSizes& tile, int moving);
    std::int64_t count(const std::array<std::int64_t, 2>& tile, int moving) const;
  };
  struct Part {  // a tensor
    LoopSet relevant = 0;
    std::int64_t alone = 1;  // the product of the dimensions that act alone
    std::vector<Slide> slides;
    bool output = false;
    double word_pj = 0;       // of each word that crosses
    std::int64_t spared = 0;  // words of an output that are not read back
    double spared_pj = 0;     // for each of these
  };
  struct Move {  // of a tensor, in an order
    std::int8_t loop = -1;
    std::uint8_t outside = 0;  // loops that reuse the tensor, outside of that one

    auto operator<=>(const Move&) const = default;
  };
  using Moves = std::array<Move, 3>;

  Crossing(const Memory& outer, const ConvView& view);
  bool add_tensor(const Workload& workload, const Tensor& tensor,
                  const std::array<int, kMaxDims>& loop_of, bool boxes);
  void set_prices(const Memory& outer, const Memory& buffer, const Tensor& tensor,
                  bool reads_first);
  const std::vector<Moves>& moves_of(const OrderSets& sets, OrderSets::Id set, LoopSet cut);
  std::int64_t words_of(Part& part, const Move& move, const ConvSizes& tile);
  Cost cost_of(const std::array<std::int64_t, 3>& words) const;

  ConvSizes sizes_;
  std::vector<Part> parts_;
  bool in_place_;  // the outer memory adds sums itself
  std::optional<Rational> read_bandwidth_, write_bandwidth_, shared_bandwidth_;
  std::vector<std::array<std::vector<Moves>, kAllLoops + 1>> moves_;  // by set and cut loops
};

}  // namespace tilewright::study
