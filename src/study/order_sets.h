// Sets of loop orders that agree in their innermost loops, and what makes
// orders differ.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "tilewright/arch.h"

namespace tilewright::study {

// A bit per loop of a convolution.
using LoopSet = std::uint32_t;
constexpr LoopSet loop_bit(ConvDim loop) { return LoopSet{1} << index_of(loop); }
inline constexpr LoopSet kAllLoops = (LoopSet{1} << kConvDims) - 1;

// Loops of an order, innermost first.
using InnerLoops = std::vector<ConvDim>;

class OrderSets {
 public:
  using Id = int;

  // `trivial` loops run once whatever the design.
  OrderSets(std::vector<ConvOrder> orders, LoopSet trivial);

  static constexpr Id all() { return 0; }
  // A set of its own for each order, as they were given.
  const std::vector<Id>& single() const { return single_; }

  const ConvOrder& first(Id set) const { return orders_[at(sets_[at(set)].front())]; }
  // The orders of a set that differ in what they do with some loops.
  std::vector<InnerLoops> different(Id set, LoopSet loops) const;
  // The loops that are innermost in all orders of a set, but for trivial ones.
  const InnerLoops& decided(Id set) const { return decided_[at(set)]; }

  // A set in parts that differ in the innermost loop in which its orders
  // differ, loops of no account left out. Nothing if they differ in none. Valid
  // until the next call.
  const std::vector<Id>& parts(Id set, LoopSet ignored);

 private:
  Id intern(std::vector<int> orders);
  InnerLoops inner_loops(int order, LoopSet loops) const;

  std::vector<ConvOrder> orders_;
  LoopSet trivial_;
  std::vector<std::vector<int>> sets_;  // numbers of orders
  std::vector<InnerLoops> decided_;     // by set
  std::vector<Id> single_;
  std::map<std::vector<int>, Id> known_;
  std::map<std::pair<Id, LoopSet>, std::vector<Id>> parts_;
};

}  // namespace tilewright::study
