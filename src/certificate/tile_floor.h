// What the links of a cell cost at least, with what the innermost memory can hold.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "certificate/range_bound.h"
#include "certificate/tile_reuse.h"

namespace tilewright::certificate {

class TileFloor {
 public:
  TileFloor(const Terms& terms, const Rules& rules) : terms_(&terms), tiles_(terms, rules) {}

  bool is_of_use() const { return tiles_.is_of_use(); }
  // Nothing if no mapping of the cell fits. The bound looks at the cell.
  std::optional<Int128> links(const RangeBound& bound, const Cover& cover, const Cell& cell);

 private:
  // A tensor that the innermost memory keeps: what it costs but for the words that come there, and
  // from which memory they do; -1: from none, it is their home.
  struct Chain {
    Int128 others = 0;
    int parent = -1;
  };
  struct Ways {
    std::optional<Int128> without;                 // the innermost memory
    std::vector<Chain> with;                       // ... one for each parent
    std::vector<std::pair<Int128, Int128>> known;  // reuse, and what it costs then
  };
  // How far the fan-outs unroll a dimension together.
  struct Unrolled {
    Int128 least = 1, most = 1;
  };

  Ways ways_of(int tensor);
  Int128 with_reuse(int tensor, Int128 reuse);  // 0: every word comes once
  std::optional<Int128> with_kept(std::uint32_t kept);
  bool has_next_loop(const TileReuse::Tiles& tiles) const;
  bool may_be_next(const TileReuse::NextLoop& next) const;
  std::int64_t size(int dim) const { return terms_->problem->workload().dims[at(dim)].size; }

  const Terms* terms_;
  TileReuse tiles_;
  // Of the present cell.
  const RangeBound* bound_ = nullptr;
  const Cover* cover_ = nullptr;
  const Cell* cell_ = nullptr;
  std::vector<Ways> ways_;          // by tensor
  std::vector<Unrolled> unrolled_;  // by dimension
};

}  // namespace tilewright::certificate
