// Whether anything of a cell can fit: the smallest tiles that it has.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/count.h"
#include "certificate/cover.h"

namespace tilewright::certificate {

class CellRoom {
 public:
  CellRoom(const Terms& terms, const Rules& rules);

  // False only if nothing of the cell fits.
  bool may_fit(const Cover& cover, const Cell& cell);

 private:
  // What a tensor takes of the room that tensors share in a memory; more than all of it where it
  // exceeds a partition of its own.
  std::int64_t amount(const Cover& cover, const Cell& cell, int memory, int tensor);
  void find_tiles(const Cover& cover, const Cell& cell, int memory);
  Int128 words(int tensor, bool is_home) const;

  const Terms* terms_;
  const Rules* rules_;
  std::vector<int> places_;  // of the fan-outs
  Extents sizes_;            // by dimension
  // The smallest tiles in a memory, and the fewest indices that an instance of it sees.
  int tiles_of_ = -1;
  Extents tile_, indices_;
  // Amounts of the last ranges, by memory, tensor and whether this is its home; -1: not known.
  // Cells that come one after the other mostly share them.
  std::vector<Cell::Range> ranges_;
  std::vector<std::int64_t> amounts_;
};

}  // namespace tilewright::certificate
