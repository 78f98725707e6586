// Whether the tiles of a memory can fit, for classes of extents: false only if
// none of the class does.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "certificate/context.h"

namespace tilewright::certificate {

// What an instance of the outermost memory that keeps a tensor holds of it at least, which
// sees so many indices of each dimension; `sizes` are those of the dimensions.
Int128 home_words(const Parts& parts, const Extents& sizes, const Extents& indices);

class CapacityCheck {
 public:
  CapacityCheck(const Context& context, int memory);

  bool has_limits() const { return !holdings_.empty(); }
  bool fits(const int* extents);

  // What the tile of a tensor takes of the room that tensors share; more than all of it where
  // it exceeds a partition of its own.
  std::int64_t amount(int tensor, const int* extents);
  std::int64_t room() const { return room_; }

 private:
  struct Holding {
    int tensor = 0;
    Int128 fixed = -1;       // words of a home, which do not depend on the tile
    std::int64_t room = -1;  // of a partition of its own
    Capacity capacity;
    std::vector<std::vector<std::int64_t>> sizes;  // per window, by classes; -1: not known
    // Amounts by the classes of the dimensions that matter; -1: not known. Nothing if they are
    // too many.
    std::vector<std::pair<int, std::size_t>> strides;
    std::vector<std::int64_t> amounts;
  };

  Int128 words_at_home(int memory, int tensor) const;
  void make_tables(Holding& holding) const;
  std::int64_t amount(Holding& holding, const int* extents) const;
  std::int64_t find_amount(Holding& holding, const int* extents) const;
  Int128 tile_words(Holding& holding, const int* extents) const;
  std::int64_t window_words(const Window& window, std::vector<std::int64_t>& sizes,
                            const int* extents) const;

  const Context& context_;
  const Memory& memory_;
  std::int64_t room_;
  std::vector<Holding> holdings_;  // those that a limit holds for
};

}  // namespace tilewright::certificate
