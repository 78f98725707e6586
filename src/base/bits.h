// Sets of small numbers, such as dimensions, as the bits of a word.
#pragma once

#include <cstdint>

namespace tilewright {

constexpr bool contains(std::uint32_t set, int number) { return ((set >> number) & 1U) != 0; }

// The numbers of a set, smallest first: for (const int dim : members(dims)).
class BitMembers {
 public:
  class Iterator {
   public:
    constexpr explicit Iterator(std::uint32_t rest) : rest_(rest) {}
    constexpr int operator*() const { return __builtin_ctz(rest_); }
    constexpr Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    constexpr bool operator!=(const Iterator& other) const { return rest_ != other.rest_; }

   private:
    std::uint32_t rest_;
  };

  constexpr explicit BitMembers(std::uint32_t set) : set_(set) {}
  constexpr Iterator begin() const { return Iterator(set_); }
  static constexpr Iterator end() { return Iterator(0); }

 private:
  std::uint32_t set_;
};

constexpr BitMembers members(std::uint32_t set) { return BitMembers(set); }

}  // namespace tilewright
