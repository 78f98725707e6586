#include "mappers/quickflow/allocation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright::quickflow {
namespace {

// A number for each thing that a mapping can have; a mapping's hash is the
// exclusive or of all it has, so that a move changes it in a few steps.
std::uint64_t number_of(std::uint64_t kind, int place, int dim, std::int64_t value) {
  std::uint64_t x = (kind << 60U) ^ (static_cast<std::uint64_t>(place) << 52U) ^
                    (static_cast<std::uint64_t>(dim) << 44U) ^ static_cast<std::uint64_t>(value);
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}
std::uint64_t number_of_bound(int slot, int dim, std::int64_t bound) {
  return number_of(1, slot, dim, bound);
}
std::uint64_t number_of_kept(int memory, std::uint32_t kept) {
  return number_of(2, memory, 0, kept);
}

}  // namespace

Allocation::Allocation(const SearchTables& tables, const Mapping& mapping)
    : tables_(&tables), mapping_(mapping) {
  used_.fill(1);
  for (int d = 0; d < tables.dims; ++d) {
    for (int s = 0; s < tables.slots; ++s) {
      const std::int64_t bound = mapping.bound(s, DimId{d});
      hash_ ^= number_of_bound(s, d, bound);
      if (tables.is_spatial(s)) used_[at(s)] *= bound;
    }
    const auto extents = extents_of(d, chain_of(mapping, d));
    for (int m = 0; m < tables.memory_count(); ++m) extents_[at(m)][at(d)] = extents[at(m)];
  }
  for (int m = 0; m < tables.memory_count(); ++m) {
    hash_ ^= number_of_kept(m, mapping.kept(MemoryId{m}));
  }
}

// --- moves ------------------------------------------------------------------------

Chain Allocation::chain_after(const Split& split) const {
  Chain bounds = chain_of(mapping_, split.dim);
  std::int64_t& here = bounds[at(split.slot)];
  if (split.partner >= 0) {
    std::int64_t& there = bounds[at(split.partner)];
    there = ceil_div(here * there, split.bound);
    here = split.bound;
    return bounds;
  }
  // The slots outside keep what divides what is left now; the outermost one
  // that may takes the rest.
  here = split.bound;
  std::int64_t left = tables_->size(split.dim);
  const int absorbing = __builtin_ctz(tables_->open_slots(split.dim));
  for (int s = tables_->slots; s-- > 0;) {
    std::int64_t& bound = bounds[at(s)];
    if (s == absorbing && s != split.slot) {
      bound = left;
    } else if (s < split.slot && tables_->may_leave_remainder(s)) {
      bound = std::min(bound, left);
    } else if (s < split.slot) {
      const bool refill = split.partner == Split::kRefills && tables_->is_spatial(s);
      bound = refill ? largest_divisor(s, split.dim, left) : std::gcd(bound, left);
    }
    left = ceil_div(left, bound);
  }
  return bounds;
}

// The most that a spatial slot has room for beside the other dimensions.
std::int64_t Allocation::largest_divisor(int slot, int dim, std::int64_t left) const {
  if ((tables_->open_slots(dim) >> slot & 1U) == 0) return 1;
  const std::int64_t others = used_[at(slot)] / mapping_.bound(slot, DimId{dim});
  std::int64_t divisor =
      std::min({left, tables_->limits(slot, dim).most,
                std::max<std::int64_t>(1, tables_->instances[at(slot)] / others)});
  while (left % divisor != 0) --divisor;
  return divisor;
}

bool Allocation::allows(const Move& move) const {
  if (move.keeper >= 0) return has_room_keeping(move.keeper, move.kept);
  After after;
  for (std::size_t i = 0; i < move.splits.size(); ++i) {
    const Split& split = move.splits[i];
    if (split.dim < 0) continue;
    after.bounds[i] = chain_after(split);
    if (!tables_->is_chain(split.dim, after.bounds[i])) return false;
  }
  if (!has_instances(move, after)) return false;
  for (std::size_t i = 0; i < move.splits.size(); ++i) {
    if (move.splits[i].dim < 0) continue;
    after.extents[i] = extents_of(move.splits[i].dim, after.bounds[i]);
  }
  return has_room(move, after);
}

std::uint64_t Allocation::hash_after(const Move& move) const {
  if (move.keeper >= 0) {
    return hash_ ^ number_of_kept(move.keeper, mapping_.kept(MemoryId{move.keeper})) ^
           number_of_kept(move.keeper, move.kept);
  }
  std::uint64_t hash = hash_;
  for (const Split& split : move.splits) {
    if (split.dim < 0) continue;
    const Chain bounds = chain_after(split);
    for (int s = 0; s < tables_->slots; ++s) {
      const std::int64_t before = mapping_.bound(s, DimId{split.dim});
      const std::int64_t after = bounds[at(s)];
      if (before == after) continue;
      hash ^= number_of_bound(s, split.dim, before) ^ number_of_bound(s, split.dim, after);
    }
  }
  return hash;
}

void Allocation::apply(const Move& move) {
  hash_ = hash_after(move);
  if (move.keeper >= 0) {
    mapping_.set_kept(MemoryId{move.keeper}, move.kept);
    return;
  }
  for (const Split& split : move.splits) {
    if (split.dim < 0) continue;
    const Chain bounds = chain_after(split);
    for (int s = 0; s < tables_->slots; ++s) {
      const std::int64_t before = mapping_.bound(s, DimId{split.dim});
      const std::int64_t after = bounds[at(s)];
      if (before == after) continue;
      if (tables_->is_spatial(s)) used_[at(s)] = used_[at(s)] / before * after;
      mapping_.set_bound(s, DimId{split.dim}, after);
    }
    const auto extents = extents_of(split.dim, bounds);
    for (int m = 0; m < tables_->memory_count(); ++m) {
      extents_[at(m)][at(split.dim)] = extents[at(m)];
    }
  }
}

// --- tiles --------------------------------------------------------------------------

std::array<std::int64_t, kMaxMemories> Allocation::extents_of(int dim, const Chain& bounds) const {
  std::array<std::int64_t, kMaxMemories> extents{};
  std::int64_t extent = 1;
  int s = tables_->slots;
  for (int m = tables_->memory_count(); m-- > 0;) {
    while (s > tables_->memory(m).slot) extent *= bounds[at(--s)];
    extents[at(m)] = std::min(extent, tables_->size(dim));
  }
  return extents;
}

bool Allocation::has_instances(const Move& move, const After& after) const {
  for (const FlatSpace::OfFanout& fanout : tables_->fanouts) {
    std::int64_t before = 1;
    std::int64_t now = 1;
    for (int s = fanout.slot; s < fanout.slot + 2; ++s) {
      std::int64_t used = used_[at(s)];
      for (std::size_t i = 0; i < move.splits.size(); ++i) {
        if (move.splits[i].dim < 0) continue;
        used = used / mapping_.bound(s, DimId{move.splits[i].dim}) * after.bounds[i][at(s)];
      }
      if (used > tables_->instances[at(s)]) return false;
      before *= used_[at(s)];
      now *= used;
    }
    // On the way to what a constraint wants, no step back.
    if (now < fanout.least_instances && now < before) return false;
  }
  return true;
}

bool Allocation::has_room(const Move& move, const After& after) const {
  std::uint32_t outside = 0;
  for (int m = 0; m < tables_->memory_count(); ++m) {
    const std::uint32_t kept = mapping_.kept(MemoryId{m});
    bool grows = false;  // smaller tiles fit where the larger ones did
    PerDim extents = extents_[at(m)];
    for (std::size_t i = 0; i < move.splits.size(); ++i) {
      if (move.splits[i].dim < 0) continue;
      std::int64_t& extent = extents[at(move.splits[i].dim)];
      grows = grows || after.extents[i][at(m)] > extent;
      extent = after.extents[i][at(m)];
    }
    if (grows && !has_room(m, kept, outside, extents)) return false;
    outside |= kept;
  }
  return true;
}

// A memory must hold a tile of each tensor, or all of it where nobody outside
// keeps it; for what instances share of it there, the model is asked.
bool Allocation::has_room(int memory, std::uint32_t kept, std::uint32_t outside,
                          const PerDim& extents) const {
  const FlatMemory& table = tables_->memory(memory);
  bool fits = true;
  const auto extents_of_tile = [&](int t) -> const PerDim& {
    const bool home =
        (outside >> t & 1U) == 0 && !tables_->flat.bounding_boxes && table.fanouts_outside == 0;
    return home ? tables_->sizes : extents;
  };
  const auto check = [&](auto words_of) {
    check_room(table.room, kept, words_of, [&](const Overflow&) { fits = false; });
  };
  const std::vector<FlatTensor>& tensors = tables_->flat.tensor;
  if (tables_->flat.wide) {
    check([&](int t) { return tensors[at(t)].words<Int128>(extents_of_tile(t)); });
  } else {
    check([&](int t) { return tensors[at(t)].words(extents_of_tile(t)); });
  }
  return fits;
}

bool Allocation::has_room_keeping(int memory, std::uint32_t kept) const {
  std::uint32_t outside = 0;
  for (int m = 0; m < tables_->memory_count(); ++m) {
    const std::uint32_t here = m == memory ? kept : mapping_.kept(MemoryId{m});
    if (m >= memory && !has_room(m, here, outside)) return false;
    outside |= here;
  }
  return outside == (1U << tables_->tensors) - 1U;  // each is kept somewhere
}

bool Allocation::fits() const {
  for (int s = 0; s < tables_->slots; ++s) {
    if (tables_->is_spatial(s) && used_[at(s)] > tables_->instances[at(s)]) return false;
  }
  return has_room_keeping(0, mapping_.kept(MemoryId{0}));
}

double Allocation::utilisation() const {
  double share = 1;
  for (int s = 0; s < tables_->slots; ++s) {
    if (!tables_->is_spatial(s)) continue;
    share *= static_cast<double>(used_[at(s)]) / static_cast<double>(tables_->instances[at(s)]);
  }
  // Where bounds leave a remainder, not all steps and instances have work.
  for (int d = 0; d < tables_->dims && tables_->uneven_slots != 0; ++d) {
    double steps = 1;
    for (int s = 0; s < tables_->slots; ++s) {
      steps *= static_cast<double>(mapping_.bound(s, DimId{d}));
    }
    share *= static_cast<double>(tables_->size(d)) / steps;
  }
  return share;
}

double Allocation::missing_instances() const {
  double missing = 1;
  for (const FlatSpace::OfFanout& fanout : tables_->fanouts) {
    const auto used = static_cast<double>(used_[at(fanout.slot)] * used_[at(fanout.slot + 1)]);
    missing *= std::max(1.0, static_cast<double>(fanout.least_instances) / used);
  }
  return missing;
}

double Allocation::depth() const {
  double product = 1;
  for (int m = 0; m < tables_->memory_count(); ++m) {
    for (int d = 0; d < tables_->dims; ++d) {
      product *= static_cast<double>(extents_[at(m)][at(d)]);
    }
  }
  return product;
}

bool Allocation::operator==(const Allocation& other) const {
  return mapping_ == other.mapping_ && extents_ == other.extents_ && used_ == other.used_ &&
         hash_ == other.hash_;
}

}  // namespace tilewright::quickflow
