// What it costs, beyond the least there can be, when a loop moves a tensor whose
// links have been waiting for one. Costs are energies, or words at a port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "certificate/link_bound.h"

namespace tilewright::certificate {

// Energies in the tables; what reaches the limit of a search counts as this.
inline constexpr std::int64_t kNever = std::int64_t{1} << 61;
// Costs in tables are in units of 2^shift, such that the largest fits.
constexpr int shift_for(Int128 largest) {
  int shift = 0;
  while ((largest >> shift) >= kNever / 2) ++shift;
  return shift;
}

// What is added up: energy, what a port of a memory's first instance carries, or the words of
// a tile that stands still, per instance.
struct Measure {
  enum class Kind { Energy, Reads, Writes, All, StandingStill };
  Kind kind = Kind::Energy;
  int memory = -1;
};
Int128 carried(const Measure& port, const PortWords& words);

class Closing {
 public:
  // The links of a tensor that fill the memories from `innermost` out to `outermost`, with the
  // moving loop in a block. A memory beyond the innermost one are the multipliers.
  Closing(const Context& context, const Measure& measure, int tensor, int innermost, int outermost,
          int block, int shift);

  // Never more than kNever.
  std::int64_t cost(const int* extents, const Move& move);
  const std::vector<LinkBound>& links() const { return links_; }

 private:
  Int128 words_at_port(const LinkBound& link, const LinkBound::Words& words) const;

  Measure measure_;
  int shift_;
  std::vector<LinkBound> links_;
  Int128 least_ = 0;
  std::vector<std::pair<int, std::size_t>> strides_;  // dimensions that matter
  std::size_t volume_ = 1;
  // By extents: where no window moves, and by the dimension that moves one.
  std::vector<std::int64_t> known_;
  std::vector<std::vector<std::int64_t>> known_moved_;
  const Context* context_;
};

// All closings of a frame, made when they are asked for.
class Closings {
 public:
  // Costs are in units of 2^shift, rounded down.
  explicit Closings(const Context& context, const Measure& measure = {}, int shift = 0)
      : context_(&context), measure_(measure), shift_(shift), made_(place(3, 0, 0, 0)) {}
  int shift() const { return shift_; }
  // What closes the memories from `innermost` out to, but not including, that of the block.
  Closing& get(int tensor, int innermost, int block) {
    return get(Kind::Outside, tensor, innermost, block);
  }
  // The same for a tensor that has its storage point in the midst of the block: the fills of
  // the block's own memory are among them.
  Closing& get_at_point(int tensor, int innermost, int block) {
    return get(Kind::AtPoint, tensor, std::max(innermost, block), block);
  }
  // What goes to the multipliers past a memory, once its tile is known: beyond what every mapping
  // of the frame costs.
  Closing& get_passing(int tensor, int memory) {
    return get(Kind::Passing, tensor, context_->memories(), memory - 1);
  }
  const Measure& measure() const { return measure_; }

 private:
  // What the outermost link fills: the memory inside the block's, the block's own, or the
  // multipliers.
  enum class Kind { Outside, AtPoint, Passing };
  Closing& get(Kind kind, int tensor, int innermost, int block);
  std::size_t place(int kind, int tensor, int innermost, int block) const;

  const Context* context_;
  Measure measure_;
  int shift_;
  std::vector<std::unique_ptr<Closing>> made_;
};

}  // namespace tilewright::certificate
