#include "certificate/window_count.h"

#include <algorithm>
#include <set>

namespace tilewright::certificate {

WindowCount::WindowCount(const LinkCount& link, const Window& window, Instances instances,
                         std::size_t first_sharing)
    : link_(link),
      nest_(link.nest_),
      window_(window),
      instances_(instances),
      first_sharing_(first_sharing),
      moving_(link.moving_.slot < 0 ? -1 : window.index_of_dim(link.moving_.dim)) {}

Int128 WindowCount::words() {
  std::vector<Reached> reached;
  for (const int dim : window_.dims()) reached.push_back(steps_of(dim));
  Extents left(reached.size());
  return sum(reached, 0, left, 0, 1);
}

// `moved` is 0 before the moving dimension is chosen or if it starts, else 1.
Int128 WindowCount::sum(const std::vector<Reached>& reached, std::size_t from, Extents& left,
                        int moved, Count times) {
  if (times == 0) return 0;
  if (from == reached.size()) return times * serve(0, left, moved == 1);
  Count total = 0;
  for (const auto& [rest, steps] : reached[from]) {
    left[from] = rest;
    total += sum(reached, from + 1, left, moved, times * steps.starts);
    total += sum(reached, from + 1, left, 1, times * steps.further);
  }
  return total;
}

WindowCount::Reached WindowCount::steps_of(int dim) const {
  Reached reached;
  Count kept = 0;  // how far kept digits reach beyond those inside them
  reached[nest_.size(dim)] = {1, 0};
  for (int s = 0; s < link_.child_slot_; ++s) {
    const std::int64_t b = nest_.bound(s, dim);
    if (b == 1) continue;
    const std::int64_t stride = nest_.stride(s, dim);
    switch (link_.digit(s, dim, instances_)) {
      case Digit::Kept:
        kept += Count(b - 1) * stride;
        break;
      case Digit::Counted:
        take_digit(reached, stride, b, narrow(kept + stride),
                   s == link_.moving_.slot && dim == link_.moving_.dim);
        break;
      case Digit::Zero:
        break;
    }
  }
  // What is beyond the reach of the branches makes no difference.
  const std::int64_t limit = reach(0, dim);
  Reached clipped;
  for (const auto& [rest, steps] : reached) {
    Steps& known = clipped[std::min(rest, limit)];
    known.starts += steps.starts;
    known.further += steps.further;
  }
  return clipped;
}

void WindowCount::take_digit(Reached& reached, std::int64_t stride, std::int64_t bound,
                             std::int64_t limit, bool moving) {
  Reached next;
  const auto add = [&](std::int64_t rest, const Steps& steps, Count times, bool first) {
    Steps& known = next[std::min(rest, limit)];
    (moving && !first ? known.further : known.starts) += times * steps.starts;
    known.further += times * steps.further;
  };
  for (const auto& [rest, steps] : reached) {
    add(rest, steps, 1, true);
    // Digits that leave at least the limit are alike.
    const std::int64_t alike = rest < limit ? 0 : std::min(bound - 1, (rest - limit) / stride);
    if (alike > 0) add(limit, steps, alike, false);
    for (std::int64_t i = alike + 1; i < bound && rest > i * stride; ++i) {
      add(rest - i * stride, steps, 1, false);
    }
  }
  reached = std::move(next);
}

std::int64_t WindowCount::reach(std::size_t fanout, int dim) const {
  Count reach = nest_.extent(link_.child_slot_, dim);
  if (instances_ == Instances::FirstChild) return narrow(reach);
  for (std::size_t f = fanout; f < link_.fanout_slots_.size(); ++f) {
    for (const int s : {link_.fanout_slots_[f], link_.fanout_slots_[f] + 1}) {
      reach += Count(nest_.bound(s, dim) - 1) * nest_.stride(s, dim);
    }
  }
  return narrow(reach);
}

std::int64_t WindowCount::serve(std::size_t fanout, const Extents& left, bool further) {
  if (instances_ == Instances::FirstChild || fanout == link_.fanout_slots_.size()) {
    return tile_words(left, further);
  }
  const auto key = std::make_pair(fanout, std::make_pair(further, left));
  const auto known = served_.find(key);
  if (known != served_.end()) return known->second;
  const std::int64_t words = branches(fanout, left, further);
  served_[key] = words;
  return words;
}

// Branches whose tiles begin at the same element and end alike hold the same.
std::int64_t WindowCount::branches(std::size_t fanout, const Extents& left, bool further) {
  const int y = link_.fanout_slots_[fanout];
  const bool shared = link_.shares(y, first_sharing_);
  if (shared && link_.shares_halos(y)) return together(fanout, left, further);
  std::set<std::pair<std::vector<std::int64_t>, Extents>> seen;
  Extents start(left.size(), 0);
  Extents rest = left;
  std::vector<std::int64_t> digits(left.size() * 2, 0);
  Count total = 0;
  while (true) {
    bool exists = true;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const int dim = window_.dims()[i];
      start[i] =
          digits[2 * i] * nest_.stride(y, dim) + digits[2 * i + 1] * nest_.stride(y + 1, dim);
      exists = exists && start[i] < left[i];
      rest[i] = std::min(left[i] - start[i], reach(fanout + 1, dim));
    }
    if (exists && (!shared || seen.emplace(window_.origin(start), rest).second)) {
      total += serve(fanout + 1, rest, further);
    }
    std::size_t wheel = 0;
    for (; wheel < digits.size(); ++wheel) {
      const int slot = y + static_cast<int>(wheel % 2);
      if (++digits[wheel] < nest_.bound(slot, window_.dims()[wheel / 2])) break;
      digits[wheel] = 0;
    }
    if (wheel == digits.size()) return narrow(total);
  }
}

// The first indices of the tiles inside a fan-out.
std::vector<std::int64_t> WindowCount::starts_of(std::size_t fanout, int dim,
                                                 std::int64_t left) const {
  std::vector<std::int64_t> starts = {0};
  for (std::size_t f = fanout; f < link_.fanout_slots_.size(); ++f) {
    for (const int s : {link_.fanout_slots_[f], link_.fanout_slots_[f] + 1}) {
      const std::size_t inside = starts.size();
      for (std::int64_t digit = 1; digit < nest_.bound(s, dim); ++digit) {
        for (std::size_t i = 0; i < inside; ++i) {
          starts.push_back(starts[i] + digit * nest_.stride(s, dim));
        }
      }
    }
  }
  std::erase_if(starts, [&](std::int64_t start) { return start >= left; });
  return starts;
}

std::int64_t WindowCount::together(std::size_t fanout, const Extents& left, bool further) const {
  std::vector<std::vector<std::int64_t>> starts;
  std::size_t tiles = 1;
  for (std::size_t i = 0; i < left.size(); ++i) {
    starts.push_back(starts_of(fanout, window_.dims()[i], left[i]));
    tiles *= starts.back().size();
  }
  std::set<std::int64_t> seen;
  std::map<Extents, std::vector<std::int64_t>> known;  // by the tile's extents
  for (std::size_t number = 0; number < tiles; ++number) {
    Extents start;
    Extents tile;
    std::size_t rest = number;
    for (std::size_t i = 0; i < left.size(); ++i) {
      start.push_back(starts[i][rest % starts[i].size()]);
      rest /= starts[i].size();
      tile.push_back(
          std::min(left[i] - start[i], nest_.extent(link_.child_slot_, window_.dims()[i])));
    }
    auto [place, is_new] = known.try_emplace(tile);
    if (is_new) {
      const int dim = link_.moving_.dim;
      place->second =
          further ? window_.fresh_elements(tile, moving_, nest_.extent(link_.child_slot_, dim),
                                           nest_.stride(link_.moving_.slot, dim))
                  : window_.elements(tile);
    }
    const std::int64_t origin = window_.origin(start).front();
    for (const std::int64_t element : place->second) seen.insert(origin + element);
  }
  return static_cast<std::int64_t>(seen.size());
}

std::int64_t WindowCount::tile_words(const Extents& left, bool further) const {
  Extents tile(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    tile[i] = std::min(left[i], nest_.extent(link_.child_slot_, window_.dims()[i]));
  }
  if (!further) return window_.size(tile);
  const int dim = link_.moving_.dim;
  return window_.fresh(tile, moving_, nest_.extent(link_.child_slot_, dim),
                       nest_.stride(link_.moving_.slot, dim));
}

}  // namespace tilewright::certificate
