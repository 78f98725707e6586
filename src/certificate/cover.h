// The cells that a proof covers a map-space with. A cell is closed as a whole, or split;
// how it is split is fixed, so that a proof need not say it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "certificate/chain.h"

namespace tilewright::certificate {

// How far each fan-out may unroll each dimension, and for the first tensors which memories
// keep each. Where both are settled, the cell is a frame.
struct Cell {
  struct Range {
    std::int32_t first = 0, last = 0;  // places among the factors that there are
    bool is_settled() const { return first == last; }
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges;           // by fan-out and dimension
  std::vector<std::uint32_t> keepers;  // bit per memory

  bool has_unrolling() const;  // all ranges are settled
};

class Cover {
 public:
  Cover(const Problem& problem, const Rules& rules);

  // Nothing if there is no way to unroll.
  std::vector<Cell> whole();
  // Those that may have mappings, in a fixed order. A frame cannot be split.
  std::vector<Cell> parts(const Cell& cell);
  bool is_frame(const Cell& cell) const;

  // Factors of a range.
  std::int64_t least(const Cell& cell, int fanout, int dim) const;
  std::int64_t most(const Cell& cell, int fanout, int dim) const;
  Unrolling unrolling(const Cell& cell) const;  // the least factors
  Placement placement(const Cell& cell) const;  // of the tensors that are settled
  // Memories in which a tensor may be kept: sets that have all that must keep it.
  const std::vector<std::uint32_t>& keepers(int tensor) const { return keepers_[at(tensor)]; }
  std::int64_t instances(int fanout) const;  // all that there are
  Chains& chains() { return chains_; }

 private:
  std::vector<std::int64_t> factors_of(int fanout, int dim) const;
  std::vector<std::uint32_t> keepers_of(int tensor) const;
  std::size_t place(int fanout, int dim) const { return at(fanout * dims_ + dim); }
  const Cell::Range& range(const Cell& cell, int fanout, int dim) const {
    return cell.ranges[place(fanout, dim)];
  }
  // Nothing if all ranges are settled; of several the last.
  std::optional<std::size_t> widest_range(const Cell& cell) const;
  std::vector<Cell> split_range(const Cell& cell, std::size_t place);
  // Chooses what keeps the next tensors, as long as there is one choice.
  void settle_keepers(Cell& cell) const;
  bool may_have_mappings(const Cell& cell);
  bool has_room(const Cell& cell, int fanout) const;
  bool is_within_size(const Cell& cell, int dim) const;
  // Whether the factors can be split over the axes.
  bool has_split(const Cell& cell, int fanout) const;
  // Whether all mappings of a cell are looked at elsewhere.
  bool is_elsewhere(const Cell& cell) const;

  const Problem* problem_;
  const Rules* rules_;
  int dims_;
  std::vector<int> y_slots_;                         // of the fan-outs
  std::vector<std::vector<std::int64_t>> factors_;   // by fan-out and dimension, ascending
  std::vector<std::vector<std::uint32_t>> keepers_;  // [tensor]
  Chains chains_;
};

}  // namespace tilewright::certificate
