#include "mappers/quickflow/moves.h"

#include <algorithm>

#include "base/bits.h"

namespace tilewright::quickflow {
namespace {

class Lister {
 public:
  Lister(const Allocation& allocation, const Scope& scope, std::vector<Move>& moves)
      : allocation_(allocation), tables_(allocation.tables()), scope_(scope), moves_(moves) {}

  void list() {
    for (int d = 0; d < tables_.dims; ++d) {
      const std::uint32_t slots = slots_of(d);
      for (const int slot : members(slots)) {
        shift_from(d, slot, slots);
        if (!tables_.may_leave_remainder(slot)) continue;
        set_bounds(d, slot);
        if (!tables_.is_spatial(slot)) split_unevenly(d, slot, slots & ~(1U << slot));
      }
    }
    if (scope_.spatial) {
      for (int s = 0; s < tables_.slots; ++s) {
        if (tables_.is_spatial(s)) exchange_in(s);
      }
    }
    if (scope_.keepers) change_keepers();
  }

 private:
  std::uint32_t slots_of(int dim) const {
    const std::uint32_t open = tables_.open_slots(dim);
    const std::uint32_t outermost = open & ~(open - 1);
    std::uint32_t slots = 0;
    if (scope_.spatial) slots |= tables_.spatial_slots;
    if (scope_.temporal) slots |= ~tables_.spatial_slots;
    return open & (slots | outermost);
  }

  std::int64_t bound(int slot, int dim) const {
    return allocation_.mapping().bound(slot, DimId{dim});
  }

  void add(const Move& move) {
    if (allocation_.allows(move)) moves_.push_back(move);
  }

  // Every power of every prime of the bound to every other slot.
  void shift_from(int dim, int from, std::uint32_t slots) {
    const std::int64_t all = bound(from, dim);
    std::int64_t rest = all;
    for (std::int64_t prime = 2; rest > 1; ++prime) {
      if (prime * prime > rest) prime = rest;
      for (std::int64_t amount = prime; rest % prime == 0; amount *= prime) {
        rest /= prime;
        shift(dim, from, amount, slots);
      }
    }
  }

  void shift(int dim, int from, std::int64_t amount, std::uint32_t slots) {
    for (const int to : members(slots & ~(1U << from))) {
      add({{split(dim, from, to, bound(from, dim) / amount), Split{}}, -1, 0});
    }
  }

  static Split split(int dim, int slot, int partner, std::int64_t bound) {
    return {static_cast<std::int8_t>(dim), static_cast<std::int8_t>(slot),
            static_cast<std::int8_t>(partner), bound};
  }

  // Other bounds of two dimensions in a spatial slot at a time, such that not
  // many fewer instances are at work.
  void exchange_in(int slot) {
    std::int64_t used = 1;
    for (int d = 0; d < tables_.dims; ++d) used *= bound(slot, d);
    if (used == 1) return;
    const std::int64_t instances = tables_.instances[at(slot)];
    list_resplits(slot);
    for (std::size_t i = 0; i < resplits_.size(); ++i) {
      for (std::size_t j = i + 1; j < resplits_.size(); ++j) {
        const Split& a = resplits_[i];
        const Split& b = resplits_[j];
        if (a.dim == b.dim) continue;
        const std::int64_t before = bound(slot, a.dim) * bound(slot, b.dim);
        const std::int64_t after = a.bound * b.bound;
        const auto least = static_cast<double>(before) * (1 - scope_.idle);
        if (static_cast<double>(after) < least || used / before * after > instances) continue;
        add({{a, b}, -1, 0});
      }
    }
  }

  void list_resplits(int slot) {
    resplits_.clear();
    for (int d = 0; d < tables_.dims; ++d) {
      if ((tables_.open_slots(d) >> slot & 1U) == 0) continue;
      if (tables_.may_leave_remainder(slot)) list_bounds(d, slot, resplits_);
      for (const int partner : members(slots_of(d) & ~(1U << slot))) {
        const std::int64_t both = bound(slot, d) * bound(partner, d);
        for (std::int64_t value = 1; value * value <= both; ++value) {
          if (both % value != 0) continue;
          resplit(d, slot, partner, value);
          if (value * value != both) resplit(d, slot, partner, both / value);
        }
      }
    }
  }

  void resplit(int dim, int slot, int partner, std::int64_t value) {
    if (value == bound(slot, dim)) return;
    if (value > tables_.instances[at(slot)]) return;
    resplits_.push_back(split(dim, slot, partner, value));
  }

  // The bound to look at after the one that ceil_div rounds to. Of the many of
  // a huge dimension, those far apart do.
  static std::int64_t next_below(std::int64_t bound, int number) {
    constexpr int kAll = 1024;
    return number < kAll ? bound - 1 : bound - 1 - bound / 64;
  }

  // Bounds that may leave a remainder.
  void list_bounds(int dim, int slot, std::vector<Split>& found) const {
    std::int64_t inside = 1;
    for (int s = slot + 1; s < tables_.slots; ++s) inside *= bound(s, dim);
    const std::int64_t left = ceil_div(tables_.size(dim), inside);
    const std::int64_t most = std::min(left, tables_.limits(slot, dim).most);
    // From the largest down: the next one with one step more, or several.
    int number = 0;
    for (std::int64_t value = most; value >= 1;) {
      const std::int64_t steps = ceil_div(left, value);
      const std::int64_t least = ceil_div(left, steps);
      if (least != bound(slot, dim)) found.push_back(split(dim, slot, -1, least));
      value = next_below(least, number++);
    }
  }

  void set_bounds(int dim, int slot) {
    resplits_.clear();
    list_bounds(dim, slot, resplits_);
    const bool refills = scope_.spatial && has_dividing_fanout(dim, slot);
    for (Split& one : resplits_) {
      add({{one, Split{}}, -1, 0});
      if (!refills) continue;
      one.partner = Split::kRefills;
      add({{one, Split{}}, -1, 0});
    }
  }

  // Outside a slot.
  bool has_dividing_fanout(int dim, int slot) const {
    const std::uint32_t outside = (1U << slot) - 1U;
    for (const int s : members(tables_.open_slots(dim) & tables_.spatial_slots & outside)) {
      if (!tables_.may_leave_remainder(s)) return true;
    }
    return false;
  }

  // Between memories, all ways to share two bounds of which none is less for as much.
  void split_unevenly(int dim, int slot, std::uint32_t partners) {
    for (const int partner : members(partners & ~tables_.spatial_slots)) {
      const std::int64_t both = bound(slot, dim) * bound(partner, dim);
      int number = 0;
      for (std::int64_t value = both; value >= 1;) {
        const std::int64_t least = ceil_div(both, ceil_div(both, value));
        // What divides is a shift.
        if (both % least != 0) add({{split(dim, slot, partner, least), Split{}}, -1, 0});
        value = next_below(least, number++);
      }
    }
  }

  void change_keepers() {
    for (int m = 0; m < tables_.memory_count(); ++m) {
      const std::uint32_t kept = allocation_.mapping().kept(MemoryId{m});
      for (const int tensor : members(tables_.keep_allowed(m) & ~tables_.keep_always(m))) {
        add({{}, static_cast<std::int8_t>(m), kept ^ (1U << tensor)});
      }
    }
  }

  const Allocation& allocation_;
  const SearchTables& tables_;
  const Scope& scope_;
  std::vector<Move>& moves_;
  std::vector<Split> resplits_;
};

}  // namespace

void list_moves(const Allocation& allocation, const Scope& scope, std::vector<Move>& moves) {
  moves.clear();
  Lister(allocation, scope, moves).list();
}

}  // namespace tilewright::quickflow
