// What memories can hold, and what they cannot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "tilewright/mapping.h"

namespace tilewright {

// What a memory can hold.
struct Room {
  Capacity capacity;     // usable: half of it where the memory is double buffered
  bool bounded = false;  // the capacity or some partition is limited
  std::array<std::optional<Capacity>, kMaxTensors> partitions;  // usable
  std::array<std::int64_t, kMaxTensors> element_bits{};         // whole words
};
Room room_of(const Problem& problem, MemoryId memory);

// One of the sums that a room limits: of the tensors that share its capacity, or of one that has a
// partition of its own.
struct RoomSum {
  std::uint32_t tensors = 0;
  std::int64_t most = 0;
};
std::vector<RoomSum> sums_of(const Room& room, std::uint32_t kept);

// What so many words of a tensor take of the sum that it is part of.
template <typename Words>
Int128 amount_of(const Room& room, int tensor, Words words) {
  const auto t = at(tensor);
  const Capacity& capacity = room.partitions[t] ? *room.partitions[t] : room.capacity;
  const std::int64_t each = capacity.unit == Capacity::Unit::Bits ? room.element_bits[t] : 1;
  if constexpr (sizeof(words) > sizeof(std::int64_t)) {
    return std::min(wide_product(words, each), Int128{kCountLimit} + 1);  // no less too much
  } else {
    return static_cast<Int128>(words) * each;
  }
}

// Tiles that need more than there is: all that share the capacity, or one that
// has a partition of its own.
struct Overflow {
  bool of_partition = false;
  TensorId tensor{};  // the partition's, or the largest
  std::int64_t needed = 0, available = 0;
};

// Calls report(overflow) for whatever a memory cannot hold, where words_of(t)
// are the words of tensor number t, of those with a bit in `kept`.
template <typename WordsOf, typename Report>
void check_room(const Room& room, std::uint32_t kept, WordsOf words_of, Report report) {
  Int128 shared = 0;
  Int128 largest = -1;
  TensorId largest_tensor{};
  // A width of billions of bits is no reason to overflow: what is too much
  // stays too much.
  for (const int number : members(room.bounded ? kept : 0)) {
    const TensorId tensor{number};
    const auto t = at(number);
    const bool own = room.partitions[t].has_value();
    const Capacity& capacity = own ? *room.partitions[t] : room.capacity;
    if (capacity.unit == Capacity::Unit::Unlimited) continue;
    const Int128 amount = amount_of(room, number, words_of(number));
    if (own) {
      if (amount > capacity.amount)
        report(Overflow{true, tensor, narrowed(amount), capacity.amount});
      continue;
    }
    shared += amount;
    if (amount <= largest) continue;
    largest = amount;
    largest_tensor = tensor;
  }
  if (room.capacity.unit == Capacity::Unit::Unlimited || shared <= room.capacity.amount) return;
  report(Overflow{false, largest_tensor, narrowed(shared), room.capacity.amount});
}

}  // namespace tilewright
