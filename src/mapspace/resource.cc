#include "mapspace/resource.h"

#include <algorithm>
#include <limits>

#include "tilewright/base.h"

namespace tilewright::mapspace {

namespace {

// The first number after p for which floor(n / p) differs.
std::int64_t next_quotient(std::int64_t n, std::int64_t p) {
  const std::int64_t quotient = n / p;
  return quotient == 0 ? std::numeric_limits<std::int64_t>::max() : n / quotient + 1;
}

}  // namespace

Resource::Resource(std::int64_t least, std::int64_t most, std::uint32_t slots)
    : least_(least), most_(most), slots_(slots) {
  // ceil(least / p) changes where floor((least - 1) / p) does.
  for (std::int64_t p = 1; p <= most;
       p = std::min(next_quotient(most, p), next_quotient(least - 1, p))) {
    first_.push_back(p);
  }
  combined_.reserve(first_.size() * first_.size());
  for (const std::int64_t a : first_) {
    for (const std::int64_t b : first_) {
      const Int128 product = static_cast<Int128>(a) * b;
      combined_.push_back(static_cast<std::int16_t>(
          product > most ? -1 : class_of(static_cast<std::int64_t>(product))));
    }
  }
}

int Resource::class_of(std::int64_t product) const {
  if (product > most_) return -1;
  const auto above = std::upper_bound(first_.begin(), first_.end(), product);
  return static_cast<int>(above - first_.begin()) - 1;
}

std::int64_t Resource::last_of(int a_class) const {
  const std::size_t next = at(a_class) + 1;
  return next < first_.size() ? first_[next] - 1 : most_;
}

}  // namespace tilewright::mapspace
