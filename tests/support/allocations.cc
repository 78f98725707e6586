#include "support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

constexpr long kNever = std::numeric_limits<long>::max();

std::atomic<long> allocations{0};
std::atomic<long> first_to_fail{kNever}, end_of_failures{kNever};

void* allocate(std::size_t size) {
  // Not one step, which would take longer than to allocate: where threads allocate at the same
  // moment, one may not be counted.
  const long number = allocations.load(std::memory_order_relaxed) + 1;
  allocations.store(number, std::memory_order_relaxed);
  if (number >= first_to_fail && number < end_of_failures) return nullptr;
  return std::malloc(size);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace tilewright::testing {

long allocation_count() { return allocations; }

FailingAllocations::FailingAllocations(long first, long count) {
  const long before = allocations;
  end_of_failures = before + first + count;
  first_to_fail = before + first;
}

FailingAllocations::~FailingAllocations() { first_to_fail = end_of_failures = kNever; }

}  // namespace tilewright::testing
