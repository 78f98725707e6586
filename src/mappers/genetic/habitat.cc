#include "mappers/genetic/habitat.h"

#include <algorithm>
#include <bit>

namespace tilewright::genetic {
namespace {

// The largest divisor of a number that is not above `most`, which is less than the
// number. Above the root fewer quotients have to be tried than divisors.
std::int64_t largest_divisor(std::int64_t number, std::int64_t most) {
  std::int64_t quotient = ceil_div(number, most);
  for (; quotient <= number / quotient; ++quotient) {
    if (number % quotient == 0) return number / quotient;
  }
  std::int64_t divisor = std::min(most, quotient);
  while (number % divisor != 0) --divisor;
  return divisor;
}

}  // namespace

Habitat::Habitat(const Problem& problem, SpaceKind kind, const Restrictions& restrictions)
    : problem_(problem), slots_(problem.slot_count()) {
  for (int s = 0; s < slots_; ++s) {
    const Slot& slot = problem.slots()[at(s)];
    if (slot.is_temporal()) continue;
    spatial_slots_ |= 1U << s;
    instances_[at(s)] = problem.instances_along(s);
    if (slot.kind == SlotKind::SpatialY) {
      fanouts_.push_back({s, restrictions.least_instances(slot.level)});
    }
  }
  std::uint32_t open = 0;
  for (int d = 0; d < problem.dim_count(); ++d) {
    add_dim(d, kind, restrictions);
    open |= open_slots(d);
  }
  for (int s = 0; s < slots_; ++s) {
    if ((open & spatial_slots_ & 1U << s) != 0) parallel_slots_.push_back(s);
  }
  for (int m = 0; m < problem.memory_count(); ++m) add_memory(MemoryId{m}, restrictions);
}

void Habitat::add_dim(int dim, SpaceKind kind, const Restrictions& restrictions) {
  OfDim of_dim;
  of_dim.size = problem_.workload().dim(DimId{dim}).size;
  for (int s = 0; s < slots_; ++s) {
    const BoundLimits& limits = restrictions.limits(s, DimId{dim});
    const Slot& slot = problem_.slots()[at(s)];
    of_dim.limits[at(s)] = {limits.least, limits.most, kCountLimit,
                            may_leave_remainder(kind, slot)};
    if (limits.least < limits.most) of_dim.open |= 1U << s;
  }
  for (int m = 0; m < problem_.memory_count(); ++m) {
    const auto slot = static_cast<std::size_t>(problem_.use(MemoryId{m}).slot);
    of_dim.limits[slot].most_extent = restrictions.extent_limit(MemoryId{m}, DimId{dim}).most;
  }
  if (of_dim.open != 0) of_dim.outermost = std::countr_zero(of_dim.open);
  if (std::popcount(of_dim.open) > 1) free_dims_.push_back(dim);
  dims_.push_back(of_dim);
}

void Habitat::add_memory(MemoryId memory, const Restrictions& restrictions) {
  const std::vector<DimId>& outermost = restrictions.outermost(memory);
  const std::vector<DimId>& innermost = restrictions.innermost(memory);
  memories_.push_back({problem_.use(memory).slot, static_cast<int>(outermost.size()),
                       problem_.dim_count() - static_cast<int>(innermost.size()), outermost,
                       innermost});
  const std::uint32_t open = restrictions.keep_allowed(memory) & ~restrictions.keep_always(memory);
  for (std::uint32_t rest = open; rest != 0; rest &= rest - 1) {
    choices_.push_back({memory, rest & -rest});
  }
}

// 0 if there is none.
std::int64_t Habitat::fitting(const Limit& limit, std::int64_t wanted, std::int64_t left) {
  const std::int64_t most = std::min(limit.most, left);
  if (most < limit.least) return 0;
  const std::int64_t bound = std::clamp(wanted, limit.least, most);
  if (limit.uneven || bound == 1 || left % bound == 0) return bound;
  const std::int64_t divisor = largest_divisor(left, bound);
  return divisor < limit.least ? 0 : divisor;
}

bool Habitat::settle(int dim, int give, Chain& bounds) const {
  const OfDim& table = dims_[at(dim)];
  std::int64_t left = table.size;
  for (int s = slots_; s-- > 0;) {
    const Limit& limit = table.limits[at(s)];
    std::int64_t& bound = bounds[at(s)];
    if (s == table.outermost) {
      bound = left;
    } else if (s == give) {
      bound = left;
      for (int outside = s; outside-- > 0;) {
        const std::int64_t other = bounds[at(outside)];
        if (other > 1) bound = ceil_div(bound, other);
      }
    }
    bound = fitting(limit, bound, left);
    if (bound == 0) return false;
    if (bound > 1) left = ceil_div(left, bound);
    if (limit.most_extent >= table.size) continue;
    const std::int64_t extent = ceil_div(table.size, left);
    if (extent > limit.most_extent && extent > 1) return false;
  }
  return left == 1;
}

std::int64_t Habitat::used(int slot, const Mapping& mapping) const {
  std::int64_t product = 1;
  for (int d = 0; d < mapping.dim_count(); ++d) product *= mapping.bound(slot, DimId{d});
  return product;
}

bool Habitat::holds(const Mapping& mapping) const {
  for (const OfFanout& fanout : fanouts_) {
    std::int64_t at_work = 1;
    for (int s = fanout.slot; s < fanout.slot + 2; ++s) {
      std::int64_t room = instances(s);
      for (int d = 0; d < mapping.dim_count(); ++d) {
        const std::int64_t bound = mapping.bound(s, DimId{d});
        if (bound == 1) continue;
        if (bound > room) return false;
        room /= bound;  // rounds down, as whole instances do
        at_work *= bound;
      }
    }
    if (at_work < fanout.least_instances) return false;
  }
  return true;
}

bool Habitat::keeps_all(const Mapping& mapping) const {
  std::uint32_t kept = 0;
  for (int m = 0; m < mapping.memory_count(); ++m) kept |= mapping.kept(MemoryId{m});
  return kept == (1U << problem_.tensor_count()) - 1U;
}

Chain chain_of(const Mapping& mapping, int dim) {
  Chain bounds;  // NOLINT(cppcoreguidelines-pro-type-member-init): as far as there are slots
  for (int s = 0; s < mapping.slot_count(); ++s) {
    bounds[at(s)] = mapping.bound(s, DimId{dim});
  }
  return bounds;
}

void set_chain(const Chain& bounds, int dim, Mapping& mapping) {
  for (int s = 0; s < mapping.slot_count(); ++s) {
    mapping.set_bound(s, DimId{dim}, bounds[at(s)]);
  }
}

}  // namespace tilewright::genetic
