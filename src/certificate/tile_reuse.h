// What the innermost memory can hold, and how many multiplications a word serves that comes there
// (docs/optimal.md, "The innermost memory").
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "certificate/count.h"
#include "certificate/rules.h"

namespace tilewright::certificate {

class TileReuse {
 public:
  // Multiplications for each word of a tensor, at most; by tensor.
  using Reuse = std::vector<Int128>;
  // The next loop outside that moves something: one of these dimensions, which moves these
  // tensors.
  struct NextLoop {
    std::uint32_t dims = 0, moved = 0;
    std::vector<Reuse> reuse;  // no tile has more of all moved tensors
  };
  // With some tensors kept there.
  struct Tiles {
    bool fit = true;         // at least one
    bool are_known = false;  // they are few enough to be of use
    std::uint32_t dims = 0;  // that move some of the tensors
    Extents largest;         // that fit, each with all others 1
    std::vector<NextLoop> next;
  };

  TileReuse(const Terms& terms, const Rules& rules);

  // Whether anything may be known.
  bool is_of_use() const { return is_of_use_; }
  const Tiles& with(std::uint32_t kept);

 private:
  struct Range {
    std::int64_t least = 1, most = 1;
  };

  std::int64_t size(int dim) const { return terms_->problem->workload().dims[at(dim)].size; }
  bool fits(std::uint32_t kept, const Extents& tile) const;
  std::int64_t reachable(int dim) const;
  std::int64_t largest(std::uint32_t kept, int dim) const;
  // Extents up to a largest one, in ranges; with fewer bits these are longer.
  std::vector<Range> ranges(int dim, std::int64_t most, int bits) const;
  Reuse reuse_of(std::uint32_t kept, const Extents& tile) const;
  // False if there are too many.
  bool list(std::uint32_t kept, const Tiles& tiles, int bits, std::vector<Reuse>& found) const;
  Tiles find(std::uint32_t kept) const;

  const Terms* terms_;
  const Rules* rules_;
  int memory_;
  bool is_of_use_;
  std::map<std::uint32_t, Tiles> known_;  // by what is kept
};

}  // namespace tilewright::certificate
