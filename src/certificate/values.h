// Least costs per vector of classes of extents. Few vectors have one, so the
// places that do are remembered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "certificate/closing.h"

namespace tilewright::certificate {

// Room for values that was given back, so that it need not be asked for and cleared again.
class SpareRoom {
 public:
  SpareRoom() { rooms_.reserve(kMost); }
  // None of it is in a copy.
  SpareRoom(const SpareRoom& /*other*/) : SpareRoom() {}
  SpareRoom& operator=(const SpareRoom&) = delete;

  struct Room {
    std::vector<std::int64_t> costs;    // kNever everywhere
    std::vector<std::uint32_t> places;  // none

    std::size_t size() const { return costs.size() + places.capacity() / 2; }
  };

  // For so many places at least, with no value anywhere.
  Room take(std::size_t places) {
    Room room;
    if (!rooms_.empty()) {
      room = std::move(rooms_.back());
      rooms_.pop_back();
      held_ -= room.size();
    }
    if (room.costs.size() < places) room.costs.resize(places, kNever);
    return room;
  }
  // Takes no memory: it happens in a destructor.
  bool has_use_for(std::size_t size) const {
    return rooms_.size() < kMost && held_ + size <= kMostHeld;
  }
  void give(Room room) {
    held_ += room.size();
    rooms_.push_back(std::move(room));
  }

  // Lists of places by class: the first of each class, the next of each place.
  struct Lists {
    std::vector<std::int32_t> firsts, nexts;
  };
  Lists& lists() { return lists_; }

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kMostHeld = std::size_t{1} << 22;

  std::vector<Room> rooms_;
  std::size_t held_ = 0;  // places
  Lists lists_;
};

class Values {
 public:
  // The room must outlive the values.
  Values(std::size_t volume, SpareRoom& spare) : volume_(volume), spare_(&spare) {
    if (volume > kMostRoom) return;
    SpareRoom::Room room = spare.take(volume);
    costs_ = std::move(room.costs);
    places_ = std::move(room.places);
  }
  ~Values() { give_back(); }
  Values(const Values& other) : Values(other.volume_, *other.spare_) { take_least(other); }
  Values(Values&& other) noexcept
      : volume_(other.volume_),
        costs_(std::move(other.costs_)),
        few_costs_(std::move(other.few_costs_)),
        places_(std::move(other.places_)),
        spare_(other.spare_) {
    other.costs_.clear();
    other.few_costs_.clear();
    other.places_.clear();
  }
  Values& operator=(Values other) noexcept {
    std::swap(costs_, other.costs_);
    std::swap(few_costs_, other.few_costs_);
    std::swap(places_, other.places_);
    return *this;
  }

  std::int64_t operator[](std::size_t place) const {
    if (volume_ <= kMostRoom) return costs_[place];
    const auto found = few_costs_.find(static_cast<std::uint32_t>(place));
    return found == few_costs_.end() ? kNever : found->second;
  }
  bool empty() const { return places_.empty(); }
  // Places with a value, in no order.
  const std::vector<std::uint32_t>& places() const { return places_; }

  // True if the place had no value before.
  bool lower(std::size_t place, std::int64_t cost) {
    std::int64_t& known = at_place(place);
    if (cost >= known) return false;
    const bool is_first = known >= kNever;
    if (is_first) places_.push_back(static_cast<std::uint32_t>(place));
    known = cost;
    return is_first;
  }
  void take_least(const Values& other) {
    for (const std::uint32_t place : other.places_) lower(place, other[place]);
  }
  // Takes out the values at which keep(place) is false.
  template <typename Keep>
  void filter(Keep keep) {
    std::erase_if(places_, [&](std::uint32_t place) {
      if (keep(std::size_t{place})) return false;
      at_place(place) = kNever;
      return true;
    });
  }

 private:
  // Beyond this many vectors there is no room for all of them.
  static constexpr std::size_t kMostRoom = std::size_t{1} << 20;

  std::int64_t& at_place(std::size_t place) {
    if (volume_ <= kMostRoom) return costs_[place];
    return few_costs_.try_emplace(static_cast<std::uint32_t>(place), kNever).first->second;
  }
  void give_back() {
    if (costs_.empty() || !spare_->has_use_for(costs_.size() + places_.capacity() / 2)) return;
    for (const std::uint32_t place : places_) costs_[place] = kNever;
    places_.clear();
    spare_->give({std::move(costs_), std::move(places_)});
  }

  std::size_t volume_;
  std::vector<std::int64_t> costs_;                            // kNever where there is none
  std::unordered_map<std::uint32_t, std::int64_t> few_costs_;  // instead, if there is no room
  std::vector<std::uint32_t> places_;
  SpareRoom* spare_;
};

// What the tensors that have their storage point take of a memory's room, and of energy or words.
struct Taken {
  std::int64_t room = 0, cost = 0;
};
struct Spot {
  std::int64_t rest = 0;     // room for the tensors without a point, as the tiles are here
  std::vector<Taken> taken;  // none is beaten in both
};
using Spots = std::unordered_map<std::uint32_t, Spot>;  // by place

// Least costs for keeping: no room for places without a value.
class StoredValues {
 public:
  explicit StoredValues(const Values& values) {
    for (const std::uint32_t place : values.places()) costs_.emplace_back(place, values[place]);
    std::sort(costs_.begin(), costs_.end());
  }

  std::int64_t operator[](std::size_t place) const {
    const auto found =
        std::lower_bound(costs_.begin(), costs_.end(),
                         std::pair(static_cast<std::uint32_t>(place), std::int64_t{0}));
    return found != costs_.end() && found->first == place ? found->second : kNever;
  }
  // Places and their values, in the order of places.
  const std::vector<std::pair<std::uint32_t, std::int64_t>>& all() const { return costs_; }

 private:
  std::vector<std::pair<std::uint32_t, std::int64_t>> costs_;
};

}  // namespace tilewright::certificate
