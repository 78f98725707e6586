// Least costs per vector of classes of extents. Few vectors have one, so the
// places that do are remembered.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "certificate/closing.h"

namespace tilewright::certificate {

// Room for values that were given back, so that it need not be cleared again.
using SpareRoom = std::vector<std::vector<std::int64_t>>;

class Values {
 public:
  // The room must outlive the values.
  Values(std::size_t volume, SpareRoom& spare) : spare_(&spare) {
    if (spare.empty()) {
      costs_.assign(volume, kNever);
    } else {
      costs_ = std::move(spare.back());
      spare.pop_back();
    }
  }
  ~Values() { give_back(); }
  Values(const Values& other) : Values(other.costs_.size(), *other.spare_) { take_least(other); }
  Values(Values&& other) noexcept
      : costs_(std::move(other.costs_)), places_(std::move(other.places_)), spare_(other.spare_) {
    other.costs_.clear();
    other.places_.clear();
  }
  Values& operator=(Values other) noexcept {
    std::swap(costs_, other.costs_);
    std::swap(places_, other.places_);
    return *this;
  }

  std::int64_t operator[](std::size_t place) const { return costs_[place]; }
  bool empty() const { return places_.empty(); }
  // Places with a value, in no order; values that were taken out may still be
  // among them.
  const std::vector<std::uint32_t>& places() const { return places_; }

  void lower(std::size_t place, std::int64_t cost) {
    std::int64_t& known = costs_[place];
    if (cost >= known) return;
    if (known >= kNever) places_.push_back(static_cast<std::uint32_t>(place));
    known = cost;
  }
  void take_least(const Values& other) {
    for (const std::uint32_t place : other.places_) lower(place, other.costs_[place]);
  }
  // Takes out the values at which keep(place) is false.
  template <typename Keep>
  void filter(Keep keep) {
    std::erase_if(places_, [&](std::uint32_t place) {
      if (keep(std::size_t{place})) return false;
      costs_[place] = kNever;
      return true;
    });
  }

 private:
  void give_back() {
    if (costs_.empty()) return;
    for (const std::uint32_t place : places_) costs_[place] = kNever;
    spare_->push_back(std::move(costs_));
  }

  std::vector<std::int64_t> costs_;  // kNever where there is none
  std::vector<std::uint32_t> places_;
  SpareRoom* spare_;
};

}  // namespace tilewright::certificate
