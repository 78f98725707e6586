// What instances of memories hold of a tensor, and whether they have room.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "certificate/terms.h"

namespace tilewright::certificate {

// The mapping of the nest is structurally sound. Terms and nest outlive it.
class Held {
 public:
  struct Words {
    Count all = 0;    // of all instances together
    Count first = 0;  // of the one with all spatial digits 0
  };

  Held(const Terms& terms, const Nest& nest) : terms_(terms), nest_(nest) {}

  // Elements that an instance ever holds.
  Words ever_held(int tensor, int memory) const;
  bool fits() const;
  // Which memory holds too much; empty if all fits.
  std::vector<std::string> overflows() const;

 private:
  Words window_held(const Window& window, int slot) const;
  Int128 timeloop_share(int tensor, int memory) const;
  Int128 box_words(int tensor, int from) const;
  Int128 words_to_hold(int tensor, int memory) const;
  template <typename Visit>
  bool for_each_overflow(Visit visit) const;
  bool keeps(int memory, int tensor) const {
    return nest_.mapping().keeps(MemoryId{memory}, TensorId{tensor});
  }

  const Terms& terms_;
  const Nest& nest_;
};

// Elements at their width in a memory of this capacity, and what it offers.
std::int64_t amount_of(const Capacity& capacity, const Memory& memory, const Tensor& tensor,
                       Int128 words);
std::int64_t room_of(const Capacity& capacity, const Memory& memory);

}  // namespace tilewright::certificate
