// Memory for the tables of a subproblem, counted as it is taken.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mappers/optimal/solver_tables.h"

namespace tilewright::optimal {

// Thrown by work that would need too much memory.
struct TooLarge {};

class TableMemory {
 public:
  explicit TableMemory(std::int64_t bytes) : left_(bytes) {}
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  void take(std::size_t bytes) {  // throws TooLarge
    if (bytes > static_cast<std::size_t>(left_)) throw TooLarge{};
    left_ -= static_cast<std::int64_t>(bytes);
  }
  void give_back(std::size_t bytes) { left_ += static_cast<std::int64_t>(bytes); }

 private:
  std::int64_t left_;
};

// Bytes that are given back in the end.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  ~MemoryCharge() {
    if (memory_ != nullptr) memory_->give_back(bytes_);
  }

  void add(TableMemory& memory, std::size_t bytes) {  // throws TooLarge
    memory.take(bytes);
    memory_ = &memory;
    bytes_ += bytes;
  }

 private:
  TableMemory* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

template <typename T>
class TableAllocator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the standard gives these names
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  // NOLINTEND(readability-identifier-naming)

  explicit TableAllocator(TableMemory& memory) : memory_(&memory) {}

  T* allocate(std::size_t number) {
    memory_->take(number * sizeof(T));
    return std::allocator<T>().allocate(number);
  }
  void deallocate(T* values, std::size_t number) {
    std::allocator<T>().deallocate(values, number);
    memory_->give_back(number * sizeof(T));
  }
  TableMemory& memory() const { return *memory_; }
  bool operator==(const TableAllocator&) const = default;

 private:
  TableMemory* memory_;
};

// A value at every vector of extents.
using Values = std::vector<Units, TableAllocator<Units>>;

}  // namespace tilewright::optimal
