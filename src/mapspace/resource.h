// What several dimensions share: the instances of a fan-out. The product of
// their bounds there must lie between two limits.
//
// All that matters of a product p is how much room it leaves, most / p rounded
// down, and how much is still missing, least / p rounded up. Products that
// agree in both are one class. There are about 2 sqrt(most) classes, and the
// class of a product of products depends on their classes alone, because
// floor(floor(n / a) / b) = floor(n / (a b)), and likewise for ceilings.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/base.h"

namespace tilewright::mapspace {

class Resource {
 public:
  // `slots` has a bit per slot whose bounds take part.
  Resource(std::int64_t least, std::int64_t most, std::uint32_t slots);

  std::uint32_t slots() const { return slots_; }
  int class_count() const { return static_cast<int>(first_.size()); }
  // The class of a product, which is at least 1; -1 if it is too large.
  int class_of(std::int64_t product) const;
  // The largest product of a class.
  std::int64_t last_of(int a_class) const;
  // The class of a product of two classes; -1 if it is too large.
  int combined(int a, int b) const { return combined_[at(a) * first_.size() + at(b)]; }
  bool is_enough(int a_class) const { return first_[at(a_class)] >= least_; }

 private:
  std::int64_t least_, most_;
  std::uint32_t slots_;
  std::vector<std::int64_t> first_;     // smallest product of each class
  std::vector<std::int16_t> combined_;  // [class][class]
};

}  // namespace tilewright::mapspace
