// What a link costs at every vector of extents of an array at once: its counts
// are products of factors that depend on one dimension, or on one window.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

// The extents of one dimension along an array's axis. Along the axis of a
// moving loop there is a place for each edge, with its bound.
struct AxisExtents {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> bounds;  // of the moving loop; empty along other axes
  // Where places stand for ranges of extents, which the list above has the largest of: the
  // smallest ones; and how often the moving loop starts at least.
  std::vector<std::int64_t> least;
  std::vector<std::int64_t> passes;
};

class LinkPricing;

// The price of a link at each vector of the extents that it depends on.
class LinkPrices {
 public:
  // The extents are those just inside the moving loop, which is a loop of memory `block`.
  // Prices are found now, or one by one when they are asked for.
  enum class When : std::uint8_t { Now, Asked };
  LinkPrices(const Subproblem& sub, const Link& link, int block,
             const std::vector<AxisExtents>& axes, int moving_dim, When when = When::Now);
  LinkPrices(LinkPrices&&) noexcept;
  LinkPrices& operator=(LinkPrices&&) noexcept;
  ~LinkPrices();

  // Adds the price to each element of an array whose axes are the dimensions in order, the last
  // one fastest.
  void add_to(std::span<Units> array) const;
  // The same of a part of this array that begins at one of its places.
  void add_to_part(std::size_t first, std::span<Units> part) const;
  // One of the prices that are found when they are asked for: by the extents that they depend on,
  // each with its stride, or 0.
  Units operator[](std::size_t place) { return prices_[place] < 0 ? find(place) : prices_[place]; }
  const std::vector<std::size_t>& strides() const { return strides_; }
  std::size_t bytes() const { return prices_.size() * sizeof(Units); }

 private:
  // Neighbouring axes that all matter to the price, or do not.
  struct Run {
    std::size_t length = 1;
    bool depends = true;
  };

  Units find(std::size_t place);
  void add_from(std::size_t first_run, std::span<Units> array, const Units* price,
                std::size_t prices) const;
  // The places of all runs from one on, and their prices.
  struct Rest {
    std::size_t places = 1, prices = 1;
  };
  void add_part_from(std::size_t first_run, const Rest& rest, std::size_t first,
                     std::span<Units> part, const Units* price) const;

  std::vector<Run> runs_ = {{1, true}};
  std::size_t places_ = 1;
  std::vector<std::size_t> strides_;  // of each dimension
  std::vector<Units> prices_;
  std::unique_ptr<LinkPricing> pricing_;  // of prices that are not known yet
};

// The same at once.
void add_price(const Subproblem& sub, const Link& link, int block,
               const std::vector<AxisExtents>& axes, int moving_dim, std::span<Units> array);

}  // namespace tilewright::optimal
