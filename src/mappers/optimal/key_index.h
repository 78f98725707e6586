// Finds numbered things by their keys, in one table without links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright::optimal {

class KeyIndex {
 public:
  // The number of the thing whose key has this hash and is_same(number) holds, or else
  // `next`, which is taken for it then.
  template <typename IsSame>
  std::uint32_t find_or_add(std::size_t hash, std::uint32_t next, IsSame is_same) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (slot.number == kFree) {
        slot = {hash, next};
        ++used_;
        return next;
      }
      if (slot.hash == hash && is_same(slot.number)) return slot.number;
    }
  }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  struct Slot {
    std::size_t hash = 0;
    std::uint32_t number = kFree;
  };

  void grow() {
    constexpr std::size_t kFirst = 64;
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? kFirst : 2 * old.size(), {});
    for (const Slot& slot : old) {
      if (slot.number == kFree) continue;
      std::size_t i = slot.hash & (slots_.size() - 1);
      while (slots_[i].number != kFree) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::size_t used_ = 0;
};

}  // namespace tilewright::optimal
