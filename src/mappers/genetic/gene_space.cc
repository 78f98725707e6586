#include "mappers/genetic/gene_space.h"

#include <algorithm>
#include <bit>

#include "base/bits.h"

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

GeneSpace::GeneSpace(const Problem& p, SpaceKind k, const Restrictions& r) : FlatSpace(p, k, r) {
  std::uint32_t open = 0;
  least_.resize(at(slots * dims));
  for (int d = 0; d < dims; ++d) {
    add_dim(d);
    open |= open_slots(d);
  }
  for (const int s : members(open & spatial_slots)) parallel_slots_.push_back(s);
  for (int m = 0; m < problem.memory_count(); ++m) add_memory(MemoryId{m});
}

void GeneSpace::add_dim(int dim) {
  OfDim of_dim;
  for (int s = slots, memory = problem.memory_count(); s-- > 0;) {
    const BoundLimits& allowed = limits(s, dim);
    least_[at(s * dims + dim)] = allowed.least;
    if (allowed.least < allowed.most) of_dim.open |= 1U << s;
    if (allowed.most > 1 || allowed.least > 1) {
      of_dim.limits.push_back({allowed.least, allowed.most, s, may_leave_remainder(s)});
    }
    if (is_spatial(s)) continue;
    // Tiles have one element where no slot inside can have a loop.
    const std::int64_t most = restrictions.extent_limit(MemoryId{--memory}, DimId{dim}).most;
    if (of_dim.limits.empty()) continue;
    std::int64_t& most_extent = of_dim.limits.back().most_extent;
    most_extent = std::min(most_extent, most);
  }
  if (of_dim.open != 0) of_dim.outermost = std::countr_zero(of_dim.open);
  if (std::popcount(of_dim.open) > 1) {
    free_dims_.push_back(dim);
    for (const int s : members(of_dim.open)) open_dims_[at(s)] |= 1U << dim;
  }
  dims_.push_back(std::move(of_dim));
}

void GeneSpace::add_memory(MemoryId memory) {
  const std::vector<DimId>& outermost = restrictions.outermost(memory);
  const std::vector<DimId>& innermost = restrictions.innermost(memory);
  memories_.push_back({problem.use(memory).slot, static_cast<int>(outermost.size()),
                       problem.dim_count() - static_cast<int>(innermost.size()), outermost,
                       innermost});
  const std::uint32_t open = restrictions.keep_allowed(memory) & ~restrictions.keep_always(memory);
  for (const int tensor : members(open)) choices_.push_back({memory, 1U << tensor});
}

// 0 if there is none.
std::int64_t GeneSpace::fitting(const Limit& limit, std::int64_t wanted, std::int64_t left) {
  const std::int64_t most = std::min(limit.most, left);
  if (most < limit.least) return 0;
  const std::int64_t bound = std::clamp(wanted, limit.least, most);
  if (limit.remainder || bound == 1 || left % bound == 0) return bound;
  const std::int64_t divisor = largest_divisor(left, bound);
  return divisor < limit.least ? 0 : divisor;
}

bool GeneSpace::settle(int dim, int give, Chain& bounds) const {
  const OfDim& table = dims_[at(dim)];
  Chain wanted;  // NOLINT(cppcoreguidelines-pro-type-member-init): as far as there are slots
  std::copy_n(bounds.begin(), slots, wanted.begin());
  std::fill_n(bounds.begin(), slots, 1);
  std::int64_t left = size(dim);
  for (const Limit& limit : table.limits) {
    std::int64_t bound = wanted[at(limit.slot)];
    if (limit.slot == table.outermost) {
      bound = left;
    } else if (limit.slot == give) {
      bound = left;
      for (int outside = limit.slot; outside-- > 0;) {
        const std::int64_t other = wanted[at(outside)];
        if (other > 1) bound = ceil_div(bound, other);
      }
    }
    bound = fitting(limit, bound, left);
    if (bound == 0) return false;
    bounds[at(limit.slot)] = bound;
    if (bound > 1) left = ceil_div(left, bound);
    if (limit.most_extent >= size(dim)) continue;
    const std::int64_t extent = ceil_div(size(dim), left);
    if (extent > limit.most_extent && extent > 1) return false;
  }
  return left == 1;
}

std::int64_t GeneSpace::used(int slot, const Mapping& mapping) const {
  std::int64_t product = 1;
  for (int d = 0; d < mapping.dim_count(); ++d) {
    product = narrowed(Int128{product} * mapping.bound(slot, DimId{d}));
  }
  return product;
}

bool GeneSpace::holds(const Mapping& mapping) const {
  for (const OfFanout& fanout : fanouts) {
    std::int64_t at_work = 1;
    for (int s = fanout.slot; s < fanout.slot + 2; ++s) {
      const std::int64_t* bounds = mapping.bounds(s);
      std::int64_t product = 1;
      for (int d = 0; d < dims; ++d) {
        if (bounds[d] == 1) continue;
        if (Int128{product} * bounds[d] > instances[at(s)]) return false;
        product *= bounds[d];
      }
      at_work *= product;
    }
    if (at_work < fanout.least_instances) return false;
  }
  return true;
}

// Instances of an axis that are at work if a dimension has another bound there; others take no
// more than there are.
Int128 GeneSpace::at_work(const Mapping& mapping, int slot, int dim, std::int64_t bound) const {
  const std::int64_t* bounds = mapping.bounds(slot);
  Int128 product = bound;
  for (int d = 0; d < dims; ++d) {
    if (d != dim && bounds[d] > 1) product *= bounds[d];
  }
  return product;
}

bool GeneSpace::holds(const Mapping& mapping, int dim, const Chain& chain) const {
  for (const int s : members(spatial_slots & dims_[at(dim)].open)) {
    if (chain[at(s)] <= mapping.bound(s, DimId{dim})) continue;
    if (at_work(mapping, s, dim, chain[at(s)]) > instances[at(s)]) return false;
  }
  for (const OfFanout& fanout : fanouts) {
    if (fanout.least_instances == 1) continue;
    const int x = fanout.slot + 1;
    if (at_work(mapping, fanout.slot, dim, chain[at(fanout.slot)]) *
            at_work(mapping, x, dim, chain[at(x)]) <
        fanout.least_instances) {
      return false;
    }
  }
  return true;
}

bool GeneSpace::keeps_all(const Mapping& mapping) const {
  std::uint32_t kept = 0;
  for (int m = 0; m < mapping.memory_count(); ++m) kept |= mapping.kept(MemoryId{m});
  return kept == (1U << problem.tensor_count()) - 1U;
}

}  // namespace tilewright::genetic
